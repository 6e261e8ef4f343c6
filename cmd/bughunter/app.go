package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"bughunter/artifacts"
	"bughunter/schemas"
	"bughunter/scope"
)

// Main runs the program with everything it touches given as arguments, and
// returns its exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, schemas: schemas.New()}
	app := p.app()
	argv, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, argv...))
	}
	if interrupted(ctx, err) {
		fmt.Fprintln(stderr, "bughunter: interrupted; the same command goes on from here")
		return exitInterrupted
	}
	var e *exitError
	if err != nil && !(errors.As(err, &e) && e.err == nil) {
		fmt.Fprintf(stderr, "bughunter: %v\n", err)
		p.printFailure(args, err)
	}
	return exitCode(err)
}

// printFailure makes of an error the one JSON value that was asked for, if
// nothing else was printed.
func (p *program) printFailure(args []string, err error) {
	if !p.printed && slices.Contains(args, "--json") {
		_ = p.printJSON(failure{Error: err.Error(), Exit: exitCode(err)}) // it was said on stderr
	}
}

type failure struct {
	OK    bool   `json:"ok"`
	Error string `json:"error"`
	Exit  int    `json:"exit"`
}

// mayWrite refuses to write a file of another kind over one of the state.
func (p *program) mayWrite(flag, path, own string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return usage(err)
	}
	dir, name := filepath.Split(abs)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	state, err := filepath.EvalSymlinks(p.stateDir)
	if err != nil || !sameDir(dir, state) || name == own {
		return nil
	}
	taken := []string{"run.log", "lock", "lock.held"}
	for _, artifact := range schemas.Names() {
		taken = append(taken, artifact+".json")
	}
	if slices.Contains(taken, name) {
		return usagef("%s %s: that file is part of the state and holds something else; name another", flag, path)
	}
	return nil
}

// program is what the commands share.
type program struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	schemas        *schemas.Set

	root     string   // absolute, without symbolic links
	stateDir string   // absolute
	again    []string // the arguments of this run that its state does not hold
	json     bool
	printed  bool // a JSON value
	quiet    bool
	verbose  bool
	color    bool
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:            "bughunter",
		Usage:           "hunt bugs with workers that can be wrong, and report only what survives",
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		ExitErrHandler:  func(*cli.Context, error) {}, // Main prints, and the table of codes decides
		OnUsageError:    onUsageError,

		CustomAppHelpTemplate:     appHelp,
		DisableSliceFlagSeparator: true, // a worker command may hold commas
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Aliases: []string{"C"}, Value: ".", Usage: "the repository to work on, a `DIR`"},
			&cli.StringFlag{Name: "state-dir", Usage: "keep the state in `DIR` instead of " + artifacts.StateDir + " in the root"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON value on standard output"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print results and errors only"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print each attempt and why it was rejected"},
			&cli.BoolFlag{Name: "no-color", Usage: "print without colours; NO_COLOR does the same"},
		},
		Before: p.configure,
		Commands: []*cli.Command{
			p.runCommand(), p.phaseCommand(), p.renderCommand(), p.validateCommand(),
			p.statusCommand(), p.payloadCommand(), p.schemaCommand(), p.doctorCommand(),
		},
	}
	cli.FlagStringer = flagHelp
	for _, c := range allCommands(app.Commands) {
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		c.CustomHelpTemplate = commandHelp
	}
	return app
}

func allCommands(commands []*cli.Command) (all []*cli.Command) {
	for _, c := range commands {
		all = append(append(all, c), allCommands(c.Subcommands)...)
	}
	return all
}

func onUsageError(_ *cli.Context, err error, _ bool) error { return usage(err) }

// configure reads the global flags.
func (p *program) configure(c *cli.Context) error {
	root, err := scope.Root(c.String("root"))
	if err != nil {
		return usage(err)
	}
	p.root = root
	p.stateDir = filepath.Join(root, artifacts.StateDir)
	if dir := c.String("state-dir"); dir != "" {
		if p.stateDir, err = filepath.Abs(dir); err != nil {
			return usage(err)
		}
	}
	p.json, p.quiet, p.verbose = c.Bool("json"), c.Bool("quiet"), c.Bool("verbose")
	p.color = isTerminal(p.stdout) && !c.Bool("no-color") && os.Getenv("NO_COLOR") == ""
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *program) store() *artifacts.Store { return artifacts.NewStore(p.stateDir, p.schemas) }

// printJSON prints one JSON value and nothing else.
func (p *program) printJSON(v any) error {
	p.printed = true
	enc := json.NewEncoder(p.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// note tells the user something on standard error, unless told to be quiet.
func (p *program) note(format string, args ...any) {
	if !p.quiet {
		fmt.Fprintf(p.stderr, format+"\n", args...)
	}
}

// shown is a path as the user would type it.
func shown(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || len(rel) > len(path) || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}
