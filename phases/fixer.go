package phases

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// Fixer proposes a patch for each bug of the fix plan. It changes no file: a
// proposal is a unified diff that is known to apply to the tree as it is, and
// whether it fixes anything is not known. The pipeline reads the files it
// touches from the diff and counts the totals.
var Fixer = &Phase{
	Name:     "fixer",
	Artifact: schemas.FixReport,
	Reads:    []string{schemas.Findings, schemas.Referee, schemas.FixPlan},
	assign: func(c *Case, a *artifacts.Assignment) {
		planned := plannedIDs(c.Plan)
		in := set(planned)
		a.Findings = slices.DeleteFunc(claims(c.Findings), func(f artifacts.Claim) bool { return !in[f.BugID] })
		a.Verdicts = slices.DeleteFunc(slices.Clone(c.Verdicts), func(v artifacts.Verdict) bool { return !in[v.BugID] })
	},
	unasked: func(c *Case) any {
		if len(c.Plan.Steps) > 0 {
			return nil
		}
		c.FixReport = &artifacts.FixReport{SchemaVersion: artifacts.SchemaVersion, DryRun: true, Fixes: []artifacts.Fix{}}
		return c.FixReport
	},
	accept: acceptFixReport,
}

func plannedIDs(plan *artifacts.FixPlan) []string {
	return ids(plan.Steps, func(s artifacts.FixStep) string { return s.BugID })
}

func acceptFixReport(c *Case, reply []byte) (answer, []schemas.Problem) {
	report, ps := decode[*artifacts.FixReport](reply)
	if ps != nil {
		return answer{}, ps
	}
	var found problems
	found.matchIDs("/fixes", ids(report.Fixes, func(f artifacts.Fix) string { return f.BugID }), plannedIDs(c.Plan))
	if !report.DryRun {
		found.add("/dryRun", "must be true: a fixer proposes patches and changes no file")
	}
	totals := map[string]int{}
	for i := range report.Fixes {
		f := &report.Fixes[i]
		found.checkFix(c.Tree, fmt.Sprintf("/fixes/%d", i), f)
		totals[f.Status]++
	}
	if report.Totals != nil {
		found.add("/totals", "are counted by the pipeline; leave them out")
	}
	if len(found) > 0 {
		return answer{}, found
	}
	report.Totals = totals
	c.FixReport = report
	return answer{value: report, items: len(report.Fixes)}, nil
}

// checkFix checks one proposal and fills in the files it touches.
func (ps *problems) checkFix(t *Tree, at string, f *artifacts.Fix) {
	if f.Files != nil {
		ps.add(at+"/files", "are read from the patch by the pipeline; leave them out")
		f.Files = nil
	}
	switch f.Status {
	case artifacts.FixProposed:
	case artifacts.FixFailed, artifacts.FixSkipped:
		if f.Patch != "" {
			ps.add(at+"/patch", "goes with the status PROPOSED alone, and is checked then")
		}
		return
	default:
		ps.add(at+"/status", "%q is for the pipeline to find out; a fixer says PROPOSED, FIX_FAILED or SKIPPED", f.Status)
		return
	}
	files, _, err := gitdiff.Parse(strings.NewReader(f.Patch))
	if err != nil {
		ps.add(at+"/patch", "not a unified diff: %v", err)
		return
	}
	if len(files) == 0 {
		ps.add(at+"/patch", "changes no file; write a unified diff with ---, +++ and @@ lines")
		return
	}
	for _, file := range files {
		stripPrefixes(file, f.Patch)
		if err := applies(t, file); err != nil {
			ps.add(at+"/patch", "%v", err)
			return
		}
		if slices.Contains(f.Files, file.NewName) {
			ps.add(at+"/patch", "%s is changed twice; put its hunks under one header", file.NewName)
			return
		}
		f.Files = append(f.Files, file.NewName)
	}
}

// gitHeader cannot match the text of a file: each line of it has a mark in
// front.
var gitHeader = regexp.MustCompile(`(?m)^diff --git `)

// stripPrefixes takes a/ and b/ from the names of a diff without git's own
// header, which the parser leaves on.
func stripPrefixes(file *gitdiff.File, patch string) {
	oldName, isOld := strings.CutPrefix(file.OldName, "a/")
	newName, isNew := strings.CutPrefix(file.NewName, "b/")
	switch {
	case gitHeader.MatchString(patch):
	case isOld && isNew:
		file.OldName, file.NewName = oldName, newName
	case isNew && file.OldName == file.NewName: // the parser takes the new name for both
		file.OldName, file.NewName = newName, newName
	}
}

// applies tells, by a nil error, that a change can be made to the file as it
// is. Only changes to the text of existing files are taken.
func applies(t *Tree, file *gitdiff.File) error {
	newMode := file.NewMode != 0 && file.NewMode != file.OldMode
	if newMode || file.IsNew || file.IsDelete || file.IsRename || file.IsCopy || file.IsBinary || file.OldName != file.NewName {
		return fmt.Errorf("%s: only changes to the text of existing files are taken", cmp.Or(file.NewName, file.OldName))
	}
	src, err := t.Raw(file.OldName)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := gitdiff.Apply(&out, bytes.NewReader(src), file); err != nil && err != io.EOF {
		return fmt.Errorf("the patch does not apply to %s as it is: %w", file.OldName, err)
	}
	if bytes.Equal(out.Bytes(), src) {
		return fmt.Errorf("the patch leaves %s as it is", file.OldName)
	}
	return nil
}
