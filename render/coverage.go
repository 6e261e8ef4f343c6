package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// tally counts the queued files of a coverage.
type tally struct {
	Known                          bool // there is a coverage at all
	Total                          int
	Done, Failed, Pending, Running int
	LeftOut                        int
	Ended                          bool // the loop says that it is complete
}

func tallyOf(c *artifacts.Coverage) tally {
	if c == nil {
		return tally{}
	}
	t := tally{Known: true, Total: len(c.Files), Ended: c.Status == artifacts.LoopComplete}
	for _, f := range c.Files {
		switch f.Status {
		case artifacts.Done:
			t.Done++
		case artifacts.Failed:
			t.Failed++
		case artifacts.InProgress:
			t.Running++
		default:
			t.Pending++
		}
	}
	for _, l := range c.LeftOut {
		t.LeftOut += l.Files
	}
	return t
}

// Complete reports whether every queued file is done. The loop's own word is
// not enough for that.
func (t tally) Complete() bool {
	return t.Known && t.Ended && t.Done == t.Total
}

// clause says in a few words what was covered.
func (t tally) clause() string {
	var s string
	switch {
	case !t.Known:
		return "coverage unknown: there is no record of the files that were looked at"
	case t.Total == 0 && t.Ended:
		s = "no file was queued"
	case t.Total == 0:
		s = "no file was queued yet"
	default:
		s = share(t.Done, t.Total, "file", "files") + " covered"
	}
	if t.LeftOut > 0 {
		s += fmt.Sprintf(", %d left out", t.LeftOut)
	}
	if t.Total > 0 && !t.Complete() {
		s += " — incomplete: " + t.open()
	}
	return s
}

// open says what is not done, in numbers.
func (t tally) open() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.Failed, "failed"}, {t.Pending, "pending"}, {t.Running, "in progress"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "the loop has not ended"
	}
	return strings.Join(parts, ", ")
}

// coverageNotices warns of whatever could make a report look cleaner than the
// code is.
func coverageNotices(t tally) []notice {
	switch {
	case !t.Known:
		return []notice{{"Coverage unknown.", "There is no coverage.json, so nothing says which files were looked at. " +
			"A bug that is not listed here may be in a file that nobody opened."}}
	case t.Total == 0:
		return []notice{{"Nothing was looked at.", "No file was queued, so this says nothing about the code. " +
			"Check the paths and what was left out."}}
	case !t.Complete():
		return []notice{{"Not complete.", "Of " + count(t.Total, "file", "files") + ", " + t.open() +
			". A bug in a file that is not done is not listed here. Run bughunter again to go on."}}
	}
	return nil
}

// uncovered is a queued file that is not done.
type uncovered struct {
	artifacts.FileEntry
	Risk string // its tier, or empty
}

// State is the file's status as a person would write it.
func (u uncovered) State() string { return strings.ReplaceAll(string(u.Status), "_", " ") }

// Error is the last error, short enough for a cell, or a dash.
func (u uncovered) Error() string {
	if fold(u.LastError) == "" {
		return "–"
	}
	return cut(u.LastError, errorLength)
}

// uncoveredFiles lists what is not done: the failed files first, then the
// riskiest, then by path.
func uncoveredFiles(c *artifacts.Coverage, r *artifacts.Recon) []uncovered {
	risk, order := map[string]string{}, map[string]int{}
	if r != nil {
		for i, t := range r.Files.All() {
			for _, f := range t.Files {
				risk[f.Path], order[f.Path] = tierName(t.Name), i+1
			}
		}
	}
	var list []uncovered
	for _, f := range c.Files {
		if f.Status != artifacts.Done {
			list = append(list, uncovered{f, risk[f.Path]})
		}
	}
	rank := []artifacts.FileStatus{artifacts.Failed, artifacts.InProgress, artifacts.Pending}
	slices.SortFunc(list, func(a, b uncovered) int {
		return cmp.Or(
			cmp.Compare(slices.Index(rank, a.Status), slices.Index(rank, b.Status)),
			cmp.Compare(order[a.Path], order[b.Path]),
			cmp.Compare(a.Path, b.Path),
		)
	})
	return list
}

// phases are the phases in the order in which they run.
var phases = []string{"recon", "hunter", "skeptic", "referee", "fixer"}

// workers lists who answered in which phase, as far as it was recorded.
func workers(c *artifacts.Coverage) []phaseWorker {
	var list []phaseWorker
	for _, p := range phases {
		if w := c.Workers[p]; w != "" {
			list = append(list, phaseWorker{p, w})
		}
	}
	return list
}

// coverageView is what coverage.md.tmpl reads.
type coverageView struct {
	Sentence  string
	Notices   []notice
	Tally     tally
	Iteration int
	Status    string
	Open      []uncovered
	Done      []artifacts.FileEntry
	LeftOut   []artifacts.LeftOut
	Workers   []phaseWorker
	Bugs      []artifacts.BugSummary
	Fixes     []artifacts.FixEntry
}

func viewCoverage(in Input) any {
	c := in.Coverage
	t := tallyOf(c)
	v := coverageView{
		Sentence: capital(t.clause()) + ".", Notices: coverageNotices(t), Tally: t,
		Iteration: c.Iteration, Status: c.Status,
		Open: uncoveredFiles(c, nil), LeftOut: c.LeftOut, Workers: workers(c),
		Bugs: sortedSummaries(c.Bugs), Fixes: slices.Clone(c.Fixes),
	}
	for _, f := range c.Files {
		if f.Status == artifacts.Done {
			v.Done = append(v.Done, f)
		}
	}
	slices.SortFunc(v.Done, func(a, b artifacts.FileEntry) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortStableFunc(v.Fixes, func(a, b artifacts.FixEntry) int { return cmp.Compare(a.BugID, b.BugID) })
	return v
}

// sortedSummaries puts the bugs of a coverage into the order of the findings.
func sortedSummaries(bugs []artifacts.BugSummary) []artifacts.BugSummary {
	sorted := slices.Clone(bugs)
	slices.SortStableFunc(sorted, func(a, b artifacts.BugSummary) int {
		return cmp.Or(
			cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.File, b.File),
			cmp.Compare(artifacts.FirstLine(a.Lines), artifacts.FirstLine(b.Lines)),
			cmp.Compare(a.BugID, b.BugID),
		)
	})
	return sorted
}
