package phases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

func shop(t *testing.T) *Tree {
	tree := newTree(t, map[string]string{"shop/sum.go": source, "shop/other.go": "package shop\n", "docs/a b.md": "one\ntwo\n", "big.go": ""})
	outside := filepath.Join(t.TempDir(), "secret.go")
	writeFile(t, outside, source)
	for name, target := range map[string]string{"out.go": outside, "shop/inside.go": "sum.go", "loop.go": "loop.go", "gone.go": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(tree.Root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(tree.Root, "big.go"), maxSource+1); err != nil {
		t.Fatal(err)
	}
	return tree
}

// claimed is a finding that passes every check in the tree of [shop].
func claimed() artifacts.Finding {
	return artifacts.Finding{
		BugID: "H-1", Severity: artifacts.SeverityLow, Category: "arithmetic", File: "shop/sum.go", Lines: "5-6",
		Claim: "The sum overflows.", Evidence: "total += p", RuntimeTrigger: "Sum(math.MaxInt, 1)",
		CrossReferences: []artifacts.CrossReference{{File: "shop/other.go", Reason: "the same package"}}, ConfidenceScore: 80,
	}
}

func TestWhatAFindingMaySay(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(f *artifacts.Finding)
		want   []string
	}{
		{"all is well", func(f *artifacts.Finding) {}, nil},
		{"a file that does not exist", func(f *artifacts.Finding) { f.File = "shop/none.go" }, []string{"/0/file: *shop/none.go does not exist"}},
		{"a file outside the repository", func(f *artifacts.Finding) { f.File = "../../etc/passwd" }, []string{"/0/file: *"}},
		{"an absolute path", func(f *artifacts.Finding) { f.File = "/etc/passwd" }, []string{`/0/file: *"/etc/passwd" is not a path relative to the root`}},
		{"a path with backslashes", func(f *artifacts.Finding) { f.File = `shop\sum.go` }, []string{`/0/file: *with forward slashes`}},
		{"a link out of the repository", func(f *artifacts.Finding) { f.File = "out.go" }, []string{"/0/file: *out.go is outside the root"}},
		{"a link to itself", func(f *artifacts.Finding) { f.File = "loop.go" }, []string{"/0/file: *"}},
		{"a link to nothing", func(f *artifacts.Finding) { f.File = "gone.go" }, []string{"/0/file: *does not exist"}},
		{"a file of another chunk", func(f *artifacts.Finding) { f.File = "shop/other.go" }, []string{`/0/file: *"shop/other.go" is not a file of the assignment`}},
		{"the file by another name", func(f *artifacts.Finding) { f.File = "shop/../shop/sum.go" }, []string{`/0/file: *is not a file of the assignment`}},
		{"the file by a link", func(f *artifacts.Finding) { f.File = "shop/inside.go" }, []string{`/0/file: *is not a file of the assignment`}},
		{"a folder", func(f *artifacts.Finding) { f.File = "shop" }, []string{`/0/file: *is not a regular file`}},
		{"a file below a file", func(f *artifacts.Finding) { f.File = "shop/sum.go/x" }, []string{`/0/file: *`}},
		{"a name with a NUL byte", func(f *artifacts.Finding) { f.File = "shop/\x00.go" }, []string{`/0/file: *`}},
		{"a file that is too large to check", func(f *artifacts.Finding) { f.File = "big.go" }, []string{`/0/file: *at most 16 MiB`}},
		{"lines behind the end", func(f *artifacts.Finding) { f.Lines = "27" }, []string{"/0/lines: lines 27 are not in the file, which has 26"}},
		{"one range of two behind the end", func(f *artifacts.Finding) { f.Lines = "5,26-27" }, []string{"/0/lines: lines 26-27 are not in the file"}},
		{"lines backwards", func(f *artifacts.Finding) { f.Lines = "6-5" }, []string{"/0/lines: the range 6-5 ends before it begins"}},
		{"lines elsewhere", func(f *artifacts.Finding) { f.Lines = "20" }, nil},
		{"evidence that is not there", func(f *artifacts.Finding) { f.Evidence = "total = total + p" }, []string{"/0/evidence: the evidence does not stand in the file"}},
		{"evidence without code", func(f *artifacts.Finding) { f.Evidence = "}" }, []string{"/0/evidence: the evidence quotes no code"}},
		{"a reference to nothing", func(f *artifacts.Finding) { f.CrossReferences[0].File = "none.go" }, []string{"/0/crossReferences/0/file: none.go does not exist"}},
		{"a reference out of the repository", func(f *artifacts.Finding) { f.CrossReferences[0].File = "out.go" }, []string{"/0/crossReferences/0/file: out.go is outside the root"}},
		{"a reference behind the end", func(f *artifacts.Finding) { f.CrossReferences[0].Lines = "2" }, []string{"/0/crossReferences/0/lines: lines 2 are not in the file, which has 1"}},
		{"a fingerprint", func(f *artifacts.Finding) { f.Fingerprint = strings.Repeat("a", 16) }, []string{"/0: workerBugId and fingerprint are written by the pipeline"}},
		{"a worker's id", func(f *artifacts.Finding) { f.WorkerBugID = "H-1" }, []string{"/0: workerBugId and fingerprint are written by the pipeline"}},
		{"two things at once", func(f *artifacts.Finding) { f.CrossReferences[0].File, f.Lines = "none.go", "99" },
			[]string{"/0/crossReferences/0/file: *", "/0/lines: *"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := claimed()
			tt.change(&f)
			c := &Case{Tree: shop(t), Files: []string{"shop/sum.go", "shop", "out.go", "loop.go", "gone.go", "big.go", "shop/sum.go/x"}}
			wantProblems(t, check(t, Hunter, c, asJSON(t, []artifacts.Finding{f})), tt.want)
			if tt.want != nil && c.Findings != nil {
				t.Error("findings that are rejected are kept in the case")
			}
		})
	}
}

func TestEachFindingHasItsOwnID(t *testing.T) {
	c := &Case{Tree: shop(t), Files: []string{"shop/sum.go"}}
	second, third := claimed(), claimed()
	second.BugID, second.Claim = "H-2", "It is wrong in another way."
	third.Claim = "It is wrong in a third way."
	got := check(t, Hunter, c, asJSON(t, []artifacts.Finding{claimed(), second, third}))
	wantProblems(t, got, []string{`/2/bugId: "H-1" is the id of /0 already`})
}

// A worker that says a thing twice, under two names and with the lines written
// in two ways, has found one bug.
func TestABugIsReportedOnce(t *testing.T) {
	c := &Case{Tree: shop(t), Files: []string{"shop/sum.go"}}
	again := claimed()
	again.BugID, again.Lines = "H-2", again.Lines+", "+again.Lines
	got := check(t, Hunter, c, asJSON(t, []artifacts.Finding{claimed(), again}))
	wantProblems(t, got, []string{`/1: says the same as /0; report each bug once`})
}

func TestNoFindingsAreAnAnswer(t *testing.T) {
	c := &Case{Tree: shop(t), Files: []string{"shop/sum.go"}}
	if got := check(t, Hunter, c, "[]"); len(got) > 0 || c.Findings == nil || len(c.Findings) != 0 {
		t.Errorf("problems %q, findings %#v", got, c.Findings)
	}
}

func TestWhatThePipelineMakesOfAFinding(t *testing.T) {
	c := &Case{Tree: shop(t), Files: []string{"shop/sum.go"}}
	worse, moved := claimed(), claimed()
	worse.BugID, worse.Severity, worse.Lines = "H-2", artifacts.SeverityCritical, "23"
	moved.BugID, moved.Lines = "H-3", "9"
	got, ps := Hunter.accept(c, []byte(asJSON(t, []artifacts.Finding{claimed(), worse, moved})))
	if ps != nil {
		t.Fatal(ps)
	}
	type made struct {
		worker, lines string
		severity      artifacts.Severity
	}
	var all []made
	for _, f := range c.Findings {
		all = append(all, made{f.WorkerBugID, f.Lines, f.Severity})
	}
	want := []made{{"H-2", "23", artifacts.SeverityCritical}, {"H-1", "5-6", artifacts.SeverityLow}, {"H-3", "6", artifacts.SeverityLow}}
	if diff := cmp.Diff(want, all, cmp.AllowUnexported(made{})); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"H-3: lines 9 corrected to 6, where the evidence stands in shop/sum.go"}, got.notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if got.items != 3 {
		t.Errorf("%d items", got.items)
	}
}

// The files that a chunk refers to are not all kept.
func TestATreeHoldsABoundedAmountOfText(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[fmt.Sprintf("%d.txt", i)] = strings.Repeat("x", 8<<20)
	}
	tree := newTree(t, files)
	for name := range files {
		if _, err := tree.Source(name); err != nil {
			t.Fatal(err)
		}
		held := 0
		for _, src := range tree.files {
			held += len(src.folded)
		}
		if held > maxHeld+1<<10 {
			t.Fatalf("%d MiB are held", held>>20)
		}
	}
	first, err := tree.Source("0.txt")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := tree.Source("0.txt"); again != first {
		t.Error("a file is read again though it is held")
	}
	tree.Forget([]string{"0.txt"})
	if again, _ := tree.Source("0.txt"); again == first {
		t.Error("a file is held though it was to be forgotten")
	}
}
