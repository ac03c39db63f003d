package buckets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// message is one message of NATS' text protocol, in either direction. Source: https://docs.nats.io/reference/protocols/client.
type message struct {
	words   []string // of its line
	payload []byte   // of PUB, HPUB, MSG and HMSG, headers included; nil for others
}

// maxPayload is more than a server accepts by default, 1 MiB.
const maxPayload = 8 << 20

// readMessage reads the next message.
func readMessage(from *bufio.Reader) (message, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return message{}, err
	}
	m := message{words: []string{strings.TrimRight(line, "\r\n")}}
	if op, _, _ := strings.Cut(m.words[0], " "); !hasPayload(op) {
		return m, nil
	}
	m.words = strings.Fields(line)
	size, err := strconv.Atoi(m.words[len(m.words)-1])
	if err != nil || size < 0 || size > maxPayload {
		return message{}, fmt.Errorf("a NATS message without a length: %q", line)
	}
	m.payload = make([]byte, size+len("\r\n"))
	if _, err := io.ReadFull(from, m.payload); err != nil {
		return message{}, err
	}
	m.payload = m.payload[:size]
	return m, nil
}

func hasPayload(op string) bool {
	switch strings.ToUpper(op) {
	case "PUB", "HPUB", "MSG", "HMSG":
		return true
	}
	return false
}

// op is what the message does: "PUB", "SUB", "MSG".
func (m message) op() string {
	op, _, _ := strings.Cut(m.words[0], " ")
	return strings.ToUpper(op)
}

// published returns the subject of a PUB or HPUB, and the inbox for the response; empty if it wants none.
func (m message) published() (subject, inbox string) {
	lengths := 1
	switch m.op() {
	case "PUB":
	case "HPUB":
		lengths = 2
	default:
		return "", ""
	}
	if len(m.words) > 2+lengths {
		inbox = m.words[2]
	}
	return m.words[1], inbox
}

// subscribed returns the ID of the subscription that a SUB makes, with its subject, or that an UNSUB ends, without one.
func (m message) subscribed() (subject, id string) {
	words := strings.Fields(m.words[0])
	switch op := m.op(); {
	case op == "SUB" && len(words) >= 3:
		return words[1], words[len(words)-1]
	case op == "UNSUB" && len(words) == 2: // with a number, it ends by itself after so many messages
		return "", words[1]
	}
	return "", ""
}

// delivered returns the subject of a MSG or HMSG, and the subscription that it is for.
func (m message) delivered() (subject, subscription string) {
	if op := m.op(); op != "MSG" && op != "HMSG" || len(m.words) < 4 {
		return "", ""
	}
	return m.words[1], m.words[2]
}

// body is the payload without headers.
func (m message) body() []byte {
	if op := m.op(); op != "HPUB" && op != "HMSG" {
		return m.payload
	}
	headers, err := strconv.Atoi(m.words[len(m.words)-2])
	if err != nil || headers > len(m.payload) {
		return nil
	}
	return m.payload[headers:]
}

// bytes is the message as it goes over the wire.
func (m message) bytes() []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(m.words, " ") + "\r\n")
	if m.payload != nil {
		b.Write(m.payload)
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// response makes up a message from the server.
func response(inbox, subscription string, body []byte) message {
	return message{words: []string{"MSG", inbox, subscription, strconv.Itoa(len(body))}, payload: body}
}

// matches says whether a subscription to a pattern receives what is published on a subject.
func matches(pattern, subject string) bool {
	patterns, subjects := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, want := range patterns {
		switch {
		case want == ">":
			return i < len(subjects)
		case i == len(subjects) || want != "*" && want != subjects[i]:
			return false
		}
	}
	return len(patterns) == len(subjects)
}

// noResponders makes up what a server responds to a request whose subject nobody has subscribed to.
// Source: https://docs.nats.io/nats-concepts/core-nats/reqreply.
func noResponders(inbox, subscription string) message {
	const headers = "NATS/1.0 503\r\n\r\n"
	length := strconv.Itoa(len(headers))
	return message{words: []string{"HMSG", inbox, subscription, length, length}, payload: []byte(headers)}
}
