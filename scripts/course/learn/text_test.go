package learn

import (
	"io"
	"testing"
)

func TestTextWithoutWhatGivesTheSolutionAway(t *testing.T) {
	const text = `# Lesson 4: x

## A concept
<!-- C22 -->

It is.

## Three questions

<details><summary>Why?</summary>

Because.

</details>
`
	got, err := layOut(unfolded([]byte(text), "lessons/04-x/README.md"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Lesson 4: x

## A concept

It is.

## Three questions

▸ Why?

What you unfold with ▸ is in lessons/04-x/README.md.
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextForATerminal(t *testing.T) {
	const text = "A [controller](../../docs/glossary.md#controller) in [lessons/04-x](.), see [below](#task), [file](act.go) and " +
		"[the docs](https://example.com/a).\n\n```mermaid\nflowchart\n```\n"
	const want = "A controller in lessons/04-x, see below, file and [the docs](https://example.com/a).\n\n*(A diagram: see x.md.)*\n"
	if got := string(forTerminal([]byte(text), "x.md")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBlocksWithoutALanguageArePlainText(t *testing.T) {
	text := "It prints\n\n```\nfor x := range y\n```\n\nby this:\n\n1. Code:\n   ```go\n   f()\n   ```\n"
	want := "It prints\n\n```text\nfor x := range y\n```\n\nby this:\n\n1. Code:\n   ```go\n   f()\n   ```\n"
	if got := string(plainFences([]byte(text))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
