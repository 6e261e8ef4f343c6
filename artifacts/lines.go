package artifacts

import (
	"fmt"
	"strconv"
	"strings"
)

// LineRange is a run of 1-based lines, both ends included.
type LineRange struct{ First, Last int }

// String is the form the artifacts use: "12", or "12-15".
func (r LineRange) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// ParseLines reads the lines of a finding: "12", "12-15", or several of them
// with commas between. It refuses line 0 and a range that ends before it
// begins.
func ParseLines(s string) ([]LineRange, error) {
	var ranges []LineRange
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		a, b := lineNumber(first), lineNumber(last)
		if a < 1 || b < 1 {
			return nil, fmt.Errorf("%q is not a line or a range of lines such as 12 or 12-15", part)
		}
		if b < a {
			return nil, fmt.Errorf("the range %s ends before it begins", part)
		}
		ranges = append(ranges, LineRange{a, b})
	}
	return ranges, nil
}

// lineNumber is the number that s is the plain form of, or 0: +12 and 012 are
// numbers to Go, but no lines to the schemas.
func lineNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		return 0
	}
	return n
}

// FirstLine is the first line that s names, or 0 if s is not a list of lines.
func FirstLine(s string) int {
	ranges, err := ParseLines(s)
	if err != nil {
		return 0
	}
	return ranges[0].First
}
