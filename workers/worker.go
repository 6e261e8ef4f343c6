// Package workers holds those who answer assignments: the [Worker] interface
// and, of its implementations, [Command], which runs any program. The
// built-in analyzers are in the folder below.
//
// A worker can be wrong in every way. It is given an assignment and a
// deadline, and what it leaves behind is handed on as it is; whether that is
// an answer is decided elsewhere.
package workers

import (
	"context"

	"bughunter/artifacts"
	"bughunter/replies"
)

// Worker answers assignments.
type Worker interface {
	// Work makes one attempt at a job. It returns when the worker and all
	// that it started has ended, at the latest soon after ctx is done.
	//
	// An error that is a [*replies.Failure] says how the attempt failed. Any
	// other error is about this machine (a full disk, say) and ends the run.
	Work(ctx context.Context, job Job) (Result, error)

	// String names the worker in state, journal and report. Of a command it
	// holds the template, so keys belong into the environment.
	String() string
}

// Job is one attempt at an assignment.
type Job struct {
	Assignment *artifacts.Assignment
	// Schema is the JSON Schema of the answer.
	Schema []byte
	// Prompt renders the prompt for an agent; inFile says whether the answer
	// is expected in the file Assignment.OutputPath or in what is printed. It
	// is rendered on demand since not every worker reads one.
	Prompt func(inFile bool) (string, error)
	// Dir is a folder for the worker's files. It may not exist yet.
	Dir string
}

// Result is what an attempt left behind.
type Result struct {
	Reply replies.Raw
	// Unexamined holds the files of the assignment that the worker knows it
	// could not look at, each with the reason. They count as failed, whatever
	// the reply says of the others.
	Unexamined map[string]string
}

// Exclusion is why a worker cannot hunt in a file at all, and what could be
// done about it.
type Exclusion struct{ Reason, Remedy string }

// Selective is implemented by a hunter that can only hunt in some files.
type Selective interface {
	// Exclude returns the files among those given that are not for this
	// worker. They are left out of the queue and counted by reason. Files
	// that it should be able to read but cannot are not excluded: they fail.
	Exclude(ctx context.Context, root string, files []string) (map[string]Exclusion, error)
}
