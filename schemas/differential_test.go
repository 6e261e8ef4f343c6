package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

var mutations = flag.Int("mutations", 3000, "how many changed examples to compare with the other implementation")

// Two implementations of JSON Schema, which have nothing in common but the
// specification, agree on every changed example.
func TestSameVerdictAsAnotherImplementation(t *testing.T) {
	set, others := New(), otherSchemas(t)
	var seeds []example
	for _, e := range examples(t) {
		if e.valid {
			seeds = append(seeds, e)
		}
	}
	r := rand.New(rand.NewPCG(20, 12))
	verdicts := map[string]int{}
	for i := range *mutations {
		seed := seeds[i%len(seeds)]
		value := decoded(t, seed.text)
		for range 1 + r.IntN(3) {
			value = mutate(r, value)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		err = set.Validate(seed.artifact, bytes.NewReader(text))
		verdicts[verdict(err)]++
		if want := otherVerdict(others[seed.artifact], value); verdict(err) != want {
			t.Fatalf("mutation %d, a changed %s: %v, want %s\n%s", i, seed.name(), err, want, text)
		}
		checkProblems(t, err, text)
	}
	t.Logf("%d mutations: %v", *mutations, verdicts)
	if verdicts["valid"] == 0 || verdicts["invalid"] == 0 {
		t.Errorf("the mutations show nothing: %v", verdicts)
	}
}

// checkProblems makes sure that a rejection says where and why.
func checkProblems(t *testing.T, err error, text []byte) {
	t.Helper()
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return
	}
	for _, p := range invalid.Problems {
		if p.Message == unexplained {
			t.Fatalf("no reason given at %q of\n%s", p.Pointer, text)
		}
	}
}

// otherVerdict is the verdict that the other implementation leads to.
func otherVerdict(schema *santhosh.Schema, value any) string {
	if schemaVersion(value) > Version {
		return "newer"
	}
	if schema.Validate(value) != nil {
		return "invalid"
	}
	return "valid"
}

func otherSchemas(t *testing.T) map[string]*santhosh.Schema {
	t.Helper()
	compiler := santhosh.NewCompiler()
	for _, name := range append(Names(), shared) {
		text, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(baseURI+fileName(name), decoded(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	schemas := map[string]*santhosh.Schema{}
	for _, name := range Names() {
		schema, err := compiler.Compile(baseURI + fileName(name))
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = schema
	}
	return schemas
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	v, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// mutate changes one place of a value and returns the value.
func mutate(r *rand.Rand, v any) any {
	switch w := v.(type) {
	case map[string]any:
		if len(w) > 0 && r.IntN(3) > 0 {
			name := pick(r, sortedKeys(w))
			w[name] = mutate(r, w[name])
			return w
		}
		return mutateObject(r, w)
	case []any:
		if len(w) > 0 && r.IntN(4) > 0 {
			i := r.IntN(len(w))
			w[i] = mutate(r, w[i])
			return w
		}
		return mutateArray(r, w)
	}
	if r.IntN(4) == 0 {
		return someValue(r)
	}
	switch w := v.(type) {
	case string:
		return mutateString(r, w)
	case json.Number:
		return pick(r, someNumbers)
	}
	return someValue(r)
}

func mutateObject(r *rand.Rand, object map[string]any) any {
	if len(object) == 0 || r.IntN(8) == 0 {
		return someValue(r)
	}
	name := pick(r, sortedKeys(object))
	switch r.IntN(4) {
	case 0:
		delete(object, name)
	case 1:
		object[pick(r, []string{"foo", "", "a/b~", strings.ToUpper(name), name + "s"})] = object[name]
		delete(object, name)
	case 2:
		object[pick(r, someNames)] = someValue(r)
	case 3:
		object[name] = object[pick(r, sortedKeys(object))]
	}
	return object
}

func mutateArray(r *rand.Rand, array []any) any {
	if len(array) == 0 || r.IntN(8) == 0 {
		return pick(r, []any{someValue(r), []any{someValue(r)}, []any{}})
	}
	i := r.IntN(len(array))
	switch r.IntN(5) {
	case 0:
		return append(array[:i:i], array[i+1:]...)
	case 1:
		return append(array, array[i])
	case 2: // longer than what is validated together, perhaps with a fault at the end
		for range 2 * chunk {
			array = append(array, array[i])
		}
		return append(array, pick(r, []any{array[i], someValue(r)}))
	case 3:
		j := r.IntN(len(array))
		array[i], array[j] = array[j], array[i]
		return array
	}
	return array[:i]
}

func mutateString(r *rand.Rand, s string) any {
	switch r.IntN(4) {
	case 0:
		return s + pick(r, []string{" ", "x", "\n", "-", ",", ", 7", "\x00", "é"})
	case 1:
		return strings.Repeat(s, 1+r.IntN(40))
	case 2:
		return s[:len(s)/2]
	}
	return pick(r, someStrings)
}

func someValue(r *rand.Rand) any {
	switch r.IntN(7) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return map[string]any{pick(r, someNames): pick(r, someStrings)}
	case 3:
		return []any{pick(r, someStrings)}
	case 4, 5:
		return pick(r, someStrings)
	}
	return pick(r, someNumbers)
}

var someNumbers = []any{
	json.Number("0"), json.Number("-0"), json.Number("-1"), json.Number("1"), json.Number("1.0"), json.Number("2"),
	json.Number("1e2"), json.Number("1E-3"), json.Number("49.999"), json.Number("50"), json.Number("74.999999999999999999"),
	json.Number("75"), json.Number("100"), json.Number("100.0000000000000000001"), json.Number("10.5"), json.Number("123456789012345678901234567890"),
}

var someStrings = []string{
	"", " ", "\t\n", "x", "high", "medium", "low", "High", "Critical", "security", "SECURITY", "Security ", "CWE-79", "CWE-0",
	"DISPROVE", "ACCEPT", "MANUAL_REVIEW", "REAL_BUG", "PROPOSED", "SKIPPED", "DONE", "COMPLETE", "done",
	"recon", "hunter", "skeptic", "referee", "fixer", "findings", "fix-report",
	"12", "12-15", "12,13-14, 15", "0", "15-", "/tmp/x", `C:\x`, `\\host\x`, "relative", "CVSS:4.0/AV:N", "0123456789abcdef", "canary", "safe-autofix",
}

var someNames = []string{
	"foo", "schemaVersion", "confidenceLabel", "confidenceScore", "category", "cwe", "counterEvidence", "response",
	"security", "patch", "recon", "findings", "challenges", "verdicts", "feedback", "workers", "totals", "lines", "reason",
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
