package render

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// nothingFound is a hunt that covered everything and found nothing.
func nothingFound() Input {
	return Input{
		Has: map[string]bool{findings: true, skeptic: true, referee: true},
		Coverage: &artifacts.Coverage{SchemaVersion: 1, Iteration: 1, Status: artifacts.LoopComplete, Files: []artifacts.FileEntry{
			{Path: "main.go", Status: artifacts.Done, Attempts: 1},
			{Path: "go.go", Status: artifacts.Done, Attempts: 1},
		}},
	}
}

// cutShort is a hunt that found nothing because it did not get far.
func cutShort() Input {
	in := nothingFound()
	in.Coverage.Status = artifacts.LoopInProgress
	in.Coverage.Files[1] = artifacts.FileEntry{Path: "go.go", Status: artifacts.Failed, Attempts: 3, LastError: "refused: the worker declined"}
	return in
}

// halfJudged is the ledger with the skeptic's and the referee's answers cut off.
func halfJudged() Input {
	in := ledger()
	in.Challenges, in.Verdicts = in.Challenges[:2], in.Verdicts[:2]
	in.Coverage, in.Recon, in.FixStrategy, in.FixPlan, in.FixReport = nil, nil, nil, nil, nil
	return in
}

// barely has every object with nothing in it.
func barely() Input {
	return Input{
		Has:         map[string]bool{findings: true, skeptic: true, referee: true},
		Recon:       &artifacts.Recon{},
		Coverage:    &artifacts.Coverage{Status: artifacts.LoopComplete},
		FixStrategy: &artifacts.FixStrategy{}, FixPlan: &artifacts.FixPlan{}, FixReport: &artifacts.FixReport{},
	}
}

func TestGolden(t *testing.T) {
	for _, k := range Kinds() {
		golden(t, k.Name+".md", mustRender(t, k.Name, ledger()))
		golden(t, k.Name+"-empty.md", mustRender(t, k.Name, barely()))
		alone := ledger()
		if len(k.Uses) > 0 && k.Name != "report" {
			alone.Findings = nil
			golden(t, k.Name+"-alone.md", mustRender(t, k.Name, alone))
		}
	}
	golden(t, "report-nothing-found.md", mustRender(t, "report", nothingFound()))
	golden(t, "report-cut-short.md", mustRender(t, "report", cutShort()))
	golden(t, "report-half-judged.md", mustRender(t, "report", halfJudged()))
	golden(t, "skeptic-half.md", mustRender(t, "skeptic", halfJudged()))
}

func mustRender(t *testing.T, kind string, in Input) []byte {
	t.Helper()
	md, err := Markdown(kind, in)
	if err != nil {
		t.Fatalf("rendering %s: %v", kind, err)
	}
	return md
}

// The order of the input must not show: workers and chunks end in any order.
func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	for _, k := range Kinds() {
		forward := mustRender(t, k.Name, ledger())
		in := ledger()
		slices.Reverse(in.Findings)
		slices.Reverse(in.Challenges)
		slices.Reverse(in.Verdicts)
		slices.Reverse(in.Coverage.Files)
		slices.Reverse(in.Coverage.Bugs)
		slices.Reverse(in.FixStrategy.Strategies)
		slices.Reverse(in.FixPlan.Steps)
		slices.Reverse(in.FixPlan.Excluded)
		slices.Reverse(in.FixReport.Fixes)
		if diff := cmp.Diff(string(forward), string(mustRender(t, k.Name, in))); diff != "" {
			t.Errorf("%s depends on the order of its input:\n%s", k.Name, diff)
		}
	}
}

func TestRenderingLeavesItsInputAlone(t *testing.T) {
	in := ledger()
	for _, k := range Kinds() {
		mustRender(t, k.Name, in)
	}
	if diff := cmp.Diff(ledger(), in); diff != "" {
		t.Errorf("the input changed:\n%s", diff)
	}
}

// Every file is as an editor would leave it.
func TestTheMarkdownIsTidy(t *testing.T) {
	for _, in := range []Input{ledger(), barely(), halfJudged()} {
		for _, k := range Kinds() {
			md, err := Markdown(k.Name, in)
			var missing *MissingError
			if errors.As(err, &missing) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(md, []byte("\n\n\n")) || bytes.Contains(md, []byte(" \n")) {
				t.Errorf("%s has two blank lines in a row or a space at the end of a line:\n%s", k.Name, md)
			}
			if !bytes.HasSuffix(md, []byte("\n")) || bytes.HasSuffix(md, []byte("\n\n")) {
				t.Errorf("%s does not end in one line break", k.Name)
			}
		}
	}
}

func TestAReportNeverLooksCleanerThanItIs(t *testing.T) {
	withFiles := func(status string, files ...artifacts.FileStatus) *artifacts.Coverage {
		c := &artifacts.Coverage{Status: status}
		for i, s := range files {
			c.Files = append(c.Files, artifacts.FileEntry{Path: string(rune('a'+i)) + ".go", Status: s})
		}
		return c
	}
	for name, test := range map[string]struct {
		coverage *artifacts.Coverage
		want     string
	}{
		"no coverage":          {nil, "> **Coverage unknown.**"},
		"nothing queued":       {withFiles(artifacts.LoopComplete), "> **Nothing was looked at.**"},
		"a failed file":        {withFiles(artifacts.LoopComplete, artifacts.Done, artifacts.Failed), "> **Not complete.** Of 2 files, 1 failed."},
		"a pending file":       {withFiles(artifacts.LoopInProgress, artifacts.Pending), "> **Not complete.** Of 1 file, 1 pending."},
		"a file in progress":   {withFiles(artifacts.LoopInProgress, artifacts.InProgress), "> **Not complete.** Of 1 file, 1 in progress."},
		"an unknown status":    {withFiles(artifacts.LoopComplete, "lost"), "> **Not complete.** Of 1 file, 1 pending."},
		"a loop still running": {withFiles(artifacts.LoopInProgress, artifacts.Done), "> **Not complete.** Of 1 file, the loop has not ended."},
	} {
		in := nothingFound()
		in.Coverage = test.coverage
		got := string(mustRender(t, "report", in))
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: the report does not say %q:\n%s", name, test.want, got)
		}
	}
	clean := string(mustRender(t, "report", nothingFound()))
	if strings.Contains(clean, "\n>") || !strings.Contains(clean, "**No bugs confirmed; all 2 files covered.**") {
		t.Errorf("a clean and complete run should say so without a warning:\n%s", clean)
	}
}

func TestArtifactsThatDoNotFitTogetherAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		kind  string
		spoil func(*Input)
		want  []string
	}{
		"a verdict on nothing": {"report", func(in *Input) { in.Verdicts[0].BugID = "BUG-9" },
			[]string{`referee has an entry for "BUG-9", which findings does not have`}},
		"an answer to nothing": {"skeptic", func(in *Input) { in.Challenges[0].BugID = "BUG-9" },
			[]string{`skeptic has an entry for "BUG-9", which findings does not have`}},
		"two findings of one id": {"report", func(in *Input) {
			in.Findings[1].BugID = in.Findings[0].BugID
			in.Challenges, in.Verdicts = nil, nil
			keepAnswers(in)
		},
			[]string{`findings has more than one entry for "BUG-7c1e90"`}},
		"two answers to one finding": {"report", func(in *Input) { in.Challenges[1] = in.Challenges[0] },
			[]string{`skeptic has more than one entry for "BUG-3f9a2c"`}},
		"two verdicts on one finding": {"referee", func(in *Input) { in.Verdicts[1] = in.Verdicts[0]; in.Findings = nil },
			[]string{`referee has more than one entry for "BUG-04fe12"`}},
		"fixes of another run": {"report", func(in *Input) {
			in.FixStrategy.Strategies[0].BugID = "BUG-8"
			in.FixPlan.Excluded[0].BugID = "BUG-8"
			in.FixReport.Fixes[0].BugID = "BUG-8"
		}, []string{
			`fix-strategy has an entry for "BUG-8", which findings does not have`,
			`fix-plan has an entry for "BUG-8", which findings does not have`,
			`fix-report has an entry for "BUG-8", which findings does not have`,
		}},
		"many": {"skeptic", func(in *Input) { in.Findings = in.Findings[:1]; in.Findings[0].BugID = "other" },
			[]string{`skeptic has an entry for "BUG-04fe12", "BUG-3f9a2c", "BUG-51aa07", "BUG-7c1e90", "BUG-9d2f60" and 2 more, which findings does not have`}},
	} {
		in := ledger()
		test.spoil(&in)
		_, err := Markdown(test.kind, in)
		var mismatch *MismatchError
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: got error %v, want a MismatchError", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, mismatch.Problems); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s", name, diff)
		}
		if !strings.Contains(err.Error(), "bughunter run") {
			t.Errorf("%s: %q does not say what to do", name, err)
		}
	}
}

// keepAnswers leaves only what can be said about findings alone.
func keepAnswers(in *Input) {
	in.Has = map[string]bool{skeptic: true, referee: true}
	in.FixStrategy, in.FixPlan, in.FixReport = nil, nil, nil
}

func TestWhatAKindNeedsIsRequired(t *testing.T) {
	for _, k := range Kinds() {
		_, err := Markdown(k.Name, Input{})
		var missing *MissingError
		if !errors.As(err, &missing) {
			t.Errorf("%s of nothing: got error %v, want a MissingError", k.Name, err)
			continue
		}
		if diff := cmp.Diff(k.Needs, missing.Missing); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", k.Name, diff)
		}
	}
	if _, err := Markdown("summary", Input{}); err == nil || !strings.Contains(err.Error(), "report, coverage, recon") {
		t.Errorf("an unknown kind: got error %v, want the names of the kinds", err)
	}
}

func TestLookup(t *testing.T) {
	if k, ok := Lookup("fix-plan"); !ok || k.Name != "fix-plan" || !slices.Equal(k.Needs, []string{"fix-plan"}) {
		t.Errorf("Lookup(fix-plan) = %v, %v", k, ok)
	}
	if k, ok := Lookup("assignment"); ok {
		t.Errorf("Lookup(assignment) = %v, but an assignment is not for people to read", k)
	}
}

func TestALongPatchIsLeftToTheFixReport(t *testing.T) {
	in := ledger()
	in.FixReport.Fixes[1].Patch += strings.Repeat("+// more\n", patchLines)
	if md := string(mustRender(t, "report", in)); strings.Contains(md, "+// more") || !strings.Contains(md, "it is in the fix report") {
		t.Errorf("the report holds the long patch or does not say where it is")
	}
	if md := string(mustRender(t, "fix-report", in)); !strings.Contains(md, "+// more") {
		t.Errorf("the fix report lacks the patch")
	}
}

func TestAReportOfManyOpenFilesNamesTheRest(t *testing.T) {
	in := cutShort()
	for i := range uncoveredRows {
		in.Coverage.Files = append(in.Coverage.Files, artifacts.FileEntry{Path: strings.Repeat("p", i+1), Status: artifacts.Pending})
	}
	md := string(mustRender(t, "report", in))
	if !strings.Contains(md, "1 more file is not covered") || !strings.Contains(md, "| `go.go` | failed |") {
		t.Errorf("the report should keep the failed file and count what it leaves away:\n%s", md)
	}
}
