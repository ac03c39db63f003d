package assets

import (
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestKubebuilderAssetsReplaceTheControlPlane(t *testing.T) {
	b, given := givenAssets(t, Etcd, APIServer, Kubectl)

	ours, dir, err := b.split(Etcd, APIServer, Kubectl, Kwok)
	must.Succeed(t, err)
	if len(ours) != 2 || ours[0].binary != Kubectl || ours[1].binary != Kwok {
		t.Errorf("ours to build are %v; want kubectl and kwok", ours)
	}
	assert.Equal(t, "where kube-apiserver is", dir.Path(APIServer), filepath.Join(given, "kube-apiserver"))
	assert.Equal(t, "where kubectl is", dir.Path(Kubectl), filepath.Join(b.cache, "kubectl"))
}

func TestKubebuilderAssetsThatLackABinary(t *testing.T) {
	b, _ := givenAssets(t, Etcd)
	_, _, err := b.split(Etcd, APIServer)
	assert.Error(t, err, "no executable kube-apiserver: put one there, or unset KUBEBUILDER_ASSETS")
}

// givenAssets returns a builder that is given some binaries in a folder.
func givenAssets(t *testing.T, binaries ...Binary) (b *builder, given string) {
	given = t.TempDir()
	fill(t, given, binaries...)
	t.Setenv(controlPlaneEnv, given)
	b, _ = testBuilder(t)
	return b, given
}

func TestOurVersions(t *testing.T) {
	found, err := readVersions(".", clusterUpstreams...)
	must.Succeed(t, err)
	assert.Contains(t, "the key", found.key(clusterUpstreams...), "k8s-"+found[kubernetes]+"_etcd-v3.")
}

func TestLdflagsSetTheVersionOfKubernetes(t *testing.T) {
	flags := versions{kubernetes: "v1.36.3"}.ldflags(kubernetes)
	assert.Contains(t, "ldflags", flags, "version.gitVersion=v1.36.3 ", "version.gitMajor=1 ", "version.gitMinor=36 ")
}
