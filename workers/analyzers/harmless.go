package analyzers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// neverFails are types whose methods that write return no error, by their
// documentation, and functions that return none.
var neverFails = map[string]bool{
	"strings.Builder": true, "bytes.Buffer": true, "hash.Hash": true, "hash.Hash32": true, "hash.Hash64": true,
	"hash/maphash.Hash": true, "crypto/rand.Read": true, "math/rand.Read": true, "(*math/rand/v2.ChaCha8).Read": true,
}

// impossibleError holds for a claim about an ignored error if there is one on
// the cited lines, and every one comes from what never fails.
func impossibleError(pl place, _ []place) string {
	if pl.claim.CWE != "CWE-252" || pl.discardsError() {
		return ""
	}
	var evidence string
	refuted := false
	pl.calls(func(call *ast.CallExpr, around []ast.Node) {
		if len(around) < 2 || !dropsResult(around[1]) {
			return
		}
		if sink := pl.sink(call); neverFails[sink] {
			evidence = fmt.Sprintf("the documentation of %s says that it returns no error", sink)
		} else {
			refuted = true
		}
	})
	if refuted {
		return ""
	}
	return evidence
}

func dropsResult(n ast.Node) bool {
	switch n.(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return true
	}
	return false
}

// discardsError tells whether a statement on the cited lines assigns anything
// to the blank identifier, which may be an error that can occur.
func (pl place) discardsError() (found bool) {
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || !pl.touches(pl.line(assign.Pos()), pl.line(assign.End())) {
			return true
		}
		for _, left := range assign.Lhs {
			id, ok := left.(*ast.Ident)
			found = found || ok && id.Name == "_"
		}
		return true
	})
	return found
}

// sink is what a call writes to: the receiver's type if a method writes, the
// first argument's for io.WriteString and fmt.Fprint, or the function itself.
// It is "" for calls whose error may be that of a reader.
func (pl place) sink(call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil {
		return ""
	}
	name := fn.FullName()
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil && !neverFails[name] {
		if !strings.HasPrefix(fn.Name(), "Write") || fn.Name() == "WriteTo" {
			return ""
		}
		return typeName(pl.typeOf(sel.X))
	}
	switch {
	case len(call.Args) > 0 && (name == "io.WriteString" || strings.HasPrefix(name, "fmt.Fprint")):
		return typeName(pl.typeOf(call.Args[0]))
	case name == "crypto/rand.Read" && !pl.goAtLeast("go1.24"):
		return ""
	}
	return name
}

// goAtLeast tells whether the module cannot be built by an older Go.
func (pl place) goAtLeast(v string) bool {
	mod := pl.file.pkg.Module
	return mod != nil && version.Compare("go"+mod.GoVersion, v) >= 0
}

func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(deref(t), nil)
}

// closedByValue holds for a body that bodyclose misses, since it is not closed
// by a call here: its Close method is handed to a function, as in
// defer check(resp.Body.Close).
func closedByValue(pl place, _ []place) (evidence string) {
	if len(pl.reports) != 1 || pl.reports[0].check != "bodyclose" || pl.function() == nil {
		return ""
	}
	made := pl.assigned()
	ast.Inspect(pl.function(), func(n ast.Node) bool {
		stmt, ok := n.(*ast.DeferStmt)
		if !ok {
			return true
		}
		for _, arg := range stmt.Call.Args {
			method, ok := arg.(*ast.SelectorExpr)
			if !ok || method.Sel.Name != "Close" {
				continue
			}
			body, ok := method.X.(*ast.SelectorExpr)
			if !ok || body.Sel.Name != "Body" {
				continue
			}
			if v, ok := pl.variable(body.X); ok && made[v] {
				line := pl.line(stmt.Pos())
				evidence = fmt.Sprintf("line %d: %s", line, pl.text(line))
			}
		}
		return true
	})
	return evidence
}

// variable is the variable that an expression is.
func (pl place) variable(e ast.Expr) (*types.Var, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil, false
	}
	v, ok := pl.file.pkg.TypesInfo.ObjectOf(id).(*types.Var)
	return v, ok
}

// notAPage holds for a claim about HTML written to a client if the statements
// before the write, in its block or one around it, set a type of content that
// browsers do not run, and nothing in the function sets another.
func notAPage(pl place, _ []place) string {
	fn := pl.function()
	if pl.claim.CWE != "CWE-79" || fn == nil {
		return ""
	}
	var before ast.Stmt
	page := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if stmt, ok := n.(ast.Stmt); ok {
			t, sets := pl.contentType(stmt)
			page = page || sets && runs(t)
		}
		block := statements(n)
		at := slices.IndexFunc(block, func(s ast.Stmt) bool { return pl.touches(pl.line(s.Pos()), pl.line(s.End())) })
		for _, earlier := range block[:max(at, 0)] {
			if _, sets := pl.contentType(earlier); sets {
				before = earlier
			}
		}
		return true
	})
	if before == nil || page {
		return ""
	}
	return fmt.Sprintf("line %d: %s", pl.line(before.Pos()), pl.text(pl.line(before.Pos())))
}

func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// contentType reads w.Header().Set("Content-Type", t). A type that is not
// constant, or is added or deleted, may be anything, and is "".
func (pl place) contentType(stmt ast.Stmt) (t string, ok bool) {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return "", false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !strings.EqualFold(pl.constant(call.Args[0]), "Content-Type") {
		return "", false
	}
	fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
	if !ok || !strings.HasPrefix(fn.FullName(), "(net/http.Header).") {
		return "", false
	}
	if fn.Name() != "Set" {
		return "", true
	}
	return pl.constant(call.Args[1]), true
}

func (pl place) constant(e ast.Expr) string {
	tv := pl.file.pkg.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(tv.Value)
}

// runs tells the types of content in which a browser may run scripts. Only
// those that are known not to are not among them.
func runs(contentType string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(kind) {
	case "text/plain", "application/json", "application/octet-stream", "text/csv", "application/pdf",
		"image/png", "image/jpeg", "image/gif":
		return false
	}
	return true
}
