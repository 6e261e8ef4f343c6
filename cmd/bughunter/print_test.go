package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
)

func TestOneLineIsSafeForATerminal(t *testing.T) {
	tests := []struct {
		what, in, want string
	}{
		{"plain text stays", "a plain claim", "a plain claim"},
		{"lines become one", "first\nsecond\r\n\tthird", "first second third"},
		{"escape sequences lose their force", "\x1b[31mred\x1b]0;title\x07", "�[31mred�]0;title�"},
		{"so do those of one byte", "\u009b31mred", "�31mred"},
		{"text cannot run backwards", "\u202egnp.exe\u2066", "�gnp.exe�"},
		{"bytes that are no text are replaced", "a\xffb", "a�b"},
		{"long text is cut and says so", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrs…"},
		{"a cut counts runes, not bytes", "ääääääääääääääääääää", "ääääääääääääääääääää"},
	}
	for _, test := range tests {
		if got := oneLine(test.in, 20); got != test.want {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
}

func TestColoursLeaveTheTableStraight(t *testing.T) {
	sum := summary{Status: artifacts.LoopComplete}
	for _, s := range artifacts.Severities {
		sum.Confirmed = append(sum.Confirmed, artifacts.BugSummary{BugID: "BUG-1", Severity: s, File: "a.go", Lines: "1", Claim: "it is wrong"})
	}
	print := func(color bool) string {
		var out bytes.Buffer
		p := &program{stdout: &out, color: color}
		if err := p.printSummary(sum, false); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	plain, coloured := print(false), print(true)
	if strings.Contains(plain, "\x1b") {
		t.Errorf("colours where none were asked for: %q", plain)
	}
	if n := strings.Count(coloured, "\x1b[0m"); n != len(artifacts.Severities) {
		t.Errorf("%d words in colour, want one for each severity", n)
	}
	stripped := regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(coloured, "")
	if diff := cmp.Diff(plain, stripped); diff != "" {
		t.Errorf("with colours taken out (-plain +coloured):\n%s", diff)
	}
}

func TestTheShellReadsACommandLineBack(t *testing.T) {
	args := []string{
		"bughunter", "run", "-C", "my folder", "--worker-cmd", `agent {prompt} "a 'b' $HOME" \ | tee; x`,
		"it's", "", "*", "~", "a=b,c", "two\nlines", "naïve", "#no",
	}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+commandLine(args)).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if diff := cmp.Diff(args, got); diff != "" {
		t.Errorf("arguments (-given +read):\n%s", diff)
	}
	if line := commandLine(args[:4]); line != "bughunter run -C 'my folder'" {
		t.Errorf("quotes where none are needed: %s", line)
	}
}

func TestTheHeadlineNeverHidesWhatIsOpen(t *testing.T) {
	high := artifacts.BugSummary{Severity: artifacts.SeverityHigh}
	tests := []struct {
		sum  summary
		want string
	}{
		{summary{Status: artifacts.LoopComplete}, "0 confirmed bugs; 0 for a person to look at, 0 dismissed"},
		{summary{Status: artifacts.LoopComplete, Confirmed: []artifacts.BugSummary{high}}, "1 confirmed bug (1 High); 0 for a person to look at, 0 dismissed"},
		{summary{Status: artifacts.LoopComplete, Manual: 2, Dismissed: 3}, "0 confirmed bugs; 2 for a person to look at, 3 dismissed"},
		{summary{Status: artifacts.LoopComplete, Unjudged: 4}, "0 confirmed bugs; 0 for a person to look at, 0 dismissed, 4 not judged yet"},
		{summary{Status: artifacts.LoopInProgress}, "0 confirmed bugs; 0 for a person to look at, 0 dismissed; INCOMPLETE"},
	}
	for _, test := range tests {
		if got := headline(test.sum); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
