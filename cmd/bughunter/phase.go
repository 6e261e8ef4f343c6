package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"bughunter/artifacts"
	"bughunter/phases"
	"bughunter/schemas"
	"bughunter/workers"
)

func (p *program) phaseCommand() *cli.Command {
	return &cli.Command{
		Name:      "phase",
		Usage:     "run one phase over the artifacts in the state folder",
		ArgsUsage: "recon|hunter|skeptic|referee|fixer",
		Description: `Reads what the phases before it wrote to the state folder and writes the
artifact of this one; referee also brings fix-strategy.json and fix-plan.json
up to date. If the phase fails, every artifact is as it was before, and the
exit code is 3.

Examples:
   bughunter phase referee
   bughunter phase referee --worker-cmd 'my-agent {assignment} {output}' --render referee.md`,
		Flags: append(workerFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the artifact to `FILE` instead of the state folder"},
			&cli.StringFlag{Name: "journal", Usage: "write the journal to `FILE` instead of run.log in the state folder"},
			&cli.StringFlag{Name: "render", Usage: "render what the phase wrote as Markdown to `FILE`"},
		),
		Action: p.phase,
	}
}

func (p *program) phase(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("phase takes one of recon, hunter, skeptic, referee and fixer")
	}
	phase, err := phases.Lookup(c.Args().First())
	if err != nil {
		return usage(err)
	}
	if err := p.checkRunnerFlags(c); err != nil {
		return err
	}
	if err := p.mayWritePhase(c, phase); err != nil {
		return err
	}
	chosen, err := p.chooseWorkers(c)
	if err != nil {
		return err
	}
	release, err := artifacts.Lock(p.stateDir)
	if err != nil {
		return usage(err)
	}
	defer release()
	theCase, err := p.caseFor(phase, chosen)
	if err != nil {
		return err
	}
	view := p.newView()
	defer view.close()
	journal, err := artifacts.OpenJournal(cmp.Or(c.String("journal"), filepath.Join(p.stateDir, "run.log")), view.event)
	if err != nil {
		return usage(err)
	}
	defer journal.Close()
	output := cmp.Or(c.String("output"), p.store().Path(phase.Artifact))
	if err := p.runner(c, journal, chosen).Run(p.ctx, phase, theCase, output); err != nil {
		if isPhaseError(err) {
			return incomplete(err)
		}
		return err
	}
	return p.afterPhase(phase, output, c.String("render"))
}

// mayWritePhase checks the files that the flags name.
func (p *program) mayWritePhase(c *cli.Context, phase *phases.Phase) error {
	for _, f := range []struct{ flag, own string }{
		{"output", phase.Artifact + ".json"}, {"journal", "run.log"}, {"render", ""},
	} {
		if !c.IsSet(f.flag) {
			continue
		}
		if err := p.mayWrite("--"+f.flag, c.String(f.flag), f.own); err != nil {
			return err
		}
	}
	return nil
}

// caseFor reads what a phase needs, and finds the files it is about.
func (p *program) caseFor(phase *phases.Phase, chosen map[string]workers.Worker) (*phases.Case, error) {
	theCase := &phases.Case{Chunk: phases.WholeRun, Tree: phases.NewTree(p.root)}
	if err := theCase.Load(phase.Reads, p.store()); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("the %s phase reads %s in %s, and they are not all there (%w); write them with 'bughunter run', or with the phases before it",
				phase.Name, strings.Join(withEnding(phase.Reads), ", "), shown(p.stateDir), err)
		}
		return nil, usage(err)
	}
	return theCase, usage(theCase.FindFiles(p.ctx, phase, chosen, p.stateDir))
}

// afterPhase says what was written, and renders it if that was asked for.
func (p *program) afterPhase(phase *phases.Phase, output, renderTo string) error {
	if phase == phases.Referee && output == p.store().Path(schemas.Referee) {
		if err := phases.WritePlan(p.store()); err != nil {
			return err
		}
	}
	if renderTo != "" {
		if err := p.renderArtifact(phase.Artifact, output, renderTo); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(map[string]any{"ok": true, "phase": phase.Name, "artifact": phase.Artifact, "output": output})
	}
	_, err := fmt.Fprintln(p.stdout, shown(output))
	return err
}
