// Package artifacts holds the documents that the phases hand to each other:
// their Go types, the [Store] that keeps them on disk, and the [Journal] that
// records how each of them came about.
//
// Every document has a JSON Schema of the same name in [bughunter/schemas],
// and the schema is the contract. The types here follow it field by field, so
// that a document which passes its schema decodes without loss. A Store
// validates on write and on read: a value of one of these types that came out
// of a Store is known to satisfy its schema, and nothing else may be assumed
// to.
//
// What only the repository can answer (does the file exist, does the evidence
// stand there) is not checked here but in package phases.
package artifacts

import (
	"cmp"
	"slices"

	"bughunter/schemas"
)

// SchemaVersion is the version of every contract that this program writes and
// the newest it reads.
const SchemaVersion = schemas.Version

// Judged are the artifacts that hold findings and what was said of each.
var Judged = []string{schemas.Findings, schemas.Skeptic, schemas.Referee}

// Severity says how much a bug hurts.
type Severity string

// The severities, worst first. [SeverityHigh] is not in the document this
// program was asked for in, which had three; without it a severe bug that
// needs a login is filed beside a cosmetic one.
const (
	SeverityCritical Severity = "Critical"
	SeverityHigh     Severity = "High"
	SeverityMedium   Severity = "Medium"
	SeverityLow      Severity = "Low"
)

// Severities lists all of them, worst first.
var Severities = []Severity{SeverityCritical, SeverityHigh, SeverityMedium, SeverityLow}

// Rank is 0 for the worst severity and grows as it gets milder. A value that
// is no severity ranks last.
func (s Severity) Rank() int {
	if i := slices.Index(Severities, s); i >= 0 {
		return i
	}
	return len(Severities)
}

// Label is the confidence label that belongs to a score of 0 to 100.
func Label(score float64) string {
	switch {
	case score >= 75:
		return "high"
	case score >= 50:
		return "medium"
	default:
		return "low"
	}
}

// Recon is what the first phase says about the repository.
type Recon struct {
	SchemaVersion   int             `json:"schemaVersion"`
	Files           Tiers           `json:"files"`
	TechStack       []Technology    `json:"techStack"`
	TrustBoundaries []TrustBoundary `json:"trustBoundaries"`
	Notes           []string        `json:"notes"`
}

// Tiers are the queued files by risk. A tier orders the hunt and never takes
// a file out of it.
type Tiers struct {
	Critical    []TieredFile `json:"critical"`
	High        []TieredFile `json:"high"`
	Medium      []TieredFile `json:"medium"`
	Low         []TieredFile `json:"low"`
	ContextOnly []TieredFile `json:"contextOnly"`
}

// Tier is one tier with its name.
type Tier struct {
	Name  string
	Files []TieredFile
}

// All lists the tiers in the order in which they are hunted.
func (t Tiers) All() []Tier {
	return []Tier{
		{"critical", t.Critical},
		{"high", t.High},
		{"medium", t.Medium},
		{"low", t.Low},
		{"contextOnly", t.ContextOnly},
	}
}

// TieredFile is a file with the reason for its tier.
type TieredFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Technology is something the project is built with, and the file that says so.
type Technology struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Source  string `json:"source"`
}

// TrustBoundary is a place where less trusted data comes in.
type TrustBoundary struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
}

// Finding is one bug as the hunter claims it.
type Finding struct {
	BugID           string           `json:"bugId"`
	Severity        Severity         `json:"severity"`
	Category        string           `json:"category"`
	File            string           `json:"file"`  // relative to the root, forward slashes
	Lines           string           `json:"lines"` // 1-based: "12", "12-15", several with commas
	Claim           string           `json:"claim"`
	Evidence        string           `json:"evidence"` // the code, as it stands in the file
	RuntimeTrigger  string           `json:"runtimeTrigger"`
	CrossReferences []CrossReference `json:"crossReferences"`
	ConfidenceScore float64          `json:"confidenceScore"` // 0 to 100
	ConfidenceLabel string           `json:"confidenceLabel,omitempty"`
	Stride          string           `json:"stride,omitempty"`
	CWE             string           `json:"cwe,omitempty"`
	WorkerBugID     string           `json:"workerBugId,omitempty"` // set by the pipeline
	Fingerprint     string           `json:"fingerprint,omitempty"` // set by the pipeline
}

// CrossReference is another place that supports a claim.
type CrossReference struct {
	File   string `json:"file"`
	Lines  string `json:"lines,omitempty"`
	Reason string `json:"reason"`
}

// The skeptic's possible answers.
const (
	Accept       = "ACCEPT"
	Disprove     = "DISPROVE"
	ManualReview = "MANUAL_REVIEW" // also a verdict
)

// Challenge is the skeptic's answer to one finding.
type Challenge struct {
	BugID           string `json:"bugId"`
	Response        string `json:"response"` // Accept, Disprove or ManualReview
	AnalysisSummary string `json:"analysisSummary"`
	CounterEvidence string `json:"counterEvidence,omitempty"` // always there with Disprove
}

// The referee's possible verdicts, beside [ManualReview].
const (
	RealBug = "REAL_BUG"
	NotABug = "NOT_A_BUG"
)

// How a verdict was reached.
const (
	IndependentlyVerified = "INDEPENDENTLY_VERIFIED"
	EvidenceBased         = "EVIDENCE_BASED"
)

// Verdict is the referee's word on one finding.
type Verdict struct {
	BugID            string    `json:"bugId"`
	Verdict          string    `json:"verdict"` // RealBug, NotABug or ManualReview
	TrueSeverity     Severity  `json:"trueSeverity"`
	ConfidenceScore  float64   `json:"confidenceScore"` // 0 to 100
	ConfidenceLabel  string    `json:"confidenceLabel"`
	VerificationMode string    `json:"verificationMode"`
	AnalysisSummary  string    `json:"analysisSummary"`
	SuggestedFix     string    `json:"suggestedFix,omitempty"`
	Security         *Security `json:"security,omitempty"`
}

// Security is what a verdict adds for a security bug.
type Security struct {
	Reachability   string   `json:"reachability"`   // EXTERNAL, AUTHENTICATED, INTERNAL or UNREACHABLE
	Exploitability string   `json:"exploitability"` // EASY, MEDIUM or HARD
	CVSSVector     string   `json:"cvssVector"`
	CVSSScore      *float64 `json:"cvssScore,omitempty"` // computed from the vector by the pipeline
	ProofOfConcept string   `json:"proofOfConcept,omitempty"`
}

// FileStatus says where a queued file stands.
type FileStatus string

// A file goes from pending through in_progress to done or failed. Found
// in_progress when a run starts, it tells that the run before died there.
const (
	Pending    FileStatus = "pending"
	InProgress FileStatus = "in_progress"
	Done       FileStatus = "done"
	Failed     FileStatus = "failed"
)

// The loop's status.
const (
	LoopInProgress = "IN_PROGRESS"
	LoopComplete   = "COMPLETE" // every queued file is done
)

// Coverage is the state of the loop, and what a later run resumes from.
type Coverage struct {
	SchemaVersion int               `json:"schemaVersion"`
	Iteration     int               `json:"iteration"`
	Status        string            `json:"status"`
	Workers       map[string]string `json:"workers,omitempty"` // phase to worker
	Paths         []string          `json:"paths,omitempty"`   // what the last run was asked for; none means all
	Files         []FileEntry       `json:"files"`
	LeftOut       []LeftOut         `json:"leftOut,omitempty"`
	Bugs          []BugSummary      `json:"bugs"`
	Fixes         []FixEntry        `json:"fixes"`
}

// FileEntry is one queued file.
type FileEntry struct {
	Path      string     `json:"path"`
	Status    FileStatus `json:"status"`
	Hash      string     `json:"hash,omitempty"` // sha256:hex of the content scanned
	Chunk     string     `json:"chunk,omitempty"`
	Attempts  int        `json:"attempts"`
	LastError string     `json:"lastError,omitempty"`
}

// LeftOut counts the files that were not queued for one reason.
type LeftOut struct {
	Reason   string   `json:"reason"`
	Files    int      `json:"files"`
	Examples []string `json:"examples"` // at most three
	Remedy   string   `json:"remedy,omitempty"`
}

// BugSummary is a confirmed bug in short.
type BugSummary struct {
	BugID           string   `json:"bugId"`
	Severity        Severity `json:"severity"`
	Category        string   `json:"category"`
	File            string   `json:"file"`
	Lines           string   `json:"lines"`
	Claim           string   `json:"claim"`
	ConfidenceScore float64  `json:"confidenceScore"`
	Fingerprint     string   `json:"fingerprint,omitempty"`
}

// FixEntry is a line of the ledger of fixes.
type FixEntry struct {
	BugID  string `json:"bugId"`
	Status string `json:"status"`
}

// The ways to handle a confirmed bug.
const (
	SafeAutofix              = "safe-autofix"
	ManualReviewFix          = "manual-review"
	LargerRefactor           = "larger-refactor"
	ArchitecturalRemediation = "architectural-remediation"
)

// FixStrategy says how each confirmed bug should be handled.
type FixStrategy struct {
	SchemaVersion       int        `json:"schemaVersion"`
	ConfidenceThreshold float64    `json:"confidenceThreshold"`
	Strategies          []Strategy `json:"strategies"`
}

// Strategy is the way to handle one bug.
type Strategy struct {
	BugID           string   `json:"bugId"`
	Strategy        string   `json:"strategy"`
	Reason          string   `json:"reason"`
	Severity        Severity `json:"severity"`
	ConfidenceScore float64  `json:"confidenceScore"`
	File            string   `json:"file"`
}

// FixPlan orders the eligible bugs.
type FixPlan struct {
	SchemaVersion       int        `json:"schemaVersion"`
	ConfidenceThreshold float64    `json:"confidenceThreshold"`
	Steps               []FixStep  `json:"steps"`
	Excluded            []Excluded `json:"excluded"`
}

// The stages of a plan.
const (
	Canary  = "canary"
	Rollout = "rollout"
)

// FixStep is one bug to fix.
type FixStep struct {
	BugID           string   `json:"bugId"`
	Order           int      `json:"order"` // from 1
	Stage           string   `json:"stage"` // Canary or Rollout
	File            string   `json:"file"`
	Severity        Severity `json:"severity"`
	ConfidenceScore float64  `json:"confidenceScore"`
}

// Excluded is a confirmed bug that is not for automatic fixing.
type Excluded struct {
	BugID    string `json:"bugId"`
	Strategy string `json:"strategy"`
	Reason   string `json:"reason"`
}

// The statuses of a fix that this program gives today. The schema knows the
// ones of an applied fix as well.
const (
	FixProposed = "PROPOSED"
	FixFailed   = "FIX_FAILED"
	FixSkipped  = "SKIPPED"
)

// FixReport says what became of each step of the plan.
type FixReport struct {
	SchemaVersion int            `json:"schemaVersion"`
	DryRun        bool           `json:"dryRun"`
	Fixes         []Fix          `json:"fixes"`
	Totals        map[string]int `json:"totals,omitempty"` // by status, counted by the pipeline
}

// Fix is what became of one bug.
type Fix struct {
	BugID  string   `json:"bugId"`
	Status string   `json:"status"`
	Reason string   `json:"reason"`
	Patch  string   `json:"patch,omitempty"` // unified diff against the root
	Files  []string `json:"files,omitempty"` // the files the patch touches, read from it by the pipeline
}

// Assignment is what a worker is given.
type Assignment struct {
	SchemaVersion int          `json:"schemaVersion"`
	Phase         string       `json:"phase"`
	Chunk         string       `json:"chunk"`
	Attempt       int          `json:"attempt"` // from 1
	Root          string       `json:"root"`    // absolute
	Files         []string     `json:"files"`   // relative to Root
	Recon         *Recon       `json:"recon,omitempty"`
	Findings      []Claim      `json:"findings,omitempty"`
	Challenges    []Challenge  `json:"challenges,omitempty"`
	Verdicts      []Verdict    `json:"verdicts,omitempty"`
	OutputSchema  OutputSchema `json:"outputSchema"`
	OutputPath    string       `json:"outputPath"`         // absolute
	Feedback      []string     `json:"feedback,omitempty"` // the problems of the attempt before
}

// OutputSchema names the contract of the answer.
type OutputSchema struct {
	Artifact      string `json:"artifact"`
	SchemaVersion int    `json:"schemaVersion"`
}

// Claim is a finding as another phase gets to see it: without the hunter's
// confidence always, and for the skeptic without its reasoning too.
type Claim struct {
	BugID           string           `json:"bugId"`
	Severity        Severity         `json:"severity"`
	Category        string           `json:"category"`
	File            string           `json:"file"`
	Lines           string           `json:"lines"`
	Claim           string           `json:"claim"`
	Evidence        string           `json:"evidence,omitempty"`
	RuntimeTrigger  string           `json:"runtimeTrigger,omitempty"`
	CrossReferences []CrossReference `json:"crossReferences,omitempty"`
	Stride          string           `json:"stride,omitempty"`
	CWE             string           `json:"cwe,omitempty"`
}

// SortFindings puts findings into the order of every artifact and report:
// worst first, then by file, line and id, so that the same findings give the
// same bytes in whatever order they were made.
func SortFindings(fs []Finding) {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.File, b.File),
			cmp.Compare(FirstLine(a.Lines), FirstLine(b.Lines)),
			cmp.Compare(a.BugID, b.BugID),
		)
	})
}
