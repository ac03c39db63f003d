// Package markdown takes the course's texts apart.
package markdown

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A Section is a heading and what follows it, up to the next heading of any level.
type Section struct {
	Block
	Heading string  // without the marks of its level; empty for what comes before the first heading
	Level   int     // of the heading: 1 for the title
	Anchor  string  // by which GitHub links to the heading
	Blocks  []Block // below the heading
}

// A Block is a part of a text: a paragraph, a list, a comment and so on.
type Block struct {
	Line   int     // where it starts
	Source string  // without blank lines around it
	Items  []Block // of a list
}

// IsComment reports whether the block is an HTML comment, which readers don't see.
func (b Block) IsComment() bool { return strings.HasPrefix(b.Source, "<!--") }

// Sections returns a text's sections in their order.
func Sections(source []byte) []Section {
	var sections []Section
	anchors := map[string]int{}
	start := 0 // of the last section
	for node, part := range parts(goldmark.DefaultParser().Parse(text.NewReader(source)), source, len(source)) {
		heading, is := node.(*ast.Heading)
		if is || len(sections) == 0 {
			sections = append(sections, Section{Block: part.block(source)})
			start = part.start
		}
		last := &sections[len(sections)-1]
		if is {
			last.Heading, last.Level = string(heading.Lines().Value(source)), heading.Level
			last.Anchor = anchor(last.Heading, anchors)
			continue
		}
		last.Source = span{start, part.end}.block(source).Source
		last.Blocks = append(last.Blocks, part.block(source))
		if list, is := node.(*ast.List); is {
			for _, item := range parts(list, source, part.end) {
				block := &last.Blocks[len(last.Blocks)-1]
				block.Items = append(block.Items, item.block(source))
			}
		}
	}
	return sections
}

// span is a part of a text, from the start of a line on.
type span struct{ start, end int }

// parts are the nodes directly below parent, which ends at end, each with all that comes before the next one.
func parts(parent ast.Node, source []byte, end int) iter.Seq2[ast.Node, span] {
	lineOf := func(node ast.Node) int { return bytes.LastIndexByte(source[:node.Pos()], '\n') + 1 }
	return func(yield func(ast.Node, span) bool) {
		for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
			part := span{lineOf(node), end}
			if next := node.NextSibling(); next != nil {
				part.end = lineOf(next)
			}
			if !yield(node, part) {
				return
			}
		}
	}
}

func (s span) block(source []byte) Block {
	return Block{Line: bytes.Count(source[:s.start], []byte("\n")) + 1, Source: strings.TrimRight(string(source[s.start:s.end]), " \n")}
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is what GitHub makes of a heading. Goldmark's own keeps ASCII letters only.
func anchor(heading string, taken map[string]int) string {
	anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
	taken[anchor]++
	if earlier := taken[anchor] - 1; earlier > 0 {
		return fmt.Sprintf("%s-%d", anchor, earlier)
	}
	return anchor
}
