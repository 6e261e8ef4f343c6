package schemas

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/kaptinlin/jsonschema"
)

// contract is the compiled schema of one artifact. It does not change.
type contract struct {
	root *jsonschema.Schema

	// items is the schema of one element if the artifact is an array. The lint
	// sees to it that the root asks for nothing else then.
	items *jsonschema.Schema
}

// validate is [Set.Validate] for one document.
func (c *contract) validate(artifact string, doc *document) error {
	if err := doc.begin(); err != nil {
		return err
	}
	var found faults
	if c.items != nil && doc.isArray() {
		if err := c.stream(doc, &found); err != nil {
			return err
		}
		return found.err(artifact)
	}
	v, err := doc.all()
	if err != nil {
		return err
	}
	if got := schemaVersion(v); got > Version {
		return &VersionError{artifact, got, Version}
	}
	found.check(c.root, v, "")
	return found.err(artifact)
}

// stream validates an array without holding more of it than one element.
func (c *contract) stream(doc *document, found *faults) error {
	i := 0
	return doc.elements(func(v any) bool {
		found.check(c.items, v, "/"+strconv.Itoa(i))
		i++
		return !found.full()
	})
}

// schemaVersion is the version that an object says it is of, or 0. A version
// may be written as 2.0, which JSON Schema takes for an integer too.
func schemaVersion(v any) int {
	object, _ := v.(map[string]any)
	number, _ := object["schemaVersion"].(json.Number)
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || f < 1 {
		return 0
	}
	return int(min(f, math.MaxInt32))
}
