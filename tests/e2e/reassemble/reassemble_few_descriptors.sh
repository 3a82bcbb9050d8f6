#!/usr/bin/env bash
# Many thousand streams that grow beside each other, as files, with few descriptors; and a system that has none left says so.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 2000 --mean-packets 12 -o many.pcap
"$WARPMETER" reassemble -q -o wanted -o wanted.streams many.pcap
[ "$(ls wanted | wc -l)" -gt $((4000 / SCALE)) ] || fail "only $(ls wanted | wc -l) files"
for limit in 256 60; do
  (ulimit -n $limit; "$WARPMETER" reassemble -q --threads 3 -o few -o few.streams many.pcap) || fail "with $limit"
  cmp few.streams wanted.streams; diff -rq wanted few
  rm -r few
done
status=0; (ulimit -n 12; "$WARPMETER" reassemble -q -o few many.pcap) 2> stderr.txt || status=$?
[ $status = 1 ] && grep -qE ': Too many open files( \(ulimit -n allows more\))?' stderr.txt || fail "status $status: $(cat stderr.txt)"
[ ! -e few ] && no_leftovers
