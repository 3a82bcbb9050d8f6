#!/usr/bin/env bash
# `policy explain` shows where packets begin, groups in order, paths and automata; --svg draws the graph as XML that is
# valid, whatever groups are called.
. "$(dirname "$0")/../common.sh"
example=$SOURCE/data/policies/example.toml
expect_status 0 "$WARPMETER" policy explain "$example" --svg graph.svg
[ ! -s stderr.txt ] || fail "it warns: $(cat stderr.txt)"
sed -n '2p' stdout.txt | grep -qx '1 port_80 -> 2 port_21 -> 3 port_22 -> 30 ssh -> OUT' || fail "the longest path"
sed -n '/^Groups/,/^$/p' stdout.txt | awk 'NR > 2 && NF {print $1}' | paste -sd' ' | grep -qx '1 2 3 30 20 10 11 40' ||
  fail "the order"
grep -qE '^  init rule 1 +40 dns$' stdout.txt || fail "where packets begin"
grep -qE '^  10 11 +stream +3 +[0-9.]+ KiB +[0-9]+ B$' stdout.txt || fail "two groups in a chain are one automaton"
grep -qE '^  11 +payload +1 ' stdout.txt || fail "patterns of payload"
python3 - graph.svg 9 12 <<'PY'
import sys, xml.etree.ElementTree as ET
path, boxes, lines = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
S = '{http://www.w3.org/2000/svg}'
tree = ET.parse(path).getroot()
groups = tree.findall(f'{S}g')
assert len(groups) == boxes, len(groups)
assert [g.find(f'{S}title').text for g in groups][:3] == ['init', 'port_80', 'port_21']
words = [t.text for t in tree.findall(f'{S}text')]
assert words.count('DROP') == 1 and words.count('OUT') == 5, words
top = {g.find(f'{S}title').text: float(g.find(f'{S}rect').get('y')) for g in groups}
assert top['init'] < top['port_80'] < top['port_21'] < top['port_22'] < top['ssh'] and top['http'] < top['attacks'], top
PY
"$WARPMETER" policy explain "$example" --svg - > both.txt
grep -q '^<svg ' both.txt || fail "no drawing on standard output"

cat > odd.toml <<'T'
[[group]]
id = 1
name = "<b>&\"'\u001b ]]> äöü and much more than a box has room for"
rule = [{ next = 2 }, {}]
[[group]]
id = 2
rule = [{}]
T
expect_status 0 "$WARPMETER" policy explain odd.toml --svg odd.svg
[ "$(grep -c 'is never reached' stderr.txt)" = 2 ] || fail "warnings: $(cat stderr.txt)"
! grep -q $'\e' stdout.txt stderr.txt odd.svg || fail "an escape sequence came through"
python3 -c 'import sys, xml.etree.ElementTree as ET; ET.parse(sys.argv[1])' odd.svg

for id in $(seq 201); do printf '[[group]]\nid=%d\nrule=[{}]\n' "$id"; done > many.toml
expect_status 2 "$WARPMETER" policy explain many.toml --svg many.svg
expect_one_line "[-]-svg draws at most 200 groups, and there are 201"
[ ! -e many.svg ] || fail "there is a drawing"
no_leftovers
