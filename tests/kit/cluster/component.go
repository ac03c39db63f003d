package cluster

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"example.com/controller-course/tests/kit/assets"
)

// A component is a program of the cluster that envtest does not know.
type component struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// startComponent starts a program, which has its own name in the audit log. That it ended is reported by the guard.
func (c *Cluster) startComponent(program assets.Binary, flags ...string) error {
	name := string(program)
	config, err := c.AddUser("system:"+name, "system:masters")
	if err != nil {
		return err
	}
	kubeconfig := c.dataPath(name + ".kubeconfig")
	if err := WriteKubeconfig(kubeconfig, "", config); err != nil {
		return err
	}
	log, err := c.createLog(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(c.guard.Path(name), append(flags, "--kubeconfig="+kubeconfig)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	started := &component{cmd: cmd, ended: make(chan struct{})}
	c.components = append(c.components, started)
	go func() {
		defer close(started.ended)
		_ = cmd.Wait() // the guard reports the status
	}()
	return nil
}

// stop ends the program, gently if it lets us.
func (p *component) stop() {
	const patience = 10 * time.Second
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.ended
	}
}
