package phases

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bughunter/artifacts"
)

// source has code that repeats, an empty line, a variadic call, and what looks
// like a place.
const source = `package shop

func Sum(prices ...int) int {
	total := 0
	for _, p := range prices {
		total += p
	}
	return total
}

func All(carts [][]int) (out []int) {
	for _, c := range carts {
		out = append(out, c...)
	}
	return out
}

// Listen on host:8080 by default.
const addr = localhost:8080
func Again(prices []int) int {
	total := 0
	for _, p := range prices {
		total += p
	}
	return total
}`

func TestEvidenceIsFoundWhereItStands(t *testing.T) {
	for _, tt := range []struct{ name, evidence, cited, want string }{
		// The cited lines stay as they are if the quotation touches them.
		{"a line", "\ttotal := 0", "4", "4"},
		{"a part of a line", "range prices", "5", "5"},
		{"lines", "\tfor _, p := range prices {\n\t\ttotal += p\n\t}", "5-7", "5-7"},
		{"more lines are cited than quoted", "total := 0", "3-9", "3-9"},
		{"fewer lines are cited than quoted", "total := 0\nfor _, p := range prices {", "5", "5"},
		{"several ranges", "total := 0", "1, 4", "1,4"},
		{"the last of several ranges", "return total", "1,3-4,8", "1,3-4,8"},
		{"the second of two that are alike", "total += p", "23", "23"},
		{"the last line", "}", "26", ""},

		// White space.
		{"spaces for tabs", "    total := 0", "4", "4"},
		{"none at the start", "for _, p := range prices {\ntotal += p", "5", "5"},
		{"more within", "for _,  p\t:=   range\u00a0prices {", "5", "5"},
		{"lines joined", "total := 0 for _, p := range prices {", "4-5", "4-5"},
		{"over an empty line", "}\n\nfunc All(carts [][]int) (out []int) {", "11", "11"},
		{"over an empty line that is cited", "return total\n}\n\nfunc All(", "10", "10"},
		{"CR LF", "\ttotal := 0\r\n\tfor _, p := range prices {\r\n", "4-5", "4-5"},

		// A place in front.
		{"path:line above", "shop/sum.go:4\n\ttotal := 0", "4", "4"},
		{"path:lines above", "shop/sum.go:4-5:\n\ttotal := 0", "4", "4"},
		{"path:lines in several ranges", "shop/sum.go:4-5, 8\ntotal := 0", "4", "4"},
		{"path:line before the code", "sum.go:4: total := 0", "4", "4"},
		{"a path with spaces", "my shop/the sum.go:4\ntotal := 0", "4", "4"},
		{"one in front of each piece", "sum.go:4\ntotal := 0\n...\nsum.go:8\nreturn total", "4,8", "4,8"},
		{"code that looks like one", "const addr = localhost:8080", "19", "19"},
		{"a comment that looks like one", "// Listen on host:8080 by default.", "18", "18"},

		// Ellipses.
		{"dots", "total := 0\n...\nreturn total", "4-8", "4-8"},
		{"one character", "total := 0\n\t…\nreturn total", "4-8", "4-8"},
		{"many dots", "total := 0\n.....\nreturn total", "4-8", "4-8"},
		{"in a // comment", "total := 0\n\t// ...\nreturn total", "4-8", "4-8"},
		{"in a # comment", "total := 0\n# …\nreturn total", "4-8", "4-8"},
		{"in a -- comment", "total := 0\n-- ...\nreturn total", "4-8", "4-8"},
		{"in a /* */ comment", "total := 0\n/* ... */\nreturn total", "4-8", "4-8"},
		{"in a <!-- --> comment", "total := 0\n<!-- ... -->\nreturn total", "4-8", "4-8"},
		{"in a ; comment", "total := 0\n;; ...\nreturn total", "4-8", "4-8"},
		{"in a % comment", "total := 0\n% ...\nreturn total", "4-8", "4-8"},
		{"in a {/* */} comment", "total := 0\n{/* … */}\nreturn total", "4-8", "4-8"},
		{"in brackets", "total := 0\n[...]\nreturn total", "4-8", "4-8"},
		{"in parentheses", "total := 0\n(…)\nreturn total", "4-8", "4-8"},
		{"at both ends", "...\ntotal += p\n...", "6", "6"},
		{"within a line", "for _, p := … { total += p", "5-6", "5-6"},
		{"within a line, of dots", "func Sum(...) int { total := 0", "3-4", "3-4"},
		{"pieces in another order", "return total\n...\ntotal := 0", "4-8", "4-8"},
		{"Go's own", "out = append(out, c...)", "13", "13"},
		{"Go's own and one of ours", "func Sum(prices ...int) int {\n...\nout = append(out, c...)", "3", "3"},

		// Fences.
		{"in a fence", "```go\ntotal := 0\n```", "4", "4"},
		{"in a fence with a place", "```\nsum.go:4\ntotal := 0\n```", "4", "4"},
		{"in a fence of tildes", "~~~\ntotal := 0\n~~~", "4", "4"},

		// Elsewhere: the lines are corrected to the nearest occurrence.
		{"one line off", "total := 0", "5", "4"},
		{"nearest above", "total += p", "9", "6"},
		{"nearest below", "total += p", "20", "23"},
		{"as near above as below", "return total", "16-17", "8"},
		{"far off, and quoted whole", "for _, c := range carts {\n\tout = append(out, c...)", "1", "12-13"},
		{"pieces that are all elsewhere", "func All(\n...\nreturn out", "1", "11,15"},
		{"pieces that are elsewhere side by side", "return out\n...\nfunc All(\n...\nfor _, c := range carts", "1", "11-12,15"},
		{"one piece of two is cited", "total := 0\n...\nreturn total", "8", "8"},
		{"nearest to the first of several", "total += p", "1-2,26", "6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ground(t, source, tt.evidence, tt.cited)
			if tt.want == "" {
				if err == nil {
					t.Errorf("it was found on %s", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("the lines are %s, want %s", got, tt.want)
			}
		})
	}
}

func ground(t testing.TB, text, evidence, cited string) (string, error) {
	t.Helper()
	s := newSource([]byte(text))
	ranges, err := s.Lines(cited)
	if err != nil {
		t.Fatal(err)
	}
	stands, err := s.Ground(evidence, ranges)
	return joinRanges(stands), err
}

func TestEvidenceThatDoesNotStandThere(t *testing.T) {
	const missing, nothing = "does not stand in the file", "quotes no code"
	for _, tt := range []struct{ name, evidence, want string }{
		{"invented", "total = total + p", missing},
		{"another case", "TOTAL := 0", missing},
		{"a word left out", "for p := range prices", missing},
		{"white space where there is none", "total +=p", missing},
		{"one piece of two", "total := 0\n...\nreturn sum", missing},
		{"one piece of two within a line", "total := … sum", missing},
		{"with line numbers", "4: total := 0\n5: for _, p := range prices {", missing},
		{"a description", "The sum is not checked for overflow.", missing},
		{"lines that do not follow each other", "total := 0\nreturn total", missing},
		{"brackets", "\t}\n}", nothing},
		{"punctuation", "{ ... }", nothing},
		{"an ellipsis", "...", nothing},
		{"a place", "sum.go:4", nothing},
		{"an empty fence", "```go\n```", nothing},
		{"blank", " \n\t\n", nothing},
		{"empty", "", nothing},
		{"in too many pieces", strings.Repeat("total\n...\n", 31), "is cut into 32 pieces; quote at most 30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ground(t, source, tt.evidence, "4")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it was found on %q, error %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

// A letter or a word stands in every file. Only a whole line may be that short.
func TestShortQuotationsAreWholeLines(t *testing.T) {
	const text = "package main\n\nfunc main() {\n\ti++\n\tprintln(i)\n}\n"
	for evidence, want := range map[string]string{"i++": "4", "println(i)": "5", "p": "", "main ... package ... println": "", "i++ ... p": ""} {
		got, err := ground(t, text, evidence, "4-5")
		if (err == nil) != (want != "") {
			t.Errorf("%q: the lines are %q, error %v", evidence, got, err)
		}
	}
}

func TestFilesOfOtherKinds(t *testing.T) {
	for _, tt := range []struct{ name, text, evidence, cited, want string }{
		{"CR LF", "a := 1\r\nb := 2\r\n\r\nc := 3\r\n", "b := 2\n\nc := 3", "2-4", "2-4"},
		{"CR LF, one line off", "a := 1\r\nb := 2\r\n\r\nc := 3\r\n", "c := 3", "1", "4"},
		{"no newline at the end", "a := 1\nb := 2", "b := 2", "2", "2"},
		{"empty lines at the start and the end", "\n\n\na := 1\n\n\n", "a := 1", "1", "4"},
		{"a mark of byte order", "\ufeffpackage a\n", "package a", "1", "1"},
		{"characters of several bytes", "é := \"…\"\nβ := \"日本\"\n", "β := \"日本\"", "1", "2"},
		{"an ellipsis of its own", "def f():\n    ...\n\ndef g(): ...\n", "def f():\n    ...\n\ndef g(): ...", "2", "2"},
		{"a fence of its own", "s = `\n```\ncode\n```\n`\n", "```\ncode\n```\n`", "3", "3"},
		{"bytes that are no text", "a := \"\xff\xfe\"\nb := 2\n", "b := 2", "1", "2"},
		{"one long line", strings.Repeat("x ", 100_000) + "needle", "x needle", "1", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ground(t, tt.text, tt.evidence, tt.cited)
			if err != nil || got != tt.want {
				t.Errorf("the lines are %q, error %v; want %s", got, err, tt.want)
			}
		})
	}
}

// Lines that are corrected have to fit into the artifact.
func TestEvidenceAllOverTheFileIsNotCited(t *testing.T) {
	var text, evidence strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "value%d := %d\n", i, i)
		if i > 1000 && i%40 == 0 {
			fmt.Fprintf(&evidence, "value%d := %d\n...\n", i, i)
		}
	}
	got, err := ground(t, text.String(), evidence.String(), "1000")
	if err != nil || len(got) > 200 {
		t.Errorf("the lines are %q (%d bytes), error %v", got, len(got), err)
	}
	evidence.Reset()
	for i := range 29 {
		fmt.Fprintf(&evidence, "value%d := %d\nvalue%d := %d\n...\n", 1100+i*10, 1100+i*10, 1101+i*10, 1101+i*10)
	}
	got, err = ground(t, text.String(), evidence.String(), "1000")
	if err == nil || !strings.Contains(err.Error(), "cite the lines it is about") {
		t.Errorf("the lines are %q, error %v", got, err)
	}
}

func TestLinesOutsideTheFile(t *testing.T) {
	s := newSource([]byte("one\ntwo\n\n"))
	for lines, want := range map[string]string{
		"1": "", "3": "", "1-3": "", "2,3": "", "2, 3": "",
		"4": "lines 4 are not in the file, which has 3", "3-4": "lines 3-4 are not in the file", "1,9": "lines 9 are not",
		"3-2": "ends before it begins", "0": "not a line", "": "not a line", "abc": "not a line", "1-": "not a line", "-1": "not a line",
		"99999999999999999999": "not a line",
	} {
		_, err := s.Lines(lines)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("lines %q: %v, want %q", lines, err, want)
		}
	}
	if _, err := newSource(nil).Lines("1"); err == nil {
		t.Error("an empty file has a line 1")
	}
}

// lineAt is held against counting, for every byte of texts with empty lines.
func TestEveryByteBelongsToItsLine(t *testing.T) {
	for _, text := range []string{"a", "a\nb", "\n\na\n\n\nb c\nd\n\n", "\n \n\t\na  b\n\n", "x\r\n\r\ny\r\n"} {
		s := newSource([]byte(text))
		pos := 0
		for i, line := range s.lines {
			for range fold(line) {
				if got := s.lineAt(pos); got != i+1 {
					t.Errorf("%q: byte %d of %q is on line %d, want %d", text, pos, s.folded, got, i+1)
				}
				pos++
			}
			if fold(line) != "" {
				pos++ // the space behind
			}
		}
	}
}

// FuzzGround holds that what is copied from a file is found in it on lines of
// the file, and that nothing hostile breaks the search.
func FuzzGround(f *testing.F) {
	f.Add(source, "sum.go:4\ntotal := 0\n...\nreturn total", uint16(3), uint16(2))
	f.Add("a\n\n\nb", "…\n```\n…", uint16(1), uint16(0))
	f.Add("", "", uint16(0), uint16(0))
	f.Add("\xff\n...\n", "x:1", uint16(9), uint16(9))
	f.Fuzz(func(t *testing.T, text, evidence string, first, more uint16) {
		s := newSource([]byte(text))
		if len(s.lines) == 0 {
			return
		}
		from := int(first) % len(s.lines)
		to := min(from+int(more)%20, len(s.lines)-1)
		cited := []artifacts.LineRange{{First: from + 1, Last: to + 1}}

		stands, err := s.Ground(evidence, cited)
		if err == nil {
			if _, err := s.Lines(joinRanges(stands)); err != nil {
				t.Errorf("the evidence %q stands outside the file: %v", evidence, err)
			}
		}
		quote := strings.Join(s.lines[from:to+1], "\n")
		stands, err = s.Ground(quote, cited)
		if !saysSomething(quote) {
			return
		}
		if err != nil || joinRanges(stands) != joinRanges(cited) {
			t.Errorf("%q stands on %s, and was found on %s: %v", quote, joinRanges(cited), joinRanges(stands), err)
		}
	})
}

// The file has a megabyte, and the evidence as much as the schema allows. In
// the worst of these it is cut into as many pieces as are taken, none of them
// near the cited lines.
func BenchmarkGround(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("//\n")
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "\tvalue%d := compute(e%d, %d)\n", i, random.IntN(100), random.IntN(1000))
	}
	s := newSource([]byte(text.String()))
	last := len(s.lines)
	quote := strings.Join(s.lines[last-600:last], "\n")
	for _, c := range []struct{ name, evidence string }{
		{"as it is", quote},
		{"missing", quote + " x"},
		{"single characters", strings.Repeat("e\n...\n", 20_000/6)},
		{"single characters within a line", strings.Repeat("e...", 20_000/4)},
		{"pieces of single characters", strings.Repeat(strings.Repeat("e...", 30)+"\n...\n", 29)},
		{"pieces far off", strings.Repeat(s.lines[last-1]+" ... "+s.lines[last-2]+" ... \n...\n", 29)},
		{"almost everywhere", strings.Repeat("compute(e1", 1999)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s.Ground(c.evidence, []artifacts.LineRange{{First: 1, Last: 1}}) // whether it stands there or not
			}
		})
	}
}
