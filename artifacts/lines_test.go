package artifacts

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/schemas"
)

func TestParseLines(t *testing.T) {
	for text, want := range map[string][]LineRange{
		"12":                   {{12, 12}},
		"12-15":                {{12, 15}},
		"12-12":                {{12, 12}},
		"3,7-9":                {{3, 3}, {7, 9}},
		"58, 66-71":            {{58, 58}, {66, 71}},
		"9-10,1":               {{9, 10}, {1, 1}},
		"999999999":            {{999999999, 999999999}},
		"":                     nil,
		"0":                    nil,
		"0-3":                  nil,
		"-3":                   nil,
		"3-":                   nil,
		"15-12":                nil,
		"1,,2":                 nil,
		"1,":                   nil,
		"abc":                  nil,
		"L12":                  nil,
		"12–15":                nil,
		"1.5":                  nil,
		"+12":                  nil,
		"012":                  nil,
		"3-+5":                 nil,
		"1-2-3":                nil,
		"1e3":                  nil,
		"99999999999999999999": nil,
	} {
		got, err := ParseLines(text)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
		if first := FirstLine(text); want != nil && first != want[0].First || want == nil && first != 0 {
			t.Errorf("the first line of %q is %d", text, first)
		}
	}
}

func TestLinesThatAreNoneAreQuotedInTheError(t *testing.T) {
	for text, want := range map[string]string{
		"4, x":  `" x" is not a line or a range of lines such as 12 or 12-15`,
		"15-12": "the range 15-12 ends before it begins",
	} {
		if _, err := ParseLines(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What the schema lets through and what ParseLines reads are the same, but for
// what a pattern cannot say: that a range goes forward.
func FuzzParseLinesAgreesWithTheSchema(f *testing.F) {
	for _, seed := range []string{"12", "12-15", "1, 2", "1,2-3", " 1", "1 ", "0", "+1", "01", "1-", "2-1", "1,  2", "1,\t2", "1234567890", "١"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ranges, err := ParseLines(text)
		finding := aFinding()
		finding.Lines = text
		data, encodeErr := json.Marshal([]Finding{finding})
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		valid := validator.Validate(schemas.Findings, bytes.NewReader(data)) == nil
		if err != nil {
			if valid && !strings.Contains(err.Error(), "ends before it begins") {
				t.Errorf("%q: the schema takes it and ParseLines says %v", text, err)
			}
			return
		}
		var plain []string
		for _, r := range ranges {
			if r.First < 1 || r.Last < r.First {
				t.Errorf("%q gives %v", text, r)
			}
			plain = append(plain, r.String())
		}
		again, err := ParseLines(strings.Join(plain, ","))
		if diff := cmp.Diff(ranges, again); diff != "" || err != nil {
			t.Errorf("%q read, printed and read again: %v %s", text, err, diff)
		}
	})
}

func TestALabelFollowsFromTheScore(t *testing.T) {
	for score, want := range map[float64]string{0: "low", 49.9: "low", 50: "medium", 74.9: "medium", 75: "high", 100: "high", -1: "low"} {
		if got := Label(score); got != want {
			t.Errorf("%g is %s, want %s", score, got, want)
		}
		finding := aFinding()
		finding.ConfidenceScore, finding.ConfidenceLabel = score, Label(score)
		data, err := json.Marshal([]Finding{finding})
		if err != nil {
			t.Fatal(err)
		}
		if err := validator.Validate(schemas.Findings, bytes.NewReader(data)); (err == nil) != (score >= 0) {
			t.Errorf("the schema says of %g, %s: %v", score, want, err)
		}
	}
}

func TestSeveritiesRankFromWorstToMildest(t *testing.T) {
	ranks := []int{}
	for _, s := range append(slices.Clone(Severities), "critical", "", "Blocker") {
		ranks = append(ranks, s.Rank())
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 4, 4}, ranks); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsHaveOneOrder(t *testing.T) {
	make := func(s Severity, file, lines, id string) Finding {
		return Finding{Severity: s, File: file, Lines: lines, BugID: id}
	}
	want := []Finding{
		make(SeverityCritical, "z.go", "900", "BUG-9"),
		make(SeverityHigh, "a.go", "9-12", "BUG-5"),
		make(SeverityHigh, "a.go", "10", "BUG-1"), // as numbers, not as text
		make(SeverityHigh, "a.go", "10-11", "BUG-2"),
		make(SeverityHigh, "b.go", "1", "BUG-0"),
		make(SeverityLow, "a.go", "1", "BUG-3"),
		make("Blocker", "a.go", "1", "BUG-4"),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		got := slices.Clone(want)
		random.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		SortFindings(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestTiersAreHuntedFromTheHighestRisk(t *testing.T) {
	file := func(name string) []TieredFile { return []TieredFile{{Path: name}} }
	tiers := Tiers{Critical: file("1"), High: file("2"), Medium: file("3"), Low: file("4"), ContextOnly: file("5")}
	want := []Tier{{"critical", file("1")}, {"high", file("2")}, {"medium", file("3")}, {"low", file("4")}, {"contextOnly", file("5")}}
	if diff := cmp.Diff(want, tiers.All()); diff != "" {
		t.Error(diff)
	}
}
