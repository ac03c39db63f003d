package markdown

import (
	"bytes"
	"fmt"
)

// marks are the lines around a generated part: "<!-- lessons:begin -->".
func marks(name string) (begin, end []byte) {
	return fmt.Appendf(nil, "<!-- %s:begin -->\n", name), fmt.Appendf(nil, "<!-- %s:end -->\n", name)
}

// Part returns the text between the marks of a part in a page. The error says which marks are missing.
func Part(page []byte, name string) ([]byte, error) {
	begin, end := marks(name)
	_, rest, begins := bytes.Cut(page, begin)
	part, _, ends := bytes.Cut(rest, end)
	if !begins || !ends {
		return nil, fmt.Errorf("it needs a line %s and below it a line %s, between which that part of the page is written",
			bytes.TrimSpace(begin), bytes.TrimSpace(end))
	}
	return part, nil
}

// WithPart returns a page with another text between the marks of a part.
func WithPart(page []byte, name string, part []byte) ([]byte, error) {
	was, err := Part(page, name)
	if err != nil {
		return nil, err
	}
	begin, end := marks(name)
	return bytes.Replace(page, bytes.Join([][]byte{begin, was, end}, nil), bytes.Join([][]byte{begin, part, end}, nil), 1), nil
}
