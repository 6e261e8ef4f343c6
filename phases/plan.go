package phases

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// DefaultThreshold is the confidence, 0 to 100, from which the plan takes in a
// confirmed bug, to be patched without asking a person first.
const DefaultThreshold = 75

// The canary is the first fifth of a plan, at least one bug and at most three.
const (
	canaryShare = 5
	canaryMax   = 3
)

// PlanFixes says how each confirmed bug should be handled and in which order
// the eligible ones are fixed. It is computed from the findings and verdicts
// alone, so that the same verdicts give the same plan.
func PlanFixes(findings []artifacts.Finding, challenges []artifacts.Challenge, verdicts []artifacts.Verdict, threshold float64) (*artifacts.FixStrategy, *artifacts.FixPlan) {
	strategy := &artifacts.FixStrategy{SchemaVersion: artifacts.SchemaVersion, ConfidenceThreshold: threshold, Strategies: []artifacts.Strategy{}}
	plan := &artifacts.FixPlan{SchemaVersion: artifacts.SchemaVersion, ConfidenceThreshold: threshold, Steps: []artifacts.FixStep{}, Excluded: []artifacts.Excluded{}}
	confirmed := Confirmed(findings, challenges, verdicts)
	crowded := crowds(confirmed)
	for _, b := range confirmed {
		kind, reason := strategyFor(b, crowded, threshold)
		strategy.Strategies = append(strategy.Strategies, artifacts.Strategy{
			BugID: b.Finding.BugID, Strategy: kind, Reason: reason, Severity: b.Verdict.TrueSeverity,
			ConfidenceScore: b.Verdict.ConfidenceScore, File: b.Finding.File,
		})
		if kind != artifacts.SafeAutofix {
			plan.Excluded = append(plan.Excluded, artifacts.Excluded{BugID: b.Finding.BugID, Strategy: kind, Reason: reason})
			continue
		}
		plan.Steps = append(plan.Steps, artifacts.FixStep{
			BugID: b.Finding.BugID, File: b.Finding.File, Severity: b.Verdict.TrueSeverity, ConfidenceScore: b.Verdict.ConfidenceScore,
		})
	}
	stage(plan.Steps)
	return strategy, plan
}

// Confirmed returns the findings that are bugs, worst first by the referee's
// severity.
func Confirmed(findings []artifacts.Finding, challenges []artifacts.Challenge, verdicts []artifacts.Verdict) []artifacts.Assessed {
	return slices.DeleteFunc(artifacts.Assess(findings, challenges, verdicts), func(a artifacts.Assessed) bool {
		return a.Ruling != artifacts.Confirmed
	})
}

// Rulings counts findings by what the pipeline makes of them.
func Rulings(findings []artifacts.Finding, challenges []artifacts.Challenge, verdicts []artifacts.Verdict) map[artifacts.Ruling]int {
	counts := map[artifacts.Ruling]int{}
	for _, a := range artifacts.Assess(findings, challenges, verdicts) {
		counts[a.Ruling]++
	}
	return counts
}

// crowds counts the confirmed bugs of a category in a folder.
func crowds(bugs []artifacts.Assessed) map[string]int {
	n := map[string]int{}
	for _, b := range bugs {
		n[crowd(b)]++
	}
	return n
}

func crowd(b artifacts.Assessed) string {
	folder := path.Dir(b.Finding.File)
	return folder + "\x00" + strings.ToLower(b.Finding.Category)
}

// The bounds between the strategies.
const (
	systemic  = 5  // as many bugs of one category in one folder are one bug in its design
	wideFiles = 2  // a fix that has to change this many further files is a refactoring
	wideLines = 40 // and so is one to this many lines
)

// strategyFor picks the way to handle a confirmed bug. What is not clearly
// small, local and sure goes to a person.
func strategyFor(b artifacts.Assessed, crowded map[string]int, threshold float64) (strategy, reason string) {
	others := otherFiles(b.Finding)
	lines := citedLines(b.Finding)
	switch n := crowded[crowd(b)]; {
	case n >= systemic:
		return artifacts.ArchitecturalRemediation, fmt.Sprintf("%d confirmed bugs of category %s in one folder point to its design.", n, b.Finding.Category)
	case others >= wideFiles:
		return artifacts.LargerRefactor, fmt.Sprintf("The bug spans %d further files.", others)
	case lines >= wideLines:
		return artifacts.LargerRefactor, fmt.Sprintf("The bug spans %d lines.", lines)
	case b.Challenge.Response != artifacts.Accept:
		return artifacts.ManualReviewFix, fmt.Sprintf("The skeptic answered %s.", b.Challenge.Response)
	case b.Verdict.ConfidenceScore < threshold:
		return artifacts.ManualReviewFix, fmt.Sprintf("The confidence of %g is below the threshold of %g.", b.Verdict.ConfidenceScore, threshold)
	}
	return artifacts.SafeAutofix, fmt.Sprintf("It is local to one place and undisputed, and the confidence is %g.", b.Verdict.ConfidenceScore)
}

// otherFiles counts the files beside its own that a finding refers to.
func otherFiles(f artifacts.Finding) int {
	in := map[string]bool{}
	for _, r := range f.CrossReferences {
		in[r.File] = true
	}
	delete(in, f.File)
	return len(in)
}

func citedLines(f artifacts.Finding) (n int) {
	ranges, err := artifacts.ParseLines(f.Lines)
	if err != nil {
		return 0
	}
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}

// stage numbers the steps, which come worst first, and marks the canary. The
// steps of the rollout that touch one file follow each other.
func stage(steps []artifacts.FixStep) {
	if len(steps) == 0 {
		return
	}
	canary := min(max((len(steps)+canaryShare-1)/canaryShare, 1), canaryMax)
	rollout := steps[canary:]
	first := map[string]int{}
	for i, s := range rollout {
		if _, ok := first[s.File]; !ok {
			first[s.File] = i
		}
	}
	slices.SortStableFunc(rollout, func(a, b artifacts.FixStep) int { return cmp.Compare(first[a.File], first[b.File]) })
	for i := range steps {
		steps[i].Order = i + 1
		steps[i].Stage = artifacts.Rollout
		if i < canary {
			steps[i].Stage = artifacts.Canary
		}
	}
}
