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
			return g[0].first <= d.last && d.first <= g[0].last && alike(g[0].check, d.check)
		})
		if i < 0 {
			groups = append(groups, []diagnostic{d})
			continue
		}
		groups[i] = append(groups[i], d)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, compareDiagnosed)
	}
	return groups
}

// compareDiagnosed puts the diagnostic that says most first.
func compareDiagnosed(a, b diagnostic) int { return compareRules(table[a.check], table[b.check]) }

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
		Claim:           fmt.Sprintf("%s Reported by %s.", claimOf(group), strings.Join(checksOf(group), ", ")),
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

// How much is quoted: at most so many lines of a long construct, and so many
// lines before the cited ones for whoever reads the report, in so many bytes.
const (
	maxQuote      = 12
	lead          = 3
	maxQuoteBytes = 4000
)

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
	for i := from; i < first; i++ {
		if strings.TrimSpace(lines[i-1]) == "" && i == from || isFence(lines[i-1]) {
			from = i + 1
		}
	}
	if i := slices.IndexFunc(lines[first-1:last], isFence); i > 0 {
		last = first - 1 + i
	}
	code = strings.Join(lines[from-1:last], "\n")
	if len(code) > maxQuoteBytes {
		code = strings.Join(lines[first-1:last], "\n")
		code = strings.ToValidUTF8(code[:min(len(code), maxQuoteBytes)], "")
	}
	return first, last, code
}

// isFence tells a line that would be taken for Markdown's when it is quoted.
func isFence(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// claimOf says what is wrong, in the words of the first analyzer, once for
// each thing that it says.
func claimOf(group []diagnostic) string {
	var said []string
	for _, d := range group {
		if s := worded(d); d.check == group[0].check && !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return strings.Join(said, " ")
}

// maxSentence is how many bytes of a message are passed on. A message may
// quote the code, of any length.
const maxSentence = 2000

// sentence makes a sentence of an analyzer's message.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	r, size := utf8.DecodeRuneInString(s)
	if word, _, _ := strings.Cut(s, " "); !strings.ContainsAny(word, ".()_`\"") && word != strings.ToUpper(word) {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if len(s) > maxSentence {
		s = strings.ToValidUTF8(s[:maxSentence], "") + "…"
	}
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
