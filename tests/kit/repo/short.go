package repo

import "path/filepath"

// Short is a path from the repository's root on; unchanged where it does not lie there.
func Short(path string) string {
	absolute, absErr := filepath.Abs(path)
	root, rootErr := Root()
	if absErr != nil || rootErr != nil {
		return path
	}
	if relative, err := filepath.Rel(root, absolute); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return path
}
