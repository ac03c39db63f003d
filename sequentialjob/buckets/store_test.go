package buckets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestConnectRefusesOptionsThatCannotBeRight(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.creds")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing.creds")
	const good = "nats://127.0.0.1:1"

	for name, test := range map[string]struct {
		options Options
		want    []string // what the error says
	}{
		"no URL":                {Options{}, []string{`the URL of the object store is ""`, "nats://host:4222"}},
		"no scheme":             {Options{URL: "nats.example.com"}, []string{`"nats.example.com"`, "nats://host:4222"}},
		"another scheme":        {Options{URL: "http://nats.example.com:4222"}, []string{"http://nats.example.com:4222", "nats://host:4222"}},
		"no host":               {Options{URL: "nats://:4222"}, []string{"nats://:4222"}},
		"a path":                {Options{URL: "nats://host:4222/bucket"}, []string{"nats://host:4222/bucket"}},
		"a port that is none":   {Options{URL: "nats://host:port"}, []string{"can't be parsed", `invalid port ":port"`, "nats://host:4222"}},
		"the second of two":     {Options{URL: good + ",nats://"}, []string{`"nats:"`}},
		"an empty one at last":  {Options{URL: good + ","}, []string{`""`}},
		"no file there":         {Options{URL: good, Credentials: missing}, []string{missing, "no such file", "mount the Secret"}},
		"a folder":              {Options{URL: good, Credentials: filepath.Dir(missing)}, []string{filepath.Dir(missing), "is a directory"}},
		"a file without a user": {Options{URL: good, Credentials: empty}, []string{empty, "can't be parsed", "nsc generate creds"}},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := Connect(test.options)
			if err == nil {
				store.Close()
				t.Fatal("Connect() succeeds")
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Connect() = %q, which does not say %q", err, part)
				}
			}
		})
	}
}

func TestURLsHaveNoPasswords(t *testing.T) {
	for name, test := range map[string]struct{ url, want string }{
		"user and password": {"nats://operator:secret@host:4222", "nats://host:4222"},
		"a token":           {"nats://secret@host:4222", "nats://host:4222"},
		"several":           {"nats://a:secret@one:4222, tls://secret@two:4222", "nats://one:4222,tls://two:4222"},
		"another scheme":    {"http://a:secret@host", ""},
		"can't be parsed":   {"nats://a:secret@host:port", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseURL(test.url)
			if got != test.want {
				t.Errorf("parseURL() = %q, want %q", got, test.want)
			}
			if (err == nil) != (test.want != "") {
				t.Errorf("parseURL() fails with %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("parseURL() fails with the password: %v", err)
			}
		})
	}
}

func TestReconnectDelay(t *testing.T) {
	for attempt, want := range map[int]time.Duration{1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 5: 1600 * time.Millisecond, 6: 2 * time.Second, 1000: 2 * time.Second} {
		if got := reconnectDelay(attempt); got != want {
			t.Errorf("reconnectDelay(%d) = %s, want %s", attempt, got, want)
		}
	}
}
