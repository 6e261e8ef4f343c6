package coverage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSyncBringsTheQueueInLineWithTheRepository(t *testing.T) {
	still := func(path, hash string) bool { return hash == hashOf(path, 1) && !strings.HasPrefix(path, "gone") }
	for name, tt := range map[string]struct {
		now    []string
		want   []string
		change Change
	}{
		"nothing changed":           {[]string{"a.go", "b.go", "c.go"}, []string{"a.go done chunk-1 1", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0"}, Change{}},
		"a new file":                {[]string{"a.go", "aa.go", "b.go", "c.go"}, []string{"a.go done chunk-1 1", "aa.go pending - 0", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0"}, Change{Queued: 1}},
		"a done file changed":       {[]string{"a.go@2", "b.go", "c.go"}, []string{"a.go pending - 0", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0"}, Change{Changed: 1}},
		"a failed file changed":     {[]string{"a.go", "b.go@2", "c.go"}, []string{"a.go done chunk-1 1", "b.go pending - 0", "c.go pending chunk-3 0"}, Change{Changed: 1}},
		"a planned file changed":    {[]string{"a.go", "b.go", "c.go@2"}, []string{"a.go done chunk-1 1", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0"}, Change{Changed: 1}},
		"other paths, all there":    {[]string{"c.go"}, []string{"a.go done chunk-1 1", "c.go pending chunk-3 0"}, Change{Dropped: 1}},
		"everything is gone":        {nil, []string{"a.go done chunk-1 1"}, Change{Dropped: 2}},
		"a done file is unreadable": {[]string{"a.go!", "b.go", "c.go"}, []string{"a.go failed - 0 permission denied", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0"}, Change{}},
		"a folder is unreadable":    {[]string{"a.go", "b.go", "c.go", "d!"}, []string{"a.go done chunk-1 1", "b.go failed chunk-2 1 no", "c.go pending chunk-3 0", "d failed - 0 permission denied"}, Change{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := queued(t, newStore(t), 1, "a.go", "b.go", "c.go")
			open := s.Open()
			complete(t, s, open[0], nil)
			s.Begin(open[1])
			s.Fail(open[1], errors.New("no"))
			if diff := cmp.Diff(tt.change, s.Sync(found(tt.now...), still)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantFiles(t, s, tt.want...)
			must(t, s.Save())
		})
	}
}

func TestADoneFileOutsideTheScopeLeavesWhenItChangesOrGoes(t *testing.T) {
	for _, there := range []bool{true, false} {
		s := queued(t, newStore(t), 1, "a.go", "b.go")
		complete(t, s, s.Open()[0], nil)
		var asked []string
		change := s.Sync(found("b.go"), func(path, hash string) bool {
			asked = append(asked, path+" "+hash)
			return there
		})
		if diff := cmp.Diff([]string{"a.go " + hashOf("a.go", 1)}, asked); diff != "" {
			t.Errorf("asked about other files: %s", diff)
		}
		if kept := len(shown(s)) == 2; kept != there || (change.Dropped == 0) != there {
			t.Errorf("there: %t, kept: %t, %+v", there, kept, change)
		}
	}
}

func TestAFileThatCanBeReadAgainIsQueued(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go!")
	wantChunks(t, s.Open())
	must(t, s.Save())
	s = queued(t, store, 1, "a.go")
	wantFiles(t, s, "a.go pending chunk-1 0")
}

func TestPlanKeepsTheOrderAndTheSize(t *testing.T) {
	s := load(t, newStore(t))
	s.Sync(found("a.go", "b.go", "c.go", "d.go", "e.go", "x.go!"), nothingElse)
	s.Plan([]string{"e.go", "unknown.go", "c.go", "a.go", "x.go", "e.go", "d.go", "b.go"}, 2)
	want := []Chunk{{"chunk-1", []string{"c.go", "e.go"}}, {"chunk-2", []string{"a.go", "d.go"}}, {"chunk-3", []string{"b.go"}}}
	wantChunks(t, s.Open(), want...)

	s.Plan([]string{"a.go", "b.go", "c.go", "d.go", "e.go"}, 5)
	wantChunks(t, s.Open(), want...)
}

func TestChunksAreTakenInTheOrderOfTheirNumbers(t *testing.T) {
	var files []string
	for i := range 12 {
		files = append(files, fmt.Sprintf("%c.go", 'a'+i))
	}
	var ids []string
	for _, c := range queued(t, newStore(t), 1, files...).Open() {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids[8:], []string{"chunk-9", "chunk-10", "chunk-11", "chunk-12"}) {
		t.Errorf("the order is %q", ids)
	}
}

func TestAFailedFileLeavesAChunkThatHasAResult(t *testing.T) {
	s := queued(t, newStore(t), 2, "a.go", "b.go", "c.go", "d.go")
	open := s.Open()
	complete(t, s, open[0], map[string]string{"b.go": "no"})
	s.Begin(open[1])
	s.Fail(open[1], errors.New("timeout"))
	s.Plan([]string{"a.go", "b.go", "c.go", "d.go"}, 2)
	wantChunks(t, s.Open(), Chunk{"chunk-2", []string{"c.go", "d.go"}}, Chunk{"chunk-3", []string{"b.go"}})
	wantChunks(t, s.Closed(), Chunk{"chunk-1", []string{"a.go"}})
}

func TestANumberIsNotUsedAgainWhileItsFolderExists(t *testing.T) {
	store := newStore(t)
	s := queued(t, store, 1, "a.go", "b.go")
	for _, c := range s.Open() {
		complete(t, s, c, nil)
	}
	must(t, os.Mkdir(filepath.Join(store.Dir(), "chunks", "notes"), 0o755))
	s.Sync(found("c.go"), nothingElse)
	s.Plan([]string{"c.go"}, 1)
	wantFiles(t, s, "c.go pending chunk-3 0")
}
