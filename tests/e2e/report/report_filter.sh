#!/usr/bin/env bash
# report -f makes the page that the flows of show -f make, and names the filter; what is no filter is one clear line.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
for filter in 'tcp and host 10.0.0.0/8' 'dst port not in (443, 80)' 'packets > data_segments and retransmitted_segments < 1'; do
  "$WARPMETER" show -q flows.csv -f "$filter" -o some.csv
  [ "$(rows some.csv)" -gt 0 ] && [ "$(rows some.csv)" -lt "$(rows flows.csv)" ] || fail "$filter: all or none"
  "$WARPMETER" report some.csv -o some.html
  "$WARPMETER" report flows.csv -f "$filter" -o filtered.html
  escaped=$(sed 's/</\&lt;/; s/>/\&gt;/' <<< "$filter")
  grep -qF "<code>flows.csv</code>, flows with <code>$escaped</code>" filtered.html || fail "$filter: not on the page"
  grep -qF " data-inputs=\"flows.csv\" data-filter=\"$escaped\" " filtered.html || fail "$filter: not for the commands of rows"
  sed 's#<code>some.csv</code>#INPUT#; s# data-inputs="some.csv" data-filter=""##' some.html > some.txt
  sed 's#<code>flows.csv</code>, flows with <code>[^<]*</code>#INPUT#; s# data-inputs="flows.csv" data-filter="[^"]*"##' filtered.html |
    cmp - some.txt || fail "$filter: another page"
done
usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" report flows.csv -o none.html "$@"
  expect_one_line "$wanted"
}
usage "filter 'pakets > 1': at character 1: 'pakets' is no column [(]near: packets" -f 'pakets > 1'
usage "filter 'tcp and host www': at character 9: 'host' stands before an address" -f 'tcp and host www'
[ ! -e none.html ] || fail "there is a page"
"$WARPMETER" report flows.csv -o none.html -f 'unanswered' 2> said.txt
grep -q 'only biflows have' said.txt || fail "nothing is said of biflows: $(cat said.txt)"
no_leftovers
