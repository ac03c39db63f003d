package markdown

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Broken names, in a sentence each, the links of a repository's Markdown files that lead to a file or a section that
// is not there. Links to other sites are not followed.
func Broken(repository fs.FS) (mistakes []string, err error) {
	err = fs.WalkDir(repository, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && file != ".":
			return fs.SkipDir // caches, and git's own files
		case entry.IsDir() || path.Ext(file) != ".md":
			return nil
		}
		source, err := fs.ReadFile(repository, file)
		if err != nil {
			return err
		}
		for _, link := range links(source) {
			if wrong := follow(repository, file, link.to); wrong != "" {
				mistakes = append(mistakes, fmt.Sprintf("%s:%d: the link %s leads nowhere: %s", file, link.line, link.to, wrong))
			}
		}
		return nil
	})
	return mistakes, err
}

type link struct {
	line int
	to   string
}

// links returns the links and images of a text, those in tables too.
func links(source []byte) (all []link) {
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		var to []byte
		switch node := node.(type) {
		case *ast.Link:
			to = node.Destination
		case *ast.Image:
			to = node.Destination
		}
		if entering && to != nil {
			all = append(all, link{bytes.Count(source[:node.Pos()], []byte("\n")) + 1, string(to)})
		}
		return ast.WalkContinue, nil // which never fails
	})
	return all
}

// follow says what is wrong with a link in a file; nothing if it leads to something, or to another site.
func follow(repository fs.FS, from, to string) string {
	target, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if target.IsAbs() || target.Host != "" {
		return ""
	}
	file := from
	if target.Path != "" {
		file = path.Join(path.Dir(from), target.Path)
	}
	if _, err := fs.Stat(repository, file); err != nil {
		return "there is no " + file
	}
	if target.Fragment == "" || path.Ext(file) != ".md" {
		return ""
	}
	source, err := fs.ReadFile(repository, file)
	if err != nil {
		return err.Error()
	}
	if !slices.ContainsFunc(Sections(source), func(s Section) bool { return s.Anchor == target.Fragment }) {
		return fmt.Sprintf("%s has no section #%s", file, target.Fragment)
	}
	return ""
}
