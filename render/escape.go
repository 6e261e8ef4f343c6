package render

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown is text that may stand in a document as it is: a template's own
// words, or what one of the functions in this file made of hostile text.
type markdown string

// blank stands for text in which nothing can be seen, so that a heading, a
// cell or a list item never disappears together with its text.
const blank markdown = "(blank)"

// inline makes text safe for a paragraph, a heading, a list item and a table
// cell. White space is folded into single spaces, what cannot be seen is
// spelled out, and nothing in the result is active: no markup, no HTML, no
// entity, and no address that a renderer would turn into a link or a mention.
//
// What the author put between backticks stays code, because code is inert. An
// address becomes code too: that is the only form in which every renderer of
// GitHub's dialect leaves it alone, since some look for addresses after the
// backslashes are gone. The rest is escaped only where it would be active,
// so that a.go, foo_bar and a < b can be read in the raw file.
func inline(s string) markdown {
	e := escaper{text: visible(fold(s), "")}
	if e.text == "" {
		return blank
	}
	for i := 0; i < len(e.text); {
		i = e.next(i)
	}
	return markdown(e.out.String())
}

// An escaper writes a folded text piece by piece.
type escaper struct {
	text string
	out  strings.Builder
}

// next writes the piece that begins at i and returns where the one after it
// begins.
func (e *escaper) next(i int) int {
	rest := e.text[i:]
	switch rest[0] {
	case '`':
		ticks := runLength(rest, '`')
		if body, ok := closedBy(rest[ticks:], ticks); ok {
			e.code(body)
			return i + ticks + len(body) + ticks
		}
		return e.escape(i, i+ticks)
	case ' ', '|':
		return e.escape(i, i+1)
	}
	end := len(e.text)
	if n := strings.IndexAny(rest, " `|"); n >= 0 {
		end = i + n
	}
	if isAddress(e.text[i:end]) {
		return e.address(i, end)
	}
	return e.escape(i, end)
}

// isAddress reports whether a word might become a link or notify someone.
func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.Contains(word, "@") ||
		strings.Contains(strings.ToLower(word), "www.")
}

// address writes the word from i to end as code, without the punctuation of
// the sentence around it.
func (e *escaper) address(i, end int) int {
	word := e.text[i:end]
	first := i + len(word) - len(strings.TrimLeft(word, `([{<"'`))
	last := i + len(strings.TrimRight(word, `)]}>"',.;:!?`))
	e.escape(i, first)
	e.code(e.text[first:last])
	return e.escape(last, end)
}

// code writes a code span, after a space where it must not touch what stands
// before it. Two spans side by side would read their backticks as one run, and
// a backtick may be part of an e-mail address, so that some renderers take the
// word before and an address in the code for one.
func (e *escaper) code(s string) {
	if before := e.out.String(); before != "" {
		last := before[len(before)-1]
		if last == '`' || strings.Contains(s, "@") && !strings.ContainsRune(` ("[,;:>`, rune(last)) {
			e.out.WriteByte(' ')
		}
	}
	e.out.WriteString(string(codeSpan(s)))
}

// escape writes the text from i to end and returns end.
func (e *escaper) escape(i, end int) int {
	prev, _ := utf8.DecodeLastRuneInString(e.text[:i])
	for i < end {
		r, size := utf8.DecodeRuneInString(e.text[i:])
		next, _ := utf8.DecodeRuneInString(e.text[i+size:])
		switch {
		case r == '<' && !strings.ContainsRune(" =-0123456789", next):
			e.out.WriteString("&lt;")
		case r == '&' && (next == '#' || next == utf8.RuneError || isWord(next)):
			e.out.WriteString("&amp;")
		case e.active(i, prev, r, next):
			e.out.WriteByte('\\')
			fallthrough
		default:
			e.out.WriteRune(r)
		}
		prev = r
		i += size
	}
	return end
}

// active reports whether the rune at i needs a backslash. Missing neighbours
// are utf8.RuneError.
func (e *escaper) active(i int, prev, r, next rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '~', '|', '$':
		return true
	case '_': // inside a word it is no emphasis
		return !isWord(prev) || !isWord(next)
	case '#': // a heading, or the end of one
		return !isWord(prev)
	case '-', '+', '=', '>', ':': // a list, an underline, a quote, a definition
		return i == 0
	case '.', ')': // a numbered list
		return i > 0 && (next == ' ' || next == '`' || next == utf8.RuneError) && strings.Trim(e.text[:i], "0123456789") == ""
	}
	return false
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// codeSpan makes a code span that can stand wherever inline text can. A line
// break in a file name is shown as \n. A pipe would need a backslash inside a
// table and show it outside one, so the span is closed around each pipe.
func codeSpan(s string) markdown {
	var b strings.Builder
	for i, piece := range strings.Split(visible(s, ""), "|") {
		if i > 0 {
			b.WriteString(`\|`)
		}
		b.WriteString(span(piece))
	}
	if b.Len() == 0 {
		return blank
	}
	return markdown(b.String())
}

// span puts one piece without pipes between backticks.
func span(s string) string {
	if s == "" {
		return ""
	}
	first, last := s[0], s[len(s)-1]
	spaced := first == ' ' && last == ' ' && strings.Trim(s, " ") != ""
	if first == '`' || last == '`' || spaced {
		s = " " + s + " "
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	return ticks + s + ticks
}

// fenced makes a block of code that nothing inside can end. It must begin at
// the start of a line. The language is dropped if it is not a plain word.
func fenced(language, s string) markdown {
	body := visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t")
	ticks := strings.Repeat("`", max(3, longestRun(body, '`')+1))
	if strings.Trim(language, "abcdefghijklmnopqrstuvwxyz0123456789+#-") != "" {
		language = ""
	}
	return markdown(ticks + language + "\n" + strings.Trim(body, "\n") + "\n" + ticks)
}

// prose is inline text that keeps the author's paragraphs and lines. It must
// not stand in a heading, a list item or a table.
func prose(s string) markdown {
	var b strings.Builder
	gap := ""
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n") {
		if strings.TrimSpace(line) == "" {
			if b.Len() > 0 {
				gap = "\n\n"
			}
			continue
		}
		b.WriteString(gap + string(inline(line)))
		gap = "\\\n"
	}
	if b.Len() == 0 {
		return blank
	}
	return markdown(b.String())
}

// fold makes every run of white space one space and trims both ends.
func fold(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// visible spells out, as Go would in a string, what would otherwise change
// how the text around it looks without being seen: control characters,
// characters that turn the direction of the text, zero-width ones, odd
// spaces. Those in keep stay. Invalid UTF-8 becomes U+FFFD.
func visible(s, keep string) string {
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) && !strings.ContainsRune(keep, r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isHidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// runLength counts how often c stands at the start of s.
func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest := 0
	for i := 0; i < len(s); i++ {
		n := runLength(s[i:], c)
		longest = max(longest, n)
		i += n
	}
	return longest
}

// closedBy returns what stands in s before a run of exactly n backticks, if
// there is one.
func closedBy(s string, n int) (body string, ok bool) {
	for i := 0; i < len(s); i++ {
		run := runLength(s[i:], '`')
		if run == n {
			return s[:i], true
		}
		i += run
	}
	return "", false
}
