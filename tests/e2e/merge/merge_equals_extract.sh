#!/usr/bin/env bash
# Of parts of a capture that share no conversations, merge makes what extract makes of the whole, to the byte: in every
# format, from every format, compressed or not.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --mean-packets 10 --flows 300 --ipv6 0.3 --udp 0.3 -o traffic.pcap
cp "$DATA/first-look.pcap" first-look.pcap
parts=('ip and (ip[15] + ip[19]) & 1 = 0' 'ip and tcp and (ip[15] + ip[19]) & 1 = 1' 'ip6 and udp'
  'not ip6 and not (ip and ((ip[15] + ip[19]) & 1 = 0 or tcp))' 'ip6 and not udp' 'ip and host 255.255.255.255')
formats=(csv json)
"$WARPMETER" info | grep -q 'IPFIX *built in' && formats+=(ipfix)
"$WARPMETER" info | grep -q 'Parquet *built in' && formats+=(parquet)
outputs() { for format in "${formats[@]}"; do printf -- '-o %s.%s ' "$1" "$format"; done; }
for capture in traffic first-look; do
  all=('' --biflow --aggregate '--aggregate --biflow' --key-vlan '--method five-tuple --biflow' '--method five-tuple')
  [ "$capture" = traffic ] || [ "${LONG:-OFF}" = ON ] || all=('' '--aggregate --biflow' '--method five-tuple --biflow')
  for options in "${all[@]}"; do
    # Of what Parquet has unasked, CSV, JSON and IPFIX have the numbers only where they are asked for.
    columns=(--columns first_packet)
    [[ $options != *biflow* ]] || columns=(--columns first_packet,reverse_first_packet)
    # shellcheck disable=SC2046,SC2086
    "$WARPMETER" extract -q $options "${columns[@]}" $(outputs whole) $capture.pcap
    for i in "${!parts[@]}"; do
      # shellcheck disable=SC2046,SC2086
      "$WARPMETER" extract -q $options "${columns[@]}" $(outputs "part-$i") $capture.pcap "${parts[i]}"
    done
    [ "$(rows part-5.csv)" = 0 ] && [ "$(rows part-0.csv)" -gt 5 ] || fail "parts of other sizes: $(wc -l part-*.csv)"
    for format in "${formats[@]}"; do
      "$WARPMETER" merge -q "${columns[@]}" -o merged.$format part-[0-5].$format
      cmp whole.$format merged.$format || fail "$capture $options: $format"
    done
    # Each part in another format, to all of them at once.
    mixed=()
    for i in "${!parts[@]}"; do mixed+=("part-$i.${formats[i % ${#formats[@]}]}"); done
    # shellcheck disable=SC2046
    "$WARPMETER" merge -q "${columns[@]}" $(outputs merged) "${mixed[@]}"
    for format in "${formats[@]}"; do cmp whole.$format merged.$format || fail "$capture $options: mixed to $format"; done
  done
done

# Times, Community IDs, profiles and compression are options of merge as of extract.
for times in us iso; do
  columns=(--times $times --community-id)
  "$WARPMETER" extract -q "${columns[@]}" -o whole.csv -o whole.json traffic.pcap
  for i in "${!parts[@]}"; do
    "$WARPMETER" extract -q "${columns[@]}" -o part-$i.csv -o part-$i.json traffic.pcap "${parts[i]}"
  done
  "$WARPMETER" merge -q "${columns[@]}" -o merged.csv -o merged.json part-[024].csv part-[135].json
  cmp whole.csv merged.csv
  cmp whole.json merged.json
done
"$WARPMETER" info | grep -q 'unpacking .*gzip' || exit 0
"$WARPMETER" extract -q -o whole.csv.gz -o whole.json traffic.pcap
for i in "${!parts[@]}"; do "$WARPMETER" extract -q -o part-$i.csv.gz traffic.pcap "${parts[i]}"; done
"$WARPMETER" merge -q -o merged.csv.gz -o merged.json part-[0-4].csv.gz - < part-5.csv.gz
cmp whole.csv.gz merged.csv.gz
cmp whole.json merged.json
no_leftovers
