package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/phases"
	"bughunter/schemas"
	"bughunter/workers"
)

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "say where the loop stands",
		Description: "Example:\n   bughunter status --json",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("status takes no arguments")
			}
			return p.status()
		},
	}
}

func (p *program) status() error {
	if !p.store().Has(schemas.Coverage) {
		return usagef("there is no run in %s yet; start one with: %s", shown(p.stateDir), p.resumeCommand(&artifacts.Coverage{}))
	}
	state, err := coverage.Load(p.store())
	if err != nil {
		return usage(err)
	}
	sum, err := p.summarize(state.Coverage())
	if err != nil {
		return usage(err)
	}
	// Somebody at work here will go on; what is in progress shows as to do.
	if owner, busy := artifacts.Busy(p.stateDir); busy {
		sum.Next = ""
		p.note("process %d on %s is at work here since %s", owner.PID, owner.Host, owner.Start.Format(time.RFC3339))
	}
	if p.json {
		return p.printJSON(sum)
	}
	fmt.Fprintf(p.stdout, "%s, iteration %d\n", strings.ToLower(strings.ReplaceAll(sum.Status, "_", " ")), sum.Iteration)
	for _, phase := range slices.Sorted(maps.Keys(sum.Workers)) {
		fmt.Fprintf(p.stdout, "%s by %s\n", phase, oneLine(sum.Workers[phase], 120))
	}
	return p.printSummary(sum, true)
}

// resumeCommand is the command that goes on with a run: in the same paths and
// by the same workers.
func (p *program) resumeCommand(cov *artifacts.Coverage) string {
	args := append([]string{"bughunter", "run"}, p.whereFlags()...)
	byTemplate := map[string][]string{}
	for _, phase := range phases.All {
		if template, ok := strings.CutPrefix(cov.Workers[phase.Name], workers.CommandPrefix); ok {
			byTemplate[template] = append(byTemplate[template], phase.Name)
		}
	}
	for _, template := range slices.Sorted(maps.Keys(byTemplate)) {
		served := byTemplate[template]
		if len(served) == len(phases.All) {
			args = append(args, "--worker-cmd", template)
			continue
		}
		for _, phase := range served {
			args = append(args, "--worker-cmd", phase+"="+template)
		}
	}
	args = append(args, p.again...)
	if len(cov.Paths) > 0 {
		args = append(append(args, "--"), cov.Paths...)
	}
	return commandLine(args)
}

// whereFlags are the flags that lead a command to the same root and state.
func (p *program) whereFlags() (flags []string) {
	wd, err := os.Getwd()
	if err != nil || !sameDir(wd, p.root) {
		flags = append(flags, "-C", shown(p.root))
	}
	if p.stateDir != filepath.Join(p.root, artifacts.StateDir) {
		flags = append(flags, "--state-dir", shown(p.stateDir))
	}
	return flags
}

// commandLine writes arguments so that a shell reads them back as they are.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if !plain.MatchString(arg) {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=,+@%-]+$`)
