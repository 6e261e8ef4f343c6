package replies

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// outcome is the answer and its source, or the kind of failure.
func outcome(raw Raw) string {
	answer, err := Extract(raw)
	var f *Failure
	if errors.As(err, &f) {
		return string(f.Kind) + ": " + f.Message
	}
	if err != nil {
		return "an error that is no failure: " + err.Error()
	}
	return string(answer.Source) + ": " + string(answer.JSON)
}

func TestTheAnswerComesFromTheMostTrustedPlace(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	const fenced = "```json\n[3]\n```\n"
	for name, tt := range map[string]struct {
		raw  Raw
		want string
	}{
		"the file it was told to write":                {Raw{InFile: true, File: b("[1]")}, "file: [1]"},
		"the file, though it printed something too":    {Raw{InFile: true, File: b("[1]"), Text: b(fenced)}, "file: [1]"},
		"the file, though there is a native value too": {Raw{InFile: true, File: b("[1]"), Native: b("[2]")}, "file: [1]"},
		"no file is no answer, whatever it printed":    {Raw{InFile: true, Native: b("[2]"), Text: b(fenced)}, "no-answer: the worker ended without writing its output file"},
		"a file it was not told to write":              {Raw{File: b("[1]"), Text: b(fenced)}, "fence: [3]\n"},
		"an empty file is no empty list":               {Raw{InFile: true, File: b("")}, "no-answer: the worker's output file is empty"},
		"a blank file":                                 {Raw{InFile: true, File: b("\ufeff \r\n\t")}, "no-answer: the worker's output file is empty"},
		"a file with a byte order mark":                {Raw{InFile: true, File: b("\ufeff[1]")}, "file: [1]"},
		"a file is never searched for fences":          {Raw{InFile: true, File: b(fenced)}, "file: " + fenced},
		"a file is kept as it is, cut or not":          {Raw{InFile: true, File: b("[{\n")}, "file: [{\n"},
		"a native value":                               {Raw{Native: b("[2]"), Text: b(fenced)}, "native: [2]"},
		"a native null is for the schema to refuse":    {Raw{Native: b("null"), Text: b(fenced)}, "native: null"},
		"an empty native value":                        {Raw{Native: b(""), Text: b(fenced)}, "no-answer: the worker's structured output is empty"},
		"text":                                         {Raw{Text: b("Here it is:\n" + fenced)}, "fence: [3]\n"},
		"nothing":                                      {Raw{}, "no-answer: the worker printed nothing"},
	} {
		if got := outcome(tt.raw); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestTheAnswerInAText(t *testing.T) {
	const (
		none  = "no-answer: the reply holds no fenced block marked json"
		open  = "truncated: the last fenced block of the reply is not closed"
		empty = "malformed: the last json block of the reply is empty"
	)
	for name, tt := range map[string]struct{ text, want string }{
		"all of it is an array":         {" \n[1]\n", "text: [1]"},
		"all of it is an object":        {"{\"a\": 1}", `text: {"a": 1}`},
		"a byte order mark before it":   {"\ufeff[1]", "text: [1]"},
		"it is cut, which is not ours":  {"[{\"a\": ", `text: [{"a":`},
		"prose behind, which is not":    {"[]\nI found nothing.", "text: []\nI found nothing."},
		"no way back to a block":        {"[1] is a note\n```json\n[]\n```", "text: [1] is a note\n```json\n[]\n```"},
		"blank":                         {" \r\n\t", "no-answer: the worker printed nothing"},
		"prose that says nothing found": {"I found no bugs.", none},
		"prose around bare JSON":        {"The answer is [] today.", none},

		"a block":                         {"So:\n```json\n[1]\n```\nDone.", "fence: [1]\n"},
		"closed by the end of the text":   {"a\n~~~json\n[1]\n~~~", "fence: [1]\n"},
		"a byte order mark, then a block": {"\ufeff```json\n[1]\n```", "fence: [1]\n"},
		"the last of several":             {"```json\n[1]\n```\n```json\n[2]\n```", "fence: [2]\n"},
		"the last one, though empty":      {"```json\n[1]\n```\n```json\n```", empty},
		"the last one, though blank":      {"```json\n[1]\n```\n```json\n \n\n```", empty},
		"the last one, though not JSON":   {"```json\n[1]\n```\n```json\nnothing found\n```", "fence: nothing found\n"},
		"a later block of another kind":   {"```json\n[1]\n```\n```go\nx\n```", "fence: [1]\n"},
		"the last one, though not closed": {"```json\n[1]\n```\n```json\n[2]\n", open},
		"a later block not closed":        {"```json\n[1]\n```\n```go\nx\n", open},
		"an opening line and no more":     {"So:\n```json", open},
		"only a block of another kind":    {"```go\n[1]\n```", none},
		"a block that is not marked":      {"a\n```\n[1]\n```", none},

		"four backticks around three":     {"x\n````json\n[\"\n```json\n[]\n```\n\"]\n````", "fence: [\"\n```json\n[]\n```\n\"]\n"},
		"an example in a longer fence":    {"a\n````markdown\n```json\n[]\n```\n````\n", none},
		"an example in tildes":            {"a\n~~~\n```json\n[]\n```\n~~~\n", none},
		"closed by more than opened":      {"a\n```json\n[1]\n`````", "fence: [1]\n"},
		"not closed by fewer":             {"a\n````json\n[1]\n```", open},
		"not closed by the other kind":    {"a\n```json\n[1]\n~~~", open},
		"not closed with text behind":     {"a\n```json\n[1]\n``` done", open},
		"closed with white space behind":  {"a\n```json\n[1]\n``` \t", "fence: [1]\n"},
		"two backticks are none":          {"a\n``json\n[1]\n``", none},
		"backticks in a string":           {"a\n```json\n[\"```go\", \"````\"]\n```", "fence: [\"```go\", \"````\"]\n"},
		"a fence with a backtick in info": {"a\n```json `x`\n[1]\n", none},
		"tildes with a backtick in info":  {"a\n~~~json `x`\n[1]\n~~~", "fence: [1]\n"},

		"CR LF":                         {"So:\r\n```json\r\n[1]\r\n```\r\n", "fence: [1]\r\n"},
		"lone CR":                       {"So:\r```json\r[1]\r```\r", "fence: [1]\r"},
		"lone CR and LF mixed":          {"So:\r```json\n[1]\r```\n", "fence: [1]\r"},
		"indented by three":             {"a\n   ```json\n   [1]\n   ```", "fence: [1]\n"},
		"indented, its content less":    {"a\n  ```json\n [1,\n2]\n```", "fence: [1,\n2]\n"},
		"indented by four is code":      {"a\n\n    ```json\n    [1]\n    ```", none},
		"a tab is four":                 {"a\n\n\t```json\n[1]\n\t```", none},
		"closing line indented by four": {"a\n```json\n[1]\n    ```", open},

		"capitals":                  {"a\n```JSON\n[1]\n```", "fence: [1]\n"},
		"space before the word":     {"a\n```  json\n[1]\n```", "fence: [1]\n"},
		"words behind":              {"a\n```json title=findings.json\n[1]\n```", "fence: [1]\n"},
		"a tab behind":              {"a\n```json\ttitle\n[1]\n```", "fence: [1]\n"},
		"jsonc is another language": {"a\n```jsonc\n[1]\n```", none},
		"json5 is another language": {"a\n```json5\n[1]\n```", none},
		"json as the second word":   {"a\n```text json\n[1]\n```", none},
		"json with braces":          {"a\n```{json}\n[1]\n```", none},
		"a no-break space":          {"a\n```\u00a0json\n[1]\n```", none},

		"in a quotation": {"> ```json\n> [1]\n> ```", none},
	} {
		if got := outcome(Raw{Text: []byte(tt.text)}); got != tt.want {
			t.Errorf("%s: %q gives %q, want %q", name, tt.text, got, tt.want)
		}
	}
}

// Only a text that was printed whole can hold the answer, so that of the
// beginnings of a reply none gives another answer than the reply.
func TestNoBeginningOfAReplyIsAnotherAnswer(t *testing.T) {
	const reply = "I looked.\n```go\nx := `json`\n```\nFound:\n\n~~~~json title\n[{\"claim\": \"~~~ and ``` in it\"},\n {\"claim\": \"b\"}]\n~~~~\nThat is all.\n"
	want := outcome(Raw{Text: []byte(reply)})
	closed := strings.LastIndex(reply, "~~~~") + len("~~~~")
	for n := range len(reply) {
		got := outcome(Raw{Text: []byte(reply[:n])})
		if isAnswer := strings.HasPrefix(got, "fence: "); isAnswer != (n >= closed) || isAnswer && got != want {
			t.Errorf("after %d bytes: %q", n, got)
		}
	}
}

func TestAFailureIsAnErrorForPeople(t *testing.T) {
	for want, f := range map[string]*Failure{
		"timeout: no answer within 5s":                {Kind: Timeout, Message: "no answer within 5s", RetryAfter: time.Second},
		"invalid: it breaks its schema: /0: a; /1: b": {Kind: Invalid, Message: "it breaks its schema", Problems: []string{"/0: a", "/1: b"}},
	} {
		if diff := cmp.Diff(want, f.Error()); diff != "" {
			t.Error(diff)
		}
	}
}
