package artifacts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func openJournal(t *testing.T, path string, listen func(Event)) *Journal {
	t.Helper()
	j, err := OpenJournal(path, listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(readBytes(t, path)), "\n"), "\n")
}

func TestAnEventIsOneLineWithTheTimeInUTC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run.log")
	var heard []Event
	j := openJournal(t, path, func(e Event) { heard = append(heard, e) })
	j.now = func() time.Time {
		return time.Date(2026, 3, 1, 1, 30, 0, 0, time.FixedZone("two hours east", 2*60*60))
	}
	none := 0
	for _, e := range []Event{
		{Event: RunStart},
		{Event: PhaseEnd, Phase: "hunter", Chunk: "chunk-1", Items: &none},
		{Event: ValidationFailed, Attempt: 2, Failure: "invalid", Message: "one\ntwo \xff", Problems: []string{"/0: a"}},
	} {
		if err := j.Log(e); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`{"time":"2026-02-28T23:30:00Z","event":"run-start"}`,
		`{"time":"2026-02-28T23:30:00Z","event":"phase-end","phase":"hunter","chunk":"chunk-1","items":0}`,
		`{"time":"2026-02-28T23:30:00Z","event":"validation-failed","attempt":2,"failure":"invalid","message":"one\ntwo \ufffd","problems":["/0: a"]}`,
	}
	if diff := cmp.Diff(want, linesOf(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(heard) != 3 || heard[0].Event != RunStart || heard[2].Time.Location() != time.UTC {
		t.Errorf("the listener heard %v", heard)
	}
}

func TestAJournalGoesOnWhereItEnded(t *testing.T) {
	whole := `{"time":"2026-01-01T00:00:00Z","event":"run-start"}`
	for name, tt := range map[string]struct {
		before string
		want   []string
	}{
		"no file":     {"", nil},
		"whole lines": {whole + "\n", []string{whole}},
		"a torn line": {whole + "\n" + whole[:20], []string{whole, whole[:20]}},
		"only NUL":    {"\x00\x00", []string{"\x00\x00"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.log")
			if err := os.WriteFile(path, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := openJournal(t, path, nil).Log(Event{Event: RunEnd}); err != nil {
				t.Fatal(err)
			}
			lines := linesOf(t, path)
			last := len(lines) - 1
			if diff := cmp.Diff(tt.want, append([]string(nil), lines[:last]...)); diff != "" {
				t.Errorf("what was there (-want +got):\n%s", diff)
			}
			var e Event
			if err := json.Unmarshal([]byte(lines[last]), &e); err != nil || e.Event != RunEnd {
				t.Errorf("the new line is %q, %v", lines[last], err)
			}
		})
	}
}

func TestManyMayLogAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.log")
	heard := 0
	j := openJournal(t, path, func(Event) { heard++ })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if err := j.Log(Event{Event: AttemptEnd, Message: strings.Repeat("x", 5000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	lines := bytes.Split(bytes.TrimSuffix(readBytes(t, path), []byte("\n")), []byte("\n"))
	if len(lines) != 800 || heard != 800 {
		t.Errorf("%d lines, %d heard", len(lines), heard)
	}
	for _, line := range lines {
		var e Event
		if err := json.Unmarshal(line, &e); err != nil || len(e.Message) != 5000 {
			t.Fatalf("%v: %.80s", err, line)
		}
	}
}

func TestAJournalThatCannotBeWrittenSaysSo(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "run.log"), nil)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Log(Event{Event: RunEnd}); err == nil {
		t.Error("an event was lost without an error")
	}
}
