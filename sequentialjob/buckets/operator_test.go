package buckets_test

import (
	"fmt"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

// operator is who says which accounts a server has, and one account with JetStream, whose users are made by signing keys.
type operator struct {
	key     nkeys.KeyPair
	account nkeys.KeyPair
	scoped  nkeys.KeyPair // a signing key of the account, limited to one bucket
}

func newOperator() *operator {
	return &operator{key: pair(nkeys.CreateOperator), account: pair(nkeys.CreateAccount), scoped: pair(nkeys.CreateAccount)}
}

func pair(create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	key, err := create()
	Expect(err).NotTo(HaveOccurred())
	return key
}

func public(key nkeys.KeyPair) string {
	public, err := key.PublicKey()
	Expect(err).NotTo(HaveOccurred())
	return public
}

func seed(key nkeys.KeyPair) []byte {
	seed, err := key.Seed()
	Expect(err).NotTo(HaveOccurred())
	return seed
}

// startServer starts a server that knows the operator and its accounts.
func (o *operator) startServer() *natsserver.Server {
	itself := jwt.NewOperatorClaims(public(o.key))
	system := jwt.NewAccountClaims(public(pair(nkeys.CreateAccount)))
	itself.SystemAccount = system.Subject
	account := jwt.NewAccountClaims(public(o.account))
	account.Limits.JetStreamLimits.DiskStorage = jwt.NoLimit
	account.SigningKeys.AddScopedSigner(buckets.Scope(public(o.scoped)))
	return natsserver.Start(
		fmt.Sprintf("operator: %q", encode(itself, o.key)),
		fmt.Sprintf("system_account: %q", system.Subject),
		"resolver: MEMORY",
		fmt.Sprintf("resolver_preload: { %s: %q, %s: %q }", system.Subject, encode(system, o.key), account.Subject, encode(account, o.key)),
	)
}

func encode(claims jwt.Claims, key nkeys.KeyPair) string {
	token, err := claims.Encode(key)
	Expect(err).NotTo(HaveOccurred())
	return token
}

// admin returns the credentials of a user of the account who can do everything.
func (o *operator) admin() []byte {
	user := pair(nkeys.CreateUser)
	creds, err := jwt.FormatUserConfig(encode(jwt.NewUserClaims(public(user)), o.account), seed(user))
	Expect(err).NotTo(HaveOccurred())
	return creds
}

// issuer makes credentials with the scoped signing key.
func (o *operator) issuer() *buckets.Issuer {
	issuer, err := buckets.NewIssuer(seed(o.scoped), public(o.account))
	Expect(err).NotTo(HaveOccurred())
	return issuer
}
