package analyzers

import (
	"go/ast"
	"go/types"

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
// failure changes nothing; this is the short list of those that matter.
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
	"(*os/exec.Cmd).Wait":                      "whether the program succeeded",
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
	in.Preorder([]ast.Node{(*ast.ExprStmt)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)}, func(n ast.Node) {
		call := callOf(n)
		if call == nil {
			return
		}
		fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if !ok {
			return
		}
		if what, ok := telling[fn.FullName()]; ok {
			pass.ReportRangef(call, "the error of %s is ignored, which tells %s", shortName(fn), what)
		}
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
