package render

import (
	"bytes"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"bughunter/artifacts"
)

// hostile is text that is active somewhere in Markdown, HTML or a renderer of
// GitHub's dialect.
var hostile = []string{
	// HTML
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b>bold</b>", "</td></tr></table>", "<br/>", "<div>\nblock\n</div>",
	"<!-- comment", "-->", "<!-- whole -->", "<?php ?>", "<![CDATA[x]]>", "<!DOCTYPE html>", "<details open>", "<a href=\"x\">y</a>",
	"< b>", "<\x00b>", "<\u200bb>", "<b", "a<b>c", "<style>*{display:none}</style>", "</style><script>x</script>",
	"&lt;b&gt;", "&#60;b&#62;", "&#x3c;", "&amp;lt;", "&nbsp;", "&", "&&lt;", "&NotAnEntity;",

	// links, images, addresses
	"[a](javascript:alert(1))", "![a](https://x.example/p.png)", "[a][b]", "[a]: https://x.example \"t\"", "[a]", "[a]:\nhttps://x.example",
	"[![a](b)](c)", "](javascript:x)", "[a](<b>)", "<https://x.example>", "<javascript:alert(1)>", "<a@x.example>",
	"https://x.example", "http://x.example/a_b*c*?d=[e]&f", "(https://x.example)", "*https://x.example*", "_https://x.example_", "~https://x.example~",
	"ftp://x.example", "www.x.example", "(www.x.example/a|b)", "WWW.X.EXAMPLE", "a@x.example", "mailto:a@x.example", "xmpp:a@x.example/b",
	"see:https://x.example,www.y.example;z@x.example", "@octocat", "@org/team", "`https://x.example", "https://x.example`", "https://`x.example`",
	"https\u200b://x.example", "w\u00adww.x.example", "\\https://x.example", "https:\\//x.example", "https&colon;//x.example", "a&commat;x.example",
	"http://|https://x.example", "www.|x.example", "``https://x.example`", "https://x.example/```", "\"www.x.example\"", "'@x'", "[www.x.example]",
	"x`a@x.example`", "f(y`a@x.example`)", "{a@x.example}", "x_y`a@x.example", "x``a@x.example``y@x.example", "a|`b@x.example`", "1)`a@x.example`", "1.`a@x.example`",

	// blocks
	"# heading", "###### heading ######", "text #", "text \\#", "heading\n=======", "heading\n---", "===", "---", "***", "___", "- - -", "* * *",
	"- item", "* item", "+ item", "1. item", "1) item", "123456789. item", "1234567890. item", "- [ ] task", "[x] task", "- [x] done", "10.", "7)",
	"> quote", ">quote", ">>>", "    indented", "\tindented", "```", "```go\ncode\n```", "~~~", "~~~\ncode", "``` `", "\n\n# heading", "a\n\n- b\n\n1. c",
	"| a | b |", "| --- | --- |", "|---|\n|---|", "a | b\n--- | ---\nc | d", ":--", ":-:", "---|---", "|", "||", "\\|", "\\\\|", "a\\", "\\", "\\\\", "a|b|c|d|e|f",
	": definition", "term\n: definition", "[^1]", "[^1]: note", "^[note]", "a[^1]b\n\n[^1]: c", "{#id}", "{.class}", "{% raw %}", "{{ x }}", "%%", "+++", "---\ntitle: x\n---",

	// inline
	"*emphasis*", "**strong**", "***both***", "_emphasis_", "__strong__", "foo_bar_baz", "_foo_bar", "foo_", "**", "*", "_", "a*b*c", "~~gone~~", "~gone~",
	"`code`", "`", "``", "```", "````", "`a``b`", "``a`b``", "`a` `b`", "`a`b`c`", "a``", "``a", "` `", "`|`", "`a|b`", "|`a|b", "`<b>`<b>", "\\`<b>\\`", "`\\`<b>`",
	"$x$", "$$x$$", "$`x`$", ":smile:", "==mark==", "++ins++", "^sup^", "a\\*b*", "\\<b>", "\\[a](b)", "!\\[a](b)", "\\&lt;",

	// white space and what cannot be seen
	"\n", "\r\n", "\r", "a\rb", "a\r\nb", "a  \nb", "a\\\nb", "\x00", "a\x00b", "\x1b[31mred", "a\u2028# b", "a\u2029b", "a\u0085b", "a\vb\fc", "\ufeff# a",
	"\u202etxt.exe", "a\u2066b\u2069", "\u200b# a", "\u200b", "\u00a0", "\u3000- a", "\u00ad- a", "\U000e0001\U000e0041", "e\u0301_a_", "\xff\xfe", "\ufffd_a_", "日本_語_", "_日本_",
	"\ufe0f\u2800", strings.Repeat("`", 40), strings.Repeat("*a", 40), strings.Repeat("[a](", 40), strings.Repeat("> ", 40), strings.Repeat("long ", 60) + "<b>",
}

// dialect is GitHub's, with the notes and definitions that others add.
var dialect = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// around are the places where inline text may stand, as %s.
var around = map[string]string{
	"paragraph":        "%s",
	"sentence":         "before %s after",
	"labelled":         "**Label.** %s",
	"heading":          "### Critical · `X` · %s",
	"bare heading":     "## %s",
	"list item":        "- %s\n- next",
	"nested list item": "- a\n  - %s\n- next",
	"table":            "| a | b |\n| --- | --- |\n| %s | b |\n| c | %s |",
	"notice":           "> **Notice.** %s",
}

// shape lists the nodes of a document in the dialect, but for text, code and
// paragraphs, which are what hostile text may become.
func shape(markdown string) string {
	var lines []string
	for n := range nodes(dialect.Parser().Parse(text.NewReader([]byte(markdown)))) {
		switch n.Kind() {
		case ast.KindText, ast.KindString, ast.KindCodeSpan, ast.KindParagraph, ast.KindTextBlock:
			continue
		}
		depth := 0
		for p := n.Parent(); p != nil; p = p.Parent() {
			depth++
		}
		line := strings.Repeat(" ", depth) + n.Kind().String()
		if h, ok := n.(*ast.Heading); ok {
			line += strings.Repeat("#", h.Level)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// active lists what no rendering may hold.
func active(markdown string) []string {
	source := []byte(markdown)
	var found []string
	for n := range nodes(dialect.Parser().Parse(text.NewReader(source))) {
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock:
			found = append(found, n.Kind().String()+" "+plain(n, source))
		}
	}
	return found
}

var tag = regexp.MustCompile(`<[^>]*>`)

// read is what a person reads of the Markdown, without white space and
// backticks, which are not kept exactly.
func read(t *testing.T, markdown string) string {
	t.Helper()
	var b bytes.Buffer
	if err := dialect.Convert([]byte(markdown), &b); err != nil {
		t.Fatal(err)
	}
	return letters(html.UnescapeString(tag.ReplaceAllString(b.String(), "")))
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '`' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// inert checks one escaped text in every place where it may stand: it changes
// nothing around it, and a person reads all of it.
func inert(t *testing.T, original, escaped string) {
	t.Helper()
	if escaped == "" || strings.ContainsAny(escaped, "\r\n") || !utf8.ValidString(escaped) {
		t.Errorf("%q became %q, which is not one line of text", original, escaped)
		return
	}
	want := letters(visible(fold(original), ""))
	if want == "" && fold(original) == "" {
		want = string(blank)
	}
	for where, frame := range around {
		markdown := strings.ReplaceAll(frame, "%s", escaped)
		if diff := cmp.Diff(shape(strings.ReplaceAll(frame, "%s", "text")), shape(markdown)); diff != "" {
			t.Errorf("%q became %q, which is active in a %s (-harmless +got):\n%s", original, escaped, where, diff)
		}
		harmless := read(t, strings.ReplaceAll(frame, "%s", "\uE000"))
		if diff := cmp.Diff(strings.ReplaceAll(harmless, "\uE000", want), read(t, markdown)); diff != "" {
			t.Errorf("%q became %q, which reads otherwise in a %s (-want +got):\n%s", original, escaped, where, diff)
		}
	}
}

func TestHostileTextIsInert(t *testing.T) {
	for _, s := range hostile {
		inert(t, s, string(inline(s)))
	}
}

func FuzzInline(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			s = s[:2000]
		}
		inert(t, s, string(inline(s)))
	})
}

func FuzzCodeSpan(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := string(codeSpan(s))
		for where, frame := range around {
			want, got := shape(strings.ReplaceAll(frame, "%s", "text")), shape(strings.ReplaceAll(frame, "%s", escaped))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q became %q, which is active in a %s (-harmless +got):\n%s", s, escaped, where, diff)
			}
		}
	})
}

func FuzzBlocks(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			s = s[:2000]
		}
		for name, block := range map[string][2]string{
			"prose": {string(prose(s)), "text"},
			"label": {"**Label.** " + string(prose(s)), "**Label.** text"},
			"fence": {string(fenced(s, s)), string(fenced("", "text"))},
		} {
			frame := func(b string) string { return "before\n\n" + b + "\n\n- after\n" }
			if diff := cmp.Diff(shape(frame(block[1])), shape(frame(block[0]))); diff != "" {
				t.Errorf("%s of %q is %q, which is active (-harmless +got):\n%s", name, s, block[0], diff)
			}
		}
	})
}

// fixed are the fields whose values the schemas list one by one; they steer
// what a rendering holds.
var fixed = []string{"Response", "Verdict", "VerificationMode", "Status", "Strategy", "Stage"}

// spoiled is the ledger with s in place of every string in it, so that a test
// sees whatever a template prints.
func spoiled(s string) Input {
	in := ledger()
	spoil(reflect.ValueOf(&in).Elem(), "", s)
	return in
}

func spoil(v reflect.Value, field, s string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), field, s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			spoil(v.Field(i), v.Type().Field(i).Name, s)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), field, s)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if v.Type().Elem().Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf(s))
			}
		}
	case reflect.String:
		spoilString(v, field, s)
	}
}

func spoilString(v reflect.Value, field, s string) {
	switch {
	case v.String() == "" || slices.Contains(fixed, field) || v.Type() == reflect.TypeFor[artifacts.Severity]():
	case field == "BugID": // ids have no white space, and tell findings apart
		v.SetString(v.String() + strings.Join(strings.Fields(s), ""))
	default:
		v.SetString(s)
	}
}

func TestNoRenderingOfHostileArtifactsIsActive(t *testing.T) {
	for _, k := range Kinds() {
		harmless := shape(string(mustRender(t, k.Name, spoiled("text"))))
		for _, s := range hostile {
			md := string(mustRender(t, k.Name, spoiled(s)))
			if found := active(md); found != nil {
				t.Errorf("%s made of %q holds %q", k.Name, s, found)
			}
			if diff := cmp.Diff(harmless, shape(md)); diff != "" {
				t.Errorf("%s made of %q has another structure (-harmless +got):\n%s", k.Name, s, diff)
			}
			if i := strings.IndexFunc(md, func(r rune) bool { return r != '\n' && r != '\t' && isHidden(r) }); i >= 0 {
				t.Errorf("%s made of %q holds a character that cannot be seen: %q", k.Name, s, md[i:min(i+8, len(md))])
			}
		}
	}
}

// plainTag is every tag that a page may hold.
var plainTag = regexp.MustCompile(`^</?(?:h[1-3]|p|ul|li|code|pre|strong|em|blockquote|table|thead|tbody|tr|th|td|div|a|br|main|body|html)` +
	`(?: (?:id="[A-Za-z0-9_-]+"|class="(?:scroll|critical|high|medium|low|language-[a-z0-9+#-]+)"|href="#[A-Za-z0-9_-]+"|style="text-align:right"))*>$`)

func TestNoPageOfHostileArtifactsIsActive(t *testing.T) {
	for _, k := range Kinds() {
		for _, s := range hostile {
			page, err := HTML(s, mustRender(t, k.Name, spoiled(s)))
			if err != nil {
				t.Fatal(err)
			}
			head, body, found := strings.Cut(string(page), "</head>")
			if !found || strings.Count(head, "<style>") != 1 || strings.Count(head, "</style>") != 1 || strings.Contains(head, "<script") {
				t.Errorf("the head made of %q is not ours alone:\n%s", s, head)
			}
			for after := range strings.SplitSeq(body, "<") {
				if name, _, _ := strings.Cut(after, ">"); after != "\n" && !plainTag.MatchString("<"+name+">") {
					t.Errorf("the page %s made of %q holds %q", k.Name, s, "<"+after)
				}
			}
		}
	}
}
