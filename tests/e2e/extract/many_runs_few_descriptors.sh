#!/usr/bin/env bash
# More runs than file descriptors allow are merged in passes.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((200000 / SCALE)) --mean-packets 4 --flows 2000 -o t.pcap
"$WARPMETER" extract -q -o whole.csv t.pcap
for most in 40 16; do
  (
    ulimit -n $most
    "$WARPMETER" extract -q --run-memory 1 --stats stats.json -o spilled.csv t.pcap
    "$WARPMETER" extract -q --run-memory 1 --threads 8 -o many.csv t.pcap
    expect_status 1 "$WARPMETER" extract -q --run-memory 1 --tmpdir none -o none.csv t.pcap
    expect_one_line 'none: .*[(]--tmpdir chooses another folder[)]$'
  )
  cmp whole.csv spilled.csv
  cmp whole.csv many.csv
  runs=$(sed -n 's/.*"runs written": \([0-9]*\).*/\1/p' stats.json)
  [ "$runs" -gt 40 ] || fail "only $runs runs"
done

# What is too few is not the folder's fault. (UndefinedBehaviorSanitizer takes a failing pipe() for a wrong object.)
[ -z "${SANITIZE:-}" ] || exit 0
(
  ulimit -n 7
  expect_status 1 "$WARPMETER" extract -q --run-memory 1 -o none.csv t.pcap
  expect_one_line 'cannot create a run file: Too many open files [(]ulimit -n allows more[)]$'
)
