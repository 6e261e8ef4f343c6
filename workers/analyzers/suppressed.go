package analyzers

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// directive matches the comments that suppress a check on one line:
// //nolint:a,b // why, //lint:ignore A,B why, #nosec A B -- why, and gosec's
// newer //gosec:disable. One for a whole file is not about this code.
var directive = regexp.MustCompile(`^(?:` +
	`//\s*nolint:(?P<nolint>[\w,\s-]*\w)\s*(?://\s*(?P<nolintWhy>.*))?` +
	`|//lint:ignore\s+(?P<lint>\S+)\s*(?P<lintWhy>.*)` +
	`|(?://|/\*)\s*(?:#\s?nosec\b|gosec:disable\b)\s*(?P<nosec>(?:G\d{3}[\s,]*)*)(?:--\s*(?P<nosecWhy>.*?))?\s*(?:\*/)?` +
	`)$`)

// suppression is such a comment: the checks that it names and the reason.
type suppression struct {
	names []string
	why   string
}

// readSuppression reads a comment. ok is false if it suppresses nothing, or
// says neither which check nor why in more than one word. A #nosec without
// numbers is about gosec.
func readSuppression(comment string) (s suppression, ok bool) {
	m := directive.FindStringSubmatch(comment)
	if m == nil {
		return s, false
	}
	get := func(name string) string { return m[directive.SubexpIndex(name)] }
	list := get("nolint") + get("lint") + get("nosec")
	s.names = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	s.why = get("nolintWhy") + get("lintWhy") + get("nosecWhy")
	if len(s.names) == 0 {
		s.names = []string{gosecFamily}
	}
	return s, len(strings.Fields(s.why)) > 1
}

// covers tells whether a check is among those suppressed. Names may be
// patterns, as in SA1*.
func (s suppression) covers(check string) bool {
	return slices.ContainsFunc(s.names, func(pattern string) bool {
		return slices.ContainsFunc(suppressedAs(check), func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
	})
}

// suppressed holds if every report behind the claim is suppressed where it
// stands: on its lines, or in a comment that fills the line above.
func suppressed(pl place, _ []place) (evidence string) {
	for _, d := range pl.reports {
		comment := pl.suppressionOf(d)
		if comment == "" {
			return ""
		}
		evidence = comment
	}
	return evidence
}

func (pl place) suppressionOf(d diagnostic) string {
	for _, group := range pl.file.syntax.Comments {
		for _, c := range group.List {
			line := pl.line(c.Pos())
			onLines := d.first <= line && line <= d.last
			if !onLines && !(line+1 == d.first && pl.alone(c)) {
				continue
			}
			if s, ok := readSuppression(c.Text); ok && s.covers(d.check) {
				return fmt.Sprintf("line %d: %s", line, c.Text)
			}
		}
	}
	return ""
}

// alone tells whether a comment is all that stands on its line.
func (pl place) alone(c *ast.Comment) bool {
	return strings.HasPrefix(pl.text(pl.line(c.Pos())), strings.TrimSpace(firstLine(c.Text)))
}

var (
	onPurpose = regexp.MustCompile(`(?i)\bignor(?:e|es|ed|ing)\b.*\b(?:errors?|failures?)\b|\b(?:errors?|failures?)\b.*\bignored\b|\bbest[- ]effort\b`)
	regretted = regexp.MustCompile(`(?i)\b(?:todo|fixme|bug|xxx|hack|not|never|don't|should|must|cannot|why)\b`)
)

// meantToPass holds for an error that is passed over beside a comment that
// says so, without regret: on the cited line, or right above it.
func meantToPass(pl place, _ []place) string {
	if pl.claim.CWE != "CWE-252" && pl.claim.CWE != "CWE-390" || len(pl.reports) == 0 || pl.ranges[0].First != pl.ranges[len(pl.ranges)-1].Last {
		return ""
	}
	cited := pl.ranges[0].First
	for _, group := range pl.file.syntax.Comments {
		on := pl.line(group.Pos()) == cited
		above := pl.line(group.End())+1 == cited && pl.alone(group.List[0])
		text := strings.Join(strings.Fields(group.Text()), " ")
		if (on || above) && onPurpose.MatchString(text) && !regretted.MatchString(text) {
			return fmt.Sprintf("line %d: %s", pl.line(group.Pos()), text)
		}
	}
	return ""
}
