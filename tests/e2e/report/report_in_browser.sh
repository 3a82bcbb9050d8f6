#!/usr/bin/env bash
# In a real browser, without a network: every chart of `report` and `memory` is drawn, the console stays empty, nothing is asked
# for elsewhere.
. "$(dirname "$0")/../common.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "apt-get install chromium runs this"; exit 77; }

# look PAGE WIDTH: a picture and the document after its script has run, each in a browser of its own.
look() {
  local common=(--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run
    --disable-background-networking --disable-component-update --host-resolver-rules='MAP * ~NOTFOUND'
    --virtual-time-budget=5000 --window-size="$2,2400" --user-data-dir="$SCRATCH/profile" --enable-logging=stderr --v=0)
  HOME=$SCRATCH timeout 100 "$browser" "${common[@]}" --screenshot="$SCRATCH/$1.png" "file://$SCRATCH/$1" 2> picture.txt
  HOME=$SCRATCH timeout 100 "$browser" "${common[@]}" --dump-dom "file://$SCRATCH/$1" > dom.html 2> dom.txt
  ! grep -E 'CONSOLE|ERR_NAME_NOT_RESOLVED' picture.txt dom.txt || fail "$1: something in the console"
}

"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 100 --rate 2000 --loss 0.02 --retransmit 0.03 --duplicate 0.05 \
  --zero-window 0.01 -o rich.pcap
"$WARPMETER" extract -q -o rich.csv rich.pcap
"$WARPMETER" report rich.csv -o rich.html --title '</script><script>console.error("not text")</script>'
{ head -n 1 rich.csv; grep -m 1 ',443,' rich.csv; } > one.csv
"$WARPMETER" report one.csv -o one.html
"$WARPMETER" memory -q rich.pcap -o memory.html --title '</script><script>console.error("not text")</script>'
head -c 24 rich.pcap > empty.pcap
"$WARPMETER" memory -q empty.pcap -o no_memory.html
head -n 1 rich.csv > none.csv
"$WARPMETER" report none.csv -o none.html

check() {
  python3 - "$@" <<'PY'
import re, struct, sys, zlib
page, width, charts = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
dom = open('dom.html', encoding='utf-8').read()
drawn = dict(re.findall(r'<figure class="chart" data-chart="(\w+)".*?>(.*?)</figure>', dom, re.S))
assert set(charts) == set(drawn), (page, drawn.keys())
for name, svg in drawn.items():
    shapes = re.findall(r'<path class="area[^>]* d="M[^"]{20,}|<rect class="bar', svg)
    assert shapes and svg.count('<text') > 5, (page, name, svg[:500])
    assert 'NaN' not in svg and 'undefined' not in svg and 'Infinity' not in svg, (page, name)
# The picture: as wide as asked for, and of many colours.
png, at, packed = open(page + '.png', 'rb').read(), 8, b''
assert png[:8] == b'\x89PNG\r\n\x1a\n'
while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    if kind == b'IHDR': columns, rows, depth, colour = struct.unpack('>IIBB', png[at + 8:at + 18])
    if kind == b'IDAT': packed += png[at + 8:at + 8 + size]
    at += size + 12
assert (columns, rows, depth) == (width, 2400, 8), (columns, rows)
pixel = {2: 3, 6: 4}[colour]
raw, line = zlib.decompress(packed), columns * pixel + 1
changing = sum(len(set(raw[r * line + 1:(r + 1) * line])) > 3 for r in range(rows))
assert changing > (300 if charts else 20), (page, changing)
PY
}

# fits PAGE WIDTH: nothing is wider than the window. Windows have a least width, frames have not.
fits() {
  printf '<iframe src="%s" style="border:0;width:%dpx;height:9000px"></iframe><script>onload = () => setTimeout(() => {
    const page = document.querySelector("iframe").contentDocument.documentElement;
    document.title = page.scrollWidth + " of " + page.clientWidth; }, 1000)</script>' "$1" "$2" > frame.html
  HOME=$SCRATCH timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --allow-file-access-from-files --virtual-time-budget=5000 --user-data-dir="$SCRATCH/profile" \
    --dump-dom "file://$SCRATCH/frame.html" > frame.txt 2> /dev/null
  grep -qE '<title>([0-9]+) of \1</title>' frame.txt || fail "$1, $2 wide: $(grep -o '<title>.*</title>' frame.txt)"
}

# rows PAGE: sorted by a column, by the fewest first when it is asked for again; a row's commands are the program's own, shown
# and put away.
rows() {
  printf '<iframe src="%s"></iframe><script>onload = () => setTimeout(() => {
    const page = document.querySelector("iframe").contentDocument, table = page.querySelector("#talkers table");
    const column = () => [...table.tBodies[0].rows].map(row => Number(row.cells[5].dataset.v));
    const sorted = sign => column().every((v, i, all) => !i || sign * (v - all[i - 1]) >= 0);
    const sort = table.querySelectorAll("button.sort")[5], open = table.querySelector("button.open");
    const said = [];
    sort.click(); said.push(sorted(-1), sort.parentElement.getAttribute("aria-sort"));
    sort.click(); said.push(sorted(1), sort.parentElement.getAttribute("aria-sort"));
    open.click(); said.push(...[...table.querySelectorAll(".commands code")].map(code => code.textContent));
    open.click(); said.push(table.querySelectorAll(".commands").length);
    document.body.innerText = said.join("\\n"); }, 1000)</script>' "$1" > frame.html
  HOME=$SCRATCH timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --allow-file-access-from-files --virtual-time-budget=5000 --user-data-dir="$SCRATCH/profile" \
    --dump-dom "file://$SCRATCH/frame.html" 2> /dev/null |
    python3 -c 'import html, re, sys
print(html.unescape(re.sub("<[^>]*>", "", re.sub("<br>", "\n", re.search("<body.*</body>", sys.stdin.read(), re.S)[0]))))' > frame.txt
  [ "$(sed -n 1,4p frame.txt | tr '\n' ' ')" = 'true descending true ascending ' ] || fail "not sorted: $(cat frame.txt)"
  [ "$(sed -n 7p frame.txt)" = 0 ] || fail "commands stay: $(cat frame.txt)"
  sed -n 5p frame.txt > show.sh
  sed -n '6s/CAPTURE/rich.pcap/p' frame.txt > packets.sh
  grep -q -- '--flows rich.csv' packets.sh || fail "$(cat packets.sh)"
  PATH=$(dirname "$WARPMETER"):$PATH
  bash show.sh > shown.csv && [ "$(wc -l < shown.csv)" -gt 1 ] || fail "$(cat show.sh)"
  bash packets.sh && "$WARPMETER" extract -q packets.pcapng | grep -q . || fail "$(cat packets.sh)"
}

look rich.html 1200; check rich.html 1200 'time gaps duplicates sizes'
grep -q '&lt;script&gt;console.error' dom.html || fail "the title is no text"
look rich.html 420; check rich.html 420 'time gaps duplicates sizes'
look one.html 1200; grep -q '<h2>Over time</h2>' dom.html || fail "no page of one flow"
look none.html 1200; check none.html 1200 ''
for width in 1200 420; do look memory.html $width; check memory.html $width 'streams timeouts blocks'; done
look no_memory.html 1200; check no_memory.html 1200 ''
fits memory.html 400
fits rich.html 400
fits rich.html 1200
rows rich.html
