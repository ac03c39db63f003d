package kind

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestOwners(t *testing.T) {
	c := &Cluster{dir: t.TempDir()}
	other := t.TempDir()
	for name, test := range map[string]struct {
		mount string // what the node mounts as a mark
		want  string // in the error
	}{
		"ours":                                {c.mark(), ""},
		"another clone's":                     {other, "belongs to another clone of this repository, see " + other + ": run 'make cluster-down' there"},
		"of a clone that is gone":             {filepath.Join(other, "gone"), ""},
		"another project's, of the same name": {"", "isn't the course's: if nobody needs it, 'docker rm --force --volumes controller-course-control-plane'"},
	} {
		t.Run(name, func(t *testing.T) {
			var n node
			described := `{"Name": "/controller-course-control-plane", "Mounts": [{"Source": "/lib/modules", "Destination": "/lib/modules"}]}`
			if test.mount != "" {
				described = strings.Replace(described, "[", `[{"Source": "`+test.mount+`", "Destination": "`+markPath+`"}, `, 1)
			}
			must.Succeed(t, json.Unmarshal([]byte(described), &n))
			err := c.checkOwner(&n)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error = %v, want %q", err, test.want)
			}
		})
	}
}

func TestWhatKeepsAClusterFromBeingUsed(t *testing.T) {
	_, own, err := nodeImages()
	must.Succeed(t, err)
	for name, test := range map[string]struct {
		image   string
		running bool
		want    string
	}{
		"another version": {"controller-course/node:v1.0.0-12345678", true, "was made from another version of the node image"},
		"stopped":         {own.name, false, "has stopped"},
		"half made":       {own.name, true, "was not made to its end"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cluster{dir: t.TempDir()}
			n := &node{Name: "/x"}
			n.Config.Image, n.State.Running = test.image, test.running
			n.Mounts = append(n.Mounts, struct{ Source, Destination string }{c.mark(), markPath})
			whyNot, err := c.unusable(t.Context(), n)
			must.Succeed(t, err)
			assert.Contains(t, "the reason", whyNot, test.want)
		})
	}
}

func TestTheNodeImageIsNamedForWhatItIsMadeOf(t *testing.T) {
	published, own, err := nodeImages()
	must.Succeed(t, err)
	version := strings.TrimPrefix(published.name, "kindest/node:")
	if !strings.HasPrefix(version, "v1.") || !strings.HasPrefix(own.name, "controller-course/node:"+version+"-") || !own.ours || published.ours {
		t.Errorf("ours is %+v, the official one %+v", own, published)
	}
}
