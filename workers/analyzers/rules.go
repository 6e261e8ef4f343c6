package analyzers

import (
	"slices"

	"bughunter/artifacts"
)

// rule is what this program makes of one check of one analyzer.
type rule struct {
	severity   artifacts.Severity
	category   string
	cwe        string
	confidence float64 // 0 to 100: how often such a report is a bug, as far as the analyzer can see
	trigger    string  // when it bites
	fix        string
	threat     *threat // for security bugs
	// undecided, if set, is the question that the code alone does not answer;
	// then a person decides.
	undecided string
}

// threat is what a security bug opens, assumed for code that serves a network.
type threat struct {
	stride         string
	exploitability string
	vector         string // CVSS 3.1 base vector
}

// The CVSS 3.1 base vectors that the table uses, by what an attacker gains.
const (
	readsAndWrites = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N"
	takesOver      = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"
	reads          = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N"
	readsSome      = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N"
	changesSome    = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N"
	listensIn      = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N"
	stops          = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H"
	slows          = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L"
	tricksUser     = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N"
	localUser      = "CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:L/A:N"
	guesses        = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N"
)

// families are the sources of analyzers. Two of one family are not independent.
const (
	vetFamily         = "go vet"
	staticcheckFamily = "staticcheck"
	gosecFamily       = "gosec"
)

// family is the source of a check. A check of its own project is a family by
// itself.
func family(check string) string {
	switch {
	case len(check) == 6 && check[:2] == "SA":
		return staticcheckFamily
	case len(check) == 4 && check[0] == 'G':
		return gosecFamily
	}
	switch check {
	case "bodyclose", "durationcheck", "nilerr", "sqlclosecheck", "losterror":
		return check
	}
	return vetFamily
}

// sameSubject are checks that look for one and the same bug. Where two of them
// report together there is one bug, and if they come from different families,
// two independent reports of it.
var sameSubject = [][]string{
	{"SA1014", "unmarshal"},
	{"SA1017", "sigchanyzer"},
	{"SA1028", "sortslice"},
	{"SA2000", "waitgroup"},
	{"SA4017", "unusedresult"},
	{"SA5000", "nilness"},
	{"SA5001", "httpresponse"},
	{"SA5009", "printf"},
	{"SA5010", "ifaceassert"},
	{"SA9006", "shift"},
	{"G109", "G115"},
	{"G201", "G202", "G701"},
	{"G203", "G705"},
	{"G305", "G703"},
}

// alike tells whether two checks look for the same bug.
func alike(a, b string) bool {
	return a == b || slices.ContainsFunc(sameSubject, func(s []string) bool { return slices.Contains(s, a) && slices.Contains(s, b) })
}

// suppressedAs lists the names under which comments such as //nolint speak of
// a check.
func suppressedAs(check string) []string {
	names := []string{check, "all", family(check)}
	switch family(check) {
	case vetFamily:
		names = append(names, "govet", "vet")
	case "losterror":
		names = append(names, "errcheck")
	}
	return names
}
