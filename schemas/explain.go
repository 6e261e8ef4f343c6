package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonschema"
)

// place is where a schema meets a value.
type place struct {
	schema  *jsonschema.Schema
	value   any
	pointer string
	because string // the condition under which the schema applies, if any
}

// fault is a problem with the keyword that was broken.
type fault struct {
	Problem
	keyword string
}

// unexplained is the message for a rejection that leaves no other, so that it
// stays a rejection. The lint is there to keep it from being seen.
const unexplained = "does not match the schema"

// explain adds the problems that a rejected value has, in words of our own.
//
// The library's messages are not usable: there is one for each keyword on the
// way down, they differ from run to run, and the text can change them. Its
// codes say which keyword failed, and the schema and the value say the rest.
func (f *faults) explain(result *jsonschema.EvaluationResult, at place) {
	var all []fault
	descend(result, at, &all)
	mistyped := map[string]bool{}
	for _, one := range all {
		if one.keyword == "type" {
			mistyped[one.Pointer] = true
		}
	}
	before := len(f.problems)
	for _, one := range all {
		// A value of the wrong type is not one of the allowed values either.
		if mistyped[one.Pointer] && (one.keyword == "enum" || one.keyword == "const") {
			continue
		}
		f.problems = append(f.problems, one.Problem)
	}
	if len(f.problems) == before {
		f.problems = append(f.problems, Problem{at.pointer, unexplained})
	}
}

// descend collects the faults of a result and of the results inside it.
func descend(result *jsonschema.EvaluationResult, at place, all *[]fault) {
	for _, e := range result.Errors {
		for _, message := range at.messages(e.Code) {
			*all = append(*all, fault{Problem{at.pointer, message + at.because}, e.Keyword})
		}
	}
	for _, detail := range result.Details {
		if detail.IsValid() {
			continue
		}
		if inner, ok := at.step(detail.EvaluationPath); ok {
			descend(detail, inner, all)
		}
	}
}

// step follows the evaluation path of an invalid detail to the place that it
// is about. It is false for what is no fault: a condition that does not hold,
// and a missing property, which the library evaluates as if it were null. An
// unknown property is a fault of the object that has it, see [place.messages].
func (p place) step(path string) (place, bool) {
	keyword, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch keyword {
	case "": // the library gives a reference no path of its own
		return p.with(p.schema.ResolvedRef), true
	case "allOf":
		i, err := strconv.Atoi(rest)
		return p.with(p.schema.AllOf[i]), err == nil
	case "then":
		inner := p.with(p.schema.Then)
		inner.because = p.reason()
		return inner, true
	case "items":
		i, err := strconv.Atoi(rest)
		return p.at((p.value.([]any))[i], rest).with(p.schema.Items), err == nil
	case "properties":
		value, there := p.value.(map[string]any)[rest]
		return p.at(value, escape(rest)).with((*p.schema.Properties)[rest]), there
	}
	return place{}, false
}

func (p place) with(s *jsonschema.Schema) place {
	p.schema = s
	return p
}

func (p place) at(value any, token string) place {
	p.value, p.pointer = value, p.pointer+"/"+token
	return p
}

// reason says which values of the object made the condition hold.
func (p place) reason() string {
	object, _ := p.value.(map[string]any)
	if p.schema.If == nil || p.schema.If.Properties == nil {
		return p.because
	}
	var holds []string
	for _, name := range sortedKeys(*p.schema.If.Properties) {
		if value, ok := object[name]; ok {
			holds = append(holds, name+" is "+show(value))
		}
	}
	if len(holds) == 0 {
		return p.because
	}
	return " (because " + strings.Join(holds, " and ") + ")"
}

// messages says what a code of the library means at this place. The codes
// that only tell of a fault further down have none.
func (p place) messages(code string) []string {
	s, shown := p.schema, show(p.value)
	switch code {
	case "type_mismatch":
		return one("expected %s, got %s", strings.Join(s.Type, " or "), showWithKind(p.value))
	case "value_not_in_enum":
		return one("%s is not one of %s", shown, literals(s.Enum))
	case "const_mismatch", "const_mismatch_null":
		return one("%s is not %s", shown, literals([]any{s.Const.Value}))
	case "missing_required_property", "missing_required_properties":
		return p.missing()
	case "additional_property_mismatch", "additional_properties_mismatch":
		return p.surplus()
	case "value_below_minimum":
		return one("%s is less than %s", shown, jsonschema.FormatRat(s.Minimum))
	case "value_above_maximum":
		return one("%s is more than %s", shown, jsonschema.FormatRat(s.Maximum))
	case "exclusive_minimum_mismatch":
		return one("%s is not more than %s", shown, jsonschema.FormatRat(s.ExclusiveMinimum))
	case "exclusive_maximum_mismatch":
		return one("%s is not less than %s", shown, jsonschema.FormatRat(s.ExclusiveMaximum))
	case "string_too_short":
		return one("%s is shorter than %s", shown, count(*s.MinLength, "character"))
	case "string_too_long":
		return one("%s is longer than %s", shown, count(*s.MaxLength, "character"))
	case "items_too_short":
		return one("expected at least %s", count(*s.MinItems, "item"))
	case "items_too_long":
		return one("expected at most %s", count(*s.MaxItems, "item"))
	case "pattern_mismatch":
		return p.mismatch()
	}
	return nil
}

func one(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }

func (p place) missing() []string {
	object, _ := p.value.(map[string]any)
	var messages []string
	for _, name := range p.schema.Required {
		if _, ok := object[name]; !ok {
			messages = append(messages, "missing required property: "+name)
		}
	}
	return messages
}

// surplus lists the properties that the schema does not know. The lint allows
// additionalProperties to be false and nothing else.
func (p place) surplus() []string {
	object, _ := p.value.(map[string]any)
	var messages []string
	for name := range object {
		if p.schema.Properties == nil || (*p.schema.Properties)[name] == nil {
			messages = append(messages, "unknown property: "+plainName(name))
		}
	}
	return messages
}

// longPattern is from how many characters on a pattern says less than the
// description beside it.
const longPattern = 40

// mismatch explains a pattern by itself and by the first sentence of the
// description beside it: the one is exact, the other readable.
func (p place) mismatch() []string {
	pattern, shown := *p.schema.Pattern, show(p.value)
	switch hint := firstSentence(p.schema.Description); {
	case p.value == "" && p.schema.MinLength != nil:
		return nil // the length says it better
	case pattern == `\S`:
		return one("%s is blank", shown)
	case hint == "":
		return one("%s does not match %s", shown, pattern)
	case len(pattern) >= longPattern:
		return one("%s is not as expected here (%s)", shown, hint)
	default:
		return one("%s does not match %s (%s)", shown, pattern, hint)
	}
}

func firstSentence(text *string) string {
	if text == nil {
		return ""
	}
	sentence, _, _ := strings.Cut(*text, ". ")
	return strings.TrimSuffix(sentence, ".")
}

// literals lists values of a schema as JSON.
func literals(values []any) string {
	var list []string
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			text = fmt.Append(nil, v)
		}
		list = append(list, string(text))
	}
	return strings.Join(list, ", ")
}
