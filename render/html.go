package render

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"bughunter/artifacts"
	"bughunter/templates"
)

// page is the document around the body, with the style sheet in it.
var page = sync.OnceValues(func() (*template.Template, error) {
	return template.ParseFS(templates.FS, "reports/page.html.tmpl")
})

// converter knows the Markdown that [Markdown] writes and nothing more. It has
// no parser for links, images, addresses and HTML, so that a page has none of
// them even if the escaping before it fails.
var converter = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)),
	goldmark.WithExtensions(extension.Table),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrollRenderer{}, 500))),
)

// HTML makes one self-contained page of what [Markdown] rendered: its own
// style sheet, light or dark as the reader prefers, no script, and nothing
// that is fetched. A bug id in a table leads to the heading that begins with
// it, and a heading's id is that bug id, so that a link to it stays good.
func HTML(title string, markdown []byte) ([]byte, error) {
	doc := converter.Parser().Parse(text.NewReader(markdown))
	decorate(doc, markdown)
	var body, out bytes.Buffer
	if err := converter.Renderer().Render(&body, markdown, doc); err != nil {
		return nil, fmt.Errorf("making HTML of the Markdown failed: %w", err)
	}
	parsed, err := page()
	if err != nil {
		return nil, err
	}
	err = parsed.Execute(&out, struct {
		Title string
		Body  template.HTML
	}{visible(fold(title), ""), template.HTML(body.String())})
	if err != nil {
		return nil, fmt.Errorf("making the page failed: %w", err)
	}
	return out.Bytes(), nil
}

// decorate adds to the document what Markdown has no words for: ids, links to
// them, classes for severities, and boxes in which wide tables scroll.
func decorate(doc ast.Node, source []byte) {
	var headings []*ast.Heading
	var tables []*extast.Table
	var cells []*extast.TableCell
	for n := range nodes(doc) {
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, n)
		case *extast.Table:
			tables = append(tables, n)
		case *extast.TableCell:
			cells = append(cells, n)
		}
	}
	ids := map[string]string{} // bug id to the id of its heading
	for i, h := range headings {
		setClass(h, severityOf(h, source))
		h.SetAttributeString("id", []byte(anchor(h, source, i+1, ids)))
	}
	for _, c := range cells {
		setClass(c, severityOf(c, source))
		link(c, source, ids)
	}
	for _, t := range tables {
		box := &scroll{}
		t.Parent().ReplaceChild(t.Parent(), t, box)
		box.AppendChild(box, t)
	}
}

// nodes yields every node below and including root, in the order of the text.
func nodes(root ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// anchor gives a heading its id: the first code in it, if that is a plain word
// that no heading has yet, or else its number.
func anchor(h *ast.Heading, source []byte, number int, ids map[string]string) string {
	id := fmt.Sprintf("section-%d", number)
	code := firstCode(h)
	if code == nil {
		return id
	}
	name := plain(code, source)
	if _, taken := ids[name]; taken {
		return id
	}
	if name != "" && isPlainWord(name) && !strings.HasPrefix(name, "section-") {
		id = name
	}
	ids[name] = id
	return id
}

func isPlainWord(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// link makes the code in a cell lead to the heading that begins with it.
func link(c *extast.TableCell, source []byte, ids map[string]string) {
	code := firstCode(c)
	if code == nil || code != c.FirstChild() {
		return
	}
	id, ok := ids[plain(code, source)]
	if !ok {
		return
	}
	a := ast.NewLink()
	a.Destination = []byte("#" + id)
	c.ReplaceChild(c, code, a)
	a.AppendChild(a, code)
}

// firstCode is the first code span directly in n, or nil.
func firstCode(n ast.Node) ast.Node {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindCodeSpan {
			return c
		}
	}
	return nil
}

// plain is the text in n without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := range nodes(n) {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		}
	}
	return b.String()
}

// severityOf is the severity that the text of n begins with, in small letters,
// or empty. In a cell it has to be the whole text.
func severityOf(n ast.Node, source []byte) string {
	words := plain(n, source)
	if h, ok := n.(*ast.Heading); ok && h.Level > 1 {
		words, _, _ = strings.Cut(words, " ")
		words = strings.TrimSuffix(words, ",")
	}
	for _, s := range artifacts.Severities {
		if words == string(s) {
			return strings.ToLower(words)
		}
	}
	return ""
}

func setClass(n ast.Node, class string) {
	if class != "" {
		n.SetAttributeString("class", []byte(class))
	}
}

// A scroll is a box around a table that may be wider than the page.
type scroll struct{ ast.BaseBlock }

var kindScroll = ast.NewNodeKind("Scroll")

func (*scroll) Kind() ast.NodeKind { return kindScroll }

func (s *scroll) Dump(source []byte, level int) { ast.DumpHelper(s, source, level, nil, nil) }

// scrollRenderer writes the box.
type scrollRenderer struct{}

func (scrollRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindScroll, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</div>\n"
		if entering {
			tag = "<div class=\"scroll\">\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}
