package analyzers

import (
	"path"
	"regexp"
	"strings"
)

// worded says what a diagnostic is about. Where an analyzer only names the
// place, or its own method, the words are ours.
func worded(d diagnostic) string {
	w, ok := wording[d.check]
	if !ok {
		return sentence(d.message)
	}
	detail := ""
	if w.detail != nil {
		m := w.detail.FindStringSubmatch(d.message)
		if m == nil {
			return sentence(d.message)
		}
		detail = m[1]
		if w.detail == sink {
			detail = sinkName(detail)
		}
	}
	return sentence(strings.ReplaceAll(w.text, "%s", detail))
}

// words replace a message. detail, if set, finds in it what %s stands for; a
// message without is passed on as it is.
type words struct {
	text   string
	detail *regexp.Regexp
}

var (
	sink       = regexp.MustCompile(`: (\S+)$`)
	errorLine  = regexp.MustCompile(`^error is not nil \((line \d+|lines \[.*\])\) but it returns nil$`)
	nilUse     = regexp.MustCompile(`^nil dereference in (.+)$`)
	conversion = regexp.MustCompile(`^integer overflow conversion (\S+ -> \S+)$`)
)

// sinkName shortens the function that a taint analysis names, such as
// (*database/sql.DB).QueryContext, to sql.DB.QueryContext.
func sinkName(full string) string {
	return path.Base(strings.NewReplacer("(", "", ")", "", "*", "").Replace(full))
}

var wording = map[string]words{
	"bodyclose":     {"The body of the response is not closed on every path", nil},
	"durationcheck": {"Two durations are multiplied, so a value that has a unit already is given one again", nil},
	"nilerr":        {"The error of %s is not nil here, and the function returns nil in its place", errorLine},
	"nilness":       {"The value is nil on every path that leads here, and is dereferenced by %s", nilUse},
	"sqlclosecheck": {"The rows or the statement are not closed on every path", nil},
	"G109":          {"A number parsed from text is converted to a smaller type without a check of its range", nil},
	"G110":          {"Data is decompressed without a bound on its size", nil},
	"G112":          {"The server has no ReadHeaderTimeout, so a client may take for ever to send its headers", nil},
	"G114":          {"The server is started without any timeout", nil},
	"G115":          {"A number is converted without a check that it fits, %s", conversion},
	"G201":          {"An SQL query is built with a format string", nil},
	"G202":          {"An SQL query is put together from strings", nil},
	"G303":          {"A file is made in the shared temporary folder under a name that others can foresee", nil},
	"G404":          {"A number comes from a generator that can be predicted", nil},
	"G602":          {"A slice may be shorter than the index or bound used on it", nil},
	"G701":          {"Text from a request becomes part of the SQL that %s runs", sink},
	"G702":          {"Text from a request becomes part of the command line that %s runs", sink},
	"G703":          {"Text from a request becomes part of the file name that %s is given", sink},
	"G704":          {"Text from a request decides to which address %s sends a request", sink},
	"G705":          {"Text from a request reaches %s without being escaped for HTML", sink},
	"G706":          {"Text from a request reaches %s and becomes part of a log line", sink},
	"G707":          {"Text from a request reaches %s and becomes part of a mail", sink},
	"G708":          {"Text from a request is parsed as a template by %s", sink},
	"G709":          {"Data from a request reaches %s, which makes objects of it", sink},
	"G710":          {"Text from a request decides to which address %s sends the client", sink},
}
