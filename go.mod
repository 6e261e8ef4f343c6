module bughunter

go 1.26.5

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/bluekeyes/go-gitdiff v0.9.0
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/charithe/durationcheck v0.0.11
	github.com/go-json-experiment/json v0.0.0-20260623181947-01eb4420fa68
	github.com/gofrs/flock v0.13.1
	github.com/google/go-cmp v0.7.0
	github.com/gostaticanalysis/nilerr v0.1.2
	github.com/kaptinlin/jsonschema v0.9.8
	github.com/pandatix/go-cvss v0.6.4
	github.com/rogpeppe/go-internal v1.16.0
	github.com/ryanrolds/sqlclosecheck v0.6.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/securego/gosec/v2 v2.30.0
	github.com/timakin/bodyclose v0.0.0-20260723120731-857993a2939c
	github.com/urfave/cli/v2 v2.27.7
	github.com/yuin/goldmark v1.8.7
	golang.org/x/mod v0.42.0
	golang.org/x/term v0.47.0
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/ccojocar/zxcvbn-go v1.0.4 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/gostaticanalysis/analysisutil v0.7.1 // indirect
	github.com/gostaticanalysis/comment v1.5.0 // indirect
	github.com/kaptinlin/jsonpointer v0.4.28 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools/go/packages/packagestest v0.1.1-deprecated // indirect
)

tool honnef.co/go/tools/cmd/staticcheck

replace github.com/ccojocar/zxcvbn-go => ./workers/analyzers/entropy
