package scope

import (
	"bytes"
	"regexp"
	"strings"
)

// Pattern is something to be found in sources. Its expression is tried only on
// texts that hold one of its hints, in any case of letters: most texts hold
// none, and looking for words is many times faster than matching.
type Pattern struct {
	hints []string
	expr  *regexp.Regexp
}

// NewPattern makes a pattern. A text that the expression matches must hold one
// of the hints, which are words in lower case with spaces between.
func NewPattern(expr, hints string) *Pattern {
	return &Pattern{strings.Fields(hints), regexp.MustCompile(expr)}
}

// Text is a source prepared for looking for patterns.
type Text struct{ text, lower []byte }

// NewText prepares a source.
func NewText(text []byte) Text { return Text{text, bytes.ToLower(text)} }

// In tells whether the pattern is in a text.
func (p *Pattern) In(t Text) bool {
	for _, hint := range p.hints {
		if bytes.Contains(t.lower, []byte(hint)) {
			return p.expr.Match(t.text)
		}
	}
	return false
}
