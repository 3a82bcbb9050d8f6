#!/usr/bin/env bash
# Every command line that README.md and the pages of docs/ show for users runs as it stands there, on files with the
# names that it names; and the table of the first look is the one that the README shows. Its first page has both ways to install.
. "$(dirname "$0")/common.sh"
PAGES=(README.md docs/inputs.md docs/outputs.md docs/streams.md docs/show.md docs/report.md docs/collectors.md)

first_look=$(sed -n 's/^\.\/tools\/run \(extract .*\)$/\1/p' "$SOURCE/README.md" | head -n 1)
[ -n "$first_look" ] || fail "README.md does not begin with tools/run"
grep -qx './tools/test' "$SOURCE/README.md" || fail "README.md does not name tools/test"
head -n 60 "$SOURCE/README.md" > first-page.txt
grep -q '^tools/package deb && apt install ' first-page.txt || fail "README.md does not begin with what installs it"
grep -q '^pip install \. ' first-page.txt || fail "README.md does not begin with what installs it for Python"
[ -x "$SOURCE/tools/run" ] && [ -x "$SOURCE/tools/test" ] || fail "tools/run or tools/test cannot be run"
(cd "$SOURCE"; eval "'$WARPMETER' $first_look -q --format table") > table.txt
sed -n '/^SOURCE  /,/^```$/p' "$SOURCE/README.md" | grep -vxE '\.\.\.|```' > shown.txt
[ "$(grep -c . shown.txt)" -ge 3 ] || fail "README.md shows no table"
while read -r line; do grep -qxF -- "$line" table.txt || fail "not in the table: $line"; done < shown.txt

# What the examples read.
mkdir captures week
"$TRAFFIC_GEN" --packets 2000 --flows 40 --mean-packets 20 -o trace.pcap
cp "$SOURCE/examples/read_streams.py" .
cp trace.pcap captures; cp trace.pcap day1.pcap; cp trace.pcap day2.pcapng; cp trace.pcap capture.pcapng
zstd -q trace.pcap -o monday.pcap.zst 2>/dev/null || true
"$WARPMETER" extract -q -o flows.csv -o monday.csv -o rotated.000001.csv -o week/one.csv trace.pcap
"$WARPMETER" extract -q -o flows.ipfix -o tuesday.ipfix trace.pcap 2>/dev/null || true
"$WARPMETER" extract -q -o flows.parquet trace.pcap 2>/dev/null || true

# Lines of blocks without a language that begin with the program's name; a comment behind two spaces is none of it.
commands() {
  awk '/^```/ { inside = !inside && $0 == "```"; next } inside && /^warpmeter / { sub(/  +#.*/, ""); print }' "$1"
}
# What this build or this machine cannot do is left out, and so are collectors that are nowhere.
can_run() {
  case $1 in
    *collector*) return 1 ;;
    *' live '*) return 1 ;;  # ../net/live_examples.sh
    *.parquet*) "$WARPMETER" info | grep -q 'Parquet *built in' ;;
    *.ipfix*) "$WARPMETER" info | grep -q 'IPFIX *built in' ;;
    *.pcap.zst*) [ -s monday.pcap.zst ] && "$WARPMETER" info | grep -q 'unpacking .*zstd' ;;
    *.zst*) "$WARPMETER" info | grep -q 'zstd' ;;
  esac
}
warpmeter() { "$WARPMETER" "$@"; }

runs=0
for page in "${PAGES[@]}"; do
  commands "$SOURCE/$page" > commands.txt
  while read -r line; do
    can_run "$line" || { echo "left out: $line"; continue; }
    (eval "$line") > stdout.txt 2> stderr.txt < /dev/null || { cat stderr.txt; fail "$page: $line"; }
    ! grep -q 'warning' stderr.txt || { cat stderr.txt; fail "$page: $line"; }
    runs=$((runs + 1))
  done < commands.txt
done
echo "$runs commands"
[ $runs -ge 12 ] || fail "only $runs commands in ${PAGES[*]}"
