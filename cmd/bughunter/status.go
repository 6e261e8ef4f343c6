package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/phases"
	"bughunter/schemas"
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
	if _, err := p.readCoverage(); errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no run in %s yet; 'bughunter run%s' starts one", shown(p.stateDir), p.rootFlag())
	}
	state, err := coverage.Load(p.store())
	if err != nil {
		return usage(err)
	}
	sum, err := p.summarize(state.Coverage())
	if err != nil {
		return usage(err)
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

func (p *program) readCoverage() (*artifacts.Coverage, error) {
	var cov *artifacts.Coverage
	return cov, p.store().Read(schemas.Coverage, &cov)
}

// resumeCommand is the command that goes on with a run by the same workers.
func (p *program) resumeCommand(workers map[string]string) string {
	command := "bughunter run" + p.rootFlag()
	byTemplate := map[string][]string{}
	for _, phase := range phases.All {
		if template, ok := strings.CutPrefix(workers[phase.Name], "command: "); ok {
			byTemplate[template] = append(byTemplate[template], phase.Name)
		}
	}
	for _, template := range slices.Sorted(maps.Keys(byTemplate)) {
		served := byTemplate[template]
		if len(served) == len(phases.All) {
			return command + " --worker-cmd " + quoted(template)
		}
		for _, phase := range served {
			command += " --worker-cmd " + quoted(phase+"="+template)
		}
	}
	return command
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
