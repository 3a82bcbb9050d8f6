#!/usr/bin/env bash
# At its end a capture waits for a collector that never reads, and for who does not read a pipe, as long as --drain-timeout
# says: then it ends with status 1 and says what was lost, and what is beside it is complete. Before it begins, it waits for
# the reader of a pipe no longer than --duration. A second signal ends it at once.
. "$(dirname "$0")/live/wire.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 40000 --mean-packets 2 -o many.pcap
"$TRAFFIC_GEN" --packets 8000 --mean-packets 2 -o traffic.pcap
ip link set lo up
python3 - <<'PY' &
import socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.bind(('127.0.0.1', 4739))
s.listen()
open('listens', 'w').close()
held = [s.accept()[0] for _ in range(100)]   # and never reads
PY
OTHERS=$!
wait_for 10 test -e listens
took() { python3 -c "import sys, time; assert $2 <= time.time() - $1 <= $3, time.time() - $1"; }

# capture TRACE OPTION...
capture() {
  local trace=$1
  shift
  start_live -i capture --duplicate-window 0 --idle-timeout 100ms --max-latency 100ms "$@"
  send_frames "$trace" >/dev/null
}

# A collector.
capture many.pcap --collector tcp://127.0.0.1 --collector-buffer 64K --collector-timeout 60s --drain-timeout 1s -o f.csv
now=$(date +%s.%N)
end_live 1 TERM
took "$now" 1 $((4 * SCALE))
grep -qE 'is not waited for any longer: [0-9]+ of [0-9]+ records were lost' live.txt || fail "does not say what was lost"
[ "$(rows f.csv)" -gt 0 ] || fail "the file is not complete"

# lost_of_pipe NAME: one line says how many Flow Records its reader did not get; the file beside it has all of them.
lost_of_pipe() {
  local lost
  lost=$(sed -nE "s/^warpmeter: $1: nobody reads it: ([0-9]+) Flow Records are lost\$/\1/p" live.txt)
  [ "${lost:-0}" -gt 1000 ] || { cat live.txt; fail "does not say what is lost"; }  # a pipe takes 64 KiB, some hundred
  [ "$lost" -le "$(rows f.csv)" ] || fail "$lost of $(rows f.csv)"
  stats "s['exit status'] == 1 and 'nobody reads it' in s['error'] and s['rows'] == $(rows f.csv) and s['packets read'] > 0"
}

# A pipe, by its name and as standard output may be; a signal or the end of the duration.
mkfifo pipe.csv
sleep 120 <pipe.csv &
OTHERS+=" $!"
capture traffic.pcap --drain-timeout 500ms -o f.csv -o pipe.csv
now=$(date +%s.%N)
end_live 1 TERM
took "$now" 0.5 $((3 * SCALE))
lost_of_pipe pipe.csv
capture traffic.pcap --drain-timeout 500ms --duration $((3 * SCALE))s -o f.csv -o - >pipe.csv
end_live 1 none
lost_of_pipe 'standard output'

# Nobody has opened it yet.
mkfifo alone
for ends in "none --duration 500ms" TERM; do
  why='interrupted before anybody read it'
  [ "$ends" = TERM ] || why='nobody read it before the end of --duration'
  read -r signal options <<<"$ends"
  # shellcheck disable=SC2086
  "$WARPMETER" live -i capture -o alone --format csv --stats stats.json $options 2>live.txt &
  LIVE=$!
  wait_for 10 interruptible $LIVE
  now=$(date +%s.%N)
  end_live 1 "$signal"
  took "$now" 0 $((3 * SCALE))
  [ "$(cat live.txt)" = "warpmeter: alone: $why: nothing was captured" ] || fail "$(cat live.txt)"
done

# All is written, and nothing is said of a limit.
capture traffic.pcap --drain-timeout 0 -o f.csv --rotate 1h
end_live 0 TERM
[ "$(grep -c '^warpmeter:' live.txt)" = 1 ] || { cat live.txt; fail "says more than where it captures from"; }

# A device that takes nothing ends it, and what was counted until then is there.
capture traffic.pcap -o /dev/full --format json
end_live 1 none
stats "s['exit status'] == 1 and 'No space left' in s['error'] and s['packets read'] > 0"

# A second signal.
capture traffic.pcap --drain-timeout 60s -o pipe.csv
kill -INT "$LIVE"
sleep 0.5
kill -0 "$LIVE" || fail "does not wait for the reader"
now=$(date +%s.%N)
end_live 130 INT
took "$now" 0 2
