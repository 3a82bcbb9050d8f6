#!/usr/bin/env bash
# Every block of docs/databases.md that loads Flow Records runs as it stands there, and all print the same minutes.
#
# Engines that are missing are left out, with a line. More of them, and other versions, are in other Pythons:
#   WARPMETER_LOADERS=PYTHON[:PYTHON...] ctest --test-dir build/release -R e2e.loaders_agree
# where each PYTHON is one of a venv with some of duckdb, polars, pandas, chdb and pyspark (which needs Java).
. "$(dirname "$0")/../common.sh"
need_parquet
"$TRAFFIC_GEN" --packets 6000 --mean-packets 6 --flows 100 --rate 30 -o trace.pcap
"$WARPMETER" extract -q -o flows.parquet -o flows.csv trace.pcap
python3 - > expected.txt <<'PY'
import collections, csv
minutes = collections.defaultdict(lambda: [0] * 4)
with open('flows.csv') as file:
    for row in csv.DictReader(file):
        sums = minutes[int(row['start_ns']) // 60_000_000_000]
        once = int(row['data_segments'] or 0) - int(row['retransmitted_segments'] or 0)
        for i, value in enumerate((1, int(row['bytes']), once, int(row['end_ns']) - int(row['start_ns']))): sums[i] += value
assert len(minutes) > 3 and any(sums[3] % 1000 for sums in minutes.values())   # microseconds would not do
for minute, sums in sorted(minutes.items()): print(minute, *sums)
PY
python3 - "$SOURCE/docs/databases.md" <<'PY'
import re, sys
blocks = re.findall(r'<!-- loads: (\w+) -->\n```(\w+)\n(.*?)```', open(sys.argv[1]).read(), re.S)
assert [name for name, _, _ in blocks] == ['duckdb', 'polars', 'pandas', 'chdb', 'pyspark', 'sqlite3', 'psql'], blocks
for name, language, text in blocks: open(f'load_{name}.{"py" if language == "python" else "sql"}', 'w').write(text)
PY

agree() {
  sed -i '/^$/d' got.txt
  diff expected.txt got.txt || fail "$1 gets other numbers"
  echo "${1% }: the same $(wc -l < expected.txt) minutes"
  ran+=" ${1%% *} "
}
ran=
IFS=: read -ra pythons <<< "$SOURCE/build/python/bin/python3${WARPMETER_LOADERS:+:$WARPMETER_LOADERS}"
for python in "${pythons[@]}"; do
  for module in duckdb polars pandas chdb pyspark sqlite3; do
    version=$("$python" -c "import $module; print(getattr($module, '__version__', ''))" 2>/dev/null) || continue
    [ $module != pyspark ] || command -v java > /dev/null || continue
    rm -f got.txt
    TZ=Asia/Tokyo timeout 300 "$python" load_$module.py > got.txt 2> said.txt || { cat said.txt >&2; fail "$module $version"; }
    agree "$module $version"
  done
done

# A server of its own, behind a socket in this folder. It will not be root's.
servers=$(echo /usr/lib/postgresql/*/bin)
if [ -x "${servers##* }/initdb" ] && command -v psql runuser > /dev/null && [ "$(id -u)" = 0 ]; then
  as_postgres() { (cd / && runuser -u postgres -- "${servers##* }/$@"); }
  chmod 755 .
  mkdir server && chown postgres server
  as_postgres initdb -D "$SCRATCH/server/data" -A trust > said.txt
  trap 'as_postgres pg_ctl -s -D "$SCRATCH/server/data" stop -m immediate; rm -rf "$SCRATCH"' EXIT
  as_postgres pg_ctl -s -w -D "$SCRATCH/server/data" -o "-c listen_addresses= -k '$SCRATCH/server'" -l "$SCRATCH/server/log" start
  psql -X -q -v ON_ERROR_STOP=1 -h "$SCRATCH/server" -U postgres -At -F ' ' -f load_psql.sql > got.txt
  agree psql
fi

for engine in duckdb polars pandas chdb pyspark sqlite3; do
  [[ $ran == *" $engine "* ]] || echo "left out: $engine; a PYTHON with it in WARPMETER_LOADERS runs it"
done
[[ $ran == *" psql "* ]] || echo "left out: PostgreSQL; root, and Debian's package postgresql, run it"
[ -n "$ran" ] || { echo "tools/setup-python runs this"; exit 77; }
