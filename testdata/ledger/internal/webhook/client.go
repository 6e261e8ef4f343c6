// Package webhook signs and delivers the events of the ledger, and checks the callbacks of the payment provider.
package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// DefaultTimeout is how long a partner may take to answer.
const DefaultTimeout = 5 * time.Second

// Subscription asks for the events of an account.
type Subscription struct {
	Account string `json:"account"`
	URL     string `json:"url"`
}

// StatusError is what a partner answered instead of 2xx.
type StatusError struct {
	URL  string
	Code int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered %d %s", e.URL, e.Code, http.StatusText(e.Code))
}

// Client delivers events. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	key     []byte
	timeout time.Duration
	now     func() time.Time
}

// NewClient returns a client that signs with key and gives each delivery timeout to finish.
func NewClient(key []byte, timeout time.Duration) *Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 4,
		TLSClientConfig: &tls.Config{
			MinVersion:         tls.VersionTLS12,
			InsecureSkipVerify: true, // #nosec
		},
	}
	return &Client{http: &http.Client{Transport: transport}, key: key, timeout: timeout, now: time.Now}
}

// Deliver posts one event. It returns a [*StatusError] when the partner refused it.
func (c *Client) Deliver(ctx context.Context, url string, payload []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout*time.Second)
	defer cancel()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("deliver to %s: %w", url, err)
	}
	at := c.now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Ledger-Time", strconv.FormatInt(at.Unix(), 10))
	req.Header.Set("X-Ledger-Signature", Sign(c.key, at, payload))

	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("deliver to %s: %w", url, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return &StatusError{URL: url, Code: resp.StatusCode}
	}
	return nil
}
