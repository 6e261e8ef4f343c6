//go:build unix

package scope

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// childEnv makes this test binary walk its argument and print what it found.
const childEnv = "SCOPE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := Walk(os.Args[1], os.Args[2:], "")
	if err != nil {
		fmt.Print("error: ", err)
		return
	}
	fmt.Print(strings.Join(lines(s), "\n"))
}

// walkedByNobody is what a user finds for whom permissions count, which they do
// not for root.
func walkedByNobody(t *testing.T, root string, paths ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "child")
	if err := os.WriteFile(binary, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append([]string{root}, paths...)...)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(string(out), "\n")
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(name, info.Mode()) }) // so that it can be removed
}

func TestWhatCannotBeReadFailsAndIsNotLeftOut(t *testing.T) {
	root := newRoot(t, map[string]string{
		"good.go": code, "closed.go": code, "locked/in.go": code, "listed/in.go": code,
		"closed.md": "x", "locked.vendor/x.go": code,
	})
	chmod(t, filepath.Dir(root), 0o755)
	chmod(t, filepath.Join(root, "closed.go"), 0)
	chmod(t, filepath.Join(root, "closed.md"), 0)
	chmod(t, filepath.Join(root, "locked"), 0)
	chmod(t, filepath.Join(root, "listed"), 0o444) // its names can be read, its files cannot
	denied := func(call, name string) string {
		return "fail " + name + ": " + call + " " + filepath.Join(root, name) + ": permission denied"
	}
	wantWalk(t, walkedByNobody(t, root),
		"hunt good.go", "hunt locked.vendor/x.go", "leave closed.md: "+NotSource,
		denied("open", "closed.go"), denied("open", "locked"), denied("open", "listed/in.go"))

	for _, p := range []string{"locked/in.go", "listed/in.go"} {
		got := walkedByNobody(t, root, p)
		if len(got) != 1 || !strings.Contains(got[0], "permission denied") || !strings.Contains(got[0], p) {
			t.Errorf("asked for %s: %q", p, got)
		}
	}
}

func TestPipesAndSocketsAreLeftOutUnread(t *testing.T) {
	root := newRoot(t, map[string]string{"a.go": code})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantWalk(t, walked(t, root), "hunt a.go", "leave pipe.go: "+Irregular)
}
