package assets

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestKubebuilderAssetsReplaceTheControlPlane(t *testing.T) {
	given := t.TempDir()
	fill(t, given, Etcd, APIServer, Kubectl)
	t.Setenv(controlPlaneEnv, given)
	b, _ := testBuilder(t)

	ours, dir, err := b.split(Etcd, APIServer, Kubectl, Kwok)
	if err != nil {
		t.Fatal(err)
	}
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
	given := t.TempDir()
	fill(t, given, Etcd)
	t.Setenv(controlPlaneEnv, given)
	b, _ := testBuilder(t)
	_, _, err := b.split(Etcd, APIServer)
	if err == nil || !strings.Contains(err.Error(), "no executable kube-apiserver: put one there, or unset KUBEBUILDER_ASSETS") {
		t.Errorf("error = %v; want one that names what is missing and what to do", err)
	}
}

func TestOurVersions(t *testing.T) {
	found, err := readVersions(".", clusterUpstreams...)
	if err != nil {
		t.Fatal(err)
	}
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
