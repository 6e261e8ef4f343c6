package analyzers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/phases"
	"bughunter/schemas"
	"bughunter/scope"
	"bughunter/workers"
	"bughunter/workers/analyzers"
)

// judged takes Go files of a root through recon, hunter, skeptic and referee, as
// the pipeline does: what the analyzers answer has to satisfy the schemas and
// the repository, or the test ends here.
func judged(t *testing.T, root string, files []string) (*phases.Runner, *phases.Case) {
	t.Helper()
	r, c := pipeline(t, root, files)
	for _, p := range []*phases.Phase{phases.Recon, phases.Hunter, phases.Skeptic, phases.Referee} {
		run(t, r, p, c)
	}
	return r, c
}

func pipeline(t *testing.T, root string, files []string) (*phases.Runner, *phases.Case) {
	t.Helper()
	root, err := scope.Root(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	journal, err := artifacts.OpenJournal(filepath.Join(dir, "run.log"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := journal.Close(); err != nil {
			t.Error(err)
		}
	})
	set := schemas.New()
	r := &phases.Runner{
		Schemas: set, Journal: journal, State: artifacts.NewStore(dir, set), Timeout: 5 * time.Minute,
		Workers: map[string]workers.Worker{},
	}
	w := analyzers.New()
	for _, p := range phases.All {
		r.Workers[p.Name] = w
	}
	return r, &phases.Case{Chunk: "chunk-1", Tree: phases.NewTree(root), Files: files}
}

func run(t *testing.T, r *phases.Runner, p *phases.Phase, c *phases.Case) {
	t.Helper()
	if err := r.Run(context.Background(), p, c, r.State.Path(p.Artifact)); err != nil {
		var failed *phases.PhaseError
		if errors.As(err, &failed) {
			t.Fatalf("%v\n%s", err, strings.Join(failed.Failure.Problems, "\n"))
		}
		t.Fatal(err)
	}
}

// goFiles lists the Go files below a root, those for tests among them.
func goFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".go" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// planted is an entry of the key to the small service in testdata.
type planted struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Kind       string   `json:"kind"` // bug, decoy, or unfound: a bug that no analyzer sees
	What       string   `json:"what"`
	CaughtBy   []string `json:"caughtBy"`
	ExcludedBy string   `json:"excludedBy"`
	By         string   `json:"by"` // the rule that dismisses a decoy, or "not raised"
}

var rule = regexp.MustCompile(`^Rule (E\d+) `)

// TestTheLedgersKeyFits hunts in the service with planted bugs and decoys and
// holds every entry of its key against what came out, and what came out
// against the key.
func TestTheLedgersKeyFits(t *testing.T) {
	const root = "../../testdata/ledger"
	data, err := os.ReadFile(root + ".planted.json")
	if err != nil {
		t.Fatal(err)
	}
	var key []planted
	if err := json.Unmarshal(data, &key); err != nil {
		t.Fatal(err)
	}
	_, c := judged(t, root, goFiles(t, root))

	type entry struct{ place, outcome string }
	var want, got []entry
	for _, k := range key {
		place := fmt.Sprintf("%s:%d", k.File, k.Line)
		switch {
		case k.Kind == "bug":
			want = append(want, entry{place, "confirmed by " + strings.Join(k.CaughtBy, ", ")})
		case k.Kind == "decoy" && k.By != "not raised":
			for _, check := range k.CaughtBy { // each is a finding of its own
				want = append(want, entry{place, "dismissed by " + k.By + ", raised by " + check})
			}
		case len(k.CaughtBy) > 0:
			t.Errorf("%s: the key says that nothing is raised there, and by which check", place)
		}
	}
	for i, f := range c.Findings {
		place := fmt.Sprintf("%s:%d", f.File, artifacts.FirstLine(f.Lines))
		_, checks, _ := strings.Cut(strings.TrimSuffix(f.Claim, "."), " Reported by ")
		switch ruling, why := artifacts.Decide(&c.Challenges[i], &c.Verdicts[i], artifacts.Grounded); ruling {
		case artifacts.Confirmed:
			got = append(got, entry{place, "confirmed by " + checks})
		case artifacts.Dismissed:
			by := rule.FindStringSubmatch(c.Challenges[i].AnalysisSummary)[1]
			got = append(got, entry{place, "dismissed by " + by + ", raised by " + checks})
		default:
			t.Errorf("%s is neither confirmed nor dismissed: %s", place, why)
		}
	}
	order := func(a, b entry) int { return strings.Compare(a.place+a.outcome, b.place+b.outcome) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("findings (-key +found):\n%s", diff)
	}
}

// tick stands for a backquote where a raw string cannot hold one.
const tick = "`"

// torture are sources in which evidence is hard to quote.
var torture = map[string]string{
	"go.mod":     "module example.com/torture\n\ngo 1.26\n",
	"crlf/c.go":  "package crlf\r\n\r\nimport \"os\"\r\n\r\n// F moves.\r\nfunc F() {\r\n\tos.Rename(\"a\", \"b\")\r\n}\r\n",
	"bom/b.go":   "\ufeffpackage bom; import \"os\"; func F() { os.Rename(\"a\", \"b\") }\n",
	"bare/b.go":  "package bare; import \"os\"; func F() { os.Rename(\"a\", \"b\") }",
	"long/l.go":  "package long\n\nimport \"os\"\n\nvar data = \"" + strings.Repeat("ä", 30_000) + "\"\nvar err1, err2 = os.Rename, 0\n\nfunc F() { os.Rename(\"a\", \"" + strings.Repeat("ö ", 30_000) + "\") }\n",
	"fence/f.go": "package fence\n\nimport \"os\"\n\n/*\n```\n$ mv a b\n```\n*/ func F() {\n\tos.Rename(\n\t\t\"a\", `\n~~~\nb\n~~~\n`)\n}\n",
	"dots/d.go":  "package dots\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc F(args ...any) {\n\t// ...\n\t/* … */\n\tfmt.Println(args...)\n\tos.Rename(\"...\", \"…\")\n}\n",
	"place/p.go": "package place\n\nimport \"os\"\n\nfunc F(a []int, n int) {\n\t_ = a[n:10 ]\n\n\n\tos.Rename(\"a:1:2\", \"b\")\n}\n",
	"same/s.go":  "package same\n\nimport \"os\"\n\nfunc F() {\n\tos.Rename(\"a\", \"b\")\n\tos.Rename(\"a\", \"b\")\n\tos.Rename(\"a\", \"b\")\n}\n",
	"wide/w.go":  "package wide\n\nimport \"os\"\n\nfunc F() {\n\tos.Rename(\n" + strings.Repeat("\n\t\t// nothing\n", 40) + "\t\t\"a\",\n\t\t\"b\",\n\t)\n}\n",
	"end/e.go":   "package end\n\nimport (\n\t\"bufio\"\n\t\"os\"\n)\n\nfunc F(f *os.File) {\n\ts := bufio.NewScanner(f)\n\tfor s.Scan() {\n\t}\n}\n",
	"regexp/r.go": "package regexp\n\nimport \"regexp\"\n\nvar R = regexp.MustCompile(\"[\\x00\\n\\u202e" + tick + "<b>" +
		strings.Repeat("x", 30_000) + "\")\n",
	"moved/m.go":        "package moved\n\nimport \"os\"\n\n//line other.go:1000\nfunc F() {\n\tos.Rename(\"a\", \"b\")\n}\n",
	"o'dd n\"ame/x.md":  "",
	"names/it's 1:2.go": "package names\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n",
	"tests/t.go":        "package tests\n",
	"tests/t_test.go":   "package tests\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) { os.Rename(\"a\", \"b\") }\n",
	"many/m.go": "package many\n\nimport (\n\t\"encoding/json\"\n\t\"math/rand\"\n\t\"os\"\n)\n\nfunc F(data []byte, v struct{}) {\n" +
		"\tjson.Unmarshal(data, v); os.Rename(\"a\", \"b\"); os.WriteFile(\"b\", data, os.FileMode(rand.Int()))\n}\n",
}

// TestEvidenceStandsInTheFileWhateverTheFileIs runs the checks of the pipeline
// on everything that is found in sources that are hard to quote.
func TestEvidenceStandsInTheFileWhateverTheFileIs(t *testing.T) {
	root := t.TempDir()
	writeFiles(t, root, torture)
	r, c := judged(t, root, goFiles(t, root))
	found := map[string]int{}
	for _, f := range c.Findings {
		found[filepath.Base(filepath.Dir(f.File))]++
	}
	want := map[string]int{
		"crlf": 1, "bom": 1, "bare": 1, "long": 1, "fence": 1, "dots": 1, "place": 1, "same": 3, "wide": 1, "end": 1,
		"regexp": 1, "moved": 1, "names": 1, "tests": 1, "many": 4,
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings by folder (-want +got):\n%s", diff)
	}
	log, err := os.ReadFile(filepath.Join(r.State.Dir(), "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), "corrected to") {
		t.Errorf("lines had to be corrected to where the evidence stands:\n%s", log)
	}
}

// TestBugsOfOneCheckOnOneLineAreOneFindingThatNamesAll and none of another
// check is lost in it.
func TestBugsOfOneCheckOnOneLineAreOneFindingThatNamesAll(t *testing.T) {
	root := t.TempDir()
	writeFiles(t, root, map[string]string{"go.mod": torture["go.mod"], "m.go": torture["many/m.go"]})
	_, c := judged(t, root, []string{"m.go"})
	var claims []string
	for _, f := range c.Findings {
		claims = append(claims, f.Claim)
	}
	slices.Sort(claims)
	want := []string{
		"A number comes from a generator that can be predicted. Reported by G404.",
		"A number is converted without a check that it fits, int -> uint32. Reported by G115.",
		"The error of json.Unmarshal is ignored: it alone tells whether the value was decoded. " +
			"The error of os.Rename is ignored: it alone tells whether the file was replaced. " +
			"The error of os.WriteFile is ignored: it alone tells whether the file was written. Reported by losterror.",
		"json.Unmarshal expects to unmarshal into a pointer, but the provided value is not a pointer. Reported by SA1014, unmarshal.",
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// TestProposedPatchesApply lets the fixer of the pipeline try every patch on
// the file it is for.
func TestProposedPatchesApply(t *testing.T) {
	const code = "package p\n\nimport \"time\"\n\nfunc F(t time.Time) string { return t.Format(\"2006-02-01\") }\n"
	root := t.TempDir()
	writeFiles(t, root, map[string]string{
		"go.mod":            "module example.com/fixes\n\ngo 1.26\n",
		"lf/p.go":           code,
		"crlf/p.go":         strings.ReplaceAll(code, "\n", "\r\n"),
		"unended/p.go":      strings.TrimSuffix(code, "\n"),
		"named/it's 1 b.go": code,
		"twice/p.go":        code + strings.ReplaceAll(code, "package p\n\nimport \"time\"\n\nfunc F", "\nfunc G"),
		"nothing/p.go":      "package p\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n",
	})
	r, c := judged(t, root, goFiles(t, root))
	_, c.Plan = phases.PlanFixes(c.Findings, c.Challenges, c.Verdicts, 0)
	run(t, r, phases.Fixer, c)
	if diff := cmp.Diff(map[string]int{artifacts.FixProposed: 6, artifacts.FixSkipped: 1}, c.FixReport.Totals); diff != "" {
		t.Errorf("fixes by status (-want +got):\n%s", diff)
	}
	for _, f := range c.FixReport.Fixes {
		if f.Status == artifacts.FixProposed && !strings.Contains(f.Patch, "+") {
			t.Errorf("the patch for %v adds nothing:\n%s", f.Files, f.Patch)
		}
	}
}

func writeFiles(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWorkersOfSeveralChunksShareOneLoad lets several goroutines ask one worker
// at once, as chunks do that are hunted side by side.
func TestWorkersOfSeveralChunksShareOneLoad(t *testing.T) {
	root, err := scope.Root(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module example.com/chunks\n\ngo 1.26\n"}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name+"/f.go"] = "package f\n\nimport \"os\"\n\nfunc F() { os.Rename(\"a\", \"b\") }\n"
	}
	writeFiles(t, root, files)
	w := analyzers.New()
	var group sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			result, err := w.Work(context.Background(), workers.Job{Assignment: &artifacts.Assignment{
				Phase: "hunter", Root: root, Files: []string{name + "/f.go"},
			}})
			var found []artifacts.Finding
			if err == nil {
				err = json.Unmarshal(result.Reply.Native, &found)
			}
			if err != nil || len(found) != 1 || found[0].File != name+"/f.go" || len(result.Unexamined) > 0 {
				t.Errorf("chunk %s: %d findings, unexamined %v, error %v", name, len(found), result.Unexamined, err)
			}
		})
	}
	group.Wait()
}

func TestReconReadsRiskTechnologyAndBoundaries(t *testing.T) {
	r, c := pipeline(t, "../../testdata/ledger", []string{
		"internal/api/transfers.go", "internal/auth/session.go", "internal/money/money.go", "internal/store/status_gen.go",
		"internal/report/summary.go", "cmd/ledgerd/config.go",
	})
	run(t, r, phases.Recon, c)
	tiers := map[string]string{}
	for _, tier := range c.Recon.Files.All() {
		for _, f := range tier.Files {
			if f.Reason == "" {
				t.Errorf("%s is in tier %s without a reason", f.Path, tier.Name)
			}
			tiers[f.Path] = tier.Name
		}
	}
	wantTiers := map[string]string{
		"internal/api/transfers.go": "critical", "internal/auth/session.go": "critical", "internal/money/money.go": "medium",
		"internal/store/status_gen.go": "medium", "internal/report/summary.go": "low", "cmd/ledgerd/config.go": "medium",
	}
	if diff := cmp.Diff(wantTiers, tiers); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	wantStack := []artifacts.Technology{{Name: "Go", Source: "go.mod"}, {Name: "Go language", Version: "1.26", Source: "go.mod"}}
	if diff := cmp.Diff(wantStack, c.Recon.TechStack); diff != "" {
		t.Errorf("technologies (-want +got):\n%s", diff)
	}
	boundaries := map[string][]string{}
	for _, b := range c.Recon.TrustBoundaries {
		boundaries[b.Name] = b.Files
	}
	wantBoundaries := map[string][]string{
		"HTTP requests":             {"internal/api/transfers.go", "internal/auth/session.go"},
		"Environment and arguments": {"cmd/ledgerd/config.go"},
		"Files":                     {"cmd/ledgerd/config.go"},
	}
	if diff := cmp.Diff(wantBoundaries, boundaries); diff != "" {
		t.Errorf("boundaries (-want +got):\n%s", diff)
	}
}
