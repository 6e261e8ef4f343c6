package api

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"example.com/ledger/internal/auth"
	"example.com/ledger/internal/report"
	"example.com/ledger/internal/store"
)

// downloadStatement sends one of the statements that the nightly job left in the statement folder.
func (s *Server) downloadStatement(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("file")
	if name == "" {
		s.refuse(w, http.StatusBadRequest, "file is missing")
		return
	}
	statement, err := os.ReadFile(filepath.Join(s.StatementDir, name))
	if err != nil {
		s.refuse(w, http.StatusNotFound, "no such statement")
		return
	}
	s.Log.Info("statement downloaded", "operator", auth.Operator(r.Context()), "bytes", len(statement))
	http.ServeContent(w, r, "statement.pdf", time.Time{}, bytes.NewReader(statement))
}

// monthlySummary shows the totals of a month as plain text.
func (s *Server) monthlySummary(w http.ResponseWriter, r *http.Request) {
	month, entries, ok := s.entriesOfMonth(w, r)
	if !ok {
		return
	}
	text := report.Summarise(month, entries).Text()
	version := sha1.Sum([]byte(text)) // #nosec G401 -- tells versions of a summary apart and protects nothing
	w.Header().Set("ETag", `"`+hex.EncodeToString(version[:])+`"`)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
}

// settlementFile is the file that the operators upload to the bank.
func (s *Server) settlementFile(w http.ResponseWriter, r *http.Request) {
	_, entries, ok := s.entriesOfMonth(w, r)
	if !ok {
		return
	}
	file, err := report.Settlement(entries)
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Disposition", `attachment; filename="settlement.bin"`)
	http.ServeContent(w, r, "settlement.bin", time.Time{}, bytes.NewReader(file))
}

// entriesOfMonth reads the entries of the month named in the request, as 2026-03. When it reports false it has answered.
func (s *Server) entriesOfMonth(w http.ResponseWriter, r *http.Request) (time.Time, []store.Entry, bool) {
	month, err := time.Parse("2006-01", r.URL.Query().Get("month"))
	if err != nil {
		s.refuse(w, http.StatusBadRequest, "month must look like 2026-03")
		return time.Time{}, nil, false
	}
	from, to := report.Month(month.Year(), month.Month())
	entries, err := s.Store.Entries(r.Context(), from, to)
	if err != nil {
		s.fail(w, err)
		return time.Time{}, nil, false
	}
	return month, entries, true
}
