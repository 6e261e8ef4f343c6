// Package schemas holds the contracts of the artifacts and says of a text
// whether it keeps them.
//
// A contract is a JSON Schema 2020-12 in <artifact>.schema.json; what several
// of them share is in shared.schema.json. All are embedded. A [Set] validates
// against them and is what the rest of the program uses, as a [Validator].
//
// The texts come from workers and from disks that failed, so they are hostile
// until they are proved good. The set reads a text once, refuses whatever is
// not plainly JSON or is larger than any honest artifact, and holds only as
// much of it in memory as it has to: the artifacts that are arrays are
// validated element by element. What it says about a text depends on the text
// alone, never on the order of a map or on who else is validating.
//
// It fails closed. A schema that does not resolve, or that uses a keyword which
// this package does not know how to explain, is an error and not a schema that
// accepts everything; [Set.Preflight] finds that out before any work is done.
package schemas

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// The artifacts, in the order in which the pipeline comes to need them.
const (
	Assignment  = "assignment"
	Recon       = "recon"
	Findings    = "findings"
	Skeptic     = "skeptic"
	Referee     = "referee"
	Coverage    = "coverage"
	FixStrategy = "fix-strategy"
	FixPlan     = "fix-plan"
	FixReport   = "fix-report"
)

// shared is the schema that is no artifact.
const shared = "shared"

// Version is the newest schemaVersion that this program understands.
const Version = 1

// ErrUnknownArtifact is what an error about a name that is no artifact wraps.
var ErrUnknownArtifact = errors.New("unknown artifact")

//go:embed *.schema.json
var embedded embed.FS

// Names returns the artifacts in pipeline order. The shared definitions are
// not one of them.
func Names() []string {
	return []string{Assignment, Recon, Findings, Skeptic, Referee, Coverage, FixStrategy, FixPlan, FixReport}
}

// Source returns the JSON text of the embedded schema of an artifact, or of
// "shared". The error wraps [ErrUnknownArtifact].
func Source(name string) ([]byte, error) {
	if name != shared && !slices.Contains(Names(), name) {
		return nil, unknown(name)
	}
	return embedded.ReadFile(fileName(name))
}

func fileName(name string) string { return name + ".schema.json" }

func unknown(name string) error {
	return fmt.Errorf("%w %q: use one of %s", ErrUnknownArtifact, name, strings.Join(Names(), ", "))
}

// A Validator tells whether what r gives is a valid artifact of that name.
//
// It returns nil if so. Otherwise [errors.As] finds in its error a
// [*MalformedError] if the text is not JSON or is over a limit, a
// [*VersionError] if it is from a newer program, or an [*InvalidError] if it
// breaks its schema. Any other error means that nothing was decided: the name
// is unknown ([ErrUnknownArtifact]), a schema is unusable, or r failed, whose
// error is wrapped.
type Validator interface {
	Validate(artifact string, r io.Reader) error
}

// Set is a [Validator] over a set of schema files. Several goroutines may use
// it at once.
type Set struct {
	files     fs.FS
	contracts map[string]func() (*contract, error)
	limits    limits
}

// New returns the set of the embedded schemas. Each is compiled when it is
// first needed, so a command that validates one artifact does not pay for all.
func New() *Set { return NewFrom(embedded) }

// NewFrom returns the set of the <name>.schema.json files at the root of files.
func NewFrom(files fs.FS) *Set {
	s := &Set{files, map[string]func() (*contract, error){}, defaultLimits}
	for _, name := range Names() {
		s.contracts[name] = sync.OnceValues(func() (*contract, error) { return load(files, name) })
	}
	return s
}

// Preflight compiles and lints every schema, and returns an error with a line
// for each thing that is wrong, naming schema and place. After nil, Validate
// fails only for what it reads.
func (s *Set) Preflight() error {
	_, err := lint(s.files, shared)
	problems := []error{err}
	for _, name := range Names() {
		if _, err := s.contracts[name](); err != nil {
			problems = append(problems, err)
		}
	}
	return distinct(problems)
}

// distinct joins errors, each message once: a defect of a shared definition
// shows up in every schema that uses it.
func distinct(errs []error) error {
	var kept []error
	seen := map[string]bool{}
	for _, err := range flatten(errs) {
		if !seen[err.Error()] {
			seen[err.Error()] = true
			kept = append(kept, err)
		}
	}
	return errors.Join(kept...)
}

func flatten(errs []error) []error {
	var flat []error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			flat = append(flat, flatten(joined.Unwrap())...)
		} else {
			flat = append(flat, err)
		}
	}
	return flat
}

// Validate implements [Validator]. It reads r to its end, unless it has found
// enough to reject the text.
func (s *Set) Validate(artifact string, r io.Reader) error {
	find, ok := s.contracts[artifact]
	if !ok {
		return unknown(artifact)
	}
	c, err := find()
	if err != nil {
		return fmt.Errorf("the schema of %s cannot be used: %w", artifact, err)
	}
	return c.validate(artifact, newDocument(r, s.limits))
}
