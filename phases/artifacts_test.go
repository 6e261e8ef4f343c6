package phases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/schemas"
)

// A phase that was run by itself wrote its artifact over the run's. A run with
// nothing to do leaves it, and one with work makes all of them anew.
func TestARunWithNothingToDoLeavesTheArtifacts(t *testing.T) {
	s := newSite(t, map[string]string{"a.go": "x // BUG\n"})
	s.complete()
	var verdicts []artifacts.Verdict
	s.read(schemas.Referee, &verdicts)
	verdicts[0].Verdict, verdicts[0].AnalysisSummary = artifacts.NotABug, "A second referee saw it otherwise."
	_, b := s.loop()
	if err := b.State.Write(schemas.Referee, verdicts); err != nil {
		t.Fatal(err)
	}

	s.complete()
	s.read(schemas.Referee, &verdicts)
	if got := verdicts[0].AnalysisSummary; got != "A second referee saw it otherwise." {
		t.Errorf("after a run with nothing to do the verdict says %q", got)
	}

	s.write("b.go", "y // BUG\n")
	s.complete()
	s.read(schemas.Referee, &verdicts)
	if len(verdicts) != 2 || strings.Contains(verdicts[0].AnalysisSummary, "second referee") {
		t.Errorf("after a run with work the verdicts are %+v", verdicts)
	}
}

// A fix report about findings that are gone is kept under another name, so
// that no report is made of both.
func TestAFixReportOfEarlierFindingsIsSetAside(t *testing.T) {
	s := newSite(t, map[string]string{"a.go": "x // BUG\n"})
	s.complete()
	_, b := s.loop()
	report := artifacts.FixReport{SchemaVersion: artifacts.SchemaVersion, DryRun: true, Fixes: []artifacts.Fix{
		{BugID: s.bugs()[0], Status: artifacts.FixSkipped, Reason: "It was not tried."},
	}}
	if err := b.State.Write(schemas.FixReport, report); err != nil {
		t.Fatal(err)
	}

	s.write("b.go", "y // BUG\n")
	s.complete()
	if !b.State.Has(schemas.FixReport) {
		t.Error("a report about a finding that is there was set aside")
	}
	s.write("a.go", "x\n")
	s.complete()
	if b.State.Has(schemas.FixReport) {
		t.Error("a report about a finding that is gone is still there")
	}
	if _, err := os.Stat(filepath.Join(b.State.Dir(), "fix-report.stale.json")); err != nil {
		t.Errorf("the report was not kept: %v", err)
	}
}

func (s *site) bugs() []string {
	var findings []artifacts.Finding
	s.read(schemas.Findings, &findings)
	return ids(findings, findingID)
}

// Somebody who looks into the folder during a long run sees what was found so
// far, in artifacts that are valid and belong together.
func TestArtifactsAreUpToDateWheneverTheLoopSaves(t *testing.T) {
	s := newSite(t, map[string]string{"a.go": "x // BUG\n", "b.go": "y // BUG\n", "c.go": "z // BUG\n"})
	l, _ := s.loop()
	var seen []int
	l.Saved = func(state *coverage.State) error {
		c := &Case{}
		if err := loadJudged(c, l.Store); err != nil {
			return err
		}
		if confirmed := len(state.Coverage().Bugs); confirmed != len(c.Findings) {
			t.Errorf("the state has %d bugs, the artifacts %d", confirmed, len(c.Findings))
		}
		seen = append(seen, len(c.Findings))
		return nil
	}
	// So that saving costs nothing and is done after each chunk.
	l.Advanced = func(*coverage.State) { l.saveTook = 0 }
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []int{0, 1, 2, 3, 3}
	if len(seen) != len(want) {
		t.Fatalf("saved with %v findings, want %v", seen, want)
	}
	for i := range want {
		if seen[i] != want[i] {
			t.Fatalf("saved with %v findings, want %v", seen, want)
		}
	}
}

// Findings that somebody brought are held against the repository before a
// worker is asked about them.
func TestFindingsThatDoNotFitTheRepositoryAreRefused(t *testing.T) {
	tree := newTree(t, map[string]string{"a.go": "one line\n"})
	c := &Case{Tree: tree, Findings: []artifacts.Finding{
		{BugID: "BUG-1", Category: "logic", Claim: "It is wrong.", File: "gone.go", Lines: "1"},
		{BugID: "BUG-2", Category: "logic", Claim: "It is wrong.", File: "a.go", Lines: "7"},
	}}
	err := c.FindFiles(t.Context(), Skeptic, nil, "")
	if err == nil || !strings.Contains(err.Error(), "/findings/0/file") || !strings.Contains(err.Error(), "/findings/1/lines") {
		t.Errorf("got error %v, want one that names both places", err)
	}
}
