package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/render"
	"bughunter/schemas"
)

func (p *program) renderCommand() *cli.Command {
	return &cli.Command{
		Name:      "render",
		Usage:     "print a report, made of the JSON artifacts",
		ArgsUsage: "KIND [FILE…]",
		Description: wrapped("KIND is one of "+strings.Join(kindNames(), ", ")+".", "", 80) + `
The artifacts are those of the last run, or those in the files that are named.
With --json, what is printed is one JSON value that holds the text.

Examples:
   bughunter render report
   bughunter render report -o report.html --format html
   bughunter render report findings.json skeptic.json referee.json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output"},
			&cli.StringFlag{Name: "format", Value: "md", Usage: "`FORMAT` is md, or html for one self-contained page"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usagef("render takes one of %s", strings.Join(kindNames(), ", "))
			}
			return p.render(c.Args().First(), c.Args().Tail(), c.String("format"), c.String("output"))
		},
	}
}

func kindNames() (names []string) {
	for _, k := range render.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func (p *program) render(name string, files []string, format, output string) error {
	kind, ok := render.Lookup(name)
	if !ok {
		return usagef("there is no rendering %q: there are %s", name, strings.Join(kindNames(), ", "))
	}
	if format != "md" && format != "html" {
		return usagef("--format %s: use md or html", format)
	}
	if output != "" {
		if err := p.mayWrite("--output", output, ""); err != nil {
			return err
		}
	}
	in, err := p.renderInput(kind, files)
	if err != nil {
		return usage(err)
	}
	text, err := render.Markdown(kind.Name, in)
	if err == nil && format == "html" {
		text, err = render.HTML("bughunter "+kind.Name, text)
	}
	if err != nil {
		return usage(err)
	}
	if output != "" {
		if err := artifacts.WriteFile(output, text); err != nil {
			return usage(err)
		}
	}
	switch {
	case p.json && output != "":
		return p.printJSON(map[string]any{"ok": true, "kind": kind.Name, "format": format, "output": output})
	case p.json:
		return p.printJSON(map[string]any{"ok": true, "kind": kind.Name, "format": format, "text": string(text)})
	case output == "":
		_, err = p.stdout.Write(text)
	}
	return err
}

// renderInput reads the artifacts that a kind uses, from the state or from the
// files given.
func (p *program) renderInput(kind render.Kind, files []string) (render.Input, error) {
	in := render.Input{Has: map[string]bool{}}
	if len(files) == 0 {
		return in, p.fromState(&in, kind)
	}
	for _, name := range files {
		artifact, err := p.identify(name, kind)
		if err != nil {
			return in, err
		}
		if in.Has[artifact] {
			return in, fmt.Errorf("%s: a %s artifact was given already", name, artifact)
		}
		if err := p.store().ReadFrom(name, artifact, target(&in, artifact)); err != nil {
			return in, err
		}
		in.Has[artifact] = true
	}
	return in, nil
}

func (p *program) fromState(in *render.Input, kind render.Kind) error {
	store := p.store()
	for _, artifact := range slices.Concat(kind.Needs, kind.Uses) {
		err := store.Read(artifact, target(in, artifact))
		switch {
		case err == nil:
			in.Has[artifact] = true
		case errors.Is(err, fs.ErrNotExist) && slices.Contains(kind.Needs, artifact):
			return fmt.Errorf("%s is made of %s.json, which is not in %s: run 'bughunter run' or name the files", kind.Name, artifact, shown(p.stateDir))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// target is where an artifact is decoded to.
func target(in *render.Input, artifact string) any {
	return map[string]any{
		schemas.Recon: &in.Recon, schemas.Findings: &in.Findings, schemas.Skeptic: &in.Challenges, schemas.Referee: &in.Verdicts,
		schemas.Coverage: &in.Coverage, schemas.FixStrategy: &in.FixStrategy, schemas.FixPlan: &in.FixPlan, schemas.FixReport: &in.FixReport,
	}[artifact]
}

// identify tells which artifact a file holds: the one that its name speaks of,
// or else the only one among those of the kind that it is a valid instance of.
func (p *program) identify(name string, kind render.Kind) (string, error) {
	candidates := slices.Concat(kind.Needs, kind.Uses)
	base := strings.TrimSuffix(filepath.Base(name), ".json")
	if slices.Contains(candidates, base) {
		return base, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var fits []string
	for _, artifact := range candidates {
		if p.schemas.Validate(artifact, strings.NewReader(string(data))) == nil {
			fits = append(fits, artifact)
		}
	}
	if len(fits) != 1 {
		return "", fmt.Errorf("%s: its name is none of %s, and its content %s: name it after the artifact it holds",
			name, strings.Join(withEnding(candidates), ", "), describeFits(fits))
	}
	return fits[0], nil
}

func withEnding(artifacts []string) (names []string) {
	for _, a := range artifacts {
		names = append(names, a+".json")
	}
	return names
}

func describeFits(fits []string) string {
	if len(fits) == 0 {
		return "is a valid instance of none of them"
	}
	return "could be any of " + strings.Join(fits, ", ")
}

// refresh writes the Markdown that belongs to a state: coverage.md always,
// and report.md as soon as there is something to report on.
func (p *program) refresh(state *coverage.State) error {
	for _, name := range []string{"coverage", "report"} {
		kind, _ := render.Lookup(name)
		in := render.Input{Has: map[string]bool{}}
		if name == "report" && !p.store().Has(schemas.Referee) {
			return nil // no chunk was merged yet
		}
		if err := p.fromState(&in, kind); err != nil {
			return err
		}
		text, err := render.Markdown(name, in)
		if err != nil {
			return fmt.Errorf("rendering %s: %w", name, err)
		}
		if err := artifacts.WriteFile(filepath.Join(p.stateDir, name+".md"), text); err != nil {
			return err
		}
	}
	return nil
}

// renderArtifact renders one artifact, kept in a file of any name, with what
// else its rendering uses from the state.
func (p *program) renderArtifact(artifact, file, output string) error {
	kind, ok := render.Lookup(artifact)
	if !ok {
		return usagef("there is no rendering of %s", artifact)
	}
	in := render.Input{Has: map[string]bool{artifact: true}}
	kind.Needs = slices.DeleteFunc(kind.Needs, func(name string) bool { return name == artifact })
	if err := p.fromState(&in, kind); err != nil {
		return err
	}
	if err := p.store().ReadFrom(file, artifact, target(&in, artifact)); err != nil {
		return err
	}
	text, err := render.Markdown(kind.Name, in)
	if err != nil {
		return err
	}
	return artifacts.WriteFile(output, text)
}
