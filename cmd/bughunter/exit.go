package main

import (
	"errors"
	"fmt"
)

// The exit codes, as in the README. Scripts rely on them.
const (
	exitOK          = 0   // complete, nothing confirmed at or above --fail-on
	exitFound       = 1   // complete, something confirmed; or a document that is not valid
	exitUsage       = 2   // usage or configuration error; nothing was started
	exitIncomplete  = 3   // a phase failed or files are not done; running again goes on
	exitInterrupted = 130 // stopped by a signal; running again goes on
)

// exitError is an error that decides the exit code. Its err may be nil if
// everything has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is an error of the user's making: nothing was started.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// usage makes of an error one of the user's making.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// incomplete says that work is left, which running again takes up.
func incomplete(err error) error { return &exitError{exitIncomplete, err} }

// quiet ends with a code after everything has been said.
func quiet(code int) error { return &exitError{code, nil} }

// exitCode is the one place where an error becomes a code. An error that does
// not say otherwise left work undone.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitIncomplete
}
