package phases

import (
	"fmt"
	"strings"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// Referee gives one verdict on every finding. It gets what both sides brought,
// without their scores. The CVSS score of a verdict is computed here from its
// vector.
var Referee = &Phase{
	Name:     "referee",
	Artifact: schemas.Referee,
	Reads:    []string{schemas.Findings, schemas.Skeptic},
	assign: func(c *Case, a *artifacts.Assignment) {
		a.Findings = claims(c.Findings)
		a.Challenges = c.Challenges
	},
	unasked: func(c *Case) any {
		if len(c.Findings) > 0 {
			return nil
		}
		c.Verdicts = []artifacts.Verdict{}
		return c.Verdicts
	},
	accept: acceptVerdicts,
}

// claims are findings with their evidence and without the hunter's confidence.
func claims(findings []artifacts.Finding) []artifacts.Claim {
	out := make([]artifacts.Claim, len(findings))
	for i, f := range findings {
		out[i] = artifacts.Claim{
			BugID: f.BugID, Severity: f.Severity, Category: f.Category, File: f.File, Lines: f.Lines,
			Claim: f.Claim, Evidence: f.Evidence, RuntimeTrigger: f.RuntimeTrigger,
			CrossReferences: f.CrossReferences, Stride: f.Stride, CWE: f.CWE,
		}
	}
	return out
}

func acceptVerdicts(c *Case, reply []byte) (answer, []schemas.Problem) {
	verdicts, ps := decode[[]artifacts.Verdict](reply)
	if ps != nil {
		return answer{}, ps
	}
	var found problems
	found.matchIDs("", ids(verdicts, verdictID), ids(c.Findings, findingID))
	category := map[string]string{}
	for _, f := range c.Findings {
		category[f.BugID] = f.Category
	}
	for i := range verdicts {
		found.checkVerdict(fmt.Sprintf("/%d", i), &verdicts[i], category[verdicts[i].BugID])
	}
	if len(found) > 0 {
		return answer{}, found
	}
	verdicts = inOrder(c.Findings, verdicts, verdictID)
	c.Verdicts = verdicts
	return answer{value: verdicts, items: len(verdicts)}, nil
}

func verdictID(v artifacts.Verdict) string { return v.BugID }

// checkVerdict checks what a verdict says of a security bug and computes its
// score.
func (ps *problems) checkVerdict(at string, v *artifacts.Verdict, category string) {
	if v.Verdict == artifacts.RealBug && v.Security == nil && strings.EqualFold(category, "security") {
		ps.add(at, "missing security: a real bug of category security needs reachability, exploitability and a CVSS vector")
	}
	if v.Security == nil {
		return
	}
	score, err := cvssScore(v.Security.CVSSVector)
	if err != nil {
		ps.add(at+"/security/cvssVector", "%v", err)
		return
	}
	if given := v.Security.CVSSScore; given != nil && *given != score {
		ps.add(at+"/security/cvssScore", "%g does not follow from the vector, which gives %g; leave it out", *given, score)
	}
	v.Security.CVSSScore = &score
}
