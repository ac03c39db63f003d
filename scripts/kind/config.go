package kind

import (
	"context"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// runtimeName is the name that the script for restricted hosts gives to its runtime.
const runtimeName = "controller-course"

// config tells kind what cluster to make on this machine.
func (c *Cluster) config(ctx context.Context, image nodeImage) (*v1alpha4.Cluster, error) {
	config := &v1alpha4.Cluster{
		Nodes: []v1alpha4.Node{{
			Role:        v1alpha4.ControlPlaneRole,
			Image:       image.name,
			ExtraMounts: []v1alpha4.Mount{{HostPath: c.mark(), ContainerPath: markPath, Readonly: true}},
		}},
		// Our image has a network for its one node built in.
		Networking: v1alpha4.Networking{DisableDefaultCNI: image.ours},
	}
	cgroups, err := docker(ctx, "info", "--format", "{{.CgroupVersion}}")
	if err != nil {
		return nil, err
	}
	if cgroups == "1" {
		config.KubeadmConfigPatches = append(config.KubeadmConfigPatches, "kind: KubeletConfiguration\nfailCgroupV1: false\n")
	}
	restricted, err := isRestricted(ctx)
	if err != nil {
		return nil, err
	}
	if restricted { // it takes the withheld capability to make a process likelier to survive
		config.ContainerdConfigPatches = append(config.ContainerdConfigPatches,
			"[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n")
	}
	v1alpha4.SetDefaultsCluster(config)
	return config, nil
}

// isRestricted tells whether Docker runs containers by the runtime for restricted hosts.
func isRestricted(ctx context.Context) (bool, error) {
	name, err := docker(ctx, "info", "--format", "{{.DefaultRuntime}}")
	return name == runtimeName, err
}
