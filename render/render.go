// Package render turns artifacts into what a person reads: Markdown, and one
// self-contained HTML page made of that Markdown.
//
// It works from the JSON artifacts alone and never the other way: delete every
// rendering and they come back, byte for byte the same, for there is no clock,
// no machine and no map order in them. The words are in templates/reports; the
// functions here decide what a template gets to see.
//
// What workers and the repository wrote is hostile. A template cannot print a
// string unescaped, even by mistake: whatever an action yields is escaped as
// inline text unless one of the functions code, fence, source or prose has
// made Markdown of it (see [Markdown]).
//
// Above all a rendering must not look cleaner than the artifacts are: what was
// not covered, not answered or not judged is said first, and artifacts that do
// not fit together are a [MismatchError] and no report at all.
package render

import (
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// The names of the artifacts, as their schemas have them.
const (
	recon       = "recon"
	findings    = "findings"
	skeptic     = "skeptic"
	referee     = "referee"
	coverage    = "coverage"
	fixStrategy = "fix-strategy"
	fixPlan     = "fix-plan"
	fixReport   = "fix-report"
)

// Input holds the artifacts a rendering may use; nil means "not there".
type Input struct {
	Recon       *artifacts.Recon
	Findings    []artifacts.Finding
	Challenges  []artifacts.Challenge
	Verdicts    []artifacts.Verdict
	Coverage    *artifacts.Coverage
	FixStrategy *artifacts.FixStrategy
	FixPlan     *artifacts.FixPlan
	FixReport   *artifacts.FixReport

	// Has tells which artifacts were given, by the name of their schema. It
	// makes the difference between an empty array and none: one that is empty
	// and not in Has is not there. Whatever is not nil or empty is there anyway.
	Has map[string]bool
}

// has reports whether the artifact was given.
func (in Input) has(name string) bool {
	switch name {
	case recon:
		return in.Recon != nil
	case findings:
		return in.Has[name] || len(in.Findings) > 0
	case skeptic:
		return in.Has[name] || len(in.Challenges) > 0
	case referee:
		return in.Has[name] || len(in.Verdicts) > 0
	case coverage:
		return in.Coverage != nil
	case fixStrategy:
		return in.FixStrategy != nil
	case fixPlan:
		return in.FixPlan != nil
	case fixReport:
		return in.FixReport != nil
	}
	return false
}

// Kind is something that can be rendered. Needs are the artifacts without
// which it cannot be, Uses those that it shows when they are there; both by
// the name of their schema.
type Kind struct {
	Name        string
	Needs, Uses []string
}

// kinds are all renderings, each with the function that makes what its
// template, reports/<name>.md.tmpl, is executed with.
var kinds = []struct {
	Kind
	view func(Input) any
}{
	{Kind{"report", []string{findings, skeptic, referee}, []string{coverage, recon, fixStrategy, fixPlan, fixReport}}, viewReport},
	{Kind{coverage, []string{coverage}, nil}, viewCoverage},
	{Kind{recon, []string{recon}, nil}, viewRecon},
	{Kind{findings, []string{findings}, nil}, viewFindings},
	{Kind{skeptic, []string{skeptic}, []string{findings}}, viewSkeptic},
	{Kind{referee, []string{referee}, []string{findings}}, viewReferee},
	{Kind{fixStrategy, []string{fixStrategy}, []string{findings}}, viewFixStrategy},
	{Kind{fixPlan, []string{fixPlan}, []string{findings}}, viewFixPlan},
	{Kind{fixReport, []string{fixReport}, []string{findings}}, viewFixReport},
}

// Kinds lists everything that can be rendered, the report first.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = Kind{k.Name, slices.Clone(k.Needs), slices.Clone(k.Uses)}
	}
	return list
}

// Lookup finds a kind by its name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Markdown renders one kind, in GitHub's dialect. The text ends in a line
// break, holds no HTML, no link and no image, and is the same for the same
// input.
//
// The error is a [MissingError] if an artifact that the kind needs is not in
// in, and a [MismatchError] if those that it shows do not belong together.
func Markdown(kind string, in Input) ([]byte, error) {
	for _, k := range kinds {
		if k.Name != kind {
			continue
		}
		if err := fits(k.Kind, in); err != nil {
			return nil, err
		}
		return execute(kind, k.view(in))
	}
	return nil, fmt.Errorf("there is no rendering called %q: choose one of %s", kind, strings.Join(kindNames(), ", "))
}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}
