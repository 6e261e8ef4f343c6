package phases

import (
	"bughunter/artifacts"
	"bughunter/schemas"
)

// Skeptic answers every finding, and disproves one only with evidence against
// it. It gets the claim and where to look: not the hunter's reasoning, nor how
// sure the hunter was.
var Skeptic = &Phase{
	Name:     "skeptic",
	Artifact: schemas.Skeptic,
	Reads:    []string{schemas.Findings},
	assign: func(c *Case, a *artifacts.Assignment) {
		for _, f := range c.Findings {
			a.Findings = append(a.Findings, artifacts.Claim{
				BugID: f.BugID, Severity: f.Severity, Category: f.Category, File: f.File, Lines: f.Lines,
				Claim: f.Claim, Stride: f.Stride, CWE: f.CWE,
			})
		}
	},
	unasked: func(c *Case) any {
		if len(c.Findings) > 0 {
			return nil
		}
		c.Challenges = []artifacts.Challenge{}
		return c.Challenges
	},
	accept: acceptChallenges,
}

func acceptChallenges(c *Case, reply []byte) (answer, []schemas.Problem) {
	challenges, ps := decode[[]artifacts.Challenge](reply)
	if ps != nil {
		return answer{}, ps
	}
	var found problems
	found.matchIDs("", ids(challenges, challengeID), ids(c.Findings, findingID))
	if len(found) > 0 {
		return answer{}, found
	}
	challenges = inOrder(c.Findings, challenges, challengeID)
	c.Challenges = challenges
	return answer{value: challenges, items: len(challenges)}, nil
}

func challengeID(c artifacts.Challenge) string { return c.BugID }

// inOrder puts answers into the order of the findings they are about.
func inOrder[T any](findings []artifacts.Finding, answers []T, id func(T) string) []T {
	byID := map[string]T{}
	for _, a := range answers {
		byID[id(a)] = a
	}
	out := make([]T, 0, len(answers))
	for _, f := range findings {
		out = append(out, byID[f.BugID])
	}
	return out
}
