package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxShown is how many characters of a value or a name a message shows.
const maxShown = 60

// maxPointer is the same for a pointer that the text's own names are part of.
const maxPointer = 200

// cut shortens a text to what a message has room for.
func cut(s string) string { return cutTo(s, maxShown) }

func cutTo(s string, n int) string {
	if short := prefix(s, n); len(short) < len(s) {
		return short + "…"
	}
	return s
}

// prefix is the first n characters of s, or all of it.
func prefix(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// quote shows a string of the text such that it cannot be taken for anything
// else: control characters, and what changes the direction of writing, are
// escaped.
func quote(s string) string {
	if short := prefix(s, maxShown); len(short) < len(s) {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(s)
}

// plainName shows the name of a property, quoted only if it has to be.
func plainName(name string) string {
	odd := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '"' }
	if name == "" || strings.ContainsFunc(name, odd) {
		return quote(name)
	}
	return cut(name)
}

// cleanPointer makes a pointer fit for printing.
func cleanPointer(pointer string) string {
	if strings.ContainsFunc(pointer, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		quoted := strconv.Quote(pointer)
		pointer = quoted[1 : len(quoted)-1]
	}
	return cutTo(pointer, maxPointer)
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape makes a name a token of a JSON Pointer (RFC 6901).
func escape(name string) string { return pointerEscape.Replace(name) }

// show is a value as a message names it: itself, or only what kind it is.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		return quote(v)
	}
	return kind(v)
}

// showWithKind is [show] for where the kind of the value is what is wrong.
func showWithKind(v any) string {
	switch v.(type) {
	case bool, json.Number, string:
		return kind(v) + " " + show(v)
	}
	return show(v)
}

// kind is the JSON Schema type of a value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// size is a number of bytes for a person.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// count is a number of things, in grammatical English.
func count(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%g %ss", n, thing)
}
