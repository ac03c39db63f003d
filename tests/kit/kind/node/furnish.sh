#!/bin/sh
# Makes a Debian root file system into that of a kind node, without the images of
# the control plane:
#
#   furnish.sh ROOT KIND_FILES FILES PROXY VERSION
#
# ROOT is the file system. KIND_FILES is images/base/files of kind's module, FILES
# the folder of this script. The files that a kube-proxy runs on are put
# together in the archive PROXY. VERSION is that of Kubernetes. The programs are
# there already.
set -eu
root=$1 kind_files=$2 files=$3 proxy=$4 version=$5
umask 022

# kind's own files. In a module cache nothing may be written or executed.
cp -R --no-preserve=mode,ownership "$kind_files/etc" "$kind_files/kind" "$kind_files/usr" "$root"
chmod 755 "$root"/kind/bin/* "$root/usr/local/bin/entrypoint"

# A node has no console, no disks and no devices of its own, and its temporary
# files are made by nobody else.
wants=$root/lib/systemd/system
rm -f "$root"/etc/systemd/system/*.wants/* "$wants"/multi-user.target.wants/* "$wants"/local-fs.target.wants/* \
	"$wants"/basic.target.wants/* "$wants"/sockets.target.wants/*udev* "$wants"/sockets.target.wants/*initctl* \
	"$wants"/sysinit.target.wants/systemd-tmpfiles-setup.service
echo "ReadKMsg=no" >>"$root/etc/systemd/journald.conf"
chroot "$root" systemctl --quiet enable containerd.service kubelet.service undo-mount-hacks.service
chroot "$root" systemctl --quiet mask systemd-binfmt.service

# What every container starts from; its hook hides the host's product name.
chroot "$root" ctr oci spec |
	chroot "$root" jq 'del(.process.rlimits) | .hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}]' \
		>"$root/etc/containerd/cri-base.json"

mkdir -p "$root/etc/kubernetes/manifests" "$root/etc/cni/net.d" "$root/kind/manifests"
cp "$files/cni.conflist" "$root/etc/cni/net.d/10-node.conflist"
cp "$files/storage.yaml" "$root/kind/manifests/default-storage.yaml"
printf %s "$version" >"$root/kind/version"

# The tools that kube-proxy calls, the links that lead to them, and their
# libraries, all by paths without links to folders.
chroot "$root" sh -c '
	set -eu
	files=$(dpkg -L iptables nftables conntrack kmod | grep -v /usr/share/)
	{
		for file in $files; do
			[ -d "$file" ] || echo "$file"
		done
		for file in $files; do
			[ ! -f "$file" ] || ldd "$file" 2>/dev/null || true
		done | grep -o "/[^ ]*" | sort -u | while read -r library; do
			echo "$library"
			readlink -f "$library"
		done
		ls -d /etc/alternatives/*tables* /usr/sbin/*tables* /etc/ld.so.cache
	} | while read -r file; do
		echo "$(readlink -f "$(dirname "$file")")/$(basename "$file")"
	done
	ls -d /lib /lib64 /bin /sbin
' | sed 's,^/,,' | sort -u >"$proxy.files"
tar -C "$root" --no-recursion -cf "$proxy" -T "$proxy.files"

# Nobody reads manuals in a node, or installs anything.
rm -rf "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale "$root"/usr/share/info \
	"$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*
