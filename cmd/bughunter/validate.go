package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"bughunter/schemas"
)

func (p *program) validateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "check a document against the schema of an artifact",
		ArgsUsage: "ARTIFACT FILE|-",
		Description: `Prints one line of JSON, and exits 0 if the document is valid and 1 if not.

Example:
   bughunter validate findings .bug-hunter/findings.json
   {"ok":true,"artifact":"findings"}`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usagef("validate takes an artifact and a file, such as 'bughunter validate findings FILE'")
			}
			return p.validate(c.Args().Get(0), c.Args().Get(1))
		},
	}
}

// validation is what is printed about a document.
type validation struct {
	OK       bool     `json:"ok"`
	Artifact string   `json:"artifact"`
	Errors   []string `json:"errors,omitempty"`
}

func (p *program) validate(artifact, name string) error {
	in, err := p.open(name)
	if err != nil {
		return usage(err)
	}
	defer in.Close()
	err = p.schemas.Validate(artifact, in)
	problems := schemas.Problems(err)
	if err != nil && len(problems) == 0 {
		return usage(err) // the artifact is unknown or the file cannot be read
	}
	return p.printValidation(artifact, problems)
}

func (p *program) printValidation(artifact string, problems []schemas.Problem) error {
	v := validation{OK: len(problems) == 0, Artifact: artifact}
	for _, problem := range problems {
		v.Errors = append(v.Errors, problem.String())
	}
	if err := p.printJSON(v); err != nil || v.OK {
		return err
	}
	return quiet(exitFound)
}

// open opens a file, or standard input for "-".
func (p *program) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the document: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("cannot read the document: %s is a folder", name)
	}
	return f, nil
}
