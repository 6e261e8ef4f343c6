package phases

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"bughunter/artifacts"
)

// Ground looks for the code that a finding quotes as its evidence, and returns
// the lines to cite: those that were cited if the quotation touches them, and
// else those on which it stands, nearest to them. It is an error if a piece
// of the quotation is nowhere in the file.
//
// White space does not count, a leading path:lines is passed over, and the
// pieces between ellipses may stand anywhere in the file.
func (s *Source) Ground(evidence string, cited []artifacts.LineRange) ([]artifacts.LineRange, error) {
	pieces := quotations(evidence)
	found, ok := s.locate(pieces, cited)
	if !ok {
		// Go's ... is an ellipsis as well, so a line is split there only if
		// it does not stand in the file with it.
		found, ok = s.locate(splitInline(pieces), cited)
	}
	switch {
	case len(found) == 0 && ok:
		return nil, errors.New("the evidence quotes no code; copy the cited lines as they are")
	case !ok:
		return nil, errors.New("the evidence does not stand in the file; copy the code of the cited lines as it is, without line numbers or changes")
	}
	for _, r := range found {
		if touches(r, cited) {
			return cited, nil
		}
	}
	return found, nil
}

// locate finds every piece, each at its occurrence nearest to the cited lines.
// ok is false if one is missing.
func (s *Source) locate(pieces []string, cited []artifacts.LineRange) (found []artifacts.LineRange, ok bool) {
	for _, piece := range pieces {
		folded := fold(piece)
		if !saysSomething(folded) {
			continue
		}
		r, ok := s.nearest(folded, cited)
		if !ok {
			return nil, false
		}
		found = append(found, r)
	}
	return found, true
}

// nearest finds the occurrence of folded text that is closest to the first of
// the cited lines.
func (s *Source) nearest(folded string, cited []artifacts.LineRange) (best artifacts.LineRange, ok bool) {
	for pos := 0; ; {
		i := strings.Index(s.folded[pos:], folded)
		if i < 0 {
			return best, ok
		}
		start := pos + i
		r := artifacts.LineRange{First: s.lineAt(start), Last: s.lineAt(start + len(folded) - 1)}
		if touches(r, cited) {
			return r, true
		}
		if !ok || distance(r, cited[0]) < distance(best, cited[0]) {
			best, ok = r, true
		}
		pos = start + len(folded)
	}
}

func touches(r artifacts.LineRange, cited []artifacts.LineRange) bool {
	for _, c := range cited {
		if r.First <= c.Last && c.First <= r.Last {
			return true
		}
	}
	return false
}

func distance(a, b artifacts.LineRange) int {
	return max(a.First-b.Last, b.First-a.Last, 0)
}

func fold(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// saysSomething is false for a quotation of brackets and punctuation alone,
// which stands everywhere.
func saysSomething(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

var (
	// place is a leading path:lines, alone on its line or with code behind it.
	place = regexp.MustCompile(`^\s*[^\s:]+(?: [^\s:]+)*:\d+(?:-\d+)?:?(?:\s|$)`)
	// elided is a line that stands for code left out.
	elided = regexp.MustCompile(`^\s*(?://|#|/\*|--)?\s*[\[(]?\s*(?:\.{3,}|…)\s*[\])]?\s*(?:\*/)?\s*$`)
	inline = regexp.MustCompile(`\.{3,}|…`)
	fenced = regexp.MustCompile("^\\s*(?:`{3,}|~{3,})[\\w+-]*\\s*$")
)

// quotations cuts evidence into the pieces that are to be found in the file.
func quotations(evidence string) []string {
	var pieces []string
	var piece strings.Builder
	for line := range strings.Lines(place.ReplaceAllString(evidence, "")) {
		switch {
		case fenced.MatchString(line):
		case elided.MatchString(line):
			pieces = append(pieces, piece.String())
			piece.Reset()
		default:
			piece.WriteString(line)
		}
	}
	return append(pieces, piece.String())
}

func splitInline(pieces []string) []string {
	var out []string
	for _, piece := range pieces {
		out = append(out, inline.Split(piece, -1)...)
	}
	return out
}

// joinRanges writes ranges as the lines of a finding.
func joinRanges(ranges []artifacts.LineRange) string {
	parts := make([]string, len(ranges))
	for i, r := range ranges {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}
