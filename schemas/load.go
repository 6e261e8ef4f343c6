package schemas

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/kaptinlin/jsonschema"
)

// baseURI is what the $id of every schema starts with. It has a scheme and a
// host because references between files do not resolve otherwise. Nothing is
// ever fetched from there.
const baseURI = "https://bughunter.local/schemas/"

// load makes the contract of an artifact from its file and the files it refers
// to. The library would take a reference that leads nowhere, or a keyword it
// does not know, for "anything goes"; here they are errors.
func load(files fs.FS, artifact string) (*contract, error) {
	texts, err := lint(files, artifact)
	if err != nil {
		return nil, err
	}
	root, err := compile(texts, fileName(artifact))
	if err != nil {
		return nil, err
	}
	c := &contract{root: root}
	if len(root.Type) == 1 && root.Type[0] == "array" {
		c.items = root.Items
	}
	return c, nil
}

// compile compiles the text of a schema file together with those it refers to.
func compile(texts map[string][]byte, file string) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	clear(compiler.Loaders) // they go to the network
	parts, err := compiler.CompileBatch(texts)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(parts) {
		if dangling := parts[name].UnresolvedReferenceURIs(); len(dangling) > 0 {
			return nil, fmt.Errorf("%s: the references %q lead nowhere", name, dangling)
		}
	}
	if err := (&warmer{map[*jsonschema.Schema]bool{}}).visit(parts[file]); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return parts[file], nil
}

// warmer makes the library compile the patterns of a schema, which it does
// when they are first used, and without a lock.
type warmer struct {
	done map[*jsonschema.Schema]bool // false while what is in it is being visited
}

// visit warms everything that the schema can lead to. It refuses recursion:
// no artifact needs it, and no walk over a schema has to look out for it then.
func (w *warmer) visit(s *jsonschema.Schema) error {
	if done, seen := w.done[s]; done {
		return nil
	} else if seen {
		return errors.New("a definition refers to itself")
	}
	w.done[s] = false
	for _, inner := range subschemas(s) {
		if err := w.visit(inner); err != nil {
			return err
		}
	}
	w.done[s] = true
	s.Validate("")
	return nil
}

// subschemas are the schemas that apply together with s, or to what is in its
// value. It knows the keywords that the lint allows.
func subschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if s.Properties != nil {
		for _, inner := range *s.Properties {
			all = append(all, inner)
		}
	}
	all = append(all, s.AllOf...)
	for _, inner := range []*jsonschema.Schema{s.ResolvedRef, s.Items, s.If, s.Then} {
		if inner != nil {
			all = append(all, inner)
		}
	}
	return all
}
