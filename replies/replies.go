// Package replies turns what a worker left behind into one checked answer or
// one typed error. Nothing else in this repository reads a worker's text.
//
// A reply is hostile: it may be cut, empty, a gigabyte long, or quote a file
// of the repository that was written to look like an answer. So the rules are
// few and strict. The answer is the file the worker was told to write, or the
// value its client returned as structured output, or else the whole of what
// it printed if that begins as JSON does, or else the last fenced block marked
// json that was closed. There is no falling back from one to the next, nor from
// a later block to an earlier one, and nothing is repaired: of a list that was
// cut, a repairing parser makes a shorter list that looks complete.
package replies

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Kind tells failures of an attempt apart. It alone decides what happens
// next; the worker's words never do.
type Kind string

// The kinds of failure.
const (
	WorkerFailed Kind = "worker-failed" // it did not start, crashed or said so by its exit code
	Timeout      Kind = "timeout"       // the deadline passed
	Refused      Kind = "refused"       // the model or provider declines
	RateLimited  Kind = "rate-limited"  // the provider asks to wait
	Truncated    Kind = "truncated"     // the answer ends in the middle
	NoAnswer     Kind = "no-answer"     // it ended well and there is no answer
	Malformed    Kind = "malformed"     // the answer is not JSON
	Invalid      Kind = "invalid"       // the answer breaks its schema
	Inconsistent Kind = "inconsistent"  // the answer contradicts the repository or another artifact
	Auth         Kind = "auth"          // the key is missing, wrong or not allowed
)

// Failure is why an attempt gave nothing.
type Failure struct {
	Kind       Kind
	Message    string        // for people: what happened
	Problems   []string      // for the next attempt: each with its place in the answer
	RetryAfter time.Duration // how long the provider asks to wait, or 0
	Permanent  bool          // the same will happen again, so trying again is pointless
}

func (f *Failure) Error() string {
	if len(f.Problems) == 0 {
		return fmt.Sprintf("%s: %s", f.Kind, f.Message)
	}
	return fmt.Sprintf("%s: %s: %s", f.Kind, f.Message, strings.Join(f.Problems, "; "))
}

// Raw is what one attempt left behind.
type Raw struct {
	// File is the content of the file that the worker was told to write, nil
	// if it wrote none. InFile tells that it was told to: then only the file
	// counts.
	File   []byte
	InFile bool
	// Native is the value that a client or provider returned as structured
	// output, nil if it has no such thing.
	Native []byte
	// Text is what the worker printed.
	Text []byte
}

// Source says where in a reply the answer stood.
type Source string

// The sources, most trusted first.
const (
	FromFile   Source = "file"
	FromNative Source = "native"
	FromText   Source = "text"  // the whole text is the answer
	FromFence  Source = "fence" // the last closed block marked json
)

// Answer is the JSON text of a reply. It is not yet known to be valid.
type Answer struct {
	JSON   []byte
	Source Source
}

// Extract finds the answer in a reply. Its error is a [*Failure] of kind
// [NoAnswer], [Truncated] or [Malformed].
func Extract(raw Raw) (Answer, error) {
	switch {
	case raw.InFile:
		return fromFile(raw.File)
	case raw.Native != nil:
		return fromNative(raw.Native)
	}
	return fromText(raw.Text)
}

func fromFile(data []byte) (Answer, error) {
	if data == nil {
		return Answer{}, &Failure{Kind: NoAnswer, Message: "the worker ended without writing its output file"}
	}
	data = bytes.TrimPrefix(data, bom)
	if len(bytes.TrimSpace(data)) == 0 {
		return Answer{}, &Failure{Kind: NoAnswer, Message: "the worker's output file is empty"}
	}
	return Answer{data, FromFile}, nil
}

func fromNative(data []byte) (Answer, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Answer{}, &Failure{Kind: NoAnswer, Message: "the worker's structured output is empty"}
	}
	return Answer{data, FromNative}, nil
}

var bom = []byte("\ufeff")

func fromText(text []byte) (Answer, error) {
	text = bytes.TrimPrefix(text, bom)
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return Answer{}, &Failure{Kind: NoAnswer, Message: "the worker printed nothing"}
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		return Answer{trimmed, FromText}, nil
	}
	block, state := lastJSONFence(text)
	switch state {
	case fenceOpen:
		return Answer{}, &Failure{Kind: Truncated, Message: "the last fenced block of the reply is not closed"}
	case fenceNone:
		return Answer{}, &Failure{Kind: NoAnswer, Message: "the reply holds no fenced block marked json"}
	}
	if len(bytes.TrimSpace(block)) == 0 {
		return Answer{}, &Failure{Kind: Malformed, Message: "the last json block of the reply is empty"}
	}
	return Answer{block, FromFence}, nil
}
