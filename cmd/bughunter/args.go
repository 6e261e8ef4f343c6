package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// arrange puts the arguments into the one order in which the flag library
// reads them right: global flags, command, its flags, "--", the rest. Left to
// itself the library ignores flags behind an argument, takes the next flag for
// a missing value, prints help for a misspelt subcommand, and does not know
// global flags behind the command, each without an error.
func arrange(app *cli.App, args []string) ([]string, error) {
	words, flags, err := split(flagTypes(app), args)
	if err != nil {
		return nil, err
	}
	if len(words) > 0 && words[0].text == "help" && !words[0].literal {
		words, flags = words[1:], append(flags, given{name: "help", text: []string{"--help"}})
	}
	path, command, words, err := findCommand(app, words)
	if err != nil {
		return nil, err
	}
	global, local, err := assign(app, command, path, flags)
	if err != nil {
		return nil, err
	}
	out := append(append(global, path...), local...)
	if asksHelp(flags) {
		return out, nil
	}
	if command == nil {
		return nil, usagef("no command was given: there are %s; 'bughunter --help' says more", names(app.Commands))
	}
	if len(command.Subcommands) > 0 {
		return nil, usagef("'bughunter %s' needs one of its commands: %s", strings.Join(path, " "), names(command.Subcommands))
	}
	if len(words) > 0 {
		out = append(out, "--")
		for _, w := range words {
			out = append(out, w.text)
		}
	}
	return out, nil
}

// word is an argument that is no flag; literal if it came after "--".
type word struct {
	text    string
	literal bool
}

// given is a flag as it was given, with its value if it takes one.
type given struct {
	name string
	text []string
}

// split tells flags from words. types says for every flag of the program
// whether it takes a value.
func split(types map[string]bool, args []string) (words []word, flags []given, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			for _, rest := range args[i+1:] {
				words = append(words, word{rest, true})
			}
			return words, flags, nil
		case len(arg) < 2 || arg[0] != '-':
			words = append(words, word{arg, false})
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		takes, known := types[name]
		switch {
		case !known:
			return nil, nil, usagef("there is no flag %s; see 'bughunter --help' and 'bughunter COMMAND --help'", dashed(name))
		case !takes:
			flags = append(flags, given{name, []string{arg}})
		case hasValue && value == "":
			return nil, nil, usagef("flag %s needs a value", dashed(name))
		case hasValue:
			flags = append(flags, given{name, []string{arg}})
		case i+1 == len(args) || len(args[i+1]) > 1 && args[i+1][0] == '-':
			return nil, nil, usagef("flag %s needs a value; write %s=VALUE if it starts with a dash", dashed(name), dashed(name))
		default:
			i++
			flags = append(flags, given{name, []string{arg, args[i]}})
		}
	}
	return words, flags, nil
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// findCommand takes the words that name the command.
func findCommand(app *cli.App, words []word) (path []string, command *cli.Command, rest []word, err error) {
	commands := app.Commands
	for len(commands) > 0 && len(words) > 0 {
		name := words[0].text
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
		if i < 0 {
			where := "bughunter"
			if command != nil {
				where += " " + strings.Join(path, " ")
			}
			return nil, nil, nil, usagef("'%s' has no command %q: there are %s; 'bughunter --help' says more", where, name, names(commands))
		}
		command = commands[i]
		path, words, commands = append(path, name), words[1:], command.Subcommands
	}
	return path, command, words, nil
}

func names(commands []*cli.Command) string {
	list := make([]string, len(commands))
	for i, c := range commands {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

// assign sorts flags into those of the program and those of the command, and
// refuses one that belongs to neither or is given twice.
func assign(app *cli.App, command *cli.Command, path []string, flags []given) (global, local []string, err error) {
	seen := map[string]bool{}
	for _, f := range flags {
		own := findFlag(app.Flags, f.name)
		isGlobal := own != nil
		if own == nil && command != nil {
			own = findFlag(command.Flags, f.name)
		}
		switch {
		case f.name == "help" || f.name == "h":
			local = append(local, "--help")
			continue
		case own == nil && command == nil:
			return nil, nil, usagef("flag %s belongs to a command, and none was given", dashed(f.name))
		case own == nil:
			return nil, nil, usagef("'bughunter %s' has no flag %s; see 'bughunter %s --help'", strings.Join(path, " "), dashed(f.name), strings.Join(path, " "))
		}
		_, repeatable := own.(*cli.StringSliceFlag)
		if seen[own.Names()[0]] && !repeatable {
			return nil, nil, usagef("flag %s is given twice", dashed(f.name))
		}
		seen[own.Names()[0]] = true
		if err := checkValue(own, f); err != nil {
			return nil, nil, err
		}
		if isGlobal {
			global = append(global, f.text...)
		} else {
			local = append(local, f.text...)
		}
	}
	return global, local, nil
}

// checkValue checks the value of a flag, so that the error can say what would
// be right; the library says "parse error".
func checkValue(flag cli.Flag, f given) error {
	_, value, hasValue := strings.Cut(f.text[0], "=")
	if len(f.text) == 2 {
		value, hasValue = f.text[1], true
	}
	switch flag.(type) {
	case *cli.BoolFlag:
		if _, err := strconv.ParseBool(value); hasValue && err != nil {
			return usagef("%s=%s: this flag is a switch and takes no value", dashed(f.name), value)
		}
	case *cli.IntFlag:
		if _, err := strconv.Atoi(value); err != nil {
			return usagef("%s %s: that is no whole number", dashed(f.name), value)
		}
	case *cli.DurationFlag:
		if _, err := time.ParseDuration(value); err != nil {
			return usagef("%s %s: that is no duration, such as 90s or 10m", dashed(f.name), value)
		}
	}
	return nil
}

func asksHelp(flags []given) bool {
	return slices.ContainsFunc(flags, func(f given) bool { return f.name == "help" || f.name == "h" })
}

func findFlag(flags []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// flagTypes says for the name of every flag whether it takes a value. A name
// means the same for every command that has it; a test sees to that.
func flagTypes(app *cli.App) map[string]bool {
	types := map[string]bool{"help": false, "h": false}
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			_, isBool := f.(*cli.BoolFlag)
			for _, name := range f.Names() {
				types[name] = !isBool
			}
		}
	}
	add(app.Flags)
	for _, c := range allCommands(app.Commands) {
		add(c.Flags)
	}
	return types
}
