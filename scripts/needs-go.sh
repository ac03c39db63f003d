#!/bin/sh
# Fails with one clear sentence unless there is a Go that is new enough.
set -eu
cd "$(dirname "$0")/.."
needs="Go $(sed -n 's/^go //p' go.mod) or newer (https://go.dev/dl)"

if ! command -v go >/dev/null; then
	echo "Error: the command go is not on the PATH: install $needs, or fix the PATH" >&2
	exit 1
fi
if ! said=$(go list -m 2>&1); then
	echo "Error: install $needs; the go on the PATH says: $said" >&2
	exit 1
fi
