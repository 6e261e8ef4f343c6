package phases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/schemas"
)

// merge gathers what the finished chunks found into the artifacts of the whole
// run. Of each chunk it takes what concerns the files that are still its own:
// a file that changed since belongs to a later chunk. The result depends on
// the chunks alone and not on the order in which they were done.
//
// A chunk counts as done when its artifacts are on disk and valid. One whose
// artifacts are gone or broken is marked as failed, and a later run does it
// again.
func merge(state *coverage.State) (*Case, error) {
	all := &Case{Findings: []artifacts.Finding{}}
	var challenges []artifacts.Challenge
	var verdicts []artifacts.Verdict
	for _, chunk := range state.Closed() {
		own := set(chunk.Files)
		part := &Case{}
		if err := loadJudged(part, state.Chunk(chunk.ID)); err != nil {
			var unusable *artifacts.FileError
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errMismatch) && !errors.As(err, &unusable) {
				return nil, err
			}
			// Its receipt would say that it is done.
			if err := state.Chunk(chunk.ID).Remove(schemas.Coverage); err != nil {
				return nil, err
			}
			state.Fail(chunk, fmt.Errorf("the results are lost: %w", err))
			continue
		}
		keep := map[string]bool{}
		for _, f := range part.Findings {
			if own[f.File] {
				keep[f.BugID] = true
				all.Findings = append(all.Findings, f)
			}
		}
		for _, c := range part.Challenges {
			if keep[c.BugID] {
				challenges = append(challenges, c)
			}
		}
		for _, v := range part.Verdicts {
			if keep[v.BugID] {
				verdicts = append(verdicts, v)
			}
		}
	}
	artifacts.SortFindings(all.Findings)
	all.Challenges = inOrder(all.Findings, challenges, challengeID)
	all.Verdicts = inOrder(all.Findings, verdicts, verdictID)
	return all, nil
}

var errMismatch = errors.New("findings, answers and verdicts do not belong together")

// loadJudged reads what a chunk found and what was said of it, each finding
// with its answer and its verdict.
func loadJudged(c *Case, store *artifacts.Store) error {
	if err := c.Load(artifacts.Judged, store); err != nil {
		return err
	}
	var ps problems
	bugs := ids(c.Findings, findingID)
	ps.matchIDs("", ids(c.Challenges, challengeID), bugs)
	ps.matchIDs("", ids(c.Verdicts, verdictID), bugs)
	if len(ps) > 0 {
		return fmt.Errorf("%w in %s: %s", errMismatch, store.Dir(), lines(ps)[0])
	}
	return nil
}

// writeMerged puts the merged artifacts and what follows from them into the
// store.
func writeMerged(store *artifacts.Store, all *Case) error {
	for _, w := range []struct {
		name  string
		value any
	}{
		{schemas.Findings, all.Findings},
		{schemas.Skeptic, all.Challenges},
		{schemas.Referee, all.Verdicts},
	} {
		if err := store.Write(w.name, w.value); err != nil {
			return err
		}
	}
	return writePlan(store, all)
}

// WritePlan computes the fix strategy and plan from what is in a store, and
// puts them there.
func WritePlan(store *artifacts.Store) error {
	c := &Case{}
	if err := c.Load(artifacts.Judged, store); err != nil {
		return err
	}
	return writePlan(store, c)
}

func writePlan(store *artifacts.Store, c *Case) error {
	strategy, plan := PlanFixes(c.Findings, c.Challenges, c.Verdicts, DefaultThreshold)
	return errors.Join(
		store.Write(schemas.FixStrategy, strategy),
		store.Write(schemas.FixPlan, plan),
		setAsideFixReport(store, c.Findings),
	)
}

// setAsideFixReport renames a fix report that speaks of findings which are no
// more, so that it is kept and not taken for one about these.
func setAsideFixReport(store *artifacts.Store, findings []artifacts.Finding) error {
	var report artifacts.FixReport
	err := store.Read(schemas.FixReport, &report)
	var unusable *artifacts.FileError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &unusable) {
		return nil // there is none, or one that whoever reads it will complain of
	}
	if err != nil {
		return err
	}
	known := set(ids(findings, findingID))
	for _, f := range report.Fixes {
		if !known[f.BugID] {
			path := store.Path(schemas.FixReport)
			return os.Rename(path, strings.TrimSuffix(path, ".json")+".stale.json")
		}
	}
	return nil
}

func summaries(bugs []artifacts.Assessed) []artifacts.BugSummary {
	out := make([]artifacts.BugSummary, len(bugs))
	for i, b := range bugs {
		f := b.Finding
		out[i] = artifacts.BugSummary{
			BugID: f.BugID, Severity: b.Verdict.TrueSeverity, Category: f.Category, File: f.File, Lines: f.Lines,
			Claim: f.Claim, ConfidenceScore: b.Verdict.ConfidenceScore, Fingerprint: f.Fingerprint,
		}
	}
	return out
}
