package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagHelp is how a flag stands in a help text: its names and its value on one
// line and what it does below, so that no line needs a wide terminal.
func flagHelp(f cli.Flag) string {
	doc := f.(cli.DocGenerationFlag)
	usage, value := doc.GetUsage(), ""
	if before, rest, ok := strings.Cut(usage, "`"); ok && doc.TakesValue() {
		name, after, _ := strings.Cut(rest, "`")
		usage, value = before+name+after, " "+name
	}
	if text := doc.GetDefaultText(); text != "" && doc.TakesValue() {
		usage += " (default: " + strings.Trim(text, `"`) + ")"
	}
	names := doc.Names()
	for i, name := range names {
		names[i] = dashed(name)
	}
	return strings.Join(names, ", ") + value + "\n" + wrapped(usage, "       ", 80)
}

// wrapped breaks a sentence into lines of at most width columns, each
// beginning with the indent.
func wrapped(sentence, indent string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(sentence) {
		switch {
		case column == 0:
			column, _ = fmt.Fprint(&b, indent+word)
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column, _ = fmt.Fprint(&b, indent+word)
		default:
			n, _ := fmt.Fprint(&b, " "+word)
			column += n
		}
	}
	return b.String()
}

const appHelp = `{{.Name}}: {{.Usage}}

Usage:
   {{.Name}} COMMAND [ARGUMENTS] [FLAGS]

Commands:{{range .VisibleCommands}}
   {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}

Flags of every command:{{range .VisibleFlags}}
   {{.}}{{end}}

Examples:
   bughunter run                      hunt in this folder, or go on where it stopped
   bughunter run -C service internal  hunt in one folder of a repository
   bughunter render report            print the report

Exit codes:
   0 complete, nothing confirmed   1 complete, bugs confirmed   2 usage error
   3 incomplete, run again         130 interrupted, run again

'bughunter COMMAND --help' says more about a command.
`

const commandHelp = `{{.HelpName}}: {{.Usage}}

Usage:
   {{.HelpName}}{{if .VisibleCommands}} COMMAND{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}{{if .VisibleFlags}} [FLAGS]{{end}}
{{if .Description}}
{{.Description}}
{{end}}{{if .VisibleCommands}}
Commands:{{range .VisibleCommands}}
   {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}
{{end}}{{if .VisibleFlags}}
Flags:{{range .VisibleFlags}}
   {{.}}{{end}}

'bughunter --help' shows the flags that every command has.
{{end}}`
