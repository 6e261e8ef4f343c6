package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// limits are what no honest artifact comes near. They keep a hostile one from
// taking the memory or the time of the process.
type limits struct {
	object  int64 // bytes of a text that is read as a whole
	array   int64 // bytes of an array that is read element by element
	element int64 // bytes of one element of such an array, with the space before it
	depth   int   // objects and arrays inside each other
	literal int   // characters of a number
	power   int   // digits that the exponent of a number can add
	members int   // of one object; more are unknown properties in any case
	values  int   // in a text or an element; each costs more memory than bytes
}

var defaultLimits = limits{
	object:  64 << 20,
	array:   1 << 30,
	element: 4 << 20,
	depth:   64,
	literal: 64,
	power:   308, // the range of a float64
	members: 1000,
	values:  4 << 20,
}

// document reads one JSON text, strictly: no duplicate names, no bad UTF-8,
// nothing behind the value, nothing over the limits. Its errors are
// [*MalformedError] or the reader's own.
type document struct {
	src    *source
	dec    *jsontext.Decoder
	limits limits
	values int // read so far
}

// newDocument returns the document in r, limited as one that is read whole.
func newDocument(r io.Reader, l limits) *document {
	src := newSource(r)
	src.limit = l.object + 1
	return &document{src: src, dec: jsontext.NewDecoder(src), limits: l}
}

// begin looks at the first bytes for what a JSON parser would call an invalid
// character, though more can be said about it.
func (d *document) begin() error {
	head, err := d.src.peek(3)
	switch {
	case err != nil:
		return unreadable(err)
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return d.malformed(0, "the text starts with a byte order mark; save it as UTF-8 without one")
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return d.malformed(0, "the text is UTF-16; save it as UTF-8 without a byte order mark")
	case bytes.HasPrefix(head, []byte{0}):
		return d.zeros()
	}
	return nil
}

// zeros is the error for a text that starts with a NUL byte. A file system
// leaves a file of nothing else when the machine loses power.
func (d *document) zeros() error {
	buf := make([]byte, readAhead)
	for {
		n, err := d.src.Read(buf)
		if rest := bytes.TrimLeft(buf[:n], "\x00"); len(rest) > 0 || err == errOverLimit {
			return d.malformed(0, "the text starts with a NUL byte")
		}
		if err == io.EOF {
			return d.malformed(0, "the text is nothing but NUL bytes; its content was lost")
		}
		if err != nil {
			return unreadable(err)
		}
	}
}

// unreadable is the error for a reader that failed.
func unreadable(err error) error { return fmt.Errorf("the text cannot be read: %w", err) }

// all reads the text as one value: nil, bool, string, [json.Number], []any or
// map[string]any.
func (d *document) all() (any, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	return v, d.end()
}

// isArray tells whether an array comes next. It is for after begin.
func (d *document) isArray() bool { return d.dec.PeekKind() == jsontext.KindBeginArray }

// elements reads the text as one array and calls yield for each of its
// elements, until yield returns false. It is for after begin.
func (d *document) elements(yield func(any) bool) error {
	if _, err := d.token(); err != nil {
		return err
	}
	for {
		d.src.limit = min(d.dec.InputOffset()+d.limits.element, d.limits.array) + 1
		d.values = 0
		if d.dec.PeekKind() == jsontext.KindEndArray {
			break
		}
		v, err := d.value()
		if err != nil {
			return err
		}
		if !yield(v) {
			return nil
		}
	}
	if _, err := d.token(); err != nil {
		return err
	}
	return d.end()
}

// end makes sure that nothing but white space is left.
func (d *document) end() error {
	at := d.dec.InputOffset()
	_, err := d.dec.ReadToken()
	if err == io.EOF {
		return nil
	}
	if d.src.failure() != nil || d.src.over {
		return d.problem(err)
	}
	rest := d.src.buf[at-d.src.base:]
	at += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")))
	return d.malformed(at, "there is more text after the JSON value")
}

// token reads the next token, for all but the end of the text.
func (d *document) token() (jsontext.Token, error) {
	d.src.forget(d.dec.InputOffset())
	if d.values++; d.values > d.limits.values {
		return jsontext.Token{}, d.malformedHere(fmt.Sprintf("there are more than %d values", d.limits.values))
	}
	tok, err := d.dec.ReadToken()
	if err != nil {
		return tok, d.problem(err)
	}
	if d.dec.StackDepth() > d.limits.depth {
		return tok, d.malformedHere(fmt.Sprintf("objects and arrays are nested more than %d deep", d.limits.depth))
	}
	return tok, nil
}

func (d *document) value() (any, error) {
	tok, err := d.token()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case jsontext.KindBeginObject:
		return d.object()
	case jsontext.KindBeginArray:
		return d.array()
	case jsontext.KindString:
		return tok.String(), nil
	case jsontext.KindNumber:
		return d.number(tok.String())
	case jsontext.KindNull:
		return nil, nil
	}
	return tok.Bool(), nil
}

func (d *document) object() (any, error) {
	object := map[string]any{}
	for d.dec.PeekKind() != jsontext.KindEndObject {
		name, err := d.token()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = d.value(); err != nil {
			return nil, err
		}
		if len(object) > d.limits.members {
			return nil, d.malformedHere(fmt.Sprintf("an object has more than %d properties", d.limits.members))
		}
	}
	_, err := d.token()
	return object, err
}

func (d *document) array() (any, error) {
	array := []any{}
	for d.dec.PeekKind() != jsontext.KindEndArray {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.token()
	return array, err
}

// number refuses the numbers with which it would be costly to calculate: the
// validator does so exactly, and 1e1000000 has a million digits.
func (d *document) number(literal string) (any, error) {
	if len(literal) > d.limits.literal {
		return nil, d.malformedHere(fmt.Sprintf("the number %s is longer than %d characters", cut(literal), d.limits.literal))
	}
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		power, err := strconv.Atoi(literal[i+1:])
		if err != nil || power > d.limits.power || power < -d.limits.power {
			return nil, d.malformedHere(fmt.Sprintf("the exponent of the number %s is outside ±%d", literal, d.limits.power))
		}
	}
	return json.Number(literal), nil
}

// problem turns an error of the decoder into one of this package.
func (d *document) problem(err error) error {
	if failure := d.src.failure(); failure != nil {
		return unreadable(failure)
	}
	if d.src.over {
		return d.malformedHere("the text is larger than " + d.overLimit())
	}
	if err == io.EOF {
		return d.malformedHere("the text is empty")
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return unreadable(err)
	}
	m := d.malformed(syntax.ByteOffset, plainSyntax(syntax.Err))
	m.Pointer = cleanPointer(string(syntax.JSONPointer))
	switch {
	case errors.Is(syntax, io.ErrUnexpectedEOF):
		m.Problem, m.Truncated = "the text ends before the value is complete", true
	case errors.Is(syntax, jsontext.ErrDuplicateName):
		m.Problem = "duplicate key " + quote(syntax.JSONPointer.LastToken())
		m.Pointer = cleanPointer(string(syntax.JSONPointer.Parent()))
	}
	return m
}

// plainSyntax is the decoder's message. Of a bad escape it quotes as much as it
// happens to have read, which would depend on the reader.
func plainSyntax(err error) string {
	message := err.Error()
	for _, kind := range []string{"invalid escape sequence", "invalid surrogate pair"} {
		if strings.HasPrefix(message, kind) {
			return kind + " in string"
		}
	}
	return message
}

// overLimit names the limit that was passed.
func (d *document) overLimit() string {
	switch d.src.limit {
	case d.limits.object + 1:
		return size(d.limits.object)
	case d.limits.array + 1:
		return size(d.limits.array)
	}
	return size(d.limits.element) + " in one element"
}

// malformedHere is about the token that was read last.
func (d *document) malformedHere(problem string) *MalformedError {
	m := d.malformed(d.dec.InputOffset(), problem)
	m.Pointer = cleanPointer(string(d.dec.StackPointer()))
	return m
}

func (d *document) malformed(offset int64, problem string) *MalformedError {
	line, column := d.src.position(offset)
	return &MalformedError{Problem: problem, Offset: offset, Line: line, Column: column}
}
