package phases

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"bughunter/artifacts"
	"bughunter/replies"
	"bughunter/schemas"
	"bughunter/templates"
	"bughunter/workers"
)

// Runner brings a phase from its assignment to a stored artifact. There is no
// other way for a worker's reply into the state. It may be used by several
// goroutines, each with a case of its own.
type Runner struct {
	Schemas *schemas.Set
	Workers map[string]workers.Worker // by phase
	Journal *artifacts.Journal
	State   *artifacts.Store // rejected replies and the files of attempts go below it

	Timeout time.Duration // of one attempt
	Retries int           // attempts after the first
	Backoff time.Duration // before the first retry that waits; it doubles from there

	sleep   func(context.Context, time.Duration) error // replaced in tests
	bundles sync.Map                                   // of artifact to the schema that workers get
}

// maxBackoff bounds the wait between two attempts, unless the provider asks
// for more.
const maxBackoff = 5 * time.Minute

// PhaseError says that a phase was given up. Nothing was written.
type PhaseError struct {
	Phase, Chunk string
	Attempts     int
	Failure      *replies.Failure
	Rejected     string // the file with the last rejected reply, if there was one
}

func (e *PhaseError) Unwrap() error { return e.Failure }

func (e *PhaseError) Error() string {
	where := ""
	if e.Chunk != WholeRun {
		where = " of " + e.Chunk
	}
	s := fmt.Sprintf("the %s phase%s failed after %s: %v", e.Phase, where, counted(e.Attempts, "attempt"), e.Failure)
	if e.Rejected != "" {
		s += "; the rejected reply is kept in " + e.Rejected
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reaction is what follows a failure.
type reaction int

const (
	stop         reaction = iota // the same would happen again
	withFeedback                 // at once, with what was wrong
	afterBackoff                 // the same again, later
)

var reactions = map[replies.Kind]reaction{
	replies.WorkerFailed: afterBackoff,
	replies.Timeout:      afterBackoff,
	replies.RateLimited:  afterBackoff,
	replies.Truncated:    withFeedback,
	replies.NoAnswer:     withFeedback,
	replies.Malformed:    withFeedback,
	replies.Invalid:      withFeedback,
	replies.Inconsistent: withFeedback,
	replies.Refused:      stop,
	replies.Auth:         stop,
}

// Run makes attempts at a phase until one is accepted, and writes its artifact
// to path. Where there is nothing to ask about, the worker is not asked. The
// error is a [*PhaseError] if the worker never succeeded, and then no artifact
// has changed; any other error is about this machine or says that ctx ended.
func (r *Runner) Run(ctx context.Context, p *Phase, c *Case, path string) error {
	start := time.Now()
	name := r.Workers[p.Name].String()
	if err := r.Journal.Log(artifacts.Event{Event: artifacts.PhaseStart, Phase: p.Name, Chunk: c.Chunk, Worker: name}); err != nil {
		return err
	}
	if p.unasked != nil {
		if value := p.unasked(c); value != nil {
			return r.store(p, c, answer{value: value}, path, start)
		}
	}
	var feedback []string
	waits := r.waits()
	for attempt := 1; ; attempt++ {
		got, rejected, err := r.attempt(ctx, p, c, attempt, feedback)
		if err == nil {
			return r.store(p, c, got, path, start)
		}
		var f *replies.Failure
		if !errors.As(err, &f) {
			return err
		}
		next := reactions[f.Kind]
		if f.Permanent || next == stop || attempt > r.Retries {
			gaveUp := &PhaseError{p.Name, c.Chunk, attempt, f, rejected}
			return errors.Join(gaveUp, r.Journal.Log(artifacts.Event{
				Event: artifacts.PhaseFailed, Phase: p.Name, Chunk: c.Chunk, Attempt: attempt,
				Failure: string(f.Kind), Message: f.Message, TookMS: time.Since(start).Milliseconds(),
			}))
		}
		// After a back-off comes the same attempt again, with the feedback it had.
		if next == withFeedback {
			feedback = feedbackOf(f)
			continue
		}
		if err := r.wait(ctx, p, c, attempt, max(waits.NextBackOff(), f.RetryAfter)); err != nil {
			return err
		}
	}
}

func (r *Runner) store(p *Phase, c *Case, got answer, path string, start time.Time) error {
	if err := os.RemoveAll(r.attemptDir(p, c)); err != nil {
		return err
	}
	if err := r.State.WriteTo(path, p.Artifact, got.value); err != nil {
		return err
	}
	return r.Journal.Log(artifacts.Event{
		Event: artifacts.PhaseEnd, Phase: p.Name, Chunk: c.Chunk,
		Items: &got.items, Notes: got.notes, TookMS: time.Since(start).Milliseconds(),
	})
}

func (r *Runner) attemptDir(p *Phase, c *Case) string {
	return filepath.Join(r.State.Dir(), "attempts", c.Chunk+"-"+p.Name)
}

// attempt makes one attempt and journals it. A rejected reply is kept, and
// the name of its file returned.
func (r *Runner) attempt(ctx context.Context, p *Phase, c *Case, n int, feedback []string) (got answer, rejected string, err error) {
	event := artifacts.Event{Phase: p.Name, Chunk: c.Chunk, Attempt: n}
	log := func(kind string) error { event.Event = kind; return r.Journal.Log(event) }
	if err := log(artifacts.AttemptStart); err != nil {
		return answer{}, "", err
	}
	start := time.Now()
	job, err := r.job(p, c, n, feedback)
	if err != nil {
		return answer{}, "", err
	}
	result, err := r.work(ctx, p, job)
	var source replies.Source
	if err == nil {
		got, source, err = r.judge(p, c, result)
	}
	var f *replies.Failure
	if err != nil && !errors.As(err, &f) {
		return answer{}, "", err
	}
	if f != nil {
		event.Failure, event.Message, event.Problems = string(f.Kind), f.Message, f.Problems
		if reactions[f.Kind] == withFeedback {
			if rejected, err = r.reject(event, result.Reply); err != nil {
				return answer{}, "", err
			}
			event.Rejected = rejected
			if err := log(artifacts.ValidationFailed); err != nil {
				return answer{}, "", err
			}
			event.Problems, event.Rejected = nil, "" // said once
		}
	}
	event.Source, event.TookMS = string(source), time.Since(start).Milliseconds()
	if err := log(artifacts.AttemptEnd); err != nil {
		return answer{}, "", err
	}
	if f != nil {
		return answer{}, rejected, f
	}
	return got, "", nil
}

// job makes the assignment of an attempt and checks it before any worker
// starts.
func (r *Runner) job(p *Phase, c *Case, n int, feedback []string) (workers.Job, error) {
	dir := r.attemptDir(p, c)
	a := &artifacts.Assignment{
		SchemaVersion: artifacts.SchemaVersion, Phase: p.Name, Chunk: c.Chunk, Attempt: n,
		Root: c.Tree.Root, Files: c.Files, Feedback: feedback,
		OutputSchema: artifacts.OutputSchema{Artifact: p.Artifact, SchemaVersion: artifacts.SchemaVersion},
		OutputPath:   filepath.Join(dir, "output.json"),
	}
	p.assign(c, a)
	data, err := artifacts.Encode(a)
	if err != nil {
		return workers.Job{}, err
	}
	if err := r.Schemas.Validate(schemas.Assignment, bytes.NewReader(data)); err != nil {
		return workers.Job{}, fmt.Errorf("the assignment for the %s phase is not valid: %w", p.Name, err)
	}
	schema, err := r.bundle(p.Artifact)
	if err != nil {
		return workers.Job{}, err
	}
	// What an earlier attempt left must not pass for the answer of this one.
	// It may be anything, a folder with files in it included.
	if err := os.RemoveAll(dir); err != nil {
		return workers.Job{}, err
	}
	prompt := func(inFile bool) (string, error) {
		return templates.Prompt(p.Name, templates.PromptData{Assignment: a, Schema: string(schema), AnswerInFile: inFile})
	}
	return workers.Job{Assignment: a, Schema: schema, Prompt: prompt, Dir: dir}, nil
}

// bundle is [schemas.Bundle], made once: it is the same for every attempt.
func (r *Runner) bundle(artifact string) ([]byte, error) {
	if known, ok := r.bundles.Load(artifact); ok {
		return known.([]byte), nil
	}
	schema, err := schemas.Bundle(artifact)
	if err == nil {
		r.bundles.Store(artifact, schema)
	}
	return schema, err
}

// work lets the worker work until its deadline.
func (r *Runner) work(ctx context.Context, p *Phase, job workers.Job) (workers.Result, error) {
	deadline, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	result, err := r.Workers[p.Name].Work(deadline, job)
	if ctx.Err() != nil {
		return workers.Result{}, context.Cause(ctx) // the run was stopped, whatever the worker makes of it
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = &replies.Failure{Kind: replies.Timeout, Message: fmt.Sprintf("no answer within %s", r.Timeout)}
	}
	return result, err
}

// judge takes a reply through extraction, schema and cross-checks.
func (r *Runner) judge(p *Phase, c *Case, result workers.Result) (answer, replies.Source, error) {
	if len(result.Unexamined) > 0 && !c.Partial {
		return answer{}, "", unexamined(result.Unexamined)
	}
	found, err := replies.Extract(result.Reply)
	if err != nil {
		return answer{}, "", err
	}
	if err := r.Schemas.Validate(p.Artifact, bytes.NewReader(found.JSON)); err != nil {
		return answer{}, found.Source, rejection(p, err)
	}
	got, ps := p.accept(c, found.JSON)
	if len(ps) > 0 {
		return answer{}, found.Source, &replies.Failure{
			Kind: replies.Inconsistent, Problems: lines(ps),
			Message: "the answer contradicts the repository or the assignment",
		}
	}
	if len(result.Unexamined) > 0 {
		// A later phase adds to what the hunter could not look at.
		c.Unexamined = maps.Clone(c.Unexamined)
		if c.Unexamined == nil {
			c.Unexamined = map[string]string{}
		}
		maps.Copy(c.Unexamined, result.Unexamined)
	}
	return got, found.Source, nil
}

func unexamined(files map[string]string) *replies.Failure {
	f := &replies.Failure{Kind: replies.WorkerFailed, Permanent: true, Message: "the worker could not examine " + counted(len(files), "file")}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		f.Problems = append(f.Problems, file+": "+files[file])
	}
	return f
}

// rejection makes a failure of an error of the validator.
func rejection(p *Phase, err error) error {
	f := &replies.Failure{Kind: replies.Invalid, Message: fmt.Sprintf("the answer is not a valid %s artifact", p.Artifact), Problems: lines(schemas.Problems(err))}
	var malformed *schemas.MalformedError
	switch {
	case errors.As(err, &malformed) && malformed.Truncated:
		f.Kind, f.Message = replies.Truncated, "the answer ends in the middle"
	case errors.As(err, &malformed):
		f.Kind, f.Message = replies.Malformed, "the answer is not well-formed JSON"
	case len(f.Problems) == 0:
		return err
	}
	return f
}

func lines(ps []schemas.Problem) []string {
	return ids(ps, schemas.Problem.String)
}

// What a worker is told of its last attempt: enough to mend it, not so much
// that it drowns.
const (
	maxFeedback     = 20
	maxFeedbackSize = 1000 // bytes of one problem
)

func feedbackOf(f *replies.Failure) []string {
	feedback := []string{firstBytes(cmp.Or(f.Message, string(f.Kind)))}
	for i, problem := range f.Problems {
		if i == maxFeedback {
			return append(feedback, fmt.Sprintf("and %d more", len(f.Problems)-maxFeedback))
		}
		feedback = append(feedback, firstBytes(problem))
	}
	return feedback
}

func firstBytes(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxFeedbackSize)], "\ufffd")
}

// reject keeps a reply that was not accepted, with its problems beside it.
func (r *Runner) reject(e artifacts.Event, reply replies.Raw) (string, error) {
	stem := fmt.Sprintf("%s-%s-%s-%d", time.Now().UTC().Format("20060102T150405.000000"), e.Chunk, e.Phase, e.Attempt)
	text := firstOf(reply.File, reply.Native, reply.Text)
	problems := strings.Join(append([]string{e.Failure + ": " + e.Message}, e.Problems...), "\n") + "\n"
	path := filepath.Join(r.State.Dir(), "rejected", stem)
	return path + ".reply", errors.Join(
		artifacts.WriteFile(path+".reply", text),
		artifacts.WriteFile(path+".problems", []byte(problems)),
	)
}

func firstOf(candidates ...[]byte) []byte {
	for _, b := range candidates {
		if b != nil {
			return b
		}
	}
	return nil
}

func (r *Runner) waits() backoff.BackOff {
	if r.Backoff <= 0 {
		return &backoff.ZeroBackOff{}
	}
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = r.Backoff, maxBackoff, 2
	return b
}

func (r *Runner) wait(ctx context.Context, p *Phase, c *Case, attempt int, d time.Duration) error {
	if err := r.Journal.Log(artifacts.Event{
		Event: artifacts.RetryBackoff, Phase: p.Name, Chunk: c.Chunk, Attempt: attempt, WaitMS: d.Milliseconds(),
	}); err != nil {
		return err
	}
	if r.sleep != nil {
		return r.sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
