package phases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/replies"
	"bughunter/schemas"
	"bughunter/scope"
	"bughunter/workers"
)

// Loop takes a repository through the phases, chunk by chunk, until every
// file of the queue is done. Started again it goes on where it stopped.
type Loop struct {
	Runner    *Runner
	Store     *artifacts.Store
	Tree      *Tree
	Paths     []string // what to hunt, relative to the root; none means all of it
	ChunkSize int      // files in a chunk, at most

	// Begun is called once, when the queue is known, Advanced after each chunk,
	// and Saved whenever the artifacts on disk have become newer. All may be
	// nil.
	Begun    func(*coverage.State, coverage.Change)
	Advanced func(*coverage.State)
	Saved    func(*coverage.State) error

	state    *coverage.State
	worked   bool // the queue changed or a chunk was begun
	lastSave time.Time
	saveTook time.Duration
}

// maxIterations bounds how often the queue is gone over. A pass that gets no
// file done ends the loop before that.
const maxIterations = 10

// Run runs the loop to its end and returns the state it leaves. The state
// tells whether it is complete. An error is about this machine, the
// configuration or a stop (then it wraps the cause of ctx), and what was done
// before it is saved.
func (l *Loop) Run(ctx context.Context) (*coverage.State, error) {
	if err := l.prepare(ctx); err != nil {
		return l.state, err
	}
	recon, err := l.recon(ctx)
	if err == nil && recon != nil {
		err = l.iterate(ctx, recon)
	}
	return l.state, errors.Join(err, l.finish())
}

// prepare brings the queue in line with the repository.
func (l *Loop) prepare(ctx context.Context) error {
	state, err := coverage.Load(l.Store)
	if err != nil {
		return err
	}
	l.state = state
	found, err := scope.Walk(l.Tree.Root, l.Paths, l.Store.Dir())
	if err != nil {
		return err
	}
	leftOut, err := l.exclude(ctx, found)
	if err != nil {
		return err
	}
	if len(found.Files)+len(found.Unreadable)+len(state.Coverage().Files) == 0 {
		return fmt.Errorf("%w below %s: %s", ErrNothingToDo, l.Tree.Root, whatIsThere(leftOut))
	}
	names := l.workerNames()
	if before := state.Coverage().Workers; before != nil && !sameHunters(before, names) {
		state.Requeue()
		l.worked = true
	}
	change := state.Sync(found, func(path, hash string) bool {
		now, err := scope.Hash(l.Tree.Root, path)
		return err == nil && now == hash
	})
	l.worked = l.worked || change != coverage.Change{}
	state.Describe(l.Paths, leftOut, names)
	if l.Begun != nil {
		l.Begun(state, change)
	}
	return nil
}

func (l *Loop) workerNames() map[string]string {
	names := map[string]string{}
	for phase, w := range l.Runner.Workers {
		names[phase] = w.String()
	}
	return names
}

// sameHunters tells whether the results of the workers before are those that
// the workers now would be asked for.
func sameHunters(before, now map[string]string) bool {
	for _, p := range []*Phase{Hunter, Skeptic, Referee} {
		if before[p.Name] != now[p.Name] {
			return false
		}
	}
	return true
}

// exclude asks the hunter within the deadline of an attempt, as it may have to
// read the whole repository to answer.
func (l *Loop) exclude(ctx context.Context, found *scope.Scope) ([]artifacts.LeftOut, error) {
	deadline, cancel := context.WithTimeout(ctx, l.Runner.Timeout)
	defer cancel()
	leftOut, err := exclude(deadline, l.Runner.Workers[Hunter.Name], l.Tree.Root, found)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the hunter could not say within %s which files it can hunt in; look for what keeps it, or raise --timeout", l.Runner.Timeout)
	}
	return leftOut, err
}

// exclude takes the files out of the scope that the hunter cannot hunt in,
// and counts all that is left out by reason.
func exclude(ctx context.Context, hunter workers.Worker, root string, found *scope.Scope) ([]artifacts.LeftOut, error) {
	var count leftOutCount
	for _, left := range found.LeftOut {
		count.add(left.Path, workers.Exclusion{Reason: left.Reason})
	}
	if selective, ok := hunter.(workers.Selective); ok {
		excluded, err := selective.Exclude(ctx, root, ids(found.Files, func(f scope.File) string { return f.Path }))
		if err != nil {
			return nil, err
		}
		found.Files = slices.DeleteFunc(found.Files, func(f scope.File) bool {
			exclusion, out := excluded[f.Path]
			if out {
				count.add(f.Path, exclusion)
			}
			return out
		})
	}
	return count.sorted(), nil
}

// whatIsThere says what was found where nothing can be hunted.
func whatIsThere(leftOut []artifacts.LeftOut) string {
	if len(leftOut) == 0 {
		return "there are no files"
	}
	var parts []string
	for _, l := range leftOut {
		part := counted(l.Files, "file") + " left out: " + l.Reason
		if l.Remedy != "" {
			part += " (" + l.Remedy + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// leftOutCount counts files by the reason for leaving them out.
type leftOutCount map[string]*artifacts.LeftOut

func (n *leftOutCount) add(path string, e workers.Exclusion) {
	if *n == nil {
		*n = leftOutCount{}
	}
	entry := (*n)[e.Reason]
	if entry == nil {
		entry = &artifacts.LeftOut{Reason: e.Reason, Remedy: e.Remedy}
		(*n)[e.Reason] = entry
	}
	entry.Files++
	if len(entry.Examples) < 3 {
		entry.Examples = append(entry.Examples, path)
	}
}

func (n leftOutCount) sorted() []artifacts.LeftOut {
	var out []artifacts.LeftOut
	for _, entry := range n {
		out = append(out, *entry)
	}
	slices.SortFunc(out, func(a, b artifacts.LeftOut) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// recon puts the queue in order and plans its chunks. An earlier run's recon
// serves if it covers every file that is open. It returns nil if none is.
func (l *Loop) recon(ctx context.Context) (*artifacts.Recon, error) {
	open := l.openFiles()
	c := &Case{Chunk: WholeRun, Tree: l.Tree, Files: l.queue()}
	err := l.Store.Read(schemas.Recon, &c.Recon)
	var unusable *artifacts.FileError
	if len(c.Files) == 0 || len(open) == 0 && !errors.As(err, &unusable) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &unusable) {
		return nil, err
	}
	if err != nil || !covers(c.Recon, open) {
		if err := l.Runner.Run(ctx, Recon, c, l.Store.Path(schemas.Recon)); err != nil {
			return nil, err
		}
	}
	if err := l.state.Plan(order(c.Recon), l.ChunkSize); err != nil {
		return nil, err
	}
	return c.Recon, l.save()
}

// queue is every file that can be read, openFiles those that are not done.
func (l *Loop) queue() (files []string) {
	for _, f := range l.state.Coverage().Files {
		if f.Hash != "" {
			files = append(files, f.Path)
		}
	}
	return files
}

func (l *Loop) openFiles() (files []string) {
	for _, f := range l.state.Coverage().Files {
		if f.Hash != "" && f.Status != artifacts.Done {
			files = append(files, f.Path)
		}
	}
	return files
}

func covers(recon *artifacts.Recon, files []string) bool {
	in := set(order(recon))
	return !slices.ContainsFunc(files, func(f string) bool { return !in[f] })
}

// order lists the files of a recon from the highest risk to the lowest.
func order(recon *artifacts.Recon) (files []string) {
	for _, tier := range recon.Files.All() {
		for _, f := range tier.Files {
			files = append(files, f.Path)
		}
	}
	return files
}

// iterate goes over the queue until it is done or a pass gets nothing done.
func (l *Loop) iterate(ctx context.Context, whole *artifacts.Recon) error {
	recon := newExcerpts(whole)
	for range maxIterations {
		open := l.state.Open()
		if len(open) == 0 {
			return nil
		}
		l.state.NextIteration()
		before := l.state.Counts()[artifacts.Done]
		for _, chunk := range open {
			if err := l.chunk(ctx, recon, chunk); err != nil {
				return err
			}
		}
		if l.state.Counts()[artifacts.Done] == before {
			return nil
		}
		// What failed in a chunk that has a result needs a new one.
		if err := l.state.Plan(order(whole), l.ChunkSize); err != nil {
			return err
		}
	}
	return nil
}

// chunk takes one chunk through the phases. That a phase fails is not an error
// of the loop, unless its worker will fail for every other chunk as well.
func (l *Loop) chunk(ctx context.Context, recon *excerpts, chunk coverage.Chunk) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.state.Begin(chunk)
	l.worked = true
	c := &Case{Chunk: chunk.ID, Tree: l.Tree, Files: chunk.Files, Recon: recon.about(chunk.Files), Partial: true}
	err := l.Runner.runChunk(ctx, c, l.state.Chunk(chunk.ID))
	l.Tree.Forget(chunk.Files)
	var failed *PhaseError
	switch {
	case err == nil:
		if err := l.state.Finish(chunk, c.Unexamined); err != nil {
			return err
		}
	case errors.As(err, &failed):
		l.state.Fail(chunk, err)
		if hopeless(failed.Failure) {
			return err
		}
	default:
		l.state.Return(chunk)
		return err
	}
	if l.Advanced != nil {
		l.Advanced(l.state)
	}
	return l.saveNowAndThen()
}

// hopeless tells that a worker will not do better with other files.
func hopeless(f *replies.Failure) bool {
	return f.Kind == replies.Auth || f.Kind == replies.WorkerFailed && f.Permanent
}

// saveEvery is how much longer the loop works than it saves.
const saveEvery = 20

// saveNowAndThen saves if that has become cheap in comparison with the work
// since the last time, so that the cost of a chunk does not grow with the
// queue. What is not saved yet is in the chunks' receipts.
func (l *Loop) saveNowAndThen() error {
	if time.Since(l.lastSave) < saveEvery*l.saveTook {
		return nil
	}
	return l.save()
}

// save brings everything on disk up to date: what the chunks found, merged,
// and the state.
func (l *Loop) save() error {
	start := time.Now()
	all, err := merge(l.state)
	if err != nil {
		return err
	}
	if err := writeMerged(l.Store, all); err != nil {
		return err
	}
	err = l.saveState(all)
	l.lastSave, l.saveTook = time.Now(), time.Since(start)
	return err
}

// saveState writes the state with the bugs that were confirmed.
func (l *Loop) saveState(all *Case) error {
	l.state.SetBugs(summaries(Confirmed(all.Findings, all.Challenges, all.Verdicts)))
	if err := l.state.Save(); err != nil {
		return err
	}
	if l.Saved == nil {
		return nil
	}
	return l.Saved(l.state)
}

// finish is called after a stop as well, so it takes no context: the process
// should not die without its report. Where there was nothing to do, the
// artifacts stay as they are: a phase that was run by itself may have written
// them.
func (l *Loop) finish() error {
	if err := l.state.RemoveOrphans(); err != nil {
		return err
	}
	if err := os.RemoveAll(l.Store.Sub("attempts").Dir()); err != nil {
		return fmt.Errorf("removing the files of past attempts: %w", err)
	}
	there := &Case{}
	if !l.worked && loadJudged(there, l.Store) == nil && l.Store.Has(schemas.FixPlan) && l.Store.Has(schemas.FixStrategy) {
		if l.saveState(there) == nil {
			return nil
		}
		// They do not go together with the rest; the chunks know better.
	}
	return l.save()
}
