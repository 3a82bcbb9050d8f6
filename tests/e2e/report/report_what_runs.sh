#!/usr/bin/env bash
# Where flows have labels or fields of a policy, the page says what runs here: labels by bytes, with shares, then the
# hosts and other fields; without any there is no such section. What stands in files becomes no markup.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
names = 'src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes'
flows = [(6000, 'tls;web', 't13d', 'a.example'), (3000, 'tls', 't13d', 'a.example'), (800, 'dns', '', '<script>alert(1)</script>'),
         (100, '<b>\x01', '', 'n' * 300), (100, '', '', '')]
lines = [f'10.0.0.1,10.0.0.2,{i},443,6,{10**18},{10**18 + 5},{10 + i},{flow[0]}' for i, flow in enumerate(flows)]
with open('labels.csv', 'w') as out:
    print(names + ',labels,ja4,host', *(f'{line},{",".join(flow[1:])}' for line, flow in zip(lines, flows)), sep='\n', file=out)
with open('none.csv', 'w') as out:
    print(names, *lines, sep='\n', file=out)
PY
"$WARPMETER" report labels.csv -o page.html --top 3
"$WARPMETER" report none.csv -o none.html
[ "$(grep -c 'What runs here' none.html)" = 0 ] || fail 'a section of nothing'
"$WARPMETER" show labels.csv -o labels.json
"$WARPMETER" report labels.json -o json.html --top 3
sed 's/labels\.json/labels.csv/' json.html | cmp - page.html

python3 - <<'PY'
import html, re
page = open('page.html', encoding='utf-8').read()
section = re.search('<section id="what-runs">.*?</section>', page, re.S)[0]
plain = lambda text: html.unescape(re.sub('<[^>]*>', '', text))
assert '<script>alert' not in page and '<b>' not in section, section
tables = [(plain(caption), [[plain(cell) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row)]
                            for row in re.findall(r'<tr>(.*?)</tr>', body)])
          for caption, body in re.findall(r'<caption>([^<]*)</caption>.*?<tbody>(.*?)</tbody>', section, re.S)]
assert 'tls carries most: 90 % of the bytes and 40 % of the flows. 4 of 5 flows have a label.' in plain(section), plain(section)
assert tables[0] == ('Applications, by label', [
    ['tls', '90 %', '8.79 KiB', '35 %', '21', '40 %', '2'], ['web', '60 %', '5.86 KiB', '17 %', '10', '20 %', '1'],
    ['dns', '8.0 %', '800 B', '20 %', '12', '20 %', '1'], ['none', '1.0 %', '100 B', '23 %', '14', '20 %', '1']]), tables[0]
assert '1 more label is not listed.' in section, section
assert [caption for caption, _ in tables[1:]] == ['Most frequent: host', 'Most frequent: ja4'], tables
assert tables[1][1] == [['a.example', '40 %', '2', '21', '8.79 KiB'], ['n' * 80 + '…', '20 %', '1', '13', '100 B'],
                        ['<script>alert(1)</script>', '20 %', '1', '12', '800 B']], tables[1]
PY
"$WARPMETER" report labels.csv -o page.html
grep -qF '&lt;b&gt;\x01' page.html || fail 'the label of odd bytes is not shown'
