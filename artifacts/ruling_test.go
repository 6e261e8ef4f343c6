package artifacts

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is a skeptic's answer, or a referee's verdict with all that counts of
// it. The word "-" stands for no answer, "?" for one nobody knows.
const (
	silent  = "-"
	unknown = "?"
)

func challenge(word string) *Challenge {
	if word == silent {
		return nil
	}
	return &Challenge{BugID: "B", Response: word, AnalysisSummary: "because"}
}

func verdict(word, mode string, confidence float64) *Verdict {
	if word == silent {
		return nil
	}
	return &Verdict{BugID: "B", Verdict: word, VerificationMode: mode, ConfidenceScore: confidence, TrueSeverity: SeverityLow}
}

var (
	answers     = []string{silent, Accept, Disprove, ManualReview, unknown}
	verdicts    = []string{silent, RealBug, NotABug, ManualReview, unknown}
	modes       = []string{IndependentlyVerified, EvidenceBased, unknown}
	confidences = []float64{0, 49.9, 50, 100}
	groundings  = []Grounding{NotChecked, Grounded, Ungrounded}
)

// rulingTable has a line for each verdict and mode, and in it a ruling for each
// answer in the order of answers: u not judged, h for a human, C confirmed,
// D dismissed. First for a referee who guesses, then for one who is sure.
const rulingTable = `
verdict       mode                     guess  sure
-             any                      uuuuu  uuuuu
REAL_BUG      INDEPENDENTLY_VERIFIED   uhhhh  uCCCu
REAL_BUG      EVIDENCE_BASED           uhhhh  uChCu
REAL_BUG      ?                        uhhhh  uChCu
NOT_A_BUG     INDEPENDENTLY_VERIFIED   uhhhh  uDDDu
NOT_A_BUG     EVIDENCE_BASED           uhhhh  uhDDu
NOT_A_BUG     ?                        uhhhh  uhDDu
MANUAL_REVIEW any                      uhhhh  uhhhh
?             any                      uuuuu  uuuuu
`

var letters = map[Ruling]string{Unjudged: "u", NeedsHuman: "h", Confirmed: "C", Dismissed: "D"}

func TestTheRulingOnEveryCombination(t *testing.T) {
	for _, grounding := range groundings[:2] {
		t.Run(fmt.Sprint("grounding ", grounding), func(t *testing.T) {
			if diff := cmp.Diff(rulingTable, tableOf(t, grounding)); diff != "" {
				t.Errorf("other rulings (-want +got):\n%s", diff)
			}
		})
	}
}

func tableOf(t *testing.T, g Grounding) string {
	var b strings.Builder
	b.WriteString("\nverdict       mode                     guess  sure\n")
	for _, v := range verdicts {
		lines := map[string]bool{}
		var shown []string
		for _, m := range modes {
			line := rulings(t, v, m, g, confidences[:2]) + "  " + rulings(t, v, m, g, confidences[2:])
			if !lines[line] || v == RealBug || v == NotABug {
				shown = append(shown, fmt.Sprintf("%-24s %s", m, line))
			}
			lines[line] = true
		}
		if len(lines) == 1 {
			shown = []string{fmt.Sprintf("%-24s %s", "any", rulings(t, v, modes[0], g, confidences[:2])+"  "+rulings(t, v, modes[0], g, confidences[2:]))}
		}
		for _, line := range shown {
			fmt.Fprintf(&b, "%-13s %s\n", v, line)
		}
	}
	return b.String()
}

// rulings are the letters of the rulings over all answers. They must not
// differ between the confidences.
func rulings(t *testing.T, v, mode string, g Grounding, confidences []float64) (all string) {
	for _, c := range answers {
		first := ""
		for _, confidence := range confidences {
			ruling, _ := Decide(challenge(c), verdict(v, mode, confidence), g)
			letter, ok := letters[ruling]
			if first == "" {
				first = letter
			}
			if !ok || letter != first {
				t.Errorf("%s by %s with %g after %s: %q, and %q with less", v, mode, confidence, c, ruling, first)
			}
		}
		all += first
	}
	return all
}

func TestNothingIsConfirmedOrDismissedByDefault(t *testing.T) {
	everyInput(func(c, v, mode string, confidence float64, g Grounding) {
		ruling, reason := Decide(challenge(c), verdict(v, mode, confidence), g)
		input := fmt.Sprintf("skeptic %s, referee %s by %s with %g, grounding %d: %s", c, v, mode, confidence, g, ruling)
		if reason == "" {
			t.Errorf("%s without a reason", input)
		}
		if ruling != Confirmed && ruling != Dismissed {
			return
		}
		switch {
		case c == silent || c == unknown || v == silent || v == unknown:
			t.Errorf("%s, though not both answered", input)
		case g == Ungrounded:
			t.Errorf("%s, though the evidence is not there", input)
		case !(confidence >= 50):
			t.Errorf("%s, though the referee guesses", input)
		case ruling == Confirmed && v != RealBug, ruling == Dismissed && v != NotABug:
			t.Errorf("%s, which the referee does not say", input)
		case mode != IndependentlyVerified && (v == RealBug && c == Disprove || v == NotABug && c == Accept):
			t.Errorf("%s, though the skeptic says the contrary and nobody verified it", input)
		}
	})
}

func everyInput(visit func(c, v, mode string, confidence float64, g Grounding)) {
	for _, c := range append(answers, "", "accept") {
		for _, v := range append(verdicts, "", "real_bug", string(Confirmed)) {
			for _, mode := range append(modes, "") {
				for _, confidence := range append(confidences, -1, math.NaN(), math.Inf(-1), math.Inf(1)) {
					for _, g := range append(groundings, -1, 7) {
						visit(c, v, mode, confidence, g)
					}
				}
			}
		}
	}
}

func TestARulingSaysWhatItIsFor(t *testing.T) {
	for _, tt := range []struct {
		c      *Challenge
		v      *Verdict
		g      Grounding
		ruling Ruling
		reason string
	}{
		{nil, nil, NotChecked, Unjudged, "the referee has not judged it"},
		{nil, verdict(RealBug, EvidenceBased, 90), Grounded, Unjudged, "the skeptic has not answered it"},
		{challenge(Accept), verdict(RealBug, EvidenceBased, 90), Ungrounded, NeedsHuman, "the quoted evidence is not in the file"},
		{challenge(Accept), verdict(RealBug, EvidenceBased, 49.9), Grounded, NeedsHuman, "the referee says REAL_BUG with a confidence of only 49.9"},
		{challenge(Accept), verdict(RealBug, EvidenceBased, 90), Grounded, Confirmed, "the skeptic answered ACCEPT, the referee REAL_BUG"},
		{challenge(Disprove), verdict(RealBug, EvidenceBased, 90), Grounded, NeedsHuman, "skeptic (DISPROVE) and referee (REAL_BUG) disagree, and neither verified it independently"},
		{challenge("MAYBE"), verdict(NotABug, EvidenceBased, 90), Grounded, Unjudged, `the skeptic's answer "MAYBE" is not one this program knows`},
		{challenge(Accept), verdict("PROBABLY", EvidenceBased, 90), Grounded, Unjudged, `the verdict "PROBABLY" is not one this program knows`},
	} {
		ruling, reason := Decide(tt.c, tt.v, tt.g)
		if ruling != tt.ruling || reason != tt.reason {
			t.Errorf("got %s because %q, want %s because %q", ruling, reason, tt.ruling, tt.reason)
		}
	}
}
