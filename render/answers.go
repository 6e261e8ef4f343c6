package render

import (
	"fmt"
	"slices"
	"strings"

	"bughunter/artifacts"
)

// An answer is what one phase said about one bug, with the finding if the
// findings were given.
type answer[T any] struct {
	Finding *artifacts.Finding
	Said    T
}

// arrange pairs what was said with the findings, in the order of the findings.
// Where severity knows a better one than the finding's, that one counts.
func arrange[T any](in Input, said []T, id func(T) string, severity func(T) artifacts.Severity) []answer[T] {
	found, index := byID(in.Findings, findingID), byID(said, id)
	var keys []artifacts.Finding
	for _, s := range said {
		key := artifacts.Finding{BugID: id(s)}
		if f := found[id(s)]; f != nil {
			key = *f
		}
		if known := severity(s); known != "" {
			key.Severity = known
		}
		keys = append(keys, key)
	}
	artifacts.SortFindings(keys)
	var answers []answer[T]
	for _, key := range keys {
		answers = append(answers, answer[T]{found[key.BugID], *index[key.BugID]})
	}
	return answers
}

// answersView is what skeptic.md.tmpl and referee.md.tmpl read.
type answersView[T any] struct {
	Sentence string
	Answers  []answer[T]
	Open     []artifacts.Finding // without an answer
	Alone    bool                // the findings were not given, so Open is unknown
}

// claimsView is what findings.md.tmpl reads.
type claimsView struct {
	Sentence string
	Claims   []claim
}

// A claim is a finding before anybody answered it. Claimed is its severity
// again, where the pieces of the report show a verdict's beside it.
type claim struct {
	artifacts.Finding
	Claimed artifacts.Severity
}

func viewFindings(in Input) any {
	sorted := slices.Clone(in.Findings)
	artifacts.SortFindings(sorted)
	view := claimsView{Sentence: "The hunter claims nothing"}
	if n := len(sorted); n > 0 {
		view.Sentence = "The hunter claims " + count(n, "bug", "bugs") + "; nobody has answered yet"
	}
	for _, f := range sorted {
		view.Claims = append(view.Claims, claim{f, f.Severity})
	}
	return view
}

func viewSkeptic(in Input) any {
	said := map[string]int{}
	for _, c := range in.Challenges {
		said[c.Response]++
	}
	return answersView[artifacts.Challenge]{
		Sentence: tell("The skeptic answered no finding", []told{
			{said[artifacts.Accept], "accepted"},
			{said[artifacts.Disprove], "disproved"},
			{said[artifacts.ManualReview], "left to a person"},
		}),
		Answers: arrange(in, in.Challenges, challengeID, func(artifacts.Challenge) artifacts.Severity { return "" }),
		Open:    unanswered(in, skeptic),
		Alone:   !in.has(findings),
	}
}

func viewReferee(in Input) any {
	said := map[string]int{}
	for _, v := range in.Verdicts {
		said[v.Verdict]++
	}
	return answersView[artifacts.Verdict]{
		Sentence: tell("The referee judged no finding", []told{
			{said[artifacts.RealBug], "real"},
			{said[artifacts.NotABug], "no bug"},
			{said[artifacts.ManualReview], "left to a person"},
		}),
		Answers: arrange(in, in.Verdicts, verdictID, func(v artifacts.Verdict) artifacts.Severity { return v.TrueSeverity }),
		Open:    unanswered(in, referee),
		Alone:   !in.has(findings),
	}
}

// unanswered lists the findings that the artifact has no entry for.
func unanswered(in Input, name string) []artifacts.Finding {
	answered := map[string]bool{}
	for _, id := range in.ids(name) {
		answered[id] = true
	}
	open := slices.DeleteFunc(slices.Clone(in.Findings), func(f artifacts.Finding) bool { return answered[f.BugID] })
	artifacts.SortFindings(open)
	return open
}

// told is a part of a sentence that counts: "3 accepted".
type told struct {
	n    int
	what string
}

// tell makes a sentence of the parts that count something, or of none.
func tell(none string, parts []told) string {
	var words []string
	for _, p := range parts {
		if p.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(words) == 0 {
		return none + "."
	}
	return strings.Join(words, ", ") + "."
}

// reconView is what recon.md.tmpl reads.
type reconView struct {
	*artifacts.Recon
	Sentence string
	Tiers    []artifacts.Tier // those that hold files
}

func viewRecon(in Input) any {
	v := reconView{Recon: in.Recon}
	var parts []told
	for _, t := range in.Recon.Files.All() {
		if len(t.Files) > 0 {
			v.Tiers = append(v.Tiers, artifacts.Tier{Name: capital(tierName(t.Name)), Files: t.Files})
		}
		parts = append(parts, told{len(t.Files), tierName(t.Name)})
	}
	v.Sentence = "Files by risk: " + tell("none", parts)
	return v
}
