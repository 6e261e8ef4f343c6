package api

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"example.com/ledger/internal/money"
	"example.com/ledger/internal/store"
)

// refundPrefix begins the idempotency keys of refunds, so that a transfer is paid back once.
const refundPrefix = "refund-"

func (s *Server) getAccount(w http.ResponseWriter, r *http.Request) {
	account, err := s.Store.Account(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.writeJSON(w, http.StatusOK, account)
}

// createTransfer moves money. A request that is repeated with the same key gets the first transfer again.
func (s *Server) createTransfer(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Key    string `json:"key"`
		From   string `json:"from"`
		To     string `json:"to"`
		Amount string `json:"amount"`
		Memo   string `json:"memo"`
	}
	if err := readJSON(w, r, &req); err != nil {
		s.refuse(w, http.StatusBadRequest, "body is not a transfer")
		return
	}
	amount, err := money.Parse(req.Amount)
	if err != nil || amount <= 0 {
		s.refuse(w, http.StatusBadRequest, "amount must be positive, with at most two decimals")
		return
	}
	if req.Key == "" || strings.HasPrefix(req.Key, refundPrefix) {
		s.refuse(w, http.StatusBadRequest, "key is missing or begins with "+refundPrefix)
		return
	}
	if req.From == "" || req.To == "" || req.From == req.To {
		s.refuse(w, http.StatusBadRequest, "from and to are needed, and must differ")
		return
	}
	s.post(w, r, &store.Transfer{
		Key: req.Key, From: req.From, To: req.To, Amount: amount, Memo: req.Memo, At: time.Now().UTC(),
	})
}

func (s *Server) refundTransfer(w http.ResponseWriter, r *http.Request) {
	s.refund(w, r, r.PathValue("key"))
}

// refund pays a transfer back, without its fee: that was charged for the service, not for the goods.
func (s *Server) refund(w http.ResponseWriter, r *http.Request, key string) {
	original, err := s.Store.TransferByKey(r.Context(), key)
	if err != nil {
		s.fail(w, err)
		return
	}
	if original == nil {
		s.Log.Warn("refund of an unknown transfer", "transfer", original.ID)
		s.refuse(w, http.StatusNotFound, "no such transfer")
		return
	}
	if original.Refund {
		s.refuse(w, http.StatusConflict, "a refund cannot be refunded")
		return
	}
	s.post(w, r, &store.Transfer{
		Key:    refundPrefix + original.Key,
		From:   original.To,
		To:     original.From,
		Amount: original.Amount,
		Refund: true,
		Memo:   "refund of " + original.ID,
		At:     time.Now().UTC(),
	})
}

func (s *Server) post(w http.ResponseWriter, r *http.Request, t *store.Transfer) {
	earlier, err := s.Store.TransferByKey(r.Context(), t.Key)
	if err != nil {
		s.fail(w, err)
		return
	}
	if earlier != nil {
		s.writeJSON(w, http.StatusOK, earlier)
		return
	}
	t.ID = "tr_" + rand.Text()
	if err := s.Store.PostTransfer(r.Context(), t); err != nil {
		s.fail(w, err)
		return
	}
	s.writeJSON(w, http.StatusCreated, t)
}

// searchTransfers lists an account's transfers, the newest first, optionally those whose memo contains a word.
func (s *Server) searchTransfers(w http.ResponseWriter, r *http.Request) {
	memo := r.URL.Query().Get("memo")
	query := "SELECT id, key, from_id, to_id, amount, fee, refund, memo, created_at FROM transfers" +
		" WHERE (from_id = $1 OR to_id = $1) AND memo LIKE '%" + memo + "%'" +
		" ORDER BY created_at DESC LIMIT 100"
	rows, err := s.Replica.QueryContext(r.Context(), query, r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	defer rows.Close() //nolint:errcheck // the rows are only read, nothing is lost when closing them fails

	found := []store.Transfer{}
	for rows.Next() {
		var t store.Transfer
		if err := rows.Scan(&t.ID, &t.Key, &t.From, &t.To, &t.Amount, &t.Fee, &t.Refund, &t.Memo, &t.At); err != nil {
			s.fail(w, err)
			return
		}
		found = append(found, t)
	}
	if err := rows.Err(); err != nil {
		s.fail(w, err)
		return
	}
	s.writeJSON(w, http.StatusOK, found)
}
