package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"bughunter/workers/analyzers"
)

// The test binary is the program as well: testscript starts it under the name
// bughunter, and the go command starts it as its vet tool.
func TestMain(m *testing.M) {
	if os.Getenv(analyzers.ToolEnv) != "" {
		analyzers.VetTool()
	}
	testscript.Main(m, map[string]func(){"bughunter": main, "fakeworker": fakeWorker})
}

// TestScript runs the scripts in testdata/script. The first word of a script's
// name is its category, mostly the command that it is about.
func TestScript(t *testing.T) {
	ledger, err := filepath.Abs(filepath.Join("..", "..", "testdata", "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LEDGER", ledger)
			return passOn(env, goSettings(t))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"one-json": oneJSON,
			"bytes":    writeBytes,
		},
	})
}

// goSettings asks the go command where its caches are, so that scripts use
// them and compile nothing anew.
func goSettings(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]string
	if err := json.Unmarshal(out, &settings); err != nil {
		t.Fatal(err)
	}
	return settings
}

// passOn gives a script the settings of the go command and the home folder.
// Git gets no settings: those of whoever runs the tests would decide what is
// ignored.
func passOn(env *testscript.Env, settings map[string]string) error {
	for name, value := range settings {
		env.Setenv(name, value)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return nil
}

// exits runs a program and checks its exit code: exits CODE PROGRAM [ARG…].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// oneJSON checks that a file, or stdout, holds one JSON value and nothing else.
func oneJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: one-json FILE")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var value any
	if err := dec.Decode(&value); err != nil {
		ts.Fatalf("%s is not JSON: %v", args[0], err)
	}
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("%s holds more than one JSON value", args[0])
	}
}

// writeBytes writes a file of one byte repeated: bytes FILE COUNT BYTE.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: bytes FILE COUNT BYTE")
	}
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	value, err := strconv.ParseUint(args[2], 0, 8)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte{byte(value)}, count), 0o644))
}
