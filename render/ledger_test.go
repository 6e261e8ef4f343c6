package render

import "bughunter/artifacts"

// ledger is a hunt through a small service that keeps accounts: every ruling,
// every kind of fix, and a coverage that is not complete.
func ledger() Input {
	return Input{
		Recon: ledgerRecon(), Findings: ledgerFindings(), Challenges: ledgerChallenges(), Verdicts: ledgerVerdicts(),
		Coverage: ledgerCoverage(), FixStrategy: ledgerStrategy(), FixPlan: ledgerPlan(), FixReport: ledgerFixes(),
	}
}

func ledgerRecon() *artifacts.Recon {
	return &artifacts.Recon{
		SchemaVersion: 1,
		Files: artifacts.Tiers{
			Critical: []artifacts.TieredFile{
				{Path: "internal/ledger/transfer.go", Reason: "moves money; holds a mutex and runs SQL"},
				{Path: "internal/api/export.go", Reason: "opens files named by a request"},
			},
			High: []artifacts.TieredFile{
				{Path: "internal/api/statement.go", Reason: "parses a request and answers with account data"},
				{Path: "internal/store/rows.go", Reason: "runs SQL"},
				{Path: "cmd/import/main.go", Reason: "parses files that others write"},
			},
			Medium: []artifacts.TieredFile{{Path: "internal/report/monthly.go", Reason: "arithmetic on amounts"}},
			Low:    []artifacts.TieredFile{{Path: "internal/clock/clock.go", Reason: "no input, no state"}},
			ContextOnly: []artifacts.TieredFile{
				{Path: "internal/ledger/transfer_test.go", Reason: "test code"},
			},
		},
		TechStack: []artifacts.Technology{
			{Name: "Go", Version: "1.22", Source: "go.mod"},
			{Name: "SQLite", Source: "internal/store/open.go"},
		},
		TrustBoundaries: []artifacts.TrustBoundary{
			{Name: "HTTP API", Description: "Requests of customers, with a token but otherwise unchecked.",
				Files: []string{"internal/api/export.go", "internal/api/statement.go"}},
			{Name: "Nightly import", Description: "CSV files of the bank, read from a folder that others can write to.",
				Files: []string{"cmd/import/main.go"}},
		},
		Notes: []string{"Amounts are int64 cents throughout; there is no decimal type."},
	}
}

func ledgerFindings() []artifacts.Finding {
	return []artifacts.Finding{
		{
			BugID: "BUG-7c1e90", Severity: "Medium", Category: "resource-leak", File: "internal/store/rows.go", Lines: "31-38",
			Claim:          "The rows of the query are never closed when a scan fails.",
			Evidence:       "rows, err := s.db.Query(q, id)\nif err != nil {\n\treturn nil, err\n}\nfor rows.Next() {\n\tif err := rows.Scan(&e.ID, &e.Cents); err != nil {\n\t\treturn nil, err\n\t}",
			RuntimeTrigger: "A NULL in the column cents. After as many of those as the pool has connections, every request waits.",
			CrossReferences: []artifacts.CrossReference{
				{File: "internal/store/open.go", Lines: "19", Reason: "the pool is limited to 10 connections"},
			},
			ConfidenceScore: 85, ConfidenceLabel: "high",
		},
		{
			BugID: "BUG-3f9a2c", Severity: "Critical", Category: "concurrency", File: "internal/ledger/transfer.go", Lines: "42-51",
			Claim: "`Transfer` reads the balance before it takes the lock, so two transfers at the same time both pass the check and the account is overdrawn. " +
				"The check and the write have to happen under the same lock.",
			Evidence:       "bal := l.balance[from]\nif bal < cents {\n\treturn ErrInsufficient\n}\nl.mu.Lock()\ndefer l.mu.Unlock()\nl.balance[from] = bal - cents\nl.balance[to] += cents",
			RuntimeTrigger: "Two requests to `/transfer` from one account within the same millisecond:\n1. both read a balance of 100\n2. both write 100 - 80 = 20\n\nThe receivers got 160 of an account that held 100.",
			CrossReferences: []artifacts.CrossReference{
				{File: "internal/api/transfer.go", Lines: "27", Reason: "calls Transfer from a handler, once per request"},
				{File: "internal/ledger/ledger.go", Reason: "declares mu and says that it guards *balance*"},
			},
			ConfidenceScore: 95, ConfidenceLabel: "high", CWE: "CWE-362", Stride: "Tampering",
		},
		{
			BugID: "BUG-b04d11", Severity: "Critical", Category: "security", File: "internal/api/export.go", Lines: "18, 24-26",
			Claim:           "The name of the export comes from the request and is joined to the folder unchecked: `name=../../etc/passwd` reads any file of the host.",
			Evidence:        "name := r.URL.Query().Get(\"name\")\n…\nf, err := os.Open(filepath.Join(h.dir, name))\nif err != nil {\n\thttp.Error(w, \"no such export\", http.StatusNotFound)",
			RuntimeTrigger:  "GET /export?name=../../../../etc/passwd with the token of any customer.",
			ConfidenceScore: 90, CWE: "CWE-22", Stride: "InformationDisclosure",
		},
		{
			BugID: "BUG-51aa07", Severity: "Low", Category: "arithmetic", File: "internal/report/monthly.go", Lines: "64",
			Claim:           "The average divides by the number of days without checking for an empty month.",
			Evidence:        "\tavg := total / int64(len(days))",
			RuntimeTrigger:  "A report for a month in which the account did not exist yet: integer divide by zero, and the process ends.",
			ConfidenceScore: 78,
		},
		{
			BugID: "BUG-9d2f60", Severity: "High", Category: "availability", File: "internal/api/statement.go", Lines: "77-80",
			Claim:           "The limit that the caller asks for is used as a capacity without an upper bound (limit <= 0 is checked, a billion is not).",
			Evidence:        "limit, _ := strconv.Atoi(q.Get(\"limit\"))\nif limit <= 0 {\n\tlimit = 50\n}\nentries := make([]Entry, 0, limit)",
			RuntimeTrigger:  "GET /statement?limit=2000000000",
			ConfidenceScore: 70, CWE: "CWE-770", Stride: "DenialOfService",
		},
		{
			BugID: "BUG-e8c3b4", Severity: "Medium", Category: "error-handling", File: "internal/store/rows.go", Lines: "71",
			Claim:           "The error of `tx.Rollback` is dropped.",
			Evidence:        "defer tx.Rollback()",
			RuntimeTrigger:  "The connection is lost before the rollback.",
			ConfidenceScore: 60,
		},
		{
			BugID: "BUG-04fe12", Severity: "Medium", Category: "nil-dereference", File: "internal/clock/clock.go", Lines: "12",
			Claim:           "Now dereferences c.base, which is nil in the zero value.",
			Evidence:        "return c.base.Add(time.Since(c.start))",
			RuntimeTrigger:  "Calling Now on a zero Clock.",
			ConfidenceScore: 55,
		},
	}
}

func ledgerChallenges() []artifacts.Challenge {
	return []artifacts.Challenge{
		{BugID: "BUG-3f9a2c", Response: artifacts.Accept, AnalysisSummary: "Nothing above Transfer takes the lock: the handler calls it directly, and balance is read at line 42, the lock taken at line 46."},
		{BugID: "BUG-7c1e90", Response: artifacts.Accept, AnalysisSummary: "No defer rows.Close() in the function; the return inside the loop leaves them open."},
		{BugID: "BUG-b04d11", Response: artifacts.Disprove, AnalysisSummary: "filepath.Join cleans the path.",
			CounterEvidence: "filepath.Join calls Clean. But Clean keeps leading .. elements after the join with a shorter folder, so this is weak."},
		{BugID: "BUG-51aa07", Response: artifacts.Accept, AnalysisSummary: "days comes from a query and can be empty."},
		{BugID: "BUG-9d2f60", Response: artifacts.ManualReview, AnalysisSummary: "A proxy in front may limit the query string; it is not in this repository."},
		{BugID: "BUG-e8c3b4", Response: artifacts.Disprove, AnalysisSummary: "After Commit, Rollback returns sql.ErrTxDone, which is meant to be ignored.",
			CounterEvidence: "internal/store/rows.go:84 returns the error of tx.Commit, so no failure is lost."},
		{BugID: "BUG-04fe12", Response: artifacts.Disprove, AnalysisSummary: "base is a time.Time, not a pointer.",
			CounterEvidence: "internal/clock/clock.go:7 declares base time.Time."},
	}
}

func ledgerVerdicts() []artifacts.Verdict {
	score := 6.5
	return []artifacts.Verdict{
		{BugID: "BUG-04fe12", Verdict: artifacts.NotABug, TrueSeverity: "Low", ConfidenceScore: 99, ConfidenceLabel: "high",
			VerificationMode: artifacts.IndependentlyVerified, AnalysisSummary: "A program that calls Now on a zero Clock prints a time and does not panic."},
		{BugID: "BUG-3f9a2c", Verdict: artifacts.RealBug, TrueSeverity: "Critical", ConfidenceScore: 97, ConfidenceLabel: "high",
			VerificationMode: artifacts.IndependentlyVerified,
			AnalysisSummary:  "The race detector reports the read at transfer.go:42 against the write at transfer.go:48 in a test with two goroutines.",
			SuggestedFix:     "Take the lock before the balance is read:\n\nl.mu.Lock()\ndefer l.mu.Unlock()\nbal := l.balance[from]"},
		{BugID: "BUG-7c1e90", Verdict: artifacts.RealBug, TrueSeverity: "Medium", ConfidenceScore: 88, ConfidenceLabel: "high",
			VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "Both sides agree, and the pool is limited.", SuggestedFix: "defer rows.Close() after the error check."},
		{BugID: "BUG-b04d11", Verdict: artifacts.RealBug, TrueSeverity: "High", ConfidenceScore: 92.5, ConfidenceLabel: "high",
			VerificationMode: artifacts.IndependentlyVerified,
			AnalysisSummary:  "Join cleans the path but does not keep it inside the folder; a request with four .. read a file outside of it. It takes a token, hence High.",
			SuggestedFix:     "Open exports through os.OpenRoot, or accept only names for which filepath.IsLocal holds.",
			Security: &artifacts.Security{Reachability: "AUTHENTICATED", Exploitability: "EASY",
				CVSSVector: "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:N/A:N", CVSSScore: &score,
				ProofOfConcept: "curl -H \"Authorization: Bearer $TOKEN\" \\\n  'http://localhost:8080/export?name=../../../../etc/passwd'"}},
		{BugID: "BUG-51aa07", Verdict: artifacts.RealBug, TrueSeverity: "Medium", ConfidenceScore: 81, ConfidenceLabel: "high",
			VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "The handler does not recover, so one request ends the process for all."},
		{BugID: "BUG-9d2f60", Verdict: artifacts.ManualReview, TrueSeverity: "High", ConfidenceScore: 60, ConfidenceLabel: "medium",
			VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "Whether it can be reached depends on the proxy."},
		{BugID: "BUG-e8c3b4", Verdict: artifacts.NotABug, TrueSeverity: "Low", ConfidenceScore: 90, ConfidenceLabel: "high",
			VerificationMode: artifacts.EvidenceBased, AnalysisSummary: "The counter-evidence holds; this is the usual idiom."},
	}
}

func ledgerCoverage() *artifacts.Coverage {
	done := func(path, chunk string) artifacts.FileEntry {
		return artifacts.FileEntry{Path: path, Status: artifacts.Done, Chunk: chunk, Attempts: 1}
	}
	return &artifacts.Coverage{
		SchemaVersion: 1, Iteration: 2, Status: artifacts.LoopInProgress,
		Workers: map[string]string{"recon": "analyzers", "hunter": "analyzers", "skeptic": "claude", "referee": "my-agent {assignment} {output}"},
		Files: []artifacts.FileEntry{
			done("internal/ledger/transfer.go", "chunk-1"), done("internal/api/export.go", "chunk-1"),
			done("internal/api/statement.go", "chunk-2"), done("internal/store/rows.go", "chunk-2"),
			done("internal/report/monthly.go", "chunk-3"), done("internal/clock/clock.go", "chunk-4"),
			{Path: "cmd/import/main.go", Status: artifacts.Failed, Chunk: "chunk-3", Attempts: 3,
				LastError: "timeout: the worker did not answer within 5m0s; raise it with --timeout"},
			{Path: "internal/ledger/transfer_test.go", Status: artifacts.Pending},
		},
		LeftOut: []artifacts.LeftOut{
			{Reason: "The worker analyzers does not know the language (TypeScript).", Files: 14,
				Examples: []string{"web/src/app.ts", "web/src/api.ts"}, Remedy: "Run again with --worker claude for web/."},
			{Reason: "Binary file.", Files: 1, Examples: []string{"docs/logo.png"}},
		},
		Bugs: []artifacts.BugSummary{
			{BugID: "BUG-7c1e90", Severity: "Medium", Category: "resource-leak", File: "internal/store/rows.go", Lines: "31-38",
				Claim: "The rows of the query are never closed when a scan fails.", ConfidenceScore: 88},
			{BugID: "BUG-3f9a2c", Severity: "Critical", Category: "concurrency", File: "internal/ledger/transfer.go", Lines: "42-51",
				Claim: "`Transfer` reads the balance before it takes the lock.", ConfidenceScore: 97},
		},
		Fixes: []artifacts.FixEntry{{BugID: "BUG-7c1e90", Status: artifacts.FixProposed}},
	}
}

func ledgerStrategy() *artifacts.FixStrategy {
	return &artifacts.FixStrategy{SchemaVersion: 1, ConfidenceThreshold: 75, Strategies: []artifacts.Strategy{
		{BugID: "BUG-3f9a2c", Strategy: artifacts.ManualReviewFix, Reason: "It changes what a lock guards.", Severity: "Critical", ConfidenceScore: 97, File: "internal/ledger/transfer.go"},
		{BugID: "BUG-b04d11", Strategy: artifacts.ManualReviewFix, Reason: "A security bug is never fixed unseen.", Severity: "High", ConfidenceScore: 92.5, File: "internal/api/export.go"},
		{BugID: "BUG-7c1e90", Strategy: artifacts.SafeAutofix, Reason: "One line in one function.", Severity: "Medium", ConfidenceScore: 88, File: "internal/store/rows.go"},
		{BugID: "BUG-51aa07", Strategy: artifacts.SafeAutofix, Reason: "One condition in one function.", Severity: "Medium", ConfidenceScore: 81, File: "internal/report/monthly.go"},
	}}
}

func ledgerPlan() *artifacts.FixPlan {
	return &artifacts.FixPlan{SchemaVersion: 1, ConfidenceThreshold: 75,
		Steps: []artifacts.FixStep{
			{BugID: "BUG-51aa07", Order: 2, Stage: artifacts.Rollout, File: "internal/report/monthly.go", Severity: "Medium", ConfidenceScore: 81},
			{BugID: "BUG-7c1e90", Order: 1, Stage: artifacts.Canary, File: "internal/store/rows.go", Severity: "Medium", ConfidenceScore: 88},
		},
		Excluded: []artifacts.Excluded{
			{BugID: "BUG-3f9a2c", Strategy: artifacts.ManualReviewFix, Reason: "It changes what a lock guards."},
			{BugID: "BUG-b04d11", Strategy: artifacts.ManualReviewFix, Reason: "A security bug is never fixed unseen."},
		}}
}

func ledgerFixes() *artifacts.FixReport {
	return &artifacts.FixReport{SchemaVersion: 1, DryRun: true, Totals: map[string]int{artifacts.FixProposed: 1, artifacts.FixFailed: 1},
		Fixes: []artifacts.Fix{
			{BugID: "BUG-51aa07", Status: artifacts.FixFailed, Reason: "The patch did not apply: monthly.go changed since it was scanned."},
			{BugID: "BUG-7c1e90", Status: artifacts.FixProposed, Reason: "Closes the rows on every way out.", Files: []string{"internal/store/rows.go"},
				Patch: "--- a/internal/store/rows.go\n+++ b/internal/store/rows.go\n@@ -31,6 +31,7 @@\n rows, err := s.db.Query(q, id)\n if err != nil {\n \treturn nil, err\n }\n+defer rows.Close()\n for rows.Next() {\n"},
		}}
}
