package auth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestSessionExpires(t *testing.T) {
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s := NewSessions(time.Hour)
	s.now = func() time.Time { return clock }

	token := s.Start("mara")
	if len(token) != tokenLength {
		t.Fatalf("token has %d characters, want %d", len(token), tokenLength)
	}
	if got, err := s.Lookup(token); err != nil || got.Operator != "mara" {
		t.Fatalf("Lookup = %v, %v", got, err)
	}
	clock = clock.Add(2 * time.Hour)
	if _, err := s.Lookup(token); !errors.Is(err, ErrNoSession) {
		t.Errorf("Lookup after two hours: %v, want ErrNoSession", err)
	}
}

func TestRequire(t *testing.T) {
	s := NewSessions(time.Hour)
	handler := s.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := Operator(r.Context()); got != "mara" {
			t.Errorf("operator is %q", got)
		}
	}))
	for token, want := range map[string]int{s.Start("mara"): http.StatusOK, "guessed": http.StatusUnauthorized} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: CookieName, Value: token})
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("status %d, want %d", w.Code, want)
		}
	}
}
