package buckets_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/jwt/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/identities"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var unlimited = identities.Limits{Storage: jwt.NoLimit, Buckets: jwt.NoLimit}

// An owner has the keys of a server's accounts.
type owner struct{ *identities.Identities }

func newOwner() owner {
	GinkgoHelper()
	made, err := identities.New()
	Expect(err).NotTo(HaveOccurred())
	return owner{made}
}

// startServer starts a server that has the owner's accounts.
func (o owner) startServer(limits identities.Limits) *natsserver.Server {
	GinkgoHelper()
	config, err := o.ServerConfig(limits)
	Expect(err).NotTo(HaveOccurred())
	return natsserver.Start(strings.Split(config, "\n")...)
}

// credentials writes those of a user who may do everything with buckets into a file, and returns its path.
func (o owner) credentials() string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), "user.creds")
	o.writeCredentials(path)
	return path
}

func (o owner) writeCredentials(path string) {
	GinkgoHelper()
	content, err := o.Credentials()
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
}

// issuer makes credentials for single buckets.
func (o owner) issuer() *buckets.Issuer {
	GinkgoHelper()
	seed, err := o.SigningKey()
	Expect(err).NotTo(HaveOccurred())
	account, err := o.Account()
	Expect(err).NotTo(HaveOccurred())
	issuer, err := buckets.NewIssuer(seed, account)
	Expect(err).NotTo(HaveOccurred())
	return issuer
}
