#!/usr/bin/env bash
# Captures in, captures out: as pcap, as pcapng and packed, through pipes; the streams in them stay what they were.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --flows 50 --mean-packets 300 --frame-size 1400 -o all.pcap
"$WARPMETER" coalesce -q --no-push all.pcap -o x.pcap
"$WARPMETER" coalesce -q --no-push all.pcap -o x.PcapNG
"$WARPMETER" coalesce -q --no-push all.pcap -o - > piped.pcapng
cmp x.PcapNG piped.pcapng
[ "$(head -c 4 x.pcap | od -An -tx1)" = ' 4d 3c b2 a1' ] && [ "$(head -c 4 x.PcapNG | od -An -tx1)" = ' 0a 0d 0d 0a' ]
"$WARPMETER" coalesce -q --no-push - -o - < all.pcap | cmp - x.PcapNG
[ "$(stat -c %a x.pcap)" = 600 ] || fail "others may read what people said: $(stat -c %a x.pcap)"
need_unpacking
for packer in $PACKERS; do
  ending=$(echo "$packer" | sed 's/gzip/gz/; s/zstd/zst/')
  "$WARPMETER" coalesce -q --no-push all.pcap -o x.pcap.$ending
  $packer -dc < x.pcap.$ending | cmp - x.pcap
done

# What was joined carries the same bytes, and can be joined once more: then nothing changes.
for what in all.pcap x.pcap x.PcapNG; do
  "$WARPMETER" reassemble -q -o streams.json --timeout 0 --block-size 256K --gap-packets 1000 $what
  grep -oE '"(sha256|gap_bytes|submitted_bytes)": *[^,]*' streams.json | sort | uniq -c > ${what%.*}.${what##*.}.sums
done
python3 - all.pcap x.pcap "$WARPMETER" <<'PY'
import json, subprocess, sys
def directions(capture):
    said = json.loads(subprocess.run([sys.argv[3], 'extract', '-q', '--idle-timeout', '0', '--active-timeout', '0',
        '--duplicate-window', '0', capture, '-o', '-', '--format', 'json'], capture_output=True, text=True, check=True).stdout
        .replace('}\n{', '},{').join('[]'))
    keys = 'src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol', 'payload_bytes', 'retransmitted_bytes', 'missing_bytes', \
        'syn_count', 'fin_count', 'rst_count', 'connection_bytes'
    return sorted(str([flow[key] for key in keys]) for flow in said)
before, after = (directions(capture) for capture in sys.argv[1:3])
assert before == after and len(before) > 50, [pair for pair in zip(before, after) if pair[0] != pair[1]][:3]
PY
"$WARPMETER" info x.pcap | grep -qE '^ *packets' && "$WARPMETER" info x.PcapNG > /dev/null

# A filter leaves out; what is left is coalesced.
"$WARPMETER" coalesce -q all.pcap udp -o udp.pcap --stats udp.json
grep -q '"joined": 0,' udp.json && grep -qE '"filtered_out": [1-9]|"filtered out": [1-9]' udp.json || fail "$(cat udp.json)"
"$WARPMETER" extract -q -o got.csv udp.pcap
"$WARPMETER" extract -q -o wanted.csv all.pcap udp
cmp got.csv wanted.csv

# Without packets there is a capture all the same.
for form in pcap pcapng; do
  "$WARPMETER" coalesce -q all.pcap 'tcp port 1' -o none.$form
  [ "$("$WARPMETER" extract -q -o - none.$form | wc -l)" = 1 ] || fail "no capture without packets: none.$form"
done
no_leftovers
