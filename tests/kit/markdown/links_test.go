package markdown_test

import (
	"testing"
	"testing/fstest"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/must"
)

func TestBroken(t *testing.T) {
	for name, test := range map[string]struct {
		text string // of docs/page.md
		want []string
	}{
		"another site":                {"[a](https://example.com/none#none) and <https://example.com>", nil},
		"a file":                      {"[a](../README.md)", nil},
		"a folder":                    {"[a](../docs)", nil},
		"a section":                   {"[a](../README.md#the-api)", nil},
		"a section here":              {"# Here\n[a](#here)", nil},
		"a line of code":              {"[a](../main.go#L1)", nil},
		"in code":                     {"`[a](none.md)`\n\n```\n[a](none.md)\n```\n", nil},
		"no file":                     {"a\n[a](none.md)", []string{"docs/page.md:2: the link none.md leads nowhere: there is no docs/none.md"}},
		"no section":                  {"[a](../README.md#none)", []string{"docs/page.md:1: the link ../README.md#none leads nowhere: README.md has no section #none"}},
		"no section here":             {"[a](#none)", []string{"docs/page.md:1: the link #none leads nowhere: docs/page.md has no section #none"}},
		"a heading and no anchor":     {"[a](../README.md#The-API)", []string{"docs/page.md:1: the link ../README.md#The-API leads nowhere: README.md has no section #The-API"}},
		"outside the repository":      {"[a](../../x.md)", []string{"docs/page.md:1: the link ../../x.md leads nowhere: there is no ../x.md"}},
		"no URL":                      {"[a](%zz)", []string{`docs/page.md:1: the link %zz leads nowhere: parse "%zz": invalid URL escape "%zz"`}},
		"in a table":                  {"| a |\n|---|\n| [a](none.md) |", []string{"docs/page.md:3: the link none.md leads nowhere: there is no docs/none.md"}},
		"an image":                    {"![a](none.png)", []string{"docs/page.md:1: the link none.png leads nowhere: there is no docs/none.png"}},
		"a link that is defined once": {"[a]\n\n[a]: none.md", []string{"docs/page.md:1: the link none.md leads nowhere: there is no docs/none.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := markdown.Broken(fstest.MapFS{
				"README.md":       {Data: []byte("# The `API`\n")},
				"main.go":         {},
				"docs/page.md":    {Data: []byte(test.text)},
				".cache/notes.md": {Data: []byte("[a](none.md)")},
			})
			must.Succeed(t, err)
			assert.Equal(t, "broken links", got, test.want)
		})
	}
}
