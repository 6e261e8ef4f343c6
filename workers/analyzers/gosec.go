package analyzers

import (
	"go/token"
	"io"
	"log"
	"slices"
	"strconv"
	"strings"

	"github.com/securego/gosec/v2"
	gosecanalyzers "github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
	"github.com/securego/gosec/v2/taint"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/packages"
)

const gosecName = "gosec"

// gosecSuite runs those of gosec's rules that are in the table. gosec brings
// such an adapter itself; this one leaves #nosec comments to the skeptic,
// which only accepts them with a reason, and reports whole ranges of lines.
var gosecSuite = &analysis.Analyzer{
	Name:     gosecName,
	Doc:      "run gosec's rules and taint analyses",
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
	Run:      runGosec,
}

func runGosec(pass *analysis.Pass) (any, error) {
	config := gosec.NewConfig()
	config.SetGlobal(gosec.Nosec, "true")
	g := gosec.NewAnalyzer(config, false, false, false, 1, log.New(io.Discard, "", 0))
	ids := gosecRules()
	ruleList := rules.Generate(false, rules.NewRuleFilter(false, ids...))
	g.LoadRules(ruleList.RulesInfo())
	builders, suppressed := gosecanalyzers.Generate(false, gosecanalyzers.NewAnalyzerFilter(false, ids...)).AnalyzersInfo()
	for id, config := range taintAnalyses {
		if def, ok := builders[id]; ok {
			builders[id] = gosecanalyzers.AnalyzerDefinition{ID: id, Description: def.Description, Create: followRequests(config)}
		}
	}
	g.LoadAnalyzers(builders, suppressed)
	pkg := &packages.Package{
		Name: pass.Pkg.Name(), Fset: pass.Fset, Syntax: pass.Files,
		Types: pass.Pkg, TypesInfo: pass.TypesInfo, TypesSizes: pass.TypesSizes,
	}
	for _, f := range pass.Files {
		pkg.CompiledGoFiles = append(pkg.CompiledGoFiles, pass.Fset.File(f.Pos()).Name())
	}
	g.CheckRules(pkg)
	g.CheckAnalyzersWithSSA(pkg, pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA))
	issues, _, _ := g.Report()
	for _, i := range issues {
		if pos, end := issueRange(pass, i); pos.IsValid() {
			pass.Report(analysis.Diagnostic{Pos: pos, End: end, Category: i.RuleID, Message: i.What})
		}
	}
	return nil, nil
}

// taintAnalyses are gosec's analyses that follow data, each with what it takes
// for a source and a sink.
var taintAnalyses = map[string]func() taint.Config{
	"G701": gosecanalyzers.SQLInjection,
	"G702": gosecanalyzers.CommandInjection,
	"G703": gosecanalyzers.PathTraversal,
	"G704": gosecanalyzers.SSRF,
	"G705": gosecanalyzers.XSS,
	"G706": gosecanalyzers.LogInjection,
	"G707": gosecanalyzers.SMTPInjection,
	"G708": gosecanalyzers.SSTI,
	"G709": gosecanalyzers.UnsafeDeserialization,
	"G710": gosecanalyzers.OpenRedirect,
}

// followRequests makes such an analysis of data that a request brings. gosec
// follows arguments, environment and every reader as well: whoever starts a
// program may name the files and programs that it works on, and reading that as
// an attack made nearly all of the reports on real modules false.
func followRequests(config func() taint.Config) gosecanalyzers.AnalyzerBuilder {
	return func(id, description string) *analysis.Analyzer {
		c := config()
		c.Sources = slices.DeleteFunc(c.Sources, func(s taint.Source) bool {
			return !(s.Package == "net/http" && s.Name == "Request" || s.Package == "net/url" && s.Name == "Values")
		})
		return taint.NewGosecAnalyzer(&taint.RuleInfo{ID: id, Description: description}, &c)
	}
}

func gosecRules() (ids []string) {
	for check := range table {
		if len(check) == 4 && check[0] == 'G' {
			ids = append(ids, check)
		}
	}
	return ids
}

// issueRange turns gosec's "12" or "12-15" back into positions.
func issueRange(pass *analysis.Pass, i *issue.Issue) (pos, end token.Pos) {
	firstText, lastText, isRange := strings.Cut(i.Line, "-")
	if !isRange {
		lastText = firstText
	}
	first, err := strconv.Atoi(firstText)
	last, err2 := strconv.Atoi(lastText)
	if err != nil || err2 != nil {
		return token.NoPos, token.NoPos
	}
	for _, f := range pass.Files {
		file := pass.Fset.File(f.Pos())
		if file.Name() == i.File && first >= 1 && last >= first && last <= file.LineCount() {
			return file.LineStart(first), file.LineStart(last)
		}
	}
	return token.NoPos, token.NoPos
}
