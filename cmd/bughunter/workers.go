package main

import (
	"cmp"
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
	named, err := namedWorkers(c.String("worker"))
	if err != nil {
		return nil, err
	}
	commands, err := phaseCommands(c.StringSlice("worker-cmd"))
	if err != nil {
		return nil, err
	}
	builtin := analyzers.New()
	chosen := map[string]workers.Worker{}
	for _, phase := range phases.All {
		template, hasCommand := choice(commands, phase.Name)
		_, hasName := choice(named, phase.Name)
		_, ownCommand := commands[phase.Name]
		_, ownName := named[phase.Name]
		switch { // what is said of one phase outranks what is said of all
		case hasCommand && hasName && ownCommand == ownName:
			return nil, usagef("--worker and --worker-cmd both choose who does the %s phase", phase.Name)
		case !hasCommand || ownName:
			chosen[phase.Name] = builtin
			continue
		}
		w, err := workers.NewCommand(template, p.root, c.StringSlice("worker-env"))
		if err != nil {
			return nil, usage(err)
		}
		chosen[phase.Name] = w
	}
	return chosen, nil
}

// everyPhase is the key of a choice for the phases that have none of their own.
const everyPhase = ""

// choice is what was chosen for a phase, by itself or for every phase.
func choice(chosen map[string]string, phase string) (string, bool) {
	if own, ok := chosen[phase]; ok {
		return own, true
	}
	all, ok := chosen[everyPhase]
	return all, ok
}

// namedWorkers reads --worker, by phase. The built-in analyzers are the
// default and the only worker with a name.
func namedWorkers(list string) (map[string]string, error) {
	named := map[string]string{}
	if list == "" {
		return named, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		phase, name, isPhase := strings.Cut(item, "=")
		if !isPhase {
			phase, name = everyPhase, item
		} else if _, err := phases.Lookup(phase); err != nil {
			return nil, usagef("--worker %s: %w", item, err)
		}
		if name != "analyzers" {
			return nil, usagef("--worker %s: there is no worker %q; there is analyzers, and --worker-cmd runs any program", item, name)
		}
		if _, twice := named[phase]; twice {
			return nil, usagef("--worker %s: chooses twice for the same phases", list)
		}
		named[phase] = name
	}
	return named, nil
}

// phaseCommands reads --worker-cmd: PHASE=COMMAND is for one phase, any other
// command for every phase that has none of its own.
func phaseCommands(values []string) (map[string]string, error) {
	commands := map[string]string{}
	for _, v := range values {
		phase, command, ok := strings.Cut(v, "=")
		if !ok || !slices.ContainsFunc(phases.All, func(p *phases.Phase) bool { return p.Name == phase }) {
			phase, command = everyPhase, v
		}
		if first, twice := commands[phase]; twice {
			return nil, usagef("--worker-cmd names more than one command for %s: %q and %q", cmp.Or(phase, "all phases"), first, command)
		}
		commands[phase] = command
	}
	return commands, nil
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
