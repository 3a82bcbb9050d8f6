#!/usr/bin/env bash
# Verdicts and their sums beside what tcptrace says of the same packets: all differences are of kinds that have a reason. A
# verdict that is wrong, and a packet that is missing, are of none.
. "$(dirname "$0")/../common.sh"
compare() { "$SOURCE/tools/compare_tcptrace" --jobs 1 --binary "$@" >said.txt; }

mkdir nothing
status=0
python=$(python3 -c 'import sys; print(sys.executable)')  # a version manager's python3 is a script that wants a PATH
PATH=$PWD/nothing "$python" "$SOURCE/tools/compare_tcptrace" >said.txt || status=$?
[ "$status $(cat said.txt)" = '77 tcptrace (Debian: tcptrace) runs this' ] || { cat said.txt; fail "without tcptrace: exit status $status"; }

command -v tcptrace >/dev/null || { echo "tcptrace (Debian: tcptrace) runs this"; exit 77; }
"$TRAFFIC_GEN" --packets 20000 --flows 200 --mean-packets 60 --ipv6 0.2 --port-reuse 0.3 --reset 0.2 --mid-stream 0.1 --zero-window 0.05 -o t.pcap
compare "$WARPMETER" t.pcap "$DATA/first-look.pcap" || { cat said.txt; fail "of no known kind"; }
grep -qE '^[0-9]+ packets of 2 captures: [0-9]+ are the same to both$' said.txt || { cat said.txt; fail "no packets"; }
grep -qE '^[0-9]+ sums of connections of 2 captures: [0-9]+ are the same to both$' said.txt || { cat said.txt; fail "no sums"; }
for kind in 'mirror copy' keep-alive 'SYN or FIN again'; do grep -q "^$kind: " said.txt || fail "no difference of kind $kind"; done

# lying WHAT: a warpmeter in whose tables sed does that
lying() {
  printf '#!/bin/sh\n"%s" "$@" && sed -i "%s" "$5"\n' "$WARPMETER" "$1" >lying
  chmod +x lying
  expect_status 1 compare ./lying "$DATA/first-look.pcap"
  grep -q '^OF NO KNOWN KIND: $' said.txt || { cat said.txt; fail "nothing is noticed of $1"; }
}
lying '0,/,retransmitted,/s//,new,/'
lying '0,/,out_of_order,/s//,retransmitted,/'
lying '0,/,retransmitted,1[0-9]*,/s//,retransmitted,1,/'
lying '0,/,new,/{/,6,.*,new,/d}'
