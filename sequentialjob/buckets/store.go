// Package buckets is the operator's client of the object store of NATS JetStream: buckets, the store's notifications about
// them, and credentials for programs that use one of them. It knows nothing of Kubernetes.
//
// A bucket is one that every client of NATS can use: a stream as nats.go and the nats command create it.
package buckets

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// defaultTimeout is that of nats.go. A server that works responds within milliseconds.
const defaultTimeout = 5 * time.Second

// Options configure Connect.
type Options struct {
	// URL is where the server is: nats://host:port, or several such URLs separated by commas.
	URL string
	// Credentials is the path of a file with what the server asks for: a user JWT and the seed of its key, as nsc and the nats
	// command write it (.creds). It is read again with each connection. Empty for a server that asks for nothing.
	Credentials string
	// Timeout is how long to wait for the response to a request; 0 for five seconds. Each page of a List counts as one.
	Timeout time.Duration
}

// Store is a connection to an object store. Several goroutines can use it at the same time.
type Store struct {
	url     string // without user and password
	timeout time.Duration
	nc      *nats.Conn
	js      jetstream.JetStream
	failure atomic.Pointer[error] // why the connection can't be made, so far as is known; nil if it was made
}

// Connect returns a Store, whether or not the server can be reached now: it keeps trying indefinitely. The error says which of
// the options can't be right, and what to do about it.
func Connect(o Options) (*Store, error) {
	location, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	s := &Store{url: location, timeout: o.Timeout}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	options := s.options()
	if o.Credentials != "" {
		if err := checkCredentials(o.Credentials); err != nil {
			return nil, err
		}
		options = append(options, nats.UserCredentials(o.Credentials))
	}
	if s.nc, err = nats.Connect(o.URL, options...); err != nil {
		return nil, fmt.Errorf("connecting to the NATS server at %s: %w", s.url, err)
	}
	if s.js, err = jetstream.New(s.nc); err != nil {
		s.nc.Close()
		return nil, fmt.Errorf("connecting to the NATS server at %s: %w", s.url, err)
	}
	return s, nil
}

// options keep the connection alive. By default, nats.go gives up after a while, or when the server refuses the credentials
// twice. And it keeps a request that was made while the server was down, to send it once the server is back: a deletion that
// the caller believes to have failed would happen later.
func (s *Store) options() []nats.Option {
	connected := func(*nats.Conn) { s.failure.Store(nil) }
	return []nats.Option{
		nats.Name("sequentialjob"),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		nats.PingInterval(20 * time.Second), // so a server whose machine is gone is noticed within a minute, not after five
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { s.failure.Store(&err) }),
		nats.ConnectHandler(connected),
		nats.ReconnectHandler(connected),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the default one prints what Conn.LastError returns
	}
}

// reconnectDelay is how long to wait before an attempt to connect again, from 1. A server that was restarted is back soon, and
// no advisory arrives while the connection is down.
func reconnectDelay(attempt int) time.Duration {
	const first, most, doublings = 100 * time.Millisecond, 2 * time.Second, 5
	return min(first<<min(attempt-1, doublings), most)
}

// parseURL returns the URLs, separated by commas, without users and passwords.
func parseURL(list string) (string, error) {
	const example = "it must look like nats://host:4222, or like several of those separated by commas"
	var public []string
	for one := range strings.SplitSeq(list, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil {
			if parseErr, ok := errors.AsType[*url.Error](err); ok {
				err = parseErr.Err // without the URL, which may have a password
			}
			return "", fmt.Errorf("the URL of the object store can't be parsed: %w: %s", err, example)
		}
		u.User = nil
		if !slices.Contains([]string{"nats", "tls"}, u.Scheme) || u.Hostname() == "" || u.Path != "" {
			return "", fmt.Errorf("the URL of the object store is %q: %s", u, example)
		}
		public = append(public, u.String())
	}
	return strings.Join(public, ","), nil
}

// checkCredentials returns what is wrong with a file of credentials, so far as that shows without the server.
func checkCredentials(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the credentials for the object store can't be read: %w: mount the Secret that has them there, or give another path", err)
	}
	_, err = nkeys.ParseDecoratedJWT(content)
	if err == nil {
		_, err = nkeys.ParseDecoratedUserNKey(content)
	}
	if err != nil {
		return fmt.Errorf("the credentials for the object store in %s can't be parsed: %w: the file must have a user JWT and the seed of its key, as `nsc generate creds` writes it", path, err)
	}
	return nil
}

// Close ends the connection. Requests that still wait for a response fail.
func (s *Store) Close() { s.nc.Close() }

// URL is the URL of the Options, without users and passwords.
func (s *Store) URL() string { return s.url }
