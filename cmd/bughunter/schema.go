package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"bughunter/schemas"
)

func (p *program) schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "list or show the schemas of the artifacts",
		Description: `Example:
   bughunter schema show findings > findings.schema.json`,
		Subcommands: []*cli.Command{
			{
				Name:        "list",
				Usage:       "list the artifacts",
				Description: "Example:\n   bughunter schema list",
				Action: func(c *cli.Context) error {
					if c.NArg() > 0 {
						return usagef("schema list takes no arguments")
					}
					return p.listSchemas()
				},
			},
			{
				Name:        "show",
				Usage:       "print the schema of an artifact as JSON",
				ArgsUsage:   "NAME",
				Description: "The schema is printed with what it refers to, as one document.\n\nExample:\n   bughunter schema show referee",
				Action: func(c *cli.Context) error {
					if c.NArg() != 1 {
						return usagef("schema show takes the name of an artifact; 'bughunter schema list' prints them")
					}
					text, err := schemas.Bundle(c.Args().First())
					if err != nil {
						return usage(err)
					}
					_, err = p.stdout.Write(text)
					return err
				},
			},
		},
	}
}

func (p *program) listSchemas() error {
	if p.json {
		return p.printJSON(schemas.Names())
	}
	for _, name := range schemas.Names() {
		if _, err := fmt.Fprintln(p.stdout, name); err != nil {
			return err
		}
	}
	return nil
}
