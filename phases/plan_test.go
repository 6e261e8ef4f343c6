package phases

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// docket is findings with their answers and verdicts.
type docket struct {
	findings   []artifacts.Finding
	challenges []artifacts.Challenge
	verdicts   []artifacts.Verdict
}

// bug adds a confirmed bug and lets change alter what is said of it.
func (d *docket) bug(file string, severity artifacts.Severity, score float64, change func(f *artifacts.Finding, c *artifacts.Challenge, v *artifacts.Verdict)) {
	id := fmt.Sprintf("BUG-%d", len(d.findings)+1)
	f := artifacts.Finding{BugID: id, File: file, Lines: "1", Category: "category " + id, Severity: severity}
	c := artifacts.Challenge{BugID: id, Response: artifacts.Accept, AnalysisSummary: "Yes."}
	v := artifacts.Verdict{
		BugID: id, Verdict: artifacts.RealBug, TrueSeverity: severity, ConfidenceScore: score, ConfidenceLabel: artifacts.Label(score),
		VerificationMode: artifacts.IndependentlyVerified, AnalysisSummary: "Yes.",
	}
	if change != nil {
		change(&f, &c, &v)
	}
	d.findings, d.challenges, d.verdicts = append(d.findings, f), append(d.challenges, c), append(d.verdicts, v)
}

func (d *docket) plan() (*artifacts.FixStrategy, *artifacts.FixPlan) {
	return PlanFixes(d.findings, d.challenges, d.verdicts, DefaultThreshold)
}

func TestHowAConfirmedBugIsHandled(t *testing.T) {
	type (
		f = *artifacts.Finding
		c = *artifacts.Challenge
		v = *artifacts.Verdict
	)
	refer := func(f f, files ...string) {
		for _, name := range files {
			f.CrossReferences = append(f.CrossReferences, artifacts.CrossReference{File: name, Reason: "So."})
		}
	}
	for _, tt := range []struct {
		name   string
		score  float64
		change func(f f, c c, v v)
		want   string // "" if it is not confirmed
		reason string
	}{
		{"sure, small and undisputed", 90, nil, artifacts.SafeAutofix, "It is local to one place and undisputed, and the confidence is 90."},
		{"at the threshold", 75, nil, artifacts.SafeAutofix, "It is local to one place and undisputed, and the confidence is 75."},
		{"just below the threshold", 74.9, nil, artifacts.ManualReviewFix, "The confidence of 74.9 is below the threshold of 75."},
		{"disproved and verified all the same", 90, func(_ f, c c, _ v) { c.Response = artifacts.Disprove }, artifacts.ManualReviewFix, "The skeptic answered DISPROVE."},
		{"the skeptic asks for a person", 90, func(_ f, c c, _ v) { c.Response = artifacts.ManualReview }, artifacts.ManualReviewFix, "The skeptic answered MANUAL_REVIEW."},
		{"39 lines", 90, func(f f, _ c, _ v) { f.Lines = "1-30, 41-49" }, artifacts.SafeAutofix, "It is local to one place and undisputed, and the confidence is 90."},
		{"40 lines", 90, func(f f, _ c, _ v) { f.Lines = "1-30,41-50" }, artifacts.LargerRefactor, "The bug spans 40 lines."},
		{"one other file", 90, func(f f, _ c, _ v) { refer(f, "b.go", "b.go", "a.go") }, artifacts.SafeAutofix, "It is local to one place and undisputed, and the confidence is 90."},
		{"two other files", 90, func(f f, _ c, _ v) { refer(f, "b.go", "c.go") }, artifacts.LargerRefactor, "The bug spans 2 further files."},
		{"large and disputed", 60, func(f f, c c, _ v) { refer(f, "b.go", "c.go"); c.Response = artifacts.Disprove }, artifacts.LargerRefactor, "The bug spans 2 further files."},
		{"a guess", 49, nil, "", ""},
		{"not a bug", 90, func(_ f, _ c, v v) { v.Verdict = artifacts.NotABug }, "", ""},
		{"a person has to look", 90, func(_ f, _ c, v v) { v.Verdict = artifacts.ManualReview }, "", ""},
		{"disproved and judged by reading", 90, func(_ f, c c, v v) { c.Response, v.VerificationMode = artifacts.Disprove, artifacts.EvidenceBased }, "", ""},
		{"no verdict", 90, func(_ f, _ c, v v) { v.BugID = "BUG-0" }, "", ""},
		{"no answer", 90, func(_ f, c c, _ v) { c.BugID = "BUG-0" }, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d docket
			d.bug("a.go", artifacts.SeverityHigh, tt.score, tt.change)
			strategy, plan := d.plan()
			if tt.want == "" {
				if n := len(strategy.Strategies) + len(plan.Steps) + len(plan.Excluded); n > 0 {
					t.Errorf("it is handled: %v", strategy.Strategies)
				}
				return
			}
			want := []artifacts.Strategy{{BugID: "BUG-1", Strategy: tt.want, Reason: tt.reason, Severity: artifacts.SeverityHigh, ConfidenceScore: tt.score, File: "a.go"}}
			if diff := cmp.Diff(want, strategy.Strategies); diff != "" {
				t.Errorf("strategies (-want +got):\n%s", diff)
			}
			excluded := []artifacts.Excluded{}
			if tt.want != artifacts.SafeAutofix {
				excluded = append(excluded, artifacts.Excluded{BugID: "BUG-1", Strategy: tt.want, Reason: tt.reason})
			}
			if diff := cmp.Diff(excluded, plan.Excluded); diff != "" {
				t.Errorf("excluded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyBugsOfOneKindInAFolderAreOneOfItsDesign(t *testing.T) {
	for n, want := range map[int]string{4: artifacts.SafeAutofix, 5: artifacts.ArchitecturalRemediation} {
		var d docket
		for i := range n {
			d.bug(fmt.Sprintf("api/%d.go", i), artifacts.SeverityHigh, 90, func(f *artifacts.Finding, _ *artifacts.Challenge, _ *artifacts.Verdict) {
				f.Category = []string{"Logic", "logic"}[i%2]
			})
		}
		d.bug("api/sub/x.go", artifacts.SeverityHigh, 90, func(f *artifacts.Finding, _ *artifacts.Challenge, _ *artifacts.Verdict) { f.Category = "logic" })
		d.bug("api/y.go", artifacts.SeverityHigh, 90, func(f *artifacts.Finding, _ *artifacts.Challenge, v *artifacts.Verdict) {
			f.Category, v.Verdict = "logic", artifacts.NotABug
		})
		strategy, _ := d.plan()
		for _, s := range strategy.Strategies {
			expected := want
			if s.File == "api/sub/x.go" {
				expected = artifacts.SafeAutofix
			}
			if s.Strategy != expected {
				t.Errorf("of %d, %s is for %s, want %s", n, s.File, s.Strategy, expected)
			}
		}
	}
}

func TestTheCanaryIsAFifth(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 5: 1, 6: 2, 10: 2, 11: 3, 15: 3, 16: 3, 100: 3} {
		var d docket
		for i := range n {
			d.bug(fmt.Sprintf("%d/a.go", i), artifacts.SeverityHigh, 90, nil)
		}
		_, plan := d.plan()
		canary := 0
		for i, s := range plan.Steps {
			if s.Order != i+1 {
				t.Errorf("of %d, step %d has the order %d", n, i, s.Order)
			}
			if s.Stage == artifacts.Canary {
				canary++
				if i >= want {
					t.Errorf("of %d, step %d is of the canary", n, s.Order)
				}
			}
		}
		if canary != want || len(plan.Steps) != n {
			t.Errorf("of %d steps (%d planned) %d are of the canary, want %d", n, len(plan.Steps), canary, want)
		}
	}
}

func TestTheOrderOfAPlan(t *testing.T) {
	var d docket
	at := func(lines string) func(f *artifacts.Finding, _ *artifacts.Challenge, _ *artifacts.Verdict) {
		return func(f *artifacts.Finding, _ *artifacts.Challenge, _ *artifacts.Verdict) { f.Lines = lines }
	}
	d.bug("b.go", artifacts.SeverityLow, 90, at("9"))         // 1
	d.bug("a.go", artifacts.SeverityMedium, 90, at("30"))     // 2
	d.bug("c.go", artifacts.SeverityHigh, 90, at("1"))        // 3
	d.bug("z.go", artifacts.SeverityCritical, 90, at("5"))    // 4
	d.bug("a.go", artifacts.SeverityMedium, 90, at("4"))      // 5
	d.bug("c.go", artifacts.SeverityLow, 90, at("7"))         // 6
	d.bug("a.go", artifacts.SeverityCritical, 70, at("2"))    // 7, left to a person
	d.bug("z.go", artifacts.SeverityLow, 90, at("1"))         // 8
	d.findings[0].Severity = artifacts.SeverityCritical       // what the hunter thought does not count
	d.bug("c.go", artifacts.Severity("unknown"), 90, at("1")) // 9
	want := []string{"4 canary", "3 canary", "5 rollout", "2 rollout", "1 rollout", "6 rollout", "9 rollout", "8 rollout"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		_, plan := d.plan()
		var got []string
		for _, s := range plan.Steps {
			got = append(got, s.BugID[len("BUG-"):]+" "+s.Stage)
		}
		// Those of one file follow each other in the rollout, where the worst
		// of them stands.
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("steps (-want +got):\n%s", diff)
		}
		random.Shuffle(len(d.findings), func(i, j int) { d.findings[i], d.findings[j] = d.findings[j], d.findings[i] })
		random.Shuffle(len(d.verdicts), func(i, j int) { d.verdicts[i], d.verdicts[j] = d.verdicts[j], d.verdicts[i] })
	}
}

// Every confirmed bug is in exactly one place of the plan, and nothing else is.
func TestAPlanLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	for range 50 {
		var d docket
		for range random.IntN(40) {
			severity := artifacts.Severities[random.IntN(len(artifacts.Severities))]
			d.bug(pick("a.go", "b.go", "sub/c.go"), severity, float64(random.IntN(101)), func(f *artifacts.Finding, c *artifacts.Challenge, v *artifacts.Verdict) {
				f.Category = pick("logic", "Logic", "bounds")
				f.Lines = pick("1", "1-50", "2,4-9")
				f.CrossReferences = []artifacts.CrossReference{{File: pick("a.go", "d.go")}, {File: pick("b.go", "e.go")}}
				c.Response = pick(artifacts.Accept, artifacts.Disprove, artifacts.ManualReview)
				v.Verdict = pick(artifacts.RealBug, artifacts.NotABug, artifacts.ManualReview)
				v.VerificationMode = pick(artifacts.IndependentlyVerified, artifacts.EvidenceBased)
			})
		}
		strategy, plan := d.plan()
		placed := map[string]int{}
		for _, s := range plan.Steps {
			placed[s.BugID]++
		}
		for _, e := range plan.Excluded {
			placed[e.BugID]++
		}
		confirmed := Confirmed(d.findings, d.challenges, d.verdicts)
		for _, b := range confirmed {
			if placed[b.Finding.BugID] != 1 {
				t.Errorf("%s is in %d places", b.Finding.BugID, placed[b.Finding.BugID])
			}
		}
		if len(placed) != len(confirmed) || len(strategy.Strategies) != len(confirmed) {
			t.Errorf("of %d confirmed bugs %d have a place and %d a strategy", len(confirmed), len(placed), len(strategy.Strategies))
		}
		if n := Rulings(d.findings, d.challenges, d.verdicts)[artifacts.Confirmed]; n != len(confirmed) {
			t.Errorf("%d are confirmed, and %d counted", len(confirmed), n)
		}
		store := artifacts.NewStore(t.TempDir(), validator)
		if err := store.Write(schemas.FixPlan, plan); err != nil {
			t.Error(err)
		}
		if err := store.Write(schemas.FixStrategy, strategy); err != nil {
			t.Error(err)
		}
		if !slices.IsSortedFunc(plan.Steps, func(a, b artifacts.FixStep) int { return a.Order - b.Order }) {
			t.Errorf("the steps are out of order: %v", plan.Steps)
		}
	}
}
