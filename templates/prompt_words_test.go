package templates_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bughunter/schemas"
)

// Words that look like a value or a field of a contract and are none.
var (
	plainCapitals = []string{"BUG", "CI", "CVSS", "CWE", "JSON", "TODO", "UTF"}
	plainQuoted   = []string{
		"data", "json", // marks of fences
		"./", "go.mod", "package.json",
		"[]", "12", "12-15", "12-15, 40", "…", `\n`, `\t`, "true",
		"--- a/path", "+++ b/path", "/dev/null", "@@ -first,count +first,count @@", "git apply --check",
		"CWE-", "H-1", "BUG-3f9a2c", "BUG-81d07e",
		"internal/transfer/transfer.go", "internal/store/move.go",
		"planted-instructions", // a category of the prompts' own; the schema allows any
	}
	otherScales = regexp.MustCompile(`\b(Severe|Major|Minor|Moderate|Blocker|Trivial|Info|Informational|P[0-4]|Urgent)\b`)
)

var (
	capitals  = regexp.MustCompile(`\b[A-Z][A-Z_]*[A-Z]\b`)
	quoted    = regexp.MustCompile("`([^`\n]+)`")
	camelCase = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z]*\b`)
)

// No prompt may contradict its schema: each word of a contract that it uses
// must be one of the schema of its answer.
func TestPromptsUseTheWordsOfTheirSchema(t *testing.T) {
	for name, p := range everyPrompt(t) {
		phase, _, _ := strings.Cut(name, " ")
		known := schemaWords(t, answers[phase])
		_, prose := split(p)
		check := func(re *regexp.Regexp, group int, allowed []string) {
			for _, m := range re.FindAllStringSubmatch(prose, -1) {
				if !known[m[group]] && !slices.Contains(allowed, m[group]) {
					t.Errorf("%s: the schema %s does not know %q", name, answers[phase], m[group])
				}
			}
		}
		check(capitals, 0, plainCapitals)
		check(quoted, 1, plainQuoted)
		check(camelCase, 0, nil)
		if m := otherScales.FindString(prose); m != "" {
			t.Errorf("%s: %q is of no scale that is used here", name, m)
		}
	}
}

// A worker can only fill in a field that it has been told of.
func TestPromptsNameEveryFieldOfTheirSchema(t *testing.T) {
	for _, phase := range phases {
		_, prose := split(prompt(t, phase, promptData(assignment(phase))))
		for field := range schemaFields(t, answers[phase]) {
			if !strings.Contains(prose, "`"+field+"`") {
				t.Errorf("the prompt for the %s does not name %q", phase, field)
			}
		}
	}
}

func TestPromptsNameEveryCategory(t *testing.T) {
	item := digMap(t, source(t, "shared"), "$defs", "category")
	list, _, _ := strings.Cut(strings.TrimPrefix(item["description"].(string), "The kind of bug: "), ", or another")
	for _, phase := range phases {
		p := prompt(t, phase, promptData(assignment(phase)))
		for category := range strings.SplitSeq(list, ", ") {
			if !strings.Contains(p, "`"+category+"`") {
				t.Errorf("the prompt for the %s does not explain the category %q", phase, category)
			}
		}
	}
}

// One scale each for severity and confidence, in the words of the schema.
func TestPromptsShareTheirScales(t *testing.T) {
	shared := source(t, "shared")
	severity := digMap(t, shared, "$defs", "severity")["description"].(string)
	score := digMap(t, shared, "$defs", "confidenceScore")["description"].(string)
	label := digMap(t, shared, "$defs", "confidenceLabel")["description"].(string)
	_, label, _ = strings.Cut(label, ": ")

	for name, p := range everyPrompt(t) {
		flat := strings.Join(strings.Fields(p), " ")
		for sentence := range strings.SplitSeq(severity, ". ") {
			if sentence = strings.TrimSuffix(sentence, ".") + "."; strings.Count(flat, "- "+sentence) != 1 {
				t.Errorf("%s does not define once: %s", name, sentence)
			}
		}
		if name == "recon" || name == "recon in a file" {
			if strings.Contains(strings.ToLower(p), "confidence") {
				t.Errorf("%s speaks of confidence, which it has no scale for", name)
			}
			continue
		}
		for _, words := range []string{strings.TrimSuffix(score, "."), label} {
			if strings.Count(flat, words) != 1 {
				t.Errorf("%s does not say once: %s", name, words)
			}
		}
	}
}

// schemaWords are the names and the enumerated values of a schema and of what
// all schemas share, and the categories of a bug.
func schemaWords(t *testing.T, artifact string) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, name := range []string{artifact, "shared"} {
		walk(source(t, name), func(key string, v any) {
			switch v := v.(type) {
			case map[string]any:
				if key == "properties" {
					for field := range v {
						words[field] = true
					}
				}
			case []any:
				if key == "enum" {
					for _, value := range v {
						words[value.(string)] = true
					}
				}
			}
		})
	}
	categories := digMap(t, source(t, "shared"), "$defs", "category")["description"].(string)
	for word := range strings.FieldsFuncSeq(categories, func(r rune) bool { return strings.ContainsRune(" ,.:", r) }) {
		words[word] = true
	}
	return words
}

// schemaFields are the properties that a schema itself defines.
func schemaFields(t *testing.T, artifact string) map[string]bool {
	t.Helper()
	fields := map[string]bool{}
	walk(source(t, artifact), func(key string, v any) {
		properties, ok := v.(map[string]any)
		if key != "properties" || !ok {
			return
		}
		for field := range maps.Keys(properties) {
			fields[field] = true
		}
	})
	for _, status := range []string{"PROPOSED", "FIXED", "FIX_REVERTED", "FIX_FAILED", "PARTIAL", "SKIPPED", "FIXER_BUG"} {
		delete(fields, status) // the fields of totals, which a worker leaves out as a whole
	}
	return fields
}

// walk calls visit for every member of every object in v.
func walk(v any, visit func(key string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			visit(key, value)
			walk(value, visit)
		}
	case []any:
		for _, value := range v {
			walk(value, visit)
		}
	}
}

func source(t *testing.T, name string) map[string]any {
	t.Helper()
	raw, err := schemas.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func digMap(t *testing.T, v map[string]any, path ...string) map[string]any {
	t.Helper()
	for _, key := range path {
		next, ok := v[key].(map[string]any)
		if !ok {
			t.Fatalf("the schema has no %s", strings.Join(path, "/"))
		}
		v = next
	}
	return v
}
