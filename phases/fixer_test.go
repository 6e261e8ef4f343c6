package phases

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

func fixCase(t *testing.T) *Case {
	tree := newTree(t, map[string]string{
		"a.go": "one\ntwo\nthree\n", "sub/b.go": "one\ntwo\nthree\n", "crlf.go": "one\r\ntwo\r\nthree\r\n",
		"git.go": "one\ndiff --git a/x b/x\nthree\n", "no-end.go": "one\ntwo", "a/a.go": "one\ntwo\nthree\n",
	})
	outside := filepath.Join(t.TempDir(), "out.go")
	writeFile(t, outside, "one\ntwo\nthree\n")
	if err := os.Symlink(outside, filepath.Join(tree.Root, "out.go")); err != nil {
		t.Fatal(err)
	}
	return &Case{Tree: tree, Plan: &artifacts.FixPlan{Steps: []artifacts.FixStep{{BugID: "BUG-1"}}}}
}

func proposed(patch string) *artifacts.FixReport {
	return &artifacts.FixReport{SchemaVersion: 1, DryRun: true, Fixes: []artifacts.Fix{{BugID: "BUG-1", Status: artifacts.FixProposed, Reason: "So.", Patch: patch}}}
}

const hunk = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"

func TestAPatchMustApply(t *testing.T) {
	for _, tt := range []struct {
		name, patch string
		files       []string // of the patch, if it is accepted
		want        string   // of the problem, if not
	}{
		{"with a and b", "--- a/a.go\n+++ b/a.go\n" + hunk, []string{"a.go"}, ""},
		{"in a folder", "--- a/sub/b.go\n+++ b/sub/b.go\n" + hunk, []string{"sub/b.go"}, ""},
		{"without a and b", "--- a.go\n+++ a.go\n" + hunk, []string{"a.go"}, ""},
		{"in a folder called a", "--- a/a/a.go\n+++ b/a/a.go\n" + hunk, []string{"a/a.go"}, ""},
		{"with git's header", "diff --git a/a.go b/a.go\nindex 1111111..2222222 100644\n--- a/a.go\n+++ b/a.go\n" + hunk, []string{"a.go"}, ""},
		{"with a time", "--- a/a.go\t2026-01-02 03:04:05\n+++ b/a.go\t2026-01-02 03:04:05\n" + hunk, []string{"a.go"}, ""},
		{"with words in front", "Use the number.\n\n--- a/a.go\n+++ b/a.go\n" + hunk, []string{"a.go"}, ""},
		{"two hunks", "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-three\n+3\n", []string{"a.go"}, ""},
		{"two files", "--- a/a.go\n+++ b/a.go\n" + hunk + "--- a/sub/b.go\n+++ b/sub/b.go\n" + hunk, []string{"a.go", "sub/b.go"}, ""},
		{"a file with CR LF", "--- a/crlf.go\n+++ b/crlf.go\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\r\n", []string{"crlf.go"}, ""},
		{"a file that holds a header", "--- a/git.go\n+++ b/git.go\n@@ -1,3 +1,3 @@\n one\n diff --git a/x b/x\n-three\n+3\n", []string{"git.go"}, ""},
		{"a file without its last newline", "--- a/no-end.go\n+++ b/no-end.go\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n", []string{"no-end.go"}, ""},

		{"words alone", "Use the number.", nil, "changes no file"},
		{"names alone", "--- a/a.go\n+++ b/a.go\n", nil, ""},
		{"a hunk that is cut", "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n", nil, "not a unified diff"},
		{"a hunk with wrong counts", "--- a/a.go\n+++ b/a.go\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n", nil, "not a unified diff"},
		{"other context", "--- a/a.go\n+++ b/a.go\n" + strings.Replace(hunk, " one", " ONE", 1), nil, "the patch does not apply to a.go as it is"},
		{"another place", "--- a/a.go\n+++ b/a.go\n" + strings.Replace(hunk, "@@ -1,3 +1,3 @@", "@@ -2,3 +2,3 @@", 1), nil, "the patch does not apply to a.go as it is"},
		{"LF where the file has CR LF", "--- a/crlf.go\n+++ b/crlf.go\n" + hunk, nil, "does not apply to crlf.go"},
		{"nothing is changed", "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n+two\n three\n", nil, "leaves a.go as it is"},
		{"a file that does not exist", "--- a/none.go\n+++ b/none.go\n" + hunk, nil, "none.go does not exist"},
		{"a file outside", "--- a/../out.go\n+++ b/../out.go\n" + hunk, nil, "../out.go"},
		{"a file by an absolute path", "--- /etc/passwd\n+++ /etc/passwd\n" + hunk, nil, "/etc/passwd"},
		{"a link out of the root", "--- a/out.go\n+++ b/out.go\n" + hunk, nil, "out.go is outside the root"},
		{"a new file", "--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+one\n", nil, "only changes to the text of existing files"},
		{"a new file for git", "diff --git a/new.go b/new.go\nnew file mode 100644\n--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+one\n", nil, "only changes to the text of existing files"},
		{"a file that goes", "--- a/a.go\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n", nil, "only changes to the text of existing files"},
		{"a file with another name", "diff --git a/a.go b/c.go\nsimilarity index 100%\nrename from a.go\nrename to c.go\n", nil, "only changes to the text of existing files"},
		{"a copy", "diff --git a/a.go b/c.go\nsimilarity index 100%\ncopy from a.go\ncopy to c.go\n", nil, "only changes to the text of existing files"},
		{"another name without git", "--- a/a.go\n+++ b/c.go\n" + hunk, nil, "c.go does not exist"},
		{"another mode", "diff --git a/a.go b/a.go\nold mode 100644\nnew mode 100755\n", nil, "only changes to the text of existing files"},
		{"another mode beside the text", "diff --git a/a.go b/a.go\nold mode 100644\nnew mode 100755\n--- a/a.go\n+++ b/a.go\n" + hunk, nil, "only changes to the text of existing files"},
		{"binary content", "diff --git a/a.go b/a.go\nindex 1..2 100644\nBinary files a/a.go and b/a.go differ\n", nil, "only changes to the text of existing files"},
		{"a file twice", "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-one\n+1\n--- a/a.go\n+++ b/a.go\n@@ -3 +3 @@\n-three\n+3\n", nil, "a.go is changed twice"},
		{"the second of two files", "--- a/a.go\n+++ b/a.go\n" + hunk + "--- a/none.go\n+++ b/none.go\n" + hunk, nil, "none.go does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := fixCase(t)
			before := snapshot(t, c.Tree.Root)
			got := check(t, Fixer, c, asJSON(t, proposed(tt.patch)))
			if tt.files == nil {
				if len(got) != 1 || !strings.HasPrefix(got[0], "/fixes/0/patch: ") || !strings.Contains(got[0], tt.want) {
					t.Errorf("the problems are %q, want one with %q", got, tt.want)
				}
				if c.FixReport != nil {
					t.Error("a report that is rejected is kept in the case")
				}
				return
			}
			if len(got) > 0 {
				t.Fatal(got)
			}
			if diff := cmp.Diff(tt.files, c.FixReport.Fixes[0].Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, snapshot(t, c.Tree.Root)); diff != "" {
				t.Errorf("the tree is changed:\n%s", diff)
			}
		})
	}
}

func TestWhatAFixReportMaySay(t *testing.T) {
	const patch = "--- a/a.go\n+++ b/a.go\n" + hunk
	for _, tt := range []struct {
		name   string
		change func(r *artifacts.FixReport)
		want   []string
	}{
		{"all is well", func(r *artifacts.FixReport) {}, nil},
		{"skipped", func(r *artifacts.FixReport) { r.Fixes[0].Status, r.Fixes[0].Patch = artifacts.FixSkipped, "" }, nil},
		{"failed", func(r *artifacts.FixReport) { r.Fixes[0].Status, r.Fixes[0].Patch = artifacts.FixFailed, "" }, nil},
		{"skipped with a patch", func(r *artifacts.FixReport) { r.Fixes[0].Status = artifacts.FixSkipped }, []string{"/fixes/0/patch: goes with the status PROPOSED alone"}},
		{"skipped with files", func(r *artifacts.FixReport) {
			r.Fixes[0] = artifacts.Fix{BugID: "BUG-1", Status: artifacts.FixSkipped, Reason: "So.", Files: []string{"/etc/passwd"}}
		}, []string{"/fixes/0/files: are read from the patch"}},
		{"files", func(r *artifacts.FixReport) { r.Fixes[0].Files = []string{"a.go"} }, []string{"/fixes/0/files: are read from the patch"}},
		{"fixed", func(r *artifacts.FixReport) { r.Fixes[0].Status = "FIXED" }, []string{`/fixes/0/status: "FIXED" is for the pipeline to find out`}},
		{"reverted", func(r *artifacts.FixReport) { r.Fixes[0].Status = "FIX_REVERTED" }, []string{`/fixes/0/status: "FIX_REVERTED" is for`}},
		{"partial", func(r *artifacts.FixReport) { r.Fixes[0].Status = "PARTIAL" }, []string{`/fixes/0/status: "PARTIAL" is for`}},
		{"a bug of the fixer", func(r *artifacts.FixReport) { r.Fixes[0].Status = "FIXER_BUG" }, []string{`/fixes/0/status: "FIXER_BUG" is for`}},
		{"not a dry run", func(r *artifacts.FixReport) { r.DryRun = false }, []string{"/dryRun: must be true"}},
		{"totals", func(r *artifacts.FixReport) { r.Totals = map[string]int{"PROPOSED": 1} }, []string{"/totals: are counted by the pipeline"}},
		{"totals of nothing", func(r *artifacts.FixReport) { r.Totals = map[string]int{} }, nil}, // the same as none
		{"no answer", func(r *artifacts.FixReport) { r.Fixes = []artifacts.Fix{} }, []string{"/fixes: no answer for BUG-1;"}},
		{"a bug that is not planned", func(r *artifacts.FixReport) { r.Fixes[0].BugID = "BUG-2" }, []string{`/fixes/0/bugId: "BUG-2" is not`, "/fixes: no answer for BUG-1;"}},
		{"a bug twice", func(r *artifacts.FixReport) { r.Fixes = append(r.Fixes, r.Fixes[0]) }, []string{`/fixes/1/bugId: "BUG-1" was answered already at /fixes/0;`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := fixCase(t)
			r := proposed(patch)
			tt.change(r)
			wantProblems(t, check(t, Fixer, c, asJSON(t, r)), tt.want)
			if tt.want != nil {
				return
			}
			want := map[string]int{r.Fixes[0].Status: 1}
			if diff := cmp.Diff(want, c.FixReport.Totals); diff != "" {
				t.Errorf("totals (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzPatch holds that what is accepted touches files of the root alone, and
// that nothing hostile breaks the check.
func FuzzPatch(f *testing.F) {
	f.Add("--- a/a.go\n+++ b/a.go\n" + hunk)
	f.Add("diff --git a/a.go b/../../x\n--- a/a.go\n+++ b/../../x\n" + hunk)
	f.Add("--- /dev/null\n+++ b/x\n@@ -0,0 +1,99999999 @@\n+x\n")
	f.Add("diff --git a/a.go b/a.go\nGIT binary patch\nliteral 3\nKcmZ\n")
	f.Add("@@ -1 +1 @@")
	tree := newTree(f, map[string]string{"a.go": "one\ntwo\nthree\n"})
	f.Fuzz(func(t *testing.T, patch string) {
		if patch == "" {
			return
		}
		c := &Case{Tree: tree, Plan: &artifacts.FixPlan{Steps: []artifacts.FixStep{{BugID: "BUG-1"}}}}
		if _, ps := Fixer.accept(c, []byte(asJSON(t, proposed(patch)))); ps != nil {
			return
		}
		if got := c.FixReport.Fixes[0].Files; !slices.Equal(got, []string{"a.go"}) {
			t.Errorf("the patch touches %q", got)
		}
	})
}
