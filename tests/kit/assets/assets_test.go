package assets

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
)

func TestKubebuilderAssetsReplaceTheControlPlane(t *testing.T) {
	b, given := givenAssets(t, Etcd, APIServer, Kubectl)

	ours, dir, err := b.split(Etcd, APIServer, Kubectl, Kwok)
	must.Succeed(t, err)
	if len(ours) != 2 || ours[0].binary != Kubectl || ours[1].binary != Kwok {
		t.Errorf("ours to build are %v; want kubectl and kwok", ours)
	}
	if got, want := dir.Path(APIServer), filepath.Join(given, "kube-apiserver"); got != want {
		t.Errorf("kube-apiserver is at %s, want %s", got, want)
	}
	if got, want := dir.Path(Kubectl), filepath.Join(b.cache, "kubectl"); got != want {
		t.Errorf("kubectl is at %s, want %s", got, want)
	}
}

func TestKubebuilderAssetsThatLackABinary(t *testing.T) {
	b, _ := givenAssets(t, Etcd)
	_, _, err := b.split(Etcd, APIServer)
	if err == nil || !strings.Contains(err.Error(), "no executable kube-apiserver: put one there, or unset KUBEBUILDER_ASSETS") {
		t.Errorf("error = %v; want one that names what is missing and what to do", err)
	}
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
	if !strings.Contains(found.key(clusterUpstreams...), "k8s-"+found[kubernetes]+"_etcd-v3.") {
		t.Errorf("key %q does not name the versions", found.key(clusterUpstreams...))
	}
}

func TestLdflagsTellKubernetesItsVersion(t *testing.T) {
	flags := versions{kubernetes: "v1.36.3"}.ldflags(kubernetes)
	for _, want := range []string{"version.gitVersion=v1.36.3 ", "version.gitMajor=1 ", "version.gitMinor=36 "} {
		if !strings.Contains(flags, want) {
			t.Errorf("%q lacks %q", flags, want)
		}
	}
}
