package schemas

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Every keyword that the lint allows is explained, and so is what can be
// inside it.
func TestMessages(t *testing.T) {
	tests := []struct {
		name, property, value string // a schema of the property p, and its value
		want                  string // the problems, one a line
	}{
		{"type", `"type":"string"`, `[1]`, "/p: expected string, got array\n"},
		{"type object", `"type":"object","additionalProperties":false`, `"x"`, "/p: expected object, got string \"x\"\n"},
		{"type null", `"type":"null"`, `false`, "/p: expected null, got boolean false\n"},
		{"type integer", `"type":"integer"`, `1.50`, "/p: expected integer, got number 1.50\n"},
		{"type and enum", `"type":"string","enum":["a"]`, `7`, "/p: expected string, got number 7\n"},
		{"type and const", `"type":"string","const":"a"`, `null`, "/p: expected string, got null\n"},
		{"enum", `"enum":["a","b",1,null,true]`, `{}`, "/p: object is not one of \"a\", \"b\", 1, null, true\n"},
		{"const", `"const":"a"`, `"b"`, "/p: \"b\" is not \"a\"\n"},
		{"const null", `"const":null`, `0`, "/p: 0 is not null\n"},
		{"required", `"type":"object","properties":{"b":{},"a":{},"c":{}},"required":["c","a"],"additionalProperties":false`, `{"b":1}`,
			"/p: missing required property: a\n/p: missing required property: c\n"},
		{"additionalProperties", `"type":"object","properties":{"a":{}},"additionalProperties":false`, `{"z":1,"a":2,"y z":3,"":4,"u\u0000":5,"~/":6}`,
			"/p: unknown property: \"\"\n/p: unknown property: \"u\\x00\"\n/p: unknown property: \"y z\"\n/p: unknown property: z\n/p: unknown property: ~/\n"},
		{"no property at all", `"type":"object","additionalProperties":false`, `{"z":1}`, "/p: unknown property: z\n"},
		{"pointers are escaped", `"type":"object","properties":{"a/b~c":{"type":"null"}},"additionalProperties":false`, `{"a/b~c":1}`,
			"/p/a~1b~0c: expected null, got number 1\n"},
		{"items by number", `"type":"array","items":{"type":"null"}`, `[null,0,null,null,null,null,null,null,null,null,1]`,
			"/p/1: expected null, got number 0\n/p/10: expected null, got number 1\n"},
		{"minItems", `"minItems":1`, `[]`, "/p: expected at least 1 item\n"},
		{"maxItems", `"maxItems":2`, `[1,2,3]`, "/p: expected at most 2 items\n"},
		{"minimum", `"minimum":1`, `0.5`, "/p: 0.5 is less than 1\n"},
		{"maximum", `"maximum":99.5`, `1e3`, "/p: 1e3 is more than 99.5\n"},
		{"exclusiveMinimum", `"exclusiveMinimum":0`, `0`, "/p: 0 is not more than 0\n"},
		{"exclusiveMaximum", `"exclusiveMaximum":75`, `75`, "/p: 75 is not less than 75\n"},
		{"minLength", `"minLength":2`, `"é"`, "/p: \"é\" is shorter than 2 characters\n"},
		{"maxLength", `"maxLength":1`, `"éé"`, "/p: \"éé\" is longer than 1 character\n"},
		{"pattern", `"pattern":"^a+$"`, `"b"`, "/p: \"b\" does not match ^a+$\n"},
		{"pattern with description", `"pattern":"^a+$","description":"Some a. And no b."`, `"b"`, "/p: \"b\" does not match ^a+$ (Some a)\n"},
		{"long pattern with description", `"pattern":"^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$","description":"Some a."`, `"b"`, "/p: \"b\" is not as expected here (Some a)\n"},
		{"blank", `"minLength":1,"pattern":"\\S"`, `" \n"`, "/p: \" \\n\" is blank\n"},
		{"empty", `"minLength":1,"pattern":"\\S"`, `""`, "/p: \"\" is shorter than 1 character\n"},
		{"long values", `"enum":["a"]`, `"` + strings.Repeat("é", 61) + `"`, "/p: \"" + strings.Repeat("é", 60) + "\"… is not one of \"a\"\n"},
		{"control characters", `"enum":["a"]`, `"\u0000\n\u001b[31m\u202e"`, "/p: \"\\x00\\n\\x1b[31m\\u202e\" is not one of \"a\"\n"},
		{"allOf", `"allOf":[{"minimum":5},{"maximum":1}]`, `3`, "/p: 3 is less than 5\n/p: 3 is more than 1\n"},
		{"the same twice", `"allOf":[{"minimum":5},{"minimum":5}]`, `3`, "/p: 3 is less than 5\n"},
		{"a condition that does not hold", `"allOf":[{"if":{"minimum":9},"then":{"maximum":1}},{"maximum":2}]`, `3`, "/p: 3 is more than 2\n"},
		{"a condition on the value itself", `"if":{"minimum":2},"then":{"maximum":1}`, `3`, "/p: 3 is more than 1\n"},
		{"a condition on properties", `"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,` +
			`"if":{"properties":{"b":{"const":"x"},"a":{}}},"then":{"required":["c"]}`, `{"b":"x","a":1}`,
			"/p: missing required property: c (because a is 1 and b is \"x\")\n"},
		{"a condition in a condition", `"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,` +
			`"if":{"properties":{"a":{}}},"then":{"if":{"minProperties":0},"then":{"required":["b"]}}`, `{"a":1}`, ""},
	}
	tried := ""
	for _, tt := range tests {
		tried += tt.property
		t.Run(tt.name, func(t *testing.T) {
			err := NewFrom(reconWith(t, tt.property)).Validate(Recon, strings.NewReader(`{"p":`+tt.value+`}`))
			if tt.want == "" {
				if err == nil || Problems(err) != nil {
					t.Errorf("a schema that is not allowed was used: %v", err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, lines(Problems(err))); diff != "" {
				t.Errorf("problems (-want +got):\n%s%v", diff, err)
			}
		})
	}
	for _, keyword := range keywords {
		if !strings.Contains(tried, `"`+keyword+`":`) && keyword != "$ref" && keyword != "title" {
			t.Errorf("the lint allows %s, and no test shows how breaking it is explained", keyword)
		}
	}
}

// reconWith is a set of files in which recon is an object with one property.
func reconWith(t *testing.T, property string) fstest.MapFS {
	t.Helper()
	files := schemaFiles(t)
	files["recon.schema.json"].Data = []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
		`"$id":"https://bughunter.local/schemas/recon.schema.json","schemaVersion":1,"type":"object",` +
		`"properties":{"p":{` + property + `}},"additionalProperties":false}`)
	return files
}

// What the library gets to see of a long array does not change the verdict.
func TestLongArraysInsideAnObject(t *testing.T) {
	files := reconWith(t, `"type":"array","maxItems":63,"items":{"type":"array","items":{"type":"integer"}}`)
	set := NewFrom(files)
	long := strings.Repeat("0,", 150)
	for _, tt := range []struct{ value, want string }{
		{"[[" + long + "0]]", ""},
		{"[[" + long + `"x"]]`, "/p/0/150: expected integer, got string \"x\"\n"},
		{`[[],["x",` + long + `0.5]]`, "/p/1/0: expected integer, got string \"x\"\n/p/1/151: expected integer, got number 0.5\n"},
		{"[" + strings.Repeat("[],", 62) + "[]]", ""},
		{"[" + strings.Repeat("[],", 63) + "[]]", "/p: expected at most 63 items\n"},
		{"[" + strings.Repeat("[],", 100) + "[" + long + "true]]", "/p: expected at most 63 items\n/p/100/150: expected integer, got boolean true\n"},
	} {
		err := set.Validate(Recon, strings.NewReader(`{"p":`+tt.value+`}`))
		if diff := cmp.Diff(tt.want, lines(Problems(err))); diff != "" {
			t.Errorf("%.20s… (-want +got):\n%s%v", tt.value, diff, err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		artifact, text, want string
	}{
		{Findings, `[1]`, `it breaks the findings schema: /0: expected object, got number 1`},
		{Findings, `[1,2,3,4,5]`, `it breaks the findings schema: /0: expected object, got number 1; /1: expected object, got number 2; /2: expected object, got number 3; and 2 more`},
		{Findings, "[" + strings.Repeat("1,", 99) + "1]", `it breaks the findings schema: /0: expected object, got number 1; /1: expected object, got number 1; /2: expected object, got number 1; and more than 47 others`},
		{Findings, `{}`, `it breaks the findings schema: expected array, got object`},
		{Findings, "[\n[", `it is not usable JSON: line 2, column 2, in /0: the text ends before the value is complete`},
		{Findings, "", `it is not usable JSON: line 1, column 1: the text is empty`},
		{Recon, `{"schemaVersion":3}`, `its schemaVersion is 3, and of the recon schema nothing newer than 1 is known here`},
		{"verdicts", "", `unknown artifact "verdicts": use one of assignment, recon, findings, skeptic, referee, coverage, fix-strategy, fix-plan, fix-report`},
	} {
		if got := validate(tt.artifact, tt.text); got == nil || got.Error() != tt.want {
			t.Errorf("%s %.20q: %v\nwant %s", tt.artifact, tt.text, got, tt.want)
		}
	}
}

// A hostile name in a pointer cannot write to the terminal, or fill it.
func TestPointersAreClean(t *testing.T) {
	err := validate(Recon, `{"\u001b[2J`+strings.Repeat("é", 1000)+`":{"a":1,"a":2}}`)
	var malformed *MalformedError
	if !errors.As(err, &malformed) {
		t.Fatal(err)
	}
	if want := `/\x1b[2J` + strings.Repeat("é", 192) + "…"; malformed.Pointer != want {
		t.Errorf("pointer %q, want %q", malformed.Pointer, want)
	}
}
