#!/bin/sh
# Runs the program that has this script's name, and kills it as soon as the
# guard's owner is gone, however that ended. Signals are sent to
# the whole process group, so the program gets them without our help.
bin=${0%/*}
name=${0##*/}
program=${bin%/bin}/real/$name

if [ "$1" = --help ]; then
	exec "$program" "$@"
fi
trap : TERM

# The owner holds the lifeline open for writing: reading from it ends when the
# owner does. Opening it both ways first keeps the second open from blocking if
# the owner is gone by now.
exec 3<>"$bin/lifeline" 4<"$bin/lifeline" 3>&-

"$program" "$@" 4<&- &
child=$!
(
	trap '' TERM
	read -r _ <&4
	kill -KILL "$child"
) >/dev/null 2>&1 &
watcher=$!
exec 4<&-

wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do # the wait was cut short by a signal
	wait "$child"
	status=$?
done
kill -KILL "$watcher"
wait "$watcher" 2>/dev/null
echo "$name $status" 1<>"$bin/ended"
exit "$status"
