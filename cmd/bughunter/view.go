package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"bughunter/artifacts"
	"bughunter/coverage"
	"bughunter/phases"
)

// view shows a run while it goes on: a progress bar on a terminal, a line for
// each step elsewhere. It shows nothing when the user asked for quiet.
type view struct {
	mu      sync.Mutex // held by begun, advanced, event and close
	out     io.Writer
	bar     *progressbar.ProgressBar
	tty     bool
	quiet   bool
	verbose bool
}

func (p *program) newView() *view {
	return &view{out: p.stderr, tty: isTerminal(p.stderr) && !p.verbose, quiet: p.quiet, verbose: p.verbose}
}

// begun says what the queue holds.
func (v *view) begun(state *coverage.State, change coverage.Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	counts := state.Counts()
	total := len(state.Coverage().Files)
	line := fmt.Sprintf("queue: %s, %d done", counted(total, "file"), counts[artifacts.Done])
	for _, part := range []struct {
		n    int
		what string
	}{{change.Queued, "new"}, {change.Changed, "changed"}, {change.Dropped, "gone or no longer asked for"}} {
		if part.n > 0 {
			line += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	v.say(line)
	for _, l := range state.Coverage().LeftOut {
		v.say(leftOutLine(l))
	}
	if v.tty && !v.quiet {
		v.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(v.out), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionSetWidth(20), progressbar.OptionSetDescription("files"))
		_ = v.bar.Set(counts[artifacts.Done]) // a bar that cannot be drawn hurts nobody
	}
}

// advanced moves the bar on.
func (v *view) advanced(state *coverage.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bar != nil {
		_ = v.bar.Set(state.Counts()[artifacts.Done]) // a bar that cannot be drawn hurts nobody
	}
}

// event shows an event of the journal.
func (v *view) event(e artifacts.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	who := e.Phase
	if e.Chunk != "" && e.Chunk != phases.WholeRun {
		who = e.Chunk + " " + e.Phase
	}
	if v.bar != nil {
		v.bar.Describe(who)
	}
	switch e.Event {
	case artifacts.PhaseEnd:
		v.step("%s: %s in %s", who, itemsOf(e), took(e.TookMS))
		for _, note := range e.Notes {
			v.detail("  %s", oneLine(note, 200))
		}
	case artifacts.PhaseFailed:
		v.say(fmt.Sprintf("%s: failed: %s", who, oneLine(e.Failure+": "+e.Message, 300)))
	case artifacts.ValidationFailed:
		v.say(fmt.Sprintf("%s: attempt %d rejected: %s", who, e.Attempt, oneLine(e.Failure+": "+e.Message, 200)))
		for _, problem := range firstN(e.Problems, 5) {
			v.detail("  %s", oneLine(problem, 200))
		}
	case artifacts.RetryBackoff:
		v.say(fmt.Sprintf("%s: trying again in %s", who, took(e.WaitMS)))
	case artifacts.AttemptStart:
		v.detail("%s: attempt %d", who, e.Attempt)
	}
}

func itemsOf(e artifacts.Event) string {
	word := map[string]string{"recon": "file", "hunter": "finding", "skeptic": "answer", "referee": "verdict", "fixer": "fix"}[e.Phase]
	if e.Items == nil {
		return "done"
	}
	if word == "fix" && *e.Items != 1 {
		return fmt.Sprintf("%d fixes", *e.Items)
	}
	return counted(*e.Items, word)
}

func took(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(10 * time.Millisecond).String()
}

// step is a line that a terminal does not need, having the bar.
func (v *view) step(format string, args ...any) {
	if v.bar == nil {
		v.say(fmt.Sprintf(format, args...))
	}
}

func (v *view) detail(format string, args ...any) {
	if v.verbose {
		v.say(fmt.Sprintf(format, args...))
	}
}

// say prints a line above the bar.
func (v *view) say(line string) {
	if v.quiet {
		return
	}
	if v.bar != nil {
		_ = v.bar.Clear() // a bar that cannot be drawn hurts nobody
	}
	fmt.Fprintln(v.out, line)
}

// close takes the bar away.
func (v *view) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bar != nil {
		_ = v.bar.Clear() // a bar that cannot be drawn hurts nobody
		v.bar = nil
	}
}
