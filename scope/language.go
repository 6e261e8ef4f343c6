package scope

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// languages maps the endings of source files to names as people write them.
var languages = map[string]string{
	".go": "Go", ".py": "Python", ".rb": "Ruby", ".php": "PHP", ".pl": "Perl", ".lua": "Lua",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".tsx": "TypeScript",
	".vue": "Vue", ".svelte": "Svelte",
	".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy", ".clj": "Clojure",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++",
	".m": "Objective-C", ".mm": "Objective-C", ".swift": "Swift", ".dart": "Dart",
	".cs": "C#", ".fs": "F#", ".vb": "Visual Basic", ".rs": "Rust", ".zig": "Zig", ".nim": "Nim",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".r": "R", ".jl": "Julia",
	".sh": "Shell", ".bash": "Shell", ".zsh": "Shell", ".ps1": "PowerShell",
	".sql": "SQL", ".proto": "Protocol Buffers", ".graphql": "GraphQL", ".tf": "Terraform", ".sol": "Solidity",
}

// Language is the language of a source file by its name, "" if it is none
// that is known.
func Language(file string) string {
	return languages[strings.ToLower(path.Ext(file))]
}

// isTest goes by the conventions of the languages' test runners.
func isTest(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"),
		strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"):
		return true
	case strings.HasPrefix(base, "test_") && path.Ext(base) == ".py":
		return true
	}
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		if dir == "__tests__" || dir == "testdata" {
			return true
		}
	}
	return false
}

// generated is Go's own marker (https://go.dev/s/generatedcode), which other
// languages' generators have taken over behind their comment signs.
var generated = regexp.MustCompile(`^(//|#|--|/\*) Code generated .* DO NOT EDIT\.(\s*\*/)?\s*$`)

// isGenerated looks for the marker ahead of the code, in the first lines. What
// stands further down may be a generator that writes the marker, and that is
// code which somebody wrote.
func isGenerated(data []byte) bool {
	const enough = 4 << 10
	data = bytes.TrimPrefix(data[:min(len(data), enough)], []byte("\ufeff"))
	inBlock := false
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		text := bytes.TrimSpace(line)
		switch {
		case generated.Match(line) && !inBlock:
			return true
		case inBlock || bytes.HasPrefix(text, []byte("/*")):
			inBlock = !bytes.Contains(text, []byte("*/"))
		case len(text) > 0 && !lineComment.Match(text):
			return false
		}
	}
	return false
}

// lineComment is a line ahead of the code that is none itself: a comment, or
// what has to stand before one.
var lineComment = regexp.MustCompile(`^(//|#|--|<\?php\s*$)`)
