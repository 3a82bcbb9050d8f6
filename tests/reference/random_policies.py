#!/usr/bin/env python3
"""Random policy files, good ones, with everything that rules may have.

    random_policies.py SEED     the policy of this number, as TOML

Groups lead only to groups behind them in a random order, so that there is no cycle. Ports, addresses and patterns are
such as many captures have; patterns mean the same in Hyperscan and in Python's re, and need nothing that follows them.
"""
import random, sys

PORTS = [20, 21, 22, 25, 53, 80, 110, 123, 143, 443, 445, 993, 3306, 5060, 8080]
PREFIXES = ['0.0.0.0/0', '10.0.0.0/8', '10.0.0.0/16', '10.128.0.0/9', '192.168.0.0/16', '172.16.0.0/12', '192.0.2.0/24',
            '128.0.0.0/1', '::/0', '2001:db8::/32', 'fe80::/10', '10.0.0.1', '2001:db8::1']
PATTERNS = ['a', 'GET', 'HTTP/1', '[Hh]ost: ', 'e.e', '\\x00\\x00', '\\x16\\x03', 'SSH-', '220[ -]', '\\r\\n\\r\\n',
            '(GET|POST) [^ ]{1,50}', '[a-z]{3,5}[0-9]', '\\bthe', '(?i:content)', '(union|select)[ +]{1,8}',
            '[\\x80-\\xff]{4}', '\\d\\d+', 'ab.{0,20}c', '.']
STARTS = ['^GET', '^\\x16\\x03', '\\ASSH-', '^.', '^[A-Z]{3,} ', '(?:^|\\n)[a-z]', '^(220|221)|OK', '^\\x00',
          '(?i:^http|x-)']
LABELS = ['web', 'tls', 'a', 'b', 'c', 'suspect:x', 'lab/1', 'A.b-c_d']
COLUMNS = [('sni', 'tls.sni'), ('http_host', 'http.host'), ('name', 'dns.name'), ('both', 'tls.sni'),
           ('both', 'http.host')]


def quoted(value): return f"'{value}'" if isinstance(value, str) else str(value)


def some(r, choices, most=3):
    """One, or a list of some."""
    if r.random() < 0.6: return quoted(r.choice(choices))
    return '[' + ', '.join(quoted(r.choice(choices)) for _ in range(r.randrange(1, most + 1))) + ']'


def number(r, choices):
    low = r.choice(choices)
    return r.choice([low, low, f'{low}-', f'{low}-{low + r.randrange(0, 1000)}', f'0-{low}', str(low)])


def numbers(r, choices): return some(r, [number(r, choices) for _ in range(4)])


def header(r):
    """Conditions of header and place, as lines; few of them, so that something holds."""
    makers = {
        'version': lambda: r.choice(['4', '4', '6']),
        'protocol': lambda: some(r, ['tcp', 'udp', 'tcp', 6, 17, 'icmp', 'icmpv6', 1]),
        'src': lambda: some(r, PREFIXES), 'dst': lambda: some(r, PREFIXES),
        'src_port': lambda: numbers(r, PORTS), 'dst_port': lambda: numbers(r, PORTS), 'port': lambda: numbers(r, PORTS),
        'vlan': lambda: numbers(r, [0, 0, 1, 7]), 'length': lambda: numbers(r, [40, 52, 60, 576, 1500]),
        'payload_length': lambda: numbers(r, [0, 1, 13, 100, 1448]), 'nth': lambda: numbers(r, [1, 2, 3, 5, 10, 64]),
        'flags': lambda: quoted(r.choice(['S', 'A', 'PA', 'SA', ''])),
        'not_flags': lambda: quoted(r.choice(['S', 'F', 'RF', 'P'])),
        'way': lambda: quoted(r.choice(['client', 'server']))}
    keys = r.sample(sorted(makers), r.choice([0, 1, 1, 2, 3]))
    return [f'{key} = {makers[key]()}' for key in keys]


def effects(r, later):
    lines = []
    if r.random() < 0.7: lines.append(f'label = {some(r, LABELS, 2)}')
    if r.random() < 0.3: lines.append(f"scope = {quoted(r.choice(['flow', 'connection']))}")
    if r.random() < 0.25:
        fields = dict(r.sample(COLUMNS, r.randrange(1, 3)))
        lines.append('field = { ' + ', '.join(f'{column} = {quoted(kind)}' for column, kind in fields.items()) + ' }')
    if r.random() < 0.2: lines.append(f'next = {r.choice(later)}')
    if r.random() < 0.1: lines.append('final = true')
    return lines


def rule(r, number_of_rule, later):
    lines = header(r)
    if r.random() < 0.2: lines.append(f'label_is = {some(r, LABELS, 2)}')
    if r.random() < 0.15: lines.append(f'label_is_not = {some(r, LABELS, 2)}')
    if r.random() < 0.3: lines.append(f'payload = {some(r, PATTERNS + STARTS)}')
    if r.random() < 0.4: lines.append(f'stream = {some(r, PATTERNS + STARTS)}')
    if r.random() < 0.2: lines.append(f'after = {r.choice([1, 2, 3, 5])}')
    if r.random() < 0.3: lines.append(f'name = "rule {number_of_rule}"')
    return ['[[group.rule]]'] + lines + effects(r, later)


def policy(seed):
    r = random.Random(seed)
    ids = r.sample(range(1, 100), r.randrange(1, 7))    # each leads to those behind it
    named = {id: r.random() < 0.5 for id in ids}
    word = lambda id: quoted(f'g{id}') if named[id] and r.random() < 0.7 else str(id)
    ends = ["'OUT'", "'OUT'", "'OUT'", "'DROP'"]
    groups = []
    for place, id in enumerate(ids):
        later = [word(other) for other in ids[place + 1:]]
        where = lambda: r.choice(later) if later and r.random() < 0.75 else r.choice(ends)
        lines = ['[[group]]', f'id = {id}'] + ([f"name = 'g{id}'"] if named[id] else [])
        match = where()
        if r.random() < 0.9: lines += [f'match = {match}', f'mismatch = {match if r.random() < 0.3 else where()}']
        if r.random() < 0.5: lines.append(f"mode = {quoted(r.choice(['first', 'all']))}")
        for number_of_rule in range(1, r.randrange(2, 6)): lines += rule(r, number_of_rule, later + ends)
        groups.append('\n'.join(lines))
    init = ['[init]', f'default = {word(ids[0]) if r.random() < 0.9 else r.choice([word(id) for id in ids] + ends)}']
    for _ in range(r.choice([0, 0, 1, 2])):
        init += ['[[init.rule]]'] + header(r) + [f'to = {r.choice([word(id) for id in ids] + ends)}']
    r.shuffle(groups)
    most = [f'max_rounds = {r.randrange(6, 20)}'] if r.random() < 0.3 else []
    return '\n'.join(most + init) + '\n\n' + '\n\n'.join(groups) + '\n'


if __name__ == '__main__': print(policy(int(sys.argv[1])), end='')
