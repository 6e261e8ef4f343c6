package analyzers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"bughunter/artifacts"
)

// crashOn names a package on which the tool ends as a crashed analyzer does.
const crashOn = "ANALYZERS_TEST_CRASH_ON"

// TestMain makes of this test the tool that go vet runs.
func TestMain(m *testing.M) {
	if os.Getenv(ToolEnv) != "" {
		crashIfAsked()
		VetTool()
	}
	os.Exit(m.Run())
}

func crashIfAsked() {
	pkg := os.Getenv(crashOn)
	config := os.Args[len(os.Args)-1]
	if pkg == "" || filepath.Ext(config) != ".cfg" {
		return
	}
	data, err := os.ReadFile(config)
	if err == nil && strings.Contains(string(data), fmt.Sprintf(`"ImportPath": %q`, pkg)) && strings.Contains(string(data), `"VetxOnly": false`) {
		panic("an analyzer crashed")
	}
}

// unpack writes the files of an archive into a folder.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		write(t, dir, f.Name, string(f.Data))
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// realTemp is a temporary folder by its name without symbolic links, as a
// root is.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// loaded is the program of a module that was unpacked from an archive, with
// what the analyzers say about it.
func loaded(t *testing.T, archive string) *program {
	t.Helper()
	dir := realTemp(t)
	unpack(t, archive, dir)
	return examined(t, dir)
}

func examined(t *testing.T, root string) *program {
	t.Helper()
	p, err := load(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.vet(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

// goFiles lists the files of a program, sorted.
func (p *program) goFiles() (files []string) {
	for f := range p.files {
		files = append(files, f)
	}
	slices.Sort(files)
	return files
}

// claimsOf is what the other phases are told of findings, in the order of an
// artifact.
func claimsOf(findings []artifacts.Finding) (claims []artifacts.Claim) {
	slices.SortStableFunc(findings, func(a, b artifacts.Finding) int {
		return cmp.Compare(a.Severity.Rank(), b.Severity.Rank())
	})
	for _, f := range findings {
		claims = append(claims, artifacts.Claim{
			BugID: f.BugID, Severity: f.Severity, Category: f.Category, File: f.File, Lines: f.Lines,
			Claim: f.Claim, Evidence: f.Evidence, RuntimeTrigger: f.RuntimeTrigger, Stride: f.Stride, CWE: f.CWE,
		})
	}
	return claims
}
