package analyzers

import (
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"bughunter/artifacts"
)

// fix proposes the changes that analyzers offer for the bugs of an assignment.
func (p *program) fix(a *artifacts.Assignment) *artifacts.FixReport {
	report := &artifacts.FixReport{SchemaVersion: artifacts.SchemaVersion, DryRun: true, Fixes: []artifacts.Fix{}}
	for _, c := range a.Findings {
		report.Fixes = append(report.Fixes, p.proposal(c))
	}
	return report
}

func (p *program) proposal(c artifacts.Claim) artifacts.Fix {
	pl, _ := p.locate(c)
	for _, d := range pl.reports {
		for _, offered := range d.fixes {
			patch, err := p.patch(c.File, offered)
			if err != nil {
				return artifacts.Fix{BugID: c.BugID, Status: artifacts.FixFailed, Reason: err.Error()}
			}
			if patch != "" {
				return artifacts.Fix{BugID: c.BugID, Status: artifacts.FixProposed, Patch: patch,
					Reason: fmt.Sprintf("%s offers: %s", d.check, sentence(offered.Message))}
			}
		}
	}
	return artifacts.Fix{BugID: c.BugID, Status: artifacts.FixSkipped, Reason: "No analyzer that reports it offers a change."}
}

// patch makes a unified diff of an analyzer's edits. Edits of other files than
// the finding's are not taken; then it is "".
func (p *program) patch(file string, offered suggestedFix) (string, error) {
	before := string(p.content(file))
	var edits []udiff.Edit
	for _, e := range offered.Edits {
		if p.relative(e.Filename) != file {
			return "", nil
		}
		edits = append(edits, udiff.Edit{Start: e.Start, End: e.End, New: e.New})
	}
	after, err := udiff.Apply(before, edits)
	if err != nil {
		return "", fmt.Errorf("the edits that an analyzer offers do not fit %s: %w", file, err)
	}
	return udiff.Unified("a/"+file, "b/"+file, before, after), nil
}
