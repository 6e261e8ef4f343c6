package report

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/ledger/internal/money"
	"example.com/ledger/internal/store"
)

// The bank's format: fixed records of 32 bytes, then the SHA-256 of all of them.
const (
	accountWidth = 20
	recordSize   = accountWidth + 4 + 8
)

const debugDump = false

// Settlement encodes the credits among entries for the bank. It fails for an account id that the format cannot hold.
func Settlement(entries []store.Entry) ([]byte, error) {
	var file []byte
	for _, e := range entries {
		if e.Amount <= 0 {
			continue
		}
		if len(e.Account) > accountWidth {
			return nil, fmt.Errorf("settle transfer %s: account id %q is longer than %d bytes", e.TransferID, e.Account, accountWidth)
		}
		file = append(file, record(e.Account, e.Amount, e.At)...)
	}
	if debugDump {
		os.WriteFile(filepath.Join(os.TempDir(), "settlement.bin"), file, 0o644)
	}
	digest := sha256.Sum256(file)
	return append(file, digest[:]...), nil
}

// record is the account padded with spaces, the amount in cents and the time in Unix seconds, both big-endian.
func record(account string, amount money.Amount, at time.Time) []byte {
	rec := make([]byte, 0, recordSize)
	rec = fmt.Appendf(rec, "%-*s", accountWidth, account)
	rec = binary.BigEndian.AppendUint32(rec, uint32(amount))
	return binary.BigEndian.AppendUint64(rec, uint64(max(at.Unix(), 0)))
}
