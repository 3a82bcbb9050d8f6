#!/usr/bin/env bash
# What somebody may not read is named and counted, and the rest is read: files and folders in a folder, and files named.
. "$(dirname "$0")/../common.sh"
[ "$(id -u)" = 0 ] || { echo "root runs this, to become somebody who is not"; exit 77; }
command -v setpriv >/dev/null || { echo "a machine with setpriv (util-linux) runs this"; exit 77; }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
cp "$WARPMETER" meter
chmod 755 . meter
why=$(as_nobody ./meter --version 2>&1) || { echo "a scratch folder that others may enter (TMPDIR) runs this: $why"; exit 77; }
mkdir -p flows/closed
"$WARPMETER" extract -q -o flows/open.csv "$DATA/first-look.pcap"
cp flows/open.csv flows/secret.csv
cp flows/open.csv flows/closed/a.csv
chmod 644 flows/open.csv
chmod 0 flows/secret.csv flows/closed
expect_status 3 as_nobody ./meter show flows --recursive --csv
cmp stdout.txt flows/open.csv
grep -q '^warpmeter: flows/secret.csv: cannot be read: Permission denied' stderr.txt || fail "$(cat stderr.txt)"
grep -q '^warpmeter: flows/closed: cannot be read: Permission denied' stderr.txt || fail "$(cat stderr.txt)"
grep -q '; 1 file, 2 unreadable$' stderr.txt || fail "$(cat stderr.txt)"
expect_status 3 as_nobody ./meter show flows/secret.csv flows/open.csv --csv
cmp stdout.txt flows/open.csv
expect_status 1 as_nobody ./meter show flows/secret.csv
expect_one_line 'flows/secret.csv: cannot be read: Permission denied'
expect_status 1 as_nobody ./meter show flows/closed
expect_one_line 'flows/closed: cannot be read: Permission denied'
chmod 755 flows/closed
