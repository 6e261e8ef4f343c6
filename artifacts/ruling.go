package artifacts

import (
	"fmt"
	"slices"
)

// Ruling is what the pipeline makes of a finding in the end.
type Ruling string

// The rulings. Only [Confirmed] makes a run exit 1, and only a finding that
// all three sides had their say on can be confirmed or dismissed.
const (
	Confirmed  Ruling = "confirmed"
	Dismissed  Ruling = "dismissed"
	NeedsHuman Ruling = "manual review"
	Unjudged   Ruling = "not judged" // a phase has not answered yet, or not in words we know
)

// Grounding says whether the evidence of a finding was found in its file.
type Grounding int

// NotChecked is the zero value: what nobody checked is neither found nor
// missing.
const (
	NotChecked Grounding = iota
	Grounded
	Ungrounded
)

// minJudgedConfidence is the score below which a referee is guessing, and a
// guess settles nothing.
const minJudgedConfidence = 50

// Decide is the one place where a finding becomes a bug or not. It is total:
// c and v are nil where the skeptic or the referee has not answered, and
// every other input leads to a ruling too, with the reason for it. Nothing
// falls through to [Confirmed].
//
// Skeptic and referee work apart. Where they contradict each other, only a
// referee who verified the matter independently overrules; two readings of
// the same evidence go to a person.
func Decide(c *Challenge, v *Verdict, g Grounding) (Ruling, string) {
	switch {
	case v == nil:
		return Unjudged, "the referee has not judged it"
	case c == nil:
		return Unjudged, "the skeptic has not answered it"
	case g == Ungrounded:
		return NeedsHuman, "the quoted evidence is not in the file"
	}
	switch v.Verdict {
	case RealBug:
		return settle(Confirmed, *c, *v, Disprove)
	case NotABug:
		return settle(Dismissed, *c, *v, Accept)
	case ManualReview:
		return NeedsHuman, "the referee asks for a person to look"
	}
	return Unjudged, fmt.Sprintf("the verdict %q is not one this program knows", v.Verdict)
}

// settle gives the ruling that the verdict asks for, unless the referee was
// guessing or only contradicts the skeptic, whose contrary answer is given.
func settle(r Ruling, c Challenge, v Verdict, contrary string) (Ruling, string) {
	switch {
	case !(v.ConfidenceScore >= minJudgedConfidence): // so that NaN is a guess as well
		return NeedsHuman, fmt.Sprintf("the referee says %s with a confidence of only %g", v.Verdict, v.ConfidenceScore)
	case c.Response == contrary && v.VerificationMode != IndependentlyVerified:
		return NeedsHuman, fmt.Sprintf("skeptic (%s) and referee (%s) disagree, and neither verified it independently", c.Response, v.Verdict)
	case c.Response != Accept && c.Response != Disprove && c.Response != ManualReview:
		return Unjudged, fmt.Sprintf("the skeptic's answer %q is not one this program knows", c.Response)
	}
	return r, fmt.Sprintf("the skeptic answered %s, the referee %s", c.Response, v.Verdict)
}

// Assessed is a finding with what was said about it and what the pipeline
// makes of that. Its severity is the referee's, where there is a verdict.
type Assessed struct {
	Finding
	Claimed   Severity   // the hunter's severity
	Challenge *Challenge // nil if the skeptic has not answered
	Verdict   *Verdict   // nil if the referee has not judged
	Ruling    Ruling
	Reason    string // why that ruling
}

// Assess pairs findings with the answers to them, in the order of every
// report. The ids in each list are distinct.
func Assess(findings []Finding, challenges []Challenge, verdicts []Verdict) []Assessed {
	challengeOf := make(map[string]*Challenge, len(challenges))
	for i := range challenges {
		challengeOf[challenges[i].BugID] = &challenges[i]
	}
	verdictOf := make(map[string]*Verdict, len(verdicts))
	for i := range verdicts {
		verdictOf[verdicts[i].BugID] = &verdicts[i]
	}
	claimed := make(map[string]Severity, len(findings))
	sorted := slices.Clone(findings)
	for i, f := range sorted {
		claimed[f.BugID] = f.Severity
		if v := verdictOf[f.BugID]; v != nil {
			sorted[i].Severity = v.TrueSeverity
		}
	}
	SortFindings(sorted)
	out := make([]Assessed, len(sorted))
	for i, f := range sorted {
		a := Assessed{Finding: f, Claimed: claimed[f.BugID], Challenge: challengeOf[f.BugID], Verdict: verdictOf[f.BugID]}
		a.Ruling, a.Reason = Decide(a.Challenge, a.Verdict, NotChecked)
		out[i] = a
	}
	return out
}
