// Package phases is the pipeline: what each phase reads, writes, asks and
// checks ([Recon], [Hunter], [Skeptic], [Referee], [Fixer]), the [Runner] that
// brings any of them from an assignment to a stored artifact, and the [Loop]
// that takes a repository through all of them until its queue is done.
//
// A phase is data and two functions. There is one runner, so that every
// worker's answer takes the same way: extracted, validated against its
// schema, held against the repository and the other artifacts, and only then
// written. What a worker says about itself decides nothing.
package phases

import (
	"encoding/json"
	"fmt"
	"strings"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// Phase is one step of the pipeline.
type Phase struct {
	// Name is what the phase is called on the command line.
	Name string
	// Artifact is the artifact that the phase writes.
	Artifact string
	// Reads are the artifacts that have to be there.
	Reads []string
	// assign puts into an assignment what the phase gets to see.
	assign func(c *Case, a *artifacts.Assignment)
	// unasked returns the answer where there is nothing to ask about, nil where
	// the worker has to be asked; it keeps the answer in the case. It may be
	// nil itself.
	unasked func(c *Case) any
	// accept decodes a reply that satisfies the schema and checks what a
	// schema cannot say. If there are no problems it keeps the value in the
	// case and returns it for the store.
	accept func(c *Case, reply []byte) (answer, []schemas.Problem)
}

// answer is an accepted reply.
type answer struct {
	value any
	items int      // how many entries, for the journal
	notes []string // what the pipeline put right, for the journal
}

// All lists the phases in the order in which they run.
var All = []*Phase{Recon, Hunter, Skeptic, Referee, Fixer}

// Lookup finds a phase by name.
func Lookup(name string) (*Phase, error) {
	for _, p := range All {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("unknown phase %q: there are recon, hunter, skeptic, referee and fixer", name)
}

// WholeRun is the chunk of a phase that is about all files at once.
const WholeRun = "all"

// Case is what is known about a chunk. The phases fill it in one after another.
type Case struct {
	Chunk string
	Tree  *Tree
	Files []string // the files to work on, relative to the tree's root

	Recon      *artifacts.Recon
	Findings   []artifacts.Finding
	Challenges []artifacts.Challenge
	Verdicts   []artifacts.Verdict
	Plan       *artifacts.FixPlan
	FixReport  *artifacts.FixReport

	// Partial lets the hunter answer for some of the files only; the others
	// and the reasons are then in Unexamined.
	Partial    bool
	Unexamined map[string]string
}

// Load fills the case with artifacts of a store. The error wraps
// [fs.ErrNotExist] if one is not there.
func (c *Case) Load(names []string, store *artifacts.Store) error {
	targets := map[string]any{
		schemas.Recon:    &c.Recon,
		schemas.Findings: &c.Findings,
		schemas.Skeptic:  &c.Challenges,
		schemas.Referee:  &c.Verdicts,
		schemas.FixPlan:  &c.Plan,
	}
	for _, name := range names {
		if err := store.Read(name, targets[name]); err != nil {
			return err
		}
	}
	return nil
}

// decode reads a reply that has passed its schema.
func decode[T any](reply []byte) (T, []schemas.Problem) {
	var v T
	if err := json.Unmarshal(reply, &v); err != nil {
		return v, []schemas.Problem{{Message: err.Error()}}
	}
	return v, nil
}

// problems collects what is wrong with a reply, each with its place.
type problems []schemas.Problem

func (ps *problems) add(pointer, format string, args ...any) {
	*ps = append(*ps, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// matchIDs checks that answers, given by their bug ids in order, and the bugs
// they are about correspond one to one: none unknown, none twice, none left
// out.
func (ps *problems) matchIDs(prefix string, answers, bugs []string) {
	seen := map[string]int{}
	known := set(bugs)
	for i, id := range answers {
		at := fmt.Sprintf("%s/%d/bugId", prefix, i)
		if first, ok := seen[id]; ok {
			ps.add(at, "%q was answered already at %s/%d; give each bug exactly one answer", id, prefix, first)
			continue
		}
		seen[id] = i
		if !known[id] {
			ps.add(at, "%q is not the id of a bug in the assignment", id)
		}
	}
	var missing []string
	for _, id := range bugs {
		if _, ok := seen[id]; !ok {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		ps.add(prefix, "no answer for %s; every bug in the assignment needs one", strings.Join(missing, ", "))
	}
}

func set(items []string) map[string]bool {
	in := make(map[string]bool, len(items))
	for _, item := range items {
		in[item] = true
	}
	return in
}

func ids[T any](items []T, id func(T) string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = id(item)
	}
	return out
}

func findingID(f artifacts.Finding) string { return f.BugID }
