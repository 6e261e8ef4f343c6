package analyzers

import (
	"slices"

	"github.com/charithe/durationcheck"
	"github.com/gostaticanalysis/nilerr"
	sqlclosecheck "github.com/ryanrolds/sqlclosecheck/pkg/analyzer"
	"github.com/timakin/bodyclose/passes/bodyclose"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpmux"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/reflectvaluecompare"
	"golang.org/x/tools/go/analysis/passes/scannererr"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/sortslice"
	"golang.org/x/tools/go/analysis/passes/sqlrowserr"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/staticcheck"
)

// ToolEnv is the environment variable by which a process knows that the go
// command runs it as its vet tool. It must call [VetTool] then, before it
// looks at its arguments.
const ToolEnv = "BUGHUNTER_VETTOOL"

// VetTool is the program that `go vet -vettool` runs for each package. It does
// not return.
func VetTool() { unitchecker.Main(suite()...) }

// suite is every analyzer whose checks the table of rules knows. Those about
// style, speed and tests are not run.
func suite() []*analysis.Analyzer {
	all := []*analysis.Analyzer{
		atomic.Analyzer, copylock.Analyzer, defers.Analyzer, errorsas.Analyzer, hostport.Analyzer, httpmux.Analyzer,
		httpresponse.Analyzer, ifaceassert.Analyzer, loopclosure.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer,
		nilness.Analyzer, printf.Analyzer, reflectvaluecompare.Analyzer, scannererr.Analyzer, shift.Analyzer,
		sigchanyzer.Analyzer, slog.Analyzer, sortslice.Analyzer, sqlrowserr.Analyzer, stringintconv.Analyzer,
		timeformat.Analyzer, unmarshal.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer, waitgroup.Analyzer,
		bodyclose.Analyzer, durationcheck.Analyzer, nilerr.Analyzer, sqlclosecheck.NewAnalyzer(),
		lostError, gosecSuite,
	}
	for _, a := range staticcheck.Analyzers {
		all = append(all, a.Analyzer)
	}
	return slices.DeleteFunc(all, func(a *analysis.Analyzer) bool {
		_, known := table[a.Name]
		return !known && a.Name != gosecName
	})
}
