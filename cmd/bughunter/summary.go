package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"

	"bughunter/artifacts"
	"bughunter/phases"
)

// summary is what run and status say.
type summary struct {
	Status    string                 `json:"status"`
	Iteration int                    `json:"iteration"`
	Files     int                    `json:"files"`
	Done      int                    `json:"done"`
	Pending   int                    `json:"pending"`
	Failed    []failedFile           `json:"failed"`
	LeftOut   []artifacts.LeftOut    `json:"leftOut"`
	Confirmed []artifacts.BugSummary `json:"confirmed"`
	Manual    int                    `json:"manualReview"`
	Dismissed int                    `json:"dismissed"`
	Unjudged  int                    `json:"notJudged"`
	Workers   map[string]string      `json:"workers"`
	Report    string                 `json:"report,omitempty"`
	Next      string                 `json:"next,omitempty"` // the command that goes on
}

type failedFile struct {
	Path     string `json:"path"`
	Error    string `json:"error"`
	Attempts int    `json:"attempts"`
}

// summarize counts the state and the rulings on what was found.
func (p *program) summarize(cov *artifacts.Coverage) (summary, error) {
	s := summary{
		Status: cov.Status, Iteration: cov.Iteration, Files: len(cov.Files), Confirmed: cov.Bugs,
		LeftOut: orEmpty(cov.LeftOut), Failed: []failedFile{}, Workers: cov.Workers,
	}
	for _, f := range cov.Files {
		switch f.Status {
		case artifacts.Done:
			s.Done++
		case artifacts.Failed:
			s.Failed = append(s.Failed, failedFile{f.Path, f.LastError, f.Attempts})
		default:
			s.Pending++
		}
	}
	if s.Status != artifacts.LoopComplete {
		s.Next = p.resumeCommand(cov)
	}
	if report := filepath.Join(p.stateDir, "report.md"); exists(report) {
		s.Report = shown(report)
	}
	return s, p.countRulings(&s)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// countRulings counts what was not confirmed. What nobody has answered yet is
// not judged.
func (p *program) countRulings(s *summary) error {
	c := &phases.Case{}
	for _, name := range artifacts.Judged {
		if err := c.Load([]string{name}, p.store()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	counts := phases.Rulings(c.Findings, c.Challenges, c.Verdicts)
	s.Manual, s.Dismissed, s.Unjudged = counts[artifacts.NeedsHuman], counts[artifacts.Dismissed], counts[artifacts.Unjudged]
	return nil
}

// printSummary prints the result for a person: the confirmed bugs, a line
// each, then what else there is and what is not done. What was left out of the
// queue is for status to say; a run says it when it begins.
func (p *program) printSummary(s summary, withLeftOut bool) error {
	out := bufio.NewWriter(p.stdout)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	claimWidth := p.claimWidth(s.Confirmed)
	for _, b := range s.Confirmed {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.severity(b.Severity), b.BugID, placeOf(b), oneLine(b.Claim, claimWidth))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(s.Confirmed) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, headline(s))
	fmt.Fprintf(out, "%d of %s done", s.Done, counted(s.Files, "file"))
	if s.Pending > 0 {
		fmt.Fprintf(out, ", %d to do", s.Pending)
	}
	if len(s.Failed) > 0 {
		fmt.Fprintf(out, ", %d failed", len(s.Failed))
	}
	fmt.Fprintln(out)
	for _, f := range firstN(s.Failed, 5) {
		fmt.Fprintf(out, "  failed: %s: %s\n", oneLine(f.Path, 80), oneLine(f.Error, 200))
	}
	if more := len(s.Failed) - 5; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	for _, l := range s.LeftOut {
		if withLeftOut {
			fmt.Fprintf(out, "  %s\n", leftOutLine(l))
		}
	}
	if s.Report != "" {
		fmt.Fprintf(out, "report: %s\n", s.Report)
	}
	if s.Next != "" {
		fmt.Fprintf(out, "to go on: %s\n", s.Next)
	}
	return out.Flush()
}

func placeOf(b artifacts.BugSummary) string { return oneLine(b.File, 80) + ":" + b.Lines }

// claimWidth is how much of a claim fits on its line: what the other columns
// leave of a terminal, and elsewhere as much as is easily read.
func (p *program) claimWidth(bugs []artifacts.BugSummary) int {
	const most, least = 100, 24
	f, ok := p.stdout.(*os.File)
	if !ok {
		return most
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return most
	}
	others := 0
	for _, b := range bugs {
		others = max(others, len(artifacts.SeverityCritical)+len(b.BugID)+utf8.RuneCountInString(placeOf(b))+3*2)
	}
	return min(max(width-others, least), most)
}

func leftOutLine(l artifacts.LeftOut) string {
	line := fmt.Sprintf("left out: %s: %s", counted(l.Files, "file"), l.Reason)
	if l.Remedy != "" {
		line += " (" + l.Remedy + ")"
	}
	return line
}

func firstN[T any](s []T, n int) []T { return s[:min(len(s), n)] }

func headline(s summary) string {
	var parts []string
	for _, severity := range artifacts.Severities {
		n := 0
		for _, b := range s.Confirmed {
			if b.Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	text := counted(len(s.Confirmed), "confirmed bug")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	text += fmt.Sprintf("; %d for a person to look at, %d dismissed", s.Manual, s.Dismissed)
	if s.Unjudged > 0 {
		text += fmt.Sprintf(", %d not judged yet", s.Unjudged)
	}
	if s.Status != artifacts.LoopComplete {
		text += "; INCOMPLETE"
	}
	return text
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// severity is the word, in colour on a terminal. Every row carries a code of
// the same length, so that columns stay straight.
func (p *program) severity(s artifacts.Severity) string {
	if !p.color {
		return string(s)
	}
	colors := map[artifacts.Severity]string{
		artifacts.SeverityCritical: "\x1b[35m", artifacts.SeverityHigh: "\x1b[31m",
		artifacts.SeverityMedium: "\x1b[33m", artifacts.SeverityLow: "\x1b[36m",
	}
	return colors[s] + string(s) + "\x1b[0m"
}

// oneLine makes hostile text safe for a terminal: one line, no control
// characters, at most n runes.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, s)
	runes := []rune(s)
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
