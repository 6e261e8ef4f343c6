package phases

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// identify gives findings their fingerprints and the ids that follow from
// them, and keeps the worker's own ids beside. A fingerprint is made of the
// file, the category and the code on the cited lines, so that it is the same
// after lines moved, in the next run, and in whatever order chunks are done.
// Findings that are alike in all three are told apart by their order in the
// file, and on the same lines by what they say.
//
// An id carries ten hexadecimal digits of its fingerprint: with 10 000
// findings the odds that two share one are below one in ten thousand.
func identify(t *Tree, findings []artifacts.Finding) []artifacts.Finding {
	if findings == nil {
		findings = []artifacts.Finding{}
	}
	slices.SortStableFunc(findings, func(a, b artifacts.Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(artifacts.FirstLine(a.Lines), artifacts.FirstLine(b.Lines)),
			cmp.Compare(a.Lines, b.Lines),
			cmp.Compare(a.Claim, b.Claim),
			cmp.Compare(a.Evidence, b.Evidence),
			cmp.Compare(a.RuntimeTrigger, b.RuntimeTrigger),
			cmp.Compare(a.BugID, b.BugID),
		)
	})
	alike := map[string]int{}
	for i := range findings {
		f := &findings[i]
		key := fmt.Sprintf("%q %q %q", f.File, strings.ToLower(f.Category), citedCode(t, *f))
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", key, alike[key]))
		alike[key]++
		f.Fingerprint = hex.EncodeToString(sum[:8])
		f.WorkerBugID, f.BugID = f.BugID, "BUG-"+f.Fingerprint[:10]
	}
	return findings
}

// citedCode is the code a checked finding is about.
func citedCode(t *Tree, f artifacts.Finding) string {
	src, err := t.Source(f.File)
	if err != nil {
		return ""
	}
	ranges, err := src.Lines(f.Lines)
	if err != nil {
		return ""
	}
	return src.Code(ranges)
}
