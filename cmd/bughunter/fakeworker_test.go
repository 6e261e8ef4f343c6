package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"bughunter/artifacts"
)

// fakeWorker is a worker whose answers follow from the sources: it reads the
// assignment that its argument names and prints a valid answer for its phase.
// A line with a comment such as
//
//	// BUG High: the index is not checked
//
// is a finding. The skeptic and the referee agree with it, unless the claim
// holds "(decoy)", which is dismissed, or "(unclear)", which a person has to
// look at.
func fakeWorker() {
	answer, err := fakeAnswer(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeworker:", err)
		os.Exit(1)
	}
}

func fakeAnswer(assignment string) (any, error) {
	data, err := os.ReadFile(assignment)
	if err != nil {
		return nil, err
	}
	var a artifacts.Assignment
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	switch a.Phase {
	case "recon":
		return fakeRecon(a.Files), nil
	case "hunter":
		return fakeFindings(a.Root, a.Files)
	case "skeptic":
		return fakeChallenges(a.Findings), nil
	case "referee":
		return fakeVerdicts(a.Findings), nil
	}
	return fakeFixes(a.Root, a.Findings)
}

func fakeRecon(files []string) artifacts.Recon {
	none := []artifacts.TieredFile{}
	r := artifacts.Recon{
		SchemaVersion: artifacts.SchemaVersion,
		Files:         artifacts.Tiers{Critical: none, High: none, Medium: none, Low: none, ContextOnly: none},
		TechStack:     []artifacts.Technology{}, TrustBoundaries: []artifacts.TrustBoundary{}, Notes: []string{},
	}
	for _, f := range files {
		r.Files.Medium = append(r.Files.Medium, artifacts.TieredFile{Path: f, Reason: "it is there"})
	}
	return r
}

var marked = regexp.MustCompile(`// BUG (Critical|High|Medium|Low): (.+)`)

func fakeFindings(root string, files []string) ([]artifacts.Finding, error) {
	findings := []artifacts.Finding{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(data), "\n") {
			m := marked.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			findings = append(findings, artifacts.Finding{
				BugID: fmt.Sprintf("F-%d", len(findings)+1), Severity: artifacts.Severity(m[1]), Category: "logic",
				File: file, Lines: fmt.Sprint(i + 1), Claim: m[2], Evidence: line,
				RuntimeTrigger: "call it", CrossReferences: []artifacts.CrossReference{}, ConfidenceScore: 90,
			})
		}
	}
	return findings, nil
}

func fakeChallenges(claims []artifacts.Claim) []artifacts.Challenge {
	answers := []artifacts.Challenge{}
	for _, c := range claims {
		answer := artifacts.Challenge{BugID: c.BugID, Response: artifacts.Accept, AnalysisSummary: "the code does that"}
		switch {
		case strings.Contains(c.Claim, "(decoy)"):
			answer.Response, answer.CounterEvidence = artifacts.Disprove, "the caller checks it"
		case strings.Contains(c.Claim, "(unclear)"):
			answer.Response = artifacts.ManualReview
		}
		answers = append(answers, answer)
	}
	return answers
}

func fakeVerdicts(claims []artifacts.Claim) []artifacts.Verdict {
	verdicts := []artifacts.Verdict{}
	for _, c := range claims {
		v := artifacts.Verdict{
			BugID: c.BugID, Verdict: artifacts.RealBug, TrueSeverity: c.Severity, ConfidenceScore: 90,
			ConfidenceLabel: "high", VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "read on both sides",
		}
		switch {
		case strings.Contains(c.Claim, "(decoy)"):
			v.Verdict = artifacts.NotABug
		case strings.Contains(c.Claim, "(unclear)"):
			v.Verdict = artifacts.ManualReview
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// fakeFixes proposes for each bug to take its line out, leaving an empty one.
func fakeFixes(root string, claims []artifacts.Claim) (artifacts.FixReport, error) {
	report := artifacts.FixReport{SchemaVersion: artifacts.SchemaVersion, DryRun: true, Fixes: []artifacts.Fix{}}
	for _, c := range claims {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.File)))
		if err != nil {
			return report, err
		}
		n := artifacts.FirstLine(c.Lines)
		line := strings.Split(string(data), "\n")[n-1]
		report.Fixes = append(report.Fixes, artifacts.Fix{
			BugID: c.BugID, Status: artifacts.FixProposed, Reason: "without the line it cannot happen",
			Patch: fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,1 +%d,1 @@\n-%s\n+\n", c.File, c.File, n, n, line),
		})
	}
	return report, nil
}
