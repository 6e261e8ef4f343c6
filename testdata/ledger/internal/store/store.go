// Package store keeps accounts, transfers and their entries in a SQL database.
//
// Every transfer is written as entries that sum to zero, in one transaction, together with the outbox event that tells
// the parties about it. Methods return [ErrNotFound], [ErrNotOpen] or [ErrInsufficientFunds] where a caller decides on it;
// any other error is the database's.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"example.com/ledger/internal/money"
)

// Errors on which callers decide.
var (
	ErrNotFound          = errors.New("not found")
	ErrInsufficientFunds = errors.New("insufficient funds")
	ErrNotOpen           = errors.New("account is not open")
)

// Status says what may happen to an account.
type Status uint8

// The states of an account. Only an open one takes part in transfers.
const (
	Open Status = iota
	Frozen
	Closed
)

// Account is a row of the table accounts.
type Account struct {
	ID      string       `json:"id"`
	Owner   string       `json:"owner"`
	Balance money.Amount `json:"balance"`
	Status  Status       `json:"-"`
}

// Entry is one side of a transfer as an account sees it.
type Entry struct {
	TransferID string
	Account    string
	Amount     money.Amount
	Fee        money.Amount
	At         time.Time
}

// Store is safe for concurrent use.
type Store struct {
	db   *sql.DB
	fees money.Schedule
}

// New returns a store over db that charges by fees.
func New(db *sql.DB, fees money.Schedule) *Store {
	return &Store{db: db, fees: fees}
}

// Account returns the account with this id, or [ErrNotFound].
func (s *Store) Account(ctx context.Context, id string) (*Account, error) {
	row := s.db.QueryRowContext(ctx,
		`SELECT id, owner, balance, status FROM accounts WHERE id = $1`, id)
	var a Account
	err := row.Scan(&a.ID, &a.Owner, &a.Balance, &a.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read account %s: %w", id, err)
	}
	return &a, nil
}

// Entries returns the entries of all accounts in [from, to), oldest first.
func (s *Store) Entries(ctx context.Context, from, to time.Time) ([]Entry, error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT transfer_id, account_id, amount, fee, created_at FROM entries
		 WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at`, from, to)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	defer rows.Close() //nolint:errcheck // the rows are only read, nothing is lost when closing them fails

	var entries []Entry
	for rows.Next() {
		var e Entry
		if err := rows.Scan(&e.TransferID, &e.Account, &e.Amount, &e.Fee, &e.At); err != nil {
			return nil, fmt.Errorf("read entry: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Event is a message to a partner that waits in the outbox.
type Event struct {
	ID      int64
	URL     string
	Payload []byte
}

// PendingEvents returns events that were not delivered yet, oldest first, and stops when their payloads exceed maxBytes.
func (s *Store) PendingEvents(ctx context.Context, maxBytes int) ([]Event, error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT o.id, s.url, o.payload FROM outbox o JOIN subscriptions s ON s.account_id = o.account_id
		 WHERE o.delivered_at IS NULL ORDER BY o.id`)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	var events []Event
	size := 0
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.ID, &e.URL, &e.Payload); err != nil {
			return nil, fmt.Errorf("read outbox event: %w", err)
		}
		if size += len(e.Payload); size > maxBytes && len(events) > 0 {
			return events, nil
		}
		events = append(events, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	return events, nil
}

// MarkDelivered takes an event out of the outbox.
func (s *Store) MarkDelivered(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, `UPDATE outbox SET delivered_at = now() WHERE id = $1`, id)
	if err != nil {
		return fmt.Errorf("mark event %d: %w", id, err)
	}
	return nil
}

// Subscribe sends an account's events to url from now on, instead of wherever they went before.
func (s *Store) Subscribe(ctx context.Context, account, url string) error {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO subscriptions (account_id, url) VALUES ($1, $2)
		 ON CONFLICT (account_id) DO UPDATE SET url = excluded.url`, account, url)
	if err != nil {
		return fmt.Errorf("subscribe %s: %w", account, err)
	}
	return nil
}
