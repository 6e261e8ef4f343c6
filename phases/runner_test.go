package phases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/replies"
	"bughunter/schemas"
	"bughunter/workers"
)

// hunt is a bench with a script for the hunter, and a case for it.
func hunt(t *testing.T, steps ...any) (*bench, *script, *Case) {
	t.Helper()
	s := &script{t: t, steps: steps}
	tree := shop(t)
	c := &Case{Chunk: "chunk-1", Tree: tree, Files: []string{"shop/sum.go"}, Recon: tiered(map[string][]string{"low": {"shop/sum.go"}})}
	return newBench(t, filepath.Join(tree.Root, ".bug-hunter"), s), s, c
}

func (b *bench) hunter(t *testing.T, c *Case) error {
	t.Helper()
	return b.Run(t.Context(), Hunter, c, b.State.Path(schemas.Findings))
}

// story is the events as short as they can be told.
func story(events []artifacts.Event) []string {
	var out []string
	for _, e := range events {
		s := e.Event
		if e.Attempt > 0 {
			s += fmt.Sprintf(" %d", e.Attempt)
		}
		if e.Failure != "" {
			s += " " + e.Failure
		}
		if e.WaitMS > 0 {
			s += fmt.Sprintf(" %dms", e.WaitMS)
		}
		if e.Items != nil {
			s += fmt.Sprintf(" %d items", *e.Items)
		}
		out = append(out, s)
	}
	return out
}

func failed(kind replies.Kind) error {
	return &replies.Failure{Kind: kind, Message: "so it goes", Problems: []string{"/0/claim: is " + string(kind)}}
}

func TestAnAcceptedAnswerIsStored(t *testing.T) {
	b, s, c := hunt(t, asJSON(t, []artifacts.Finding{claimed()}))
	if err := b.hunter(t, c); err != nil {
		t.Fatal(err)
	}
	var stored []artifacts.Finding
	if err := b.State.Read(schemas.Findings, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Findings, stored); diff != "" || len(stored) != 1 || stored[0].WorkerBugID != "H-1" {
		t.Errorf("stored (-case +store):\n%s", diff)
	}
	one := 1
	want := []artifacts.Event{
		{Event: artifacts.PhaseStart, Phase: "hunter", Chunk: "chunk-1", Worker: "script"},
		{Event: artifacts.AttemptStart, Phase: "hunter", Chunk: "chunk-1", Attempt: 1},
		{Event: artifacts.AttemptEnd, Phase: "hunter", Chunk: "chunk-1", Attempt: 1, Source: "text"},
		{Event: artifacts.PhaseEnd, Phase: "hunter", Chunk: "chunk-1", Items: &one},
	}
	if diff := cmp.Diff(want, b.events(t)); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if len(s.seen) != 1 || s.seen[0].Feedback != nil {
		t.Errorf("assignments: %v", s.seen)
	}
	if _, err := os.Lstat(filepath.Join(b.State.Dir(), "attempts", "chunk-1-hunter")); err == nil {
		t.Error("the files of the attempt are still there")
	}
}

// What follows depends on the kind of failure alone.
func TestWhatFollowsAFailure(t *testing.T) {
	for _, tt := range []struct {
		kind     replies.Kind
		reaction string
	}{
		{replies.Truncated, "feedback"},
		{replies.NoAnswer, "feedback"},
		{replies.Malformed, "feedback"},
		{replies.Invalid, "feedback"},
		{replies.Inconsistent, "feedback"},
		{replies.WorkerFailed, "wait"},
		{replies.Timeout, "wait"},
		{replies.RateLimited, "wait"},
		{replies.Refused, "stop"},
		{replies.Auth, "stop"},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			b, s, c := hunt(t, failed(tt.kind), "[]")
			b.Backoff = time.Nanosecond // which the journal rounds to nothing
			err := b.hunter(t, c)
			name := string(tt.kind)
			want := []string{"phase-start", "attempt-start 1"}
			switch tt.reaction {
			case "feedback":
				want = append(want, "validation-failed 1 "+name, "attempt-end 1 "+name, "attempt-start 2", "attempt-end 2", "phase-end 0 items")
			case "wait":
				want = append(want, "attempt-end 1 "+name, "retry-backoff 1", "attempt-start 2", "attempt-end 2", "phase-end 0 items")
			case "stop":
				want = append(want, "attempt-end 1 "+name, "phase-failed 1 "+name)
			}
			if diff := cmp.Diff(want, story(b.events(t))); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.reaction == "stop") {
				t.Errorf("the error is %v", err)
			}
			if tt.reaction == "stop" {
				return
			}
			var feedback []string
			if tt.reaction == "feedback" {
				feedback = []string{"so it goes", "/0/claim: is " + name}
			}
			if diff := cmp.Diff(feedback, s.seen[1].Feedback); diff != "" {
				t.Errorf("feedback (-want +got):\n%s", diff)
			}
			if s.seen[1].Attempt != 2 {
				t.Errorf("attempt %d", s.seen[1].Attempt)
			}
		})
	}
	if len(reactions) != 10 {
		t.Error("there is a kind of failure without a line above")
	}
}

func TestAPermanentFailureIsNotTriedAgain(t *testing.T) {
	b, _, c := hunt(t, &replies.Failure{Kind: replies.WorkerFailed, Message: "no such program", Permanent: true})
	var gaveUp *PhaseError
	if err := b.hunter(t, c); !errors.As(err, &gaveUp) || gaveUp.Attempts != 1 || !hopeless(gaveUp.Failure) {
		t.Errorf("the error is %v", err)
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	for _, retries := range []int{0, 1, 4} {
		for _, kind := range []replies.Kind{replies.Invalid, replies.WorkerFailed} {
			var steps []any
			for range retries + 1 {
				steps = append(steps, failed(kind))
			}
			b, s, c := hunt(t, steps...)
			b.Retries = retries
			var gaveUp *PhaseError
			if err := b.hunter(t, c); !errors.As(err, &gaveUp) {
				t.Fatalf("the error is %v", err)
			}
			if gaveUp.Attempts != retries+1 || len(s.seen) != retries+1 || gaveUp.Failure.Kind != kind {
				t.Errorf("%d retries: given up after %d attempts, %d made: %v", retries, gaveUp.Attempts, len(s.seen), gaveUp)
			}
			events := story(b.events(t))
			if last := events[len(events)-1]; last != fmt.Sprintf("phase-failed %d %s", retries+1, kind) {
				t.Errorf("the last event is %s", last)
			}
		}
	}
}

// The wait doubles, give or take a half, and is never shorter than what the
// provider asks for.
func TestTheWaitBetweenAttempts(t *testing.T) {
	b, _, c := hunt(t, failed(replies.RateLimited), failed(replies.WorkerFailed), failed(replies.Timeout),
		&replies.Failure{Kind: replies.RateLimited, Message: "later", RetryAfter: time.Hour}, failed(replies.RateLimited), "[]")
	b.Retries, b.Backoff = 5, time.Second
	if err := b.hunter(t, c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, time.Hour, 16 * time.Second} {
		if got := b.waited[i]; got != want && (got < want/2 || got > want*3/2) {
			t.Errorf("wait %d is %s, want about %s", i+1, got, want)
		}
	}
	if got := b.waited[3]; got != time.Hour {
		t.Errorf("the provider asked for an hour and got %s", got)
	}
	var waits []int64
	for _, e := range b.events(t) {
		if e.Event == artifacts.RetryBackoff {
			waits = append(waits, e.WaitMS)
		}
	}
	for i, ms := range waits {
		if ms != b.waited[i].Milliseconds() {
			t.Errorf("the journal says %d ms of a wait of %s", ms, b.waited[i])
		}
	}
	if len(waits) != len(b.waited) {
		t.Errorf("the journal has %d waits of %d", len(waits), len(b.waited))
	}
}

// A retry after a back-off is the attempt as it was: a rate limit does not
// make the worker forget what was wrong before it.
func TestFeedbackOutlivesABackOff(t *testing.T) {
	b, s, c := hunt(t, failed(replies.Invalid), failed(replies.RateLimited), "[]")
	if err := b.hunter(t, c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.seen[1].Feedback, s.seen[2].Feedback); diff != "" || len(s.seen[2].Feedback) == 0 {
		t.Errorf("feedback (-second +third attempt):\n%s", diff)
	}
}

func TestFeedbackIsBounded(t *testing.T) {
	f := &replies.Failure{Kind: replies.Invalid, Message: strings.Repeat("é", 10_000)}
	for i := range 50 {
		f.Problems = append(f.Problems, fmt.Sprintf("/%d: %s", i, strings.Repeat("é", 10_000)))
	}
	for _, failure := range []*replies.Failure{f, {Kind: replies.Malformed}, {Kind: replies.Invalid, Message: "\xff", Problems: []string{"\xff\xfe"}}} {
		b, s, c := hunt(t, failure, "[]")
		if err := b.hunter(t, c); err != nil {
			t.Fatal(err)
		}
		got := s.seen[1].Feedback
		if failure == f && (len(got) != 22 || got[21] != "and 30 more") {
			t.Errorf("%d pieces of feedback, the last of them %q", len(got), got[len(got)-1])
		}
		for _, text := range got {
			if len(text) == 0 || len(text) > 1010 {
				t.Errorf("a piece of feedback has %d bytes", len(text))
			}
		}
	}
}

// A malformed answer fails the attempt, is journaled and kept, and is given
// back with each problem's place and value. This is the issue's own example.
func TestAMalformedFindingIsGivenBack(t *testing.T) {
	good := asJSON(t, []artifacts.Finding{claimed()})
	without := func(field string) string {
		var kept []string
		for line := range strings.Lines(good) {
			if !strings.Contains(line, `"`+field+`"`) {
				kept = append(kept, line)
			}
		}
		text := strings.Join(kept, "")
		return strings.Replace(text, "],\n  }", "]\n  }", 1)
	}
	for _, tt := range []struct {
		name, reply string
		kind        replies.Kind
		problem     string
	}{
		{"no claim", without("claim"), replies.Invalid, "/0: missing required property: claim"},
		{"no confidenceScore", without("confidenceScore"), replies.Invalid, "/0: missing required property: confidenceScore"},
		{"textual confidence", strings.Replace(good, `"confidenceScore": 80`, `"confidenceScore": "high"`, 1), replies.Invalid, `/0/confidenceScore: *"high"`},
		{"a bracket", "[", replies.Truncated, "*"},
		{"half an array", good[:len(good)/2], replies.Truncated, "*"},
		{"no JSON", "I found nothing.", replies.NoAnswer, ""},
		{"nothing", "", replies.NoAnswer, ""},
		{"another artifact", `{"status":"ok","bugs":0}`, replies.Invalid, "*"},
		{"evidence that is not there", strings.Replace(good, "total += p", "total -= p", 1), replies.Inconsistent, "/0/evidence: the evidence does not stand in the file"},
		{"a file that is not there", strings.Replace(good, "shop/sum.go", "shop/bag.go", 1), replies.Inconsistent, "/0/file: *shop/bag.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, s, c := hunt(t, tt.reply, good)
			if err := b.hunter(t, c); err != nil {
				t.Fatal(err)
			}
			if len(c.Findings) != 1 || len(s.seen) != 2 {
				t.Fatalf("%d findings after %d attempts", len(c.Findings), len(s.seen))
			}
			feedback := s.seen[1].Feedback
			if tt.problem != "" {
				wantProblems(t, feedback[1:2], []string{tt.problem})
			}
			var rejected artifacts.Event
			for _, e := range b.events(t) {
				if e.Event == artifacts.ValidationFailed {
					rejected = e
				}
			}
			if rejected.Failure != string(tt.kind) || rejected.Attempt != 1 || rejected.Rejected == "" {
				t.Errorf("the journal says %+v", rejected)
			}
			if diff := cmp.Diff(feedback, append([]string{rejected.Message}, rejected.Problems...)); diff != "" {
				t.Errorf("feedback and journal differ (-feedback +journal):\n%s", diff)
			}
			kept, err := os.ReadFile(rejected.Rejected)
			if err != nil || string(kept) != tt.reply {
				t.Errorf("kept is %q, %v", kept, err)
			}
			problems, err := os.ReadFile(strings.TrimSuffix(rejected.Rejected, ".reply") + ".problems")
			if want := strings.Join(append([]string{string(tt.kind) + ": " + rejected.Message}, rejected.Problems...), "\n") + "\n"; err != nil || string(problems) != want {
				t.Errorf("beside it is %q, %v; want %q", problems, err, want)
			}
			if dir := filepath.Dir(rejected.Rejected); dir != filepath.Join(b.State.Dir(), "rejected") {
				t.Errorf("it is kept in %s", dir)
			}
		})
	}
}

func TestAFailedPhaseLeavesEveryFileAsItWas(t *testing.T) {
	b, _, c := hunt(t, `[{}]`, "[", failed(replies.Refused))
	b.Retries = 5
	for _, name := range []string{schemas.Findings, schemas.Recon, schemas.Coverage, schemas.Skeptic} {
		writeFile(t, b.State.Path(name), "what was there before\n")
	}
	before := snapshot(t, b.State.Dir())
	var gaveUp *PhaseError
	if err := b.hunter(t, c); !errors.As(err, &gaveUp) || gaveUp.Attempts != 3 {
		t.Fatalf("the error is %v", err)
	}
	after := snapshot(t, b.State.Dir())
	for name, text := range before {
		if name != "run.log" && after[name] != text {
			t.Errorf("%s is changed", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok && !strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s is new", name)
		}
	}
	if c.Findings != nil {
		t.Errorf("the case has %v", c.Findings)
	}
}

func TestTheErrorSaysWhereTheReplyIsKept(t *testing.T) {
	b, _, c := hunt(t, `[{}]`)
	b.Retries = 0
	err := b.hunter(t, c)
	for _, part := range []string{"the hunter phase of chunk-1 failed after 1 attempt: invalid: ", "/0: missing required property", "the rejected reply is kept in " + b.State.Dir()} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %v, want one with %q", err, part)
		}
	}
}

// Whatever an attempt leaves where the answer is expected, the next one does
// not find it.
func TestWhatAnAttemptLeavesIsGoneBeforeTheNext(t *testing.T) {
	read := func(job workers.Job) (workers.Result, error) {
		file, err := os.ReadFile(job.Assignment.OutputPath)
		if err == nil {
			return workers.Result{}, fmt.Errorf("the output file holds %q", file)
		}
		return printed("[]"), nil
	}
	for name, leave := range map[string]func(output string) error{
		"an answer": func(output string) error { return os.WriteFile(output, []byte("[]"), 0o644) },
		"a folder":  func(output string) error { return os.MkdirAll(filepath.Join(output, "with", "files"), 0o755) },
		"a link":    func(output string) error { return os.Symlink("/etc/passwd", output) },
		"a file in the place of the folder": func(output string) error {
			return errors.Join(os.RemoveAll(filepath.Dir(output)), os.WriteFile(filepath.Dir(output), nil, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, _, c := hunt(t,
				func(_ context.Context, job workers.Job) (workers.Result, error) {
					if err := os.MkdirAll(job.Dir, 0o755); err != nil {
						return workers.Result{}, err
					}
					if err := leave(job.Assignment.OutputPath); err != nil {
						return workers.Result{}, err
					}
					return workers.Result{}, failed(replies.Malformed)
				},
				func(_ context.Context, job workers.Job) (workers.Result, error) { return read(job) },
			)
			if err := b.hunter(t, c); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("an answer of the run before", func(t *testing.T) {
		b, _, c := hunt(t, func(_ context.Context, job workers.Job) (workers.Result, error) { return read(job) })
		writeFile(t, filepath.Join(b.attemptDir(Hunter, c), "output.json"), "[]")
		if err := b.hunter(t, c); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNoWorkerStartsWithAnInvalidAssignment(t *testing.T) {
	for name, spoil := range map[string]func(c *Case){
		"no files":      func(c *Case) { c.Files = nil },
		"no recon":      func(c *Case) { c.Recon = nil },
		"a chunk's id":  func(c *Case) { c.Chunk = "../chunk" },
		"an empty name": func(c *Case) { c.Files = []string{""} },
	} {
		t.Run(name, func(t *testing.T) {
			b, s, c := hunt(t)
			spoil(c)
			err := b.hunter(t, c)
			if err == nil || !strings.Contains(err.Error(), "the assignment for the hunter phase is not valid") {
				t.Errorf("the error is %v", err)
			}
			if len(s.seen) > 0 {
				t.Error("the worker was started")
			}
		})
	}
}

func TestAnErrorOfTheMachineEndsTheRunAtOnce(t *testing.T) {
	full := errors.New("no space left on device")
	b, s, c := hunt(t, full, "[]")
	var gaveUp *PhaseError
	if err := b.hunter(t, c); !errors.Is(err, full) || errors.As(err, &gaveUp) || len(s.seen) != 1 {
		t.Errorf("the error is %v after %d attempts", err, len(s.seen))
	}
}

func TestAnAnswerThatCannotBeStoredIsAnError(t *testing.T) {
	b, _, c := hunt(t, "[]")
	writeFile(t, filepath.Join(b.State.Dir(), "file"), "")
	err := b.Run(t.Context(), Hunter, c, filepath.Join(b.State.Dir(), "file", "findings.json"))
	var gaveUp *PhaseError
	if err == nil || errors.As(err, &gaveUp) {
		t.Errorf("the error is %v", err)
	}
	if events := story(b.events(t)); slices.Contains(events, "phase-end 0 items") {
		t.Errorf("the journal says %q", events)
	}
}

func TestTheDeadlineOfAnAttempt(t *testing.T) {
	hang := func(ctx context.Context, _ workers.Job) (workers.Result, error) {
		<-ctx.Done()
		return workers.Result{}, ctx.Err()
	}
	b, _, c := hunt(t, hang, "[]")
	b.Timeout, b.Backoff = time.Millisecond, 0
	if err := b.hunter(t, c); err != nil {
		// The second attempt has a deadline too, but answers without looking at it.
		t.Fatal(err)
	}
	want := []string{"phase-start", "attempt-start 1", "attempt-end 1 timeout", "retry-backoff 1", "attempt-start 2", "attempt-end 2", "phase-end 0 items"}
	if diff := cmp.Diff(want, story(b.events(t))); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

func TestAStopIsNotAFailure(t *testing.T) {
	stopped := errors.New("the user pressed a key")
	t.Run("while the worker works", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		b, _, c := hunt(t, func(context.Context, workers.Job) (workers.Result, error) {
			stop(stopped)
			return workers.Result{}, failed(replies.WorkerFailed) // as a killed worker would
		})
		err := b.Run(ctx, Hunter, c, b.State.Path(schemas.Findings))
		var f *replies.Failure
		if !errors.Is(err, stopped) || errors.As(err, &f) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("during a back-off", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		b, s, c := hunt(t, func(context.Context, workers.Job) (workers.Result, error) {
			return workers.Result{}, &replies.Failure{Kind: replies.RateLimited, Message: "wait", RetryAfter: time.Hour}
		})
		b.sleep = nil // really wait
		journal, err := artifacts.OpenJournal(b.journal, func(e artifacts.Event) {
			if e.Event == artifacts.RetryBackoff {
				stop(stopped)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		b.Journal = journal
		if err := b.Run(ctx, Hunter, c, b.State.Path(schemas.Findings)); !errors.Is(err, stopped) || len(s.seen) != 1 {
			t.Errorf("the error is %v after %d attempts", err, len(s.seen))
		}
	})
}

// A phase by itself has nowhere to record a file that was not looked at.
func TestAloneAHunterMustExamineEveryFile(t *testing.T) {
	result := workers.Result{Reply: replies.Raw{Text: []byte("[]")}, Unexamined: map[string]string{"shop/sum.go": "does not compile"}}
	b, _, c := hunt(t, result)
	var gaveUp *PhaseError
	if err := b.hunter(t, c); !errors.As(err, &gaveUp) || gaveUp.Failure.Kind != replies.WorkerFailed ||
		!slices.Equal(gaveUp.Failure.Problems, []string{"shop/sum.go: does not compile"}) {
		t.Errorf("the error is %v", err)
	}
}

func TestAPhaseWithNothingToAnswerAsksNobody(t *testing.T) {
	for p, want := range map[*Phase]string{
		Skeptic: "[]\n", Referee: "[]\n", Fixer: "{\n  \"schemaVersion\": 1,\n  \"dryRun\": true,\n  \"fixes\": []\n}\n",
	} {
		b, s, c := hunt(t)
		c.Plan = &artifacts.FixPlan{}
		path := b.State.Path(p.Artifact)
		if err := b.Run(t.Context(), p, c, path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want || len(s.seen) > 0 {
			t.Errorf("the %s wrote %q, %v", p.Name, got, err)
		}
	}
}

func TestLookupKnowsEachPhaseByItsName(t *testing.T) {
	for _, p := range All {
		if got, err := Lookup(p.Name); got != p || err != nil {
			t.Errorf("Lookup(%q) = %v, %v", p.Name, got, err)
		}
	}
	if _, err := Lookup("judge"); err == nil {
		t.Error("there is a judge")
	}
}
