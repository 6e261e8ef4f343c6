package render

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bughunter/artifacts"
)

// shortLength is how many characters of a claim fit a heading or a cell, and
// errorLength how many of an error.
const (
	shortLength = 90
	errorLength = 300
)

// short is a claim for a heading or a cell.
func short(claim string) string {
	return strings.TrimSuffix(cut(claim, shortLength), ".")
}

// cut folds the text and shortens it to at most n characters: at the end of a
// clause if one ends in the second half of them, or else between words.
func cut(s string, n int) string {
	s = fold(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	head := string([]rune(s)[:n-1])
	end := 0
	for _, mark := range []string{". ", ", ", "; ", ": ", " ("} {
		end = max(end, strings.LastIndex(head, mark))
	}
	if end < n/2 {
		end = strings.LastIndexByte(head, ' ')
	}
	if end >= n/2 {
		head = head[:end]
	}
	return strings.TrimRight(head, " ,;:.(") + "…"
}

// place is where something stands, as code: file.go:12-15.
func place(file, lines string) markdown {
	if lines == "" {
		return codeSpan(file)
	}
	return codeSpan(file + ":" + lines)
}

// languages names the language of a fence by the file's extension.
var languages = map[string]string{
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".css": "css",
	".dart": "dart", ".ex": "elixir", ".exs": "elixir", ".go": "go", ".html": "html", ".java": "java",
	".js": "js", ".cjs": "js", ".mjs": "js", ".jsx": "jsx", ".json": "json", ".kt": "kotlin", ".lua": "lua",
	".md": "md", ".php": "php", ".pl": "perl", ".proto": "proto", ".py": "python", ".rb": "ruby",
	".rs": "rust", ".scala": "scala", ".sh": "sh", ".bash": "sh", ".sql": "sql", ".swift": "swift",
	".tf": "hcl", ".toml": "toml", ".ts": "ts", ".tsx": "tsx", ".vue": "vue", ".xml": "xml",
	".yaml": "yaml", ".yml": "yaml", ".zig": "zig",
}

// source is code of a file as a fenced block in the file's language.
func source(file, code string) markdown {
	return fenced(languages[strings.ToLower(path.Ext(file))], code)
}

// number prints a score or a threshold without needless digits.
func number(f float64) string {
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// count is "1 file" or "3 files".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// share is "all 3 files" or "2 of 3 files".
func share(part, total int, one, many string) string {
	switch {
	case part == total && total == 1:
		return "the only " + one
	case part == total:
		return fmt.Sprintf("all %d %s", total, many)
	}
	return fmt.Sprintf("%d of %s", part, count(total, one, many))
}

// sentence is s as a sentence: it starts with a capital and ends with a full
// stop.
func sentence(s string) string {
	s = capital(strings.TrimSpace(s))
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// capital makes the first letter a capital.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// series joins parts as a sentence does: a, b and c.
func series(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// mode says how a verdict was reached.
func mode(m string) string {
	switch m {
	case artifacts.IndependentlyVerified:
		return "verified independently"
	case artifacts.EvidenceBased:
		return "by weighing the evidence"
	}
	return m
}

// meanings explains the words of the contracts in a few of ours.
var meanings = map[string]string{
	artifacts.SafeAutofix:              "small and certain enough to be fixed automatically",
	artifacts.ManualReviewFix:          "a person should write or approve the fix",
	artifacts.LargerRefactor:           "the fix reaches beyond the place of the bug",
	artifacts.ArchitecturalRemediation: "the design has to change",

	artifacts.Canary:  "tried first",
	artifacts.Rollout: "after the canary held",

	artifacts.FixProposed: "a patch that applies; not applied, not tested",
	artifacts.FixFailed:   "no patch that applies came of it",
	artifacts.FixSkipped:  "not tried",
	"FIXED":               "applied, and its checks passed",
	"FIX_REVERTED":        "applied and taken back",
	"PARTIAL":             "applied; part of the bug remains",
	"FIXER_BUG":           "the fix brought a bug of its own",

	"EXTERNAL":      "anyone who reaches the service",
	"AUTHENTICATED": "anyone with a login",
	"INTERNAL":      "only from inside",
	"UNREACHABLE":   "no way leads there",
}

// means explains a word of the contracts, or repeats one it does not know.
func means(word string) string {
	if m, ok := meanings[word]; ok {
		return m
	}
	return word
}
