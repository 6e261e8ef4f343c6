package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/phases"
	"bughunter/scope"
)

func (p *program) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "hunt until every file is done; run again to go on",
		ArgsUsage: "[PATH…]",
		Description: `Hunts in the files below the paths, which are relative to the root, or in
the whole root, and writes .bug-hunter/report.md. A run that was stopped goes
on where it was; one that is complete looks only at what changed.

Examples:
   bughunter run
   bughunter run -C service internal/api
   bughunter run --worker-cmd 'my-agent {prompt} {output}'
   bughunter run --worker-cmd 'skeptic=my-agent --read-only {assignment}'`,
		Flags: append(workerFlags(),
			&cli.IntFlag{Name: "chunk-size", Value: 20, Usage: "give a worker at most `N` files at once"},
			&cli.StringFlag{Name: "fail-on", Value: "low", Usage: "exit 1 for confirmed bugs from this `SEVERITY` on: critical, high, medium, low or none"},
		),
		Action: p.run,
	}
}

func (p *program) run(c *cli.Context) error {
	failOn, err := parseFailOn(c.String("fail-on"))
	if err != nil {
		return err
	}
	if c.Int("chunk-size") < 1 {
		return usagef("--chunk-size must be 1 or more")
	}
	if err := p.checkRunnerFlags(c); err != nil {
		return err
	}
	chosen, err := p.chooseWorkers(c)
	if err != nil {
		return err
	}
	for _, path := range c.Args().Slice() {
		if _, err := scope.Inside(p.root, path); err != nil {
			return usage(err)
		}
	}
	p.again = runFlags(c)
	release, err := artifacts.Lock(p.stateDir)
	if err != nil {
		return usage(err)
	}
	defer release()
	view := p.newView()
	defer view.close()
	journal, err := artifacts.OpenJournal(filepath.Join(p.stateDir, "run.log"), view.event)
	if err != nil {
		return usage(err)
	}
	defer journal.Close()
	started := false
	loop := &phases.Loop{
		Runner: p.runner(c, journal, chosen), Store: p.store(), Tree: phases.NewTree(p.root),
		Paths: c.Args().Slice(), ChunkSize: c.Int("chunk-size"),
		Begun:    func(state *coverage.State, change coverage.Change) { started = true; view.begun(state, change) },
		Advanced: view.advanced, Saved: p.refresh,
	}
	state, err := p.runLoop(journal, loop)
	view.close()
	switch {
	case err != nil && !started:
		return usage(err) // nothing to hunt in, or a state that cannot be used
	case err != nil && !isPhaseError(err):
		return err
	}
	return p.conclude(state, failOn, err)
}

// runFlags are the flags of a run that its state does not hold, for the
// command that goes on with it.
func runFlags(c *cli.Context) (args []string) {
	for _, name := range []string{"chunk-size", "timeout", "max-retries", "backoff", "fail-on"} {
		if c.IsSet(name) {
			args = append(args, "--"+name, fmt.Sprint(c.Value(name)))
		}
	}
	for _, name := range c.StringSlice("worker-env") {
		args = append(args, "--worker-env", name)
	}
	return args
}

func (p *program) runLoop(journal *artifacts.Journal, loop *phases.Loop) (*coverage.State, error) {
	if err := journal.Log(artifacts.Event{Event: artifacts.RunStart}); err != nil {
		return nil, err
	}
	state, err := loop.Run(p.ctx)
	end := artifacts.Event{Event: artifacts.RunEnd, Message: "incomplete"}
	switch {
	case errors.Is(err, context.Canceled):
		end.Message = "interrupted"
	case err != nil:
		end.Message = err.Error()
	case state.Coverage().Status == artifacts.LoopComplete:
		end.Message = "complete"
	}
	return state, errors.Join(err, journal.Log(end))
}

func isPhaseError(err error) bool {
	var failed *phases.PhaseError
	return errors.As(err, &failed)
}

// conclude prints the result and decides the exit code.
func (p *program) conclude(state *coverage.State, failOn int, failure error) error {
	sum, err := p.summarize(state.Coverage())
	if err != nil {
		return err
	}
	if p.json {
		err = p.printJSON(sum)
	} else {
		err = p.printSummary(sum, false)
	}
	switch {
	case err != nil:
		return err
	case failure != nil:
		return incomplete(failure)
	case sum.Status != artifacts.LoopComplete:
		return incomplete(fmt.Errorf("%d of %s not done: %s", sum.Files-sum.Done, counted(sum.Files, "file"), whatNext(sum)))
	case slices.ContainsFunc(sum.Confirmed, func(b artifacts.BugSummary) bool { return b.Severity.Rank() <= failOn }):
		return quiet(exitFound)
	}
	return nil
}

func whatNext(s summary) string {
	if len(s.Failed) > 0 {
		return "mend what made them fail, then run again to go on"
	}
	return "run again to go on"
}

// parseFailOn returns the rank of the mildest severity that fails a run, -1
// for none.
func parseFailOn(name string) (int, error) {
	if name == "none" {
		return -1, nil
	}
	for i, s := range artifacts.Severities {
		if strings.EqualFold(string(s), name) {
			return i, nil
		}
	}
	return 0, usagef("--fail-on %s: use critical, high, medium, low or none", name)
}
