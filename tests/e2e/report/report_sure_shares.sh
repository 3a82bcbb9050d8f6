#!/usr/bin/env bash
# Who retransmits is listed by number and by the share that is sure: 27 of 89 segments go before 2 of 3, and before a
# host with hundred times as many retransmissions among many. The page says both numbers and the bound. What stands out is
# tested: of twelve hosts that behave alike none is named, and a thirteenth that loses twice as much is, with what was tested.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import csv, os, subprocess
header = subprocess.run([os.environ['WARPMETER'], 'extract', '-q', os.environ['DATA'] + '/first-look.pcap'],
                        capture_output=True, text=True, check=True).stdout.split('\n')[0].split(',')
with open('flows.csv', 'w', newline='') as file:
    rows = csv.DictWriter(file, header, restval=0)
    rows.writeheader()
    for host, segments, again in [(1, 900_000, 2_700), (2, 89, 27), (3, 3, 2), (4, 400, 2), (5, 5000, 30), (6, 9, 9)]:
        rows.writerow({'src_addr': f'10.0.0.{host}', 'dst_addr': '10.1.0.1', 'src_port': 1000, 'dst_port': 443,
                       'protocol': 6, 'start_ns': 10**18, 'end_ns': 10**18 + 5 * 10**9, 'packets': segments,
                       'bytes': 1000 * segments, 'data_segments': segments, 'retransmitted_segments': again,
                       'connection_bytes': '', 'connection_ns': '', 'end_reason': 4})
PY
"$WARPMETER" report flows.csv -o page.html
python3 - <<'PY'
import html, re
page = open('page.html', encoding='utf-8').read()
tables = {caption: [[html.unescape(re.sub('<[^>]*>', '', cell)) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row)]
                    for row in re.findall(r'<tr[^>]*>(.*?)</tr>', body)]
          for caption, body in re.findall(r'<caption>([^<]*)</caption>.*?<tbody>(.*?)</tbody>', page, re.S)}
hosts = lambda caption: [row[0][-1] for row in tables['Hosts, as senders: ' + caption]]
assert hosts('by number') == list('152643'), tables
assert hosts('by share') == list('2514'), tables
assert [row[1:5] for row in tables['Hosts, as senders: by share'] if row[0] == '10.0.0.2'] == \
    [['27 of 89', '30 %', '22 %', '0.97 %']], tables
PY

headlines() {  # FILE: the page's, as text
  "$WARPMETER" report "$1" -o page.html
  python3 -c "
import html, re
page = open('page.html', encoding='utf-8').read()
print(html.unescape(re.sub('<[^>]*>', '', re.search('<ul class=.headlines.>(.*?)</ul>', page, re.S)[1])))"
}
python3 - <<'PY'
import csv, random
header = open('flows.csv').readline().rstrip('\n').split(',')
def write(name, hosts, seed):
    random.seed(seed)
    with open(name, 'w', newline='') as file:
        rows = csv.DictWriter(file, header, restval=0, lineterminator='\n')
        rows.writeheader()
        for host in hosts:
            for flow in range(40):
                segments = int(random.lognormvariate(4, 1)) + 1
                again = sum(random.random() < (0.06 if host == 13 else 0.03) for _ in range(segments))
                rows.writerow({'src_addr': f'10.0.0.{host}', 'dst_addr': '10.1.0.1', 'src_port': 1000 + flow, 'dst_port': 443,
                               'protocol': 6, 'start_ns': 10**18, 'end_ns': 10**18 + 5 * 10**9, 'packets': segments,
                               'bytes': 1000 * segments, 'data_segments': segments, 'retransmitted_segments': again,
                               'connection_bytes': '', 'connection_ns': '', 'end_reason': 4})
write('alike.csv', range(1, 13), 1)
write('thirteen.csv', range(1, 14), 2)
PY
headlines alike.csv > alike.txt
grep -q 'No host stands out. Tested: of 12 hosts, none has a share that is surely above' alike.txt
[ "$(grep -c '10\.0\.0' alike.txt)" = 0 ] || fail 'a host is named'
headlines thirteen.csv > thirteen.txt
grep -q '10.0.0.13 stands out by its share: .* times the share of all others together' thirteen.txt
grep -q 'Tested: 13 hosts; exact binomial bounds, 95 % sure for all hosts at once' thirteen.txt
