package analyzers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

func TestPositionsAreReadFromTheirEnd(t *testing.T) {
	for s, want := range map[string]lineOf{
		"/a/b.go:12:3":        {"/a/b.go", 12},
		"/a/b c.go:12:3":      {"/a/b c.go", 12},
		"/a/it's 1:2.go:12:3": {"/a/it's 1:2.go", 12},
		`C:\a\b.go:12:3`:      {`C:\a\b.go`, 12},
		"/a/grammar.y:40":     {"/a/grammar.y", 40},
		"/a/b.go":             {},
		"/a/b.go:":            {},
		"/a/b.go:x:y":         {},
		"":                    {},
		"-":                   {},
		":1:2":                {"", 1},
	} {
		name, line := position(s)
		if got := (lineOf{name, line}); got != want {
			t.Errorf("position(%q) = %v, want %v", s, got, want)
		}
	}
}

// small is a program of two packages, of which one has tests, without any go
// command.
func small() *program {
	m := &module{dir: "/r", pkgs: []*packages.Package{
		{PkgPath: "m/a", GoFiles: []string{"/r/a/a.go"}},
		{PkgPath: "m/a", ForTest: "m/a", GoFiles: []string{"/r/a/a.go", "/r/a/a_test.go"}},
		{PkgPath: "m/a_test", ForTest: "m/a", GoFiles: []string{"/r/a/x_test.go"}},
		{PkgPath: "m/b_test", GoFiles: []string{"/r/b_test/b.go"}},
	}}
	p := &program{
		root: "/r", modules: []*module{m}, files: map[string]*file{}, broken: map[string]string{}, diagnostics: map[string][]diagnostic{},
	}
	for _, f := range []string{"a/a.go", "a/a_test.go", "a/x_test.go", "b_test/b.go"} {
		p.files[f] = &file{}
	}
	return p
}

const said = `{
	"m/a [m/a.test]": {
		"losterror": [
			{"posn": "/r/a/a.go:3:2", "end": "/r/a/a.go:5:1", "message": "ignored"},
			{"posn": "/r/a/a.go:9:2", "message": "no end"},
			{"posn": "/cache/_cgo_gotypes.go:9:2", "message": "generated"},
			{"posn": "-", "message": "nowhere"}
		],
		"gosec": [{"category": "G404", "posn": "/r/a/a.go:7:1", "end": "/r/a/a.go:6:1", "message": "random"}],
		"nilness": [{"category": "cond", "posn": "/r/a/a.go:8:1", "message": "tautological condition: nil == nil"}]
	}
}
`

func TestWhatTheToolSaysIsReadWithHeadingsBetween(t *testing.T) {
	p := small()
	if err := p.collect(strings.NewReader("# m/b\n{}\n# m/a\n# [m/a]\n" + said + "{\"m/b_test\": {}}\n")); err != nil {
		t.Fatal(err)
	}
	want := []diagnostic{
		{file: "a/a.go", first: 3, last: 5, check: "losterror", message: "ignored"},
		{file: "a/a.go", first: 7, last: 7, check: "G404", message: "random"},
		{file: "a/a.go", first: 9, last: 9, check: "losterror", message: "no end"},
	}
	got := p.diagnostics["a/a.go"]
	for i := range got {
		for j := range got[:i] {
			if got[i].first < got[j].first {
				got[i], got[j] = got[j], got[i]
			}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(diagnostic{})); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	if len(p.broken) > 0 || len(p.diagnostics) != 1 {
		t.Errorf("broken %v, diagnostics of %d files", p.broken, len(p.diagnostics))
	}
}

func TestAnAnalyzersErrorFailsThePackageAndItsTests(t *testing.T) {
	for id, want := range map[string][]string{
		"m/a":                 {"a/a.go", "a/a_test.go", "a/x_test.go"},
		"m/a [m/a.test]":      {"a/a.go", "a/a_test.go", "a/x_test.go"},
		"m/a_test [m/a.test]": {"a/a.go", "a/a_test.go", "a/x_test.go"},
		"m/b_test":            {"b_test/b.go"},
	} {
		p := small()
		if err := p.collect(strings.NewReader(`{"` + id + `": {"nilness": {"error": "out of\nluck"}}}`)); err != nil {
			t.Fatal(err)
		}
		wantBroken := map[string]string{}
		for _, f := range want {
			wantBroken[f] = "analyzer nilness failed on package " + importPathOf(id) + ": out of"
		}
		if diff := cmp.Diff(wantBroken, p.broken); diff != "" {
			t.Errorf("%s: broken files (-want +got):\n%s", id, diff)
		}
	}
}

func TestWhatIsNotAWholeAnswerIsAnError(t *testing.T) {
	for _, s := range []string{
		strings.TrimSuffix(strings.TrimSpace(said), "}"),
		"{", "[]", "null {", `{"m/a": []}`, `{"m/a": {"nilness": "no"}}`, `{"m/a": {"nilness": [{"posn": 1}]}}`, "warning: something\n{}",
	} {
		if err := small().collect(strings.NewReader(s)); err == nil {
			t.Errorf("%.40q is taken for an answer", s)
		}
	}
}

func TestFailedPackagesAreTakenFromTheHeadings(t *testing.T) {
	names := []string{"m/a", "m/a/b", "m/a_test", "m/c"}
	for stderr, want := range map[string]map[string]string{
		"# m/a\na.go:1: bad\n":                             {"m/a": "a.go:1: bad"},
		"# [m/a]\npanic: no\n\ngoroutine 1\n":              {"m/a": "panic: no"},
		"# m/a [m/a.test]\na_test.go:1: bad\n":             {"m/a": "a_test.go:1: bad"},
		"# m/a_test [m/a.test]\nx_test.go:1: bad\n":        {"m/a": "x_test.go:1: bad", "m/a_test": "x_test.go:1: bad"},
		"# m/a/b\nb.go:1: bad\n# m/c\nc.go:1: bad\n":       {"m/a/b": "b.go:1: bad", "m/c": "c.go:1: bad"},
		"# m/other\no.go:1: bad\n":                         {},
		"go: cannot find GOROOT\n":                         {},
		"":                                                 {},
		"# m/a\n# [m/a]\nvet: a.go:1:1: undeclared name\n": {"m/a": "vet: a.go:1:1: undeclared name"},
	} {
		if diff := cmp.Diff(want, failures(stderr, names)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", stderr, diff)
		}
	}
}

func FuzzCollect(f *testing.F) {
	f.Add("# m/b\n{}\n" + said)
	f.Add(`{"m/a": {"nilness": {"error": "x"}}}`)
	f.Add(`{"m/a": {"gosec": [{"posn": ":::", "suggested_fixes": [{"edits": [{"start": -1}]}]}]}}`)
	f.Fuzz(func(t *testing.T, s string) {
		p := small()
		if p.collect(strings.NewReader(s)) != nil {
			return
		}
		for name, ds := range p.diagnostics {
			for _, d := range ds {
				if p.files[name] == nil || d.file != name || d.first < 1 || d.last < d.first {
					t.Errorf("%q leads to %+v in %s", s, d, name)
				}
			}
		}
	})
}

func FuzzSuppression(f *testing.F) {
	for _, s := range []string{
		"//nolint:a,b // because of it", "//lint:ignore SA1,[ because of it", "/* #nosec G404 -- because of it */", "//nolint", "//gosec:disable",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		s, ok := readSuppression(comment)
		if !ok {
			return
		}
		if len(s.names) == 0 || len(strings.Fields(s.why)) < 2 {
			t.Errorf("%q suppresses %v for the reason %q", comment, s.names, s.why)
		}
		s.covers("losterror") // must not fail on a pattern that is none
	})
}
