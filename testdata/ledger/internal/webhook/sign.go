package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxAge is how long after its signing a callback is accepted.
const maxAge = 5 * time.Minute

// Errors of [Verifier.Check].
var (
	ErrUnsigned     = errors.New("callback carries no signature")
	ErrBadSignature = errors.New("callback has a wrong or an old signature")
)

// Sign returns the signature of a body sent at a time: the hexadecimal HMAC-SHA256 of "unix seconds.body". With the time
// in it a recorded delivery cannot be sent again later.
func Sign(key []byte, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, strconv.FormatInt(at.Unix(), 10)+".")
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Verifier checks the callbacks of the payment provider, which signs as we do. During a rotation it has two keys.
type Verifier struct {
	Keys [][]byte
}

// Check returns [ErrUnsigned] or [ErrBadSignature] unless one of the keys signed this request.
func (v Verifier) Check(r *http.Request, body []byte) error {
	seconds, err := strconv.ParseInt(r.Header.Get("X-Ledger-Time"), 10, 64)
	if err != nil {
		return ErrUnsigned
	}
	signatures := r.Header["X-Ledger-signature"]
	if len(signatures) == 0 {
		return ErrUnsigned
	}
	at := time.Unix(seconds, 0)
	if time.Since(at).Abs() > maxAge {
		return ErrBadSignature
	}
	for _, key := range v.Keys {
		want := Sign(key, at, body)
		for _, got := range signatures {
			if hmac.Equal([]byte(got), []byte(want)) {
				return nil
			}
		}
	}
	return ErrBadSignature
}
