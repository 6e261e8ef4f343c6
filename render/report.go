package render

import (
	"fmt"
	"strings"

	"bughunter/artifacts"
)

// patchLines is how long a patch may be to stand in the report; a longer one
// is left to the fix report.
const patchLines = 80

// uncoveredRows is how many files the report lists as not covered; coverage.md
// has them all.
const uncoveredRows = 200

// reportView is what report.md.tmpl reads.
type reportView struct {
	Sentence string
	Notices  []notice
	Tally    tally

	Confirmed, Human, Dismissed, Unjudged []reported

	Project   *project
	Uncovered []uncovered
	More      int // files left away from Uncovered
	LeftOut   []artifacts.LeftOut
	Workers   []phaseWorker
	Modes     []modeCount
	Range     string // lowest and highest confidence of the confirmed bugs
}

// notice is something a reader must not miss.
type notice struct{ Title, Text string }

// reported is a bug with what the template cannot work out by itself.
type reported struct {
	bug
	ShowPatch bool
}

// phaseWorker says who answered in a phase.
type phaseWorker struct{ Phase, Worker string }

// modeCount is a row of how the verdicts on one kind of ruling were reached.
type modeCount struct {
	Ruling                string
	Independent, Evidence int
}

func viewReport(in Input) any {
	v := reportView{Tally: tallyOf(in.Coverage), Project: viewProject(in.Recon)}
	for _, b := range in.bugs() {
		r := reported{b, b.Fix != nil && b.Fix.Patch != "" && strings.Count(b.Fix.Patch, "\n") <= patchLines}
		list := v.list(b.Ruling)
		*list = append(*list, r)
	}
	v.Sentence = v.result() + "; " + v.Tally.clause() + "."
	v.Notices = append(coverageNotices(v.Tally), v.unjudgedNotice()...)
	if in.Coverage != nil {
		v.Uncovered = uncoveredFiles(in.Coverage, in.Recon)
		v.LeftOut = in.Coverage.LeftOut
		v.Workers = workers(in.Coverage)
	}
	if n := len(v.Uncovered) - uncoveredRows; n > 0 {
		v.Uncovered, v.More = v.Uncovered[:uncoveredRows], n
	}
	v.Modes, v.Range = v.modes(), confidenceRange(v.Confirmed)
	return v
}

// list is where a finding with that ruling goes. A ruling this package does
// not know settles nothing.
func (v *reportView) list(r artifacts.Ruling) *[]reported {
	switch r {
	case artifacts.Confirmed:
		return &v.Confirmed
	case artifacts.NeedsHuman:
		return &v.Human
	case artifacts.Dismissed:
		return &v.Dismissed
	}
	return &v.Unjudged
}

// result says in a clause what became of the findings.
func (v *reportView) result() string {
	parts := []string{"No bugs confirmed"}
	if n := len(v.Confirmed); n == 0 && !(v.Tally.Complete() && len(v.Unjudged) == 0) {
		parts[0] += " so far"
	} else if n > 0 {
		parts[0] = count(n, "confirmed bug", "confirmed bugs") + " (" + strings.Join(bySeverity(v.Confirmed), ", ") + ")"
	}
	if n := len(v.Human); n > 0 {
		parts = append(parts, count(n, "needs a person", "need a person"))
	}
	if n := len(v.Dismissed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d dismissed", n))
	}
	if n := len(v.Unjudged); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged", n))
	}
	return strings.Join(parts, ", ")
}

func bySeverity(bugs []reported) []string {
	counts := map[artifacts.Severity]int{}
	for _, b := range bugs {
		counts[b.Severity]++
	}
	var parts []string
	for _, s := range artifacts.Severities {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return parts
}

func (v *reportView) unjudgedNotice() []notice {
	n := len(v.Unjudged)
	if n == 0 {
		return nil
	}
	return []notice{{"Not judged.", count(n, "finding has", "findings have") +
		" no answer from the skeptic or no verdict from the referee, and may be a bug all the same. Run bughunter again to go on."}}
}

// modes counts how the verdicts were reached. It is empty if there are none.
func (v *reportView) modes() []modeCount {
	var rows []modeCount
	for _, group := range []struct {
		name string
		bugs []reported
	}{{"Confirmed", v.Confirmed}, {"Needs a person", v.Human}, {"Dismissed", v.Dismissed}} {
		row := modeCount{Ruling: group.name}
		for _, b := range group.bugs {
			switch b.Verdict.VerificationMode {
			case artifacts.IndependentlyVerified:
				row.Independent++
			case artifacts.EvidenceBased:
				row.Evidence++
			}
		}
		if len(group.bugs) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// confidenceRange is "95" or "72 to 95", or empty if nothing is confirmed.
func confidenceRange(bugs []reported) string {
	if len(bugs) == 0 {
		return ""
	}
	low, high := bugs[0].Verdict.ConfidenceScore, bugs[0].Verdict.ConfidenceScore
	for _, b := range bugs {
		low, high = min(low, b.Verdict.ConfidenceScore), max(high, b.Verdict.ConfidenceScore)
	}
	if low == high {
		return number(low)
	}
	return number(low) + " to " + number(high)
}

// project is what recon says, in short.
type project struct {
	Stack      []artifacts.Technology
	Tiers      string // "3 critical, 5 high"
	Boundaries []artifacts.TrustBoundary
}

// viewProject is nil without recon.
func viewProject(r *artifacts.Recon) *project {
	if r == nil {
		return nil
	}
	var tiers []string
	for _, t := range r.Files.All() {
		if n := len(t.Files); n > 0 {
			tiers = append(tiers, fmt.Sprintf("%d %s", n, tierName(t.Name)))
		}
	}
	if len(tiers) == 0 {
		tiers = []string{"none"}
	}
	return &project{r.TechStack, strings.Join(tiers, ", "), r.TrustBoundaries}
}

// tierName is a tier as a person would write it.
func tierName(tier string) string {
	if tier == "contextOnly" {
		return "for context only"
	}
	return tier
}
