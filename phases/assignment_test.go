package phases

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// checkAssignment is what `payload validate` does with a text.
func checkAssignment(t *testing.T, text string) []string {
	t.Helper()
	if err := validator.Validate(schemas.Assignment, strings.NewReader(text)); err != nil {
		return lines(schemas.Problems(err))
	}
	var a artifacts.Assignment
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return lines(CheckAssignment(&a))
}

// fill puts something sensible in the place of each value that a template
// leaves open, but for one place, and returns the places.
func fill(v reflect.Value, at, but string) (places []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			places = fill(v.Elem(), at, but)
		}
	case reflect.Slice:
		for i := range v.Len() {
			places = append(places, fill(v.Index(i), fmt.Sprintf("%s/%d", at, i), but)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			places = append(places, fill(v.Field(i), at+"/"+v.Type().Field(i).Name, but)...)
		}
	case reflect.String:
		if !strings.HasPrefix(v.String(), fillIn) {
			return nil
		}
		if at != but {
			v.SetString(filled(at[strings.LastIndex(at, "/")+1:]))
		}
		return []string{at}
	}
	return places
}

func filled(field string) string {
	return map[string]string{
		"BugID": "H-1", "Severity": "High", "Category": "logic", "Lines": "1", "Response": "ACCEPT", "Verdict": "REAL_BUG",
		"TrueSeverity": "Low", "ConfidenceLabel": "low", "VerificationMode": "EVIDENCE_BASED", "File": "a.go", "0": "a.go", "Path": "a.go",
	}[field] + strings.Repeat("Words.", map[string]int{"Claim": 1, "AnalysisSummary": 1}[field])
}

func TestATemplateHasToBeFilledIn(t *testing.T) {
	root := newTree(t, map[string]string{"a.go": "package a\n"}).Root
	output := filepath.Join(root, "out.json")
	for _, p := range All {
		for _, files := range [][]string{nil, {"a.go"}} {
			t.Run(fmt.Sprintf("%s with %d files", p.Name, len(files)), func(t *testing.T) {
				template := func() *artifacts.Assignment {
					a, err := Template(p.Name, root, files, output)
					if err != nil {
						t.Fatal(err)
					}
					return a
				}
				a := template()
				places := fill(reflect.ValueOf(a), "", "")
				if got := checkAssignment(t, asJSON(t, a)); len(got) > 0 {
					t.Errorf("filled in, it is refused: %q\n%s", got, asJSON(t, a))
				}
				if a := template(); len(places) > 0 && checkAssignment(t, asJSON(t, a)) == nil {
					t.Errorf("as it is, it is accepted:\n%s", asJSON(t, a))
				}
				for _, place := range places {
					a := template()
					fill(reflect.ValueOf(a), "", place)
					if len(checkAssignment(t, asJSON(t, a))) == 0 {
						t.Errorf("it is accepted though %s is not filled in", place)
					}
				}
			})
		}
	}
	if _, err := Template("judge", root, nil, output); err == nil || !strings.Contains(err.Error(), "there are recon, hunter") {
		t.Errorf("a template of an unknown phase: %v", err)
	}
}

func TestWhatAnAssignmentMaySay(t *testing.T) {
	tree := shop(t)
	valid := func() map[string]any {
		a := &artifacts.Assignment{
			SchemaVersion: 1, Phase: "referee", Chunk: "chunk-1", Attempt: 1, Root: tree.Root, Files: []string{"shop/sum.go"},
			Findings: claims([]artifacts.Finding{claimed()}), Challenges: []artifacts.Challenge{challenge("H-1")},
			OutputSchema: artifacts.OutputSchema{Artifact: schemas.Referee, SchemaVersion: 1}, OutputPath: "/tmp/out.json",
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(asJSON(t, a)), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	finding := func(doc map[string]any) map[string]any { return doc["findings"].([]any)[0].(map[string]any) }
	for _, tt := range []struct {
		name   string
		change func(doc map[string]any)
		want   []string
	}{
		{"all is well", func(doc map[string]any) {}, nil},
		{"words that look like the mark of a template", func(doc map[string]any) { finding(doc)["claim"] = "SQL's REPLACE deletes the row first." }, nil},
		{"a root that does not exist", func(doc map[string]any) { doc["root"] = "/no/such/root" }, []string{"/root: the root cannot be used"}},
		{"a root that is a file", func(doc map[string]any) { doc["root"] = filepath.Join(tree.Root, "shop/sum.go") }, []string{"/root: *is not a folder"}},
		{"a file that does not exist", func(doc map[string]any) { doc["files"] = []string{"shop/sum.go", "none.go"} }, []string{"/files/1: none.go does not exist"}},
		{"a file outside", func(doc map[string]any) { doc["files"] = []string{"out.go"} }, []string{"/files/0: out.go is outside"}},
		{"a file twice", func(doc map[string]any) { doc["files"] = []string{"shop/sum.go", "shop/sum.go"} }, []string{`/files/1: "shop/sum.go" is named twice`}},
		{"no files", func(doc map[string]any) { doc["files"] = []string{} }, []string{"/files: *"}},
		{"an empty finding", func(doc map[string]any) { doc["findings"] = []any{map[string]any{}} },
			[]string{"/findings/0: *bugId", "/findings/0: *category", "/findings/0: *claim", "/findings/0: *file", "/findings/0: *lines", "/findings/0: *severity"}},
		{"no findings", func(doc map[string]any) { doc["findings"] = []any{} }, []string{"/findings: *"}},
		{"findings of null", func(doc map[string]any) { doc["findings"] = nil }, []string{"/findings: *"}},
		{"a recon of null", func(doc map[string]any) { doc["recon"] = nil }, []string{"/recon: *"}},
		{"another phase's schema", func(doc map[string]any) { doc["outputSchema"].(map[string]any)["artifact"] = "findings" }, []string{"/outputSchema/artifact: *"}},
		{"no such schema", func(doc map[string]any) { doc["outputSchema"].(map[string]any)["artifact"] = "bugs" }, []string{"/outputSchema/artifact: *", "/outputSchema/artifact: *"}},
		{"a schema of a later version", func(doc map[string]any) { doc["outputSchema"].(map[string]any)["schemaVersion"] = 2 },
			[]string{"/outputSchema/schemaVersion: is 2, and this program knows 1"}},
		{"lines that are none", func(doc map[string]any) { finding(doc)["lines"] = "abc" }, []string{"/findings/0/lines: *"}},
		{"lines behind the end", func(doc map[string]any) { finding(doc)["lines"] = "99" }, []string{"/findings/0/lines: lines 99 are not in the file"}},
		{"a finding in a file that does not exist", func(doc map[string]any) { finding(doc)["file"] = "none.go" }, []string{"/findings/0/file: none.go does not exist"}},
		{"a security bug without its CWE", func(doc map[string]any) { finding(doc)["category"] = "Security" }, []string{"/findings/0: missing cwe"}},
		{"an id twice", func(doc map[string]any) { doc["findings"] = append(doc["findings"].([]any), finding(doc)) },
			[]string{`/findings/1/bugId: "H-1" is the id of another finding`}},
		{"a challenge too few", func(doc map[string]any) {
			other := map[string]any{}
			for k, v := range finding(doc) {
				other[k] = v
			}
			other["bugId"] = "H-2"
			doc["findings"] = append(doc["findings"].([]any), other)
		}, []string{"/challenges: no answer for H-2;"}},
		{"a challenge to nothing", func(doc map[string]any) { doc["challenges"].([]any)[0].(map[string]any)["bugId"] = "H-9" },
			[]string{`/challenges/0/bugId: "H-9" is not`, "/challenges: no answer for H-1;"}},
		{"verdicts on nothing", func(doc map[string]any) { doc["verdicts"] = []any{verdict("H-9")} },
			[]string{`/verdicts/0/bugId: "H-9" is not`, "/verdicts: no answer for H-1;"}},
		{"the hunter's confidence", func(doc map[string]any) { finding(doc)["confidenceScore"] = 90 }, []string{"/findings/0: *confidenceScore"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := valid()
			tt.change(doc)
			text, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			wantProblems(t, checkAssignment(t, string(text)), tt.want)
		})
	}
}
