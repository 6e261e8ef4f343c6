package analyzers

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// lostError reports calls whose error nobody looks at although it is the only
// sign that data was lost or not read. An error that is discarded in writing,
// as in `_ = f()`, is the author's decision and not reported.
//
// Reporting every ignored error finds mostly calls that cannot fail or whose
// failure changes nothing; this is the short list of those that matter. Where
// the function fails anyway, as in cleaning up before it returns an error, the
// ignored one is not the only sign, and a copy to nowhere loses nothing.
var lostError = &analysis.Analyzer{
	Name:     "losterror",
	Doc:      "report ignored errors that are the only sign of lost data",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      runLostError,
}

// telling maps functions to what a nil check of their error would have told.
var telling = map[string]string{
	"(*database/sql.Tx).Commit":                "whether the transaction was committed",
	"(*database/sql.DB).Exec":                  "whether the statement was carried out",
	"(*database/sql.DB).ExecContext":           "whether the statement was carried out",
	"(*database/sql.Tx).Exec":                  "whether the statement was carried out",
	"(*database/sql.Tx).ExecContext":           "whether the statement was carried out",
	"(*database/sql.Stmt).Exec":                "whether the statement was carried out",
	"(*database/sql.Stmt).ExecContext":         "whether the statement was carried out",
	"(*database/sql.Row).Scan":                 "whether there was a row",
	"(*database/sql.Rows).Scan":                "whether the row was read",
	"encoding/json.Unmarshal":                  "whether the value was decoded",
	"(*encoding/json.Decoder).Decode":          "whether the value was decoded",
	"encoding/xml.Unmarshal":                   "whether the value was decoded",
	"(*encoding/xml.Decoder).Decode":           "whether the value was decoded",
	"(*encoding/gob.Decoder).Decode":           "whether the value was decoded",
	"(*encoding/gob.Encoder).Encode":           "whether the value was written",
	"encoding/binary.Read":                     "whether the value was read",
	"(*bufio.Writer).Flush":                    "whether the buffered data was written",
	"(*encoding/csv.Writer).WriteAll":          "whether the records were written",
	"(*compress/gzip.Writer).Close":            "whether the end of the data was written",
	"(*archive/zip.Writer).Close":              "whether the archive was finished",
	"(*archive/tar.Writer).Close":              "whether the archive was finished",
	"(*os.File).Sync":                          "whether the data reached the disk",
	"(*os.File).Truncate":                      "whether the file was cut",
	"os.WriteFile":                             "whether the file was written",
	"os.Rename":                                "whether the file was replaced",
	"os.MkdirAll":                              "whether the folder is there",
	"os.Chdir":                                 "in which folder the program is",
	"io.ReadFull":                              "whether the buffer was filled",
	"io.Copy":                                  "whether everything was copied",
	"io.CopyN":                                 "whether everything was copied",
	"(*os/exec.Cmd).Run":                       "whether the program succeeded",
	"(*os/exec.Cmd).Start":                     "whether the program was started",
	"(*net/http.Request).ParseForm":            "whether the form was read",
	"(*net/http.Request).ParseMultipartForm":   "whether the form was read",
	"net/http.ListenAndServe":                  "that the server never started",
	"(*net/http.Server).ListenAndServe":        "that the server never started",
	"(*net/http.Server).ListenAndServeTLS":     "that the server never started",
	"(*golang.org/x/sync/errgroup.Group).Wait": "whether the goroutines succeeded",
}

func runLostError(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	kinds := []ast.Node{(*ast.ExprStmt)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)}
	in.WithStack(kinds, func(n ast.Node, push bool, stack []ast.Node) bool {
		call := callOf(n)
		if call == nil || !push {
			return true
		}
		fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if !ok {
			return true
		}
		what, ok := telling[fn.FullName()]
		if ok && !failsAnyway(pass.TypesInfo, stack) && !copiesNowhere(pass.TypesInfo, fn, call) {
			pass.ReportRangef(call, "the error of %s is ignored: it alone tells %s", shortName(fn), what)
		}
		return true
	})
	return nil, nil
}

func callOf(n ast.Node) *ast.CallExpr {
	switch n := n.(type) {
	case *ast.ExprStmt:
		call, _ := ast.Unparen(n.X).(*ast.CallExpr)
		return call
	case *ast.DeferStmt:
		return n.Call
	case *ast.GoStmt:
		return n.Call
	}
	return nil
}

// failsAnyway tells whether a statement, the last of the stack, is followed in
// its block by the return of an error that is not nil, or stands where an
// error is known that the function around returns.
func failsAnyway(info *types.Info, stack []ast.Node) bool {
	stmt, failed := stack[len(stack)-1], map[types.Object]bool{}
	for _, n := range stack {
		if branch, ok := n.(*ast.IfStmt); ok && within(stmt, branch.Body) {
			if obj := comparedToNil(info, branch.Cond); obj != nil {
				failed[obj] = true
			}
		}
	}
	for _, n := range stack {
		if fn, ok := n.(*ast.FuncDecl); ok && fn.Type.Results != nil {
			for _, result := range fn.Type.Results.List {
				if slices.ContainsFunc(result.Names, func(id *ast.Ident) bool { return failed[info.Defs[id]] }) {
					return true // a named result, as a deferred function sees it
				}
			}
		}
	}
	block := statements(stack[max(len(stack)-2, 0)])
	return slices.ContainsFunc(block, func(later ast.Stmt) bool {
		ret, ok := later.(*ast.ReturnStmt)
		return ok && later.Pos() > stmt.Pos() && len(ret.Results) > 0 && isFailure(info, ret.Results[len(ret.Results)-1], failed)
	})
}

func within(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// comparedToNil returns the error that a condition, or a part of it that has
// to hold, finds not to be nil.
func comparedToNil(info *types.Info, cond ast.Expr) types.Object {
	binary, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	switch {
	case !ok:
		return nil
	case binary.Op == token.LAND:
		return cmp.Or(comparedToNil(info, binary.X), comparedToNil(info, binary.Y))
	case binary.Op != token.NEQ || !info.Types[binary.Y].IsNil():
		return nil
	}
	id, ok := ast.Unparen(binary.X).(*ast.Ident)
	if !ok || !isError(info.TypeOf(id)) {
		return nil
	}
	return info.ObjectOf(id)
}

// isFailure tells an expression that is an error other than nil: one that is
// known to have occurred, or one that is made here.
func isFailure(info *types.Info, e ast.Expr, failed map[types.Object]bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return failed[info.ObjectOf(e)]
	case *ast.CallExpr:
		fn, ok := typeutil.Callee(info, e).(*types.Func)
		return ok && (fn.FullName() == "fmt.Errorf" || fn.FullName() == "errors.New")
	}
	return false
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// copiesNowhere tells a copy to io.Discard, which only empties the reader.
func copiesNowhere(info *types.Info, fn *types.Func, call *ast.CallExpr) bool {
	if fn.FullName() != "io.Copy" && fn.FullName() != "io.CopyN" {
		return false
	}
	sel, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr)
	return ok && info.Uses[sel.Sel] != nil && info.Uses[sel.Sel].Name() == "Discard"
}

// shortName is a function's name as a reader of the code knows it:
// pkg.F or pkg.T.M.
func shortName(fn *types.Func) string {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		t := recv.Type()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	if fn.Pkg() != nil {
		name = fn.Pkg().Name() + "." + name
	}
	return name
}
