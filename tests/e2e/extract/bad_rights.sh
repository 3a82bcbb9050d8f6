#!/usr/bin/env bash
# Missing rights, as an ordinary user: input, output folder, output file, tmpdir.
. "$(dirname "$0")/../common.sh"
[ "$(id -u)" = 0 ] || { echo "root runs this, to become somebody who is not"; exit 77; }
command -v setpriv >/dev/null || { echo "a machine with setpriv (util-linux) runs this"; exit 77; }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 "$SCRATCH"; cp "$WARPMETER" ./meter
why=$(as_nobody ./meter --version 2>&1) || { echo "a scratch folder that others may enter (TMPDIR) runs this: $why"; exit 77; }
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
