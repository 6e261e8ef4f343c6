package phases

import (
	"fmt"
	"strings"

	"bughunter/artifacts"
	"bughunter/schemas"
	"bughunter/scope"
)

// fillIn marks what a template leaves open. It passes no check.
const fillIn = "REPLACE"

// Template returns the assignment of a phase for somebody to fill in. What is
// left open breaks the schema or the checks of [CheckAssignment].
func Template(phase, root string, files []string, outputPath string) (*artifacts.Assignment, error) {
	p, err := Lookup(phase)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		files = []string{fillIn + "/with/a/file"}
	}
	a := &artifacts.Assignment{
		SchemaVersion: artifacts.SchemaVersion, Phase: p.Name, Chunk: "chunk-1", Attempt: 1, Root: root, Files: files,
		OutputSchema: artifacts.OutputSchema{Artifact: p.Artifact, SchemaVersion: artifacts.SchemaVersion},
		OutputPath:   outputPath,
	}
	claim := artifacts.Claim{BugID: fillIn, Severity: fillIn, Category: fillIn, File: files[0], Lines: fillIn, Claim: fillIn}
	switch p {
	case Hunter:
		a.Recon = templateRecon(files)
	case Skeptic:
		a.Findings = []artifacts.Claim{claim}
	case Referee:
		a.Findings = []artifacts.Claim{claim}
		a.Challenges = []artifacts.Challenge{{BugID: fillIn, Response: fillIn, AnalysisSummary: fillIn}}
	case Fixer:
		a.Findings = []artifacts.Claim{claim}
		a.Verdicts = []artifacts.Verdict{{BugID: fillIn, Verdict: fillIn, TrueSeverity: fillIn, ConfidenceLabel: fillIn, VerificationMode: fillIn, AnalysisSummary: fillIn}}
	}
	return a, nil
}

// templateRecon puts the files into the middle tier, for want of anything
// better known.
func templateRecon(files []string) *artifacts.Recon {
	r := &artifacts.Recon{
		SchemaVersion: artifacts.SchemaVersion,
		Files:         emptyTiers(),
		TechStack:     []artifacts.Technology{}, TrustBoundaries: []artifacts.TrustBoundary{}, Notes: []string{},
	}
	for _, f := range files {
		r.Files.Medium = append(r.Files.Medium, artifacts.TieredFile{Path: f, Reason: "not judged"})
	}
	return r
}

// CheckAssignment checks what the schema of an assignment cannot say: that
// root and files exist, that nothing is left open, that lines are lines of their files, and that claims,
// challenges and verdicts are about the same bugs.
func CheckAssignment(a *artifacts.Assignment) []schemas.Problem {
	var ps problems
	root, err := scope.Root(a.Root)
	if err != nil {
		ps.add("/root", "%v", err)
		return ps
	}
	t := NewTree(root)
	seen := map[string]bool{}
	for i, f := range a.Files {
		at := fmt.Sprintf("/files/%d", i)
		ps.exists(t, at, f)
		if seen[f] {
			ps.add(at, "%q is named twice", f)
		}
		seen[f] = true
	}
	if a.Recon != nil {
		for _, tier := range a.Recon.Files.All() {
			for i, f := range tier.Files {
				ps.exists(t, fmt.Sprintf("/recon/files/%s/%d/path", tier.Name, i), f.Path)
			}
		}
		ps.checkSources(t, "/recon", a.Recon)
	}
	ps.checkClaims(t, a.Findings)
	for i, c := range a.Challenges {
		ps.filledIn(fmt.Sprintf("/challenges/%d/analysisSummary", i), c.AnalysisSummary)
	}
	for i, v := range a.Verdicts {
		ps.filledIn(fmt.Sprintf("/verdicts/%d/analysisSummary", i), v.AnalysisSummary)
	}
	bugs := ids(a.Findings, func(c artifacts.Claim) string { return c.BugID })
	if a.Challenges != nil {
		ps.matchIDs("/challenges", ids(a.Challenges, challengeID), bugs)
	}
	if a.Verdicts != nil {
		ps.matchIDs("/verdicts", ids(a.Verdicts, verdictID), bugs)
	}
	if a.OutputSchema.SchemaVersion != artifacts.SchemaVersion {
		ps.add("/outputSchema/schemaVersion", "is %d, and this program knows %d", a.OutputSchema.SchemaVersion, artifacts.SchemaVersion)
	}
	return ps
}

func (ps *problems) filledIn(at, value string) {
	if value == fillIn {
		ps.add(at, "is not filled in")
	}
}

func (ps *problems) checkClaims(t *Tree, claims []artifacts.Claim) {
	seen := map[string]bool{}
	for i, c := range claims {
		at := fmt.Sprintf("/findings/%d", i)
		if seen[c.BugID] {
			ps.add(at+"/bugId", "%q is the id of another finding", c.BugID)
		}
		seen[c.BugID] = true
		ps.filledIn(at+"/bugId", c.BugID)
		ps.filledIn(at+"/category", c.Category)
		ps.filledIn(at+"/claim", c.Claim)
		if strings.EqualFold(c.Category, "security") && c.CWE == "" {
			ps.add(at, "missing cwe: a bug of category security needs one")
		}
		ps.checkReferences(t, at, c.CrossReferences)
		src, err := t.Source(c.File)
		if err != nil {
			ps.add(at+"/file", "%v", err)
			continue
		}
		if _, err := src.Lines(c.Lines); err != nil {
			ps.add(at+"/lines", "%v", err)
		}
	}
}
