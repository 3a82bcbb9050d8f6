# For the scripts here, besides what ../e2e/common.sh gives: collectors of others on the loopback interface, and what
# they show compared with warpmeter's CSV, field by field. Each script starts and ends its own collector.
. "$(dirname "$0")/../e2e/common.sh"
HERE=$SOURCE/tests/net
SLOWLY="--collector-rate 4K"  # records a second: collectors lose nothing on a busy machine either

# need PACKAGE PROGRAM...: without them the test is skipped and says what would make it run.
need() {
  local package=$1 program
  shift
  for program in "$@"; do
    command -v "$program" >/dev/null || { echo "apt-get install $package runs this: there is no $program"; exit 77; }
  done
}

need_ipfix

udp_port_in_use() { grep -qi ":$(printf %04x "$1") " /proc/net/udp; }

# Of an open UDP port: bytes that wait to be read, and datagrams thrown away because too many waited.
udp_port_state() {
  awk -v port=":$(printf %04X "$1")" '$2 ~ port "$" { split($5, queue, ":"); print queue[2], $NF }' /proc/net/udp
}
all_read() { [ "$(udp_port_state "$1")" = "00000000 0" ]; }

# read_all PORT: until the collector has read what came to its UDP port. It may still be busy with the last datagram.
read_all() {
  wait_for 20 all_read "$1"  # never, if something was thrown away
  sleep 0.3
}

# start COMMAND...: a collector in the background, ended with the script.
start() {
  : >collector.log  # what the one before said
  "$@" >>collector.log 2>&1 </dev/null &
  COLLECTOR=$!
  trap 'kill -9 $COLLECTOR 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
}

# As collectors end when they are done: with what they hold written.
stop() {
  kill "-${1:-INT}" "$COLLECTOR"
  wait "$COLLECTOR" || true
}

# A trace with IPv4 and IPv6, TCP with all that warpmeter counts, UDP and ICMP.
mixed_trace() {
  "$TRAFFIC_GEN" --packets 14000 --mean-packets 20 --flows 200 --rate 2000 --icmp 0.02 --loss 0.03 --retransmit 0.03 -o "$1"
}

# same_fields KIND COLLECTED EXPECTED.csv [OPTIONS]: compares what a collector shows with CSV.
same_fields() { python3 "$HERE/collected.py" "$@"; }
