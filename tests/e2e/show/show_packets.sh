#!/usr/bin/env bash
# show --packets: the packets of the flows that -f selects, as `packets --flows` writes them, to the byte; and what is refused
# beside it, and as that command refuses it.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 60 --flows 200 -o t.pcap
"$WARPMETER" extract -q t.pcap -o flows.csv
"$WARPMETER" extract -q t.pcap --biflow -o both.json
for flows in flows.csv both.json; do
  for output in x.pcap x.pcapng.zst x.csv; do
    "$WARPMETER" packets -q t.pcap --flows $flows -f 'retransmitted_segments > 0' -o "wanted-$output"
    "$WARPMETER" show -q $flows -f 'retransmitted_segments > 0' --packets t.pcap -o $output
    cmp $output "wanted-$output"
  done
done
[ "$(rows x.csv)" -gt 100 ] || fail "few packets"
# All flows; several captures; standard input; folders of Flow Records; what it says.
mkdir -p folder/below
cp flows.csv folder/below/
"$WARPMETER" packets -q t.pcap t.pcap --flows flows.csv -o wanted.pcap
"$WARPMETER" show -q folder --recursive --packets t.pcap t.pcap -o all.pcap
cmp all.pcap wanted.pcap
"$WARPMETER" show -q - --packets t.pcap -o of-pipe.pcap <flows.csv
"$WARPMETER" packets -q t.pcap --flows flows.csv -o wanted.pcap
cmp of-pipe.pcap wanted.pcap
"$WARPMETER" show flows.csv -f 'port 443' --packets t.pcap -o - 2>said.txt >piped.pcapng
grep -qE '^  flows selected +[0-9]+ of [0-9]+$' said.txt || fail "said $(cat said.txt)"

refused() {
  local status=$1 line=$2
  shift 2
  expect_status "$status" "$WARPMETER" show -q "$@"
  expect_one_line "$line"
}
for option in '--top 3' '--sort bytes' '--sum addr' '--aggregate' '--columns bytes' '--json' '--csv' '--format csv' '--times us'; do
  refused 2 "^warpmeter: ${option%% *}: not with --packets" flows.csv --packets t.pcap -o no.pcap $option
done
refused 2 'output is required' flows.csv --packets t.pcap
refused 2 'show writes one output' flows.csv --packets t.pcap -o no.pcap -o no.csv
refused 2 'which form' flows.csv --packets t.pcap -o no.ipfix
refused 2 'no column' flows.csv -f 'pakets > 1' --packets t.pcap -o no.pcap
refused 2 'standard input is named twice' - --packets - -o no.pcap
refused 1 'absent.csv' absent.csv --packets t.pcap -o no.pcap
refused 1 'absent.pcap' flows.csv --packets absent.pcap -o no.pcap
refused 1 't.pcap' flows.csv --packets t.pcap -o t.pcap
[ -z "$(ls no.* 2>/dev/null)" ] || fail "there is an output"
no_leftovers
