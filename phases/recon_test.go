package phases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

// tiered puts files into tiers, named by their first letters.
func tiered(tiers map[string][]string) *artifacts.Recon {
	r := templateRecon(nil)
	for name, tier := range map[string]*[]artifacts.TieredFile{
		"critical": &r.Files.Critical, "high": &r.Files.High, "medium": &r.Files.Medium, "low": &r.Files.Low, "contextOnly": &r.Files.ContextOnly,
	} {
		for _, f := range tiers[name] {
			*tier = append(*tier, artifacts.TieredFile{Path: f, Reason: "a reason"})
		}
	}
	return r
}

func TestReconPutsEachFileIntoOneTier(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tiers map[string][]string
		want  []string
	}{
		{"each in one", map[string][]string{"critical": {"a.go"}, "low": {"b.go"}, "contextOnly": {"c.go"}}, nil},
		{"all in one", map[string][]string{"medium": {"c.go", "b.go", "a.go"}}, nil},
		{"one in none", map[string][]string{"high": {"a.go", "c.go"}}, []string{`/files: "b.go" is in no tier`}},
		{"all in none", nil, []string{`/files: "a.go"`, `/files: "b.go"`, `/files: "c.go"`}},
		{"one in two", map[string][]string{"critical": {"a.go"}, "low": {"b.go", "a.go", "c.go"}},
			[]string{`/files/low/1/path: "a.go" is in tier critical already`}},
		{"one twice in the same", map[string][]string{"low": {"a.go", "b.go", "c.go", "c.go"}}, []string{`/files/low/3/path: "c.go" is in tier low already`}},
		{"one that was not assigned", map[string][]string{"low": {"a.go", "b.go", "c.go", "d.go"}}, []string{`/files/low/3/path: "d.go" is not a file of the assignment`}},
		{"one by another name", map[string][]string{"low": {"./a.go", "b.go", "c.go"}},
			[]string{`/files/low/0/path: "./a.go" is not a file`, `/files: "a.go" is in no tier`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Case{Tree: newTree(t, map[string]string{"a.go": "", "b.go": "", "c.go": "", "d.go": ""}), Files: []string{"a.go", "b.go", "c.go"}}
			wantProblems(t, check(t, Recon, c, asJSON(t, tiered(tt.tiers))), tt.want)
			if (c.Recon != nil) != (tt.want == nil) {
				t.Errorf("the case keeps %v", c.Recon)
			}
		})
	}
}

func TestWhatReconSaysIsAboutFilesThatExist(t *testing.T) {
	c := &Case{Tree: newTree(t, map[string]string{"a.go": "", "go.mod": ""}), Files: []string{"a.go"}}
	r := tiered(map[string][]string{"low": {"a.go"}})
	r.TechStack = []artifacts.Technology{{Name: "Go", Source: "go.mod"}, {Name: "Node", Source: "package.json"}, {Name: "Unix", Source: "/etc/passwd"}}
	r.TrustBoundaries = []artifacts.TrustBoundary{{Name: "HTTP", Description: "Requests.", Files: []string{"a.go", "../b.go", "none.go"}}}
	wantProblems(t, check(t, Recon, c, asJSON(t, r)), []string{
		"/techStack/1/source: package.json does not exist", "/techStack/2/source: *not a path relative to the root",
		"/trustBoundaries/0/files/1: *", "/trustBoundaries/0/files/2: none.go does not exist",
	})
}

func TestTheHunterIsToldWhatConcernsItsFiles(t *testing.T) {
	r := tiered(map[string][]string{"critical": {"a.go", "b.go"}, "medium": {"c.go"}, "contextOnly": {"d.go", "e.go"}})
	r.TechStack = []artifacts.Technology{{Name: "Go", Source: "go.mod"}}
	r.TrustBoundaries = []artifacts.TrustBoundary{
		{Name: "HTTP", Description: "d", Files: []string{"a.go", "e.go", "a.go"}},
		{Name: "files", Description: "d", Files: []string{"b.go", "c.go"}},
		{Name: "queue", Description: "d", Files: []string{"e.go", "b.go"}},
	}
	r.Notes = []string{"a note"}
	before := asJSON(t, r)
	want := tiered(map[string][]string{"critical": {"a.go"}, "contextOnly": {"d.go", "e.go"}})
	want.TechStack, want.Notes = r.TechStack, r.Notes
	want.TrustBoundaries = []artifacts.TrustBoundary{
		{Name: "HTTP", Description: "d", Files: []string{"e.go", "a.go"}}, {Name: "queue", Description: "d", Files: []string{"e.go"}},
	}
	got := newExcerpts(r).about([]string{"e.go", "d.go", "a.go", "unknown.go"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("excerpt (-want +got):\n%s", diff)
	}
	if after := asJSON(t, r); after != before {
		t.Errorf("the recon itself is changed:\n%s", after)
	}
	if diff := cmp.Diff([]string{"a.go", "b.go", "c.go", "d.go", "e.go"}, order(r)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
