#!/usr/bin/env bash
# Once it captures, no thread of live has a capability, also of root, and none can come back; it goes on to rotate files,
# to answer for metrics and to send to a collector. Where an output lies in a folder of another user, or captures are read
# that are anybody's, those for files stay, and no others.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 2000 --mean-packets 8 -o traffic.pcap
ip link set lo up
FILES=000000001000000f

# rights_are MASK: of each thread, of what they have and may have.
rights_are() {
  local masks
  masks=$(sed -n 's/^Cap\(Prm\|Eff\):[[:space:]]*//p' /proc/$LIVE/task/*/status | sort -u)
  [ "$masks" = "$1" ] || { grep -H '^Cap\|^Name' /proc/$LIVE/task/*/status >&2; fail "rights $masks"; }
  [ "$(sed -n 's/^Cap\(Inh\|Amb\):[[:space:]]*//p' /proc/$LIVE/task/*/status | sort -u)" = 0000000000000000 ]
  [ "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' /proc/$LIVE/task/*/status | sort -u)" = 1 ]
}
files() { find "$1" -name 'f.*.csv' | wc -l; }
# closes FOLDER FILES: SIGHUP, until there are more than so many, as soon as flows have ended.
closes() {
  kill -HUP "$LIVE"
  sleep 0.1
  [ "$(files "$1")" -gt "$2" ]
}

port=$(free_port tcp)
python3 -c "
import socket
s = socket.create_server(('127.0.0.1', $port)); c = s.accept()[0]
while c.recv(65536): pass" & OTHERS=$!
METRICS="--metrics 0"
! "$WARPMETER" info | grep -q 'metrics *not built in' || METRICS=
COLLECTOR="--collector tcp://127.0.0.1:$port"
! "$WARPMETER" info | grep -q 'IPFIX *not built in' || COLLECTOR="--collector tcp://127.0.0.1:$port --netflow-v9"
mkdir own
for ring in xdp packet; do
  [ $ring = packet ] || { "$WARPMETER" live -i capture --ring xdp --duration 1ms -o x.csv -q 2>/dev/null || continue; }
  start_live -i capture --ring $ring --idle-timeout 500ms --max-latency 100ms --rotate 1h -o own/f.csv $METRICS
  rights_are 0000000000000000
  rm -f own/f.*
  for _ in 1 2; do
    had=$(files own)
    send_frames traffic.pcap >/dev/null
    wait_for 10 closes own "$had"
  done
  end_live 0
done
if [[ "$COLLECTOR" != *netflow* ]]; then
  start_live -i capture -o own/c.csv $COLLECTOR
  rights_are 0000000000000000
  send_frames traffic.pcap >/dev/null
  end_live 0
fi

# Threads of libraries that are loaded for an output, and let no signal in, are none that keep any.
if "$WARPMETER" info | grep -q 'Parquet *built in'; then
  start_live -i capture --rotate 1h -o own/p.parquet
  rights_are 0000000000000000
  end_live 0
fi

# Of another user.
mkdir -m 755 theirs; chown 12345:12345 theirs; chmod 711 .
start_live -i capture --idle-timeout 500ms --max-latency 100ms --rotate 1h -o theirs/f.csv
rights_are $FILES
send_frames traffic.pcap >/dev/null
wait_for 10 closes theirs 0
end_live 0
start_live -i folder:theirs -o own/folder.csv
rights_are $FILES
end_live 0
: >policy.toml
start_live -i capture --policy policy.toml --policy-socket theirs/policy.socket -o own/policy.csv
rights_are $FILES
end_live 0
[ ! -e theirs/policy.socket ] || fail "the socket is still there"
