package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// config is the file that ledgerd is started with, and the signing key, which is not in it.
type config struct {
	Listen       string            `json:"listen"`
	Driver       string            `json:"driver"`
	DSN          string            `json:"dsn"`
	ReplicaDSN   string            `json:"replicaDSN"`
	StatementDir string            `json:"statementDir"`
	Operators    map[string]string `json:"operators"`
	Poll         string            `json:"poll"`

	signingKey []byte
	poll       time.Duration
}

func loadConfig(path string) (*config, error) {
	data, err := os.ReadFile(path) // #nosec G304 -- whoever starts the service names its configuration
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c := &config{Listen: "127.0.0.1:8080", Poll: "2s"}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("read configuration %s: %w", path, err)
	}
	if c.Driver == "" || c.DSN == "" {
		return nil, fmt.Errorf("configuration %s: driver and dsn are needed", path)
	}
	if c.ReplicaDSN == "" {
		c.ReplicaDSN = c.DSN
	}
	if c.poll, err = time.ParseDuration(c.Poll); err != nil || c.poll <= 0 {
		return nil, fmt.Errorf("configuration %s: poll must be a duration such as 2s, not %q", path, c.Poll)
	}
	if c.signingKey = []byte(os.Getenv("LEDGER_SIGNING_KEY")); len(c.signingKey) < 32 {
		return nil, errors.New("set LEDGER_SIGNING_KEY to at least 32 bytes")
	}
	os.MkdirAll(c.StatementDir, 0o750) //nolint:errcheck // the nightly job makes it too, and until then downloads answer 404
	return c, nil
}
