package buckets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrExists says that the name is taken by a bucket with other settings.
	ErrExists = errors.New("a bucket of that name exists, with other settings")
	// ErrGone says that there is no bucket of that name.
	ErrGone = errors.New("there is no bucket of that name")
)

// RefusedError says that the store has responded, and refuses what it was asked for.
type RefusedError struct {
	Message string // the store's own words
	Code    int    // JetStream's own: 10047 if the store has no room, for example
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the object store refuses that: %s (%d)", e.Message, e.Code)
}

// temporary are the errors of JetStream's API that say nothing about what was asked for. Source: server/errors.json of
// nats-server.
var temporary = []jetstream.ErrorCode{
	10004, // incomplete results
	10008, // JetStream system temporarily unavailable: it has no leader
	10009, // JetStream cluster can not handle request
	10049, // creating failed within the server: also because it is still removing the folder of the account's last bucket
	10050, // deleting failed within the server
	10051, // something else failed within the server
	10069, // updating failed within the server
	10118, // the stream is offline: no server that has it is up
	10194, // the same, with the reason
	jetstream.JSErrCodeJetStreamNotEnabled,
}

// explain returns the error of a request as ErrExists, ErrGone, a *RefusedError, or something else with the reason why the store
// is not available. After the last of these nobody knows what has happened: the request may have been done, or may still be.
func (s *Store) explain(doing string, err error) error {
	refused, responded := errors.AsType[*jetstream.APIError](err)
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
		err = ErrExists
	case errors.Is(err, jetstream.ErrStreamNotFound):
		err = ErrGone
	case responded && !slices.Contains(temporary, refused.ErrorCode):
		err = &RefusedError{Message: refused.Description, Code: int(refused.ErrorCode)}
	case !responded:
		err = s.unavailable(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// unavailable returns why there was no response, from what the connection knows.
func (s *Store) unavailable(err error) error {
	failure := s.failure.Load()
	switch last := s.nc.LastError(); {
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("JetStream is not enabled on the NATS server at %s: its configuration lacks jetstream {} (%w)", s.url, err)
	case !s.nc.IsConnected() && !s.nc.IsClosed():
		return s.unreachable(failure, last)
	case errors.Is(err, context.DeadlineExceeded) && errors.Is(last, nats.ErrPermissionViolation) && !strings.Contains(last.Error(), advisories):
		return fmt.Errorf("the NATS server at %s has not responded: %w", s.url, last)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the NATS server at %s has not responded in time: %w", s.url, err)
	}
	return fmt.Errorf("the NATS server at %s: %w", s.url, err)
}

// unreachable returns why there is no connection. Last is the connection's last error: what came of the last attempt to connect, or
// nil if nobody was there. The connection forgets it with the next attempt, which may not come so far again. So a refusal is kept
// as the failure, unless a newer failure is known meanwhile.
func (s *Store) unreachable(failure *error, last error) error {
	cause := last
	if failure != nil && (last == nil || cutOff(last) && unauthorized(*failure)) {
		cause = *failure
	}
	switch {
	case unauthorized(cause):
		s.failure.CompareAndSwap(failure, &cause)
		return fmt.Errorf("authorization was refused by the NATS server at %s: %w: check the credentials", s.url, cause)
	case cause != nil:
		return fmt.Errorf("the NATS server at %s can't be reached: %w", s.url, cause)
	}
	return fmt.Errorf("the NATS server at %s can't be reached", s.url)
}

// unauthorized says whether the server has refused the client's credentials.
func unauthorized(err error) bool {
	return slices.ContainsFunc([]error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired},
		func(refusal error) bool { return errors.Is(err, refusal) })
}

// cutOff says whether the server has closed the connection before the client has read why. A server that refuses a client
// closes the connection at once; and what it said is lost if the client was still sending.
func cutOff(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, syscall.ECONNRESET, syscall.EPIPE}, func(end error) bool { return errors.Is(err, end) })
}
