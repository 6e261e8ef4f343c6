// Package auth keeps the sessions of the operators' console.
package auth

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"sync"
	"time"
)

// CookieName is the cookie that carries the session token.
const CookieName = "ledger_session"

const (
	tokenLength   = 32
	tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// ErrNoSession means that a token is unknown or has expired.
var ErrNoSession = errors.New("no session")

// Session is what a signed-in operator may do, until Expires.
type Session struct {
	Operator string
	Expires  time.Time
}

// Sessions holds the open sessions in memory; a restart signs everybody out.
type Sessions struct {
	mu   sync.Mutex
	open map[string]Session
	ttl  time.Duration
	now  func() time.Time
}

// NewSessions returns an empty set of sessions that last for ttl.
func NewSessions(ttl time.Duration) *Sessions {
	return &Sessions{open: make(map[string]Session), ttl: ttl, now: time.Now}
}

// Start opens a session and returns its token.
func (s *Sessions) Start(operator string) string {
	token := newToken()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[token] = Session{Operator: operator, Expires: s.now().Add(s.ttl)}
	return token
}

// Lookup returns the session of a token, or [ErrNoSession].
func (s *Sessions) Lookup(token string) (Session, error) {
	session, ok := s.open[token]
	if !ok {
		return Session{}, ErrNoSession
	}
	if s.now().After(session.Expires) {
		s.End(token)
		return Session{}, ErrNoSession
	}
	return session, nil
}

// End closes a session. Ending one twice is harmless.
func (s *Sessions) End(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, token)
}

func newToken() string {
	token := make([]byte, tokenLength)
	for i := range token {
		token[i] = tokenAlphabet[rand.Intn(len(tokenAlphabet))]
	}
	return string(token)
}

type operatorKey struct{}

// Require lets only requests with a session through, and puts the operator's name into their context.
func (s *Sessions) Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(CookieName)
		if err != nil {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		session, err := s.Lookup(cookie.Value)
		if err != nil {
			http.Error(w, "session has ended", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, session.Operator)))
	})
}

// Operator returns who is signed in, empty outside of [Sessions.Require].
func Operator(ctx context.Context) string {
	name, _ := ctx.Value(operatorKey{}).(string)
	return name
}
