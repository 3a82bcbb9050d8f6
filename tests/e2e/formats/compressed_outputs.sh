#!/usr/bin/env bash
# .csv.gz, .json.zst, .lz4, ...: the same text compressed, in one piece, the same bytes for any threads; read back by show
# and report; what is cut is damage.
. "$(dirname "$0")/../common.sh"
need_unpacking
"$TRAFFIC_GEN" --packets $((120000 / SCALE)) --mean-packets 3 -o t.pcap
head -c 24 t.pcap > none.pcap
"$WARPMETER" extract -q -o t.csv -o t.json t.pcap
"$WARPMETER" extract -q -o t.jsonl -o t.ndjson t.pcap
cmp t.json t.jsonl; cmp t.json t.ndjson
for program in $PACKERS; do
  case $program in gzip) suffix=gz ;; zstd) suffix=zst ;; lz4) suffix=lz4 ;; esac
  "$WARPMETER" extract -q --threads 1 -o a.csv.$suffix -o a.json.$suffix t.pcap
  "$WARPMETER" extract -q --threads 4 --batch 77 --run-memory 1M -o b.csv.$suffix -o b.jsonl.$suffix -o b.ndjson.$suffix t.pcap
  cmp a.csv.$suffix b.csv.$suffix; cmp a.json.$suffix b.jsonl.$suffix; cmp a.json.$suffix b.ndjson.$suffix
  $program -dc < a.csv.$suffix | cmp - t.csv
  $program -dc < a.json.$suffix | cmp - t.json
  [ "$(stat -c %s a.csv.$suffix)" -lt $(($(stat -c %s t.csv) / 2)) ] || fail "$suffix: hardly smaller"
  # From a file and from a pipe.
  "$WARPMETER" show -q -o again.csv a.json.$suffix; cmp again.csv t.csv
  cat a.csv.$suffix | "$WARPMETER" show -q -o again.json.$suffix -; cmp again.json.$suffix a.json.$suffix
  cp a.csv.$suffix flows; "$WARPMETER" report flows -o packed.html
  cp t.csv flows; "$WARPMETER" report flows -o plain.html
  cmp packed.html plain.html
  # Without flows; names that --format is given for.
  "$WARPMETER" extract -q -o none.csv.$suffix none.pcap
  [ "$($program -dc < none.csv.$suffix | wc -l)" = 1 ] || fail "$suffix: no header"
  "$WARPMETER" extract -q -o none.json.$suffix none.pcap
  [ "$($program -dc < none.json.$suffix | wc -c)" = 0 ] || fail "$suffix: no flows"
  "$WARPMETER" show -q -o - none.json.$suffix > out.csv
  "$WARPMETER" extract -q --format csv -o flows.$suffix t.pcap; cmp flows.$suffix a.csv.$suffix
  # Cut in the middle.
  head -c $(($(stat -c %s a.csv.$suffix) / 2)) a.csv.$suffix > cut.csv.$suffix
  expect_status 3 "$WARPMETER" show -q -o cut.csv cut.csv.$suffix
  expect_one_line "cut.csv.$suffix: damaged at byte [0-9]+: (line [0-9]+: )?$program: cut short; what came before is in the output"
  head -c "$(stat -c %s cut.csv)" t.csv | cmp - cut.csv
  # Many files, each complete in itself; sizes are those of the text.
  mkdir -p parts && rm -f parts/*
  "$WARPMETER" extract -q --rotate 1M -o parts/flows.csv.$suffix t.pcap
  [ "$(ls parts | head -1)" = flows.000001.csv.$suffix ] || fail "names: $(ls parts)"
  { head -1 t.csv; for f in parts/*; do $program -dc < "$f" | tail -n +2; done; } | cmp - t.csv
  [ "$(ls parts | wc -l)" -ge $(($(stat -c %s t.csv) >> 21)) ] || fail "$suffix: few files: $(ls parts)"
done
# One member: some readers stop behind the first.
python3 - <<'PY'
import os, zlib
if os.path.exists('a.csv.gz'):
    unpacking = zlib.decompressobj(31)
    assert unpacking.decompress(open('a.csv.gz', 'rb').read()) == open('t.csv', 'rb').read() and unpacking.eof
    assert unpacking.unused_data == b''
PY
if [ -e a.csv.zst ] && zstd -lv a.csv.zst > frames.txt 2>&1; then
  grep -qE 'Zstandard Frames: 1$' frames.txt || fail "zstd: $(cat frames.txt)"
fi
expect_status 2 "$WARPMETER" extract -q -o t.parquet.gz t.pcap
expect_status 2 "$WARPMETER" extract -q -o t.ipfix.gz t.pcap
expect_status 2 "$WARPMETER" extract -q -o t.gz t.pcap
expect_one_line 'which format'
no_leftovers
