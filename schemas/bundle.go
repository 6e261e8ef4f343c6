package schemas

import (
	"bytes"
	"encoding/json"
	"regexp"
)

var fileRef = regexp.MustCompile(`"\$ref": *"([a-z-]+)\.schema\.json`)

// Bundle returns the schema of an artifact together with the ones it refers
// to, as one document that can be handed out by itself (JSON Schema 2020-12,
// section 9.3.1). The error wraps [ErrUnknownArtifact].
func Bundle(artifact string) ([]byte, error) {
	defs := map[string]json.RawMessage{}
	if err := collect(artifact, defs); err != nil {
		return nil, err
	}
	doc := struct {
		Schema string                     `json:"$schema"`
		ID     string                     `json:"$id"`
		Ref    string                     `json:"$ref"`
		Defs   map[string]json.RawMessage `json:"$defs"`
	}{
		"https://json-schema.org/draft/2020-12/schema",
		"https://bughunter.local/schemas/" + artifact + ".bundle.json",
		fileName(artifact), defs,
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return buf.Bytes(), err
}

func collect(name string, defs map[string]json.RawMessage) error {
	if _, ok := defs[name]; ok {
		return nil
	}
	text, err := Source(name)
	if err != nil {
		return err
	}
	defs[name] = text
	for _, m := range fileRef.FindAllSubmatch(text, -1) {
		if err := collect(string(m[1]), defs); err != nil {
			return err
		}
	}
	return nil
}
