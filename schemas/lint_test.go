package schemas

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// schemaFiles is a copy of the embedded schemas that a test may spoil.
func schemaFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(embedded, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

func TestPreflightAcceptsOurs(t *testing.T) {
	if err := New().Preflight(); err != nil {
		t.Error(err)
	}
}

// Each defect is planted by one replacement in one file, and the error names
// that file, the place and the reason.
func TestPreflightFinds(t *testing.T) {
	tests := []struct {
		name, file, old, new, want string
	}{
		{"a reference to nothing in the file", "findings", `"#/$defs/finding"`, `"#/$defs/findng"`,
			`findings.schema.json at /items/$ref: "#/$defs/findng" leads nowhere`},
		{"a reference to nothing in another file", "findings", `$defs/severity"`, `$defs/severities"`,
			`findings.schema.json at /$defs/finding/properties/severity/$ref: "shared.schema.json#/$defs/severities" leads nowhere`},
		{"a reference to no file", "recon", `{"$ref": "shared.schema.json#/$defs/schemaVersion"}`, `{"$ref": "common.schema.json"}`,
			`recon.schema.json at /properties/schemaVersion/$ref: "common.schema.json" leads nowhere`},
		{"a reference out of the folder", "recon", `"shared.schema.json#/$defs/schemaVersion"`, `"https://example.org/x.json"`,
			`recon.schema.json at /properties/schemaVersion/$ref: expected a file beside this one`},
		{"a reference in a definition that nothing uses", "shared", `"phase": {`, `"spare": {"$ref": "#/$defs/nothing"}, "phase": {`,
			`shared.schema.json at /$defs/spare/$ref: "#/$defs/nothing" leads nowhere`},
		{"a definition inside itself", "skeptic", `"counterEvidence": {"$ref": "shared.schema.json#/$defs/prose"}`,
			`"counterEvidence": {"$ref": "#/$defs/challenge"}`, `skeptic.schema.json: a definition refers to itself`},
		{"a misspelt keyword", "shared", `"minLength"`, `"minLenght"`, `shared.schema.json at /$defs/bugId/minLenght: unknown keyword`},
		{"patternProperties", "coverage", `"$defs": {`, `"patternProperties": {}, "$defs": {`, `coverage.schema.json at /patternProperties: unknown keyword`},
		{"oneOf", "skeptic", `"bugId": {`, `"bugId": {"oneOf": [], `, `/properties/bugId/oneOf: unknown keyword`},
		{"anyOf", "skeptic", `"bugId": {`, `"bugId": {"anyOf": [], `, `/properties/bugId/anyOf: unknown keyword`},
		{"not", "skeptic", `"bugId": {`, `"bugId": {"not": {}, `, `/properties/bugId/not: unknown keyword`},
		{"format", "skeptic", `"bugId": {`, `"bugId": {"format": "uuid", `, `/properties/bugId/format: unknown keyword`},
		{"unevaluatedProperties", "recon", `"additionalProperties": false,`, `"additionalProperties": false, "unevaluatedProperties": false,`,
			`/unevaluatedProperties: unknown keyword`},
		{"an empty enum", "shared", `["high", "medium", "low"]`, `[]`, `shared.schema.json at /$defs/confidenceLabel/enum: expected an array with something in it`},
		{"an enum of arrays", "shared", `["high", "medium", "low"]`, `[["high"]]`, `/$defs/confidenceLabel/enum/0: expected a string`},
		{"a constant object", "shared", `{"const": "high"}`, `{"const": {}}`, `/confidenceLabel/const: expected a string`},
		{"an open object", "fix-plan", `"required": ["bugId", "strategy", "reason"],
        "additionalProperties": false`, `"required": ["bugId", "strategy", "reason"]`,
			`fix-plan.schema.json at /properties/excluded/items: an object without additionalProperties: false`},
		{"an object of anything", "recon", `"techStack": {`, `"extra": {"type": "object"}, "techStack": {`,
			`recon.schema.json at /properties/extra: an object without additionalProperties: false`},
		{"additionalProperties: true", "recon", `"additionalProperties": false`, `"additionalProperties": true`, `/additionalProperties: expected false`},
		{"a required property that is not one", "fix-strategy", `"required": ["schemaVersion", `, `"required": ["version", `,
			`fix-strategy.schema.json at /required/0: "version" is not one of the properties`},
		{"the same under a condition", "skeptic", `"then": {"required": ["counterEvidence"]}`, `"then": {"required": ["evidence"]}`,
			`skeptic.schema.json at /$defs/challenge/then/required/0: "evidence" is not one of the properties`},
		{"no schemaVersion", "referee", `"schemaVersion": 1,`, ``, `referee.schema.json at /schemaVersion: expected an integer`},
		{"a newer schemaVersion", "referee", `"schemaVersion": 1,`, `"schemaVersion": 2,`, `referee.schema.json at /schemaVersion: expected an integer`},
		{"schemaVersion inside", "referee", `"verdict": {
`, `"verdict": {"schemaVersion": 1,
`, `/$defs/verdict/schemaVersion: unknown keyword, or one that does not belong here`},
		{"definitions inside", "referee", `"verdict": {
`, `"verdict": {"$defs": {},
`, `/$defs/verdict/$defs: unknown keyword, or one that does not belong here`},
		{"another $id", "referee", `"https://bughunter.local/schemas/referee`, `"https://example.org/referee`, `referee.schema.json at /$id: expected "https://bughunter.local/schemas/referee.schema.json"`},
		{"another dialect", "referee", `draft/2020-12`, `draft/2019-09`, `referee.schema.json at /$schema: expected`},
		{"an array that asks for more than items", "findings", `"type": "array",`, `"type": "array", "minItems": 1,`, `findings.schema.json at the root: an artifact that is an array is validated item by item, so minItems is never looked at`},
		{"an array of anything", "findings", `"items": {"$ref": "#/$defs/finding"},`, ``, `findings.schema.json at the root: an array needs items`},
		{"a string as artifact", "recon", `"type": "object"`, `"type": "string"`, `recon.schema.json at /type`},
		{"two types", "shared", `"type": "number"`, `"type": ["number", "null"]`, `shared.schema.json at /$defs/confidenceScore/type: expected one of`},
		{"a misspelt type", "shared", `"type": "number"`, `"type": "float"`, `shared.schema.json at /$defs/confidenceScore/type: expected one of`},
		{"minItems that a piece of an array cannot show", "recon", `"minItems": 1`, `"minItems": 64`, `/minItems: expected an integer from 0 to 63`},
		{"items under a condition", "assignment", `"findings": {"minItems": 1}`, `"findings": {"items": {"type": "string"}}`, `/then/properties/findings/items: items under a condition`},
		{"if without then", "skeptic", `"then": {"required": ["counterEvidence"]},`, ``, `skeptic.schema.json at /$defs/challenge: if and then need each other`},
		{"a boolean as schema", "skeptic", `{"$ref": "shared.schema.json#/$defs/bugId"}`, `true`, `/properties/bugId: a schema is an object here, got boolean`},
		{"a list of properties", "skeptic", `"properties": {"response": {"const": "DISPROVE"}}`, `"properties": []`, `/if/properties: expected object, got array`},
		{"an empty allOf", "referee", `[{"$ref": "shared.schema.json#/$defs/confidenceLabelAgrees"}]`, `[]`, `/allOf: expected an array with something in it`},
		{"files that include each other", "skeptic", `"bugId": {"$ref": "shared.schema.json#/$defs/bugId"}`, `"bugId": {"$ref": "skeptic.schema.json"}`,
			`skeptic.schema.json: a definition refers to itself`},
		{"a pattern that is none", "shared", `^CWE-`, `^(CWE-`, `shared.schema.json at /$defs/cwe/pattern: error parsing regexp`},
		{"required that is no list", "recon", `"required": ["name", "source"]`, `"required": "name"`, `recon.schema.json`},
		{"a key twice", "recon", `"title": "Recon",`, `"title": "Recon", "title": "Recon",`, `recon.schema.json: it is not usable JSON: line 4, column 21: duplicate key "title"`},
		{"a file cut off", "recon", `"$defs": {`, "\x00", `recon.schema.json: it is not usable JSON`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := schemaFiles(t)
			text := string(files[fileName(tt.file)].Data)
			if !strings.Contains(text, tt.old) {
				t.Fatalf("%s.schema.json has no %s to replace", tt.file, tt.old)
			}
			files[fileName(tt.file)].Data = []byte(strings.Replace(text, tt.old, tt.new, 1))
			err := NewFrom(files).Preflight()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Preflight() = %v\nwant an error with %s", err, tt.want)
			}
		})
	}
}

// A missing or useless file fails the preflight, and every validation that
// needs it, whoever forgot the preflight.
func TestUnusableSchemaFile(t *testing.T) {
	for _, name := range append(Names(), "shared") {
		for what, text := range map[string]*fstest.MapFile{
			"missing":      nil,
			"empty":        {},
			"not a schema": {Data: []byte(`[]`)},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				files := schemaFiles(t)
				delete(files, fileName(name))
				if text != nil {
					files[fileName(name)] = text
				}
				set := NewFrom(files)
				if err := set.Preflight(); err == nil || !strings.Contains(err.Error(), fileName(name)) {
					t.Errorf("Preflight() = %v, want an error that names the file", err)
				}
				artifact := name
				if name == shared {
					artifact = Findings
				}
				err := set.Validate(artifact, strings.NewReader("[]"))
				if err == nil || Problems(err) != nil {
					t.Errorf("Validate() = %v, want an error that is not about the text", err)
				}
			})
		}
	}
}

// Even where the lint does not look, nothing is fetched.
func TestNothingIsFetched(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	for _, uri := range []string{server.URL + "/x.schema.json", "https://" + server.Listener.Addr().String() + "/x.schema.json"} {
		text := []byte(`{"$id": "https://bughunter.local/schemas/x.schema.json", "items": {"$ref": "` + uri + `"}}`)
		if _, err := compile(map[string][]byte{"x.schema.json": text}, "x.schema.json"); err == nil || !strings.Contains(err.Error(), "lead nowhere") {
			t.Errorf("compile with a reference to %s: %v", uri, err)
		}
	}
	if asked {
		t.Error("a schema was fetched over the network")
	}
}

// An artifact's schema is read when it is needed and no sooner.
func TestSchemasAreReadLazily(t *testing.T) {
	files := schemaFiles(t)
	for name := range files {
		if name != "skeptic.schema.json" && name != "shared.schema.json" {
			delete(files, name)
		}
	}
	if err := NewFrom(files).Validate(Skeptic, strings.NewReader("[]")); err != nil {
		t.Error(err)
	}
}
