package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// The kinds of a verdict, which are the types of the errors.
func verdict(err error) string {
	var invalid *InvalidError
	var malformed *MalformedError
	var version *VersionError
	switch {
	case err == nil:
		return "valid"
	case errors.As(err, &invalid):
		return "invalid"
	case errors.As(err, &malformed):
		return "malformed"
	case errors.As(err, &version):
		return "newer"
	}
	return "undecided: " + err.Error()
}

func validate(artifact, text string) error {
	return New().Validate(artifact, strings.NewReader(text))
}

func TestMalformed(t *testing.T) {
	tests := []struct {
		name, artifact, text string
		want                 MalformedError
	}{
		{"empty", Findings, "", MalformedError{Problem: "the text is empty", Line: 1, Column: 1}},
		{"blank", Recon, " \n\t\r\n", MalformedError{Problem: "the text is empty", Line: 1, Column: 1}},
		{"only NUL bytes", Findings, strings.Repeat("\x00", 9000), MalformedError{Problem: "the text is nothing but NUL bytes; its content was lost", Line: 1, Column: 1}},
		{"NUL bytes first", Findings, "\x00\x00[]", MalformedError{Problem: "the text starts with a NUL byte", Line: 1, Column: 1}},
		{"NUL bytes last", Findings, "[]\n\x00\x00", MalformedError{Problem: "there is more text after the JSON value", Offset: 3, Line: 2, Column: 1}},
		{"UTF-8 mark", Findings, "\xef\xbb\xbf[]", MalformedError{Problem: "the text starts with a byte order mark; save it as UTF-8 without one", Line: 1, Column: 1}},
		{"UTF-16", Findings, "\xff\xfe[\x00]\x00", MalformedError{Problem: "the text is UTF-16; save it as UTF-8 without a byte order mark", Line: 1, Column: 1}},
		{"one bracket", Findings, "[", MalformedError{Problem: "the text ends before the value is complete", Offset: 1, Line: 1, Column: 2, Truncated: true}},
		{"one brace", Recon, "{", MalformedError{Problem: "the text ends before the value is complete", Offset: 1, Line: 1, Column: 2, Truncated: true}},
		{"after an element", Findings, "[{},\n", MalformedError{Problem: "the text ends before the value is complete", Offset: 5, Line: 2, Column: 1, Truncated: true}},
		{"prose", Findings, "No bugs.", MalformedError{Problem: "invalid character 'N' at start of value", Line: 1, Column: 1}},
		{"a comma too many", Findings, `[{"a":1},]`, MalformedError{Problem: "invalid character ',' at start of value", Offset: 8, Line: 1, Column: 9}},
		{"a brace for a bracket", Findings, `[}`, MalformedError{Problem: "invalid character '}' at start of value", Pointer: "/0", Offset: 1, Line: 1, Column: 2}},
		{"a name that is no string", Recon, `{1:2}`, MalformedError{Problem: "object member name must be a string", Offset: 1, Line: 1, Column: 2}},
		{"duplicate key", Recon, "{\"é\":1,\n \"é\":2}", MalformedError{Problem: `duplicate key "é"`, Offset: 10, Line: 2, Column: 2}},
		{"duplicate key, escaped", Findings, `[{"a~/b":{"c":1,"\u0063":2}}]`, MalformedError{Problem: `duplicate key "c"`, Pointer: "/0/a~0~1b", Offset: 16, Line: 1, Column: 17}},
		{"bad UTF-8", Findings, "[\"é\xff\"]", MalformedError{Problem: "invalid UTF-8", Pointer: "/0", Offset: 4, Line: 1, Column: 4}},
		{"half a surrogate pair", Findings, `["\ud800"]`, MalformedError{Problem: "invalid surrogate pair in string", Pointer: "/0", Offset: 2, Line: 1, Column: 3}},
		{"an escape that is none", Findings, `["\x"]`, MalformedError{Problem: "invalid escape sequence in string", Pointer: "/0", Offset: 2, Line: 1, Column: 3}},
		{"a control character", Findings, "[\"a\x01\"]", MalformedError{Problem: `invalid character '\x01' in string (expecting non-control character)`, Pointer: "/0", Offset: 3, Line: 1, Column: 4}},
		{"two values", Recon, "{} {}", MalformedError{Problem: "there is more text after the JSON value", Offset: 3, Line: 1, Column: 4}},
		{"two arrays", Findings, "[]\n[]", MalformedError{Problem: "there is more text after the JSON value", Offset: 3, Line: 2, Column: 1}},
		{"half a text behind", Findings, "[] [", MalformedError{Problem: "there is more text after the JSON value", Offset: 3, Line: 1, Column: 4}},
		{"a long number", Findings, "[" + strings.Repeat("1", 65) + "]", MalformedError{
			Problem: "the number " + strings.Repeat("1", 60) + "… is longer than 64 characters", Pointer: "/0", Offset: 66, Line: 1, Column: 67}},
		{"a huge number", Findings, "[1e309]", MalformedError{Problem: "the exponent of the number 1e309 is outside ±308", Pointer: "/0", Offset: 6, Line: 1, Column: 7}},
		{"a tiny number", Findings, "[1E-309]", MalformedError{Problem: "the exponent of the number 1E-309 is outside ±308", Pointer: "/0", Offset: 7, Line: 1, Column: 8}},
		{"an exponent beyond counting", Findings, "[1e99999999999999999999]", MalformedError{Problem: "the exponent of the number 1e99999999999999999999 is outside ±308", Pointer: "/0", Offset: 23, Line: 1, Column: 24}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := validate(tt.artifact, tt.text)
			var got *MalformedError
			if !errors.As(err, &got) {
				t.Fatalf("Validate() = %v, want a MalformedError", err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// Wherever a text is cut, the error says that it was cut; no shorter array is
// ever made of it.
func TestEveryTruncation(t *testing.T) {
	set := New()
	for _, name := range []string{"findings.valid", "assignment.valid"} {
		artifact, _, _ := strings.Cut(name, ".")
		text := bytes.TrimSpace(exampleText(t, name))
		for n := 1; n < len(text); n++ {
			err := set.Validate(artifact, bytes.NewReader(text[:n]))
			var malformed *MalformedError
			if !errors.As(err, &malformed) || !malformed.Truncated {
				t.Fatalf("%s cut after %d bytes, behind %q: %v", name, n, text[max(0, n-20):n], err)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	small := limits{object: 100, array: 400, element: 50, depth: 4, literal: 64, power: 308, members: 3, values: 20}
	tests := []struct {
		name, artifact, text, want string // want: the problem, or "" if it is within the limits
	}{
		{"an object of the largest size", Recon, "{}" + strings.Repeat(" ", 98), ""},
		{"one byte more", Recon, "{}" + strings.Repeat(" ", 99), "the text is larger than 100 bytes"},
		{"a long string in an object", Recon, `{"a":"` + strings.Repeat("x", 200) + `"}`, "the text is larger than 100 bytes"},
		{"an object where an array belongs", Findings, `{"a":"` + strings.Repeat("x", 200) + `"}`, "the text is larger than 100 bytes"},
		{"an array of many elements", Findings, "[" + strings.Repeat(`"aaaaaaaaaaaa",`, 20) + `""]`, ""},
		{"an array that is too large", Findings, "[" + strings.Repeat(`"aaaaaaaaaaaa",`, 30) + `""]`, "the text is larger than 400 bytes"},
		{"a large element", Findings, `["` + strings.Repeat("x", 46) + `"]`, ""},
		{"too large an element", Findings, `["` + strings.Repeat("x", 200) + `"]`, "the text is larger than 50 bytes in one element"},
		{"too large a second element", Findings, `["a","` + strings.Repeat("x", 200) + `"]`, "the text is larger than 50 bytes in one element"},
		{"space without end", Findings, "[" + strings.Repeat(" ", 200), "the text is larger than 50 bytes in one element"},
		{"NUL bytes without end", Findings, strings.Repeat("\x00", 200), "the text starts with a NUL byte"},
		{"deep", Findings, "[[[[]]]]", ""},
		{"too deep", Findings, "[[[[[]]]]]", "objects and arrays are nested more than 4 deep"},
		{"too deep in an object", Recon, `{"a":{"b":{"c":{"d":{}}}}}`, "objects and arrays are nested more than 4 deep"},
		{"three properties", Recon, `{"a":1,"b":2,"c":3}`, ""},
		{"four properties", Recon, `{"a":1,"b":2,"c":3,"d":4}`, "an object has more than 3 properties"},
		{"many values", Recon, "[" + strings.Repeat("1,", 17) + "1]", ""},
		{"too many values", Recon, "[" + strings.Repeat("1,", 40) + "1]", "there are more than 20 values"},
		{"many values in an element", Findings, "[[" + strings.Repeat("1,", 21) + "1]]", "there are more than 20 values"},
	}
	set := New()
	set.limits = small
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := set.Validate(tt.artifact, strings.NewReader(tt.text))
			var malformed *MalformedError
			if got := errors.As(err, &malformed); got != (tt.want != "") {
				t.Fatalf("Validate() = %v", err)
			}
			if malformed != nil && malformed.Problem != tt.want {
				t.Errorf("problem %q, want %q", malformed.Problem, tt.want)
			}
		})
	}
}

// A kilobyte of such numbers would take the library seconds and 100 MB.
func TestHostileNumbers(t *testing.T) {
	number := "1e1000000"
	finding := `{"confidenceScore":` + number + `}`
	for _, text := range []string{
		"[" + strings.TrimSuffix(strings.Repeat(number+",", 100), ",") + "]",
		"[" + strings.TrimSuffix(strings.Repeat(finding+",", 40), ",") + "]",
		`{"schemaVersion":` + number + `}`,
	} {
		for _, artifact := range Names() {
			allocated := testing.AllocsPerRun(1, func() {
				if got := verdict(validate(artifact, text)); got != "malformed" {
					t.Errorf("%s of %.30s…: %s", artifact, text, got)
				}
			})
			if allocated > 100_000 {
				t.Errorf("%s of %.30s… took %.0f allocations", artifact, text, allocated)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	tests := []struct {
		artifact, text, want string
		got                  int
	}{
		{Recon, `{"schemaVersion":2}`, "newer", 2},
		{Recon, `{"schemaVersion":2.0,"files":"changed"}`, "newer", 2},
		{Recon, `{"schemaVersion":1e300}`, "newer", 1<<31 - 1},
		{Findings, `{"findings":[],"schemaVersion":2}`, "newer", 2},
		{Findings, `{"findings":[],"schemaVersion":1}`, "invalid", 0},
		{Findings, `[{"schemaVersion":2}]`, "invalid", 0},
		{Recon, `{"schemaVersion":1}`, "invalid", 0},
		{Recon, `{"schemaVersion":1.5}`, "invalid", 0},
		{Recon, `{"schemaVersion":"2"}`, "invalid", 0},
		{Recon, `{"schemaVersion":-2}`, "invalid", 0},
		{Recon, `{"schemaVersion":2`, "malformed", 0},
	}
	for _, tt := range tests {
		err := validate(tt.artifact, tt.text)
		if got := verdict(err); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.artifact, tt.text, got, tt.want)
		}
		var version *VersionError
		if errors.As(err, &version) {
			if diff := cmp.Diff(VersionError{tt.artifact, tt.got, Version}, *version); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.text, diff)
			}
		}
	}
}

// A reader that fails decides nothing, however far it came.
func TestReaderFails(t *testing.T) {
	failed := errors.New("the disk is gone")
	set := New()
	for _, name := range []string{"findings.valid", "recon.valid", "coverage.invalid-torn"} {
		artifact, _, _ := strings.Cut(name, ".")
		text := bytes.TrimSpace(exampleText(t, name))
		for _, n := range []int{0, 1, 2, 3, 100, len(text)} {
			for _, cause := range []error{failed, io.ErrUnexpectedEOF} {
				r := io.MultiReader(bytes.NewReader(text[:n]), iotest.ErrReader(cause))
				err := set.Validate(artifact, r)
				if !errors.Is(err, cause) || Problems(err) != nil {
					t.Errorf("%s, failing after %d bytes with %v: %v", name, n, cause, err)
				}
			}
		}
	}
	if err := set.Validate(Findings, stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing and no error: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// However the text comes in, the answer is the same.
func TestReadersOfAllKinds(t *testing.T) {
	set := New()
	for _, e := range examples(t) {
		want := set.Validate(e.artifact, bytes.NewReader(e.text))
		for name, r := range map[string]io.Reader{
			"bytes.Buffer": bytes.NewBuffer(bytes.Clone(e.text)),
			"one byte":     iotest.OneByteReader(bytes.NewReader(e.text)),
			"half":         iotest.HalfReader(bytes.NewReader(e.text)),
			"early error":  iotest.DataErrReader(bytes.NewReader(e.text)),
		} {
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(set.Validate(e.artifact, r))); diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", e.name(), name, diff)
			}
		}
	}
}

// The place is right far behind what is kept of the text.
func TestPlaceInALongText(t *testing.T) {
	finding := strings.TrimSpace(strings.Trim(string(exampleText(t, "findings.valid")), "[]\n "))
	const copies = 200
	text := "[" + strings.Repeat(finding+",\n", copies) + "    \"é\xff\"]"
	err := validate(Findings, text)
	var got *MalformedError
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	want := MalformedError{
		Problem: "invalid UTF-8",
		Pointer: fmt.Sprint("/", copies*3),
		Offset:  int64(strings.Index(text, "\xff")),
		Line:    1 + strings.Count(text, "\n"),
		Column:  7,
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestProblemsAreCapped(t *testing.T) {
	for _, n := range []int{49, 50, 51, 500} {
		err := validate(Findings, "["+strings.TrimSuffix(strings.Repeat("1,", n), ",")+"]")
		var invalid *InvalidError
		if !errors.As(err, &invalid) {
			t.Fatal(err)
		}
		if len(invalid.Problems) != min(n, 50) || invalid.More != (n > 50) {
			t.Errorf("%d wrong elements: %d problems, more: %v", n, len(invalid.Problems), invalid.More)
		}
	}
}

// endless is an array that never ends, of elements that are all wrong.
type endless struct{ started bool }

func (e *endless) Read(p []byte) (int, error) {
	if !e.started {
		e.started = true
		return copy(p, "[0"), nil
	}
	return copy(p, ",0"), nil
}

func TestReadingStopsAtTheCap(t *testing.T) {
	if got := verdict(New().Validate(Findings, &endless{})); got != "invalid" {
		t.Errorf("an endless array of wrong elements: %s", got)
	}
}

func TestProblemsAreTheSameEveryTime(t *testing.T) {
	text := []byte(`[{"severity":"x","file":1,"zeta":1,"alpha":2,"confidenceScore":"high","confidenceLabel":"low",` +
		`"category":"Security","lines":"","crossReferences":[{},{"a":1,"b":2}],"claim":"\u0000"},3]`)
	set := New()
	want := lines(Problems(set.Validate(Findings, bytes.NewReader(text))))
	for range 100 {
		if diff := cmp.Diff(want, lines(Problems(set.Validate(Findings, bytes.NewReader(text))))); diff != "" {
			t.Fatalf("problems (-first +now):\n%s", diff)
		}
	}
	if diff := cmp.Diff(want, lines(Problems(validate(Findings, string(text))))); diff != "" {
		t.Errorf("problems (-first +of another set):\n%s", diff)
	}
}

// The set compiles on first use, from all of the goroutines at once.
func TestConcurrentUse(t *testing.T) {
	all := examples(t)
	want := map[string]string{}
	for _, e := range all {
		want[e.path] = fmt.Sprint(New().Validate(e.artifact, bytes.NewReader(e.text)))
	}
	set := New()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, e := range all {
				if got := fmt.Sprint(set.Validate(e.artifact, bytes.NewReader(e.text))); got != want[e.path] {
					t.Errorf("%s: %s\nwant %s", e.name(), got, want[e.path])
				}
			}
		})
	}
	group.Go(func() {
		if err := set.Preflight(); err != nil {
			t.Error(err)
		}
	})
	group.Wait()
}
