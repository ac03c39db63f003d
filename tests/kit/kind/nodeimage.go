package kind

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
)

// nodeFiles are what a node image is made with besides what is fetched.
//
//go:embed node
var nodeFiles embed.FS

// A nodeImage is the image that the cluster's node is made from.
type nodeImage struct {
	name string
	ours bool // built here, as opposed to the official one
}

// nodeImages are the image that the kind project publishes for our version of Kubernetes, and the one that is built
// here. Its tag names the version of Kubernetes, and whatever else it is made of by a hash.
func nodeImages() (official, built nodeImage, err error) {
	programs, err := assets.Node()
	if err != nil {
		return official, built, err
	}
	root, err := repo.Root()
	if err != nil {
		return official, built, err
	}
	kindVersion, err := repo.Required(root, "sigs.k8s.io/kind")
	if err != nil {
		return official, built, err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, programs.Key(), kindVersion)
	err = fs.WalkDir(nodeFiles, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := nodeFiles.ReadFile(path)
		fmt.Fprintln(hash, path, string(data))
		return err
	})
	tag := programs.Kubernetes() + "-" + hex.EncodeToString(hash.Sum(nil))[:8]
	official = nodeImage{name: "kindest/node:" + programs.Kubernetes()}
	built = nodeImage{name: "controller-course/node:" + tag, ours: true}
	return official, built, err
}

func (i nodeImage) exists(ctx context.Context) (bool, error) {
	found, err := docker(ctx, "images", "--quiet", "--filter", "reference="+i.name)
	return strings.TrimSpace(found) != "", err
}
