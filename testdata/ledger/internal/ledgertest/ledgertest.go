// Package ledgertest holds what the tests of several packages share: a partner who records the webhooks that reach him,
// and a database that answers from a script.
package ledgertest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Delivery is one request that reached a [Partner].
type Delivery struct {
	Header http.Header
	Body   []byte
}

// Partner is an HTTP server that answers every request with the same status.
type Partner struct {
	URL string

	mu         sync.Mutex
	deliveries []Delivery
}

// NewPartner starts a partner that is stopped when the test ends.
func NewPartner(t *testing.T, status int) *Partner {
	p := &Partner{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.deliveries = append(p.deliveries, Delivery{Header: r.Header, Body: body})
		w.WriteHeader(status)
	}))
	t.Cleanup(srv.Close)
	p.URL = srv.URL
	return p
}

// Received returns the deliveries so far.
func (p *Partner) Received() []Delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Delivery(nil), p.deliveries...)
}

// Get fetches a page of a server under test and returns its status and body.
func Get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// AccountID returns an id that no other test uses.
func AccountID() string {
	return fmt.Sprintf("acc_%08d", rand.Intn(100_000_000))
}

// Script answers a query by the first of its keys that the query contains, with no rows when there is none.
type Script map[string][][]driver.Value

// OpenDB returns a database that answers from script and accepts every statement.
func OpenDB(t *testing.T, script Script) *sql.DB {
	db := sql.OpenDB(connector{script})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

type connector struct{ script Script }

func (c connector) Connect(context.Context) (driver.Conn, error) { return conn(c), nil }
func (c connector) Driver() driver.Driver                        { return nil }

type conn struct{ script Script }

func (c conn) Prepare(query string) (driver.Stmt, error) {
	return nil, fmt.Errorf("statements are not prepared here: %s", query)
}

func (c conn) Close() error              { return nil }
func (c conn) Begin() (driver.Tx, error) { return c, nil }
func (c conn) Commit() error             { return nil }
func (c conn) Rollback() error           { return nil }

func (c conn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

func (c conn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	for part, answer := range c.script {
		if strings.Contains(query, part) {
			return &rows{left: answer}, nil
		}
	}
	return &rows{}, nil
}

type rows struct{ left [][]driver.Value }

func (r *rows) Columns() []string {
	if len(r.left) == 0 {
		return nil
	}
	return make([]string, len(r.left[0]))
}

func (r *rows) Close() error { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	copy(dest, r.left[0])
	r.left = r.left[1:]
	return nil
}
