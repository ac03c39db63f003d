package cluster

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"example.com/controller-course/tests/kit/repo"
)

// AddUser returns the configuration of a client that the API server knows by
// this name and these groups. It may do what RBAC grants them.
func (c *Cluster) AddUser(name string, groups ...string) (*rest.Config, error) {
	user, err := c.controlPlane.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: -1})
	if err != nil {
		return nil, fmt.Errorf("add the user %s: %w", name, err)
	}
	return user.Config(), nil
}

// AddServiceAccount returns the configuration of a client that the API server
// takes for a ServiceAccount. The ServiceAccount itself need not exist.
func (c *Cluster) AddServiceAccount(namespace, name string) (*rest.Config, error) {
	return c.AddUser("system:serviceaccount:"+namespace+":"+name,
		"system:serviceaccounts", "system:serviceaccounts:"+namespace)
}

// WriteKubeconfig writes the kubeconfig of a client that this package made. Its namespace may be empty; that of a
// controller is its own, as that of its ServiceAccount is in a pod.
func WriteKubeconfig(path, namespace string, config *rest.Config) error {
	const name = "course"
	text, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: name,
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name, Namespace: namespace}},
		Clusters: map[string]*clientcmdapi.Cluster{name: {
			Server:                   config.Host,
			CertificateAuthorityData: config.CAData,
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {
			ClientCertificateData: config.CertData,
			ClientKeyData:         config.KeyData,
		}},
	})
	if err == nil {
		err = repo.Replace(path, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the kubeconfig %s: %w", path, err)
	}
	return nil
}
