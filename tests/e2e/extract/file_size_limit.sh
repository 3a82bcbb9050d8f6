#!/usr/bin/env bash
# A limit of file size (ulimit -f, which sends SIGXFSZ): exit status 1, one line, nothing left behind.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 4 -o many.pcap
"$WARPMETER" extract -q -o whole.csv many.pcap
mkdir out tmp
limited() { (ulimit -f 64; exec "$@" > /dev/null); }
limited_for_run() { (ulimit -f 64; exec "$@"); }
for name in out.csv out.json; do
  expect_status 1 limited "$WARPMETER" extract -q -o out/$name many.pcap
  expect_one_line "out/$name: cannot be written: File too large"
  expect_status 1 limited "$WARPMETER" show -q -o out/$name whole.csv
  expect_one_line "out/$name: cannot be written: File too large"
done
expect_status 1 limited_for_run "$WARPMETER" extract -q --run-memory 1M --tmpdir tmp -o out/x.csv many.pcap
expect_one_line 'cannot (be written|write a run file): File too large'
[ -z "$(find out tmp -type f)" ] || fail "left behind: $(find out tmp -type f)"
