// Package coverage keeps the state of the loop: which files are queued, in
// which chunk, and how far they got. It is what makes a run resumable.
//
// The state is coverage.json. Writing it costs time in proportion to the
// queue, so it is not written after every chunk; a finished chunk leaves a
// coverage.json of its own, its receipt, beside its artifacts in chunks/<id>.
// The receipt is written last, so that a chunk with a receipt is complete, and
// [Load] folds in the receipts that are newer than the state. Whatever the
// instant at which a process dies, what is lost are the attempts in flight.
package coverage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"bughunter/artifacts"
	"bughunter/schemas"
	"bughunter/scope"
)

// State is the state of the loop, in memory. [State.Save] writes it.
type State struct {
	store *artifacts.Store
	cov   artifacts.Coverage
	at    map[string]int // index into cov.Files by path
}

// Load reads the state from a store, or starts a new one if there is none.
// Files found in progress go back to the queue: whoever was at them is gone,
// since the caller holds the lock of the state folder. So do files that are
// done by what the state says and whose chunk has lost its artifacts.
func Load(store *artifacts.Store) (*State, error) {
	s := &State{store: store}
	err := store.Read(schemas.Coverage, &s.cov)
	if errors.Is(err, fs.ErrNotExist) {
		s.cov = artifacts.Coverage{
			SchemaVersion: artifacts.SchemaVersion, Status: artifacts.LoopInProgress,
			Files: []artifacts.FileEntry{}, Bugs: []artifacts.BugSummary{}, Fixes: []artifacts.FixEntry{},
		}
	} else if err != nil {
		return nil, err
	}
	for i := range s.cov.Files {
		if f := &s.cov.Files[i]; f.Status == artifacts.InProgress {
			f.Status = artifacts.Pending
		}
	}
	s.index()
	if err := s.fold(); err != nil {
		return nil, err
	}
	s.requeueLost()
	if !s.complete() {
		s.cov.Status = artifacts.LoopInProgress
	}
	return s, nil
}

func (s *State) index() {
	s.at = make(map[string]int, len(s.cov.Files))
	for i, f := range s.cov.Files {
		s.at[f.Path] = i
	}
}

// fold takes over the receipts of chunks that the state has not as done. A
// receipt counts for a file if the file is in that chunk still, was scanned
// with the content the state knows, and was not attempted again since.
func (s *State) fold() error {
	for _, chunk := range s.chunks(func(f artifacts.FileEntry) bool { return f.Status != artifacts.Done }) {
		var receipt artifacts.Coverage
		err := s.Chunk(chunk.ID).Read(schemas.Coverage, &receipt)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, f := range receipt.Files {
			i, ok := s.at[f.Path]
			if !ok {
				continue
			}
			known := &s.cov.Files[i]
			if known.Chunk == f.Chunk && known.Hash == f.Hash && known.Attempts <= f.Attempts {
				*known = f
			}
		}
	}
	return nil
}

// requeueLost queues the files of chunks whose artifacts are not on disk. They
// leave their chunk, so that what is left in its folder, the receipt too, can
// never pass for a part of what they are given next.
func (s *State) requeueLost() {
	for _, chunk := range s.Closed() {
		lost := func(artifact string) bool { return !s.Chunk(chunk.ID).Has(artifact) }
		if !slices.ContainsFunc(artifacts.Judged, lost) {
			continue
		}
		s.each(chunk, func(f *artifacts.FileEntry) {
			f.Status, f.Chunk = artifacts.Pending, ""
		})
	}
}

// Chunk is the store of a chunk's own artifacts.
func (s *State) Chunk(id string) *artifacts.Store { return s.store.Sub("chunks", id) }

// Coverage returns the state as it is now. The caller must not change it.
func (s *State) Coverage() *artifacts.Coverage { return &s.cov }

// Change says what [State.Sync] did to the queue.
type Change struct {
	Queued  int // files that were not in the queue before
	Changed int // files whose content changed since they were scanned
	Dropped int // files that left the queue: gone, outside the paths, or changed outside them
}

// Sync brings the queue in line with what is to be hunted now. Files that were
// done and did not change stay done. still tells whether a file outside the
// scope is there with the same content; then what was found in it is kept too.
func (s *State) Sync(found *scope.Scope, still func(path, hash string) bool) Change {
	var change Change
	next := make([]artifacts.FileEntry, 0, len(found.Files))
	inScope := map[string]bool{}
	for _, f := range found.Files {
		inScope[f.Path] = true
		next = append(next, s.sync(f, &change))
	}
	for _, u := range found.Unreadable {
		inScope[u.Path] = true
		next = append(next, artifacts.FileEntry{Path: u.Path, Status: artifacts.Failed, LastError: cut(u.Err.Error())})
	}
	for _, f := range s.cov.Files {
		switch {
		case inScope[f.Path]:
		case f.Status == artifacts.Done && still(f.Path, f.Hash):
			next = append(next, f)
		default:
			change.Dropped++
		}
	}
	slices.SortFunc(next, func(a, b artifacts.FileEntry) int { return cmp.Compare(a.Path, b.Path) })
	s.cov.Files = next
	s.index()
	return change
}

func (s *State) sync(f scope.File, change *Change) artifacts.FileEntry {
	fresh := artifacts.FileEntry{Path: f.Path, Status: artifacts.Pending, Hash: f.Hash}
	i, ok := s.at[f.Path]
	if !ok {
		change.Queued++
		return fresh
	}
	old := s.cov.Files[i]
	switch {
	case old.Hash == f.Hash:
		return old
	case old.Status == artifacts.Pending && old.Attempts == 0:
		fresh.Chunk = old.Chunk // planned and not begun
	}
	change.Changed++
	return fresh
}

// Requeue sends every file back to the queue, as for another worker.
func (s *State) Requeue() {
	for i, f := range s.cov.Files {
		s.cov.Files[i] = artifacts.FileEntry{Path: f.Path, Status: artifacts.Pending, Hash: f.Hash}
	}
}

// Describe records what the run was asked to hunt in, what was left out of the
// queue, and who works on it.
func (s *State) Describe(paths []string, leftOut []artifacts.LeftOut, workers map[string]string) {
	s.cov.Paths, s.cov.LeftOut, s.cov.Workers = paths, leftOut, workers
}

// Plan puts the files that are in no chunk yet, in the given order, into new
// chunks of at most size files. A file that failed in a chunk which has a
// result for others gets a new chunk, so that the result stays.
func (s *State) Plan(order []string, size int) error {
	hasResult := map[string]bool{}
	last := 0
	for _, f := range s.cov.Files {
		hasResult[f.Chunk] = hasResult[f.Chunk] || f.Status == artifacts.Done
		last = max(last, chunkNumber(f.Chunk))
	}
	onDisk, err := s.lastOnDisk()
	if err != nil {
		return err
	}
	last = max(last, onDisk)
	n := 0
	for _, path := range order {
		i, ok := s.at[path]
		if !ok {
			continue
		}
		f := &s.cov.Files[i]
		unplanned := f.Chunk == "" || hasResult[f.Chunk]
		if f.Status == artifacts.Done || f.Hash == "" || !unplanned {
			continue
		}
		f.Chunk = fmt.Sprintf("chunk-%d", last+1+n/size)
		n++
	}
	return nil
}

// lastOnDisk is the highest number of a chunk folder, so that a new chunk
// never takes over the folder of one that has left the queue.
func (s *State) lastOnDisk() (last int, err error) {
	names, err := s.chunkFolders()
	for _, name := range names {
		last = max(last, chunkNumber(name))
	}
	return last, err
}

// chunkFolders names the folders of chunks, also of those that have left the
// queue.
func (s *State) chunkFolders() (names []string, err error) {
	entries, err := os.ReadDir(s.Chunk("").Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if chunkNumber(e.Name()) > 0 {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// RemoveOrphans deletes the folders of chunks that no file belongs to any
// more.
func (s *State) RemoveOrphans() error {
	used := map[string]bool{}
	for _, f := range s.cov.Files {
		used[f.Chunk] = true
	}
	names, err := s.chunkFolders()
	for _, name := range names {
		if !used[name] {
			err = errors.Join(err, os.RemoveAll(s.Chunk(name).Dir()))
		}
	}
	return err
}

func chunkNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "chunk-"))
	if err != nil {
		return 0
	}
	return n
}

// Chunk is a part of the queue that goes through the phases together.
type Chunk struct {
	ID    string
	Files []string
}

// Open returns the chunks with files that are not done, in the order in which
// they were planned, each with those files.
func (s *State) Open() []Chunk {
	return s.chunks(func(f artifacts.FileEntry) bool { return f.Status != artifacts.Done && f.Hash != "" })
}

// Closed returns the chunks with files that are done, each with those files.
func (s *State) Closed() []Chunk {
	return s.chunks(func(f artifacts.FileEntry) bool { return f.Status == artifacts.Done })
}

func (s *State) chunks(want func(artifacts.FileEntry) bool) []Chunk {
	var out []Chunk
	at := map[string]int{}
	for _, f := range s.cov.Files {
		if f.Chunk == "" || !want(f) {
			continue
		}
		i, ok := at[f.Chunk]
		if !ok {
			i = len(out)
			at[f.Chunk] = i
			out = append(out, Chunk{ID: f.Chunk})
		}
		out[i].Files = append(out[i].Files, f.Path)
	}
	slices.SortFunc(out, func(a, b Chunk) int { return cmp.Compare(chunkNumber(a.ID), chunkNumber(b.ID)) })
	return out
}

// Begin marks the files of a chunk as in progress.
func (s *State) Begin(c Chunk) {
	s.each(c, func(f *artifacts.FileEntry) {
		f.Status = artifacts.InProgress
		f.Attempts++
		f.LastError = ""
	})
}

// Finish marks the files of a chunk as done, but for those that failed, and
// writes its receipt. The chunk's artifacts are on disk.
func (s *State) Finish(c Chunk, failed map[string]string) error {
	receipt := artifacts.Coverage{
		SchemaVersion: artifacts.SchemaVersion, Iteration: s.cov.Iteration, Status: artifacts.LoopComplete,
		Bugs: []artifacts.BugSummary{}, Fixes: []artifacts.FixEntry{},
	}
	s.each(c, func(f *artifacts.FileEntry) {
		f.Status = artifacts.Done
		if reason, ok := failed[f.Path]; ok {
			f.Status, f.LastError = artifacts.Failed, cut(reason)
			receipt.Status = artifacts.LoopInProgress
		}
		receipt.Files = append(receipt.Files, *f)
	})
	return s.Chunk(c.ID).Write(schemas.Coverage, receipt)
}

// Fail marks the files of a chunk as failed.
func (s *State) Fail(c Chunk, err error) {
	s.each(c, func(f *artifacts.FileEntry) { f.Status, f.LastError = artifacts.Failed, cut(err.Error()) })
}

// Return puts the files of a chunk back into the queue, as if it had not been
// begun: the run was stopped.
func (s *State) Return(c Chunk) {
	s.each(c, func(f *artifacts.FileEntry) {
		f.Status = artifacts.Pending
		f.Attempts--
	})
}

func (s *State) each(c Chunk, do func(*artifacts.FileEntry)) {
	for _, path := range c.Files {
		do(&s.cov.Files[s.at[path]])
	}
}

// cut bounds an error text to what the schema allows.
func cut(s string) string {
	const limit = 4000
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-3], "") + "…"
}

// NextIteration counts one more pass over the queue.
func (s *State) NextIteration() { s.cov.Iteration++ }

// SetBugs records the bugs confirmed so far.
func (s *State) SetBugs(bugs []artifacts.BugSummary) { s.cov.Bugs = bugs }

// Counts says how many files have each status.
func (s *State) Counts() map[artifacts.FileStatus]int {
	n := map[artifacts.FileStatus]int{}
	for _, f := range s.cov.Files {
		n[f.Status]++
	}
	return n
}

func (s *State) complete() bool { return s.Counts()[artifacts.Done] == len(s.cov.Files) }

// Save writes the state. The loop is complete when every queued file is done,
// and nothing else makes it so.
func (s *State) Save() error {
	s.cov.Status = artifacts.LoopInProgress
	if s.complete() {
		s.cov.Status = artifacts.LoopComplete
	}
	return s.store.Write(schemas.Coverage, s.cov)
}
