package markdown_test

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/markdown"
)

const source = `Before.

# The ` + "`API`" + `, über: all_of it
<!-- C01 -->
<!-- C02,
     C03 -->

A paragraph.

## Twice
1. One.
2. ` + "```sh" + `
   # no heading
   ` + "```" + `
   More.

3. Three.

` + "```" + `
# no heading
<!-- no comment -->
` + "```" + `

### Twice
`

func TestSections(t *testing.T) {
	block := func(line int, source string, items ...markdown.Block) markdown.Block {
		return markdown.Block{Line: line, Source: source, Items: items}
	}
	list := "1. One.\n2. ```sh\n   # no heading\n   ```\n   More.\n\n3. Three."
	code := "```\n# no heading\n<!-- no comment -->\n```"
	want := []markdown.Section{
		{Block: block(1, "Before."), Blocks: []markdown.Block{block(1, "Before.")}},
		{
			Heading: "The `API`, über: all_of it", Level: 1, Anchor: "the-api-über-all_of-it",
			Block:  block(3, "# The `API`, über: all_of it\n<!-- C01 -->\n<!-- C02,\n     C03 -->\n\nA paragraph."),
			Blocks: []markdown.Block{block(4, "<!-- C01 -->"), block(5, "<!-- C02,\n     C03 -->"), block(8, "A paragraph.")},
		},
		{
			Heading: "Twice", Level: 2, Anchor: "twice", Block: block(10, "## Twice\n"+list+"\n\n"+code),
			Blocks: []markdown.Block{
				block(11, list, block(11, "1. One."), block(12, "2. ```sh\n   # no heading\n   ```\n   More."), block(17, "3. Three.")),
				block(19, code),
			},
		},
		{Heading: "Twice", Level: 3, Anchor: "twice-1", Block: block(24, "### Twice")},
	}
	assert.Equal(t, "sections", markdown.Sections([]byte(source)), want)
}

func TestOnlyCommentsAreComments(t *testing.T) {
	var comments []string
	for _, section := range markdown.Sections([]byte(source)) {
		for _, block := range section.Blocks {
			if block.IsComment() {
				comments = append(comments, block.Source)
			}
		}
	}
	assert.Equal(t, "comments", comments, []string{"<!-- C01 -->", "<!-- C02,\n     C03 -->"})
}
