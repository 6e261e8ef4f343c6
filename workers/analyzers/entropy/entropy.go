// Package zxcvbn stands in for github.com/ccojocar/zxcvbn-go, of which gosec
// asks one thing: how hard a string is to guess, for its rule on credentials
// in the code (G101). The original answers from word lists that it decodes
// when a program starts. That took longer than everything else this program
// does to validate a document, and it was paid again by each process that
// `go vet` starts for a package.
//
// The estimate here needs no lists: it tells letters that could be words from
// those that could not. It is coarser, which is why the table of rules leaves
// what G101 reports to a person.
package zxcvbn

import (
	"math"
	"strings"
	"unicode"
)

// Match is an estimate of a string's strength.
type Match struct {
	Entropy float64 // bits
}

// PasswordStrength estimates how hard a string is to guess. The second
// argument is part of the signature that gosec knows, and not used.
func PasswordStrength(password string, _ []string) Match {
	var bits float64
	for _, run := range runs(password) {
		bits += float64(len(run)) * bitsEach(run)
	}
	return Match{bits}
}

// runs cuts a string where the class of its characters changes.
func runs(s string) (out [][]rune) {
	var last int
	for i, r := range []rune(s) {
		if c := class(r); i == 0 || c != last {
			out, last = append(out, nil), c
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

func class(r rune) int {
	switch {
	case unicode.IsLower(r):
		return 0
	case unicode.IsUpper(r):
		return 1
	case unicode.IsDigit(r):
		return 2
	}
	return 3
}

// bitsEach is the entropy of one character of a run: that of English text, as
// Shannon measured it, if the run could be a word, and else that of a random
// choice from its class.
func bitsEach(run []rune) float64 {
	sizes := [...]float64{26, 26, 10, 32}
	if len(run) >= 4 && pronounceable(string(run)) {
		return 1.5
	}
	return math.Log2(sizes[class(run[0])])
}

// pronounceable tells letters of which a usual share are vowels.
func pronounceable(s string) bool {
	vowels := 0
	for _, r := range strings.ToLower(s) {
		if strings.ContainsRune("aeiouy", r) {
			vowels++
		}
	}
	share := float64(vowels) / float64(len(s))
	return class(rune(s[0])) < 2 && share >= 0.2 && share <= 0.65
}
