package webhook

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/ledger/internal/ledgertest"
)

func TestDeliverSigns(t *testing.T) {
	partner := ledgertest.NewPartner(t, http.StatusNoContent)
	key, at := []byte("k1"), time.Unix(1_770_000_000, 0)
	client := NewClient(key, DefaultTimeout)
	client.now = func() time.Time { return at }

	if err := client.Deliver(t.Context(), partner.URL, []byte(`{"id":"t1"}`)); err != nil {
		t.Fatal(err)
	}
	got := partner.Received()
	if len(got) != 1 || string(got[0].Body) != `{"id":"t1"}` {
		t.Fatalf("received %v", got)
	}
	if sig := got[0].Header.Get("X-Ledger-Signature"); sig != Sign(key, at, got[0].Body) {
		t.Errorf("signature is %q", sig)
	}
}

func TestDeliverReportsRefusal(t *testing.T) {
	partner := ledgertest.NewPartner(t, http.StatusGone)
	err := NewClient(nil, DefaultTimeout).Deliver(t.Context(), partner.URL, nil)
	var status *StatusError
	if !errors.As(err, &status) || status.Code != http.StatusGone {
		t.Errorf("error is %v, want status 410", err)
	}
}

func TestCheckRefusesUnsigned(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/callbacks/provider", nil)
	if err := (Verifier{Keys: [][]byte{[]byte("k1")}}).Check(r, nil); !errors.Is(err, ErrUnsigned) {
		t.Errorf("error is %v, want ErrUnsigned", err)
	}
}
