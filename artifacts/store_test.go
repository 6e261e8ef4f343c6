package artifacts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bughunter/schemas"
)

func aFinding() Finding {
	return Finding{
		BugID: "BUG-1", Severity: SeverityHigh, Category: "logic", File: "a.go", Lines: "3",
		Claim: "it breaks when a < b && c > d", Evidence: "if a < b {", RuntimeTrigger: "a call",
		CrossReferences: []CrossReference{}, ConfidenceScore: 80,
	}
}

func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("the folder holds other files (-want +got):\n%s", diff)
	}
}

func TestARefusedWriteLeavesTheOldFile(t *testing.T) {
	store := newStore(t)
	if err := store.Write(schemas.Findings, []Finding{aFinding()}); err != nil {
		t.Fatal(err)
	}
	old := readBytes(t, store.Path(schemas.Findings))

	noClaim := aFinding()
	noClaim.Claim = ""
	noReferences := aFinding()
	noReferences.CrossReferences = nil
	for name, tt := range map[string]struct {
		value any
		want  string
	}{
		"a finding without a claim":    {[]Finding{noClaim}, "/0/claim"},
		"no list of references":        {[]Finding{noReferences}, "/0/crossReferences"},
		"no list":                      {[]Finding(nil), "null"},
		"an object in place of a list": {map[string]int{"total": 0}, "object"},
		"what JSON cannot say":         {[]any{func() {}}, "unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			err := store.Write(schemas.Findings, tt.value)
			if err == nil {
				t.Fatal("it was written")
			}
			for _, want := range []string{store.Path(schemas.Findings), tt.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not tell %q", err, want)
				}
			}
			if got := readBytes(t, store.Path(schemas.Findings)); !bytes.Equal(got, old) {
				t.Errorf("the file is now %s", got)
			}
			wantOnly(t, store.Dir(), "findings.json")
		})
	}
}

func TestArtifactsAreReadableByPeople(t *testing.T) {
	got, err := Encode([]Challenge{{BugID: "B", Response: Accept, AnalysisSummary: "a < b && c > d"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "bugId": "B",
    "response": "ACCEPT",
    "analysisSummary": "a < b && c > d"
  }
]
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// placeInText is where in a text something is wrong, in one of the forms in which
// errors say it.
var placeInText = regexp.MustCompile(`line \d+, column \d+|: /\d|schemaVersion`)

func wantUnusable(t *testing.T, store *Store, artifact string) *FileError {
	t.Helper()
	err := store.Read(artifact, documents[artifact]())
	var unusable *FileError
	if !errors.As(err, &unusable) {
		t.Fatalf("the error is %v", err)
	}
	if !strings.HasPrefix(err.Error(), store.Path(artifact)+": ") {
		t.Errorf("%q does not begin with the file", err)
	}
	if !regexp.MustCompile(`; (restore|use|correct|put) `).MatchString(err.Error()) {
		t.Errorf("%q tells no remedy", err)
	}
	return unusable
}

// One of the artifacts that are read as a whole and one that is streamed stand
// for all of them, at each length.
func TestAFileThatWasCutIsNeverTakenForAShorterOne(t *testing.T) {
	examples(t, func(name, artifact string, text []byte) {
		if name != "coverage.valid" && name != "skeptic.valid" {
			return
		}
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			whole := bytes.TrimSpace(text)
			if err := os.WriteFile(store.Path(artifact), whole, 0o644); err != nil {
				t.Fatal(err)
			}
			for n := len(whole) - 1; n >= 0; n-- {
				if err := os.Truncate(store.Path(artifact), int64(n)); err != nil {
					t.Fatal(err)
				}
				err := wantUnusable(t, store, artifact)
				var malformed *schemas.MalformedError
				if !errors.As(err, &malformed) || n > 0 && !malformed.Truncated {
					t.Fatalf("cut after %d bytes: %v", n, err)
				}
				if !placeInText.MatchString(err.Error()) {
					t.Fatalf("cut after %d bytes, %q tells no place", n, err)
				}
			}
		})
	})
}

func TestAFileThatCannotBeUsedIsAnErrorWithPlaceAndRemedy(t *testing.T) {
	const restore = "restore the file from a copy, or delete it and run again"
	const newer = `{"schemaVersion":2,"iteration":0,"status":"COMPLETE","files":[],"bugs":[],"fixes":[]}`
	const noBugs = `{"schemaVersion":1,"iteration":0,"status":"COMPLETE","files":[],"fixes":[]}`
	for name, tt := range map[string]struct{ text, want, remedy string }{
		"empty":          {"", "line 1, column 1: the text is empty", restore},
		"all NUL":        {strings.Repeat("\x00", 512), "line 1, column 1: the text is nothing but NUL bytes", restore},
		"not JSON":       {"# coverage\n", "line 1, column 1", restore},
		"half an answer": {"{\n  \"schemaVersion\": 1,\n  \"iter", "line 3, column 8", restore},
		"two values":     {"{}\n{}", "line 2, column 1", restore},
		"newer":          {newer, "schemaVersion is 2", "use the bughunter that wrote it, or a newer one"},
		"invalid":        {noBugs, "missing required property: bugs", "`bughunter validate coverage "},
		"another shape":  {"[]", "array", "`bughunter validate coverage "},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			if err := os.WriteFile(store.Path(schemas.Coverage), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			err := wantUnusable(t, store, schemas.Coverage).Error()
			if !strings.Contains(err, tt.want) || !strings.Contains(err, tt.remedy) {
				t.Errorf("%q does not tell %q and %q", err, tt.want, tt.remedy)
			}
		})
	}
}

func TestWhatIsNoFileIsAnErrorWithARemedy(t *testing.T) {
	for name, tt := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"a folder":           {func(path string) error { return os.Mkdir(path, 0o755) }, "it is not a regular file"},
		"a link to itself":   {func(path string) error { return os.Symlink(path, path) }, "too many"},
		"an endless device":  {func(path string) error { return os.Symlink("/dev/zero", path) }, "it is not a regular file"},
		"below a file":       {func(path string) error { return replaceByFile(filepath.Dir(path)) }, "not a directory"},
		"a link to a folder": {func(path string) error { return os.Symlink(filepath.Dir(path), path) }, "it is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			if err := tt.put(store.Path(schemas.Findings)); err != nil {
				t.Fatal(err)
			}
			if err := wantUnusable(t, store, schemas.Findings); !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q does not tell %q", err, tt.want)
			}
		})
	}
}

func replaceByFile(dir string) error {
	return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o644))
}

func TestAnArtifactThatIsNotThereIsNotThere(t *testing.T) {
	store := newStore(t).Sub("chunks", "chunk-1")
	if err := store.Read(schemas.Findings, new([]Finding)); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), store.Path(schemas.Findings)) {
		t.Errorf("the error is %v", err)
	}
	if store.Has(schemas.Findings) {
		t.Error("the store has it")
	}
	if err := store.Remove(schemas.Findings); err != nil {
		t.Error(err)
	}
	if err := store.Write(schemas.Findings, []Finding{}); err != nil {
		t.Fatal(err)
	}
	if !store.Has(schemas.Findings) {
		t.Error("the store has it not")
	}
	if err := store.Remove(schemas.Findings); err != nil || store.Has(schemas.Findings) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestWriteFileMakesTheFoldersThatAreMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c", "x.json")
	if err := WriteFile(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if got := readBytes(t, path); string(got) != "x" {
		t.Errorf("the file holds %q", got)
	}
}

func TestAWriteThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("x")); err == nil || !strings.Contains(err.Error(), "writing "+path) {
		t.Errorf("the error is %v", err)
	}
	wantOnly(t, dir, "x.json")
}

func TestWhatADeadWriterLeftIsSweptAndHarmsNobody(t *testing.T) {
	store := newStore(t)
	for _, name := range []string{".tmp-1", ".tmp-2"} {
		if err := os.WriteFile(filepath.Join(store.Dir(), name), []byte(`[{"bugId":`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Write(schemas.Findings, []Finding{aFinding()}); err != nil {
		t.Fatal(err)
	}
	if err := removeTemps(store.Dir()); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, store.Dir(), "findings.json")
}

// Two writers never mix, and a reader sees one of them whole.
func TestWritersAtOnceGiveOneOfTheirFiles(t *testing.T) {
	store := newStore(t)
	write := func(n int) error {
		f := aFinding()
		f.Claim = strings.Repeat(fmt.Sprint(n), 200*n)
		return store.Write(schemas.Findings, []Finding{f})
	}
	if err := write(1); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := 1; n <= 8; n++ {
		group.Go(func() {
			for range 5 {
				if err := write(n); err != nil {
					t.Error(err)
				}
				var got []Finding
				if err := store.Read(schemas.Findings, &got); err != nil {
					t.Error(err)
				} else if len(got) != 1 || len(got[0].Claim) != 200*int(got[0].Claim[0]-'0') {
					t.Errorf("read a mixture of %d findings", len(got))
				}
			}
		})
	}
	group.Wait()
	wantOnly(t, store.Dir(), "findings.json")
}

func FuzzWhatTheStoreReadsItWritesAgain(f *testing.F) {
	examples(f, func(_, artifact string, text []byte) {
		if artifact == schemas.Findings {
			f.Add(text)
		}
	})
	f.Add([]byte(`[`))
	f.Add([]byte(`[{"BugID":"x"}]`))
	store := NewStore(f.TempDir(), validator)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(store.Path(schemas.Findings), text, 0o644); err != nil {
			t.Fatal(err)
		}
		var findings []Finding
		if store.Read(schemas.Findings, &findings) != nil {
			return
		}
		var count []json.RawMessage
		if err := json.Unmarshal(text, &count); err != nil || len(count) != len(findings) {
			t.Fatalf("%d of %d findings were read, %v", len(findings), len(count), err)
		}
		if err := store.Write(schemas.Findings, findings); err != nil {
			t.Errorf("what was read is refused: %v", err)
		}
	})
}
