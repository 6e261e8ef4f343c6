package workers

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{([A-Za-z_]+)\}`)

// parseTemplate cuts a command template at its placeholders. A name in braces
// that is none of ours is refused: it is a misspelling more often than it is
// meant for the shell, which would pass it on as it is. ${NAME} is the
// shell's own and left alone, and so is a brace behind a backslash.
func parseTemplate(template string) ([]piece, error) {
	if strings.TrimSpace(template) == "" {
		return nil, fmt.Errorf("the worker command is empty; write one, such as --worker-cmd 'my-agent {prompt}'")
	}
	var pieces []piece
	pos := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(template, -1) {
		name := template[m[2]:m[3]]
		if m[0] > 0 && template[m[0]-1] == '$' || escaped(template[:m[0]]) {
			continue
		}
		if !slices.Contains(placeholders, name) {
			return nil, fmt.Errorf("unknown placeholder {%s} in worker command %q: there are {%s}",
				name, template, strings.Join(placeholders, "} {"))
		}
		if inQuotes(template[:m[0]]) {
			return nil, fmt.Errorf("placeholder {%s} stands inside quotes in worker command %q: write it without, it comes quoted", name, template)
		}
		pieces = append(pieces, piece{text: template[pos:m[0]]}, piece{name, true})
		pos = m[1]
	}
	return append(pieces, piece{text: template[pos:]}), nil
}

// escaped tells whether a backslash at the end of s takes away the meaning of
// what follows, and is not the second of a pair.
func escaped(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// inQuotes tells whether a shell reading s would end inside quotes.
func inQuotes(s string) bool {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

// shellQuote makes of s one word for a POSIX shell, whatever is in it.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// findable asks the shell whether it can parse the template and knows its
// first word, so that a misspelt command is a usage error and not a failed
// run.
func (c *Command) findable(root string) error {
	if _, err := exec.LookPath("sh"); err != nil {
		return fmt.Errorf("worker commands need a POSIX shell, and there is no sh on the PATH: %w", err)
	}
	line := c.expand(nil)
	if out, err := c.shell(root, "-n", "-c", line); err != nil {
		return fmt.Errorf("the shell cannot parse worker command %q: %s", c.template, strings.TrimSpace(string(out)))
	}
	word := firstWord(line)
	if word == "" {
		return nil
	}
	if _, err := c.shell(root, "-c", `command -v -- "$1"`, "sh", word); err != nil {
		return fmt.Errorf("worker command %q: the shell finds no program %q in %s or on the PATH", c.template, word, root)
	}
	return nil
}

func (c *Command) shell(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("sh", args...)
	cmd.Dir = dir
	cmd.Env = c.env
	return cmd.CombinedOutput()
}

// firstWord is the program a simple command line starts with. It is "" if the
// line starts with something that only the shell can judge, such as an
// assignment, an expansion or a group.
func firstWord(line string) string {
	fields := strings.Fields(line)
	if len(fields) == 0 || strings.ContainsAny(fields[0], "$`'\"\\=(){}<>|&;*?[]!#~") {
		return ""
	}
	return fields[0]
}
