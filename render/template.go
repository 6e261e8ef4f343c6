package render

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"text/template"
	"text/template/parse"

	"bughunter/templates"
)

// reports parses every template of templates/reports when something is
// rendered for the first time: most commands render nothing.
var reports = sync.OnceValues(func() (*template.Template, error) {
	parsed, err := template.New("reports").Funcs(functions).ParseFS(templates.FS, "reports/*.md.tmpl")
	if err != nil {
		return nil, err
	}
	return guarded(parsed), nil
})

var functions = template.FuncMap{
	"escape":   escape,
	"code":     codeSpan,
	"fence":    fenced,
	"prose":    prose,
	"source":   source,
	"place":    place,
	"short":    short,
	"number":   number,
	"count":    count,
	"share":    share,
	"mode":     mode,
	"means":    means,
	"capital":  capital,
	"sentence": sentence,
}

// Preflight returns an error if a template does not parse or is missing.
func Preflight() error {
	parsed, err := reports()
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if parsed.Lookup(k.Name+".md.tmpl") == nil {
			return fmt.Errorf("there is no template for %s", k.Name)
		}
	}
	_, err = page()
	return err
}

// execute renders one template. Each block of a template begins with the blank
// line before it, and none ends with a line break.
func execute(name string, view any) ([]byte, error) {
	parsed, err := reports()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := parsed.ExecuteTemplate(&b, name+".md.tmpl", view); err != nil {
		return nil, fmt.Errorf("rendering %s failed, which is a fault in its template: %w", name, err)
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n'), nil
}

// guarded makes the function escape the last step of every action that
// prints, as html/template does for HTML, so that no template can forget it.
func guarded(t *template.Template) *template.Template {
	for _, each := range t.Templates() {
		if each.Tree != nil {
			guard(each.Root)
		}
	}
	return t
}

func guard(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			guardAction(n)
		case *parse.IfNode:
			guard(n.List)
			guard(n.ElseList)
		case *parse.RangeNode:
			guard(n.List)
			guard(n.ElseList)
		case *parse.WithNode:
			guard(n.List)
			guard(n.ElseList)
		}
	}
}

func guardAction(n *parse.ActionNode) {
	if len(n.Pipe.Decl) > 0 {
		return // it sets a variable and prints nothing
	}
	n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
		NodeType: parse.NodeCommand,
		Pos:      n.Pos,
		Args:     []parse.Node{parse.NewIdentifier("escape").SetPos(n.Pos)},
	})
}

// escape makes Markdown of what a template prints.
func escape(v any) (markdown, error) {
	if m, ok := v.(markdown); ok {
		return m, nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return inline(r.String()), nil
	case reflect.Int:
		return markdown(strconv.FormatInt(r.Int(), 10)), nil
	default:
		return "", fmt.Errorf("a template can print strings and whole numbers, not a %T", v)
	}
}
