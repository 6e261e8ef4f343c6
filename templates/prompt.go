package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"
)

// promptPhases are the phases that have a prompt, in the order in which they run.
var promptPhases = []string{"recon", "hunter", "skeptic", "referee", "fixer"}

// prompts parses prompts/<phase>.md.tmpl for each phase and the pieces they
// share, when the first prompt is asked for: most commands need none.
var prompts = sync.OnceValues(func() (*template.Template, error) {
	return template.New("prompts").
		Option("missingkey=error").
		Funcs(template.FuncMap{
			"data":    dataFence,
			"fence":   fenced,
			"onlyFor": onlyFor,
		}).
		ParseFS(FS, "prompts/*.tmpl")
})

// Preflight returns an error if a prompt does not parse or is missing.
func Preflight() error {
	parsed, err := prompts()
	if err != nil {
		return err
	}
	for _, phase := range promptPhases {
		if parsed.Lookup(phase+".md.tmpl") == nil {
			return fmt.Errorf("there is no prompt for the %s", phase)
		}
	}
	return nil
}

// PromptData is what a prompt is rendered from.
type PromptData struct {
	// Assignment is an *artifacts.Assignment. It is not typed as one so that
	// this package depends on nothing; the templates read its fields by name.
	Assignment any

	// Schema is the JSON text of the schema of the answer, with what it
	// refers to.
	Schema string

	// AnswerInFile says where the answer is looked for: in the file at the
	// assignment's OutputPath, or else in the last fence marked json of what
	// the worker prints.
	AnswerInFile bool
}

// Prompt renders the prompt for one of the phases recon, hunter, skeptic,
// referee and fixer: Markdown that stands on its own and needs no system
// prompt beside it. Whatever comes from the repository or from another worker
// stands in it as JSON in fences marked data, which nothing inside can close.
// The only fence marked json is the worked example.
//
// It fails if there is no such phase, if the assignment is for another phase,
// and if it lacks what the phase needs.
func Prompt(phase string, d PromptData) (string, error) {
	if !slices.Contains(promptPhases, phase) {
		return "", fmt.Errorf("there is no prompt for the phase %q: the phases are %s", phase, strings.Join(promptPhases, ", "))
	}
	if strings.TrimSpace(d.Schema) == "" {
		return "", fmt.Errorf("the prompt for the %s needs the schema of the answer", phase)
	}
	parsed, err := prompts()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	in := struct {
		PromptData
		Phase string
	}{d, phase}
	if err := parsed.ExecuteTemplate(&b, phase+".md.tmpl", in); err != nil {
		return "", fmt.Errorf("rendering the prompt for the %s: %w", phase, err)
	}
	return b.String(), nil
}

// onlyFor puts nothing into the prompt. It refuses an assignment of another
// phase, whose contents the wrong worker would get to see.
func onlyFor(phase, assigned string) (string, error) {
	if phase != assigned {
		return "", fmt.Errorf("the assignment is for the phase %q, not for %q", assigned, phase)
	}
	return "", nil
}

// dataFence is v as JSON in a fence marked data and its name. A prompt that
// promises data and shows none would ask for an answer about nothing, so an
// empty v is an error.
func dataFence(name string, v any) (string, error) {
	if isEmpty(reflect.ValueOf(v)) {
		return "", fmt.Errorf("the assignment has no %s", name)
	}
	text, err := indentedJSON(v)
	if err != nil {
		return "", fmt.Errorf("%s of the assignment: %w", name, err)
	}
	return fenced("data "+name, text), nil
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface:
		return v.IsNil()
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	}
	return false
}

// indentedJSON leaves <, > and & as they are: a worker has to recognise the
// code that is quoted.
func indentedJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// fenced puts text into a code fence that is longer than every run of
// backticks in it, so that no line of the text can end it.
func fenced(info, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + info + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
