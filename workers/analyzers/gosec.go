package analyzers

import (
	"go/token"
	"io"
	"log"
	"strconv"
	"strings"

	"github.com/securego/gosec/v2"
	gosecanalyzers "github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
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
	g.LoadAnalyzers(gosecanalyzers.Generate(false, gosecanalyzers.NewAnalyzerFilter(false, ids...)).AnalyzersInfo())
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
