package schemas

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// manyFindings gives an array of n findings without holding it.
type manyFindings struct {
	element []byte
	left    int
	rest    []byte
	each    func(left int) // called before each element, if not nil
}

func newManyFindings(t testing.TB, n int) *manyFindings {
	text := strings.Trim(string(exampleText(t, "findings.valid")), "[]\n ")
	one, _, found := strings.Cut(text, "\n  },\n")
	if !found {
		t.Fatal("the example has fewer than two findings")
	}
	return &manyFindings{element: []byte(one + "\n  }"), left: n, rest: []byte("[")}
}

func (m *manyFindings) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		if m.left < 0 {
			return 0, io.EOF
		}
		m.next()
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *manyFindings) next() {
	if m.each != nil {
		m.each(m.left)
	}
	separator := ","
	switch m.left--; m.left {
	case -1:
		m.rest = []byte("]")
		return
	case 0:
		separator = ""
	}
	m.rest = append(bytes.Clone(m.element), separator...)
}

func BenchmarkValidateFindings(b *testing.B) {
	set := New()
	for _, n := range []int{1, 100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text, err := io.ReadAll(newManyFindings(b, n))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := set.Validate(Findings, bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstUse is what a command that validates one file has to wait for.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := New().Validate(Findings, strings.NewReader("[]")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPreflight(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := New().Preflight(); err != nil {
			b.Fatal(err)
		}
	}
}

// However long the array, what is alive while it is validated stays small: the
// text alone would be several times the bound.
func TestMemoryStaysFlat(t *testing.T) {
	const findings, bound = 5_000, 512 << 10
	set := New()
	if err := set.Validate(Findings, strings.NewReader("[]")); err != nil {
		t.Fatal(err)
	}
	many := newManyFindings(t, findings)
	if size := findings * len(many.element); size < 5*bound {
		t.Fatalf("%d bytes of text show nothing", size)
	}
	start, most := liveHeap(), uint64(0)
	many.each = func(left int) {
		if left%1000 == 0 {
			most = max(most, liveHeap())
		}
	}
	if err := set.Validate(Findings, many); err != nil {
		t.Fatal(err)
	}
	t.Logf("live before: %d KiB, at most: %d KiB", start>>10, most>>10)
	if most > start+bound {
		t.Errorf("%d KiB are alive in the middle, and %d KiB were before", most>>10, start>>10)
	}
}

func liveHeap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
