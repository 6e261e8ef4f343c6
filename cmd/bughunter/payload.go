package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/phases"
	"bughunter/schemas"
)

func (p *program) payloadCommand() *cli.Command {
	return &cli.Command{
		Name:  "payload",
		Usage: "make or check an assignment, which is what a worker is given",
		Description: `Example:
   bughunter payload generate hunter a.go > job.json
   bughunter payload validate job.json`,
		Subcommands: []*cli.Command{
			{
				Name:      "generate",
				Usage:     "print the assignment of a phase, to be filled in",
				ArgsUsage: "PHASE [FILE…]",
				Description: `What is to be filled in is marked, and is refused by 'payload validate'.

Example:
   bughunter payload generate skeptic internal/api/server.go`,
				Action: func(c *cli.Context) error {
					if c.NArg() == 0 {
						return usagef("payload generate takes a phase: recon, hunter, skeptic, referee or fixer")
					}
					return p.generatePayload(c.Args().First(), c.Args().Tail())
				},
			},
			{
				Name:      "validate",
				Usage:     "check an assignment against its schema and the repository",
				ArgsUsage: "FILE|-",
				Description: `Exits 0 if it is valid and 1 if not.

Example:
   bughunter payload validate job.json`,
				Action: func(c *cli.Context) error {
					if c.NArg() != 1 {
						return usagef("payload validate takes a file, or - for standard input")
					}
					return p.validatePayload(c.Args().First())
				},
			},
		},
	}
}

func (p *program) generatePayload(phase string, files []string) error {
	a, err := phases.Template(phase, p.root, files, filepath.Join(p.stateDir, "output.json"))
	if err != nil {
		return usage(err)
	}
	text, err := artifacts.Encode(a)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

func (p *program) validatePayload(name string) error {
	in, err := p.open(name)
	if err != nil {
		return usage(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return usage(err)
	}
	err = p.schemas.Validate(schemas.Assignment, bytes.NewReader(data))
	problems := schemas.Problems(err)
	if err != nil && len(problems) == 0 {
		return usage(err)
	}
	if err == nil {
		var a artifacts.Assignment
		if err := json.Unmarshal(data, &a); err != nil {
			return usage(err)
		}
		problems = phases.CheckAssignment(&a)
	}
	return p.printValidation(schemas.Assignment, problems)
}
