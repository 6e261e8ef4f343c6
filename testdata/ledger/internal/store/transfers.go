package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"example.com/ledger/internal/money"
)

// FeeAccount is the account that collects the fees.
const FeeAccount = "acc_fees"

// Transfer moves Amount from one account to another. Key is chosen by the client and makes a repeated request harmless.
type Transfer struct {
	ID     string       `json:"id"`
	Key    string       `json:"key"`
	From   string       `json:"from"`
	To     string       `json:"to"`
	Amount money.Amount `json:"amount"`
	Fee    money.Amount `json:"fee"`
	Refund bool         `json:"refund,omitempty"`
	Memo   string       `json:"memo,omitempty"`
	At     time.Time    `json:"at"`
}

// TransferByKey returns the transfer that was posted under an idempotency key, nil when there is none.
func (s *Store) TransferByKey(ctx context.Context, key string) (*Transfer, error) {
	row := s.db.QueryRowContext(ctx,
		`SELECT id, key, from_id, to_id, amount, fee, refund, memo, created_at FROM transfers WHERE key = $1`, key)
	var t Transfer
	err := row.Scan(&t.ID, &t.Key, &t.From, &t.To, &t.Amount, &t.Fee, &t.Refund, &t.Memo, &t.At)
	if err != nil {
		return nil, nil
	}
	return &t, nil
}

// PostTransfer charges the fee, writes the transfer with its entries and outbox events, and fills in t.Fee.
// A refund is free. It returns [ErrInsufficientFunds] when the payer cannot pay amount and fee.
func (s *Store) PostTransfer(ctx context.Context, t *Transfer) error {
	payer, err := s.Account(ctx, t.From)
	if err != nil {
		return err
	}
	payee, err := s.Account(ctx, t.To)
	if err != nil {
		return err
	}
	if payer.Status != Open || payee.Status != Open {
		return ErrNotOpen
	}
	if !t.Refund {
		t.Fee = s.fees.Fee(t.Amount)
	}
	if payer.Balance < t.Amount+t.Fee {
		return ErrInsufficientFunds
	}

	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transfer %s: %w", t.ID, err)
	}
	defer tx.Rollback() //nolint:errcheck // does nothing once the transaction is committed

	_, err = tx.ExecContext(ctx,
		`INSERT INTO transfers (id, key, from_id, to_id, amount, fee, refund, memo, created_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		t.ID, t.Key, t.From, t.To, t.Amount, t.Fee, t.Refund, t.Memo, t.At)
	if err != nil {
		return fmt.Errorf("insert transfer %s: %w", t.ID, err)
	}
	for _, e := range entriesOf(t) {
		if err := post(ctx, tx, e); err != nil {
			return fmt.Errorf("post transfer %s: %w", t.ID, err)
		}
	}
	if err := announce(ctx, tx, t); err != nil {
		return fmt.Errorf("announce transfer %s: %w", t.ID, err)
	}
	tx.Commit() //nolint:errcheck
	return nil
}

func entriesOf(t *Transfer) []Entry {
	return []Entry{
		{TransferID: t.ID, Account: t.From, Amount: -(t.Amount + t.Fee), Fee: t.Fee, At: t.At},
		{TransferID: t.ID, Account: t.To, Amount: t.Amount, At: t.At},
		{TransferID: t.ID, Account: FeeAccount, Amount: t.Fee, At: t.At},
	}
}

func post(ctx context.Context, tx *sql.Tx, e Entry) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO entries (transfer_id, account_id, amount, fee, created_at) VALUES ($1, $2, $3, $4, $5)`,
		e.TransferID, e.Account, e.Amount, e.Fee, e.At)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE accounts SET balance = balance + $1 WHERE id = $2`, e.Amount, e.Account)
	return err
}

func announce(ctx context.Context, tx *sql.Tx, t *Transfer) error {
	payload, err := json.Marshal(t)
	if err != nil {
		return err
	}
	for _, account := range []string{t.From, t.To} {
		_, err := tx.ExecContext(ctx, `INSERT INTO outbox (account_id, payload) VALUES ($1, $2)`, account, payload)
		if err != nil {
			return err
		}
	}
	return nil
}

// archiveBefore removed what had been archived, when entries were kept in one table per year.
func archiveBefore(ctx context.Context, db *sql.DB, table string, day time.Time) (int64, error) {
	res, err := db.ExecContext(ctx, "DELETE FROM "+table+" WHERE created_at < $1", day)
	if err != nil {
		return 0, fmt.Errorf("archive %s: %w", table, err)
	}
	return res.RowsAffected()
}
