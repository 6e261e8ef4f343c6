package replies

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// pieces make up the texts on which the scan and goldmark have to agree. None
// of them can open a list, a quotation or an HTML block, in which a fence means
// something else, and none has a tab, which goldmark turns into spaces.
var pieces = []string{
	"\n", "\r\n", "\n\n", " ", "   ", "    ",
	"```", "````", "``", "`", "~~~", "~~~~", "~~", "~",
	"json", "JSON", "jsonc", "go", " title", "x",
	"[]", "[1, 2]", `{"a": "x"}`, "\"`\"", "word", ": ", "\\",
	"```json\n", "\n```\n", "~~~json\n", "\n~~~\n", "  ```json\n  ", "\n  ```\n", "\n    ```\n",
}

// compose makes a text of the pieces that the bytes choose.
func compose(choice []byte) string {
	var b strings.Builder
	for _, c := range choice {
		b.WriteString(pieces[int(c)%len(pieces)])
	}
	return b.String()
}

// secondOpinion is the content of the last block that goldmark takes for one
// marked json, with the lines joined by LF.
func secondOpinion(source []byte) (content string, found bool) {
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		block, ok := n.(*ast.FencedCodeBlock)
		if ok && bytes.EqualFold(block.Language(source), []byte("json")) {
			content, found = string(block.Lines().Value(source)), true
		}
	}
	return content, found
}

// goldmark does not say whether a block was closed. But a paragraph that is put
// behind the text becomes a part of the last block if that is open.
func FuzzTheScanAgreesWithGoldmark(f *testing.F) {
	for i := range pieces {
		f.Add([]byte{byte(i), 27, 20, 28})
		f.Add([]byte{27, 20, byte(i), 28, 24, 0})
		f.Add([]byte{31, 21, 32, 0, byte(i), 29, 22, 30})
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) > 60 {
			return // long enough for everything that pieces can do to each other
		}
		source := compose(choice)
		got, state := lastJSONFence([]byte(source))
		plain := strings.ReplaceAll(source, "\r\n", "\n")
		want, found := secondOpinion([]byte(plain))

		if open := endsInBlock([]byte(plain + "\nparagraph\n")); open != (state == fenceOpen) {
			t.Fatalf("%q ends in state %d, and goldmark takes what follows for a part of a block: %t", source, state, open)
		}
		if state == fenceOpen {
			return
		}
		if found != (state == fenceClosed) {
			t.Fatalf("%q ends in state %d, and goldmark finds a json block: %t", source, state, found)
		}
		if diff := cmp.Diff(withoutBlanks(want), withoutBlanks(string(got))); diff != "" {
			t.Errorf("%q (-goldmark +scan):\n%s", source, diff)
		}
	})
}

// withoutBlanks empties the lines that hold spaces only, from which goldmark
// does not take the indentation of the fence.
func withoutBlanks(block string) string {
	lines := strings.Split(strings.ReplaceAll(block, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.Trim(line, " ") == "" {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// endsInBlock tells whether the last thing in a text is a fenced block.
func endsInBlock(source []byte) bool {
	last := goldmark.DefaultParser().Parse(text.NewReader(source)).LastChild()
	return last != nil && last.Kind() == ast.KindFencedCodeBlock
}

// Whatever a worker prints, an answer is a piece of it, and a failure has a
// kind.
func FuzzExtractAnswersWithAPieceOfTheReply(f *testing.F) {
	f.Add([]byte("```json\n[1]\n```"))
	f.Add([]byte("\ufeff [\xff"))
	f.Add([]byte("\r~~~json\r[]\r~~~"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		answer, err := Extract(Raw{Text: reply})
		if err != nil {
			if f, ok := err.(*Failure); !ok || f.Kind != NoAnswer && f.Kind != Truncated && f.Kind != Malformed || f.Message == "" {
				t.Errorf("%q: %v", reply, err)
			}
			return
		}
		if len(bytes.TrimSpace(answer.JSON)) == 0 {
			t.Errorf("%q gives an answer of nothing", reply)
		}
		fold := func(b []byte) string { return strings.Join(strings.Fields(string(b)), "") }
		if !strings.Contains(fold(reply), fold(answer.JSON)) {
			t.Errorf("%q gives %q, which is not in it", reply, answer.JSON)
		}
	})
}

// The time a byte takes must not grow with the length of the text; compare the
// MB/s of one kind of text over the sizes.
func BenchmarkExtractHostileText(b *testing.B) {
	for name, piece := range map[string]string{
		"links":         "[a](",
		"quotes":        "> ",
		"lists":         "- ",
		"open fences":   "```json\n",
		"blocks":        "```json\n[]\n```\n",
		"indented":      "   ```json\n   [1,\n   2]\n   ```\n",
		"backticks":     "`",
		"lone CR":       "\r",
		"spaces":        " ",
		"longer fences": "~~~~\n~~~\n",
	} {
		for _, size := range []int{64 << 10, 1 << 20, 16 << 20} {
			reply := Raw{Text: []byte("x\n" + strings.Repeat(piece, size/len(piece)))}
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(reply.Text)))
				for b.Loop() {
					_, _ = Extract(reply)
				}
			})
		}
	}
}
