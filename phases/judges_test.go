package phases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

// judgedCase has three findings, one of them about security.
func judgedCase() *Case {
	c := &Case{}
	for i, category := range []string{"logic", "Security", "bounds"} {
		c.Findings = append(c.Findings, artifacts.Finding{BugID: fmt.Sprintf("BUG-%d", i+1), Category: category, File: "a.go", Lines: "1"})
	}
	return c
}

// one answers each finding exactly once, whatever the answers are.
var oneAnswerEach = []struct {
	name string
	ids  []string
	want []string
}{
	{"one each", []string{"BUG-1", "BUG-2", "BUG-3"}, nil},
	{"in another order", []string{"BUG-3", "BUG-1", "BUG-2"}, nil},
	{"none", []string{}, []string{"no answer for BUG-1, BUG-2, BUG-3;"}},
	{"one is left out", []string{"BUG-1", "BUG-3"}, []string{"no answer for BUG-2;"}},
	{"one twice", []string{"BUG-1", "BUG-2", "BUG-3", "BUG-2"}, []string{`/3/bugId: "BUG-2" was answered already at /1;`}},
	{"one thrice", []string{"BUG-1", "BUG-1", "BUG-1", "BUG-2", "BUG-3"}, []string{"/1/bugId: *at /0", "/2/bugId: *at /0"}},
	{"one too many", []string{"BUG-1", "BUG-2", "BUG-3", "BUG-4"}, []string{`/3/bugId: "BUG-4" is not the id of a bug in the assignment`}},
	{"in other letters", []string{"bug-1", "BUG-2", "BUG-3"}, []string{`/0/bugId: "bug-1" is not`, "no answer for BUG-1;"}},
	{"all of it wrong", []string{"X", "X"}, []string{`/0/bugId: "X" is not`, `/1/bugId: "X" was answered already`, "no answer for BUG-1, BUG-2, BUG-3;"}},
}

func challenge(id string) artifacts.Challenge {
	return artifacts.Challenge{BugID: id, Response: artifacts.Accept, AnalysisSummary: "It stands."}
}

func verdict(id string) artifacts.Verdict {
	v := artifacts.Verdict{
		BugID: id, Verdict: artifacts.RealBug, TrueSeverity: artifacts.SeverityHigh, ConfidenceScore: 90, ConfidenceLabel: "high",
		VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "It is one.",
	}
	if id == "BUG-2" {
		v.Security = &artifacts.Security{Reachability: "EXTERNAL", Exploitability: "EASY", CVSSVector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}
	}
	return v
}

func TestTheSkepticAnswersEachFindingOnce(t *testing.T) {
	for _, tt := range oneAnswerEach {
		t.Run(tt.name, func(t *testing.T) {
			c := judgedCase()
			answers := []artifacts.Challenge{}
			for _, id := range tt.ids {
				answers = append(answers, challenge(id))
			}
			wantProblems(t, check(t, Skeptic, c, asJSON(t, answers)), tt.want)
			if got := ids(c.Challenges, challengeID); tt.want == nil && !slices.Equal(got, []string{"BUG-1", "BUG-2", "BUG-3"}) {
				t.Errorf("the answers are about %v", got)
			}
			if tt.want != nil && c.Challenges != nil {
				t.Error("answers that are rejected are kept in the case")
			}
		})
	}
}

func TestTheRefereeJudgesEachFindingOnce(t *testing.T) {
	for _, tt := range oneAnswerEach {
		t.Run(tt.name, func(t *testing.T) {
			c := judgedCase()
			answers := []artifacts.Verdict{}
			for _, id := range tt.ids {
				answers = append(answers, verdict(id))
			}
			wantProblems(t, check(t, Referee, c, asJSON(t, answers)), tt.want)
			if got := ids(c.Verdicts, verdictID); tt.want == nil && !slices.Equal(got, []string{"BUG-1", "BUG-2", "BUG-3"}) {
				t.Errorf("the verdicts are about %v", got)
			}
			if tt.want != nil && c.Verdicts != nil {
				t.Error("verdicts that are rejected are kept in the case")
			}
		})
	}
}

func TestWhatAVerdictOnASecurityBugMustSay(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(v *artifacts.Verdict)
		want   []string
	}{
		{"all is well", func(v *artifacts.Verdict) {}, nil},
		{"no security", func(v *artifacts.Verdict) { v.Security = nil }, []string{"/1: missing security: "}},
		{"no security where it is no bug", func(v *artifacts.Verdict) { v.Security, v.Verdict = nil, artifacts.NotABug }, nil},
		{"no security where a person is asked", func(v *artifacts.Verdict) { v.Security, v.Verdict = nil, artifacts.ManualReview }, nil},
		{"the right score", func(v *artifacts.Verdict) { v.Security.CVSSScore = new(9.8) }, nil},
		{"a wrong score", func(v *artifacts.Verdict) { v.Security.CVSSScore = new(9.7) },
			[]string{"/1/security/cvssScore: 9.7 does not follow from the vector, which gives 9.8;"}},
		{"a score of 0", func(v *artifacts.Verdict) { v.Security.CVSSScore = new(0.0) }, []string{"/1/security/cvssScore: 0 does not follow"}},
		{"half a vector", func(v *artifacts.Verdict) { v.Security.CVSSVector = "CVSS:3.1/AV:N/AC:L" }, []string{`/1/security/cvssVector: "CVSS:3.1/AV:N/AC:L" is not a CVSS 3.1 vector`}},
		{"a metric twice", func(v *artifacts.Verdict) { v.Security.CVSSVector += "/AV:N" }, []string{"/1/security/cvssVector: *is not a CVSS 3.1 vector"}},
		{"a value that there is not", func(v *artifacts.Verdict) {
			v.Security.CVSSVector = strings.Replace(v.Security.CVSSVector, "AV:N", "AV:X", 1)
		},
			[]string{"/1/security/cvssVector: *"}},
		{"a 3.1 vector called 4.0", func(v *artifacts.Verdict) {
			v.Security.CVSSVector = strings.Replace(v.Security.CVSSVector, "3.1", "4.0", 1)
		},
			[]string{"/1/security/cvssVector: *is not a CVSS 4.0 vector"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := judgedCase()
			vs := []artifacts.Verdict{verdict("BUG-1"), verdict("BUG-2"), verdict("BUG-3")}
			tt.change(&vs[1])
			wantProblems(t, check(t, Referee, c, asJSON(t, vs)), tt.want)
		})
	}
	t.Run("the score is filled in", func(t *testing.T) {
		c := judgedCase()
		check(t, Referee, c, asJSON(t, []artifacts.Verdict{verdict("BUG-1"), verdict("BUG-2"), verdict("BUG-3")}))
		if got := c.Verdicts[1].Security.CVSSScore; got == nil || *got != 9.8 {
			t.Errorf("the score is %v", got)
		}
	})
	t.Run("on a bug of another category it is checked too", func(t *testing.T) {
		c := judgedCase()
		v := verdict("BUG-1")
		v.Security = &artifacts.Security{Reachability: "INTERNAL", Exploitability: "HARD", CVSSVector: "CVSS:3.1/x"}
		got := check(t, Referee, c, asJSON(t, []artifacts.Verdict{v, verdict("BUG-2"), verdict("BUG-3")}))
		wantProblems(t, got, []string{"/0/security/cvssVector: *"})
	})
}

// The examples of the standards: https://www.first.org/cvss/v3.1/examples and
// https://www.first.org/cvss/v4.0/examples.
func TestScoresFollowFromTheirVectors(t *testing.T) {
	for vector, want := range map[string]float64{
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N":                    6.1, // CVE-2013-1937
		"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N":                    6.4, // CVE-2013-0375
		"CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N":                    3.1, // CVE-2014-3566
		"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H":                    9.9, // CVE-2012-1516
		"CVSS:3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:L":                    4.2, // CVE-2009-0783
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H":                    9.8, // CVE-2014-6271
		"CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:N/I:H/A:N":                    6.8, // CVE-2008-1447
		"CVSS:3.1/AV:A/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H":                    8.8, // CVE-2011-1265
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N":                    7.5, // CVE-2014-0160
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N":                    0,
		"CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N": 7.3, // CVE-2022-41741
		"CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N": 7.7, // CVE-2020-3549
		"CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N/SA:N": 8.3, // CVE-2023-3089
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N": 8.7, // CVE-2014-0160
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:A/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N": 5.1, // CVE-2022-21830
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H": 10,  // CVE-2021-44228
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N": 0,
		// What is known of exploits and of one installation does not change the base score.
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U/RL:O/RC:U":                     9.8,
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H/E:U/CR:L/MAV:P": 10,
	} {
		if got, err := cvssScore(vector); err != nil || got != want {
			t.Errorf("%s gives %v, %v; want %v", vector, got, err, want)
		}
	}
	for _, vector := range []string{"", "CVSS:3.1/", "CVSS:4.0/", "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "9.8", "CVSS:4.0/AV:N", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/"} {
		if got, err := cvssScore(vector); err == nil {
			t.Errorf("%q gives %v", vector, got)
		}
	}
}

// What a phase is not told cannot sway it.
func TestWhatEachPhaseIsTold(t *testing.T) {
	f := claimed()
	f.ConfidenceScore, f.ConfidenceLabel = 87.25, "high"
	f.Stride, f.CWE = "Tampering", "CWE-190"
	f.WorkerBugID, f.Fingerprint = "H-1", "0123456789abcdef"
	c := &Case{
		Findings: []artifacts.Finding{f}, Challenges: []artifacts.Challenge{challenge("H-1")}, Verdicts: []artifacts.Verdict{verdict("H-1")},
		Plan: &artifacts.FixPlan{Steps: []artifacts.FixStep{{BugID: "H-1"}}}, Recon: &artifacts.Recon{Notes: []string{"a note"}},
	}
	assigned := func(p *Phase) *artifacts.Assignment {
		a := &artifacts.Assignment{}
		p.assign(c, a)
		return a
	}
	short := artifacts.Claim{
		BugID: "H-1", Severity: f.Severity, Category: f.Category, File: f.File, Lines: f.Lines, Claim: f.Claim, Stride: f.Stride, CWE: f.CWE,
	}
	full := short
	full.Evidence, full.RuntimeTrigger, full.CrossReferences = f.Evidence, f.RuntimeTrigger, f.CrossReferences
	for _, tt := range []struct {
		phase *Phase
		want  *artifacts.Assignment
	}{
		{Recon, &artifacts.Assignment{}},
		{Skeptic, &artifacts.Assignment{Findings: []artifacts.Claim{short}}},
		{Referee, &artifacts.Assignment{Findings: []artifacts.Claim{full}, Challenges: c.Challenges}},
		{Fixer, &artifacts.Assignment{Findings: []artifacts.Claim{full}, Verdicts: c.Verdicts}},
	} {
		got := assigned(tt.phase)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("the %s (-want +got):\n%s", tt.phase.Name, diff)
		}
		text := asJSON(t, got)
		for _, secret := range []string{"87.25", "0123456789abcdef", "a note"} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s is told %s", tt.phase.Name, secret)
			}
		}
	}
	if text := asJSON(t, assigned(Referee)); strings.Contains(text, "confidence") {
		t.Errorf("the referee is told of a score:\n%s", text)
	}
}

func TestTheFixerIsToldOfTheBugsOfThePlanAlone(t *testing.T) {
	c := judgedCase()
	for _, f := range c.Findings {
		c.Verdicts = append(c.Verdicts, verdict(f.BugID))
	}
	c.Plan = &artifacts.FixPlan{Steps: []artifacts.FixStep{{BugID: "BUG-3"}, {BugID: "BUG-1"}}}
	a := &artifacts.Assignment{}
	Fixer.assign(c, a)
	want := []string{"BUG-1", "BUG-3"}
	if got := ids(a.Findings, func(c artifacts.Claim) string { return c.BugID }); !slices.Equal(got, want) {
		t.Errorf("the findings are %v", got)
	}
	if got := ids(a.Verdicts, verdictID); !slices.Equal(got, want) {
		t.Errorf("the verdicts are %v", got)
	}
	if len(c.Verdicts) != 3 || c.Verdicts[1].BugID != "BUG-2" {
		t.Errorf("the case's own verdicts are now %v", ids(c.Verdicts, verdictID))
	}
}
