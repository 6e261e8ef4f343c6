package coverage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// rehearsal runs a loop over a state and can be killed before any of its steps.
// What has been finished is remembered apart from the state.
type rehearsal struct {
	t        *testing.T
	store    *artifacts.Store
	random   *rand.Rand
	files    []string
	budget   int             // steps until the process dies
	finished map[string]bool // path and hash of what a worker has done, by the receipts on disk
	worked   map[string]int  // how often a worker finished a file
}

var errKilled = errors.New("killed")

func (r *rehearsal) step() error {
	if r.budget--; r.budget < 0 {
		return errKilled
	}
	return nil
}

// run is what a process does, from its start to its end or its death.
func (r *rehearsal) run() error {
	s, err := Load(r.store)
	if err != nil {
		return err
	}
	r.wantNothingLost(s)
	s.Sync(found(r.files...), nothingElse)
	s.Plan(r.files, 3)
	if err := r.save(s); err != nil {
		return err
	}
	for len(s.Open()) > 0 {
		s.NextIteration()
		for _, c := range s.Open() {
			if err := r.chunk(s, c); err != nil {
				return err
			}
			if r.random.IntN(3) == 0 {
				if err := r.save(s); err != nil {
					return err
				}
			}
		}
		s.Plan(r.files, 3)
	}
	return r.save(s)
}

func (r *rehearsal) save(s *State) error {
	if err := r.step(); err != nil {
		return err
	}
	return s.Save()
}

func (r *rehearsal) chunk(s *State, c Chunk) error {
	s.Begin(c)
	outcome := r.random.IntN(6)
	if outcome == 0 {
		s.Fail(c, errors.New("no answer"))
		return r.step()
	}
	if outcome == 1 {
		s.Return(c)
		return r.step()
	}
	store := s.Chunk(c.ID)
	for _, w := range []struct {
		artifact string
		value    any
	}{{schemas.Findings, []artifacts.Finding{}}, {schemas.Skeptic, []artifacts.Challenge{}}, {schemas.Referee, []artifacts.Verdict{}}} {
		if err := r.step(); err != nil {
			return err
		}
		if err := store.Write(w.artifact, w.value); err != nil {
			return err
		}
	}
	if err := r.step(); err != nil {
		return err
	}
	failed := map[string]string{}
	if outcome == 2 {
		failed[c.Files[0]] = "it does not parse"
	}
	if err := s.Finish(c, failed); err != nil {
		return err
	}
	for _, f := range c.Files {
		if failed[f] == "" {
			r.finished[f] = true
			r.worked[f]++
		}
	}
	return r.step()
}

// wantNothingLost holds a state fresh from disk against what was finished.
func (r *rehearsal) wantNothingLost(s *State) {
	r.t.Helper()
	done := map[string]bool{}
	for _, f := range s.Coverage().Files {
		done[f.Path] = f.Status == artifacts.Done
		if f.Status == artifacts.InProgress {
			r.t.Errorf("%s is in progress, and nobody works on it", f.Path)
		}
	}
	for f := range r.finished {
		if !done[f] {
			r.t.Errorf("%s was finished and is not done", f)
		}
	}
	for f, is := range done {
		if is && !r.finished[f] {
			r.t.Errorf("%s is done and nobody finished it", f)
		}
	}
}

// The process dies at its first step, then at its second, and so on, each time
// another one goes on; then nothing that was finished is lost or done twice,
// and the end is reached.
func TestNothingFinishedIsLostWhereverTheProcessDies(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := &rehearsal{
				t: t, store: newStore(t), random: rand.New(rand.NewPCG(seed, 1)),
				finished: map[string]bool{}, worked: map[string]int{},
			}
			for i := range 10 {
				r.files = append(r.files, fmt.Sprintf("%c.go", 'a'+i))
			}
			deaths := 0
			for {
				r.budget = deaths
				err := r.run()
				if err == nil {
					break
				}
				if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				deaths++
			}
			r.wantTheEnd(deaths)
		})
	}
}

func (r *rehearsal) wantTheEnd(deaths int) {
	r.t.Helper()
	if deaths < 5 {
		r.t.Errorf("it died %d times only", deaths)
	}
	s := load(r.t, r.store)
	r.wantNothingLost(s)
	if s.Coverage().Status != artifacts.LoopComplete || s.Counts()[artifacts.Done] != len(r.files) {
		r.t.Errorf("it ended with %q", shown(s))
	}
	for f, n := range r.worked {
		if n != 1 {
			r.t.Errorf("%s was finished %d times", f, n)
		}
	}
	for _, c := range s.Closed() {
		for _, name := range []string{schemas.Findings, schemas.Skeptic, schemas.Referee, schemas.Coverage} {
			if _, err := os.Stat(filepath.Join(r.store.Dir(), "chunks", c.ID, name+".json")); err != nil {
				r.t.Error(err)
			}
		}
	}
}
