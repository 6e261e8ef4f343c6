package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

const planted = "print(x[i])  // BUG High: the index is not checked\n"

// On a terminal the severity is in colour, unless somebody asks for none.
func TestColoursOnATerminal(t *testing.T) {
	repo := t.TempDir()
	write(t, filepath.Join(repo, "a.py"), planted)
	const coloured = "\x1b[31mHigh\x1b[0m"
	if out := onTerminal(t, nil, runArgs(repo)...); !strings.Contains(out, coloured) {
		t.Errorf("no colour on a terminal: %q", out)
	}
	if out := onTerminal(t, []string{"NO_COLOR=1"}, runArgs(repo)...); strings.Contains(out, coloured) || !strings.Contains(out, "High") {
		t.Errorf("colour in spite of NO_COLOR: %q", out)
	}
	if out := onTerminal(t, nil, append(runArgs(repo), "--no-color")...); strings.Contains(out, coloured) || !strings.Contains(out, "High") {
		t.Errorf("colour in spite of --no-color: %q", out)
	}
}

// A terminal gets a bar instead of a line for each step, and the bar is gone
// when the result is printed.
func TestProgressOnATerminal(t *testing.T) {
	repo := t.TempDir()
	write(t, filepath.Join(repo, "a.py"), planted)
	write(t, filepath.Join(repo, "b.py"), planted)
	out := onTerminal(t, nil, append(runArgs(repo), "--chunk-size", "1")...)
	if !strings.Contains(out, "(1/2)") {
		t.Errorf("the bar does not count files: %q", out)
	}
	if strings.Contains(out, "chunk-1 hunter: 1 finding") {
		t.Errorf("a line for each step beside the bar: %q", out)
	}
	checkLineBegins(t, out, "\x1b[31mHigh")
	out = onTerminal(t, nil, "run", "-C", repo, "--state-dir", filepath.Join(repo, "failed"), "--max-retries", "0", "--chunk-size", "1",
		"--worker-cmd", "sh -c 'case $1 in *chunk-2*) exit 1; esac; exec fakeworker $1' sh {assignment}")
	checkLineBegins(t, out, "\x1b[31mHigh")
	if out := onTerminal(t, nil, append(runArgs(repo), "-q", "--state-dir", filepath.Join(repo, "quiet"))...); strings.Contains(out, "/2)") || strings.Contains(out, "queue") {
		t.Errorf("progress in spite of -q: %q", out)
	}
}

// checkLineBegins checks that nothing is left on the line where a text begins.
func checkLineBegins(t *testing.T, out, text string) {
	t.Helper()
	before, _, ok := strings.Cut(out, text)
	if line := before[strings.LastIndexAny(before, "\r\n")+1:]; !ok || line != "" {
		t.Errorf("%q begins behind %q: %q", text, line, out)
	}
}

func runArgs(repo string) []string {
	return []string{"run", "-C", repo, "--worker-cmd", "fakeworker {assignment}"}
}

// onTerminal runs the program with a terminal for its output and returns what
// a person would have been shown.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctrl, tty, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer ctrl.Close()
	cmd := exec.Command("bughunter", args...)
	cmd.Env = append(append(os.Environ(), "NO_COLOR=", "TERM=xterm"), env...)
	cmd.Stdout, cmd.Stderr = tty, tty
	err = cmd.Start()
	tty.Close()
	if err != nil {
		t.Fatal(err)
	}
	// When the last process has closed the terminal, reading it fails with EIO.
	shown, err := io.ReadAll(ctrl)
	if err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(shown)
}

// openTerminal opens a pseudo-terminal; see pty(7).
func openTerminal() (ctrl, tty *os.File, err error) {
	ctrl, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	var number, unlock int32
	err = errors.Join(
		ioctl(ctrl, syscall.TIOCGPTN, &number),
		ioctl(ctrl, syscall.TIOCSPTLCK, &unlock),
		ioctl(ctrl, syscall.TIOCSWINSZ, &[4]uint16{25, 80}),
	)
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ctrl.Close())
	}
	return ctrl, tty, nil
}

func ioctl[T any](f *os.File, request uintptr, arg *T) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
		return errno
	}
	return nil
}
