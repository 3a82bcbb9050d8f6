#!/usr/bin/env bash
# Missing rights, as an ordinary user: input, output folder, output file, tmpdir.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || exit 77   # needs root, to become somebody who is not
command -v setpriv >/dev/null || exit 77   # needs util-linux
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 "$SCRATCH"; cp "$WARPMETER" ./meter
as_nobody ./meter --version >/dev/null || exit 77   # the folder of the scratch files is closed to others
cp "$DATA/first-look.pcap" readable.pcap; cp readable.pcap secret.pcap; chmod 600 secret.pcap
mkdir closed open; chmod 777 open; echo old > open/kept.csv; chmod 644 open/kept.csv
expect_status 1 as_nobody ./meter extract -q -o open/x.csv secret.pcap
expect_one_line 'secret.pcap: Permission denied'
expect_status 1 as_nobody ./meter extract -q -o closed/x.csv readable.pcap
expect_one_line 'closed/x.csv: cannot be written: Permission denied'
expect_status 1 as_nobody ./meter extract -q -o open/kept.csv readable.pcap
expect_one_line 'kept.csv: cannot be written: Permission denied'
[ "$(cat open/kept.csv)" = old ] || fail "the old file is gone"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 4 -o many.pcap
expect_status 1 as_nobody ./meter extract -q --run-memory 1 --tmpdir closed -o open/x.csv many.pcap
expect_one_line 'closed: cannot create a run file: Permission denied'
[ ! -e open/x.csv ] || fail "there is an output"
no_leftovers
