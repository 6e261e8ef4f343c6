package analyzers

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	cvss31 "github.com/pandatix/go-cvss/31"
	gosecanalyzers "github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/rules"
)

// gosecsOwn are the numbers of the rules and analyses that gosec has.
func gosecsOwn() map[string]bool {
	ids := map[string]bool{}
	for id := range rules.Generate(false).Rules {
		ids[id] = true
	}
	for id := range gosecanalyzers.Generate(false).Analyzers {
		ids[id] = true
	}
	return ids
}

// TestTheTableHoldsTheChecksThatAreRunAndNoOthers since a check without an entry
// could not be reported, and an entry without a check would never be.
func TestTheTableHoldsTheChecksThatAreRunAndNoOthers(t *testing.T) {
	run := map[string]bool{}
	for _, a := range suite() {
		if a.Name != gosecName {
			run[a.Name] = true
		}
	}
	own := gosecsOwn()
	for _, id := range gosecRules() {
		if own[id] {
			run[id] = true
		}
	}
	listed := map[string]bool{}
	for check := range table {
		listed[check] = true
	}
	if diff := cmp.Diff(run, listed); diff != "" {
		t.Errorf("checks (-run +listed):\n%s", diff)
	}
}

func TestEveryMapOfChecksIsAboutChecksOfTheTable(t *testing.T) {
	var named []string
	for check := range wording {
		named = append(named, check)
	}
	for check := range settles {
		named = append(named, check)
		if table[check].undecided == "" {
			t.Errorf("%s has cases that settle its question and no question", check)
		}
	}
	for check := range taintAnalyses {
		named = append(named, check)
	}
	for _, subject := range sameSubject {
		named = append(named, subject...)
	}
	for _, check := range named {
		if _, ok := table[check]; !ok {
			t.Errorf("%s is not in the table", check)
		}
	}
}

// described reads what a schema says of a property.
func described(t *testing.T, file, pattern string) string {
	t.Helper()
	data, err := os.ReadFile("../../schemas/" + file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindSubmatch(data)
	if m == nil {
		t.Fatalf("%s does not say %s", file, pattern)
	}
	return string(m[1])
}

func TestEveryRuleCanBeWrittenIntoAFinding(t *testing.T) {
	var strides, exploits []string
	enum := `(?s)"%s": \{.*?"enum": (\[.*?\])`
	decode(t, described(t, "shared.schema.json", strings.ReplaceAll(enum, "%s", "stride")), &strides)
	decode(t, described(t, "referee.schema.json", strings.ReplaceAll(enum, "%s", "exploitability")), &exploits)
	kinds := described(t, "shared.schema.json", `The kind of bug: (.*?), or another`)
	cwe := regexp.MustCompile(`^(CWE-[1-9]\d{0,5})?$`)
	for check, r := range table {
		if !slices.Contains(strings.Split(kinds, ", "), r.category) {
			t.Errorf("%s: the schema does not describe the category %q", check, r.category)
		}
		if r.severity.Rank() > low.Rank() {
			t.Errorf("%s: %q is not a severity", check, r.severity)
		}
		if r.confidence < 40 || r.confidence > 95 {
			t.Errorf("%s: a confidence of %g is not that of an analyzer", check, r.confidence)
		}
		if r.confidence < 50 && r.undecided == "" {
			t.Errorf("%s: with a confidence of %g a person has to decide, and the question is missing", check, r.confidence)
		}
		if !cwe.MatchString(r.cwe) {
			t.Errorf("%s: %q is no CWE", check, r.cwe)
		}
		if security := r.category == "security"; security != (r.threat != nil) || security && r.cwe == "" {
			t.Errorf("%s: a security bug needs a CWE and a threat, and no other bug has a threat", check)
		}
		if r.threat == nil {
			continue
		}
		if !slices.Contains(strides, r.threat.stride) || !slices.Contains(exploits, r.threat.exploitability) {
			t.Errorf("%s: %+v is not in the words of the schemas", check, *r.threat)
		}
		if _, err := cvss31.ParseVector(r.threat.vector); err != nil {
			t.Errorf("%s: %v", check, err)
		}
	}
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

// TestWhatTheTableSaysReadsAsOneSentence since triggers are shown with a capital
// and a full stop, and questions end a sentence of ours.
func TestWhatTheTableSaysReadsAsOneSentence(t *testing.T) {
	trigger := regexp.MustCompile(`^[a-z][^.]*[^.,:; ]$`)
	ellipsis := strings.NewReplacer("..", "", "time.", "", "json.", "", "Scanner.", "", "Rows.", "")
	fix := regexp.MustCompile(`^[A-Z].*\.$`)
	question := regexp.MustCompile(`^(whether|which) [^.?]+$`)
	for check, r := range table {
		if text := versions.ReplaceAllString(ellipsis.Replace(r.trigger), "Go"); !trigger.MatchString(strings.TrimSpace(text)) {
			t.Errorf("%s: trigger %q", check, r.trigger)
		}
		if !fix.MatchString(r.fix) {
			t.Errorf("%s: fix %q", check, r.fix)
		}
		if r.undecided != "" && !question.MatchString(r.undecided) {
			t.Errorf("%s: question %q", check, r.undecided)
		}
	}
}

var versions = regexp.MustCompile(`Go 1\.\d+`)

// TestMessagesAreWordedAsTheAnalyzersGiveThem holds our words for a message
// against real ones; a message in an unknown form is passed on as it is.
func TestMessagesAreWordedAsTheAnalyzersGiveThem(t *testing.T) {
	for _, c := range []struct{ check, message, want string }{
		{"G701", "SQL injection via taint analysis: (*database/sql.DB).QueryContext", "Text from a request becomes part of the SQL that sql.DB.QueryContext runs."},
		{"G703", "Path traversal via taint analysis: os.ReadFile", "Text from a request becomes part of the file name that os.ReadFile is given."},
		{"G703", "Path traversal", "Path traversal."},
		{"G115", "integer overflow conversion int64 -> uint32", "A number is converted without a check that it fits, int64 -> uint32."},
		{"nilerr", "error is not nil (line 34) but it returns nil", "The error of line 34 is not nil here, and the function returns nil in its place."},
		{"nilerr", "error is nil (line 34) but it returns error", "Error is nil (line 34) but it returns error."},
		{"nilness", "nil dereference in field selection", "The value is nil on every path that leads here, and is dereferenced by field selection."},
		{"nilness", "panic with nil value", "Panic with nil value."},
		{"bodyclose", "response body must be closed", "The body of the response is not closed on every path."},
		{"SA1016", "os.Kill cannot be trapped", "os.Kill cannot be trapped."},
		{"SA1000", "error parsing regexp: " + strings.Repeat("ä", 3000), "Error parsing regexp: " + strings.Repeat("ä", 989) + "…."},
		{"SA1000", "", ""},
	} {
		if got := worded(diagnostic{check: c.check, message: c.message}); got != c.want {
			t.Errorf("%s %q\n got %q\nwant %q", c.check, c.message, got, c.want)
		}
	}
}

// TestNilerrsOtherMessageIsNotSaidOfAFailure since nilerr reports two things,
// and only that of a nil in place of an error is what its entry describes.
func TestNilerrsOtherMessageIsNotSaidOfAFailure(t *testing.T) {
	if worthKeeping("nilerr", jsonDiagnostic{Message: "error is nil (line 34) but it returns error"}) {
		t.Error("an error that is nil and returned is reported as a failure that is hidden")
	}
	if !worthKeeping("nilerr", jsonDiagnostic{Message: "error is not nil (line 34) but it returns nil"}) {
		t.Error("a failure that is hidden is not reported")
	}
}
