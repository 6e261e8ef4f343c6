package templates_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bughunter/artifacts"
	"bughunter/schemas"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"
)

// answers names the artifact that each phase answers with.
var answers = map[string]string{
	"recon":   "recon",
	"hunter":  "findings",
	"skeptic": "skeptic",
	"referee": "referee",
	"fixer":   "fix-report",
}

// An example is in a fence marked json, and only an example is: data of the
// assignment is in fences marked data, the schema in one marked schema, code
// in ones marked go.
func TestEveryExampleSatisfiesItsSchema(t *testing.T) {
	set := schemas.New()
	for name, p := range everyPrompt(t) {
		phase, _, _ := strings.Cut(name, " ")
		fences, _ := split(p)
		examples := 0
		for _, f := range fences {
			kind, _, _ := strings.Cut(f.info, " ")
			switch kind {
			case "json":
				examples++
				if err := set.Validate(answers[phase], strings.NewReader(f.text)); err != nil {
					t.Errorf("%s: the example is no valid %s: %v", name, answers[phase], err)
				}
			case "data", "schema", "go":
			default:
				t.Errorf("%s: a fence is marked %q", name, f.info)
			}
		}
		if examples != 1 {
			t.Errorf("%s: %d examples, want 1", name, examples)
		}
	}
}

// What a program measures has no place in an answer, nor in an example of one.
func TestNoExampleReportsWhatThePipelineMeasures(t *testing.T) {
	for _, phase := range phases {
		text := example(t, phase)
		for _, field := range []string{"cvssScore", "fingerprint", "workerBugId", "totals"} {
			if strings.Contains(text, `"`+field+`"`) {
				t.Errorf("the example of the %s has %s", phase, field)
			}
		}
	}
	var report artifacts.FixReport
	decode(t, example(t, "fixer"), &report)
	for _, f := range report.Fixes {
		if f.Files != nil {
			t.Errorf("the example of the fixer lists the files of %s", f.BugID)
		}
		if f.Status != artifacts.FixProposed && f.Status != artifacts.FixSkipped && f.Status != artifacts.FixFailed {
			t.Errorf("the example of the fixer has the status %s, which is not a worker's to give", f.Status)
		}
	}
}

// The examples tell one story, in which the same ids mean the same bugs.
func TestExamplesAnswerEachFindingOnce(t *testing.T) {
	var challenges []artifacts.Challenge
	decode(t, example(t, "skeptic"), &challenges)
	var verdicts []artifacts.Verdict
	decode(t, example(t, "referee"), &verdicts)

	var challenged, judged []string
	for _, c := range challenges {
		challenged = append(challenged, c.BugID)
	}
	for _, v := range verdicts {
		judged = append(judged, v.BugID)
	}
	want := []string{"BUG-3f9a2c", "BUG-81d07e"}
	if diff := cmp.Diff([][]string{want, want}, [][]string{challenged, judged}); diff != "" {
		t.Errorf("skeptic and referee (-want +got):\n%s", diff)
	}
}

// An example that quotes loosely would teach to quote loosely.
func TestExampleEvidenceStandsInTheCitedLines(t *testing.T) {
	var findings []artifacts.Finding
	decode(t, example(t, "hunter"), &findings)
	for _, f := range findings {
		ranges, err := artifacts.ParseLines(f.Lines)
		if err != nil {
			t.Fatal(err)
		}
		file := ledgerFile(t, "hunter", f.File)
		cited := strings.Join(file[ranges[0].First-1:ranges[0].Last], "\n")
		if diff := cmp.Diff(cited, f.Evidence); diff != "" {
			t.Errorf("%s:%s (-in the file +quoted):\n%s", f.File, f.Lines, diff)
		}
	}
}

func TestExamplePatchApplies(t *testing.T) {
	var report artifacts.FixReport
	decode(t, example(t, "fixer"), &report)
	patch := report.Fixes[0].Patch
	files, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err != nil {
		t.Fatal(err)
	}
	// Without a line "diff --git", gitdiff takes the prefix for a folder.
	path := strings.TrimPrefix(files[0].NewName, "b/")
	file := strings.Join(ledgerFile(t, "fixer", path), "\n") + "\n"
	var patched bytes.Buffer
	if err := gitdiff.Apply(&patched, strings.NewReader(file), files[0]); err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	if want := "int64) error {\n\tif amount < 1 {\n"; !strings.Contains(patched.String(), want) {
		t.Errorf("the patched file lacks %q:\n%s", want, patched.String())
	}
}

var excerpt = regexp.MustCompile("Lines (\\d+) to (\\d+) of `([^`]+)`:")

// ledgerFile is the file that the prompt shows an excerpt of, with empty lines
// where the excerpt says nothing.
func ledgerFile(t *testing.T, phase, path string) []string {
	t.Helper()
	fences, prose := split(prompt(t, phase, promptData(assignment(phase))))
	for i, m := range excerpt.FindAllStringSubmatch(prose, -1) {
		if m[3] != path {
			continue
		}
		lines, err := artifacts.ParseLines(m[1] + "-" + m[2])
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.Split(goFences(fences)[i], "\n")
		if len(shown) != lines[0].Last-lines[0].First+1 {
			t.Fatalf("the prompt says that it shows the lines %s of %s, and shows %d lines", lines[0], path, len(shown))
		}
		return append(make([]string, lines[0].First-1), shown...)
	}
	t.Fatalf("the prompt for the %s does not show %s", phase, path)
	return nil
}

func goFences(fences []fence) []string {
	var code []string
	for _, f := range fences {
		if f.info == "go" {
			code = append(code, f.text)
		}
	}
	return code
}

func example(t *testing.T, phase string) string {
	t.Helper()
	fences, _ := split(prompt(t, phase, promptData(assignment(phase))))
	i := slices.IndexFunc(fences, func(f fence) bool { return f.info == "json" })
	if i < 0 {
		t.Fatalf("the prompt for the %s has no example", phase)
	}
	return fences[i].text
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}
