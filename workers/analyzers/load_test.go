package analyzers

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/replies"
	"bughunter/workers"
)

// outcomes tells what becomes of each file of a root: "examined", with the
// lines of findings if there are any, or the reason why it is not.
func outcomes(t *testing.T, root string, files []string) map[string]string {
	t.Helper()
	w := New()
	excluded, err := w.Exclude(context.Background(), root, files)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var queued []string
	for _, f := range files {
		if e, ok := excluded[f]; ok {
			if e.Remedy == "" {
				t.Errorf("%s is left out and nobody is told what to do", f)
			}
			out[f] = "left out: " + e.Reason
			continue
		}
		queued = append(queued, f)
	}
	answer, unexamined, err := w.answer(context.Background(), &artifacts.Assignment{Phase: "hunter", Root: root, Files: queued})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range queued {
		out[f] = "examined"
		if reason, ok := unexamined[f]; ok {
			out[f] = "failed: " + reason
		}
	}
	for _, f := range answer.([]artifacts.Finding) {
		out[f.File] += " " + f.Lines
	}
	return out
}

// sources lists the files below a root as a queue has them.
func sources(t *testing.T, root string, suffixes ...string) (files []string) {
	t.Helper()
	p := &program{root: root}
	for _, suffix := range suffixes {
		matches, err := filepath.Glob(filepath.Join(root, "*"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range matches {
			files = append(files, p.relative(m))
		}
	}
	p.eachGoFile(func(rel string) {
		if !strings.Contains(rel, "/vendor/") && !strings.HasSuffix(rel, "_test.go") {
			files = append(files, rel)
		}
	})
	slices.Sort(files)
	return slices.Compact(files)
}

// TestEveryFileIsExaminedOrSaysWhyNot has one package for each way in which a
// file may not be examined. Were any of them taken for clean, its bug would be
// lost: every package here that could be examined has one.
func TestEveryFileIsExaminedOrSaysWhyNot(t *testing.T) {
	t.Setenv(crashOn, "example.com/outcomes/crashing")
	root := realTemp(t)
	unpack(t, "testdata/outcomes.txtar", root)
	const odd = `odd/it's "odd": 1.go`
	write(t, root, odd, "package odd\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n")
	write(t, root, "crlf/c.go", "package crlf\r\n\r\nimport \"os\"\r\n\r\nfunc F() {\r\n\tos.Rename(\"a\", \"b\")\r\n}\r\n")

	noDownload := " (the hunt downloads nothing: run `go mod tidy` or `go mod download` first)"
	want := map[string]string{
		"good/good.go":            "examined 5",
		"good/good_plan9.go":      "left out: " + notBuilt,
		"good/_hidden.go":         "left out: " + hidden,
		"good/testdata/t.go":      "left out: " + outsideOfBuild,
		"_passed/p.go":            "left out: " + outsideOfBuild,
		"dash-ed/d.go":            "examined 5",
		"empty/e.go":              "examined",
		"clauseless/no_clause.go": "failed: package example.com/outcomes/clauseless does not build: clauseless/no_clause.go:1:1: expected 'package', found 'EOF'",
		"clauseless/whole.go":     "failed: package example.com/outcomes/clauseless does not build: clauseless/no_clause.go:1:1: expected 'package', found 'EOF'",
		"command/main.go":         "examined 5",
		"generic/g.go":            "examined 6",
		"plan9/p_plan9.go":        "left out: " + notBuilt,
		"tagged/t.go":             "left out: " + notBuilt,
		"illtyped/i.go":           `failed: package example.com/outcomes/illtyped does not build: illtyped/i.go:3:23: cannot use "no" (untyped string constant) as int value in return statement`,
		"illtyped/sound.go":       `failed: package example.com/outcomes/illtyped does not build: illtyped/i.go:3:23: cannot use "no" (untyped string constant) as int value in return statement`,
		"importsilltyped/i.go":    `failed: package example.com/outcomes/importsilltyped does not build: something it imports does not: illtyped/i.go:3:23: cannot use "no" (untyped string constant) as int value in return statement`,
		"syntax/s.go":             "failed: package example.com/outcomes/syntax does not build: syntax/s.go:3:9: expected ')', found '{'",
		"testbroken/t.go":         "failed: package example.com/outcomes/testbroken does not build: testbroken/t_test.go:3:17: undefined: undefined",
		"xtestbroken/x.go":        "failed: package example.com/outcomes/xtestbroken_test does not build: xtestbroken/x_test.go:3:17: undefined: undefined",
		"missing/m.go":            "failed: package example.com/outcomes/missing does not build: missing/m.go:3:8: no required module provides package example.org/not/downloaded" + noDownload,
		"twonames/a.go":           "failed: package example.com/outcomes/twonames does not build: twonames/b.go:1:1: package two; expected package one",
		"twonames/b.go":           "failed: package example.com/outcomes/twonames does not build: twonames/b.go:1:1: package two; expected package one",
		"sp ace/s.go":             `failed: the go command makes no package of its folder: malformed import path "example.com/outcomes/sp ace": invalid char ' '`,
		"named_test/n.go":         "examined 5",
		"crashing/c.go":           "failed: the analyzers failed on package example.com/outcomes/crashing: panic: an analyzer crashed",
		"crashing/inner/c.go":     "examined 5",
		"cgo/c.go":                withoutCompiler(t, "examined 11", "left out: "+notBuilt),
		"moved/grammar.go":        "examined 7 12",
		"moved/plain.go":          "examined 5",
		"nested/n.go":             "examined 5",
		"future/f.go":             "failed: its module does not load: go.mod requires go >= 1.99",
		"garbled/g.go":            "failed: its module does not load: errors parsing go.mod:",
		"vendored/v.go":           "examined 11",
		"script.py":               "left out: " + otherLanguage + "Python",
		odd:                       "examined 5",
		"crlf/c.go":               "examined 6",
	}
	got := outcomes(t, root, sources(t, root, ".py"))
	for f, outcome := range got {
		if w := want[f]; strings.HasPrefix(w, "failed: its module") && strings.HasPrefix(outcome, w) {
			got[f] = w // the rest is the installed Go's version
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// withoutCompiler chooses what to expect of cgo by whether it is on.
func withoutCompiler(t *testing.T, with, without string) string {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(out)) == "1" {
		return with
	}
	return without
}

func TestFilesOutsideOfEveryModuleSayWhatToDo(t *testing.T) {
	root := realTemp(t)
	write(t, root, "a.go", "package a\n")
	write(t, root, "below/b.go", "package b\n")
	want := map[string]string{
		"a.go":       "failed: it is in no Go module: run `go mod init` there, or use another worker",
		"below/b.go": "failed: it is in no Go module: run `go mod init` there, or use another worker",
	}
	if diff := cmp.Diff(want, outcomes(t, root, sources(t, root))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestModuleThatTheWorkspaceLeavesOutSaysSo(t *testing.T) {
	root := realTemp(t)
	write(t, root, "go.work", "go 1.26\n\nuse ./in\n")
	for _, dir := range []string{"in", "out"} {
		write(t, root, dir+"/go.mod", "module example.com/"+dir+"\n\ngo 1.26\n")
		write(t, root, dir+"/f.go", "package f\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n")
	}
	want := map[string]string{
		"in/f.go":  "examined 5",
		"out/f.go": "failed: its module does not load: pattern ./...: directory prefix . does not contain modules listed in go.work or their selected dependencies",
	}
	if diff := cmp.Diff(want, outcomes(t, root, sources(t, root))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestFolderOfAModuleCanBeTheRoot(t *testing.T) {
	module := realTemp(t)
	write(t, module, "go.mod", "module example.com/m\n\ngo 1.26\n")
	write(t, module, "internal/low/l.go", "package low\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n")
	write(t, module, "internal/low/l_test.go", "package low_test\n\nimport \"example.com/m/internal/low\"\n\nvar _ = low.F\n")
	write(t, module, "user.go", "package m\n\nimport \"example.com/m/internal/low\"\n\nfunc F() { low.F() }\n")
	p := examined(t, filepath.Join(module, "internal"))
	got := rulings(p, &artifacts.Assignment{Files: []string{"low/l.go"}})
	// What uses the package is not below the root, so that it is for tests
	// only, which is all that can be seen, must not be said.
	if diff := cmp.Diff([]string{"low/l.go:5 confirmed"}, got); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
}

func TestModuleModeOfTheUserMustNotChangeGoMod(t *testing.T) {
	for given, want := range map[string]string{
		"":                          "GOFLAGS=",
		"-mod=mod":                  "GOFLAGS=",
		"-tags=a -mod=mod -race":    "GOFLAGS=-tags=a -race",
		"-mod=vendor":               "GOFLAGS=-mod=vendor",
		"-buildvcs=false -mod=mod ": "GOFLAGS=-buildvcs=false",
	} {
		t.Setenv("GOFLAGS", given)
		env := goEnv()
		if got := env[len(env)-1]; got != want {
			t.Errorf("with GOFLAGS=%q the go command gets %q, want %q", given, got, want)
		}
		if !slices.Contains(env, "GOPROXY=off") || !slices.Contains(env, "GOTOOLCHAIN=local") {
			t.Errorf("with GOFLAGS=%q the go command may go to the network", given)
		}
	}
}

func TestWithoutTheGoCommandTheWorkerFailsForGood(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	job := workers.Job{Assignment: &artifacts.Assignment{Phase: "hunter", Root: realTemp(t), Files: []string{"a.go"}}}
	_, err := New().Work(context.Background(), job)
	failure, ok := err.(*replies.Failure)
	if !ok || failure.Kind != replies.WorkerFailed || !failure.Permanent {
		t.Fatalf("Work = %v, want a permanent failure of the worker", err)
	}
	if want := "the built-in analyzers need the go command, which is not on the PATH"; !strings.Contains(failure.Message, want) {
		t.Errorf("message %q does not say %q", failure.Message, want)
	}
}

func TestStoppedWorkIsNeitherAnAnswerNorAFailure(t *testing.T) {
	root := realTemp(t)
	write(t, root, "go.mod", "module example.com/m\n\ngo 1.26\n")
	write(t, root, "m.go", "package m\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := New()
	job := workers.Job{Assignment: &artifacts.Assignment{Phase: "hunter", Root: root, Files: []string{"m.go"}}}
	if _, err := w.Work(ctx, job); err != context.Canceled {
		t.Errorf("stopped: %v, want context.Canceled", err)
	}
	if _, err := w.Work(context.Background(), job); err != nil {
		t.Errorf("the same worker afterwards: %v", err)
	}
}
