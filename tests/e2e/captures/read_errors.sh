#!/usr/bin/env bash
# A disk that fails: what came before counts, one line says what the system says and from where on, and nobody takes it for
# damage, or for the end of the file. In captures of any kind, alone and merged, with --resync; in segment files; in Flow Records.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
command -v cc >/dev/null || { echo "a C compiler (cc) runs this"; exit 77; }
cc -shared -fPIC -o fail_reads.so "$SOURCE/tests/e2e/fail_reads.c" -ldl
"$TRAFFIC_GEN" --packets 30000 --flows 100 -o t.pcap
at=1000003
failing() { env LD_PRELOAD="$PWD/fail_reads.so" FAIL_NAME="$1" FAIL_FROM=$at "${@:2}"; }
told() {  # FILE COMMAND...
  expect_status 3 failing "$@"
  expect_one_line "^warpmeter: $1: Input/output error; what lies behind byte $at could not be read\$"
  ! grep -qiE 'damage|cut short' stderr.txt || fail "damage: $(cat stderr.txt)"
}
head -c $at t.pcap > before.pcap
expect_status 3 "$WARPMETER" extract -q -o wanted.csv before.pcap
for threads in 1 4; do
  for batch in 100 50000; do
    for resync in '' --resync; do
      told t.pcap "$WARPMETER" extract -q $resync --threads $threads --batch $batch -o got.csv t.pcap
      cmp got.csv wanted.csv
    done
  done
done
told t.pcap "$WARPMETER" reassemble -q -o streams t.pcap
told t.pcap "$WARPMETER" decode -q -o segments t.pcap
told t.pcap "$WARPMETER" memory -q -o memory.txt t.pcap
expect_status 3 failing t.pcap "$WARPMETER" info t.pcap
grep -q "t.pcap: Input/output error; what lies behind byte $at could not be read" stdout.txt stderr.txt || fail "info does not say it"
expect_status 3 failing t.pcap "$WARPMETER" extract -q -o got.csv - < t.pcap
expect_one_line "^warpmeter: standard input: Input/output error; what lies behind byte $at could not be read\$"
cmp got.csv wanted.csv

# Two that overlap in time, one behind the other in a file, and packed.
"$TRAFFIC_GEN" --packets 30000 --flows 100 --seed 2 -o u.pcap
told u.pcap "$WARPMETER" extract -q -o got.csv t.pcap u.pcap
head -c 500000 t.pcap > first.pcap
python3 - <<'PY'
import struct                                              # up to a record's end
data, at = open('first.pcap', 'rb').read(), 24
while at + 16 <= len(data) and at + 16 + struct.unpack_from('<I', data, at + 8)[0] <= len(data):
    at += 16 + struct.unpack_from('<I', data, at + 8)[0]
open('first.pcap', 'wb').write(data[:at])
PY
cat first.pcap u.pcap > chain.pcap
told chain.pcap "$WARPMETER" extract -q -o got.csv chain.pcap
if "$WARPMETER" info | grep -q 'unpacking .*gzip'; then
  gzip -1 -c t.pcap > t.pcap.gz
  at=100003
  [ "$(stat -c %s t.pcap.gz)" -gt $at ] || fail "it packs too well"
  told t.pcap.gz "$WARPMETER" extract -q -o got.csv t.pcap.gz
  at=1000003
fi

# Nothing of it can be read.
at=0
expect_status 1 failing t.pcap "$WARPMETER" extract -q -o none.csv t.pcap
expect_one_line '^warpmeter: t.pcap: Input/output error$'
[ ! -e none.csv ] || fail "an output"

# A segment file, and Flow Records.
"$WARPMETER" decode -q -o set t.pcap
part=set/$(ls -S set | sed -n 1p)
at=$(($(stat -c %s "$part") / 2))
expect_status 1 failing "$part" "$WARPMETER" extract -q -o none.csv set
expect_one_line "^warpmeter: $part: Input/output error; what lies behind byte [0-9]* could not be read\$"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 2 -o many.pcap
"$WARPMETER" extract -q -o many.csv many.pcap
at=300007
expect_status 1 failing many.csv "$WARPMETER" show -q -o shown.csv many.csv
expect_one_line '^warpmeter: many.csv: cannot be read: Input/output error$'
