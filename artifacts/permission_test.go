//go:build unix

package artifacts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody lets a command run as a user for whom permissions count, which they
// do not for root.
func asNobody(cmd *exec.Cmd) *exec.Cmd {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return cmd
}

func TestAWriteIntoAReadOnlyFolderSaysWhereAndLeavesTheOldFile(t *testing.T) {
	dir := openFolder(t)
	path := filepath.Join(dir, "findings.json")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	said, err := asNobody(command(t, "write", path)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(said), "writing "+path) || !strings.Contains(string(said), "permission denied") {
		t.Errorf("the error is %q", said)
	}
	if got := readBytes(t, path); string(got) != "old" {
		t.Errorf("the file holds %q", got)
	}
	wantOnly(t, dir, "findings.json")
}

func TestAFolderThatCannotBeMadeIsNamed(t *testing.T) {
	dir := openFolder(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "chunks", "chunk-1", "findings.json")
	said, err := asNobody(command(t, "write", path)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(said), "writing "+path) || !strings.Contains(string(said), "permission denied") {
		t.Errorf("the error is %q", said)
	}
}

func TestAFileThatMayNotBeReadIsAnErrorWithARemedy(t *testing.T) {
	path := filepath.Join(openFolder(t), "findings.json")
	if err := WriteFile(path, []byte("[]")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	said, err := asNobody(command(t, "read", path)).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := path + ": it cannot be read: permission denied; put a file there that you may read, or take away what is there and run again\n"
	if string(said) != want {
		t.Errorf("the error is %q, want %q", said, want)
	}
}

func TestOtherUsersMayReadWhatIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.md")
	if err := WriteFile(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o644 {
		t.Errorf("mode %v", info.Mode())
	}
}

// A hostile repository may bring its own state folder.
func TestLinksInTheStateFolderAreNotWrittenThrough(t *testing.T) {
	for _, target := range []string{"there is such a file", "there is none"} {
		t.Run(target, func(t *testing.T) {
			victim := filepath.Join(t.TempDir(), "victim")
			if target == "there is such a file" {
				if err := os.WriteFile(victim, []byte("precious\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			dir := t.TempDir()
			for _, name := range []string{"lock", "run.log", "findings.json"} {
				if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			wantLinkRefused(t, dir)
			if err := WriteFile(filepath.Join(dir, "findings.json"), []byte("[]\n")); err != nil {
				t.Error(err)
			}
			if info, err := os.Lstat(filepath.Join(dir, "findings.json")); err != nil || !info.Mode().IsRegular() {
				t.Errorf("findings.json is still a link: %v, %v", info, err)
			}
			if data, err := os.ReadFile(victim); (err == nil) != (string(data) == "precious\n") {
				t.Errorf("what the links point to is now %q", data)
			}
		})
	}
}

func wantLinkRefused(t *testing.T, dir string) {
	t.Helper()
	if release, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "lock is not a regular file; remove it") {
		t.Errorf("the lock: %v", err)
		if err == nil {
			_ = release()
		}
	}
	if _, err := OpenJournal(filepath.Join(dir, "run.log"), nil); err == nil || !strings.Contains(err.Error(), "run.log is not a regular file; remove it") {
		t.Errorf("the journal: %v", err)
	}
}
