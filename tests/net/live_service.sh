#!/usr/bin/env bash
# A live capture as a service: metrics that sum up while it runs and clients that cannot stall it, SIGHUP, SIGUSR1, and
# what a service manager hears.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 4000 --mean-packets 8 -o traffic.pcap
ip link set lo up
export NOTIFY_SOCKET=@warpmeter-test-$$ WATCHDOG_USEC=800000
python3 "$HERE/live/notified.py" told.txt &
OTHERS=$!
wait_for 10 test -e told.txt

without_metrics() { "$WARPMETER" info | grep -q 'metrics *not built in'; }
METRICS="--metrics :0"
! without_metrics || METRICS=
start_live -i capture --duplicate-window 0 --idle-timeout 500ms --max-latency 100ms $METRICS --rotate 1h -o f.csv not arp
url=$(grep -o 'http:.*' live.txt || true)
metrics() { [ -z "$url" ] || python3 "$HERE/live/metrics.py" "$url" "$@"; }
metrics_are() { metrics "$@" >/dev/null 2>&1; }

sent=$(send_frames traffic.pcap)
wait_for 20 metrics_are warpmeter_record_latency_seconds_count + warpmeter_metered_packets_total "$sent" \
  warpmeter_live_flows 0 warpmeter_exported_records_total =warpmeter_ended_flows_total \
  warpmeter_exported_packets_total "$sent"
metrics warpmeter_ring_offered_packets_total "$sent" warpmeter_ring_lost_packets_total 0 \
  warpmeter_ignored_packets_total 0 warpmeter_read_bytes_total + \
  process_resident_memory_bytes + warpmeter_uptime_seconds +

# Two SIGHUPs: two files that are complete, while it goes on; nothing is in both.
one_file() { [ "$(ls f.*.csv 2>/dev/null | wc -l)" = "$1" ]; }
flows_there() { metrics_are warpmeter_exported_records_total "$1" || [ -z "$url" ]; }
kill -HUP "$LIVE"
wait_for 10 one_file 1
first=$(ls f.*.csv)
records=$(rows "$first")
[ "$records" -gt 0 ] || fail "the file of the first SIGHUP is empty"
kill -HUP "$LIVE"   # nothing waits: no file, if it is heard before flows end that say so
sleep 0.5
one_file 1 || fail "a file of nothing"
send_frames traffic.pcap >/dev/null
wait_for 20 flows_there $((2 * records))
[ -n "$url" ] || sleep 1.5
kill -HUP "$LIVE"
wait_for 10 one_file 2
all_there() { [ "$(cat f.*.csv | grep -vc src_addr)" = $((2 * records)) ]; }
wait_for 10 all_there

kill -USR1 "$LIVE"
wait_for 10 grep -q 'so far, after' live.txt
wait_for 10 grep -qE "packets metered +$((2 * sent))$" live.txt

# Clients that do as they like, while packets come: none is lost, and the next one is served.
if [ -n "$url" ]; then
  python3 - "$url" <<'PY' &
import socket, sys, time, urllib.parse
to = urllib.parse.urlparse(sys.argv[1])
def client(text):
    s = socket.create_connection((to.hostname, to.port))
    s.sendall(text)
    return s
silent = [client(b'') for _ in range(10)]
half = [client(b'GET /metrics HTTP/1.1\r\nX: ') for _ in range(10)]
never_reading = [client(b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' * 50) for _ in range(5)]
open('hostile', 'w').close()
time.sleep(30)
PY
  OTHERS+=" $!"
  wait_for 10 test -e hostile
fi
send_frames traffic.pcap >/dev/null
wait_for 20 metrics_are warpmeter_metered_packets_total $((3 * sent))
wait_for 10 grep -q '^STATUS=.* packets metered' told.txt
wait_for 10 grep -q '^WATCHDOG=1' told.txt
end_live 0 TERM
stats "received == 3 * $sent and full == 0"
[ "$(head -1 told.txt)" = READY=1 ] || fail "not told that it is ready"
wait_for 10 grep -q '^STOPPING=1' told.txt

unset NOTIFY_SOCKET WATCHDOG_USEC

# A port that is in use: one line, before anything is captured.
if [ -n "$url" ]; then
  port=$(free_port tcp)
  python3 -c "import socket, time; s = socket.create_server(('127.0.0.1', $port)); open('taken', 'w').close(); time.sleep(30)" &
  OTHERS+=" $!"
  wait_for 10 test -e taken
  expect_status 1 "$WARPMETER" live -i capture --metrics "$port" -o h.csv
  expect_one_line "--metrics 127.0.0.1:$port: cannot listen: .*another program has this port"
  expect_status 2 "$WARPMETER" live -i capture --metrics somewhere:1 -o h.csv
  expect_one_line "not .ADDRESS:.PORT"
  # One that the system chose is told with --quiet, too.
  expect_status 0 "$WARPMETER" live -q -i capture --duration 10ms --metrics :0 -o h.csv
  expect_one_line '^warpmeter: metrics at http://127.0.0.1:[0-9]+/metrics$'
fi

# On a terminal, a line that is redrawn.
[ -e /dev/ptmx ] && command -v script >/dev/null || exit 0
script -qec "'$WARPMETER' live -i capture --duration 2200ms -o t.csv" /dev/null >screen.txt
grep -qE 'packets/s, .*bit/s, lost 0, .* live flows' screen.txt || fail "no status line"

# The table, and what is said meanwhile, do not stand behind that line but take its place.
script -qec "'$WARPMETER' live -i capture --duration 1300ms" /dev/null >screen.txt &
SCREEN=$!
OTHERS="${OTHERS:-} $SCREEN"
wait_for $((20 * SCALE)) grep -q 'live flows' screen.txt
send_frames traffic.pcap >sent.txt
wait $SCREEN
grep -q '^SOURCE' <(tr '\r' '\n' <screen.txt | sed 's/^\x1b\[K//') || fail "the table stands behind the status line"
