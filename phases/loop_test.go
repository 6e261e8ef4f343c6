package phases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/replies"
	"bughunter/schemas"
	"bughunter/workers"
)

// crew are workers whose answers follow from the sources: each line with the
// word BUG is a finding, which is accepted and confirmed.
type crew struct {
	t    testing.TB
	tree *Tree

	// before, if not nil, may answer in their place.
	before func(a *artifacts.Assignment) (workers.Result, error, bool)

	asked  []string // phase and files of each attempt
	hunted []string // the files in the order in which they were hunted
}

func (w *crew) String() string { return "crew" }

func (w *crew) Work(_ context.Context, job workers.Job) (workers.Result, error) {
	a := job.Assignment
	w.asked = append(w.asked, a.Phase+" "+strings.Join(a.Files, " "))
	if a.Phase == Hunter.Name {
		w.hunted = append(w.hunted, a.Files...)
	}
	if w.before != nil {
		if result, err, ok := w.before(a); ok {
			return result, err
		}
	}
	return printed(asJSON(w.t, w.answer(a))), nil
}

func (w *crew) answer(a *artifacts.Assignment) any {
	switch a.Phase {
	case Recon.Name:
		return tiered(map[string][]string{"medium": a.Files})
	case Hunter.Name:
		return w.hunt(a.Files)
	case Skeptic.Name:
		answers := []artifacts.Challenge{}
		for _, f := range a.Findings {
			answers = append(answers, challenge(f.BugID))
		}
		return answers
	default:
		answers := []artifacts.Verdict{}
		for _, f := range a.Findings {
			answers = append(answers, verdict(f.BugID))
		}
		return answers
	}
}

func (w *crew) hunt(files []string) []artifacts.Finding {
	findings := []artifacts.Finding{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(w.tree.Root, file))
		if err != nil {
			w.t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if strings.Contains(line, "BUG") {
				findings = append(findings, artifacts.Finding{
					BugID: fmt.Sprintf("%s-%d", file, i+1), Severity: artifacts.SeverityMedium, Category: "logic", File: file, Lines: fmt.Sprint(i + 1),
					Claim: "It is wrong: " + line, Evidence: line, RuntimeTrigger: "Always.", CrossReferences: []artifacts.CrossReference{}, ConfidenceScore: 80,
				})
			}
		}
	}
	return findings
}

// site is a repository with a crew and a state folder.
type site struct {
	t    *testing.T
	tree *Tree
	*crew
	size int // of a chunk
}

func newSite(t *testing.T, files map[string]string) *site {
	tree := newTree(t, files)
	return &site{t, tree, &crew{t: t, tree: tree}, 1}
}

// loop is a new process's loop over the site.
func (s *site) loop() (*Loop, *bench) {
	dir := filepath.Join(s.tree.Root, artifacts.StateDir)
	b := newBench(s.t, dir, s.crew)
	b.Retries = 0
	return &Loop{Runner: b.Runner, Store: b.State, Tree: NewTree(s.tree.Root), ChunkSize: s.size}, b
}

// run runs a loop to its end and tells what was asked of the crew.
func (s *site) run() (*coverage.State, error) {
	s.t.Helper()
	s.asked, s.hunted = nil, nil
	l, _ := s.loop()
	return l.Run(s.t.Context())
}

// complete runs a loop that has to end with everything done.
func (s *site) complete() {
	s.t.Helper()
	state, err := s.run()
	if err != nil {
		s.t.Fatal(err)
	}
	if status := state.Coverage().Status; status != artifacts.LoopComplete {
		s.t.Fatalf("the status is %s: %v", status, state.Coverage().Files)
	}
}

func (s *site) write(file, text string) { writeFile(s.t, filepath.Join(s.tree.Root, file), text) }

// found are the merged findings, each by file and line.
func (s *site) found() []string {
	s.t.Helper()
	var findings []artifacts.Finding
	s.read(schemas.Findings, &findings)
	var out []string
	for _, f := range findings {
		out = append(out, f.File+":"+f.Lines)
	}
	slices.Sort(out)
	return out
}

func (s *site) read(artifact string, v any) {
	s.t.Helper()
	if err := artifacts.NewStore(filepath.Join(s.tree.Root, artifacts.StateDir), validator).Read(artifact, v); err != nil {
		s.t.Fatal(err)
	}
}

// statuses are the files of the stored coverage by path.
func (s *site) statuses() map[string]artifacts.FileStatus {
	s.t.Helper()
	var cov artifacts.Coverage
	s.read(schemas.Coverage, &cov)
	out := map[string]artifacts.FileStatus{}
	for _, f := range cov.Files {
		out[f.Path] = f.Status
	}
	return out
}

func (s *site) want(found ...string) {
	s.t.Helper()
	if diff := cmp.Diff(found, s.found()); diff != "" {
		s.t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// merged are the bytes of the artifacts of the whole run.
func (s *site) merged() map[string]string {
	s.t.Helper()
	files := snapshot(s.t, filepath.Join(s.tree.Root, artifacts.StateDir))
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.Contains(name, "/") || name == "run.log" || name == "coverage.json"
	})
	return files
}

var threeFiles = map[string]string{
	"a.go": "package a\nBUG 1\n", "b.go": "package a\n", "c.go": "package a\nBUG 2\nfine\nBUG 3\n",
}

func TestTheLoopRunsUntilEveryFileIsDone(t *testing.T) {
	s := newSite(t, threeFiles)
	s.complete()
	s.want("a.go:2", "c.go:2", "c.go:4")
	want := []string{
		"recon a.go b.go c.go", "hunter a.go", "skeptic a.go", "referee a.go", "hunter b.go", "hunter c.go", "skeptic c.go", "referee c.go",
	}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	var cov artifacts.Coverage
	s.read(schemas.Coverage, &cov)
	var bugs []string
	for _, b := range cov.Bugs {
		bugs = append(bugs, b.File+":"+b.Lines)
	}
	if diff := cmp.Diff([]string{"a.go:2", "c.go:2", "c.go:4"}, bugs); diff != "" || cov.Iteration != 1 {
		t.Errorf("iteration %d, bugs (-want +got):\n%s", cov.Iteration, diff)
	}
	var plan artifacts.FixPlan
	s.read(schemas.FixPlan, &plan)
	if len(plan.Steps) != 3 {
		t.Errorf("the plan has %d steps", len(plan.Steps))
	}
}

func TestASecondRunAsksNobody(t *testing.T) {
	s := newSite(t, threeFiles)
	s.complete()
	before := s.merged()
	s.complete()
	if len(s.asked) > 0 {
		t.Errorf("asked %q", s.asked)
	}
	if diff := cmp.Diff(before, s.merged()); diff != "" {
		t.Errorf("artifacts:\n%s", diff)
	}
}

func TestOnlyAChangedFileIsHuntedAgain(t *testing.T) {
	s := newSite(t, threeFiles)
	s.size = 10
	s.complete()
	s.write("c.go", "package a\nfine\nfine\nBUG 3\nBUG 4\n")
	s.write("d.go", "BUG 5\n")
	s.complete()
	s.want("a.go:2", "c.go:4", "c.go:5", "d.go:1")
	if diff := cmp.Diff([]string{"c.go", "d.go"}, s.hunted); diff != "" {
		t.Errorf("hunted (-want +got):\n%s", diff)
	}
}

func TestTheFindingsOfADeletedFileAreGone(t *testing.T) {
	s := newSite(t, threeFiles)
	s.complete()
	if err := os.Remove(filepath.Join(s.tree.Root, "c.go")); err != nil {
		t.Fatal(err)
	}
	s.complete()
	s.want("a.go:2")
	if len(s.asked) > 0 {
		t.Errorf("asked %q", s.asked)
	}
	if chunks := slices.Collect(maps.Keys(snapshot(t, filepath.Join(s.tree.Root, artifacts.StateDir, "chunks", "chunk-1")))); len(chunks) != 4 {
		t.Errorf("chunk-1 holds %q", chunks)
	}
	if _, err := os.Lstat(filepath.Join(s.tree.Root, artifacts.StateDir, "chunks", "chunk-3")); err == nil {
		t.Error("the chunk of the deleted file is still there")
	}
}

func TestARunThatWasStoppedGoesOnWhereItWas(t *testing.T) {
	for _, phase := range []*Phase{Hunter, Skeptic, Referee} {
		t.Run("in the "+phase.Name, func(t *testing.T) {
			whole := newSite(t, threeFiles)
			whole.complete()

			s := newSite(t, threeFiles)
			full := errors.New("no space left on device")
			s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
				return workers.Result{}, full, a.Phase == phase.Name && a.Files[0] == "c.go"
			}
			if _, err := s.run(); !errors.Is(err, full) {
				t.Fatalf("the error is %v", err)
			}
			if diff := cmp.Diff(map[string]artifacts.FileStatus{"a.go": "done", "b.go": "done", "c.go": "pending"}, s.statuses()); diff != "" {
				t.Errorf("after the stop (-want +got):\n%s", diff)
			}
			s.want("a.go:2")
			s.before = nil
			s.complete()
			if diff := cmp.Diff([]string{"c.go"}, s.hunted); diff != "" {
				t.Errorf("hunted again (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(whole.merged(), s.merged()); diff != "" {
				t.Errorf("artifacts (-in one go +stopped):\n%s", diff)
			}
		})
	}
}

// What was done before coverage.json was last written is in the chunks.
func TestWhatTheStateForgotIsInTheReceipts(t *testing.T) {
	s := newSite(t, threeFiles)
	name := filepath.Join(s.tree.Root, artifacts.StateDir, "coverage.json")
	var planned []byte
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		if a.Phase == Hunter.Name && planned == nil {
			var err error
			if planned, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		return workers.Result{}, nil, false
	}
	s.complete()
	if err := os.WriteFile(name, planned, 0o644); err != nil {
		t.Fatal(err)
	}
	before := s.merged()
	s.complete()
	if len(s.asked) > 0 {
		t.Errorf("asked %q", s.asked)
	}
	if diff := cmp.Diff(before, s.merged()); diff != "" {
		t.Errorf("artifacts:\n%s", diff)
	}
}

func TestAStopEndsTheLoopWithItsCause(t *testing.T) {
	s := newSite(t, threeFiles)
	stopped := errors.New("the user pressed a key")
	ctx, stop := context.WithCancelCause(t.Context())
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		if a.Phase == Hunter.Name && a.Files[0] == "b.go" {
			stop(stopped)
		}
		return workers.Result{}, nil, false
	}
	l, _ := s.loop()
	if _, err := l.Run(ctx); !errors.Is(err, stopped) {
		t.Errorf("the error is %v", err)
	}
	s.want("a.go:2")
	s.before = nil
	s.complete()
	if diff := cmp.Diff([]string{"b.go", "c.go"}, s.hunted); diff != "" {
		t.Errorf("hunted again (-want +got):\n%s", diff)
	}
}

// A file that the hunter could not look at is never done, whatever the other
// phases then say about the rest of its chunk.
func TestAFileThatWasNotExaminedIsNotDone(t *testing.T) {
	s := newSite(t, threeFiles)
	s.size = 3
	broken := true
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		if !broken || a.Phase != Hunter.Name || !slices.Contains(a.Files, "b.go") {
			return workers.Result{}, nil, false
		}
		result := printed(asJSON(t, s.hunt(a.Files)))
		result.Unexamined = map[string]string{"b.go": "does not compile"}
		return result, nil, true
	}
	state, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]artifacts.FileStatus{"a.go": "done", "b.go": "failed", "c.go": "done"}, s.statuses()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if state.Coverage().Status == artifacts.LoopComplete {
		t.Error("the loop says that it is complete")
	}
	for _, f := range state.Coverage().Files {
		if f.Path == "b.go" && f.LastError != "does not compile" {
			t.Errorf("b.go failed with %q", f.LastError)
		}
	}
	s.want("a.go:2", "c.go:2", "c.go:4")

	broken = false
	s.complete()
	if diff := cmp.Diff([]string{"b.go"}, s.hunted); diff != "" {
		t.Errorf("hunted again (-want +got):\n%s", diff)
	}
	s.want("a.go:2", "c.go:2", "c.go:4")
}

// A later phase may find that it cannot look at a file either.
func TestUnexaminedFilesOfAllPhasesAdd(t *testing.T) {
	s := newSite(t, threeFiles)
	s.size = 3
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		file := map[string]string{Hunter.Name: "b.go", Referee.Name: "c.go"}[a.Phase]
		if !slices.Contains(a.Files, file) {
			return workers.Result{}, nil, false
		}
		result := printed(asJSON(t, s.answer(a)))
		result.Unexamined = map[string]string{file: "cannot be read"}
		return result, nil, true
	}
	if _, err := s.run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]artifacts.FileStatus{"a.go": "done", "b.go": "failed", "c.go": "failed"}, s.statuses()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	s.want("a.go:2")
}

func TestAChunkThatFailsIsTriedAgainInTheNextPass(t *testing.T) {
	s := newSite(t, threeFiles)
	failures := 2
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		if a.Phase != Skeptic.Name || a.Files[0] != "a.go" || failures == 0 {
			return workers.Result{}, nil, false
		}
		failures--
		return workers.Result{}, failed(replies.Timeout), true
	}
	// The second pass gets nothing done, so the third is another run's.
	if _, err := s.run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.go", "b.go", "c.go", "a.go"}, s.hunted); diff != "" {
		t.Errorf("hunted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]artifacts.FileStatus{"a.go": "failed", "b.go": "done", "c.go": "done"}, s.statuses()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	s.want("c.go:2", "c.go:4")
	s.complete()
	s.want("a.go:2", "c.go:2", "c.go:4")
	if diff := cmp.Diff([]string{"a.go"}, s.hunted); diff != "" {
		t.Errorf("hunted again (-want +got):\n%s", diff)
	}
}

func TestPassesAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range maxIterations + 5 {
		files[fmt.Sprintf("%02d.go", i)] = "package a\n"
	}
	s := newSite(t, files)
	done := false // one file a pass is all that this hunter manages
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		if a.Phase != Hunter.Name {
			return workers.Result{}, nil, false
		}
		if !done {
			done = true
			return workers.Result{}, nil, false
		}
		if a.Files[0] == "14.go" {
			done = false // the last of a pass
		}
		return workers.Result{}, failed(replies.Refused), true
	}
	state, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	if n := state.Counts()[artifacts.Done]; n != maxIterations || state.Coverage().Iteration != maxIterations {
		t.Errorf("%d files are done after %d passes", n, state.Coverage().Iteration)
	}
}

func TestAWorkerThatCannotWorkEndsTheLoop(t *testing.T) {
	for _, f := range []*replies.Failure{
		{Kind: replies.Auth, Message: "no key"},
		{Kind: replies.WorkerFailed, Message: "no such program", Permanent: true},
	} {
		t.Run(string(f.Kind), func(t *testing.T) {
			s := newSite(t, threeFiles)
			s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
				return workers.Result{}, f, a.Phase == Skeptic.Name
			}
			_, err := s.run()
			var gaveUp *PhaseError
			if !errors.As(err, &gaveUp) || gaveUp.Phase != "skeptic" {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff([]string{"recon a.go b.go c.go", "hunter a.go", "skeptic a.go"}, s.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]artifacts.FileStatus{"a.go": "failed", "b.go": "pending", "c.go": "pending"}, s.statuses()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailedReconLeavesTheQueue(t *testing.T) {
	s := newSite(t, threeFiles)
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		return printed("{}"), nil, a.Phase == Recon.Name
	}
	_, err := s.run()
	var gaveUp *PhaseError
	if !errors.As(err, &gaveUp) || gaveUp.Phase != "recon" || len(s.hunted) > 0 {
		t.Errorf("the error is %v, hunted %q", err, s.hunted)
	}
	s.before = nil
	s.complete()
	s.want("a.go:2", "c.go:2", "c.go:4")
}

// Neither the size of the chunks nor the order in which they are done changes
// an id or a byte of what is merged.
func TestChunksLeaveNoTrace(t *testing.T) {
	files := maps.Clone(threeFiles)
	files["d.go"], files["sub/e.go"] = "BUG 1\nx\nBUG 1\n", "BUG 1\n"
	var want map[string]string
	for _, tt := range []struct {
		size  int
		tiers map[string][]string
	}{
		{1, nil},
		{2, nil},
		{5, nil},
		{1, map[string][]string{"critical": {"sub/e.go", "d.go"}, "low": {"c.go"}, "contextOnly": {"b.go", "a.go"}}},
		{2, map[string][]string{"high": {"c.go", "a.go"}, "medium": {"d.go"}, "low": {"sub/e.go", "b.go"}}},
	} {
		s := newSite(t, files)
		s.size = tt.size
		if tt.tiers != nil {
			s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
				return printed(asJSON(t, tiered(tt.tiers))), nil, a.Phase == Recon.Name
			}
		}
		s.complete()
		got := s.merged()
		delete(got, "recon.json")
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("chunks of %d, tiers %v:\n%s", tt.size, tt.tiers, diff)
		}
	}
	if len(want) != 5 {
		t.Errorf("merged are %v", slices.Sorted(maps.Keys(want)))
	}
}

func TestTheHighestRiskIsHuntedFirstAndTheLowestNotForgotten(t *testing.T) {
	s := newSite(t, threeFiles)
	s.before = func(a *artifacts.Assignment) (workers.Result, error, bool) {
		return printed(asJSON(t, tiered(map[string][]string{"critical": {"c.go"}, "low": {"b.go"}, "contextOnly": {"a.go"}}))), nil, a.Phase == Recon.Name
	}
	s.complete()
	if diff := cmp.Diff([]string{"c.go", "b.go", "a.go"}, s.hunted); diff != "" {
		t.Errorf("hunted (-want +got):\n%s", diff)
	}
}

func TestOtherWorkersHuntAllOver(t *testing.T) {
	for _, tt := range []struct {
		phase *Phase
		again bool
	}{{Hunter, true}, {Skeptic, true}, {Referee, true}, {Recon, false}, {Fixer, false}} {
		t.Run(tt.phase.Name, func(t *testing.T) {
			s := newSite(t, threeFiles)
			s.complete()
			s.hunted = nil
			l, b := s.loop()
			b.Workers[tt.phase.Name] = &worker{"another", s.crew.Work}
			if _, err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if again := len(s.hunted) == 3; again != tt.again || !again && len(s.hunted) > 0 {
				t.Errorf("hunted again: %q", s.hunted)
			}
			s.want("a.go:2", "c.go:2", "c.go:4")
		})
	}
}

// A chunk is done when its artifacts are on disk and valid, so one that has
// lost them is done again.
func TestAChunkThatLostItsResultsIsDoneAgain(t *testing.T) {
	for _, artifact := range artifacts.Judged {
		for name, spoil := range map[string]func(file string) error{
			"gone":      os.Remove,
			"cut":       func(file string) error { return os.WriteFile(file, []byte("["), 0o644) },
			"empty":     func(file string) error { return os.WriteFile(file, []byte("[]"), 0o644) },
			"all zeros": func(file string) error { return os.WriteFile(file, make([]byte, 100), 0o644) },
		} {
			t.Run(artifact+" "+name, func(t *testing.T) {
				s := newSite(t, threeFiles)
				s.complete()
				before := s.merged()
				if err := spoil(filepath.Join(s.tree.Root, artifacts.StateDir, "chunks", "chunk-3", artifact+".json")); err != nil {
					t.Fatal(err)
				}
				state, err := s.run()
				if err != nil {
					t.Fatal(err)
				}
				// It may be done again at once or by the run after, but it is
				// not called complete without its results.
				if got := s.found(); state.Coverage().Status == artifacts.LoopComplete && len(got) != 3 {
					t.Errorf("the loop says that it is complete with %q", got)
				}
				s.complete()
				if diff := cmp.Diff(before, s.merged()); diff != "" {
					t.Errorf("artifacts:\n%s", diff)
				}
			})
		}
	}
}

// picky is a crew that only knows Go.
type picky struct{ *crew }

func (picky) Exclude(_ context.Context, _ string, files []string) (map[string]workers.Exclusion, error) {
	out := map[string]workers.Exclusion{}
	for _, f := range files {
		if !strings.HasSuffix(f, ".go") {
			out[f] = workers.Exclusion{Reason: "not Go", Remedy: "use another worker"}
		}
	}
	return out, nil
}

func TestFilesThatAreNotForTheHunterAreCounted(t *testing.T) {
	s := newSite(t, map[string]string{"a.go": "BUG\n", "b.py": "BUG\n", "c.py": "BUG\n", "d.py": "", "e.py": "", "notes.txt": ""})
	l, b := s.loop()
	b.Workers[Hunter.Name] = picky{s.crew}
	state, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.want("a.go:1")
	want := []artifacts.LeftOut{
		{Reason: "not Go", Files: 4, Examples: []string{"b.py", "c.py", "d.py"}, Remedy: "use another worker"},
		{Reason: "not source code of a known language", Files: 1, Examples: []string{"notes.txt"}},
	}
	if diff := cmp.Diff(want, state.Coverage().LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

func TestWhereThereIsNothingToHunt(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no files":        {nil, "there are no files"},
		"no source files": {map[string]string{"a.txt": "", "b.txt": ""}, "2 files left out: not source code of a known language"},
		"none it knows":   {map[string]string{"a.py": ""}, "1 file left out: not Go (use another worker)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, tt.files)
			l, b := s.loop()
			b.Workers[Hunter.Name] = picky{s.crew}
			_, err := l.Run(t.Context())
			if !errors.Is(err, ErrNothingToDo) || !strings.Contains(err.Error(), tt.want) || len(s.asked) > 0 {
				t.Errorf("the error is %v, asked %q", err, s.asked)
			}
		})
	}
}

func TestOnlyThePathsAskedForAreHunted(t *testing.T) {
	s := newSite(t, map[string]string{"a/x.go": "BUG\n", "b/y.go": "BUG\n"})
	l, _ := s.loop()
	l.Paths = []string{"b"}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want("b/y.go:1")
	// What was found elsewhere before is kept.
	s.hunted = nil
	l, _ = s.loop()
	l.Paths = []string{"a"}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want("a/x.go:1", "b/y.go:1")
	if diff := cmp.Diff([]string{"a/x.go"}, s.hunted); diff != "" {
		t.Errorf("hunted (-want +got):\n%s", diff)
	}
}
