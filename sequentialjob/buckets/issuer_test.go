package buckets

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

func TestNewIssuerRefusesKeysThatCannotBeRight(t *testing.T) {
	account, accountKey := seedOf(t, nkeys.CreateAccount)
	signing, signingKey := seedOf(t, nkeys.CreateAccount)
	user, userKey := seedOf(t, nkeys.CreateUser)
	for name, test := range map[string]struct {
		seed    []byte
		account string
		want    string // part of the error; empty if there is none
	}{
		"right":                   {signing, accountKey, ""},
		"with the line's end":     {append(bytes.Clone(signing), '\n'), accountKey, ""},
		"no account":              {signing, "", `"" is not the public key of a NATS account`},
		"a user for the account":  {signing, userKey, "is not the public key of a NATS account"},
		"no seed":                 {nil, accountKey, "the seed of the signing key can't be parsed"},
		"a public key for a seed": {[]byte(signingKey), accountKey, "the seed of the signing key can't be parsed"},
		"a user's seed":           {user, accountKey, "is not one of an account"},
		"the account's own seed":  {account, accountKey, "which no scope limits"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewIssuer(test.seed, test.account)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("NewIssuer() = %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("NewIssuer() = %v, want %q", err, test.want)
			case err != nil && len(test.seed) > 0 && strings.Contains(err.Error(), string(test.seed)) && test.seed[0] == 'S':
				t.Errorf("NewIssuer() fails with the seed: %v", err)
			}
		})
	}
}

func TestIssue(t *testing.T) {
	seed, key := seedOf(t, nkeys.CreateAccount)
	_, account := seedOf(t, nkeys.CreateAccount)
	issuer, err := NewIssuer(seed, account)
	if err != nil {
		t.Fatal(err)
	}
	creds, err := issuer.Issue("ws-1")
	if err != nil {
		t.Fatal(err)
	}
	token, err := nkeys.ParseDecoratedJWT(creds)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		t.Fatal(err)
	}
	if claims.Name != "ws-1" || claims.Issuer != key || claims.IssuerAccount != account || claims.Expires != 0 {
		t.Errorf("the claims are %s", claims)
	}
	if !claims.HasEmptyPermissions() {
		t.Errorf("the user has permissions of its own, so the server refuses it: %s", claims)
	}
	another, err := issuer.Issue("ws-1")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(creds, another) {
		t.Error("two programs have the same key")
	}
}

func TestIssued(t *testing.T) {
	_, account := seedOf(t, nkeys.CreateAccount)
	_, otherAccount := seedOf(t, nkeys.CreateAccount)
	seed, _ := seedOf(t, nkeys.CreateAccount)
	otherSeed, _ := seedOf(t, nkeys.CreateAccount)
	made := func(seed []byte, account string) *Issuer {
		issuer, err := NewIssuer(seed, account)
		if err != nil {
			t.Fatal(err)
		}
		return issuer
	}
	creds, err := made(seed, account).Issue("ws-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		issuer *Issuer
		creds  []byte
		bucket string
		want   bool
	}{
		"its own":             {made(seed, account), creds, "ws-1", true},
		"for another bucket":  {made(seed, account), creds, "ws-2", false},
		"of another key":      {made(otherSeed, account), creds, "ws-1", false},
		"for another account": {made(seed, otherAccount), creds, "ws-1", false},
		"not credentials":     {made(seed, account), []byte("mine"), "ws-1", false},
		"none":                {made(seed, account), nil, "ws-1", false},
		"a JWT that is cut":   {made(seed, account), creds[:len(creds)/3], "ws-1", false},
	} {
		if got := test.issuer.Issued(test.creds, test.bucket); got != test.want {
			t.Errorf("%s: Issued() = %t, want %t", name, got, test.want)
		}
	}
}

func TestIssueRefusesNamesThatMeanMoreThanOneBucket(t *testing.T) {
	seed, _ := seedOf(t, nkeys.CreateAccount)
	_, account := seedOf(t, nkeys.CreateAccount)
	issuer, err := NewIssuer(seed, account)
	if err != nil {
		t.Fatal(err)
	}
	for _, bucket := range []string{"", "*", ">", "ws.1", "ws-1.>", "ws 1", "ws-1\n", "{{name()}}"} {
		if _, err := issuer.Issue(bucket); err == nil {
			t.Errorf("Issue(%q) succeeds", bucket)
		}
	}
}

func seedOf(t *testing.T, create func() (nkeys.KeyPair, error)) (seed []byte, public string) {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	if seed, err = key.Seed(); err != nil {
		t.Fatal(err)
	}
	if public, err = key.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return seed, public
}
