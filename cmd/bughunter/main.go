// Command bughunter hunts bugs in a repository with workers that can be wrong,
// and reports only what survives. See the README for what it does and
// `bughunter help` for how to use it.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"bughunter/workers/analyzers"
)

func main() {
	if os.Getenv(analyzers.ToolEnv) != "" {
		analyzers.VetTool()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interrupted tells whether the run was stopped by a signal.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
