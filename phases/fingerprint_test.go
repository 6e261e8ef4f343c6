package phases

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

const twice = "package a\n\nfunc f() {\n\tg()\n}\n\nfunc h() {\n\tg()\n}\n"

func found(id, file, lines, category, claim string) artifacts.Finding {
	return artifacts.Finding{BugID: id, File: file, Lines: lines, Category: category, Claim: claim}
}

// identities gives the finding's new id by the worker's.
func identities(t *testing.T, tree *Tree, findings ...artifacts.Finding) map[string]string {
	t.Helper()
	named := map[string]string{}
	for _, f := range identify(tree, slices.Clone(findings)) {
		if want := "BUG-" + f.Fingerprint[:10]; f.BugID != want || len(f.Fingerprint) != 16 {
			t.Errorf("id %s, fingerprint %s", f.BugID, f.Fingerprint)
		}
		named[f.WorkerBugID] = f.BugID
	}
	if len(named) != len(findings) {
		t.Errorf("of %d findings %d keep the worker's id", len(findings), len(named))
	}
	return named
}

func TestAFingerprintSurvives(t *testing.T) {
	before := identities(t, newTree(t, map[string]string{"a.go": twice}), found("H-1", "a.go", "4", "logic", "It is wrong."))["H-1"]
	for _, tt := range []struct {
		name, text string
		finding    artifacts.Finding
		same       bool
	}{
		{"lines that moved", "// new\n\n\n" + twice, found("H-1", "a.go", "7", "logic", "It is wrong."), true},
		{"other indentation", "package a\n\nfunc f() {\n    g()\n}\n", found("H-1", "a.go", "4", "logic", "It is wrong."), true},
		{"another ending of lines", "package a\r\n\r\nfunc f() {\r\n\tg()\r\n}\r\n", found("H-1", "a.go", "4", "logic", "It is wrong."), true},
		{"other words", twice, found("X", "a.go", "4", "logic", "This will not work."), true},
		{"a category written otherwise", twice, found("H-1", "a.go", "4", "Logic", "It is wrong."), true},
		{"another category", twice, found("H-1", "a.go", "4", "bounds", "It is wrong."), false},
		{"other code", "package a\n\nfunc f() {\n\tk()\n}\n", found("H-1", "a.go", "4", "logic", "It is wrong."), false},
		{"other lines cited", twice, found("H-1", "a.go", "3-4", "logic", "It is wrong."), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := identities(t, newTree(t, map[string]string{"a.go": tt.text}), tt.finding)[tt.finding.BugID]
			if (after == before) != tt.same {
				t.Errorf("it was %s and is %s", before, after)
			}
		})
	}
	t.Run("not another file", func(t *testing.T) {
		tree := newTree(t, map[string]string{"b.go": twice})
		if after := identities(t, tree, found("H-1", "b.go", "4", "logic", "It is wrong."))["H-1"]; after == before {
			t.Errorf("both files have %s", after)
		}
	})
}

func TestTheOrderOfFindingsChangesNoID(t *testing.T) {
	tree := newTree(t, map[string]string{"a.go": twice, "b.go": twice})
	findings := []artifacts.Finding{
		found("first", "a.go", "4", "logic", "A."),
		found("second", "a.go", "8", "logic", "A."), // the same code
		found("other claim", "a.go", "4", "logic", "B."),
		found("other file", "b.go", "4", "logic", "A."),
		{BugID: "other evidence", File: "a.go", Lines: "4", Category: "logic", Claim: "A.", Evidence: "g()"},
		{BugID: "other trigger", File: "a.go", Lines: "4", Category: "logic", Claim: "A.", RuntimeTrigger: "g"},
	}
	want := identities(t, tree, findings...)
	distinct := map[string]bool{}
	for _, id := range want {
		distinct[id] = true
	}
	if len(distinct) != len(findings) {
		t.Errorf("two findings share an id: %v", want)
	}
	for range len(findings) {
		findings = append(findings[1:], findings[0])
		slices.Reverse(findings[1:])
		if diff := cmp.Diff(want, identities(t, tree, findings...)); diff != "" {
			t.Errorf("in another order (-want +got):\n%s", diff)
		}
	}
}
