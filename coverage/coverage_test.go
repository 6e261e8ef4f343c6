package coverage

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bughunter/artifacts"
	"bughunter/schemas"
	"bughunter/scope"
)

// validator is shared, since compiling the schemas takes longer than most tests.
var validator = schemas.New()

func newStore(t testing.TB) *artifacts.Store {
	return artifacts.NewStore(filepath.Join(t.TempDir(), artifacts.StateDir), validator)
}

func load(t testing.TB, store *artifacts.Store) *State {
	t.Helper()
	s, err := Load(store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hashOf is the hash of a file in one of its versions.
func hashOf(path string, version int) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", path, version)))
}

// found is a scope of files in their first version. "path@2" is the second,
// and "path!" one that cannot be read.
func found(files ...string) *scope.Scope {
	s := &scope.Scope{}
	for _, f := range files {
		name, isBad := strings.CutSuffix(f, "!")
		name, version, changed := strings.Cut(name, "@")
		n := 1
		if changed {
			n = int(version[0] - '0')
		}
		if isBad {
			s.Unreadable = append(s.Unreadable, scope.Unreadable{Path: name, Err: errors.New("permission denied")})
		} else {
			s.Files = append(s.Files, scope.File{Path: name, Language: "Go", Hash: hashOf(name, n)})
		}
	}
	return s
}

func nothingElse(string, string) bool { return false }

// queued is a state over files, each named as for found, in chunks of a size.
func queued(t testing.TB, store *artifacts.Store, size int, files ...string) *State {
	t.Helper()
	s := load(t, store)
	s.Sync(found(files...), nothingElse)
	s.Plan(files, size)
	return s
}

// writeArtifacts leaves what a chunk's phases leave.
func writeArtifacts(t testing.TB, store *artifacts.Store) {
	t.Helper()
	must(t, store.Write(schemas.Findings, []artifacts.Finding{}))
	must(t, store.Write(schemas.Skeptic, []artifacts.Challenge{}))
	must(t, store.Write(schemas.Referee, []artifacts.Verdict{}))
}

func complete(t testing.TB, s *State, c Chunk, failed map[string]string) {
	t.Helper()
	s.Begin(c)
	writeArtifacts(t, s.Chunk(c.ID))
	must(t, s.Finish(c, failed))
}

// shown is a line for each file: path, status, chunk, attempts, last error.
func shown(s *State) (out []string) {
	for _, f := range s.Coverage().Files {
		line := fmt.Sprintf("%s %s %s %d", f.Path, f.Status, orDash(f.Chunk), f.Attempts)
		if f.LastError != "" {
			line += " " + f.LastError
		}
		out = append(out, line)
	}
	return out
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func wantFiles(t testing.TB, s *State, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, shown(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func wantChunks(t testing.TB, got []Chunk, want ...Chunk) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAStateThatIsNotThereBeginsEmptyAndCanBeSaved(t *testing.T) {
	store := newStore(t)
	s := load(t, store)
	want := &artifacts.Coverage{
		SchemaVersion: 1, Files: []artifacts.FileEntry{}, Bugs: []artifacts.BugSummary{}, Fixes: []artifacts.FixEntry{},
		Status: artifacts.LoopInProgress,
	}
	if diff := cmp.Diff(want, s.Coverage(), cmpopts.IgnoreFields(artifacts.Coverage{}, "Status")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(store.Dir()); err == nil {
		t.Error("loading made the state folder")
	}
	must(t, s.Save())
	if diff := cmp.Diff(s.Coverage(), load(t, store).Coverage()); diff != "" {
		t.Error(diff)
	}
}

func TestAStateThatCannotBeUsedIsAnErrorAndStays(t *testing.T) {
	for name, text := range map[string]string{"torn": `{"schemaVersion":1,`, "empty": "", "newer": `{"schemaVersion":9}`, "NUL": "\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			must(t, artifacts.WriteFile(store.Path(schemas.Coverage), []byte(text)))
			_, err := Load(store)
			var unusable *artifacts.FileError
			if !errors.As(err, &unusable) || !strings.Contains(err.Error(), store.Path(schemas.Coverage)) {
				t.Errorf("the error is %v", err)
			}
			if got, err := os.ReadFile(store.Path(schemas.Coverage)); err != nil || string(got) != text {
				t.Errorf("the file is now %q, %v", got, err)
			}
		})
	}
}

func TestAReceiptThatCannotBeUsedIsAnErrorThatNamesIt(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go")
	must(t, s.Save())
	receipt := s.Chunk("chunk-1").Path(schemas.Coverage)
	must(t, artifacts.WriteFile(receipt, []byte("{")))
	if _, err := Load(store); err == nil || !strings.Contains(err.Error(), receipt) {
		t.Errorf("the error is %v", err)
	}
}

func TestAFileFoundInProgressIsQueuedAgain(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 2, "a.go", "b.go")
	s.Begin(s.Open()[0])
	wantFiles(t, s, "a.go in_progress chunk-1 1", "b.go in_progress chunk-1 1")
	must(t, s.Save())
	wantFiles(t, load(t, store), "a.go pending chunk-1 1", "b.go pending chunk-1 1")
}

func TestAChunkFinishedAfterTheLastSaveIsTakenFromItsReceipt(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 2, "a.go", "b.go", "c.go")
	must(t, s.Save())
	complete(t, s, s.Open()[0], map[string]string{"b.go": "it does not parse"})
	wantFiles(t, load(t, store), "a.go done chunk-1 1", "b.go failed chunk-1 1 it does not parse", "c.go pending chunk-2 0")
}

func TestAReceiptCountsOnlyForWhatItIsAbout(t *testing.T) {
	for name, change := range map[string]func(f *artifacts.FileEntry){
		"another content":         func(f *artifacts.FileEntry) { f.Hash = hashOf("a.go", 2) },
		"another chunk":           func(f *artifacts.FileEntry) { f.Chunk = "chunk-2" },
		"attempted again since":   func(f *artifacts.FileEntry) { f.Attempts = 2 },
		"a content not known yet": func(f *artifacts.FileEntry) { f.Hash = "" },
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			s := queued(t, store, 2, "a.go", "b.go")
			complete(t, s, s.Open()[0], nil)
			for i := range s.cov.Files {
				s.cov.Files[i].Status, s.cov.Files[i].Attempts = artifacts.Pending, 0
			}
			change(&s.cov.Files[0])
			must(t, s.Save())
			files := load(t, store).Coverage().Files
			if files[0].Status != artifacts.Pending || files[1].Status != artifacts.Done {
				t.Errorf("the file is %s, the other one %s", files[0].Status, files[1].Status)
			}
		})
	}
	t.Run("a file that left the queue", func(t *testing.T) {
		store := newStore(t)
		s := queued(t, store, 2, "a.go", "b.go")
		complete(t, s, s.Open()[0], nil)
		s.cov.Files = s.cov.Files[1:]
		s.cov.Files[0].Status, s.cov.Files[0].Attempts = artifacts.Pending, 0
		must(t, s.Save())
		wantFiles(t, load(t, store), "b.go done chunk-1 1")
	})
}

// A receipt with a failure must not bring back an older one.
func TestALaterFailureIsNotReplacedByAnOlderReceipt(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go")
	complete(t, s, s.Open()[0], map[string]string{"a.go": "first"})
	s.Begin(s.Open()[0])
	s.Fail(s.Open()[0], errors.New("second"))
	must(t, s.Save())
	wantFiles(t, load(t, store), "a.go failed chunk-1 2 second")
}

func TestDoneFilesWhoseArtifactsAreGoneAreQueuedAgain(t *testing.T) {
	for _, lost := range []string{schemas.Findings, schemas.Skeptic, schemas.Referee, "all"} {
		t.Run(lost, func(t *testing.T) {
			store := newStore(t)
			s := queued(t, store, 2, "a.go", "b.go", "c.go", "d.go")
			complete(t, s, s.Open()[0], map[string]string{"b.go": "it does not parse"})
			complete(t, s, s.Open()[1], nil)
			s.Plan([]string{"b.go"}, 2)
			complete(t, s, s.Open()[0], nil)
			must(t, s.Save())
			if s.Coverage().Status != artifacts.LoopComplete {
				t.Fatal("the loop is not complete")
			}

			if lost == "all" {
				must(t, os.RemoveAll(s.Chunk("chunk-1").Dir()))
			} else {
				must(t, s.Chunk("chunk-1").Remove(lost))
			}
			s = load(t, store)
			wantFiles(t, s, "a.go pending - 1", "b.go done chunk-3 2", "c.go done chunk-2 1", "d.go done chunk-2 1")
			if s.Coverage().Status != artifacts.LoopInProgress {
				t.Error("the loop says that it is complete")
			}

			s.Plan([]string{"a.go"}, 2)
			wantChunks(t, s.Open(), Chunk{"chunk-4", []string{"a.go"}})
			complete(t, s, s.Open()[0], nil)
			must(t, s.Save())
			if got := load(t, store); got.Coverage().Status != artifacts.LoopComplete {
				t.Errorf("it is not complete: %q", shown(got))
			}
		})
	}
}

// A receipt is written last, so one without its artifacts means that they were
// lost, and it must not make the file done.
func TestAReceiptWithoutArtifactsMakesNothingDone(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go")
	must(t, s.Save())
	complete(t, s, s.Open()[0], nil)
	must(t, s.Chunk("chunk-1").Remove(schemas.Referee))
	s = load(t, store)
	wantFiles(t, s, "a.go pending - 1")
}

func TestRequeueBeginsAnew(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go", "b.go!")
	complete(t, s, s.Open()[0], nil)
	s.Requeue()
	wantFiles(t, s, "a.go pending - 0", "b.go pending - 0")
	must(t, s.Save())
	s = load(t, store)
	s.Plan([]string{"a.go"}, 1)
	wantFiles(t, s, "a.go pending chunk-2 0", "b.go pending - 0")
}

func TestAChunkThatIsReturnedIsAsBefore(t *testing.T) {
	s := queued(t, newStore(t), 2, "a.go", "b.go")
	before := shown(s)
	s.Begin(s.Open()[0])
	s.Return(s.Open()[0])
	wantFiles(t, s, before...)
}

func TestAnErrorOfAnyLengthAndContentCanBeSaved(t *testing.T) {
	for name, message := range map[string]string{
		"long":           strings.Repeat("x", 9000),
		"cut in a rune":  strings.Repeat("x", 3996) + "äääää",
		"many runes":     strings.Repeat("€", 3000),
		"not UTF-8":      strings.Repeat("\xff", 3999) + "\xfe",
		"long, no UTF-8": strings.Repeat("\xff", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			s := queued(t, store, 2, "a.go", "b.go")
			c := s.Open()[0]
			s.Begin(c)
			s.Fail(c, errors.New(message))
			must(t, s.Save())
			writeArtifacts(t, s.Chunk(c.ID))
			must(t, s.Finish(c, map[string]string{"a.go": message}))
			got := load(t, store).Coverage().Files[0]
			if got.Status != artifacts.Failed || !utf8.ValidString(got.LastError) {
				t.Errorf("%s %.40q", got.Status, got.LastError)
			}
			if strings.HasPrefix(message, "x") && !strings.HasPrefix(got.LastError, strings.Repeat("x", 3990)) {
				t.Errorf("too much was cut: %d bytes are left", len(got.LastError))
			}
		})
	}
}

func TestTheLoopIsCompleteWhenEveryFileIsDoneAndNotBefore(t *testing.T) {
	for _, status := range []artifacts.FileStatus{artifacts.Pending, artifacts.InProgress, artifacts.Failed, artifacts.Done} {
		store := newStore(t)
		s := queued(t, store, 1, "a.go", "b.go")
		complete(t, s, s.Open()[0], nil)
		s.cov.Files[1].Status = status
		must(t, s.Save())
		var saved artifacts.Coverage
		must(t, store.Read(schemas.Coverage, &saved))
		if (saved.Status == artifacts.LoopComplete) != (status == artifacts.Done) {
			t.Errorf("with a file that is %s the loop is %s", status, saved.Status)
		}
	}
}

func TestWhatIsDescribedIsSaved(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go")
	s.Describe([]string{"internal"}, []artifacts.LeftOut{{Reason: scope.NotSource, Files: 2, Examples: []string{"README.md"}}}, map[string]string{"hunter": "analyzers"})
	s.SetBugs([]artifacts.BugSummary{{BugID: "BUG-1", Severity: artifacts.SeverityLow, Category: "logic", File: "a.go", Lines: "1", Claim: "it breaks", ConfidenceScore: 60}})
	s.NextIteration()
	must(t, s.Save())
	if diff := cmp.Diff(s.Coverage(), load(t, store).Coverage()); diff != "" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
}
