#!/usr/bin/env bash
# A flow that has a column which none before it had: nothing is lost in silence. Read as a stream it is an error that says
# what helps; sorted, all is known before anything is written.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.json "$DATA/first-look.pcap"
{ head -2 a.json; sed -n '3s/}$/,"vlan_id":7}/p' a.json; } > late.json
expect_status 1 "$WARPMETER" show late.json -o out.csv
expect_one_line 'flow 3 has columns that none before it had, .* with --sort, all is read before'
[ ! -e out.csv ] || fail "there is an output"
expect_status 1 "$WARPMETER" show late.json --names ecs -o out.csv
expect_one_line 'flow 3 has columns that none before it had'
[ ! -e out.csv ] || fail "there is an output by other names"
"$WARPMETER" show -q late.json --sort src_addr -o out.csv
head -1 out.csv | grep -q ',vlan_id$' || fail "no vlan_id: $(head -1 out.csv)"
[ "$(tail -n +2 out.csv | grep -c ',7$')" = 1 ] || fail "the VLAN id is lost"
no_leftovers
