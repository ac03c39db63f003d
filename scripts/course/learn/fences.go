package learn

import "strings"

// plainFences says of fenced blocks that name no language that they are plain text. Otherwise the renderer guesses a
// language, and colours findings and the output of commands as if they were code.
func plainFences(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	inside := false
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		if inside = !inside; inside && strings.HasSuffix(line, "```") {
			lines[i] += "text"
		}
	}
	return []byte(strings.Join(lines, "\n"))
}
