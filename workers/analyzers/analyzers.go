// Package analyzers is the worker that needs neither key nor network: static
// analyzers for Go, built into the program.
//
// The three sides that judge a bug use different means. The hunter runs
// analyzers of golang.org/x/tools, staticcheck, gosec and others over whole
// packages. The skeptic holds a finding against numbered rules about what the
// code around it is (see [Exclusions]). The referee asks whether an analyzer of
// another family reports the same, and walks the references between functions
// from the program's entry points to the cited code.
//
// Analyzers run under `go vet -vettool`, with this very program as the tool:
// the go command caches what they find and the facts they derive about every
// dependency, starts one process per package, so that an analyzer that
// crashes costs one package, and leaves those alone that have not changed.
//
// The go command is kept off the network and from switching toolchains, since
// a hunt must not download what it was not asked to. A package that does not
// load or type-check is not clean: its files come back as unexamined.
package analyzers

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"bughunter/artifacts"
	"bughunter/replies"
	"bughunter/workers"
)

// Worker answers every phase by built-in analysis. It loads a repository once
// and keeps what it learnt for later assignments.
type Worker struct {
	mu      sync.Mutex
	program *program // of the last root
}

// New returns the worker.
func New() *Worker { return &Worker{} }

// String is the worker's name.
func (w *Worker) String() string { return "analyzers" }

// Work answers an assignment.
func (w *Worker) Work(ctx context.Context, job workers.Job) (workers.Result, error) {
	a := job.Assignment
	answer, unexamined, err := w.answer(ctx, a)
	if err != nil {
		if ctx.Err() != nil {
			return workers.Result{}, ctx.Err()
		}
		return workers.Result{}, &replies.Failure{Kind: replies.WorkerFailed, Message: err.Error(), Permanent: true}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return workers.Result{}, err
	}
	return workers.Result{Reply: replies.Raw{Native: data}, Unexamined: unexamined}, nil
}

func (w *Worker) answer(ctx context.Context, a *artifacts.Assignment) (answer any, unexamined map[string]string, err error) {
	if a.Phase == "recon" {
		answer, err = recon(a)
		return answer, nil, err
	}
	p, err := w.load(ctx, a.Root)
	if err != nil {
		return nil, nil, err
	}
	if err := p.vet(ctx); err != nil {
		return nil, nil, err
	}
	switch a.Phase {
	case "hunter":
		return p.hunt(a), p.unexamined(a.Files), nil
	case "skeptic":
		return p.challenge(a), nil, nil
	case "referee":
		return p.judge(a), nil, nil
	case "fixer":
		return p.fix(a), nil, nil
	}
	return nil, nil, fmt.Errorf("the analyzers have no part in the %s phase", a.Phase)
}

// load returns the program below a root, loaded at most once. A load that was
// cut short is not kept.
func (w *Worker) load(ctx context.Context, root string) (*program, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.program != nil && w.program.root == root {
		return w.program, nil
	}
	p, err := load(ctx, root)
	if err != nil {
		return nil, err
	}
	w.program = p
	return p, nil
}
