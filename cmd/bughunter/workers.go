package main

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/phases"
	"bughunter/workers"
	"bughunter/workers/analyzers"
)

// workerFlags choose who works and how long.
func workerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "worker", Usage: "who works: `NAME` for every phase, or PHASE=NAME,…; there is analyzers (the default)"},
		&cli.StringSliceFlag{Name: "worker-cmd", Usage: "let a shell command work: `[PHASE=]COMMAND`, for one phase or for all; repeatable. It gets the prompt on standard input, and files and values where it says {assignment} {prompt} {schema} {phase} {chunk} {root}; its answer is what it writes to {output} or, if it does not say that, what it prints"},
		&cli.StringSliceFlag{Name: "worker-env", Usage: "pass the environment variable `NAME` on to worker commands; repeatable"},
		&cli.DurationFlag{Name: "timeout", Value: 15 * time.Minute, Usage: "kill an attempt, with all that it started, after `DURATION`"},
		&cli.IntFlag{Name: "max-retries", Value: 2, Usage: "make at most `N` attempts after the first"},
		&cli.DurationFlag{Name: "backoff", Value: 5 * time.Second, Usage: "wait `DURATION` before trying a worker again that failed, and twice as long each time; an answer that was rejected is sent back at once"},
	}
}

// chooseWorkers reads the flags that choose workers. Every phase has one
// afterwards, and each was found fit to start.
func (p *program) chooseWorkers(c *cli.Context) (map[string]workers.Worker, error) {
	builtin := analyzers.New()
	chosen := map[string]workers.Worker{}
	for _, phase := range phases.All {
		chosen[phase.Name] = builtin
	}
	if err := checkWorkerNames(c.String("worker")); err != nil {
		return nil, err
	}
	all, byPhase := sortCommands(c.StringSlice("worker-cmd"))
	if len(all) > 1 {
		return nil, usagef("--worker-cmd names more than one command for all phases: %q and %q", all[0], all[1])
	}
	for _, phase := range phases.All {
		templates := byPhase[phase.Name]
		if len(templates) > 1 {
			return nil, usagef("--worker-cmd names more than one command for the %s phase", phase.Name)
		}
		if len(templates) == 0 {
			templates = all
		}
		if len(templates) == 0 {
			continue
		}
		w, err := workers.NewCommand(templates[0], p.root, c.StringSlice("worker-env"))
		if err != nil {
			return nil, usage(err)
		}
		chosen[phase.Name] = w
	}
	return chosen, nil
}

// checkWorkerNames reads --worker. The built-in analyzers are the default and
// the only worker with a name.
func checkWorkerNames(list string) error {
	if list == "" {
		return nil
	}
	for item := range strings.SplitSeq(list, ",") {
		phase, name, isPhase := strings.Cut(item, "=")
		if !isPhase {
			phase, name = "", item
		}
		if phase != "" {
			if _, err := phases.Lookup(phase); err != nil {
				return usagef("--worker %s: %w", item, err)
			}
		}
		if name != "analyzers" {
			return usagef("--worker %s: there is no worker %q; there is analyzers, and --worker-cmd runs any program", item, name)
		}
	}
	return nil
}

// sortCommands tells commands for one phase, PHASE=COMMAND, from those for all.
func sortCommands(values []string) (all []string, byPhase map[string][]string) {
	byPhase = map[string][]string{}
	for _, v := range values {
		name, command, ok := strings.Cut(v, "=")
		if ok && slices.ContainsFunc(phases.All, func(p *phases.Phase) bool { return p.Name == name }) {
			byPhase[name] = append(byPhase[name], command)
			continue
		}
		all = append(all, v)
	}
	return all, byPhase
}

// runner makes the runner that the flags describe.
func (p *program) runner(c *cli.Context, journal *artifacts.Journal, chosen map[string]workers.Worker) *phases.Runner {
	return &phases.Runner{
		Schemas: p.schemas, Workers: chosen, Journal: journal, State: p.store(),
		Timeout: c.Duration("timeout"), Retries: c.Int("max-retries"), Backoff: c.Duration("backoff"),
	}
}

// checkRunnerFlags refuses values that make no sense, and schemas that are
// not usable: without them nothing could be trusted.
func (p *program) checkRunnerFlags(c *cli.Context) error {
	switch {
	case c.Duration("timeout") <= 0:
		return usagef("--timeout must be longer than nothing, such as 10m")
	case c.Int("max-retries") < 0:
		return usagef("--max-retries must be 0 or more")
	case c.Duration("backoff") < 0:
		return usagef("--backoff must be 0 or longer")
	}
	return usage(p.schemas.Preflight())
}
