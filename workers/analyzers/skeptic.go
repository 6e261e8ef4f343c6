package analyzers

import (
	"fmt"

	"bughunter/artifacts"
)

// challenge answers the claims of an assignment by the exclusion rules.
func (p *program) challenge(a *artifacts.Assignment) []artifacts.Challenge {
	answers := []artifacts.Challenge{}
	var standing []place
	for _, c := range a.Findings {
		pl, ok := p.locate(c)
		if !ok {
			answers = append(answers, artifacts.Challenge{
				BugID: c.BugID, Response: artifacts.ManualReview,
				AnalysisSummary: "The cited code is in no Go package that loads, so no rule can be held against it.",
			})
			continue
		}
		answer, stands := pl.answer(standing)
		if stands {
			standing = append(standing, pl)
		}
		answers = append(answers, answer)
	}
	return answers
}

// answer is the skeptic's answer to one claim. standing are the claims before
// it that were not disproved.
func (pl place) answer(standing []place) (c artifacts.Challenge, stands bool) {
	c.BugID = pl.claim.BugID
	if e, evidence, ok := pl.exclusion(standing); ok {
		c.Response = artifacts.Disprove
		c.AnalysisSummary = fmt.Sprintf("Rule %s applies: %s.", e.ID, e.Title)
		c.CounterEvidence = sentence(evidence)
		return c, false
	}
	if question := pl.question(); question != "" {
		c.Response = artifacts.ManualReview
		c.AnalysisSummary = fmt.Sprintf("No exclusion rule applies, but the code alone does not say %s.", question)
		return c, true
	}
	c.Response = artifacts.Accept
	c.AnalysisSummary = fmt.Sprintf("None of the exclusion rules %s to %s applies to the code.", Exclusions[0].ID, Exclusions[len(Exclusions)-1].ID)
	return c, true
}

// question is what would have to be known to decide the claim and is not in
// the code. One report that needs no such knowledge is enough to have none.
func (pl place) question() (question string) {
	for _, d := range pl.reports {
		r := table[d.check]
		if r.undecided == "" || settles[d.check] != nil && settles[d.check](pl, d) {
			return ""
		}
		question = r.undecided
	}
	return question
}
