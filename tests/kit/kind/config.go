package kind

import (
	"context"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// runtimeName is the name that the script for restricted hosts gives to its runtime.
const runtimeName = "controller-course"

// A host is what matters of a machine's Docker for a cluster.
type host struct {
	cgroupV1   bool
	restricted bool // containers run by the runtime for restricted hosts
}

func findHost(ctx context.Context) (host, error) {
	info, err := docker(ctx, "info", "--format", "{{.CgroupVersion}} {{.DefaultRuntime}}")
	if err != nil {
		return host{}, err
	}
	cgroups, runtime, _ := strings.Cut(info, " ")
	return host{cgroupV1: cgroups == "1", restricted: runtime == runtimeName}, nil
}

// configFor returns the cluster's configuration for kind. The node mounts the folder mark.
func configFor(h host, image nodeImage, mark string) *v1alpha4.Cluster {
	config := &v1alpha4.Cluster{
		Nodes: []v1alpha4.Node{{
			Role:        v1alpha4.ControlPlaneRole,
			Image:       image.name,
			ExtraMounts: []v1alpha4.Mount{{HostPath: mark, ContainerPath: markPath, Readonly: true}},
		}},
		// Our image has a network for its one node built in.
		Networking: v1alpha4.Networking{DisableDefaultCNI: image.ours},
	}
	if h.cgroupV1 {
		config.KubeadmConfigPatches = []string{"kind: KubeletConfiguration\nfailCgroupV1: false\n"}
	}
	if h.restricted { // to make a process likelier to survive takes the withheld capability
		config.ContainerdConfigPatches = []string{"[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n"}
	}
	v1alpha4.SetDefaultsCluster(config)
	return config
}
