package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// upstream is the API server, with the credentials of one user.
type upstream struct {
	base      *url.URL
	transport http.RoundTripper

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

// newUpstream makes connections of its own, which close ends; those of client-go are shared.
func newUpstream(config *rest.Config) (*upstream, error) {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w", err)
	}
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("read the API server's certificates: %w", err)
	}
	u := &upstream{base: base}
	u.transport, err = rest.HTTPWrappersForConfig(config, &http.Transport{
		DialContext:        u.dial,
		TLSClientConfig:    tls,
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
	})
	return u, err
}

func (u *upstream) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	u.conns = append(u.conns, conn)
	return conn, nil
}

func (u *upstream) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for _, conn := range u.conns {
		_ = conn.Close() // it may have ended already
	}
}

// response is a complete response of the API server.
type response struct {
	code   int
	header http.Header
	body   []byte
}

// ask sends a request and reads the response.
func (u *upstream) ask(ctx context.Context, method string, target *url.URL, header http.Header, body []byte) (response, error) {
	opened, err := u.open(ctx, method, target, header, body)
	if err != nil {
		return response{}, err
	}
	defer opened.Body.Close()
	return readResponse(opened)
}

func readResponse(opened *http.Response) (response, error) {
	body, err := io.ReadAll(opened.Body)
	return response{code: opened.StatusCode, header: opened.Header, body: body}, err
}

// open sends a request and leaves the response's body to the caller. It uses the target's path and query only.
func (u *upstream) open(
	ctx context.Context, method string, target *url.URL, header http.Header, body []byte,
) (*http.Response, error) {
	there := *target
	there.Scheme, there.Host = u.base.Scheme, u.base.Host
	request, err := http.NewRequestWithContext(ctx, method, there.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	copyHeader(request.Header, header)
	return u.transport.RoundTrip(request)
}

// copyHeader leaves out what holds for one connection only, and who the controller says it is.
func copyHeader(to, from http.Header) {
	for key, values := range from {
		switch key {
		case "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length",
			"Accept-Encoding", "Authorization":
			continue
		}
		to[key] = values
	}
}

// acceptJSON makes those who prefer a binary form ask for JSON instead, in the same shape:
// "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata" asks for metadata still.
func acceptJSON(header http.Header) {
	for i, accepted := range header["Accept"] {
		header["Accept"][i] = binaryForms.Replace(accepted)
	}
}

var binaryForms = strings.NewReplacer(
	protobuf, "application/json", "application/cbor-seq", "application/json", "application/cbor", "application/json")
