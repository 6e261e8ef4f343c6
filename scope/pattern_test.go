package scope

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// A pattern whose hints miss a text that its expression matches would miss it.
// Each example is the shortest text for one alternative of an expression.
func TestHintsMissNothing(t *testing.T) {
	for _, s := range signals {
		if s.content == nil {
			continue
		}
		parsed, err := syntax.Parse(s.content.expr.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range examples(parsed) {
			text := "x " + example + " x"
			if s.content.expr.MatchString(text) && !s.content.In(NewText([]byte(text))) {
				t.Errorf("%q: no hint for %q", s.what, text)
			}
		}
	}
}

// examples are texts that an expression matches, one for each alternative.
func examples(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return []string{string(re.Rune[0])}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a"}
	case syntax.OpCapture, syntax.OpPlus:
		return examples(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		return append(examples(re.Sub[0]), "")
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, examples(sub)...)
		}
		return all
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var longer []string
			for _, head := range all {
				for _, rest := range examples(sub) {
					longer = append(longer, head+rest)
				}
			}
			all = longer
		}
		return all
	}
	return []string{""}
}

func TestExamplesAreMatched(t *testing.T) {
	parsed, err := syntax.Parse(`a(bb|cc)d?`, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(examples(parsed), " "); got != "abbd abb accd acc" {
		t.Errorf("the examples are %q", got)
	}
}
