#!/bin/sh
# Builds scripts/course and runs it with the arguments.
set -eu
cd "$(dirname "$0")/.."
scripts/needs-go.sh

case "${1-} ${2-}" in
"lesson test" | "lesson watch" | "lesson run" | "solution test")
	COURSE_STARTED=$(date +%s.%N)
	export COURSE_STARTED
	echo "Building scripts/course, the program behind make." >&2
	;;
esac
program=.cache/course
if [ ! -e "$program" ]; then
	echo "Building scripts/course; with nothing cached this takes a minute or two." >&2
fi
if ! go build -o "$program" ./scripts/course; then
	echo "Error: scripts/course could not be built; if it is modules that could not be downloaded, set GOPROXY to a proxy that can be reached" >&2
	exit 1
fi
exec "$program" "$@"
