package road

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Controller is one on the road.
type Controller struct {
	Name   string // "lesson 8"
	Folder string // of its code, from the repository's root
}

// Operator is the end of the road.
var Operator = Controller{"operator", "sequentialjob"}

// Controllers are the solutions that are controllers of SequentialJobs, in the order of their lessons, and the operator.
func Controllers() (all []Controller) {
	for _, l := range checks.Lessons() {
		if l.Kind == lesson.Controller {
			all = append(all, Controller{fmt.Sprint("lesson ", l.Number), l.Solution()})
		}
	}
	return append(all, Operator)
}

// Record is what the page is written from: the file tests/road/record.yaml.
type Record struct {
	Sample  bool              `json:"sample"`  // a fixed sample of the plans was run, not all
	Results map[string]Result `json:"results"` // by the names of the controllers
}

func file() (string, error) {
	root, err := repo.Root()
	return filepath.Join(root, "tests", "road", "record.yaml"), err
}

// Read returns the record; an empty one if there is none.
func Read() (Record, error) {
	record := Record{Results: map[string]Result{}}
	name, err := file()
	if err != nil {
		return record, err
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return record, nil
	}
	if err == nil {
		err = yaml.UnmarshalStrict(text, &record)
	}
	return record, err
}

// Write replaces the record.
func (r Record) Write() error {
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	name, err := file()
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// Hash is that of a controller's code and of the campaign's, without their tests: a result is of both.
func (c Controller) Hash() (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	var code []string
	for _, folder := range []string{c.Folder, filepath.Join("tests", "campaign")} {
		all, err := dirhash.DirFiles(filepath.Join(root, folder), folder)
		if err != nil {
			return "", err
		}
		for _, name := range all {
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				code = append(code, name)
			}
		}
	}
	return dirhash.Hash1(code, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(root, name)) })
}
