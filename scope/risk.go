package scope

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Tier is a level of risk. The zero value is the highest, so that a file
// nobody judged is hunted first rather than forgotten.
type Tier int

// The tiers in the order in which they are hunted.
const (
	Critical Tier = iota
	High
	Medium
	Low
	ContextOnly
)

// signal is something in a file that makes bugs in it likelier or worse.
type signal struct {
	weight  int
	what    string
	content *Pattern       // found in the content, or
	path    *regexp.Regexp // found in the path
}

// signals are judged by content first: file names alone put most files with
// severe bugs into the lowest tier where that was tried.
var signals = []signal{
	{3, "answers network requests", NewPattern(`http\.ResponseWriter|http\.HandlerFunc|net\.Listen|grpc\.NewServer|express\(\)|@app\.route|@(Get|Post|Request)Mapping|createServer\(`, "http. net.listen grpc.newserver express( @app.route mapping createserver("), nil},
	{3, "talks to a database", NewPattern(`"database/sql"|(?i:\b(select\s.+\sfrom|insert\s+into|update\s.+\sset|delete\s+from)\b)`, "database/sql select insert update delete"), nil},
	{3, "starts other programs", NewPattern(`"os/exec"|\bsubprocess\b|child_process|Runtime\.getRuntime|\bos\.system\(|\beval\(`, "os/exec subprocess child_process runtime.getruntime os.system( eval("), nil},
	{3, "handles keys, passwords or sessions", NewPattern(`"crypto/|"math/rand|(?i:\b(password|passwd|secret|api_?key|bearer|session_?(id|token))\b)`, "crypto/ math/rand passw secret api bearer session"), nil},
	{3, "works around memory safety", NewPattern(`"unsafe"|import "C"|\bunsafe\s*\{|\b(strcpy|sprintf|memcpy|gets)\(`, "unsafe \"c\" strcpy( sprintf( memcpy( gets("), nil},
	{2, "runs things concurrently", NewPattern(`\bgo func\b|\bgo [\w.]+\(|sync\.(RW)?Mutex|\bmake\(chan\b|threading\.|\bnew Thread\(|std::thread|Promise\.all`, "go sync. chan threading. thread promise.all"), nil},
	{2, "calls other services", NewPattern(`http\.(Get|Post|NewRequest|Client)|net\.Dial|\bfetch\(|requests\.(get|post)|axios`, "http. net.dial fetch( requests. axios"), nil},
	{1, "decodes data from outside", NewPattern(`(json|xml|gob|yaml)\.(Unmarshal|NewDecoder)|JSON\.parse|pickle\.loads?|yaml\.load|ObjectInputStream`, "unmarshal newdecoder json.parse pickle yaml.load objectinputstream"), nil},
	{1, "opens files by computed names", NewPattern(`os\.(Open|Create|ReadFile|WriteFile|Remove|Rename)\w*\(|filepath\.Join|archive/(zip|tar)|\bopen\(|fs\.(read|write)File`, "os. filepath.join archive/ open( file"), nil},
	{1, "ends in panic, exit or discarded errors", NewPattern(`\bpanic\(|log\.Fatal|os\.Exit|\b_ = \w+\.\w+\(|except\s*:|catch\s*\(\w*\)\s*\{\s*\}`, "panic( log.fatal os.exit _ except catch"), nil},
	{3, "its path speaks of access or secrets", nil, re(`(?i)(^|[/_.-])(auth|login|session|oauth|jwt|crypto|secret|permission|acl|token)s?([/_.-]|$)`)},
	{2, "its path speaks of money or data at rest", nil, re(`(?i)(^|[/_.-])(payment|billing|invoice|money|ledger|wallet|checkout|store|storage|db|migration|backup)s?([/_.-]|$)`)},
	{2, "its path speaks of an entry point", nil, re(`(?i)(^|[/_.-])(api|handler|route|router|controller|server|webhook|rpc|main)s?([/_.-]|$)`)},
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// Triage judges a file by its path and content. The reason says what was
// found, in words for a person.
func Triage(file string, content []byte) (Tier, string) {
	if !hasCode(file, content) {
		return ContextOnly, "declares names and holds no code that runs"
	}
	score := 0
	var found []string
	text := NewText(content)
	for _, s := range signals {
		if s.content != nil && s.content.In(text) || s.path != nil && s.path.MatchString(file) {
			score += s.weight
			found = append(found, s.what)
		}
	}
	if len(found) == 0 {
		return Low, "nothing in its path or content raises the risk"
	}
	return tierOf(score), strings.Join(found, "; ")
}

func tierOf(score int) Tier {
	switch {
	case score >= 8:
		return Critical
	case score >= 4:
		return High
	default:
		return Medium
	}
}

var goBody = regexp.MustCompile(`(?m)^func |\bfunc\(`)

// hasCode tells a file with statements from one with declarations only. It is
// sure of that for Go alone and says yes for the rest.
func hasCode(file string, content []byte) bool {
	return path.Ext(file) != ".go" || goBody.Match(content)
}

// manifests name a technology by the file that declares it.
var manifests = []struct{ file, technology string }{
	{"go.mod", "Go"}, {"package.json", "Node.js"}, {"pyproject.toml", "Python"}, {"requirements.txt", "Python"},
	{"Cargo.toml", "Rust"}, {"pom.xml", "Java (Maven)"}, {"build.gradle", "Java (Gradle)"}, {"Gemfile", "Ruby"},
	{"composer.json", "PHP"}, {"Dockerfile", "Docker"}, {"docker-compose.yml", "Docker Compose"}, {"Makefile", "Make"},
}

// Manifest names the technology that a file declares, "" if it declares none.
func Manifest(file string) string {
	i := slices.IndexFunc(manifests, func(m struct{ file, technology string }) bool { return m.file == path.Base(file) })
	if i < 0 {
		return ""
	}
	return manifests[i].technology
}
