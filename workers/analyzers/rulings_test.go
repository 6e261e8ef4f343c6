package analyzers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

var (
	announced = regexp.MustCompile(`/\*want ([\w ]+)\*/`)
	namedRule = regexp.MustCompile(`^Rule (E\d+) applies`)
)

// TestEachFindingIsRuledAsItsLineAnnounces runs all three sides over a module
// in which every line with a finding says what becomes of it, and no other line
// has one.
func TestEachFindingIsRuledAsItsLineAnnounces(t *testing.T) {
	p := loaded(t, "testdata/rulings.txtar")
	if len(p.broken) > 0 {
		t.Fatalf("not examined: %v", p.broken)
	}
	var want []string
	for _, file := range p.goFiles() {
		for i, line := range strings.Split(string(p.content(file)), "\n") {
			if m := announced.FindStringSubmatch(line); m != nil {
				for ruling := range strings.FieldsSeq(m[1]) {
					want = append(want, fmt.Sprintf("%s:%d %s", file, i+1, ruling))
				}
			}
		}
	}
	got := rulings(p, &artifacts.Assignment{Files: p.goFiles()})
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rulings (-announced +given):\n%s", diff)
	}
}

// rulings lets hunter, skeptic and referee work and says what came out, as
// file:line and ruling.
func rulings(p *program, a *artifacts.Assignment) (out []string) {
	a.Findings = claimsOf(p.hunt(a))
	a.Challenges = p.challenge(a)
	verdicts := p.judge(a)
	for i, c := range a.Findings {
		out = append(out, fmt.Sprintf("%s:%d %s", c.File, artifacts.FirstLine(c.Lines), rulingOf(a.Challenges[i], verdicts[i])))
	}
	return out
}

// rulingOf is the exclusion rule for a finding that both sides dismiss.
func rulingOf(c artifacts.Challenge, v artifacts.Verdict) string {
	ruling, _ := artifacts.Decide(&c, &v, artifacts.Grounded)
	switch ruling {
	case artifacts.Dismissed:
		if m := namedRule.FindStringSubmatch(c.AnalysisSummary); m != nil {
			return m[1]
		}
	case artifacts.NeedsHuman:
		return "person"
	}
	return string(ruling)
}
