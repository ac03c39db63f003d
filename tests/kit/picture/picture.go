// Package picture draws a run: one HTML file that needs nothing else, with what was done to the
// controller, its requests, how the objects changed, and the events that it received, on one time axis.
package picture

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

var (
	//go:embed picture.html
	markup string
	//go:embed picture.css
	style string
	//go:embed picture.js
	script string
)

var layout = template.Must(template.New("picture.html").Parse(markup))

// document is what the template is filled with.
type document struct {
	Title  string
	Policy string
	Style  template.CSS
	Script template.JS

	Findings []finding.Finding
	Entries  []entry
	Drawing  drawing
}

// Write draws the run, and what is wrong with it, into a file. The folder is made if it isn't there.
func Write(path string, run history.Run, findings []finding.Finding, title string) error {
	drawing, entries := draw(run, findings)
	var page bytes.Buffer
	err := layout.Execute(&page, document{
		Title: title, Policy: policy(), Style: template.CSS(style), Script: template.JS(script),
		Findings: findings, Entries: entries, Drawing: drawing,
	})
	if err != nil {
		return fmt.Errorf("draw %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, page.Bytes(), 0o644)
}

// policy lets a browser run our script and use our style and nothing else: nothing is loaded, and
// nothing that comes from a run could be run, even if it got into the page as markup.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'", hash(style), hash(script))
}
