#!/usr/bin/env bash
# extract --help names every option, each with what it does.
. "$(dirname "$0")/common.sh"
"$WARPMETER" extract --help > help.txt
options=(input-format output format times community-id community-id-seed rotate ipfix-profile observation-domain collector netflow-v9 collector-rate mtu
  template-refresh collector-buffer collector-timeout biflow aggregate key-vlan decapsulate idle-timeout active-timeout
  method block retransmission-gap duplicate-window
  duplicate-gap duplicate-gap-anonymous backend gpu gpu-memory threads memory run-memory tmpdir batch quiet verbose stats stages)
for option in "${options[@]}"; do
  # The text stands behind the option, or on the next line if that is long.
  grep -A1 -E -- "(^ *|,)--$option( |$)" help.txt | tr '\n' '@' | grep -qE '^[^@]{28,}  ?[a-z.]|^[^@]*@ {20,}[a-z.]' ||
    fail "no text for --$option"
done
for values in 'exact,five-tuple' 'auto,cpu,cuda' 'auto,pcap,pcapng,hpcap,erf' 'csv,json,ipfix,parquet,table'; do
  grep -q "{$values}" help.txt || fail "no $values"
done
in_help=$(grep -oE '(^ *|,)--[a-z-]+' help.txt | grep -vc -- --help)
[ "$in_help" = ${#options[@]} ] || fail "$in_help options in the help, ${#options[@]} are known here"
