# Runs a server as its child and ends it when the process that started this is gone, for whatever reason: that process holds the other
# end of stdin. Prints the server's pid.
#   sh -c "$(cat postgres-guard.sh)" postgres-guard SIGNAL FOLDER COMMAND …
# At the end the server gets SIGNAL, and after 10 seconds SIGKILL. Then FOLDER is removed, unless it is ''.
signal=$1
remove=$2
shift 2
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
trap 'kill -s "$signal" $server' HUP INT TERM
(
  trap - HUP INT TERM
  read -r _ <&3
  trap '' HUP INT TERM
  kill -s "$signal" $server
  n=0
  while kill -0 $server && [ $n -lt 100 ]; do
    n=$((n + 1))
    sleep 0.1
  done
  kill -s KILL $server
  cd /
  [ -z "$remove" ] || rm -rf -- "$remove"
) >/dev/null 2>&1 &
watcher=$!
echo $server
wait $server
status=$?
# A signal interrupts `wait`.
while kill -0 $server 2>/dev/null; do
  wait $server
  status=$?
done
kill $watcher 2>/dev/null
wait $watcher
exit $status
