package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"example.com/controller-course/tests/kit/assets"
)

func (c *Cluster) startEtcd() error {
	const name = string(assets.Etcd)
	log, err := c.createLog(name)
	if err != nil {
		return err
	}
	c.controlPlane.Etcd = &envtest.Etcd{
		Path:    c.guard.Path(name),
		DataDir: c.dataPath(name),
		Out:     log,
		Err:     log,

		StartTimeout: startTimeout,
	}
	if err := c.controlPlane.Etcd.Start(); err != nil {
		return fmt.Errorf("%w; %s", err, c.logTail(name))
	}
	return nil
}

func (c *Cluster) startAPIServer() error {
	const name = string(assets.APIServer)
	log, err := c.createLog(name)
	if err != nil {
		return err
	}
	server := &envtest.APIServer{
		Path:    c.guard.Path(name),
		CertDir: c.dataPath(name),
		EtcdURL: c.controlPlane.Etcd.URL,
		Out:     log,
		Err:     log,

		StartTimeout: startTimeout,
	}
	c.controlPlane.APIServer = server
	if len(c.options.AuditUsers) > 0 {
		policy := filepath.Join(c.dataPath(name), "audit-policy.yaml")
		if err := os.WriteFile(policy, []byte(auditPolicy(c.options.AuditUsers)), 0o644); err != nil {
			return err
		}
		server.Configure().Set("audit-policy-file", policy).Set("audit-log-path", c.AuditLog())
	}
	for flag, value := range c.options.APIServerFlags {
		server.Configure().Set(flag, value)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("%w; %s", err, c.logTail(name))
	}
	if c.config, err = c.AddUser("admin", "system:masters"); err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	return c.waitForNamespace("default")
}

// auditPolicy has the users' requests logged once, when they are answered.
func auditPolicy(users []string) string {
	return fmt.Sprintf(`apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  users: ["%s"]
- level: None
`, strings.Join(users, `","`))
}
