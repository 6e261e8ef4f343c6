package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bughunter/workers/analyzers"
)

// What the README shows of the hunt in testdata/ledger is what it finds.
func TestTheReadmeShowsWhatIsFound(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	ledger := filepath.Join("..", "..", "testdata", "ledger")
	code, stdout, stderr := invoke("run", "-q", "-C", ledger, "--state-dir", state)
	if code != exitFound {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	report, err := os.ReadFile(filepath.Join(state, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	excerpts := regexp.MustCompile("(?s)````markdown\n(.*?)````").FindAllSubmatch(readme, -1)
	if len(excerpts) != 2 {
		t.Fatalf("the README shows %d pieces of the report, want 2", len(excerpts))
	}
	for _, e := range excerpts {
		if !strings.Contains(string(report), string(e[1])) {
			t.Errorf("this is not in the report:\n%s", e[1])
		}
	}
	var confirmed, dismissed int
	line := regexp.MustCompile(`(?m)^(\d+) confirmed bugs.* (\d+) dismissed`).FindStringSubmatch(stdout)
	if line == nil {
		t.Fatalf("no result in:\n%s", stdout)
	}
	fmt.Sscan(line[1], &confirmed)
	fmt.Sscan(line[2], &dismissed)
	claim := fmt.Sprintf("Of %d\nclaims in that service %d are confirmed and %d dismissed", confirmed+dismissed, confirmed, dismissed)
	if !strings.Contains(string(readme), claim) {
		t.Errorf("the README does not say %q", claim)
	}
}

func TestTheReadmeListsTheRulesOfTheSkeptic(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range analyzers.Exclusions {
		if row := fmt.Sprintf("| %s | %s |", e.ID, e.Title); !strings.Contains(string(readme), row) {
			t.Errorf("the README has no row %q", row)
		}
	}
}
