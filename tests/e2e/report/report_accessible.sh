#!/usr/bin/env bash
# axe-core finds no barrier in the pages of `report` and `memory`, at 1280 and 400 pixels, light and dark, with all open that
# can be opened and a part of the time chosen.
. "$(dirname "$0")/../common.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "apt-get install chromium runs this"; exit 77; }
axe=${AXE:-$SOURCE/build/axe/axe_playwright_python/axe.min.js}
[ -e "$axe" ] || { echo "AXE=FILE, an axe.min.js of axe-core, runs this, and so does tools/setup test, which gets one"; exit 77; }

"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 100 --rate 2000 --loss 0.02 --retransmit 0.03 --duplicate 0.05 \
  --zero-window 0.01 -o rich.pcap
"$WARPMETER" extract -q --biflow --policy stock rich.pcap | "$WARPMETER" report -q - -o report.html
"$WARPMETER" memory -q rich.pcap -o memory.html
sed 1q <("$WARPMETER" extract -q rich.pcap) > none.csv
"$WARPMETER" report -q none.csv -o none.html

# Letters before a picture are none that axe judges: the pictures here are shadows at the edge of a table, and what charts say
# in SVG. Others of unknown contrast lie outside of the window.
cat > open.js <<'JS'
document.head.append(Object.assign(document.createElement('style'), { textContent: '.scroll { background: none !important; }' }));
const slide = (id, value) => { const slider = document.getElementById(id);
  if (slider) { slider.value = value; slider.dispatchEvent(new Event('input')); } };
const tell = text => parent.document.body.append(Object.assign(parent.document.createElement('pre'), { textContent: text }));
const wait = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  await wait(300);
  slide('part-from', 4); slide('part-to', 12);
  await wait(500);
  for (const open of document.querySelectorAll('button[aria-expanded=false]')) open.click();
  for (const details of document.querySelectorAll('details')) details.open = true;
  const tip = document.querySelector('[data-tip]');
  if (tip) tip.focus();
  await wait(300);
  const opened = document.querySelectorAll('.below').length;
  const found = await axe.run(document, { rules: { 'target-size': { enabled: true } } });
  const of = list => list.map(rule => rule.id + ': ' + rule.help + rule.nodes.slice(0, 5).map(node => '\n  ' + node.html.slice(0, 150) +
    '\n    ' + node.any.concat(node.all, node.none).map(why => why.message).join('; ')).join(''));
  const contrast = found.incomplete.filter(rule => rule.id === 'color-contrast').flatMap(rule => rule.nodes)
    .filter(node => !node.html.startsWith('<text') && node.any.some(why => /image|gradient/.test(why.message)));
  tell(['RESULT', ...of(found.violations), ...contrast.map(node => 'unknown contrast: ' + node.html.slice(0, 150)),
    `opened ${opened}, passes ${found.passes.length}`, 'END'].join('\n'));
})().catch(error => tell('RESULT\n' + error + '\nEND'));
JS

# audit PAGE WIDTH SCHEME OPENED: in a frame, since windows have a least width.
audit() {
  local dark=() what="$1, $2 pixels, $3"
  [ "$3" = light ] || dark=(--blink-settings=preferredColorScheme=0)
  python3 - "$1" "$axe" <<'PY'
import sys
page, axe = (open(name, encoding='utf-8').read() for name in sys.argv[1:])
script = open('open.js', encoding='utf-8').read()
open('audited.html', 'w', encoding='utf-8').write(page.replace('</body>', f'<script>{axe}</script><script>{script}</script></body>'))
PY
  printf '<!doctype html><html lang="en"><title>frame</title><iframe title="page" src="audited.html" style="width:%dpx;height:9000px"></iframe>' \
    "$2" > frame.html
  HOME=$SCRATCH timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "${dark[@]}" \
    --allow-file-access-from-files --virtual-time-budget=30000 --user-data-dir="$SCRATCH/profile" --window-size=1300,900 \
    --dump-dom "file://$SCRATCH/frame.html" 2> /dev/null > dom.html
  python3 -c 'import html, re
print(html.unescape(re.search("RESULT\n(.*)\nEND", open("dom.html", encoding="utf-8").read(), re.S)[1]))' > found.txt || fail "$what: no answer"
  [ "$(wc -l < found.txt)" = 1 ] || fail "$what: $(cat found.txt)"
  grep -qE "^opened $4, passes [1-9][0-9]" found.txt || fail "$what: $(cat found.txt)"
}

for width in 1280 400; do
  for scheme in light dark; do
    audit report.html $width $scheme '[1-9][0-9]+'
    audit memory.html $width $scheme 0
  done
done
audit none.html 400 light 0

# It finds what is wrong.
sed -i 's/--soft: #56616b/--soft: #b0b0b0/; s/<html lang="en">/<html>/' report.html
! (audit report.html 400 light '[1-9][0-9]+') 2> wrong.txt || fail "letters of too little contrast pass"
grep -q 'color-contrast' wrong.txt && grep -q 'html-has-lang' wrong.txt || fail "$(cat wrong.txt)"
