package schemas

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with an artifact.
type Problem struct {
	Pointer string // JSON Pointer to the place, "" for the whole document
	Message string
}

// String is the form in which problems are printed, recorded, and given back
// to a worker: "/0: missing required property: claim". At the root it is the
// message alone.
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + ": " + p.Message
}

// InvalidError is about well-formed JSON that breaks its schema. The problems
// are in the order of the places they are about, and there is at least one.
type InvalidError struct {
	Artifact string
	Problems []Problem
	More     bool // there are more problems than are listed
}

// shownProblems is how many problems an error message has room for.
const shownProblems = 3

func (e *InvalidError) Error() string {
	shown := make([]string, 0, shownProblems+1)
	for _, p := range e.Problems[:min(len(e.Problems), shownProblems)] {
		shown = append(shown, p.String())
	}
	if rest := len(e.Problems) - shownProblems; rest > 0 || e.More {
		shown = append(shown, e.rest(rest))
	}
	return fmt.Sprintf("it breaks the %s schema: %s", e.Artifact, strings.Join(shown, "; "))
}

func (e *InvalidError) rest(n int) string {
	if e.More {
		return fmt.Sprintf("and more than %d others", n)
	}
	return fmt.Sprintf("and %d more", n)
}

// MalformedError is about a text that is not JSON as the artifacts are written
// in, or is over a limit: too large, too deep, a number too long.
type MalformedError struct {
	Problem   string
	Pointer   string // JSON Pointer to the innermost value that holds the place
	Offset    int64  // of the place, in bytes from 0
	Line      int    // of the place, from 1
	Column    int    // in characters, from 1
	Truncated bool   // the text ends in the middle; what is there is good so far
}

func (e *MalformedError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("it is not usable JSON: line %d, column %d: %s", e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("it is not usable JSON: line %d, column %d, in %s: %s", e.Line, e.Column, e.Pointer, e.Problem)
}

// VersionError is about an artifact that a newer program wrote. It says nothing
// about whether the artifact is otherwise valid, since nobody here can know.
type VersionError struct {
	Artifact string
	Got      int // the artifact's schemaVersion
	Known    int // the newest one understood
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("its schemaVersion is %d, and of the %s schema nothing newer than %d is known here", e.Got, e.Artifact, e.Known)
}

// Problems returns what an error of [Validator] has to say about the text, in
// the form for printing, or nil if it is not about the text.
func Problems(err error) []Problem {
	var invalid *InvalidError
	var malformed *MalformedError
	var version *VersionError
	switch {
	case errors.As(err, &invalid):
		return invalid.Problems
	case errors.As(err, &malformed):
		m := malformed
		return []Problem{{m.Pointer, fmt.Sprintf("%s (line %d, column %d)", m.Problem, m.Line, m.Column)}}
	case errors.As(err, &version):
		return []Problem{{"/schemaVersion", fmt.Sprintf("%d is newer than %d, the newest known here", version.Got, version.Known)}}
	}
	return nil
}
