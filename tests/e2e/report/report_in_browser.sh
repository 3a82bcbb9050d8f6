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
"$WARPMETER" extract -q --biflow rich.pcap | "$WARPMETER" report -q - -o both.html
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

# act PAGE < SCRIPT: what the script pushes to `said`, a line each, in frame.txt. It sees the page's document as `page`.
act() {
  { printf '<iframe src="%s" style="width:1000px"></iframe><script>onload = () => setTimeout(async () => {
    const page = document.querySelector("iframe").contentDocument, said = [];
    const wait = ms => new Promise(done => setTimeout(done, ms));
    try {\n' "$1"
    cat
    printf '} catch (error) { said.push("error " + error); }
    document.body.innerText = said.join("\\n"); }, 1000)</script>'; } > frame.html
  HOME=$SCRATCH timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --allow-file-access-from-files --virtual-time-budget=9000 --user-data-dir="$SCRATCH/profile" \
    --dump-dom "file://$SCRATCH/frame.html" 2> /dev/null |
    python3 -c 'import html, re, sys
print(html.unescape(re.sub("<[^>]*>", "", re.sub("<br>", "\n", re.search("<body.*</body>", sys.stdin.read(), re.S)[0]))))' > frame.txt
}

# rows PAGE: sorted by a column, by the fewest first when it is asked for again; a row's commands are the program's own, shown
# and put away.
rows() {
  act "$1" <<'JS'
    const table = page.querySelector("#talkers table");
    const column = () => [...table.tBodies[0].rows].map(row => Number(row.cells[5].dataset.v));
    const sorted = sign => column().every((v, i, all) => !i || sign * (v - all[i - 1]) >= 0);
    const sort = table.querySelectorAll("button.sort")[5];
    const open = [...table.querySelectorAll("button.open")].find(one => one.textContent === "Commands");
    sort.click(); said.push(sorted(-1), sort.parentElement.getAttribute("aria-sort"));
    sort.click(); said.push(sorted(1), sort.parentElement.getAttribute("aria-sort"));
    open.click(); said.push(...[...table.querySelectorAll(".below code")].map(code => code.textContent));
    open.click(); said.push(table.querySelectorAll(".below").length);
JS
  [ "$(sed -n 1,4p frame.txt | tr '\n' ' ')" = 'true descending true ascending ' ] || fail "not sorted: $(cat frame.txt)"
  [ "$(sed -n 7p frame.txt)" = 0 ] || fail "commands stay: $(cat frame.txt)"
  sed -n 5p frame.txt > show.sh
  sed -n '6s/CAPTURE/rich.pcap/p' frame.txt > packets.sh
  grep -q -- '--flows rich.csv' packets.sh || fail "$(cat packets.sh)"
  PATH=$(dirname "$WARPMETER"):$PATH
  bash show.sh > shown.csv && [ "$(wc -l < shown.csv)" -gt 1 ] || fail "$(cat show.sh)"
  bash packets.sh && "$WARPMETER" extract -q packets.pcapng | grep -q . || fail "$(cat packets.sh)"
}

# flows PAGE: the worst flows of a host are those that `show` lists; they can be sorted, too.
flows() {
  act "$1" <<'JS'
    const row = page.querySelector("#talkers table tbody tr");
    [...row.querySelectorAll("button.open")].find(one => one.textContent === "Flows").click();
    const table = page.querySelector(".below table");
    said.push(row.dataset.host, ...[...table.tBodies[0].rows].map(flow => [flow.cells[0].textContent, flow.cells[2].dataset.v].join(" ")));
    table.querySelectorAll("button.sort")[7].click();
    said.push("sorted", ...[...table.tBodies[0].rows].map(flow => flow.cells[7].dataset.v));
JS
  "$WARPMETER" show few.csv -f "src addr $(head -n 1 frame.txt) and retransmitted_segments > 0" --sort retransmitted_segments \
    --top 20 --csv | python3 -c 'import csv, sys
for f in csv.DictReader(sys.stdin):
    to = f"[{f['"'dst_addr'"']}]" if ":" in f["dst_addr"] else f["dst_addr"]
    print(to + ":" + f["dst_port"], f["retransmitted_segments"])' > shown.txt
  [ "$(wc -l < shown.txt)" = 20 ] || fail "$(cat shown.txt)"
  sed -n '2,/sorted/p' frame.txt | grep -v sorted | sort | diff - <(sort shown.txt) || fail "other flows: $(cat frame.txt)"
  sed '1,/sorted/d' frame.txt | grep . | sort -nrc || fail "flows are not sorted"
}

# part PAGE: hosts are ranked anew for a part of the time, chosen by keys or dragged, as `show` ranks them; what was chosen is
# told, and given up again.
part() {
  act "$1" <<'JS'
    const [from, to] = ["from", "to"].map(name => page.getElementById("part-" + name));
    const set = (slider, value) => { slider.value = value; slider.dispatchEvent(new Event("input")); };
    set(from, 5); set(to, 15);
    await wait(400);
    const table = page.querySelector("#time table");
    said.push(...[...table.tBodies[0].rows].map(row => [row.dataset.host, row.cells[1].dataset.v / 100].join(" ")));
    said.push("told " + page.querySelector("#time [role=status]").textContent, "aria " + from.getAttribute("aria-valuetext"));
    said.push("filter " + table.tBodies[0].rows[0].dataset.filter);
    const plot = page.querySelector("#time .plot"), box = plot.getBoundingClientRect();
    const drag = (kind, part) => plot.dispatchEvent(new PointerEvent(kind, { clientX: box.left + box.width * part, clientY: box.top + 60,
      button: 0, pointerId: 1, bubbles: true }));
    plot.setPointerCapture = () => {};
    drag("pointerdown", 0.5); drag("pointermove", 0.6); drag("pointermove", 0.8); drag("pointerup", 0.8);
    await wait(400);
    said.push("dragged " + (Number(from.value) > 6 && Number(to.value) > Number(from.value) + 2));
    [...page.querySelectorAll(".part button")][0].click();
    await wait(400);
    said.push("given up " + (page.querySelectorAll("#time > div > .scroll").length === 0));
JS
  grep -qx 'dragged true' frame.txt && grep -qx 'given up true' frame.txt || fail "$(cat frame.txt)"
  grep -q '^told 2023-.* data segments retransmitted, ' frame.txt && grep -q '^aria 22:' frame.txt || fail "$(cat frame.txt)"
  "$WARPMETER" show rich.csv -f "$(sed -n 's/^filter //p' frame.txt)" > /dev/null || fail "$(cat frame.txt)"
  python3 - <<'PY'
import csv, re, subprocess, os, datetime
lines = open('frame.txt', encoding='utf-8').read().split('\n')
page = [line.split() for line in lines[:next(i for i, line in enumerate(lines) if line.startswith('told'))]]
begin, end = re.search('end >= "(.*?)" and start < "(.*?)"', '\n'.join(lines)).groups()
ns = lambda text: int(datetime.datetime.fromisoformat(text + '+00:00').timestamp() * 1000) * 10**6
begin, end = ns(begin), ns(end)
sums = {}
for flow in csv.DictReader(open('rich.csv')):
    start, stop, n = int(flow['start_ns']), int(flow['end_ns']), int(flow['retransmitted_segments'] or 0)
    part = (min(stop, end) - max(start, begin)) / (stop - start) if stop > start else begin <= start < end
    if part > 0: sums[flow['src_addr']] = sums.get(flow['src_addr'], 0) + n * part
first = sorted(sums.values(), reverse=True)[:10]
assert len(page) == 10, page
for (host, n), expected in zip(page, first):
    assert abs(float(n) - expected) < 0.02 and abs(sums[host] - float(n)) < 0.02, (host, n, expected, sums[host])
PY
}

# keys PAGE: all that the mouse finds out, keys find out, and it is read out; charts are sliders with their values.
keys() {
  act "$1" <<'JS'
    const press = (on, key) => on.dispatchEvent(new page.defaultView.KeyboardEvent("keydown", { key, bubbles: true }));
    const plot = page.querySelector("#time .plot");
    plot.focus(); press(plot, "End"); said.push(plot.getAttribute("aria-valuenow") === plot.getAttribute("aria-valuemax"));
    press(plot, "Home"); said.push(plot.getAttribute("aria-valuenow"));
    press(plot, "ArrowRight"); said.push(plot.getAttribute("aria-valuenow"), !page.querySelector("#time .tip").hidden);
    said.push(plot.getAttribute("aria-valuetext").includes("packets"));
    press(plot, "Escape"); said.push(page.querySelector("#time .tip").hidden);
    said.push(page.querySelectorAll("main [title]").length);
    for (const list of page.querySelectorAll("main table, main dl.tiles"))
      if (list.querySelectorAll("[data-tip]").length && list.querySelectorAll("[data-tip][tabindex='0']").length !== 1) said.push("no way in");
    const tile = page.querySelector(".tile[tabindex='0']"), tip = page.getElementById("tip");
    tile.focus(); said.push(tip.textContent === tile.dataset.tip && !tip.hidden && tile.getAttribute("aria-describedby") === "tip");
    press(tile, "ArrowRight"); said.push(page.activeElement !== tile && page.activeElement.className === "tile");
    press(page.activeElement, "Escape"); said.push(tip.hidden);
JS
  [ "$(grep . frame.txt | tr '\n' ' ')" = 'true 1 2 true true true 0 true true true ' ] || fail "keys: $(cat frame.txt)"
}

look rich.html 1200; check rich.html 1200 'time gaps duplicates sizes'
grep -q '&lt;script&gt;console.error' dom.html || fail "the title is no text"
look rich.html 420; check rich.html 420 'time gaps duplicates sizes'
look both.html 1200; check both.html 1200 'time gaps duplicates sizes handshakes'
look one.html 1200; grep -q '<h2>Over time</h2>' dom.html || fail "no page of one flow"
look none.html 1200; check none.html 1200 ''
for width in 1200 420; do look memory.html $width; check memory.html $width 'streams timeouts blocks'; done
look no_memory.html 1200; check no_memory.html 1200 ''
fits memory.html 400
fits rich.html 400
fits rich.html 1200
rows rich.html
awk -F, -v OFS=, 'NR == 1 || $1 !~ /:/ { if (NR > 1) $1 = "10.0.0." NR % 3; print }' rich.csv > few.csv  # few hosts, of many flows each
"$WARPMETER" report -q few.csv -o few.html
flows few.html
part rich.html
keys rich.html
