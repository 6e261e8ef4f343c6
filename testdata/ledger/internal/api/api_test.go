package api

import (
	"database/sql/driver"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/ledger/internal/auth"
	"example.com/ledger/internal/ledgertest"
	"example.com/ledger/internal/money"
	"example.com/ledger/internal/store"
)

func newServer(t *testing.T, script ledgertest.Script) *Server {
	db := ledgertest.OpenDB(t, script)
	return &Server{
		Store:    store.New(db, money.Standard),
		Replica:  db,
		Sessions: auth.NewSessions(time.Hour),
		// The digest of "open sesame".
		Operators:    map[string]string{"mara": "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb"},
		StatementDir: t.TempDir(),
		Log:          slog.New(slog.DiscardHandler),
	}
}

func send(s *Server, method, target, body string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestAccountOverHTTP(t *testing.T) {
	id := ledgertest.AccountID()
	s := newServer(t, ledgertest.Script{"FROM accounts": {{id, "Ada", int64(500_00), int64(0)}}})
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	status, body := ledgertest.Get(t, srv.URL+"/accounts/"+id)
	if status != http.StatusOK || !strings.Contains(body, `"balance":50000`) {
		t.Errorf("status %d, body %s", status, body)
	}
}

func TestCreateTransfer(t *testing.T) {
	s := newServer(t, ledgertest.Script{"FROM accounts": {{"acc_1", "Ada", int64(500_00), int64(0)}}})
	for body, want := range map[string]int{
		`{"key":"k1","from":"acc_1","to":"acc_2","amount":"20.00"}`:    http.StatusCreated,
		`{"key":"k2","from":"acc_1","to":"acc_2","amount":"900.00"}`:   http.StatusConflict,
		`{"key":"k3","from":"acc_1","to":"acc_2","amount":"-1"}`:       http.StatusBadRequest,
		`{"key":"k4","from":"acc_1","to":"acc_1","amount":"1"}`:        http.StatusBadRequest,
		`{"key":"refund-k1","from":"acc_1","to":"acc_2","amount":"1"}`: http.StatusBadRequest,
		`{`: http.StatusBadRequest,
	} {
		if w := send(s, http.MethodPost, "/transfers", body); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", body, w.Code, want, w.Body)
		}
	}
}

func TestRefundIsPaidOnce(t *testing.T) {
	at := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	s := newServer(t, ledgertest.Script{
		"FROM transfers": {{"tr_1", "k1", "acc_1", "acc_2", int64(20_00), int64(1_00), false, "", at}},
	})
	w := send(s, http.MethodPost, "/transfers/k1/refund", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id":"tr_1"`) {
		t.Errorf("status %d, body %s", w.Code, w.Body)
	}
}

func TestSearch(t *testing.T) {
	row := []driver.Value{"tr_1", "k1", "acc_1", "acc_2", int64(20_00), int64(1_00), false, "rent", time.Unix(0, 0)}
	s := newServer(t, ledgertest.Script{"FROM transfers": {row}})
	w := send(s, http.MethodGet, "/accounts/acc_1/transfers?memo=rent", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"memo":"rent"`) {
		t.Errorf("status %d, body %s", w.Code, w.Body)
	}
}

func TestConsole(t *testing.T) {
	s := newServer(t, ledgertest.Script{
		"FROM entries": {{"tr_1", "acc_shop", int64(20_00), int64(0), time.Unix(0, 0)}},
	})
	if err := os.WriteFile(filepath.Join(s.StatementDir, "march.pdf"), []byte("%PDF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := send(s, http.MethodPost, "/console/session", `{"operator":"mara","accessKey":"guess"}`); w.Code != http.StatusUnauthorized {
		t.Errorf("wrong key: status %d", w.Code)
	}
	w := send(s, http.MethodPost, "/console/session", `{"operator":"mara","accessKey":"open sesame"}`)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusNoContent || len(cookies) != 1 {
		t.Fatalf("status %d, cookies %v", w.Code, cookies)
	}
	for target, want := range map[string]string{
		"/console/statement?file=march.pdf": "%PDF",
		"/console/summary?month=2026-03":    "acc_shop",
		"/console/settlement?month=2026-03": "acc_shop",
		"/console/summary?month=March":      "month must look like",
	} {
		if w := send(s, http.MethodGet, target, "", cookies...); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, body %q", target, w.Code, w.Body)
		}
	}
	if w := send(s, http.MethodGet, "/console/summary?month=2026-03", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a session: status %d", w.Code)
	}
}
