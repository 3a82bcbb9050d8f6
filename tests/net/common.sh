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

# by_nfcapd FOLDER OPTION...: the flows of t.pcap go to an nfcapd, which writes into the folder. flows.json is what nfdump
# shows of them, collector.log what nfcapd says.
by_nfcapd() {
  local folder=$1 port
  shift
  port=$(free_port udp)
  rm -rf "$folder"
  mkdir "$folder"
  start nfcapd -w "$folder" -p "$port" -b 127.0.0.1 -S 0 -I test -t 3600
  wait_for 10 udp_port_in_use "$port"
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q --collector "udp://127.0.0.1:$port" $SLOWLY "$@" t.pcap
  read_all "$port"
  stop
  grep -q 'Bad Packets: 0' collector.log || { cat collector.log; fail "nfcapd: bad packets"; }
  nfdump -R "$folder" -o json > flows.json
}

# start_nfacctd PORT FILE COLUMNS [SETTING...]: FILE gets a line of JSON for each flow, with these columns.
start_nfacctd() {
  local port=$1 file=$2 columns=$3
  shift 3
  rm -f "$file"
  cat > nfacctd.conf <<CONF
daemonize: false
nfacctd_ip: 127.0.0.1
nfacctd_port: $port
nfacctd_time_new: false
plugins: print[a]
plugin_pipe_size: 10240000
aggregate[a]: $columns
print_output[a]: json
print_output_file[a]: $SCRATCH/$file
print_output_file_append[a]: true
print_refresh_time[a]: 1
timestamps_since_epoch: true
CONF
  printf '%s\n' "$@" >> nfacctd.conf
  start nfacctd -f nfacctd.conf
  wait_for 10 udp_port_in_use "$port"
  wait_for 10 grep -q 'JSON: setting object handlers' collector.log  # the plugin takes flows from now on
}

# A trace with IPv4 and IPv6, TCP with all that warpmeter counts, UDP and ICMP.
mixed_trace() {
  "$TRAFFIC_GEN" --packets 14000 --mean-packets 20 --flows 200 --rate 2000 --icmp 0.02 --loss 0.03 --retransmit 0.03 -o "$1"
}

# same_fields KIND COLLECTED EXPECTED.csv [OPTIONS]: compares what a collector shows with CSV.
same_fields() { python3 "$HERE/collected.py" "$@"; }
