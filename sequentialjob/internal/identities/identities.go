// Package identities makes the keys and the JWTs of a NATS server whose one account for clients is for the buckets of Workspaces.
// What they are: https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt
package identities

import (
	"fmt"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"example.com/controller-course/sequentialjob/buckets"
)

// Identities are those of an operator (who says which accounts a server has), and of its account for buckets.
type Identities struct {
	operator nkeys.KeyPair
	system   nkeys.KeyPair // of the account in which a server tells of itself
	account  nkeys.KeyPair // of the account that has the buckets
	scoped   nkeys.KeyPair // a signing key of that account, whose users can use one bucket each
}

// Limits are those of the account.
type Limits struct {
	Storage int64 // bytes of files; jwt.NoLimit for none. Each bucket reserves its capacity
	Buckets int64 // jwt.NoLimit for none
}

// New makes new keys.
func New() (*Identities, error) {
	i := &Identities{}
	for _, one := range []struct {
		key    *nkeys.KeyPair
		create func() (nkeys.KeyPair, error)
	}{
		{&i.operator, nkeys.CreateOperator},
		{&i.system, nkeys.CreateAccount},
		{&i.account, nkeys.CreateAccount},
		{&i.scoped, nkeys.CreateAccount},
	} {
		key, err := one.create()
		if err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		*one.key = key
	}
	return i, nil
}

// ServerConfig returns the lines of a server's configuration that make it know the accounts.
func (i *Identities) ServerConfig(limits Limits) (string, error) {
	system, err := i.system.PublicKey()
	if err != nil {
		return "", err
	}
	operator, err := i.operatorJWT(system)
	if err != nil {
		return "", err
	}
	account, err := i.Account()
	if err != nil {
		return "", err
	}
	accountJWT, err := i.accountJWT(account, limits)
	if err != nil {
		return "", err
	}
	systemClaims := jwt.NewAccountClaims(system)
	systemClaims.Name = "system"
	systemJWT, err := systemClaims.Encode(i.operator)
	if err != nil {
		return "", err
	}
	return strings.Join([]string{
		"operator: " + operator,
		"system_account: " + system,
		"resolver: MEMORY",
		"resolver_preload: {",
		"  " + system + ": " + systemJWT,
		"  " + account + ": " + accountJWT,
		"}",
		"",
	}, "\n"), nil
}

func (i *Identities) operatorJWT(system string) (string, error) {
	operator, err := i.operator.PublicKey()
	if err != nil {
		return "", err
	}
	claims := jwt.NewOperatorClaims(operator)
	claims.Name = "sequentialjob"
	claims.SystemAccount = system
	return claims.Encode(i.operator)
}

func (i *Identities) accountJWT(account string, limits Limits) (string, error) {
	scoped, err := i.scoped.PublicKey()
	if err != nil {
		return "", err
	}
	claims := jwt.NewAccountClaims(account)
	claims.Name = "workspaces"
	claims.Limits.JetStreamLimits.DiskStorage = limits.Storage
	claims.Limits.JetStreamLimits.Streams = limits.Buckets
	claims.SigningKeys.AddScopedSigner(buckets.Scope(scoped))
	return claims.Encode(i.operator)
}

// Account returns the public key of the account for buckets.
func (i *Identities) Account() (string, error) { return i.account.PublicKey() }

// SigningKey returns the seed of the account's scoped signing key, for buckets.NewIssuer.
func (i *Identities) SigningKey() ([]byte, error) { return i.scoped.Seed() }

// Credentials returns those of a user who may do everything in the account for buckets, as a file (.creds). They don't expire.
func (i *Identities) Credentials() ([]byte, error) {
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	name, err := user.PublicKey()
	if err != nil {
		return nil, err
	}
	seed, err := user.Seed()
	if err != nil {
		return nil, err
	}
	claims := jwt.NewUserClaims(name)
	claims.Name = "sequentialjob"
	token, err := claims.Encode(i.account)
	if err != nil {
		return nil, err
	}
	return jwt.FormatUserConfig(token, seed)
}

// Seeds returns the seeds of the keys with which the accounts can be changed later, by their names: operator, system, account.
// The server needs none of them.
func (i *Identities) Seeds() (map[string][]byte, error) {
	seeds := map[string][]byte{}
	for name, key := range map[string]nkeys.KeyPair{"operator": i.operator, "system": i.system, "account": i.account} {
		seed, err := key.Seed()
		if err != nil {
			return nil, err
		}
		seeds[name] = seed
	}
	return seeds, nil
}
