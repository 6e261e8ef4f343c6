package schemas

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever the text, validating it does not panic, and an array comes to the
// same verdict by elements and in pieces as it does in one go.
func FuzzValidate(f *testing.F) {
	names := Names()
	for _, e := range examples(f) {
		for i, name := range names {
			if name == e.artifact {
				f.Add(byte(i), e.text)
			}
		}
	}
	f.Add(byte(2), []byte(`[{"confidenceScore":1e308,"lines":"1-2"},[[[]]],"\u0000"]`))
	set := New()
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		artifact := names[int(which)%len(names)]
		got := set.Validate(artifact, bytes.NewReader(text))
		want := validateWhole(t, set, artifact, text)
		var invalid *InvalidError
		if errors.As(got, &invalid) && invalid.More {
			// It did not read to the end, where anything may be.
			if v := verdict(want); v != "invalid" && v != "malformed" {
				t.Errorf("%v in pieces, but as a whole %s", got, v)
			}
			return
		}
		if verdict(got) != verdict(want) {
			t.Errorf("in pieces: %v\nas a whole: %v", got, want)
		}
		if diff := cmp.Diff(lines(Problems(want)), lines(Problems(got))); diff != "" {
			t.Errorf("problems (-whole +pieces):\n%s", diff)
		}
	})
}

// validateWhole is [Set.Validate] without any of the streaming and cutting.
func validateWhole(t *testing.T, set *Set, artifact string, text []byte) error {
	t.Helper()
	c, err := set.contracts[artifact]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := newDocument(bytes.NewReader(text), set.limits).all()
	if err != nil {
		return err
	}
	if got := schemaVersion(v); got > Version {
		return &VersionError{artifact, got, Version}
	}
	var found faults
	if result := c.root.Validate(v); !result.IsValid() {
		found.explain(result, place{schema: c.root, value: v})
	}
	return found.err(artifact)
}
