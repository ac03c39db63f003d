package lesson02

import (
	"slices"
	"strconv"
	"strings"
)

// path leads to a value in an object: spec, steps, 0, name.
type path []string

// to is the path of a value inside.
func (p path) to(field string) path { return append(slices.Clone(p), field) }

// item is the path of an item of the list.
func (p path) item(i int) path { return p.to(strconv.Itoa(i)) }

// String is the path as the API server writes it: spec.steps[0].name.
func (p path) String() string { return p.text(func(index string) string { return "[" + index + "]" }) }

// general is the same for all items of a list: spec.steps[].name.
func (p path) general() string { return p.text(func(string) string { return "[]" }) }

// first is the same for all items of a list but the first: spec.steps[0].name and spec.steps[n].name.
func (p path) first() string {
	return p.text(func(index string) string {
		if index != "0" {
			index = "n"
		}
		return "[" + index + "]"
	})
}

func (p path) text(item func(index string) string) string {
	var text strings.Builder
	for i, part := range p {
		switch _, err := strconv.Atoi(part); {
		case err == nil:
			text.WriteString(item(part))
		case i == 0:
			text.WriteString(part)
		default:
			text.WriteString("." + part)
		}
	}
	return text.String()
}

// of is the value in an object; nil if there is none.
func (p path) of(value any) any {
	for _, part := range p {
		switch in := value.(type) {
		case map[string]any:
			value = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(in) {
				return nil
			}
			value = in[i]
		default:
			return nil
		}
	}
	return value
}

// set sets the value in an object, and removes it if it is nil. What contains the value has to exist.
func (p path) set(object map[string]any, value any) {
	above, last := p[:len(p)-1], p[len(p)-1]
	switch in := above.of(object).(type) {
	case map[string]any:
		if value == nil {
			delete(in, last)
		} else {
			in[last] = value
		}
	case []any:
		i, err := strconv.Atoi(last)
		if err != nil {
			panic(err) // the path is of another object
		}
		if value == nil {
			above.set(object, slices.Delete(slices.Clone(in), i, i+1))
		} else {
			in[i] = value
		}
	}
}
