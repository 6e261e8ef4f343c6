// Package templates holds the text that this program hands out, as
// text/template files: in prompts/ what a worker is asked in each phase,
// rendered by [Prompt], and in reports/ what a person reads, rendered by
// package render.
//
// The words are kept apart from the code so that they can be read and judged
// as text. The package imports nothing of this program; a template names the
// fields it reads, and a field that is not there is an error.
package templates

import "embed"

// FS holds prompts/*.tmpl and reports/*.tmpl.
//
//go:embed reports/*.tmpl prompts/*.tmpl
var FS embed.FS
