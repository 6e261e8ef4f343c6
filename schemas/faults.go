package schemas

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonschema"
)

// maxProblems is how many problems an error lists. A worker that made more
// mistakes than that has made the same one many times.
const maxProblems = 50

// faults collects the problems of one document.
type faults struct {
	problems []Problem
}

// full tells that there is no use in looking for more.
func (f *faults) full() bool { return len(f.problems) > maxProblems }

// err is the verdict.
func (f *faults) err(artifact string) error {
	if len(f.problems) == 0 {
		return nil
	}
	slices.SortFunc(f.problems, compareProblems)
	f.problems = slices.Compact(f.problems)
	shown := f.problems[:min(len(f.problems), maxProblems)]
	return &InvalidError{artifact, shown, len(f.problems) > len(shown)}
}

// check validates the value, which is at the pointer, and which it may change.
//
// The library keeps about a kilobyte for each element of an array that it
// rejects, and a document of a few megabytes can have a million of them. So it
// gets to see long arrays only in part; the rest is validated one by one.
func (f *faults) check(schema *jsonschema.Schema, v any, pointer string) {
	var rest []tail
	collectTails(schema, v, pointer, &rest)
	v = shorten(v)
	if result := schema.Validate(v); !result.IsValid() {
		f.explain(result, place{schema: schema, value: v, pointer: pointer})
	}
	for _, t := range rest {
		for i, element := range t.elements {
			if f.full() {
				return
			}
			f.check(t.schema, element, t.pointer+"/"+strconv.Itoa(chunk+i))
		}
	}
}

// chunk is how many elements of an array are validated together. The lint
// keeps minItems and maxItems below it, so that a shortened array breaks them
// exactly if the whole one does.
const chunk = 64

// tail is what was left out of a long array.
type tail struct {
	schema   *jsonschema.Schema // of an element
	pointer  string             // of the array
	elements []any              // from index chunk on
}

// collectTails finds the long arrays in v to whose elements the schema
// applies. It looks at every keyword that can lead there; the lint forbids
// items under a condition.
func collectTails(s *jsonschema.Schema, v any, pointer string, rest *[]tail) {
	if s.ResolvedRef != nil {
		collectTails(s.ResolvedRef, v, pointer, rest)
	}
	for _, part := range s.AllOf {
		collectTails(part, v, pointer, rest)
	}
	switch v := v.(type) {
	case map[string]any:
		if s.Properties == nil {
			return
		}
		for _, name := range sortedKeys(v) {
			if property := (*s.Properties)[name]; property != nil {
				collectTails(property, v[name], pointer+"/"+escape(name), rest)
			}
		}
	case []any:
		if s.Items == nil {
			return
		}
		for i, element := range v[:min(len(v), chunk)] {
			collectTails(s.Items, element, pointer+"/"+strconv.Itoa(i), rest)
		}
		if len(v) > chunk {
			*rest = append(*rest, tail{s.Items, pointer, v[chunk:]})
		}
	}
}

// shorten cuts every array in v to the length of a chunk.
func shorten(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = shorten(value)
		}
	case []any:
		v = v[:min(len(v), chunk)]
		for i, element := range v {
			v[i] = shorten(element)
		}
		return v
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// compareProblems orders by place, then by message.
func compareProblems(a, b Problem) int {
	return cmp.Or(comparePointers(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
}

// comparePointers puts a value before what is in it, and element 9 before
// element 10.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(x, y string) int {
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}
