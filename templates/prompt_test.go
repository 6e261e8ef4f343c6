package templates_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bughunter/artifacts"
	"bughunter/templates"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var phases = []string{"recon", "hunter", "skeptic", "referee", "fixer"}

// standInSchema keeps the real schemas out of the golden files.
const standInSchema = `{"description": "the schema of the answer stands here"}`

func TestPromptGolden(t *testing.T) {
	golden := func(name, phase string, d templates.PromptData) {
		t.Run(name, func(t *testing.T) { checkGolden(t, name+".md", prompt(t, phase, d)) })
	}
	for _, phase := range phases {
		golden(phase, phase, promptData(assignment(phase)))
	}

	inFile := promptData(assignment("hunter"))
	inFile.AnswerInFile = true
	golden("hunter-file", "hunter", inFile)

	golden("referee-feedback", "referee", promptData(withFeedback(assignment("referee"))))
	golden("skeptic-hostile", "skeptic", promptData(hostile(assignment("skeptic"))))
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./templates -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, go test ./templates -update accepts it):\n%s", file, diff)
	}
}

// A layout slip in a partial shows in the rendering and nowhere else.
func TestPromptIsLaidOutAsMarkdown(t *testing.T) {
	for name, p := range everyPrompt(t) {
		if strings.Contains(p, "\n\n\n") {
			t.Errorf("%s: two blank lines in a row", name)
		}
		lines := strings.Split(p, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "## ") && (lines[i-1] != "" || lines[i+1] != "") {
				t.Errorf("%s:%d: no blank line around %q", name, i+1, line)
			}
		}
	}
}

func TestPromptAsksForTheAnswerInOnePlace(t *testing.T) {
	for _, phase := range phases {
		d := promptData(assignment(phase))
		printed := prompt(t, phase, d)
		d.AnswerInFile = true
		filed := prompt(t, phase, d)

		const path, fence = "/state/answer.json", "fence marked `json`"
		if strings.Contains(printed, path) || !strings.Contains(printed, fence) {
			t.Errorf("%s, printed answer: wants a fence and no file", phase)
		}
		if !strings.Contains(filed, path) || strings.Contains(filed, fence) {
			t.Errorf("%s, answer in a file: wants the file and no fence", phase)
		}
	}
}

func TestPromptShowsFeedbackOnlyIfThereIsSome(t *testing.T) {
	const heading = "## What was wrong with the attempt before"
	for _, phase := range phases {
		if strings.Contains(prompt(t, phase, promptData(assignment(phase))), heading) {
			t.Errorf("%s: a first attempt is shown feedback", phase)
		}
		a := withFeedback(assignment(phase))
		again := prompt(t, phase, promptData(a))
		if !strings.Contains(again, heading) {
			t.Errorf("%s: a later attempt is not shown its feedback", phase)
		}
		if diff := cmp.Diff(asJSON(t, a.Feedback), dataOf(t, again)["feedback"]); diff != "" {
			t.Errorf("%s: feedback (-want +got):\n%s", phase, diff)
		}
	}
}

// Independence is what a worker does not get to see.
func TestPromptShowsAPhaseItsOwnInputsAlone(t *testing.T) {
	inputs := map[string][]string{
		"recon":   {"root", "files"},
		"hunter":  {"root", "files", "recon"},
		"skeptic": {"root", "files", "recon", "findings"},
		"referee": {"root", "files", "recon", "findings", "challenges"},
		"fixer":   {"root", "files", "recon", "findings", "verdicts"},
	}
	for _, phase := range phases {
		data := dataOf(t, prompt(t, phase, promptData(assignment(phase))))
		for _, name := range inputs[phase] {
			if _, ok := data[name]; !ok {
				t.Errorf("the %s is not shown: %s", phase, name)
			}
			delete(data, name)
		}
		for name := range data {
			t.Errorf("the %s is shown: %s", phase, name)
		}
	}
}

// Names and claims from a hostile repository are in the prompt as data, whole
// and unchanged, and nowhere else.
func TestPromptKeepsHostileTextInItsFences(t *testing.T) {
	for _, phase := range phases {
		a := hostile(assignment(phase))
		d := promptData(a)
		d.AnswerInFile = true
		p := prompt(t, phase, d)

		fences, prose := split(p)
		if strings.Contains(prose, "EVIL") {
			t.Errorf("%s: hostile text outside the fences:\n%s", phase, prose)
		}
		for _, f := range fences {
			if !strings.HasPrefix(f.info, "data ") && strings.Contains(f.text, "EVIL") {
				t.Errorf("%s: hostile text in a fence marked %s", phase, f.info)
			}
		}
		data := dataOf(t, p)
		want := map[string]any{"root": a.Root, "files": a.Files, "outputPath": a.OutputPath, "feedback": a.Feedback}
		if phase != "recon" && phase != "hunter" {
			want["findings"] = a.Findings
		}
		for name, v := range want {
			if diff := cmp.Diff(asJSON(t, v), data[name]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", phase, name, diff)
			}
		}
	}
}

func TestPromptLeavesCodeReadable(t *testing.T) {
	a := assignment("skeptic")
	a.Findings[0].Claim = `if a < b && c > d { ch <- "x" }`
	if p := prompt(t, "skeptic", promptData(a)); !strings.Contains(p, `if a < b && c > d { ch <- \"x\" }`) {
		t.Error("code in a claim is escaped as HTML")
	}
}

func TestPromptRefuses(t *testing.T) {
	without := func(phase string, change func(*artifacts.Assignment)) templates.PromptData {
		a := assignment(phase)
		change(a)
		return promptData(a)
	}
	noPath := without("hunter", func(a *artifacts.Assignment) { a.OutputPath = "" })
	noPath.AnswerInFile = true

	tests := []struct {
		name, phase string
		data        templates.PromptData
		want        string
	}{
		{"an unknown phase", "judge", promptData(assignment("referee")), `there is no prompt for the phase "judge": the phases are recon, hunter, skeptic, referee, fixer`},
		{"the name of a partial", "shared", promptData(assignment("recon")), `there is no prompt for the phase "shared"`},
		{"no schema", "recon", templates.PromptData{Assignment: assignment("recon"), Schema: " \n"}, "needs the schema of the answer"},
		{"no assignment", "recon", templates.PromptData{Schema: standInSchema}, "Assignment"},
		{"an absent assignment", "recon", promptData((*artifacts.Assignment)(nil)), "Assignment"},
		{"another phase's assignment", "hunter", promptData(assignment("skeptic")), `the assignment is for the phase "skeptic", not for "hunter"`},
		{"no files", "recon", without("recon", func(a *artifacts.Assignment) { a.Files = nil }), "the assignment has no files"},
		{"no root", "recon", without("recon", func(a *artifacts.Assignment) { a.Root = "" }), "the assignment has no root"},
		{"no recon", "hunter", without("hunter", func(a *artifacts.Assignment) { a.Recon = nil }), "the assignment has no recon"},
		{"no findings", "skeptic", without("skeptic", func(a *artifacts.Assignment) { a.Findings = []artifacts.Claim{} }), "the assignment has no findings"},
		{"no challenges", "referee", without("referee", func(a *artifacts.Assignment) { a.Challenges = nil }), "the assignment has no challenges"},
		{"no verdicts", "fixer", without("fixer", func(a *artifacts.Assignment) { a.Verdicts = nil }), "the assignment has no verdicts"},
		{"nowhere to write", "hunter", noPath, "the assignment has no outputPath"},
		{"a missing field", "recon", promptData(struct{ Phase, Chunk string }{"recon", "chunk-1"}), "Attempt"},
		{"a missing key", "recon", promptData(map[string]any{"Phase": "recon", "Chunk": "chunk-1"}), `"Attempt"`},
		{"what is not JSON", "recon", promptData(map[string]any{
			"Phase": "recon", "Chunk": "chunk-1", "Attempt": 1, "Root": func() {},
		}), "root of the assignment: json: unsupported type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := templates.Prompt(tt.phase, tt.data)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
			if got != "" {
				t.Errorf("half a prompt came with the error: %q", got)
			}
		})
	}
}

func prompt(t *testing.T, phase string, d templates.PromptData) string {
	t.Helper()
	p, err := templates.Prompt(phase, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everyPrompt is each phase's prompt in both forms of the answer, by name.
func everyPrompt(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, phase := range phases {
		d := promptData(withFeedback(assignment(phase)))
		all[phase] = prompt(t, phase, d)
		d.AnswerInFile = true
		all[phase+" in a file"] = prompt(t, phase, d)
	}
	return all
}

// fence is one fenced block of a prompt.
type fence struct{ info, text string }

// split takes a prompt apart by CommonMark's rule for fences of backticks: one
// ends at the first line of at least as many backticks and nothing else.
func split(prompt string) (fences []fence, prose string) {
	var out, in []string
	open, info := "", ""
	for line := range strings.Lines(prompt) {
		line = strings.TrimSuffix(line, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open != "" && len(ticks) >= len(open) && strings.TrimSpace(line) == ticks:
			fences = append(fences, fence{info, strings.Join(in, "\n")})
			open, in = "", nil
		case open != "":
			in = append(in, line)
		case len(ticks) >= 3:
			open, info = ticks, line[len(ticks):]
		default:
			out = append(out, line)
		}
	}
	return fences, strings.Join(out, "\n")
}

// dataOf is what the fences marked data hold, by their names.
func dataOf(t *testing.T, prompt string) map[string]any {
	t.Helper()
	data := map[string]any{}
	fences, _ := split(prompt)
	for _, f := range fences {
		name, ok := strings.CutPrefix(f.info, "data ")
		if !ok {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(f.text), &v); err != nil {
			t.Fatalf("the fence %q: %v", f.info, err)
		}
		if _, twice := data[name]; twice {
			t.Errorf("two fences are marked %q", f.info)
		}
		data[name] = v
	}
	return data
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzPromptData holds that no text can leave the fence it is put into.
func FuzzPromptData(f *testing.F) {
	for _, s := range []string{"a.go", "```", "a\n````\nb", "`x`", "</data>", "\u2028``` \u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := assignment("recon")
		a.Files = []string{s, "b.go"}
		schema := "{\n" + s + "\n}"
		p := prompt(t, "recon", templates.PromptData{Assignment: a, Schema: schema})
		if diff := cmp.Diff(asJSON(t, a.Files), dataOf(t, p)["files"]); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		fences, _ := split(p)
		if last := fences[len(fences)-1]; last != (fence{"schema", schema}) {
			t.Errorf("the last fence is %q, want the schema %q", last, schema)
		}
	})
}
