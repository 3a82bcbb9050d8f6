#!/usr/bin/env bash
# On terminals of 80, 100 and 200 columns tables stay within the width, with IPv6 addresses of any length, whose middle
# goes before RETRANS, DUP, OOO and MISSING do; what finds no room is named, and each sign explained. --wide has all.
# Nothing is paged. Colours are for terminals that have them, unless NO_COLOR is set.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import socket, struct
def packet(source, destination, sport, dport, size):
    tcp = struct.pack('!HHIIBBHHH', sport, dport, size, 0, 5 << 4, 0x10, 1000, 0, 0) + bytes(size)
    if ':' in source:
        a, b = (socket.inet_pton(socket.AF_INET6, x) for x in (source, destination))
        return struct.pack('!IHBB', 6 << 28, len(tcp), 6, 64) + a + b + tcp
    a, b = (socket.inet_aton(x) for x in (source, destination))
    return struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(tcp), 7, 0, 64, 6, 0) + a + b + tcp
long = ['2001:db8:1111:2222:3333:4444:5555:%x' % (0x6660 + i) for i in range(4)]
flows = [('10.0.%d.1' % (i // 200), '192.168.100.%d' % (i % 200), 1024 + i, 443) for i in range(1500)]
flows += [(long[0], long[1], 50001, 50002), (long[2], '::1', 50003, 443), ('2001:db8::7', long[3], 50004, 8443)]
with open('t.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for i, flow in enumerate(flows):
        data = packet(*flow, size=10)
        f.write(struct.pack('<IIII', 1700000000, i, len(data), len(data)) + data)
with open('t6.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for i, flow in enumerate(flows[1500:]):
        data = packet(*flow, size=10)
        f.write(struct.pack('<IIII', 1700000000, i, len(data), len(data)) + data)
PY
"$WARPMETER" extract -q -o t.csv t.pcap
export PAGER="touch $PWD/paged" TERM=xterm
# on_terminal COLUMNS COMMAND: what a terminal of that width gets.
on_terminal() { script -qec "stty cols $1; $2" /dev/null | tr -d '\r'; }
long=2001:db8:1111:2222:3333:4444:5555 ports=(50001 50002 50003 8443)
for columns in 80 100 200; do
  for command in "extract -q t.pcap" "extract -q t6.pcap" "extract -q --biflow t6.pcap" "show -q t.csv" \
                 "show -q t.csv --sum src_addr,dst_addr"; do
    on_terminal $columns "'$WARPMETER' $command" > table.txt
    [ "$(wc -L < table.txt)" -le $columns ] || fail "$command: $(wc -L < table.txt) of $columns columns"
    [ "$(wc -l < table.txt)" -gt 3 ] || fail "$command: no table"
    for title in RETRANS DUP OOO MISSING; do
      head -1 table.txt | grep -qw "$title" || fail "$command, $columns columns: $title is no column"
    done
    for i in 0 1 2 3; do
      grep -qE "]:${ports[$i]}( |$)|([.][.]|666)[^ ]*$i( |$)" table.txt || fail "$command, $columns columns: no address $i"
    done
    tr '\n' ' ' < table.txt | grep -qF '. none;' || fail "$command: no legend"
    [ $columns = 200 ] || grep -qF '.. shortened' table.txt || fail "$command: nothing explains .."
    on_terminal $columns "'$WARPMETER' $command --wide" > wide.txt
    for i in 0 1 2 3; do grep -qF "$long:666$i" wide.txt || fail "$command --wide: no address $i"; done
    ! grep -q '^No room' wide.txt || fail "$command --wide: $(grep '^No room' wide.txt)"
    # What was not said stands in the last lines.
    case $command in
      show*sum*) ;;
      *) for title in SOURCE DESTINATION PROTO 'START (UTC)' DURATION PACKETS BYTES RETRANS DUP OOO MISSING ZWIN FLAGS 'ENDED BY'; do
           tr '\n' ' ' < table.txt | grep -qF "$title" || fail "$command, $columns columns: nothing of $title"
         done ;;
    esac
  done
done
! grep -q '^No room' table.txt || fail "200 columns are enough for sums"
on_terminal 80 "'$WARPMETER' extract -q t6.pcap" > table.txt
grep -q '^No room for .*START (UTC)' table.txt || fail "nothing is said of what is left out"
on_terminal 200 "'$WARPMETER' extract -q '$DATA/first-look.pcap'" > table.txt
! grep -q '^No room' table.txt || fail "200 columns are enough"
# In a pipe it is as wide as it is.
"$WARPMETER" extract -q --format table t.pcap > pipe.txt
[ "$(wc -l < pipe.txt)" = 1504 ] || fail "not a line a flow"
[ ! -e paged ] || fail "paged"

coloured() {
  on_terminal 100 "$1 '$WARPMETER' extract -q '$DATA/first-look.pcap'" > colours.txt
  grep -q $'\033' colours.txt
}
coloured "NO_COLOR= TERM=xterm" || fail "no colours"
! coloured "NO_COLOR=1 TERM=xterm" || fail "colours in spite of NO_COLOR"
! coloured "NO_COLOR= TERM=dumb" || fail "colours on a dumb terminal"
NO_COLOR= TERM=xterm "$WARPMETER" extract -q --format table "$DATA/first-look.pcap" > colours.txt
! grep -q $'\033' colours.txt || fail "colours in a pipe"
# Nor is a line drawn anew where that cannot be.
on_terminal 100 "TERM=dumb '$WARPMETER' extract -o x.csv '$DATA/first-look.pcap'" > dumb.txt
grep -q 'flow records' dumb.txt || fail "no summary"
! grep -q $'\033' dumb.txt || fail "escapes on a dumb terminal"
