package analyzers

import (
	"fmt"
	"strings"
	"testing"

	"bughunter/artifacts"
)

// claimAt is a claim about the line that a comment names, as a worker other
// than the analyzers makes it.
func claimAt(t *testing.T, p *program, file, comment, cwe string) artifacts.Claim {
	t.Helper()
	for i, line := range strings.Split(string(p.content(file)), "\n") {
		if strings.Contains(line, "/*"+comment+"*/") {
			return artifacts.Claim{BugID: "BUG-1", Category: "error-handling", File: file, Lines: fmt.Sprint(i + 1), CWE: cwe}
		}
	}
	t.Fatalf("%s has no line %s", file, comment)
	return artifacts.Claim{}
}

func TestClaimsOfOthersAreHeldAgainstTheRules(t *testing.T) {
	p := loaded(t, "testdata/claims.txtar")
	const unchecked = "CWE-252"
	for _, c := range []struct {
		file, comment, cwe string
		want               string // the rule, "" for none
	}{
		{"c.go", "hash", unchecked, "E7"},
		{"c.go", "write to hash", unchecked, "E7"},
		{"c.go", "builder", unchecked, "E7"},
		{"c.go", "print to builder", unchecked, "E7"},
		{"c.go", "deferred", unchecked, "E7"},
		{"c.go", "random", unchecked, "E7"},
		{"old/o.go", "old random", unchecked, ""}, // it could fail before Go 1.24
		{"c.go", "hash", "", ""},                  // some other failing of error handling
		{"c.go", "hash", "CWE-190", ""},
		{"c.go", "reads", unchecked, ""}, // the reader's error
		{"c.go", "writes out", unchecked, ""},
		{"c.go", "copy to hash", unchecked, ""},
		{"c.go", "write to any", unchecked, ""},
		{"c.go", "two", unchecked, ""},
		{"c.go", "discarded", unchecked, ""},
		{"c.go", "comment", unchecked, "E9"},
		{"c.go", "blank line", unchecked, "E9"},
		{"c.go", "in raw string", unchecked, ""},
		{"c.go", "closing", unchecked, ""},
		{"c.go", "brackets", unchecked, ""},
	} {
		pl, ok := p.locate(claimAt(t, p, c.file, c.comment, c.cwe))
		if !ok {
			t.Fatalf("%s: not located", c.comment)
		}
		e, evidence, _ := pl.exclusion(nil)
		if e.ID != c.want {
			t.Errorf("%s (%s): rule %q (%s), want %q", c.comment, c.cwe, e.ID, evidence, c.want)
		}
	}
}

func TestDirectivesForTheCompilerAreCode(t *testing.T) {
	p := loaded(t, "testdata/claims.txtar")
	c := claimAt(t, p, "c.go", "embedded", "CWE-200")
	line := artifacts.FirstLine(c.Lines)
	for lines, excluded := range map[string]bool{
		fmt.Sprint(line - 1):                 false, // //go:embed
		fmt.Sprintf("%d-%d", line-2, line-1): false,
		fmt.Sprint(line - 2):                 true,
	} {
		c.Lines = lines
		pl, _ := p.locate(c)
		if e, _, ok := pl.exclusion(nil); ok != excluded {
			t.Errorf("lines %s: excluded %v by %q, want %v", lines, ok, e.ID, excluded)
		}
	}
}

// TestAClaimThatNoAnalyzerSharesIsForAPerson whatever the skeptic says, as the
// analyzers cannot verify it.
func TestAClaimThatNoAnalyzerSharesIsForAPerson(t *testing.T) {
	p := loaded(t, "testdata/claims.txtar")
	shared := claimAt(t, p, "c.go", "write to any", "CWE-89")
	elsewhere := shared
	elsewhere.BugID, elsewhere.File = "BUG-2", "none.go"
	for _, response := range []string{artifacts.Accept, artifacts.Disprove, artifacts.ManualReview} {
		verdicts := p.judge(&artifacts.Assignment{
			Findings:   []artifacts.Claim{shared, elsewhere},
			Challenges: []artifacts.Challenge{{BugID: "BUG-1", Response: response}, {BugID: "BUG-2", Response: response}},
		})
		for _, v := range verdicts {
			if v.Verdict != artifacts.ManualReview || v.VerificationMode != artifacts.EvidenceBased {
				t.Errorf("%s after %s: %s, %s", v.BugID, response, v.Verdict, v.VerificationMode)
			}
		}
	}
}
