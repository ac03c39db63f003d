package kind

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
)

func TestConfigFor(t *testing.T) {
	for name, test := range map[string]struct {
		host  host
		image nodeImage
	}{
		"our image":                  {host{}, nodeImage{name: "ours", ours: true}},
		"the official one":           {host{}, nodeImage{name: "theirs"}},
		"cgroup v1":                  {host{cgroupV1: true}, nodeImage{name: "ours", ours: true}},
		"a restricted host":          {host{restricted: true}, nodeImage{name: "ours", ours: true}},
		"a restricted one with both": {host{cgroupV1: true, restricted: true}, nodeImage{name: "theirs"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := configFor(test.host, test.image, "/mark")
			if len(config.Nodes) != 1 || config.Nodes[0].Image != test.image.name || config.Nodes[0].ExtraMounts[0].HostPath != "/mark" {
				t.Errorf("nodes %+v; want one of image %s with the mark", config.Nodes, test.image.name)
			}
			acceptsV1 := strings.Contains(strings.Join(config.KubeadmConfigPatches, ""), "failCgroupV1: false")
			leavesScore := strings.Contains(strings.Join(config.ContainerdConfigPatches, ""), "restrict_oom_score_adj = true")
			assert.Equal(t, "whether kind's network is left out", config.Networking.DisableDefaultCNI, test.image.ours)
			assert.Equal(t, "whether the kubelet accepts cgroup v1", acceptsV1, test.host.cgroupV1)
			assert.Equal(t, "whether containerd leaves oom_score_adj alone", leavesScore, test.host.restricted)
		})
	}
}
