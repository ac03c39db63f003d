package assets

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// versions holds the pinned version of each upstream.
type versions map[upstream]string

// readVersions reads the upstreams' versions from the go.mod files below dir.
func readVersions(dir string, upstreams ...upstream) (versions, error) {
	found := versions{}
	for _, u := range upstreams {
		version, err := repo.Required(filepath.Join(dir, u.folder), u.module)
		if err != nil {
			return nil, err
		}
		found[u] = version
	}
	return found, nil
}

// key names what was built: which versions of the upstreams, for which platform.
func (v versions) key(upstreams ...upstream) string {
	var names []string
	for _, u := range upstreams {
		names = append(names, u.short+"-"+v[u])
	}
	return fmt.Sprintf("%s-%s-%s", strings.Join(names, "_"), runtime.GOOS, runtime.GOARCH)
}

// ldflags returns the linker's flags. They set the version that the API server reports to clients.
func (v versions) ldflags(u upstream) string {
	const strip = "-s -w"
	if u.tags != "" {
		return strip + ` -extldflags "-static"`
	}
	if u != kubernetes {
		return strip
	}
	major, rest, _ := strings.Cut(strings.TrimPrefix(v[u], "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	const variable = " -X k8s.io/component-base/version."
	return strip + variable + "gitVersion=" + v[u] + variable + "gitMajor=" + major +
		variable + "gitMinor=" + minor + variable + "gitTreeState=clean"
}
