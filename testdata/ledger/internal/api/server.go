// Package api is the HTTP interface of the ledger: JSON for shops and the payment provider, and the pages of the
// operators' console.
package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"example.com/ledger/internal/auth"
	"example.com/ledger/internal/store"
	"example.com/ledger/internal/webhook"
)

// maxBody is far above any request of a well-behaved client.
const maxBody = 64 << 10

// Server answers requests. All of its fields are needed.
type Server struct {
	Store        *store.Store
	Replica      *sql.DB           // read by searches, so that they do not slow transfers down
	Operators    map[string]string // name to the hexadecimal SHA-256 of a random access key
	Sessions     *auth.Sessions
	Verifier     webhook.Verifier
	StatementDir string
	Log          *slog.Logger
}

// Handler returns the routes of the service.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /transfers", s.createTransfer)
	mux.HandleFunc("POST /transfers/{key}/refund", s.refundTransfer)
	mux.HandleFunc("GET /accounts/{id}", s.getAccount)
	mux.HandleFunc("GET /accounts/{id}/transfers", s.searchTransfers)
	mux.HandleFunc("POST /subscriptions", s.subscribe)
	mux.HandleFunc("POST /callbacks/provider", s.providerCallback)
	mux.HandleFunc("POST /console/session", s.signIn)
	mux.Handle("GET /console/statement", s.Sessions.Require(http.HandlerFunc(s.downloadStatement)))
	mux.Handle("GET /console/summary", s.Sessions.Require(http.HandlerFunc(s.monthlySummary)))
	mux.Handle("GET /console/settlement", s.Sessions.Require(http.HandlerFunc(s.settlementFile)))
	return s.withRequestID(mux)
}

// withRequestID keeps the gateway's request id, or makes one up, and returns it to the client.
func (s *Server) withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if id == "" {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		//lint:ignore SA1029 the gateway's tracing library looks the id up under this plain string
		ctx := context.WithValue(r.Context(), "request-id", id)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// signIn opens a console session for an operator who knows his access key.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	var login struct {
		Operator  string `json:"operator"`
		AccessKey string `json:"accessKey"`
	}
	if err := readJSON(w, r, &login); err != nil {
		s.refuse(w, http.StatusBadRequest, "body is not a sign-in")
		return
	}
	digest := sha256.Sum256([]byte(login.AccessKey))
	want, known := s.Operators[login.Operator]
	if !known || subtle.ConstantTimeCompare([]byte(hex.EncodeToString(digest[:])), []byte(want)) != 1 {
		s.refuse(w, http.StatusUnauthorized, "operator or access key is wrong")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name:     auth.CookieName,
		Value:    s.Sessions.Start(login.Operator),
		Path:     "/console",
		Secure:   true,
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

// subscribe takes the address to which the events of an account are delivered. A misspelt field is refused rather than
// ignored, because a shop would otherwise wait for events that never come.
func (s *Server) subscribe(w http.ResponseWriter, r *http.Request) {
	var sub webhook.Subscription
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(sub); err != nil || !strings.HasPrefix(sub.URL, "https://") {
		s.refuse(w, http.StatusBadRequest, "body is not a subscription to an https address")
		return
	}
	if err := s.Store.Subscribe(r.Context(), sub.Account, sub.URL); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// providerCallback pays back a payout that the payment provider could not carry out.
func (s *Server) providerCallback(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.refuse(w, http.StatusBadRequest, "body cannot be read")
		return
	}
	if err := s.Verifier.Check(r, body); err != nil {
		s.refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	var payout struct {
		Key   string `json:"transferKey"`
		State string `json:"state"`
	}
	if err := json.Unmarshal(body, &payout); err != nil {
		s.refuse(w, http.StatusBadRequest, "body is not a payout")
		return
	}
	if payout.State != "failed" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.refund(w, r, payout.Key)
}

func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	return json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(v)
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.Log.Debug("answer not sent", "error", err)
	}
}

func (s *Server) refuse(w http.ResponseWriter, status int, reason string) {
	s.writeJSON(w, status, map[string]string{"error": reason})
}

// fail answers for an error of the store. What the database said stays in the log.
func (s *Server) fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		s.refuse(w, http.StatusNotFound, "no such account")
	case errors.Is(err, store.ErrInsufficientFunds), errors.Is(err, store.ErrNotOpen):
		s.refuse(w, http.StatusConflict, err.Error())
	default:
		s.Log.Error("request failed", "error", err)
		s.refuse(w, http.StatusInternalServerError, "internal error")
	}
}
