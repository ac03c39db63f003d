package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// packages are what is on a node besides a minimal Debian, whose programs its
// services, the kubelet and kube-proxy call.
const packages = "systemd,systemd-sysv,conntrack,iptables,nftables,iproute2,ethtool,mount,kmod,libseccomp2,e2fsprogs," +
	"ca-certificates,curl,jq,procps"

// A builder builds a node image in a folder that goes afterwards.
type builder struct {
	image    nodeImage
	programs assets.NodeDir
	dir      string
}

func (b *builder) root() string  { return filepath.Join(b.dir, "root") }
func (b *builder) files() string { return filepath.Join(b.dir, "node") }
func (b *builder) proxy() string { return filepath.Join(b.dir, "kube-proxy.tar") }
func (b *builder) pause() string { return filepath.Join(b.dir, "pause") }

// build builds a node image out of Debian packages and Go modules. It appears in Docker when it is whole.
func build(ctx context.Context, image nodeImage, out io.Writer) error {
	if err := CanBuildNodeImage(); err != nil {
		return err
	}
	if err := installTools(ctx, alive.To(out)); err != nil {
		return err
	}
	programs, err := assets.BuildNode(ctx, out)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	parent := filepath.Join(cache, "controller-course", "node")
	sign := alive.To(out)
	unlock, err := sign.Lock(ctx, filepath.Join(parent, ".lock"), "another process that builds a node image")
	if err != nil {
		return err
	}
	defer unlock()
	if err := assets.RemoveLeftovers(filepath.Join(parent, "build-*")); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, "build-*")
	if err != nil {
		return err
	}
	b := &builder{image: image, programs: programs, dir: dir}
	sign.Say("Building the node image %s from Debian packages and these programs.", image.name)
	steps := []struct {
		label   string
		usually time.Duration
		run     func(context.Context) error
	}{
		{"Debian", 45 * time.Second, b.installDebian},
		{"programs and settings", 5 * time.Second, b.furnish},
		{"images of the control plane", 10 * time.Second, b.addImages},
		{"handing it to Docker", 40 * time.Second, b.importRoot},
	}
	for i, step := range steps {
		label := fmt.Sprintf("[%d/%d] %s", i+1, len(steps), step.label)
		if err = sign.During(label, step.usually, func() error { return step.run(ctx) }); err != nil {
			err = fmt.Errorf("build the node image: %s: %w", step.label, err)
			break
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// CanBuildNodeImage says why a node image can't be built on this machine.
func CanBuildNodeImage() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("a node image can't be built on %s: build it on Linux by 'make node-image-save FILE=…', and load it here by 'make node-image-load FILE=…'", runtime.GOOS)
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		return errors.New("a node image is built from Debian's packages, and this is no Debian or Ubuntu: build it on one by 'make node-image-save FILE=…', and load it here by 'make node-image-load FILE=…'")
	}
	if os.Geteuid() != 0 {
		return errors.New("root has to build the node image: run 'sudo -E env \"PATH=$PATH\" make node-image', once; everything else works without")
	}
	return nil
}

// installTools installs what a build needs and this machine lacks.
func installTools(ctx context.Context, sign alive.Sign) error {
	missing := missingTools()
	if len(missing) == 0 {
		return nil
	}
	return sign.During("installing "+strings.Join(missing, " "), 20*time.Second, func() error {
		if _, err := run(ctx, "apt-get", "update", "-q"); err != nil {
			return err
		}
		install := exec.CommandContext(ctx, "apt-get", append([]string{"install", "-qy", "--no-install-recommends"}, missing...)...)
		install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		_, err := finish(ctx, install)
		return err
	})
}

func missingTools() []string {
	var missing []string
	for _, tool := range []struct{ program, pkg string }{
		{"debootstrap", "debootstrap"}, {"gcc", "gcc libc6-dev"}, {"pkg-config", "pkg-config"}, {"unshare", "util-linux"},
	} {
		if _, err := exec.LookPath(tool.program); err != nil {
			missing = append(missing, strings.Fields(tool.pkg)...)
		}
	}
	if _, err := os.Stat("/usr/include/seccomp.h"); err != nil {
		missing = append(missing, "libseccomp-dev") // for runc
	}
	return missing
}

// installDebian makes a root file system with the Debian, or Ubuntu, that runs here. It does so in a namespace for
// mounts and processes of its own, which goes with this process, so that neither are left if it is interrupted.
func (b *builder) installDebian(ctx context.Context) error {
	archive, release, err := debianArchive(ctx)
	if err != nil {
		return err
	}
	_, err = run(ctx, "setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"debootstrap", "--variant=minbase", "--include="+packages, release, b.root(), archive)
	return err
}

// debianArchive returns where apt gets packages from, and for which release.
func debianArchive(ctx context.Context) (archive, release string, err error) {
	targets, err := run(ctx, "apt-get", "indextargets", "--format", "$(RELEASE) $(CODENAME) $(COMPONENT) $(REPO_URI)", "Created-By: Packages")
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(targets) {
		fields := strings.Fields(line)
		if len(fields) == 4 && fields[0] == fields[1] && fields[2] == "main" {
			return fields[3], fields[0], nil
		}
	}
	return "", "", errors.New("apt knows no archive of this release: see /etc/apt/sources.list, run 'apt-get update' and try again")
}

// nodePaths is where a node has its programs. kind's service files and its own commands expect them there.
var nodePaths = map[string][]assets.Binary{
	"usr/bin":        {assets.Kubeadm, assets.Kubelet, assets.Kubectl},
	"usr/local/bin":  {assets.Containerd, assets.ContainerdShim, assets.Ctr, assets.Crictl},
	"usr/local/sbin": {assets.Runc},
	"opt/cni/bin":    {assets.HostLocal, assets.Loopback, assets.PTP, assets.Portmap},
}

func (b *builder) furnish(ctx context.Context) error {
	for folder, programs := range nodePaths {
		target := filepath.Join(b.root(), folder)
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		for _, program := range programs {
			if _, err := run(ctx, "cp", b.programs.Path(program), target); err != nil {
				return err
			}
		}
	}
	if err := writeNodeFiles(b.files()); err != nil {
		return err
	}
	root, err := repo.Root()
	if err != nil {
		return err
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind")
	list.Dir = root
	module, err := finish(ctx, list)
	if err != nil {
		return err
	}
	kindFiles := filepath.Join(strings.TrimSpace(module), "images", "base", "files")
	_, err = run(ctx, "sh", filepath.Join(b.files(), "furnish.sh"), b.root(), kindFiles, b.files(), b.proxy(), b.programs.Kubernetes())
	return err
}

func writeNodeFiles(dir string) error {
	files, err := fs.Sub(nodeFiles, "node")
	if err != nil {
		return err
	}
	return os.CopyFS(dir, files)
}

// controlPlane is what kubeadm runs in pods, by the names of their images.
func (b *builder) controlPlane() map[string]image {
	const bin = "/usr/local/bin/"
	env := []string{"PATH=" + strings.TrimSuffix(bin, "/") + ":/usr/sbin:/usr/bin"}
	images := map[string]image{
		"coredns": {layers: []layer{programLayer(b.programs.Path(assets.CoreDNS), "/coredns")}, entrypoint: []string{"/coredns"}},
		"pause":   {layers: []layer{programLayer(b.pause(), "/pause")}, entrypoint: []string{"/pause"}},
	}
	for _, program := range []assets.Binary{assets.Etcd, assets.APIServer, assets.ControllerManager, assets.Scheduler} {
		images[string(program)] = image{layers: []layer{programLayer(b.programs.Path(program), bin+string(program))}, env: env}
	}
	images[string(assets.KubeProxy)] = image{
		layers: []layer{fileLayer(b.proxy()), programLayer(b.programs.Path(assets.KubeProxy), bin+string(assets.KubeProxy))},
		env:    env,
	}
	return images
}

var sandboxImage = regexp.MustCompile(`sandbox_image = "(.+)"`)

// imageNames returns the names under which the node looks for images.
func (b *builder) imageNames(ctx context.Context) ([]string, error) {
	list, err := run(ctx, b.programs.Path(assets.Kubeadm), "config", "images", "list", "--kubernetes-version", b.programs.Kubernetes())
	if err != nil {
		return nil, err
	}
	settings, err := os.ReadFile(filepath.Join(b.root(), "etc", "containerd", "config.toml"))
	if err != nil {
		return nil, err
	}
	pause := sandboxImage.FindSubmatch(settings)
	if pause == nil {
		return nil, errors.New("containerd's settings name no image for pause")
	}
	return append(strings.Fields(list), string(pause[1])), nil
}

// addImages puts the control plane's images where the node's containerd will find them.
func (b *builder) addImages(ctx context.Context) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if err := process.BuildForContainer(ctx, filepath.Join(root, "tests", "kit", "kind", "pause"), b.pause()); err != nil {
		return err
	}
	names, err := b.imageNames(ctx)
	if err != nil {
		return err
	}
	store, err := startStore(ctx, b)
	if err != nil {
		return err
	}
	images := b.controlPlane()
	for _, name := range names {
		program, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
		image, known := images[program]
		if !known {
			return errors.Join(fmt.Errorf("kubeadm wants an image %s, which isn't known here", name), store.stop())
		}
		image.name = name
		if err := store.add(ctx, image); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", name, err), store.stop())
		}
	}
	return store.stop()
}

// importRoot has Docker take the root file system as an image.
func (b *builder) importRoot(ctx context.Context) error {
	archive := filepath.Join(b.dir, "root.tar")
	if _, err := run(ctx, "tar", "-C", b.root(), "--numeric-owner", "-cf", archive, "."); err != nil {
		return err
	}
	node := image{
		name: b.image.name, layers: []layer{fileLayer(archive)}, env: []string{"container=docker"},
		entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		stopSignal: "SIGRTMIN+3", // on which systemd ends
	}
	return feed(ctx, exec.CommandContext(ctx, "docker", "load"), node.write)
}
