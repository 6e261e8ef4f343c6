package analyzers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bughunter/artifacts"
)

// hunt reports what the analyzers say about the files of an assignment. What
// several of them say about one line and one kind of bug is one finding.
func (p *program) hunt(a *artifacts.Assignment) []artifacts.Finding {
	findings := []artifacts.Finding{}
	for _, f := range a.Files {
		if p.broken[f] != "" {
			continue
		}
		for _, group := range merged(p.diagnostics[f]) {
			findings = append(findings, p.finding(group, len(findings)+1))
		}
	}
	return findings
}

// merged groups the diagnostics of a file that are about one bug, the one that
// says most first.
func merged(ds []diagnostic) (groups [][]diagnostic) {
	for _, d := range ds {
		i := slices.IndexFunc(groups, func(g []diagnostic) bool {
			return g[0].first <= d.last && d.first <= g[0].last && alike(table[g[0].check], table[d.check])
		})
		if i < 0 {
			groups = append(groups, []diagnostic{d})
			continue
		}
		groups[i] = append(groups[i], d)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b diagnostic) int { return compareRules(table[a.check], table[b.check]) })
	}
	return groups
}

// alike tells whether two rules speak of the same kind of bug.
func alike(a, b rule) bool {
	if a.cwe != "" && b.cwe != "" {
		return a.cwe == b.cwe
	}
	return a.category == b.category
}

// compareRules puts the rule that says most first: the worst, then the surest.
func compareRules(a, b rule) int {
	return cmp.Or(cmp.Compare(a.severity.Rank(), b.severity.Rank()), cmp.Compare(b.confidence, a.confidence))
}

func (p *program) finding(group []diagnostic, n int) artifacts.Finding {
	d := group[0]
	r := table[d.check]
	first, last, code := p.quote(d)
	f := artifacts.Finding{
		BugID:           fmt.Sprintf("%s-%d", d.check, n),
		Severity:        r.severity,
		Category:        r.category,
		File:            d.file,
		Lines:           artifacts.LineRange{First: first, Last: last}.String(),
		Claim:           fmt.Sprintf("%s Reported by %s.", claimOf(d), strings.Join(checksOf(group), ", ")),
		Evidence:        code,
		RuntimeTrigger:  sentence(r.trigger),
		CrossReferences: []artifacts.CrossReference{},
		ConfidenceScore: r.confidence,
		ConfidenceLabel: artifacts.Label(r.confidence),
		CWE:             r.cwe,
	}
	if r.threat != nil {
		f.Stride = r.threat.stride
	}
	return f
}

// checksOf names the checks of a group, each once.
func checksOf(group []diagnostic) (names []string) {
	for _, d := range group {
		if !slices.Contains(names, d.check) {
			names = append(names, d.check)
		}
	}
	return names
}

// maxQuote is how many lines of a long construct are quoted.
const maxQuote = 12

// lead is how many lines before the cited ones are quoted with them, for
// whoever reads the report.
const lead = 3

// quote returns the lines of a diagnostic and the code on them and right
// before. A report that points at brackets only, such as the end of a
// function, is given the lines above up to one that says something.
func (p *program) quote(d diagnostic) (first, last int, code string) {
	lines := strings.Split(strings.ReplaceAll(string(p.content(d.file)), "\r\n", "\n"), "\n")
	first = min(d.first, len(lines))
	last = min(d.last, first+maxQuote-1, len(lines))
	for first > 1 && !strings.ContainsFunc(strings.Join(lines[first-1:last], "\n"), unicode.IsLetter) {
		first--
	}
	from := max(first-lead, 1)
	for from < first && strings.TrimSpace(lines[from-1]) == "" {
		from++
	}
	return first, last, strings.Join(lines[from-1:last], "\n")
}

// claimOf says what is wrong. Where an analyzer only names the place, or its
// own method, the words are ours.
func claimOf(d diagnostic) string {
	format, ok := wording[d.check]
	if !ok {
		return sentence(d.message)
	}
	_, detail, _ := strings.Cut(d.message, ": ") // taint analyses name the function that is reached
	return sentence(strings.ReplaceAll(format, "%s", detail))
}

var wording = map[string]string{
	"bodyclose":     "The body of the response is not closed on every path",
	"durationcheck": "Two durations are multiplied, so a value that has a unit already is given one again",
	"nilness":       "The value is nil here on every path that leads to this line, and it is dereferenced",
	"sqlclosecheck": "The rows or the statement are not closed on every path",
	"G109":          "A number parsed from text is converted to a smaller type without a check of its range",
	"G110":          "Data is decompressed without a bound on its size",
	"G112":          "The server has no ReadHeaderTimeout, so a client may take for ever to send its headers",
	"G114":          "The server is started without any timeout",
	"G115":          "A number is converted to a type that cannot hold all its values, without a check of its range",
	"G201":          "An SQL query is built with a format string",
	"G202":          "An SQL query is put together from strings",
	"G303":          "A file is made in the shared temporary folder under a name that others can foresee",
	"G402":          "TLS is set up so that the other side is not verified, or with a version that is broken",
	"G404":          "A number comes from a generator that can be predicted",
	"G602":          "A slice may be shorter than the index or bound used on it",
	"G701":          "Data from outside reaches %s as part of an SQL query",
	"G702":          "Data from outside reaches %s as part of a command line",
	"G703":          "Data from outside reaches %s as part of a file name",
	"G704":          "Data from outside decides to which address %s sends a request",
	"G705":          "Data from outside reaches %s as part of a page, without being escaped",
	"G706":          "Data from outside reaches %s as part of a log line",
	"G707":          "Data from outside reaches %s as part of a mail",
	"G708":          "Data from outside reaches %s as the text of a template",
	"G709":          "Data from outside reaches %s, which makes objects of it",
	"G710":          "Data from outside decides to which address %s redirects",
}

// sentence makes a sentence of an analyzer's message.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	r, size := utf8.DecodeRuneInString(s)
	if word, _, _ := strings.Cut(s, " "); !strings.ContainsAny(word, ".()_`\"") && word != strings.ToUpper(word) {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
