package kind

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestAnImageIsWhatDockerLoads(t *testing.T) {
	program := filepath.Join(t.TempDir(), "x")
	must.Succeed(t, os.WriteFile(program, []byte("a program"), 0o600))
	var out bytes.Buffer
	written := image{name: "a:b", layers: []layer{programLayer(program, "/bin/x")}, entrypoint: []string{"/bin/x"}, env: []string{"K=V"}}
	must.Succeed(t, written.write(&out))

	files := untar(t, out.Bytes())
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	must.Succeed(t, json.Unmarshal(files["manifest.json"], &manifest))
	if len(manifest) != 1 || len(manifest[0].Layers) != 1 || !cmp.Equal(manifest[0].RepoTags, []string{"a:b"}) {
		t.Fatalf("manifest %+v; want one image a:b with one layer", manifest)
	}
	var config struct {
		OS     string
		Config struct{ Entrypoint, Env []string }
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	must.Succeed(t, json.Unmarshal(files[manifest[0].Config], &config))
	layer := files[manifest[0].Layers[0]]
	digest := sha256.Sum256(layer)
	assert.Equal(t, "diff_ids", config.RootFS.DiffIDs, []string{"sha256:" + hex.EncodeToString(digest[:])})
	assert.Equal(t, "os", config.OS, "linux")
	assert.Equal(t, "entrypoint", config.Config.Entrypoint, []string{"/bin/x"})
	assert.Equal(t, "env", config.Config.Env, []string{"K=V"})
	assert.Equal(t, "the program in the layer", string(untar(t, layer)["bin/x"]), "a program")
}

func TestAnImageOfAMissingProgramIsNotWritten(t *testing.T) {
	err := image{layers: []layer{programLayer("missing", "/x")}}.write(io.Discard)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error = %v, want that the program is missing", err)
	}
}

func untar(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for archive := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.Succeed(t, err)
		files[header.Name], err = io.ReadAll(archive)
		must.Succeed(t, err)
	}
}
