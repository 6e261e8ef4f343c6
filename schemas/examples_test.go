package schemas

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the problems of the invalid examples anew")

// example is a file under examples/. What comes before the first dot of its
// name is the artifact; then comes valid or invalid, and what is special.
type example struct {
	path     string
	artifact string
	valid    bool
	text     []byte
}

func (e example) name() string { return strings.TrimSuffix(filepath.Base(e.path), ".json") }

func examples(t testing.TB) []example {
	t.Helper()
	paths, err := filepath.Glob("examples/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		artifact, kind, _ := strings.Cut(filepath.Base(path), ".")
		all = append(all, example{path, artifact, strings.HasPrefix(kind, "valid"), text})
	}
	return all
}

func exampleText(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("examples", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func lines(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

func TestExamples(t *testing.T) {
	set := New()
	for _, e := range examples(t) {
		t.Run(e.name(), func(t *testing.T) {
			err := set.Validate(e.artifact, bytes.NewReader(e.text))
			if e.valid {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("accepted")
			}
			golden(t, strings.TrimSuffix(e.path, ".json")+".problems.txt", lines(Problems(err)))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestEveryArtifactHasExamples(t *testing.T) {
	valid, invalid := map[string]int{}, map[string]int{}
	for _, e := range examples(t) {
		if e.valid {
			valid[e.artifact]++
		} else {
			invalid[e.artifact]++
		}
	}
	for _, name := range Names() {
		if valid[name] < 1 || invalid[name] < 3 {
			t.Errorf("%s has %d valid and %d invalid examples, want at least 1 and 3", name, valid[name], invalid[name])
		}
	}
	if len(valid) != len(Names()) {
		t.Errorf("there are examples of %d artifacts, want %d", len(valid), len(Names()))
	}
}

// The problem that the rest of the project quotes, word for word.
func TestMissingClaim(t *testing.T) {
	err := New().Validate(Findings, bytes.NewReader(exampleText(t, "findings.invalid")))
	want := []Problem{{"/0", "missing required property: claim"}}
	if diff := cmp.Diff(want, Problems(err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := Problems(err)[0].String(); got != "/0: missing required property: claim" {
		t.Errorf("String() = %q", got)
	}
}

func TestSource(t *testing.T) {
	for _, name := range append(Names(), "shared") {
		text, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, want) {
			t.Errorf("the embedded %s differs from its file", name)
		}
	}
	if _, err := Source("verdicts"); !errors.Is(err, ErrUnknownArtifact) {
		t.Errorf("Source of an unknown artifact: %v", err)
	}
}

func TestNamesAreTheFiles(t *testing.T) {
	files, err := filepath.Glob("*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range append(Names(), "shared") {
		want = append(want, name+".schema.json")
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("schema files (-want +got):\n%s", diff)
	}
}

func TestUnknownArtifact(t *testing.T) {
	for _, name := range []string{"verdicts", "", "Findings", "shared", "../findings"} {
		err := New().Validate(name, strings.NewReader("[]"))
		if !errors.Is(err, ErrUnknownArtifact) {
			t.Errorf("Validate(%q) = %v, want ErrUnknownArtifact", name, err)
		}
		if Problems(err) != nil {
			t.Errorf("Problems of an unknown artifact: %v", Problems(err))
		}
	}
}

// An error that is not about the text has no problems to print.
func TestProblemsOfOtherErrors(t *testing.T) {
	for _, err := range []error{nil, io.ErrUnexpectedEOF} {
		if got := Problems(err); got != nil {
			t.Errorf("Problems(%v) = %v", err, got)
		}
	}
}
