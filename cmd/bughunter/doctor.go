package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/urfave/cli/v2"

	"bughunter/render"
	"bughunter/templates"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "check that everything a run needs is there",
		Description: "Checks the schemas, the templates, and the programs that runs use: go, git and\nsh. Exits 2 if no run could start.\n\nExample:\n   bughunter doctor",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("doctor takes no arguments")
			}
			return p.doctor()
		},
	}
}

// check is one line of what the doctor says.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"` // without it no run can start
	Says   string `json:"says"`
}

func (p *program) doctor() error {
	analyze := p.checkProgram("go", "the built-in analyzers need it", "version")
	command := p.checkProgram("sh", "worker commands need it", "-c", "echo found")
	if !analyze.OK && !command.OK {
		analyze.Needed, command.Needed = true, true // one of them has to do the work
	}
	checks := []check{
		checkError("schemas", "all compile and pass the lint", p.schemas.Preflight()),
		checkError("templates", "all parse", errors.Join(templates.Preflight(), render.Preflight())),
		analyze, p.checkProgram("git", "without it ignored files are hunted as well", "--version"), command,
	}
	healthy := true
	for _, c := range checks {
		healthy = healthy && (c.OK || !c.Needed)
	}
	if p.json {
		if err := p.printJSON(struct {
			OK     bool    `json:"ok"`
			Checks []check `json:"checks"`
		}{healthy, checks}); err != nil {
			return err
		}
	} else {
		for _, c := range checks {
			fmt.Fprintf(p.stdout, "%-9s  %-7s  %s\n", c.Name, verdictOf(c), c.Says)
		}
	}
	if !healthy {
		return quiet(exitUsage)
	}
	return nil
}

func verdictOf(c check) string {
	switch {
	case c.OK:
		return "ok"
	case c.Needed:
		return "BROKEN"
	}
	return "missing"
}

func checkError(name, good string, err error) check {
	if err != nil {
		return check{name, false, true, err.Error()}
	}
	return check{name, true, true, good}
}

// checkProgram looks for a program that some runs need and others do not.
func (p *program) checkProgram(name, without string, args ...string) check {
	out, err := exec.CommandContext(p.ctx, name, args...).Output()
	if err != nil {
		return check{name, false, false, without + ": " + err.Error()}
	}
	return check{name, true, false, strings.TrimSpace(string(out))}
}
