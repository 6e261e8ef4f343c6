package scope

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newRoot makes a folder with files in it, by their paths. A path that ends in
// a slash is a folder, a content that begins with -> is a link.
func newRoot(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := Root(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		put(t, root, name, content)
	}
	return root
}

func put(t testing.TB, root, name, content string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if target, ok := strings.CutPrefix(content, "->"); ok {
		err = os.Symlink(target, full)
	} else if strings.HasSuffix(name, "/") {
		err = os.MkdirAll(full, 0o755)
	} else {
		err = os.WriteFile(full, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// gitHere runs git with nothing of the user's in it.
func gitHere(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.invalid",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.invalid")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// walked is what Walk found, a line each.
func walked(t testing.TB, root string, paths ...string) []string {
	t.Helper()
	s, err := Walk(root, paths, filepath.Join(root, ".bug-hunter"))
	if err != nil {
		t.Fatal(err)
	}
	return lines(s)
}

func lines(s *Scope) (out []string) {
	for _, f := range s.Files {
		out = append(out, "hunt "+f.Path)
	}
	for _, l := range s.LeftOut {
		out = append(out, fmt.Sprintf("leave %s: %s", l.Path, l.Reason))
	}
	for _, u := range s.Unreadable {
		out = append(out, fmt.Sprintf("fail %s: %v", u.Path, u.Err))
	}
	return out
}

func wantWalk(t testing.TB, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const code = "package p\n\nfunc f() {}\n"
