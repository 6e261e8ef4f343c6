package render

import (
	"strings"
	"testing"
	"text/template"
	"unicode/utf8"
)

func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		// What needs no escape has none.
		"a.go and foo_bar, 1.22 or C# (v2)!": "a.go and foo_bar, 1.22 or C# (v2)!",
		"if a < b && c <= d { x <- y }":      "if a < b && c <= d { x <- y }",
		"x > y, p->q, n - 1, n + 1, k = v":   "x > y, p->q, n - 1, n + 1, k = v",
		"ends in 5.5":                        "ends in 5.5",

		// White space and what cannot be seen.
		"  two\r\n\tlines\u2028three\u00a0four ": "two lines three four",
		"":                                       "(blank)",
		" \n\t ":                                 "(blank)",
		"a\x00b\x1b[31m":                         `a\\x00b\\x1b\[31m`,
		"pay\u202eload\u200b\ufeff":              `pay\\u202eload\\u200b\\ufeff`,
		"tag\U000e0041 sel\ufe0f":                `tag\\U000e0041 sel\\ufe0f`,
		"bad \xff utf-8":                         "bad \uFFFD utf-8",
		"soft\u00adhyphen h\u3164ole":            `soft\\u00adhyphen h\\u3164ole`,

		// Markup.
		"*a* _b_ foo__bar ~c~":      `\*a\* \_b\_ foo\_\_bar \~c\~`,
		"[a](javascript:x) ![b](c)": `\[a\](javascript:x) !\[b\](c)`,
		"<b>&lt;&#60; a & b &":      "&lt;b>&amp;lt;&amp;\\#60; a & b &amp;",
		"<!-- x -->":                "&lt;!-- x -->",
		"a | b \\":                  `a \| b \\`,
		`\|`:                        `\\\|`,
		"$x$":                       `\$x\$`,
		"# a #":                     `\# a \#`,
		"- a":                       `\- a`,
		"+ a":                       `\+ a`,
		"> a":                       `\> a`,
		": a":                       `\: a`,
		"===":                       `\===`,
		"12. a":                     `12\. a`,
		"12) a":                     `12\) a`,
		"12.":                       `12\.`,
		"~~~":                       `\~\~\~`,
		"[^1]: note":                `\[^1\]: note`,

		// Code stays code.
		"the `f(x|y)` call": "the `f(x`\\|`y)` call",
		"``a ` b`` and `":   "``a ` b`` and \\`",
		"`a``b`":            "```a``b```",
		"```go":             "\\`\\`\\`go",
		"`<b>` <b>":         "`<b>` &lt;b>",
		"`a\u202eb`":        "`a\\u202eb`",

		// Addresses are code, without the punctuation around them.
		"see (https://x.example/a_b?c=1), too.": "see (`https://x.example/a_b?c=1`), too.",
		"www.x.example":                         "`www.x.example`",
		"WWW.x.example":                         "`WWW.x.example`",
		"ask a@x.example or @team":              "ask `a@x.example` or `@team`",
		"ftp://a|b://c":                         "`ftp://a`\\|`b://c`",
		"`a`www.x.example":                      "`a` `www.x.example`",
		"`www.x.example":                        "\\` `www.x.example`",
		"<https://x.example>":                   "&lt;`https://x.example`>",
		"gopkg.in/x@v1.2":                       "`gopkg.in/x@v1.2`",
	} {
		if got := string(inline(in)); got != want {
			t.Errorf("inline(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestCodeSpan(t *testing.T) {
	for in, want := range map[string]string{
		"a.go:12":          "`a.go:12`",
		"a b.go":           "`a b.go`",
		"two\nlines.go":    "`two\\nlines.go`",
		"a\tb\r":           "`a\\tb\\r`",
		"a`b":              "``a`b``",
		"`a":               "`` `a ``",
		"a``":              "``` a`` ```",
		" a ":              "`  a  `",
		" ":                "` `",
		"a|b":              "`a`\\|`b`",
		"||":               `\|\|`,
		"":                 "(blank)",
		"<b>":              "`<b>`",
		"evil\u202etxt.og": "`evil\\u202etxt.og`",
		"zero\u200bwidth":  "`zero\\u200bwidth`",
		"full\u3000width":  "`full\\u3000width`",
		"Grüße/日本語.go":     "`Grüße/日本語.go`",
	} {
		if got := string(codeSpan(in)); got != want {
			t.Errorf("codeSpan(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestFenced(t *testing.T) {
	for _, test := range []struct{ language, in, want string }{
		{"go", "a\n\tb", "```go\na\n\tb\n```"},
		{"go", "a\r\nb\r\n", "```go\na\nb\n```"},
		{"go", "a\rb", "```go\na\\rb\n```"},
		{"", "```\n<b>", "````\n```\n<b>\n````"},
		{"", "~~~~\n`````x", "``````\n~~~~\n`````x\n``````"},
		{"go`\nx", "a", "```\na\n```"},
		{"c++", "a", "```c++\na\n```"},
		{"go", "if x {\u202e } \u200b// \u2066 y", "```go\nif x {\\u202e } \\u200b// \\u2066 y\n```"},
		{"go", "\n\n  a\u0085b\u2028c\x00\n\n", "```go\n  a\\u0085b\\u2028c\\x00\n```"},
	} {
		if got := string(fenced(test.language, test.in)); got != test.want {
			t.Errorf("fenced(%q, %q)\n got %q\nwant %q", test.language, test.in, got, test.want)
		}
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"one":                              "one",
		"\n\n one \r\n two\r\rthree \n":    "one\\\ntwo\n\nthree",
		"a\n# b\n---\n===\n- c\n1. d\n> e": "a\\\n\\# b\\\n\\---\\\n\\===\\\n\\- c\\\n1\\. d\\\n\\> e",
		" \n \n":                           "(blank)",
	} {
		if got := string(prose(in)); got != want {
			t.Errorf("prose(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for in, want := range map[string]string{
		"A claim.":               "A claim",
		"A\nclaim":               "A claim",
		long:                     strings.TrimSpace(strings.Repeat("word ", 17)) + "…",
		strings.Repeat("é", 200): strings.Repeat("é", 89) + "…",
		"The limit that the caller asks for is used as a capacity (without an upper bound, so that it can be anything)": "The limit that the caller asks for is used as a capacity (without an upper bound…",
	} {
		got := short(in)
		if got != want {
			t.Errorf("short(%q)\n got %q\nwant %q", in, got, want)
		}
		if n := utf8.RuneCountInString(got); n > shortLength {
			t.Errorf("short(%q) has %d characters", in, n)
		}
	}
}

func TestATemplateCannotPrintUnescaped(t *testing.T) {
	for name, v := range map[string]any{"float": 1.5, "nil": nil, "slice": []string{"a"}, "bool": true} {
		if got, err := escape(v); err == nil {
			t.Errorf("escape of a %s printed %q, want an error", name, got)
		}
	}
	for _, text := range []string{
		`{{.}}`, `{{with .}}{{.}}{{end}}`, `{{if .}}{{.}}{{end}}`, `{{if not .}}{{else}}{{.}}{{end}}`,
		`{{define "x"}}{{.}}{{end}}{{template "x" .}}`,
		`{{$x := .}}{{$x}}`, `{{. | printf "%s"}}`, `{{with ""}}{{else}}{{.}}{{end}}`, `{{block "y" .}}{{.}}{{end}}`,
	} {
		tree := guarded(template.Must(template.New("probe").Funcs(template.FuncMap{"escape": escape}).Parse(text)))
		var b strings.Builder
		if err := tree.Execute(&b, "<b>"); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got, want := b.String(), "&lt;b>"; got != want {
			t.Errorf("%s printed %q, want %q", text, got, want)
		}
	}
}
