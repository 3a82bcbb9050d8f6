#!/usr/bin/env bash
# Without Parquet built in, asking for it is one line that says what gets it.
. "$(dirname "$0")/../common.sh"
! "$WARPMETER" info | grep -q 'Parquet *built in' || { echo "a build with WARPMETER_PARQUET=OFF runs this"; exit 77; }
expect_status 2 "$WARPMETER" extract -q -o a.parquet "$DATA/first-look.pcap"
expect_one_line 'Parquet: not built in; tools/setup-parquet gets'
[ ! -e a.parquet ] && no_leftovers
"$WARPMETER" info | grep -q 'Parquet *not built in'
