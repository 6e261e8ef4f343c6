//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that owns nothing.
const nobody = 65534

// What may not be read is failed, and never clean. Root may read everything,
// so the program runs as somebody else then.
func TestAFolderWithoutPermissionLeavesTheRunIncomplete(t *testing.T) {
	dir := worldReadable(t)
	for _, name := range []string{"bughunter", "fakeworker"} {
		install(t, filepath.Join(dir, "bin", name))
	}
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, "a.py"), "print(1)\n")
	write(t, filepath.Join(repo, "secret", "b.py"), "print(2)\n")
	write(t, filepath.Join(repo, "locked.py"), "print(3)\n")
	give(t, repo, "secret", "locked.py")

	code, stdout, stderr := runAs(t, dir, "run", "-C", repo, "--worker-cmd", "fakeworker {assignment}")
	if code != exitIncomplete {
		t.Errorf("exit %d, want %d", code, exitIncomplete)
	}
	for _, want := range []string{"1 of 3 files done, 2 failed", "failed: secret: ", "failed: locked.py: ", "permission denied"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("stdout lacks %q", want)
		}
	}
	code, _, phaseErr := runAs(t, dir, "phase", "recon", "-C", repo, "--worker-cmd", "fakeworker {assignment}")
	if code != exitUsage || !strings.Contains(phaseErr, "locked.py cannot be read") {
		t.Errorf("phase recon: exit %d: %s", code, phaseErr)
	}
	if t.Failed() {
		t.Logf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
	}
}

func TestAStateFolderThatCannotBeMadeIsAnErrorOfConfiguration(t *testing.T) {
	dir := worldReadable(t)
	install(t, filepath.Join(dir, "bin", "bughunter"))
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, "a.py"), "print(1)\n")
	give(t, repo)
	if err := os.Chmod(repo, 0o555); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runAs(t, dir, "run", "-C", repo, "--worker-cmd", "true {assignment}")
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, ".bug-hunter") || !strings.Contains(stderr, "permission denied") {
		t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", code, exitUsage, stdout, stderr)
	}
}

// worldReadable is a folder for the test that any user may enter.
func worldReadable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bughunter-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// install puts this test binary under another name, by which it knows what to be.
func install(t *testing.T, path string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	write(t, path, "")
	dst, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Chmod(0o755), dst.Close()); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// give hands a tree to nobody, and takes all permissions from some of it.
func give(t *testing.T, root string, locked ...string) {
	t.Helper()
	if os.Geteuid() == 0 {
		err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, nobody, nobody))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range locked {
		path := filepath.Join(root, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
}

// runAs runs the installed program, as nobody if the tests run as root.
func runAs(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	cmd := exec.Command(filepath.Join(bin, "bughunter"), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + dir}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
