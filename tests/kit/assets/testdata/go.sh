#!/bin/sh
# A go command for tests. It "builds" what it is asked for without compiling,
# or fails in the way that FAKE_GO names.
did() { echo "$1" >>"$FAKE_GO_DIR/log"; }
did "$1"

if [ "$1" = list ]; then
	echo "$FAKE_GO_DIR/kwok"
	exit
fi
while [ "$1" != -o ]; do shift; done
out=$2
echo half >"$out"

fail() {
	echo "go: downloading a module" >&2
	echo "$1" >&2
	exit 1
}
case "$FAKE_GO" in
"fails at $(basename "$out")") fail "undefined: x" ;;
hangs)
	did child
	sleep 600
	;;
"disk full") fail "write $out: no space left on device" ;;
offline) fail 'go: example.com/x@v1.0.0: Get "https://proxy.invalid/x": dial tcp: lookup proxy.invalid: no such host' ;;
"too old") fail "go: go.mod requires go >= 1.26.0 (running go 1.25.1; GOTOOLCHAIN=local)" ;;
esac
chmod +x "$out"
