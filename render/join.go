package render

import (
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// MissingError says that artifacts are missing without which a kind cannot be
// rendered.
type MissingError struct {
	Kind    string   // what was to be rendered
	Missing []string // names of artifacts
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("rendering %s needs %s, which was not given: name the file, or write it with \"bughunter run\"",
		e.Kind, series(e.Missing))
}

// MismatchError says that artifacts do not belong together: one answers for a
// bug that the findings do not have, or one id has two entries. A rendering
// that went on would show less than there is.
type MismatchError struct {
	Problems []string // each names the artifact and the ids
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the artifacts do not fit together: %s; give files of one and the same run, or make them anew with \"bughunter run\"",
		strings.Join(e.Problems, "; "))
}

// fits checks that the kind can be rendered from in.
func fits(k Kind, in Input) error {
	var missing []string
	for _, name := range k.Needs {
		if !in.has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return &MissingError{k.Name, missing}
	}
	var problems []string
	for _, name := range slices.Concat(k.Needs, k.Uses) {
		problems = append(problems, in.mismatches(name)...)
	}
	if len(problems) > 0 {
		return &MismatchError{problems}
	}
	return nil
}

// mismatches lists what is wrong with the ids of one artifact.
func (in Input) mismatches(name string) []string {
	known := map[string]bool{}
	for _, id := range in.ids(findings) {
		known[id] = true
	}
	seen := map[string]bool{}
	var twice, unknown []string
	for _, id := range in.ids(name) {
		switch {
		case seen[id]:
			twice = append(twice, id)
		case in.has(findings) && !known[id]:
			unknown = append(unknown, id)
		}
		seen[id] = true
	}
	var problems []string
	if len(twice) > 0 {
		problems = append(problems, fmt.Sprintf("%s has more than one entry for %s", name, quoted(twice)))
	}
	if len(unknown) > 0 {
		problems = append(problems, fmt.Sprintf("%s has an entry for %s, which findings does not have", name, quoted(unknown)))
	}
	return problems
}

// ids lists the bug ids of an artifact, in its order. The bugs of the coverage
// are left out: it is the state of a loop and may be ahead of or behind the
// other files.
func (in Input) ids(name string) []string {
	switch name {
	case findings:
		return idsOf(in.Findings, findingID)
	case skeptic:
		return idsOf(in.Challenges, challengeID)
	case referee:
		return idsOf(in.Verdicts, verdictID)
	}
	switch {
	case !in.has(name):
		return nil
	case name == fixStrategy:
		return idsOf(in.FixStrategy.Strategies, strategyID)
	case name == fixPlan:
		return append(idsOf(in.FixPlan.Steps, stepID),
			idsOf(in.FixPlan.Excluded, excludedID)...)
	case name == fixReport:
		return idsOf(in.FixReport.Fixes, fixID)
	}
	return nil
}

func findingID(f artifacts.Finding) string     { return f.BugID }
func challengeID(c artifacts.Challenge) string { return c.BugID }
func verdictID(v artifacts.Verdict) string     { return v.BugID }
func strategyID(s artifacts.Strategy) string   { return s.BugID }
func stepID(s artifacts.FixStep) string        { return s.BugID }
func excludedID(e artifacts.Excluded) string   { return e.BugID }
func fixID(f artifacts.Fix) string             { return f.BugID }

func idsOf[T any](list []T, id func(T) string) []string {
	var ids []string
	for _, each := range list {
		ids = append(ids, id(each))
	}
	return ids
}

// quoted names the ids, each once, and at most five of them.
func quoted(ids []string) string {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	var names []string
	for _, id := range ids[:min(len(ids), 5)] {
		names = append(names, fmt.Sprintf("%q", id))
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return series(names)
}

// A bug is a finding with everything that was said and done about it.
type bug struct {
	artifacts.Assessed

	Strategy *artifacts.Strategy
	Step     *artifacts.FixStep
	Excluded *artifacts.Excluded
	Fix      *artifacts.Fix
}

// bugs joins the findings with what was said about each, in the order of
// every report. The ids were checked before.
func (in Input) bugs() []bug {
	var bugs []bug
	for _, a := range artifacts.Assess(in.Findings, in.Challenges, in.Verdicts) {
		bugs = append(bugs, bug{Assessed: a})
	}
	in.addFixes(bugs)
	return bugs
}

// addFixes adds what is known about how each bug is to be fixed.
func (in Input) addFixes(bugs []bug) {
	var strategies map[string]*artifacts.Strategy
	var steps map[string]*artifacts.FixStep
	var excluded map[string]*artifacts.Excluded
	var fixes map[string]*artifacts.Fix
	if in.FixStrategy != nil {
		strategies = byID(in.FixStrategy.Strategies, strategyID)
	}
	if in.FixPlan != nil {
		steps = byID(in.FixPlan.Steps, stepID)
		excluded = byID(in.FixPlan.Excluded, excludedID)
	}
	if in.FixReport != nil {
		fixes = byID(in.FixReport.Fixes, fixID)
	}
	for i := range bugs {
		b := &bugs[i]
		b.Strategy, b.Step, b.Excluded, b.Fix = strategies[b.BugID], steps[b.BugID], excluded[b.BugID], fixes[b.BugID]
	}
}

// byID indexes a list whose ids are known to be distinct.
func byID[T any](list []T, id func(T) string) map[string]*T {
	index := make(map[string]*T, len(list))
	for i := range list {
		index[id(list[i])] = &list[i]
	}
	return index
}
