package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"bughunter/schemas"
)

func testApp() *cli.App {
	p := &program{ctx: context.Background(), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, schemas: schemas.New()}
	return p.app()
}

// invoke runs the program in this process.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestArrange(t *testing.T) {
	tests := []struct{ in, want string }{
		{"status", "status"},
		{"run a b", "run -- a b"},
		{"run a --chunk-size 3 b -q", "-q run --chunk-size 3 -- a b"},
		{"-C dir run", "-C dir run"},
		{"run -C dir", "-C dir run"},
		{"run -C=dir --timeout=-5s", "-C=dir run --timeout=-5s"},
		{"schema show findings --json", "--json schema show -- findings"},
		{"schema --json show findings", "--json schema show -- findings"},
		{"validate findings -", "validate -- findings -"},
		{"validate -- findings -x", "validate -- findings -x"},
		{"run -- --json", "run -- --json"},
		{"run -- help", "run -- help"},
		{"run --worker-cmd a,b --worker-cmd c", "run --worker-cmd a,b --worker-cmd c"},
		{"help", "--help"},
		{"help run", "run --help"},
		{"run help", "run -- help"},
		{"run -h --chunk-size 3", "run --help --chunk-size 3"},
		{"--help", "--help"},
		{"schema --help", "schema --help"},
		{"schema show --help", "schema show --help"},
	}
	for _, test := range tests {
		got, err := arrange(testApp(), strings.Fields(test.in))
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.in, diff)
		}
	}
}

// Arguments that are in order stay as they are, whatever they were before.
func FuzzArrangeOnceIsEnough(f *testing.F) {
	for _, seed := range []string{"run a -q", "-C . run -- --json", "help schema show", "validate\nfindings\n-", "run --worker-cmd=a,b x"} {
		f.Add(strings.ReplaceAll(seed, " ", "\n"))
	}
	app := testApp()
	f.Fuzz(func(t *testing.T, lines string) {
		once, err := arrange(app, strings.Split(lines, "\n"))
		if err != nil {
			if exitCode(err) != exitUsage {
				t.Fatalf("not a usage error: %v", err)
			}
			return
		}
		again, err := arrange(app, once)
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", lines, once, err)
		}
		if diff := cmp.Diff(once, again); diff != "" {
			t.Fatalf("%q (-once +again):\n%s", lines, diff)
		}
	})
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		what string
		err  error
		want int
	}{
		{"nothing went wrong", nil, 0},
		{"something was confirmed", quiet(exitFound), 1},
		{"a flag is wrong", usagef("no flag"), 2},
		{"an error of configuration", usage(errors.New("no root")), 2},
		{"no error of configuration", usage(nil), 0},
		{"a phase failed", incomplete(errors.New("no answer")), 3},
		{"an error that says nothing about codes", errors.New("disk full"), 3},
		{"a code keeps through wrapping", fmt.Errorf("on the way: %w", usagef("no flag")), 2},
		{"a code keeps through joining", errors.Join(errors.New("first"), quiet(exitFound)), 1},
	}
	for _, test := range tests {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%s: %d, want %d", test.what, got, test.want)
		}
	}
}

// The flags are split off before it is known whose they are, which works as
// long as a name takes a value everywhere or nowhere.
func TestAFlagTakesAValueEverywhereOrNowhere(t *testing.T) {
	app := testApp()
	types := flagTypes(app)
	check := func(where string, flags []cli.Flag) {
		for _, f := range flags {
			takes := f.(cli.DocGenerationFlag).TakesValue()
			for _, name := range f.Names() {
				if types[name] != takes {
					t.Errorf("%s: flag %s takes a value: %t, elsewhere %t", where, name, takes, types[name])
				}
			}
		}
	}
	check("bughunter", app.Flags)
	for _, c := range allCommands(app.Commands) {
		check(c.Name, c.Flags)
	}
}

// A command's flag that hides a global one of the same name would be read as
// not given.
func TestNoCommandHidesAGlobalFlag(t *testing.T) {
	app := testApp()
	for _, c := range allCommands(app.Commands) {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				if findFlag(app.Flags, name) != nil {
					t.Errorf("%s: flag %s is a global flag as well", c.Name, name)
				}
			}
		}
	}
}

// A flag that nothing reads is a lie, and reading one that is not there gives
// an empty value without an error.
func TestEveryFlagIsReadAndEveryFlagReadExists(t *testing.T) {
	app := testApp()
	declared := map[string]bool{}
	for _, f := range app.Flags {
		declared[f.Names()[0]] = true
	}
	for _, c := range allCommands(app.Commands) {
		for _, f := range c.Flags {
			if name := f.Names()[0]; name != "help" {
				declared[name] = true
			}
		}
	}
	want, got := slices.Sorted(maps.Keys(declared)), slices.Sorted(maps.Keys(flagsRead(t)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flags (-declared +read):\n%s", diff)
	}
}

// flagsRead finds c.String("name") and the like in the program's sources.
func flagsRead(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := flagReadBy(n); ok {
				read[name] = true
			}
			return true
		})
	}
	return read
}

func flagReadBy(n ast.Node) (name string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"String", "StringSlice", "Bool", "Int", "Duration"}, method.Sel.Name) {
		return "", false
	}
	value, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	name, err := strconv.Unquote(value.Value)
	return name, err == nil
}

func TestHelpOfEveryCommandShowsAnExample(t *testing.T) {
	check := func(path []string) {
		code, stdout, stderr := invoke(append(path, "--help")...)
		name := strings.Join(append([]string{"bughunter"}, path...), " ")
		if code != 0 || stderr != "" {
			t.Errorf("%s --help: exit %d, %s", name, code, stderr)
		}
		_, example, ok := strings.Cut(stdout, "\nExample")
		if !ok || !strings.Contains(example, name) {
			t.Errorf("the help of %s shows no example of it:\n%s", name, stdout)
		}
		for line := range strings.Lines(stdout) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
				t.Errorf("the help of %s has a line of %d columns: %s", name, n, line)
			}
		}
		code, again, _ := invoke(append([]string{"help"}, path...)...)
		if diff := cmp.Diff(stdout, again); code != 0 || diff != "" {
			t.Errorf("help %s is not the same as --help: exit %d\n%s", strings.Join(path, " "), code, diff)
		}
	}
	check(nil)
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			below := append(slices.Clone(path), c.Name)
			check(below)
			walk(below, c.Subcommands)
		}
	}
	walk(nil, testApp().Commands)
}

func TestHelpNamesEveryFlagOfACommand(t *testing.T) {
	for _, c := range testApp().Commands {
		_, help, _ := invoke(c.Name, "--help")
		for _, f := range c.Flags {
			if !strings.Contains(help, "--"+f.Names()[0]) {
				t.Errorf("the help of %s says nothing of --%s", c.Name, f.Names()[0])
			}
		}
	}
}
