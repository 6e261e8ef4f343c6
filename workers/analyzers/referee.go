package analyzers

import (
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// judge gives a verdict on every claim of an assignment.
func (p *program) judge(a *artifacts.Assignment) []artifacts.Verdict {
	challenges := map[string]artifacts.Challenge{}
	for _, c := range a.Challenges {
		challenges[c.BugID] = c
	}
	verdicts := []artifacts.Verdict{}
	var standing []place
	for _, c := range a.Findings {
		v := ruling{verdict: artifacts.ManualReview, mode: artifacts.EvidenceBased,
			summary: "The cited code is in no Go package that loads, so nothing could be verified."}
		pl, ok := p.locate(c)
		if ok {
			v = pl.rule(challenges[c.BugID], standing)
		}
		if v.verdict != artifacts.NotABug && ok {
			standing = append(standing, pl)
		}
		verdicts = append(verdicts, pl.verdict(c, v))
	}
	return verdicts
}

// ruling is what the referee decides, before it is put into words for others.
type ruling struct {
	verdict string
	mode    string
	score   float64
	summary string
}

// Scores of the referee. A second family of analyzers makes an error of both
// unlikely; the rules of the skeptic are checked again and seldom wrong.
const (
	exclusionScore = 90
	agreementBonus = 10
	maxScore       = 98
)

// rule decides one claim: by the exclusion rules first, then by what can be
// verified by another way than the hunter's.
func (pl place) rule(challenge artifacts.Challenge, standing []place) ruling {
	if e, evidence, ok := pl.exclusion(standing); ok {
		return ruling{verdict: artifacts.NotABug, mode: artifacts.EvidenceBased, score: exclusionScore,
			summary: fmt.Sprintf("Rule %s holds (%s): %s", e.ID, e.Title, sentence(evidence))}
	}
	score := pl.score()
	switch question := pl.question(); {
	case len(pl.reports) == 0:
		return ruling{verdict: artifacts.ManualReview, mode: artifacts.EvidenceBased,
			summary: "No built-in analyzer reports this, so it could be neither verified nor refuted."}
	case challenge.Response == artifacts.Disprove:
		return ruling{verdict: artifacts.ManualReview, mode: artifacts.EvidenceBased, score: score,
			summary: "The skeptic's evidence against it could not be verified by rule."}
	case question != "":
		return ruling{verdict: artifacts.ManualReview, mode: artifacts.EvidenceBased, score: score,
			summary: fmt.Sprintf("The report is right about the code, but it is not in the code %s.", question)}
	}
	return pl.verify(score)
}

// verify looks for support that does not come from the analyzer that made the
// claim: another family's report, or a way from an entry point to the code.
func (pl place) verify(score float64) ruling {
	v := ruling{verdict: artifacts.RealBug, mode: artifacts.IndependentlyVerified, score: score}
	reached := pl.reachedFrom()
	var verified []string
	if families := pl.families(); len(families) > 1 {
		v.score = min(score+agreementBonus, maxScore)
		verified = append(verified, fmt.Sprintf("Analyzers of %s report it independently of each other.", strings.Join(families, " and ")))
	}
	if reached != "" {
		verified = append(verified, reached)
	}
	if len(verified) == 0 {
		v.mode = artifacts.EvidenceBased
		verified = append(verified, "No second analyzer reports it and no way from an entry point was found; the verdict rests on the report.")
	} else if v.score == score {
		verified = append(verified, fmt.Sprintf("That it runs was verified; that it is wrong rests on %s.", strings.Join(checksOf(pl.reports), ", ")))
	}
	v.summary = strings.Join(verified, " ")
	return v
}

func (pl place) score() (score float64) {
	for _, d := range pl.reports {
		score = max(score, table[d.check].confidence)
	}
	return score
}

// families are the sources of the reports that are about the bug of the first.
func (pl place) families() (names []string) {
	for _, d := range pl.reports {
		if f := family(d.check); alike(d.check, pl.reports[0].check) && !slices.Contains(names, f) {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names
}

// reachedFrom says how the code is reached, "" if no way was found.
func (pl place) reachedFrom() string {
	name := pl.functionName()
	switch {
	case name == "" && pl.outsideFunctions():
		return "The code runs when the package is initialised."
	case name == "":
		return ""
	}
	r := pl.program.reach()
	kind, way := r.reached(name)
	path := strings.Join(way, " → ")
	switch {
	case kind == fromMain:
		return "The code is reached when the program runs: " + path + "."
	case kind == fromAPI:
		return "The code is reached through the exported API: " + path + "."
	case kind == fromTest && !r.mayRun(name):
		return "The code is reached from tests only: " + path + "."
	}
	return ""
}

// verdict puts a ruling into the form of the contract.
func (pl place) verdict(c artifacts.Claim, v ruling) artifacts.Verdict {
	out := artifacts.Verdict{
		BugID: c.BugID, Verdict: v.verdict, TrueSeverity: c.Severity,
		ConfidenceScore: v.score, ConfidenceLabel: artifacts.Label(v.score),
		VerificationMode: v.mode, AnalysisSummary: v.summary,
	}
	if len(pl.reports) == 0 || v.verdict == artifacts.NotABug {
		return out
	}
	r := table[pl.reports[0].check]
	out.SuggestedFix = r.fix
	if r.threat != nil {
		out.Security = &artifacts.Security{
			Reachability: pl.reachability(pl.reports[0].check, r.threat), Exploitability: r.threat.exploitability, CVSSVector: r.threat.vector,
		}
	}
	return out
}

// reachability tells what others reach over the network from the rest: what
// data of a request reaches, what is wrong with the network's own traffic, and
// code that is reached from a function that is given a request.
func (pl place) reachability(check string, t *threat) string {
	switch {
	case t.vector == localUser:
		return "INTERNAL"
	case taintAnalyses[check] != nil, t.vector == listensIn, t.vector == slows, pl.program.reach().serves(pl.functionName()):
		return "EXTERNAL"
	}
	return "INTERNAL"
}
