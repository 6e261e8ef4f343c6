package phases

import (
	"fmt"
	"strings"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// Hunter claims bugs in the files of a chunk. It is told what recon found out
// about them. Each claim must be about a file of the chunk and quote code that
// stands on the lines it cites.
var Hunter = &Phase{
	Name:     "hunter",
	Artifact: schemas.Findings,
	Reads:    []string{schemas.Recon},
	assign: func(c *Case, a *artifacts.Assignment) {
		a.Recon = c.Recon // in a run, what it says about the chunk
	},
	accept: acceptFindings,
}

func acceptFindings(c *Case, reply []byte) (answer, []schemas.Problem) {
	findings, ps := decode[[]artifacts.Finding](reply)
	if ps != nil {
		return answer{}, ps
	}
	var found problems
	var notes []string
	seen, claimed := map[string]int{}, map[string]int{}
	for i := range findings {
		f := &findings[i]
		at := fmt.Sprintf("/%d", i)
		if first, ok := seen[f.BugID]; ok {
			found.add(at+"/bugId", "%q is the id of /%d already; give each finding its own", f.BugID, first)
		}
		seen[f.BugID] = i
		if note := found.checkFinding(c, at, f); note != "" {
			notes = append(notes, note)
		}
		same := fmt.Sprintf("%q %s %q %q", f.File, f.Lines, strings.ToLower(f.Category), fold(f.Claim))
		if first, ok := claimed[same]; ok {
			found.add(at, "says the same as /%d; report each bug once", first)
		}
		claimed[same] = i
	}
	if len(found) > 0 {
		return answer{}, found
	}
	findings = identify(c.Tree, findings)
	artifacts.SortFindings(findings)
	c.Findings = findings
	return answer{value: findings, items: len(findings), notes: notes}, nil
}

// checkFinding holds one finding against the repository. Evidence that stands
// elsewhere in the file than it says corrects the lines, and the note tells.
func (ps *problems) checkFinding(c *Case, at string, f *artifacts.Finding) (note string) {
	if f.WorkerBugID != "" || f.Fingerprint != "" {
		ps.add(at, "workerBugId and fingerprint are written by the pipeline; leave them out")
	}
	if err := c.Tree.InScope(f.File, c.Files); err != nil {
		ps.add(at+"/file", "%v", err)
		return ""
	}
	src, err := c.Tree.Source(f.File)
	if err != nil {
		ps.add(at+"/file", "%v", err)
		return ""
	}
	ps.checkReferences(c.Tree, at, f.CrossReferences)
	cited, err := src.Lines(f.Lines)
	if err != nil {
		ps.add(at+"/lines", "%v", err)
		return ""
	}
	cited = union(cited) // one way to write the same lines
	f.Lines = joinRanges(cited)
	stands, err := src.Ground(f.Evidence, cited)
	if err != nil {
		ps.add(at+"/evidence", "%v", err)
		return ""
	}
	if lines := joinRanges(stands); lines != joinRanges(cited) {
		note = fmt.Sprintf("%s: lines %s corrected to %s, where the evidence stands in %s", f.BugID, f.Lines, lines, f.File)
		f.Lines = lines
	}
	return note
}

func (ps *problems) checkReferences(t *Tree, at string, refs []artifacts.CrossReference) {
	for j, r := range refs {
		at := fmt.Sprintf("%s/crossReferences/%d", at, j)
		src, err := t.Source(r.File)
		if err != nil {
			ps.add(at+"/file", "%v", err)
			continue
		}
		if r.Lines == "" {
			continue
		}
		if _, err := src.Lines(r.Lines); err != nil {
			ps.add(at+"/lines", "%v", err)
		}
	}
}
