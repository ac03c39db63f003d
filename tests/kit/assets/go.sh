# Runs go with the arguments, and ends it with everything that it has started
# when stdin ends, which it does when the one who started us is gone.
exec 3<&0 </dev/null
go "$@" 3<&- &
child=$!
(
	read -r _ <&3
	kill -TERM 0
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-

wait "$child"
status=$?
kill -KILL "$watcher"
exit "$status"
