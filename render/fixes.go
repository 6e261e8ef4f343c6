package render

import (
	"cmp"
	"slices"

	"bughunter/artifacts"
)

// strategyView is what fix-strategy.md.tmpl reads.
type strategyView struct {
	Sentence  string
	Threshold string
	Groups    []strategyGroup // those that hold bugs
}

type strategyGroup struct {
	Strategy string
	Bugs     []answer[artifacts.Strategy]
}

func viewFixStrategy(in Input) any {
	all := arrange(in, in.FixStrategy.Strategies, strategyID, func(s artifacts.Strategy) artifacts.Severity { return s.Severity })
	v := strategyView{Threshold: number(in.FixStrategy.ConfidenceThreshold)}
	var parts []told
	for _, name := range strategyNames(in.FixStrategy.Strategies) {
		g := strategyGroup{Strategy: name}
		for _, a := range all {
			if a.Said.Strategy == name {
				g.Bugs = append(g.Bugs, a)
			}
		}
		if len(g.Bugs) > 0 {
			v.Groups = append(v.Groups, g)
		}
		parts = append(parts, told{len(g.Bugs), name})
	}
	v.Sentence = tell("There is no confirmed bug to fix", parts)
	return v
}

// strategyNames lists the known strategies from the smallest to the largest,
// and after them whatever else the strategies name.
func strategyNames(strategies []artifacts.Strategy) []string {
	known := []string{artifacts.SafeAutofix, artifacts.ManualReviewFix, artifacts.LargerRefactor, artifacts.ArchitecturalRemediation}
	var others []string
	for _, s := range strategies {
		if !slices.Contains(known, s.Strategy) {
			others = append(others, s.Strategy)
		}
	}
	slices.Sort(others)
	return append(known, slices.Compact(others)...)
}

// planView is what fix-plan.md.tmpl reads.
type planView struct {
	Sentence  string
	Threshold string
	Steps     []answer[artifacts.FixStep]
	Excluded  []answer[artifacts.Excluded]
}

func viewFixPlan(in Input) any {
	v := planView{
		Threshold: number(in.FixPlan.ConfidenceThreshold),
		Steps:     arrange(in, in.FixPlan.Steps, stepID, func(s artifacts.FixStep) artifacts.Severity { return s.Severity }),
		Excluded:  arrange(in, in.FixPlan.Excluded, excludedID, func(artifacts.Excluded) artifacts.Severity { return "" }),
	}
	slices.SortStableFunc(v.Steps, func(a, b answer[artifacts.FixStep]) int { return cmp.Compare(a.Said.Order, b.Said.Order) })
	v.Sentence = tell("There is no confirmed bug to fix", []told{
		{len(v.Steps), "to fix automatically"},
		{len(v.Excluded), "left to people"},
	})
	return v
}

// fixView is what fix-report.md.tmpl reads.
type fixView struct {
	Sentence string
	DryRun   bool
	Fixes    []answer[artifacts.Fix]
}

func viewFixReport(in Input) any {
	v := fixView{
		DryRun: in.FixReport.DryRun,
		Fixes:  arrange(in, in.FixReport.Fixes, fixID, func(artifacts.Fix) artifacts.Severity { return "" }),
	}
	counts := map[string]int{}
	var statuses []string
	for _, f := range in.FixReport.Fixes {
		if counts[f.Status]++; counts[f.Status] == 1 {
			statuses = append(statuses, f.Status)
		}
	}
	slices.Sort(statuses)
	var parts []told
	for _, s := range statuses {
		parts = append(parts, told{counts[s], s})
	}
	v.Sentence = tell("No fix was tried", parts)
	return v
}
