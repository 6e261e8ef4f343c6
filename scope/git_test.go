package scope

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cleanGit keeps this machine's own git settings out of a test.
func cleanGit(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

func TestWhatGitIgnoresIsLeftOut(t *testing.T) {
	cleanGit(t)
	root := newRoot(t, map[string]string{
		".gitignore": "build/\n*.log.go\n/only/\nforced/\n", "main.go": code,
		"build/out.go": code, "build/deep/out.go": code, "a.log.go": code,
		"sub/.gitignore": "local.go\n!kept.log.go\n", "sub/local.go": code, "sub/kept.log.go": code, "sub/build/x.go": code, "sub/ok.go": code,
		"only/a.go": code, "sub/only/b.go": code,
		"forced/tracked.go": code, "forced/loose.go": code,
		"odd/sp ace\n\"q\".log.go": code, "odd/ok.go": code,
	})
	gitHere(t, root, "init", "--quiet")
	put(t, root, ".git/info/exclude", "excluded.go\n")
	put(t, root, "excluded.go", code)
	gitHere(t, root, "add", "main.go")
	gitHere(t, root, "add", "--force", "forced/tracked.go")
	gitHere(t, root, "commit", "--quiet", "--message", "begin")
	wantWalk(t, walked(t, root),
		"hunt main.go", "hunt sub/ok.go", "hunt sub/kept.log.go", "hunt sub/only/b.go", "hunt odd/ok.go",
		"hunt forced/tracked.go", // what is tracked is not ignored
		"leave build/: "+GitIgnored, "leave a.log.go: "+GitIgnored, "leave sub/local.go: "+GitIgnored, "leave sub/build/: "+GitIgnored,
		"leave only/: "+GitIgnored, "leave forced/loose.go: "+GitIgnored, "leave excluded.go: "+GitIgnored,
		"leave odd/sp ace\n\"q\".log.go: "+GitIgnored,
		"leave .gitignore: "+NotSource, "leave sub/.gitignore: "+NotSource,
	)
	wantWalk(t, walked(t, root, "build/deep", "sub/build/x.go", "a.log.go"),
		"leave build/: "+GitIgnored, "leave sub/build/: "+GitIgnored, "leave a.log.go: "+GitIgnored)
}

func TestARootInsideABiggerRepositoryKeepsItsRules(t *testing.T) {
	cleanGit(t)
	outer := newRoot(t, map[string]string{
		".gitignore": "*.tmp.go\nbuild/\n", "x.go": code,
		"svc/a.go": code, "svc/b.tmp.go": code, "svc/build/c.go": code, "build/d.go": code,
	})
	gitHere(t, outer, "init", "--quiet")
	wantWalk(t, walked(t, filepath.Join(outer, "svc")),
		"hunt a.go", "leave b.tmp.go: "+GitIgnored, "leave build/: "+GitIgnored)

	// Who names a folder that the repository around it ignores means it.
	wantWalk(t, walked(t, filepath.Join(outer, "build")), "hunt d.go")
}

func TestWithoutGitNothingIsIgnored(t *testing.T) {
	files := map[string]string{".gitignore": "a.go\n", "a.go": code}
	t.Run("no repository", func(t *testing.T) {
		wantWalk(t, walked(t, newRoot(t, files)), "hunt a.go", "leave .gitignore: "+NotSource)
	})
	t.Run("no git", func(t *testing.T) {
		root := newRoot(t, files)
		gitHere(t, root, "init", "--quiet")
		t.Setenv("PATH", t.TempDir())
		wantWalk(t, walked(t, root), "hunt a.go", "leave .gitignore: "+NotSource)
	})
}

// Run from the hook of one repository over another, git is told by the
// environment where to look, and would look in the wrong one.
func TestTheRepositoryAskedIsTheOneOfTheRoot(t *testing.T) {
	cleanGit(t)
	hooked := newRoot(t, map[string]string{".gitignore": "hunted.go\n"})
	gitHere(t, hooked, "init", "--quiet")
	root := newRoot(t, map[string]string{".gitignore": "ignored.go\n", "hunted.go": code, "ignored.go": code})
	gitHere(t, root, "init", "--quiet")
	t.Setenv("GIT_DIR", filepath.Join(hooked, ".git"))
	t.Setenv("GIT_WORK_TREE", hooked)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(hooked, ".git", "index"))
	wantWalk(t, walked(t, root), "hunt hunted.go", "leave ignored.go: "+GitIgnored, "leave .gitignore: "+NotSource)
}

func TestAProgramNamedInAHostileRepositoryIsNotRun(t *testing.T) {
	cleanGit(t)
	root := newRoot(t, map[string]string{"a.go": code, ".gitignore": "b.go\n", "b.go": code})
	gitHere(t, root, "init", "--quiet")
	gitHere(t, root, "add", "a.go")
	proof := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "monitor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: > '"+proof+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	gitHere(t, root, "config", "core.fsmonitor", script)
	wantWalk(t, walked(t, root), "hunt a.go", "leave b.go: "+GitIgnored, "leave .gitignore: "+NotSource)
	if _, err := os.Stat(proof); err == nil {
		t.Error("the program was run")
	}

	// Without this the test would pass with a script that nobody runs.
	gitHere(t, root, strings.Fields("ls-files --others --ignored --exclude-standard --directory")...)
	if _, err := os.Stat(proof); err != nil {
		t.Errorf("plain git does not run the program either: %v", err)
	}
}

func TestARepositoryThatGitRefusesIgnoresNothing(t *testing.T) {
	cleanGit(t)
	root := newRoot(t, map[string]string{"a.go": code, ".gitignore": "a.go\n"})
	gitHere(t, root, "init", "--quiet")
	put(t, root, ".git/config", "[core\n")
	if err := exec.Command("git", "-C", root, "status").Run(); err == nil {
		t.Fatal("git takes a broken configuration")
	}
	wantWalk(t, walked(t, root), "hunt a.go", "leave .gitignore: "+NotSource)
}
