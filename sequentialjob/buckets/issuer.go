package buckets

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// name stands for the bucket in a scope: the server replaces it with the name in a user's JWT.
const name = "{{name()}}"

// Issuer makes credentials, each for one bucket, without asking the server. They are user JWTs, signed with a scoped signing key
// of the account. The key can make nothing else: the account says what its users may do.
type Issuer struct {
	key     nkeys.KeyPair
	account string
}

// NewIssuer returns an Issuer for a scoped signing key, given its seed (SA...), and the public key of the account (A...) that has
// it with the Scope. The error says which of the two can't be right.
func NewIssuer(seed []byte, account string) (*Issuer, error) {
	if !nkeys.IsValidPublicAccountKey(account) {
		return nil, fmt.Errorf("%q is not the public key of a NATS account: it must be 56 characters that begin with A, as `nsc describe account` shows it", account)
	}
	key, err := nkeys.FromSeed(bytes.TrimSpace(seed))
	if err != nil {
		return nil, fmt.Errorf("the seed of the signing key can't be parsed: %w: it must be 58 characters that begin with SA", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("the signing key has no public key: %w", err)
	}
	switch {
	case !nkeys.IsValidPublicAccountKey(public):
		return nil, errors.New("the signing key is not one of an account: its seed must begin with SA")
	case public == account:
		return nil, fmt.Errorf("the signing key is the account's own (%s), which no scope limits: add a scoped signing key to the account, and give its seed", account)
	}
	return &Issuer{key: key, account: account}, nil
}

// validBucket has no characters that mean something in a subject: in a user's permissions, * would be all buckets.
var validBucket = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Issue returns the content of a credentials file (.creds) with which a program can use that bucket: put, get, list and delete
// objects. It can do nothing else. The credentials are different ones each time, and don't expire. A program that presents them
// must set InboxPrefix.
func (i *Issuer) Issue(bucket string) (creds []byte, err error) {
	if !validBucket.MatchString(bucket) {
		return nil, fmt.Errorf("issuing credentials: %q is not the name of a bucket: it must have letters, digits, - and _ only", bucket)
	}
	creds, err = i.issue(bucket)
	if err != nil {
		return nil, fmt.Errorf("issuing credentials for bucket %s: %w", bucket, err)
	}
	return creds, nil
}

func (i *Issuer) issue(bucket string) (creds []byte, err error) {
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := user.PublicKey()
	if err != nil {
		return nil, err
	}
	seed, err := user.Seed()
	if err != nil {
		return nil, err
	}
	claims := jwt.NewUserClaims(public)
	claims.Name = bucket
	claims.IssuerAccount = i.account
	claims.SetScoped(true)
	token, err := claims.Encode(i.key)
	if err != nil {
		return nil, err
	}
	return jwt.FormatUserConfig(token, seed)
}

// Issued says whether credentials are from this Issuer's key and account, and for that bucket.
func (i *Issuer) Issued(creds []byte, bucket string) bool {
	token, err := jwt.ParseDecoratedJWT(creds)
	if err != nil {
		return false
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return false
	}
	key, err := i.key.PublicKey()
	return err == nil && claims.Issuer == key && claims.IssuerAccount == i.account && claims.Name == bucket
}

// InboxPrefix is what the subjects begin with on which a program with a bucket's credentials receives responses, for
// nats.CustomInboxPrefix. On the usual prefix it could receive those to others.
func InboxPrefix(bucket string) string { return "_INBOX_" + bucket }

// Scope is what the users of an Issuer may do, for the account's JWT. Key is the public key of the scoped signing key (A...).
func Scope(key string) *jwt.UserScope {
	stream := streamOf(name)
	scope := jwt.NewUserScope()
	scope.Key = key
	scope.Role = "workspace"
	scope.Description = "programs that use the bucket of one Workspace"
	scope.Template.Pub.Allow.Add(
		"$O."+name+".>",
		"$JS.API.STREAM.INFO."+stream,
		"$JS.API.STREAM.PURGE."+stream, // of the chunks of what was overwritten or deleted
		"$JS.API.DIRECT.GET."+stream+".>",
		"$JS.API.CONSUMER.CREATE."+stream+".>",
		"$JS.API.CONSUMER.DELETE."+stream+".*",
		"$JS.FC."+stream+".>",
	)
	scope.Template.Sub.Allow.Add(InboxPrefix(name) + ".>")
	return scope
}
