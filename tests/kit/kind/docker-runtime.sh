#!/bin/sh
# Lets Docker run privileged containers on a host whose root lacks the
# capability SYS_RESOURCE, as in many sandboxes and nested virtual machines:
#
#   docker-runtime.sh install    adds a runtime to Docker and makes it the default
#   docker-runtime.sh remove     removes it again
#
# It changes three things: it writes the runtime, a shell script that withdraws
# the demand for the capability and then calls runc; it adds the entries
# "runtimes" and "default-runtime" for it to Docker's configuration; and it has
# the daemon read that again. Containers that run are not touched; those that were
# made with the runtime can't be started again without it.
set -eu

name=controller-course
runtime=/usr/local/lib/controller-course/runtime
config=/etc/docker/daemon.json

fail() {
	echo "Error: $1" >&2
	exit 1
}

write_runtime() {
	mkdir -p "$(dirname "$runtime")"
	cat >"$runtime.new" <<'SCRIPT'
#!/bin/sh
# Calls runc for containers that do without the capability SYS_RESOURCE.
# Written by docker-runtime.sh, which also removes it.
set -eu

withdraw() {
	sed -i -e 's/"CAP_SYS_RESOURCE", *//g' -e 's/, *"CAP_SYS_RESOURCE"//g' -e 's/"CAP_SYS_RESOURCE"//g' "$1"
}

before=
for argument in "$@"; do
	case $before in
	--bundle) withdraw "$argument/config.json" ;; # of a container to be created
	--process) withdraw "$argument" ;;            # of an exec
	esac
	before=$argument
done
exec runc "$@"
SCRIPT
	chmod 755 "$runtime.new"
	mv "$runtime.new" "$runtime"
}

# edit changes Docker's configuration by a jq program. What becomes empty goes.
edit() {
	if [ -s "$config" ]; then
		changed=$(jq --arg name "$name" --arg path "$runtime" "$1" "$config") || fail "$config is not what jq understands as JSON"
	else
		changed=$(jq -n --arg name "$name" --arg path "$runtime" "{} | $1")
	fi
	if [ "$changed" = "{}" ]; then
		rm -f "$config"
		return
	fi
	mkdir -p "$(dirname "$config")"
	echo "$changed" >"$config.new"
	mv "$config.new" "$config"
}

# reload has the daemon read its configuration and waits until the default
# runtime is ours, or is not.
reload() {
	kill -HUP "$(cat /var/run/docker.pid)" || fail "Docker does not run: start it, then try again"
	for _ in $(seq 50); do
		default=$(docker info --format '{{.DefaultRuntime}}')
		if [ "$1" = ours ] && [ "$default" = "$name" ]; then return; fi
		if [ "$1" = other ] && [ "$default" != "$name" ]; then return; fi
		sleep 0.1
	done
	fail "Docker has not taken over $config: see the daemon's log"
}

[ "$(id -u)" = 0 ] || fail "this changes Docker's configuration: run it as root"
command -v jq >/dev/null || fail "jq is needed to change $config; on Debian: apt-get install jq"

case ${1-} in
install)
	other=$([ ! -s "$config" ] || jq -r '."default-runtime" // ""' "$config")
	case $other in
	'' | runc | "$name") ;;
	*) fail "Docker's default runtime is $other: this one can't call it; remove that entry from $config first" ;;
	esac
	write_runtime
	edit '.runtimes[$name] = {path: $path} | ."default-runtime" = $name'
	reload ours
	echo "Privileged containers now do without the capability SYS_RESOURCE. To undo it: $0 remove"
	;;
remove)
	edit '."default-runtime" = "runc"' # the daemon takes over what is there, not what is missing
	reload other
	edit 'del(."default-runtime", .runtimes[$name]) | if .runtimes == {} then del(.runtimes) else . end'
	rm -rf "$(dirname "$runtime")"
	echo "Docker is configured as before."
	;;
*)
	fail "use: $0 install|remove"
	;;
esac
