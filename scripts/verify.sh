#!/bin/sh
# Checks what a compiler does not. It changes nothing, and does not care what
# else has been changed.
set -eu
cd "$(dirname "$0")/.."
failed=0

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
trap 'exit 1' INT TERM
scripts/generate.sh "$fresh"
for file in $(cd "$fresh" && find * -type f); do
	if ! diff -u "sequentialjob/$file" "$fresh/$file"; then
		echo "Error: sequentialjob/$file is not what the code generates: run make generate" >&2
		failed=1
	fi
done

scripts/course.sh pages --check || failed=1
scripts/course.sh starters --check || failed=1
scripts/course.sh mutants --check || failed=1
go test -run Hints ./scripts/course/learn || failed=1 # each check has its hints, and there are no others

unformatted=$("$(go env GOROOT)/bin/gofmt" -l */) # not .cache, which has backups of unfinished code
if [ -n "$unformatted" ]; then
	echo "Error: not formatted, run gofmt -w on:" $unformatted >&2
	failed=1
fi

go vet ./... || failed=1
staticcheck() { go tool -modfile=scripts/tools/go.mod staticcheck "$@" || failed=1; }
staticcheck $(go list ./... | grep -v '^example.com/controller-course/lessons/')
staticcheck -checks inherit,-U1000 ./lessons/... # what a starter does not call yet, the learner's code will
exit "$failed"
