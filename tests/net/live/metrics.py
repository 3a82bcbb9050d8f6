"""metrics.py URL [NAME VALUE]...: fetches metrics, checks their form, and that each one named (its labels summed) has
this value; prints one that has not, and fails. A value of "+" is any above 0, one of "=NAME+..." the sum of
others."""
import re, sys, urllib.request

text = urllib.request.urlopen(sys.argv[1], timeout=10).read().decode()
sums = {}
for line in text.splitlines():
    if line.startswith('#'): continue
    name, labels, value = re.fullmatch(r'([a-z_]+)(\{.*\})? (\S+)', line).groups()
    if labels: assert re.fullmatch(r'\{([a-z_]+="([^"\\]|\\.)*",?)+\}', labels), line
    sums[name] = sums.get(name, 0) + float(value)
for name, wanted in zip(sys.argv[2::2], sys.argv[3::2]):
    got = sums.get(name)
    if wanted.startswith('='): wanted = sum(sums[one] for one in wanted[1:].split('+'))
    if got is None or (got <= 0 if wanted == '+' else got != float(wanted)): sys.exit(f'{name} is {got}, not {wanted}')
