package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dialect is the only version of JSON Schema that is understood here.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// lint checks a schema file, and those it refers to, against the rules of this
// repository, beyond what makes a JSON Schema. They are what the validator
// relies on, so a schema that breaks them is an error and not a matter of taste:
//
//   - a keyword that the validator cannot explain is not allowed, which leaves
//     out patternProperties (a data race in the library), format (not asserted
//     by it), not, oneOf and anyOf (no clear message), and unevaluated*;
//   - an object with properties knows all of them: additionalProperties is
//     false, except in a condition, which is about a part of the object;
//   - an artifact that is an array asks for nothing but its items, because they
//     are validated one at a time;
//   - a reference leads somewhere.
//
// It returns the texts by file name. The error has a line for each problem and
// names file and place.
func lint(files fs.FS, name string) (map[string][]byte, error) {
	l := &linter{files: files, read: map[string]schemaFile{}, queue: []string{fileName(name)}}
	texts := map[string][]byte{}
	for i := 0; i < len(l.queue); i++ {
		l.lintFile(l.queue[i])
		texts[l.queue[i]] = l.read[l.queue[i]].text
	}
	return texts, errors.Join(l.problems...)
}

// linter collects what is wrong with a file and the files it leads to.
type linter struct {
	files    fs.FS
	read     map[string]schemaFile
	queue    []string // the files, each once
	file     string   // the one being looked at
	problems []error
}

type schemaFile struct {
	text []byte
	root map[string]any
	err  error
}

func (l *linter) lintFile(file string) {
	l.file = file
	f := l.open(file)
	if f.err != nil {
		l.problems = append(l.problems, f.err)
		return
	}
	l.root(f.root)
	l.schema(f.root, "", scope{})
}

// open reads a schema, as strictly as any other document.
func (l *linter) open(file string) schemaFile {
	if f, ok := l.read[file]; ok {
		return f
	}
	var f schemaFile
	f.text, f.root, f.err = readSchema(l.files, file)
	l.read[file] = f
	return f
}

func readSchema(files fs.FS, file string) ([]byte, map[string]any, error) {
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	v, err := newDocument(bytes.NewReader(text), defaultLimits).all()
	if err != nil {
		// Not wrapped: it is no MalformedError about what is being validated.
		return nil, nil, fmt.Errorf("%s: %v", file, err)
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("%s at the root: expected object, got %s", file, kind(v))
	}
	return text, root, nil
}

func (l *linter) problem(pointer, format string, args ...any) {
	if pointer == "" {
		pointer = "the root"
	}
	l.problems = append(l.problems, fmt.Errorf("%s at %s: %s", l.file, pointer, fmt.Sprintf(format, args...)))
}

// rootKeywords stand at the root of a file and nowhere else.
var rootKeywords = []string{"$schema", "$id", "schemaVersion", "$defs"}

// keywords are the others that the validator knows.
var keywords = []string{
	"$ref", "title", "description", "type", "enum", "const",
	"properties", "required", "additionalProperties", "items", "minItems", "maxItems",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minLength", "maxLength", "pattern", "allOf", "if", "then",
}

// root checks what a file says about itself.
func (l *linter) root(root map[string]any) {
	if root["$schema"] != dialect {
		l.problem("/$schema", "expected %q", dialect)
	}
	if root["$id"] != baseURI+l.file {
		l.problem("/$id", "expected %q", baseURI+l.file)
	}
	version, _ := root["schemaVersion"].(json.Number)
	if n, err := strconv.Atoi(version.String()); err != nil || n < 1 || n > Version {
		l.problem("/schemaVersion", "expected an integer from 1 to %d", Version)
	}
	switch {
	case l.file == fileName(shared):
	case root["type"] == "array":
		l.arrayRoot(root)
	case root["type"] != "object":
		l.problem("/type", `an artifact is an "object" or an "array"`)
	}
}

func (l *linter) arrayRoot(root map[string]any) {
	allowed := append([]string{"title", "description", "type", "items"}, rootKeywords...)
	for _, keyword := range sortedKeys(root) {
		if !slices.Contains(allowed, keyword) {
			l.problem("", "an artifact that is an array is validated item by item, so %s is never looked at", keyword)
		}
	}
	if root["items"] == nil {
		l.problem("", "an array needs items")
	}
}

// scope is what a schema inherits from the one it stands in.
type scope struct {
	fragment bool           // it is under if or then, and describes a part of an object
	known    map[string]any // the properties of that object, if they are described around it
}

// schema checks a schema and those inside it.
func (l *linter) schema(v any, pointer string, in scope) {
	s, ok := v.(map[string]any)
	if !ok {
		l.problem(pointer, "a schema is an object here, got %s", kind(v))
		return
	}
	if properties, ok := s["properties"].(map[string]any); ok && !in.fragment {
		in.known = properties
	}
	for _, keyword := range sortedKeys(s) {
		l.keyword(keyword, s[keyword], pointer, in)
	}
	l.object(s, pointer, in)
	if (s["if"] == nil) != (s["then"] == nil) {
		l.problem(pointer, "if and then need each other")
	}
}

func (l *linter) keyword(keyword string, v any, pointer string, in scope) {
	at := pointer + "/" + escape(keyword)
	if !slices.Contains(keywords, keyword) && (pointer != "" || !slices.Contains(rootKeywords, keyword)) {
		l.problem(at, "unknown keyword, or one that does not belong here")
		return
	}
	switch keyword {
	case "$ref":
		l.reference(v, at)
	case "type":
		if name, ok := v.(string); !ok || !slices.Contains(types, name) {
			l.problem(at, "expected one of %q", types)
		}
	case "enum":
		l.enum(v, at)
	case "const":
		l.scalar(v, at)
	case "pattern":
		if _, err := regexp.Compile(fmt.Sprint(v)); err != nil {
			l.problem(at, "%v", err)
		}
	case "minItems", "maxItems":
		l.itemCount(v, at)
	case "if", "then":
		l.schema(v, at, scope{true, in.known})
	case "items":
		if in.fragment {
			l.problem(at, "items under a condition are not looked at in a long array")
		}
		l.schema(v, at, scope{fragment: in.fragment})
	case "properties", "$defs":
		l.schemasByName(v, at, scope{fragment: in.fragment})
	case "allOf":
		l.schemasInOrder(v, at, in)
	}
}

var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func (l *linter) schemasByName(v any, at string, in scope) {
	byName, ok := v.(map[string]any)
	if !ok {
		l.problem(at, "expected object, got %s", kind(v))
	}
	for _, name := range sortedKeys(byName) {
		l.schema(byName[name], at+"/"+escape(name), in)
	}
}

func (l *linter) schemasInOrder(v any, at string, in scope) {
	list, _ := v.([]any)
	if len(list) == 0 {
		l.problem(at, "expected an array with something in it")
	}
	for i, inner := range list {
		l.schema(inner, at+"/"+strconv.Itoa(i), in)
	}
}

func (l *linter) enum(v any, at string) {
	list, _ := v.([]any)
	if len(list) == 0 {
		l.problem(at, "expected an array with something in it; the library takes an empty one for no restriction")
	}
	for i, value := range list {
		l.scalar(value, at+"/"+strconv.Itoa(i))
	}
}

func (l *linter) scalar(v any, at string) {
	switch v.(type) {
	case map[string]any, []any:
		l.problem(at, "expected a string, a number, a boolean or null, got %s", kind(v))
	}
}

func (l *linter) itemCount(v any, at string) {
	number, _ := v.(json.Number)
	if n, err := strconv.Atoi(number.String()); err != nil || n < 0 || n >= chunk {
		l.problem(at, "expected an integer from 0 to %d; longer arrays are validated in pieces", chunk-1)
	}
}

// object checks the keywords about objects beside each other.
func (l *linter) object(s map[string]any, pointer string, in scope) {
	closed, there := s["additionalProperties"]
	if there && closed != false {
		l.problem(pointer+"/additionalProperties", "expected false")
	}
	properties, described := s["properties"].(map[string]any)
	if !in.fragment && !there && (described || s["type"] == "object") {
		l.problem(pointer, "an object without additionalProperties: false accepts anything")
	}
	if !described && in.known == nil {
		return
	}
	required, _ := s["required"].([]any)
	for i, v := range required {
		name, _ := v.(string)
		if properties[name] == nil && in.known[name] == nil {
			l.problem(pointer+"/required/"+strconv.Itoa(i), "%s is not one of the properties", show(v))
		}
	}
}

// reference checks that a $ref leads to something. It has the form
// file.schema.json, #/pointer, or both together.
func (l *linter) reference(v any, at string) {
	ref, _ := v.(string)
	file, pointer, _ := strings.Cut(ref, "#")
	if file == "" {
		file = l.file
	}
	if file != path.Base(file) || ref == "" || ref == "#" {
		l.problem(at, "expected a file beside this one, a #/pointer, or both, got %s", show(v))
		return
	}
	isNew := !slices.Contains(l.queue, file)
	if isNew {
		l.queue = append(l.queue, file)
	}
	target := l.open(file)
	if target.err != nil {
		if isNew { // once is enough
			l.problem(at, "%s leads nowhere: %v", quote(ref), target.err)
		}
		return
	}
	if !leadsSomewhere(target.root, pointer) {
		l.problem(at, "%s leads nowhere: there is no %s in %s", quote(ref), pointer, file)
	}
}

func leadsSomewhere(root any, pointer string) bool {
	if pointer == "" {
		return true
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := root.(map[string]any)
		if !ok {
			return false
		}
		if root, ok = object[pointerUnescape.Replace(token)]; !ok {
			return false
		}
	}
	return true
}
