#!/usr/bin/env bash
# Compressed text of some kilobytes that unpacks to Flow Records without end is damaged: the rows before count, and nobody
# waits for the rest. Flow Records as they are pass.
. "$(dirname "$0")/../common.sh"
need_unpacking
[ "${LONG:-OFF}" = ON ] || PACKERS=${PACKERS##* }  # what unpacks was seen in test_packet_file
python3 - <<'PY'
row = b'10.0.0.1,10.0.0.2,1,2,6,1,2,3,4\n' * 1000
with open('bomb.csv', 'wb') as out:
    out.write(b'src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes\n')
    for _ in range(4000): out.write(row)
PY
for packer in $PACKERS; do
  $packer -q < bomb.csv > bomb.csv.packed
  expect_status 3 "$WARPMETER" show -q --sum src_addr --csv bomb.csv.packed
  grep -qE 'bomb.csv.packed: damaged at byte [0-9]+: line [0-9]+: [0-9]+ lines, more than so few compressed bytes can have' stderr.txt ||
    { cat stderr.txt >&2; fail "$packer"; }
  packets=$(sed -n 2p stdout.txt | cut -d, -f3)
  [ "$packets" -gt 3000000 ] && [ "$packets" -lt 4500000 ] || { cat stdout.txt >&2; fail "$packer: $packets packets"; }
  expect_status 3 "$WARPMETER" merge -q -o merged.csv bomb.csv.packed
done
"$WARPMETER" show -q --sum src_addr --csv bomb.csv > stdout.txt   # as it is, it has its size
grep -q 12000000 stdout.txt

# More of them than are free, as they are.
"$TRAFFIC_GEN" --packets $((2400000 / SCALE)) --mean-packets 2 -o many.pcap
"$WARPMETER" extract -q -o many.csv many.pcap
${PACKERS##* } -q < many.csv > many.csv.packed
"$WARPMETER" show -q -o shown.csv many.csv.packed
"$WARPMETER" show -q -o plain.csv many.csv
cmp shown.csv plain.csv
