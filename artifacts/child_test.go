package artifacts

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bughunter/schemas"
)

// childEnv makes this test binary do one thing as a process of its own.
const childEnv = "ARTIFACTS_TEST_CHILD"

func TestMain(m *testing.M) {
	task := os.Getenv(childEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	fmt.Println(child(task, os.Args[1]))
	if task == "lock" {
		_, _ = io.Copy(io.Discard, os.Stdin) // holds the lock until it is told to end, or killed
	}
}

// child does a task with a path and says how it went.
func child(task, path string) string {
	var err error
	switch task {
	case "lock":
		_, err = Lock(path)
	case "write":
		err = WriteFile(path, []byte("new"))
	case "read":
		err = NewStore(filepath.Dir(path), schemas.New()).ReadFrom(path, schemas.Findings, new([]Finding))
	}
	if err != nil {
		return err.Error()
	}
	return "done"
}

// command is this test binary as a child, from a folder that other users may
// read.
func command(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(openFolder(t), "child")
	if err := os.WriteFile(binary, readBytes(t, self), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, path)
	cmd.Env = append(os.Environ(), childEnv+"="+task)
	return cmd
}

// openFolder is a temporary folder that other users may enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// holder starts a child that holds the lock of a folder.
func holder(t *testing.T, dir string) (cmd *exec.Cmd, stop io.Closer) {
	t.Helper()
	cmd = command(t, "lock", dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "done\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return cmd, stdin
}

func readBytes(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
