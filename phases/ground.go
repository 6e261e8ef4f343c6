package phases

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	near := union(cited)
	found, err := s.locate([]string{evidence}, near)
	if err != nil {
		pieces := quotations(evidence)
		if len(pieces) > maxPieces {
			return nil, fmt.Errorf("the evidence is cut into %d pieces; quote at most %d", len(pieces), maxPieces)
		}
		found, err = s.quoted(pieces, near)
	}
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, errors.New("the evidence quotes no code; copy the cited lines as they are")
	}
	for _, r := range found {
		if touches(r, near) {
			return cited, nil
		}
	}
	found = union(found)
	if lines := joinRanges(found); len(lines) > maxLines {
		return nil, fmt.Errorf("the evidence stands on lines %s… and nowhere near the cited ones; cite the lines it is about", lines[:maxLines/4])
	}
	return found, nil
}

// maxPieces bounds the pieces of a quotation, each of which costs a search
// through the file, and maxLines is how long the lines of a finding may be.
const (
	maxPieces = 30
	maxLines  = 200
)

// quoted finds the pieces of a quotation, each as it is, or without a place in
// front, or cut at the ellipses within it. That comes last, since Go's ... and
// a URL's port are code too.
func (s *Source) quoted(pieces []string, near []artifacts.LineRange) (found []artifacts.LineRange, err error) {
	for _, piece := range pieces {
		bare := place.ReplaceAllString(piece, "")
		for _, reading := range [][]string{{piece}, {bare}, inline.Split(bare, maxPieces)} {
			var here []artifacts.LineRange
			if here, err = s.locate(reading, near); err == nil {
				found = append(found, here...)
				break
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// minQuote is the length from which a piece that is less than a whole line is
// evidence: single letters and words stand everywhere.
const minQuote = 8

var (
	errNotThere = errors.New("the evidence does not stand in the file; copy the code of the cited lines as it is, without line numbers or changes")
	errTooShort = fmt.Errorf("the evidence has a piece of less than %d characters that is no whole line; copy the cited lines as they are", minQuote)
)

// locate finds every piece, each at its occurrence nearest to some lines.
func (s *Source) locate(pieces []string, near []artifacts.LineRange) (found []artifacts.LineRange, err error) {
	for _, piece := range pieces {
		folded := fold(piece)
		if !saysSomething(folded) {
			continue
		}
		r, ok := s.nearest(folded, near)
		switch {
		case !ok:
			return nil, errNotThere
		case utf8.RuneCountInString(folded) < minQuote && fold(s.lines[r.First-1]) != folded:
			return nil, errTooShort
		}
		found = append(found, r)
	}
	return found, nil
}

// nearest finds an occurrence of folded text that touches the lines, which are
// in order, or else the one closest to the first of them.
func (s *Source) nearest(folded string, near []artifacts.LineRange) (artifacts.LineRange, bool) {
	at := func(pos int) artifacts.LineRange {
		return artifacts.LineRange{First: s.lineAt(pos), Last: s.lineAt(pos + len(folded) - 1)}
	}
	for _, r := range near {
		from := max(0, s.starts[r.First-1]-len(folded)+1)
		to := min(len(s.folded), s.endOf(r.Last)+len(folded)-1)
		if i := strings.Index(s.folded[from:to], folded); i >= 0 {
			return at(from + i), true
		}
	}
	end := s.endOf(near[0].Last)
	before := strings.LastIndex(s.folded[:s.starts[near[0].First-1]], folded)
	after := strings.Index(s.folded[end:], folded)
	switch {
	case before < 0 && after < 0:
		return artifacts.LineRange{}, false
	case before < 0:
		return at(end + after), true
	case after < 0 || distance(at(before), near[0]) <= distance(at(end+after), near[0]):
		return at(before), true
	}
	return at(end + after), true
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
	place = regexp.MustCompile(`^\s*[^\s:]+(?: [^\s:]+)*:\d+(?:-\d+)?(?:, ?\d+(?:-\d+)?)*:?(?:\s|$)`)
	// elided is a line that stands for code left out: an ellipsis, and around
	// it the marks of a comment in whatever language.
	elided = regexp.MustCompile(`^[^\pL\pN]*(?:\.{3}|…)[^\pL\pN]*$`)
	inline = regexp.MustCompile(`\.{3,}|…`)
	fenced = regexp.MustCompile("^\\s*(?:`{3,}|~{3,})[\\w+-]*\\s*$")
)

// quotations cuts evidence into the pieces that are to be found in the file.
func quotations(evidence string) []string {
	var pieces []string
	var piece strings.Builder
	for line := range strings.Lines(evidence) {
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

// union puts ranges in order, and makes one of those that touch.
func union(ranges []artifacts.LineRange) []artifacts.LineRange {
	var out []artifacts.LineRange
	for _, r := range slices.SortedFunc(slices.Values(ranges), func(a, b artifacts.LineRange) int { return cmp.Compare(a.First, b.First) }) {
		if last := len(out) - 1; last >= 0 && r.First <= out[last].Last+1 {
			out[last].Last = max(out[last].Last, r.Last)
			continue
		}
		out = append(out, r)
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
