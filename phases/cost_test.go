package phases

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bughunter/artifacts"
	"bughunter/workers"
)

// instant answers at once: texts that are made before the clock runs, by phase
// and first file.
type instant struct{ findings int }

func (instant) String() string { return "instant" }

func (w instant) Work(_ context.Context, job workers.Job) (workers.Result, error) {
	a := job.Assignment
	switch a.Phase {
	case Recon.Name:
		// Everything in one tier, as JSON that costs little to make.
		var b strings.Builder
		b.WriteString(`{"schemaVersion":1,"files":{"critical":[],"high":[],"medium":[`)
		for i, f := range a.Files {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"path":%q,"reason":"so"}`, f)
		}
		b.WriteString(`],"low":[],"contextOnly":[]},"techStack":[],"trustBoundaries":[],"notes":[]}`)
		return printed(b.String()), nil
	case Hunter.Name:
		return printed(w.array(w.findings, func(i int) string {
			return fmt.Sprintf(`{"bugId":"H-%d","severity":"Medium","category":"logic","file":%q,"lines":"%d","claim":"It is wrong.","evidence":"value%d := compute()","runtimeTrigger":"Always.","crossReferences":[],"confidenceScore":80}`, i, a.Files[0], i+3, i)
		})), nil
	case Skeptic.Name:
		return printed(w.array(len(a.Findings), func(i int) string {
			return fmt.Sprintf(`{"bugId":%q,"response":"ACCEPT","analysisSummary":"It stands."}`, a.Findings[i].BugID)
		})), nil
	}
	return printed(w.array(len(a.Findings), func(i int) string {
		return fmt.Sprintf(`{"bugId":%q,"verdict":"REAL_BUG","trueSeverity":"Medium","confidenceScore":80,"confidenceLabel":"high","verificationMode":"EVIDENCE_BASED","analysisSummary":"It is one."}`, a.Findings[i].BugID)
	})), nil
}

func (instant) array(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// BenchmarkChunk measures what the pipeline itself costs for each chunk: a run
// over a queue of chunks of one file, with a worker that answers at once, and
// with everything flushed to the disk. ns/chunk is the time from the first
// chunk's first attempt to the last chunk's end.
func BenchmarkChunk(b *testing.B) {
	for _, findings := range []int{0, 3} {
		for _, chunks := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%d findings/%d", findings, chunks), func(b *testing.B) {
				var spent time.Duration
				for b.Loop() {
					spent += chunksTake(b, chunks, instant{findings})
				}
				b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*chunks), "ns/chunk")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// chunksTake runs a loop over n files and says how long it took from the first
// hunt on, without the merging at its end.
func chunksTake(b *testing.B, n int, w workers.Worker) time.Duration {
	b.Helper()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("pkg%d/file%d.go", i/100, i)] = fmt.Sprintf("package p%d\n\nvalue0 := compute()\nvalue1 := compute()\nvalue2 := compute()\n", i)
	}
	tree := newTree(b, files)
	dir := filepath.Join(tree.Root, artifacts.StateDir)
	runner := newBench(b, dir, w).Runner
	var first, last time.Time
	journal, err := artifacts.OpenJournal(filepath.Join(dir, "timed.log"), func(e artifacts.Event) {
		switch {
		case e.Phase == Recon.Name:
		case first.IsZero():
			first = e.Time
		case e.Event == artifacts.PhaseEnd:
			last = e.Time
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	runner.Journal = journal
	l := &Loop{Runner: runner, Store: runner.State, Tree: tree, ChunkSize: 1}
	state, err := l.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if status := state.Coverage().Status; status != artifacts.LoopComplete {
		b.Fatal(status)
	}
	return last.Sub(first)
}
