#!/usr/bin/env bash
# extract --help names every option, each with what it does.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract --help > help.txt
options=(input-format order recursive resync partition output format times wide community-id community-id-seed columns names rotate ipfix-profile
  observation-domain annex anonymize date-folders collector netflow-v9 collector-rate mtu
  template-refresh collector-buffer collector-timeout biflow aggregate key-vlan sample-flows decapsulate
  {vxlan,vxlan-gpe,geneve,gtp-u,teredo,l2tp,tzsp,capwap,gre-udp,mpls-udp,lisp}-port idle-timeout active-timeout
  policy rounds no-fuse
  method block retransmission-gap duplicate-window
  duplicate-gap duplicate-gap-anonymous backend gpu gpu-memory threads memory run-memory tmpdir batch quiet verbose stats stages)
for option in "${options[@]}"; do
  # The text stands behind the option, or on the next line if that is long.
  grep -A1 -E -- "^(      |  -[a-z], )--$option( |$)" help.txt | tr '\n' '@' | grep -qE '^[^@]{28,}  ?[A-Za-z.]|^[^@]*@ {20,}[A-Za-z.]' ||
    fail "no text for --$option"
done
for values in 'exact or five-tuple' 'auto, cpu or cuda' 'auto, pcap, pcapng, hpcap or erf' \
  'csv, json, ipfix, parquet, zeek or table'; do
  grep -qE -- "--[a-z-]+ WORD +$values:" help.txt || fail "no $values"
done
in_help=$(grep -oE '^(      |  -[a-z], )--[a-z-]+' help.txt | grep -vc -- --help)
[ "$in_help" = ${#options[@]} ] || fail "$in_help options in the help, ${#options[@]} are known here"
