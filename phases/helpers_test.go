package phases

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bughunter/artifacts"
	"bughunter/replies"
	"bughunter/schemas"
	"bughunter/scope"
	"bughunter/workers"
)

// validator compiles the schemas once for all tests.
var validator = schemas.New()

// newTree is a tree with the given files, by path.
func newTree(t testing.TB, files map[string]string) *Tree {
	t.Helper()
	root, err := scope.Root(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(root, name), text)
	}
	return NewTree(root)
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := artifacts.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// check takes a reply through its schema and the cross-checks of a phase, as
// the runner does, and returns the problems.
func check(t testing.TB, p *Phase, c *Case, reply string) []string {
	t.Helper()
	if err := validator.Validate(p.Artifact, strings.NewReader(reply)); err != nil {
		t.Fatalf("the test's own reply breaks the schema: %v", err)
	}
	_, ps := p.accept(c, []byte(reply))
	return lines(ps)
}

// wantProblems checks that each problem has its counterpart: what it begins
// with, and after a * what else is in it.
func wantProblems(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("there are %d problems, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		start, part, _ := strings.Cut(want[i], "*")
		if !strings.HasPrefix(got[i], start) || !strings.Contains(got[i][len(start):], part) {
			t.Errorf("problem %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

// worker answers as a function does.
type worker struct {
	name string
	work func(context.Context, workers.Job) (workers.Result, error)
}

func (w *worker) String() string { return w.name }

func (w *worker) Work(ctx context.Context, job workers.Job) (workers.Result, error) {
	return w.work(ctx, job)
}

// printed is the result of a worker that printed a text.
func printed(text string) workers.Result {
	return workers.Result{Reply: replies.Raw{Text: []byte(text)}}
}

// script is a worker that plays its steps one after another and keeps the
// assignments. A step is a reply, an error, or a function.
type script struct {
	t     testing.TB
	steps []any

	mu   sync.Mutex
	seen []*artifacts.Assignment
}

func (s *script) String() string { return "script" }

func (s *script) Work(ctx context.Context, job workers.Job) (workers.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, job.Assignment)
	if len(s.seen) > len(s.steps) {
		s.t.Fatalf("attempt %d was not expected", len(s.seen))
	}
	switch step := s.steps[len(s.seen)-1].(type) {
	case string:
		return printed(step), nil
	case workers.Result:
		return step, nil
	case error:
		return workers.Result{}, step
	case func(context.Context, workers.Job) (workers.Result, error):
		return step(ctx, job)
	default:
		s.t.Fatalf("a step of type %T", step)
		return workers.Result{}, nil
	}
}

// bench is a runner with its state folder and its journal.
type bench struct {
	*Runner
	journal string
	waited  []time.Duration
}

// newBench returns a runner over a state folder, with the same worker for all
// phases, that waits for nothing.
func newBench(t testing.TB, dir string, w workers.Worker) *bench {
	t.Helper()
	b := &bench{journal: filepath.Join(dir, "run.log")}
	journal, err := artifacts.OpenJournal(b.journal, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := journal.Close(); err != nil {
			t.Error(err)
		}
	})
	b.Runner = &Runner{
		Schemas: validator, Workers: map[string]workers.Worker{}, Journal: journal,
		State: artifacts.NewStore(dir, validator), Timeout: time.Minute, Retries: 2, Backoff: time.Second,
		sleep: func(ctx context.Context, d time.Duration) error {
			b.waited = append(b.waited, d)
			return nil
		},
	}
	for _, p := range All {
		b.Workers[p.Name] = w
	}
	return b
}

// events reads the journal back, without what differs from run to run.
func (b *bench) events(t testing.TB) []artifacts.Event {
	t.Helper()
	data, err := os.ReadFile(b.journal)
	if err != nil {
		t.Fatal(err)
	}
	var events []artifacts.Event
	for line := range bytes.Lines(data) {
		var e artifacts.Event
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if e.Time.IsZero() {
			t.Errorf("an event without its time: %s", line)
		}
		e.Time, e.TookMS = time.Time{}, 0
		events = append(events, e)
	}
	return events
}

// snapshot is every file below a folder with its content, by path.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
