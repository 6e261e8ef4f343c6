package artifacts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/schemas"
)

// documents gives a new value of the type that an artifact decodes into.
var documents = map[string]func() any{
	schemas.Assignment:  func() any { return new(Assignment) },
	schemas.Recon:       func() any { return new(Recon) },
	schemas.Findings:    func() any { return new([]Finding) },
	schemas.Skeptic:     func() any { return new([]Challenge) },
	schemas.Referee:     func() any { return new([]Verdict) },
	schemas.Coverage:    func() any { return new(Coverage) },
	schemas.FixStrategy: func() any { return new(FixStrategy) },
	schemas.FixPlan:     func() any { return new(FixPlan) },
	schemas.FixReport:   func() any { return new(FixReport) },
}

// examples are the valid examples of the schemas: name of the file, artifact,
// text.
func examples(t testing.TB, visit func(name, artifact string, text []byte)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "schemas", "examples", "*.valid*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		artifact, _, _ := strings.Cut(filepath.Base(path), ".")
		visit(strings.TrimSuffix(filepath.Base(path), ".json"), artifact, text)
	}
}

// validator is shared, since compiling the schemas takes longer than most tests.
var validator = schemas.New()

func newStore(t testing.TB) *Store { return NewStore(t.TempDir(), validator) }

func TestEveryArtifactHasAnExample(t *testing.T) {
	var have []string
	examples(t, func(_, artifact string, _ []byte) { have = append(have, artifact) })
	for _, name := range schemas.Names() {
		if !slices.Contains(have, name) {
			t.Errorf("there is no valid example of %s", name)
		}
		if documents[name] == nil {
			t.Errorf("there is no type for %s", name)
		}
	}
}

func TestADocumentGoesThroughTheStoreWithoutLoss(t *testing.T) {
	examples(t, func(name, artifact string, text []byte) {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			v := documents[artifact]()
			if err := json.Unmarshal(text, v); err != nil {
				t.Fatal(err)
			}
			if err := store.Write(artifact, v); err != nil {
				t.Fatal(err)
			}
			first := readBytes(t, store.Path(artifact))
			if diff := cmp.Diff(meaning(t, text), meaning(t, first)); diff != "" {
				t.Errorf("what was written says something else (-example +written):\n%s", diff)
			}

			again := documents[artifact]()
			if err := store.Read(artifact, again); err != nil {
				t.Fatal(err)
			}
			if err := store.Write(artifact, again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(first), string(readBytes(t, store.Path(artifact)))); diff != "" {
				t.Errorf("the second write gave other bytes:\n%s", diff)
			}
		})
	})
}

// meaning is a JSON text as a value, without empty lists in optional places:
// no list and an empty one say the same. In a required place the schema sees
// to it that the list is there.
func meaning(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return withoutEmptyLists(v)
}

func withoutEmptyLists(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutEmptyLists(v[i])
		}
	case map[string]any:
		for name, value := range v {
			if list, ok := value.([]any); ok && len(list) == 0 {
				delete(v, name)
				continue
			}
			v[name] = withoutEmptyLists(value)
		}
	}
	return v
}

// The examples may miss a property; the schemas do not. What a schema requires
// the type must always write, and what it leaves free the type must leave out
// when it is empty.
func TestTheTypesHaveThePropertiesOfTheSchemas(t *testing.T) {
	for _, artifact := range schemas.Names() {
		t.Run(artifact, func(t *testing.T) {
			root := schemaOf(t, artifact)
			compare(t, artifact, place{artifact, root}, reflect.TypeOf(documents[artifact]()).Elem())
		})
	}
}

// place is a schema and the name of the document it stands in, to which its
// references are relative.
type place struct {
	document string
	schema   map[string]any
}

func schemaOf(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := schemas.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// follow resolves the references of the schemas: shared.schema.json#/$defs/x,
// recon.schema.json, #/$defs/x.
func (p place) follow(t *testing.T) place {
	t.Helper()
	for {
		ref, ok := p.schema["$ref"].(string)
		if !ok {
			return p
		}
		file, pointer, _ := strings.Cut(ref, "#")
		if file != "" {
			p.document = strings.TrimSuffix(file, ".schema.json")
		}
		p.schema = schemaOf(t, p.document)
		for _, name := range strings.FieldsFunc(pointer, func(r rune) bool { return r == '/' }) {
			p.schema = p.schema[name].(map[string]any)
		}
	}
}

func (p place) at(keyword ...string) place {
	for _, k := range keyword {
		p.schema = p.schema[k].(map[string]any)
	}
	return p
}

func compare(t *testing.T, at string, p place, typ reflect.Type) {
	t.Helper()
	p = p.follow(t)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch p.schema["type"] {
	case "array":
		if typ.Kind() != reflect.Slice {
			t.Fatalf("%s is an array and %s is not", at, typ)
		}
		compare(t, at+"/0", p.at("items"), typ.Elem())
	case "object":
		if typ.Kind() == reflect.Map {
			return // by phase or by status; the schema lists the keys
		}
		compareObject(t, at, p, typ)
	case "string":
		wantKind(t, at, typ, reflect.String)
	case "boolean":
		wantKind(t, at, typ, reflect.Bool)
	case "integer":
		wantKind(t, at, typ, reflect.Int)
	case "number":
		wantKind(t, at, typ, reflect.Float64)
	default:
		t.Errorf("%s is of type %v, which this test does not know", at, p.schema["type"])
	}
}

func wantKind(t *testing.T, at string, typ reflect.Type, want reflect.Kind) {
	t.Helper()
	if typ.Kind() != want {
		t.Errorf("%s is kept in a %s", at, typ)
	}
}

func compareObject(t *testing.T, at string, p place, typ reflect.Type) {
	t.Helper()
	properties := p.schema["properties"].(map[string]any)
	required, _ := p.schema["required"].([]any)
	known := map[string]bool{}
	for field := range typ.Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[name] = true
		if properties[name] == nil {
			t.Errorf("%s/%s is in %s and not in the schema", at, name, typ)
			continue
		}
		if optional := !slices.Contains(required, any(name)); optional != (option == "omitempty") {
			t.Errorf("%s/%s: optional in the schema: %t, left out when empty: %t", at, name, optional, option == "omitempty")
		}
		compare(t, at+"/"+name, p.at("properties", name), field.Type)
	}
	for name := range properties {
		if !known[name] {
			t.Errorf("%s/%s is in the schema and not in %s", at, name, typ)
		}
	}
}
