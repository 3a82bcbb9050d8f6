"""Invented frames of which each tells something else, and what the annex of each flow must be, from these and from the
oracle's numbers of first packets.

    first_packets.py write SEED CAPTURE TRUTH.json     frames, and what each of them tells
    first_packets.py check TRUTH.json WANT.csv GOT.csv [decapsulated]

WANT has `first_packet`, GOT the annex and perhaps the other direction's.
"""
import csv, json, random, socket, struct, sys

SYN, RST, ACK = 2, 4, 16
COLUMNS = ('src_mac dst_mac outer_vlan_id inner_vlan_id mpls_label tunnel tunnel_id outer_src_addr outer_dst_addr ttl '
           'dscp ecn first_tcp_flags syn_mss syn_window_scale syn_sack_permitted syn_timestamps syn_window '
           'syn_options').split()
OF_TUNNEL = 'tunnel', 'tunnel_id', 'outer_src_addr', 'outer_dst_addr'
OF_SYN = [name for name in COLUMNS if name.startswith('syn_')]


def be(*values): return struct.pack('>%dH' % len(values), *values)
def mac_of(octets): return ':'.join('%02x' % octet for octet in octets)
def address_of(octets): return socket.inet_ntop(socket.AF_INET if len(octets) == 4 else socket.AF_INET6, octets)


class Frames:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.id = 0

    def octets(self, count): return bytes(self.random.randrange(256) for _ in range(count))

    def ethernet(self, kind, packet, told):
        """Behind any tags and labels; the first of each are told."""
        source, target = self.octets(6), b'\2' + self.octets(5)
        told.setdefault('src_mac', mac_of(source)), told.setdefault('dst_mac', mac_of(target))
        header = target + source
        tags = self.random.choice([[], [], [0x8100], [0x88a8, 0x8100], [0x88a8, 0x8100, 0x8100]])
        for tag in tags:
            number = self.random.randrange(4096)
            header += be(tag, self.random.randrange(8) << 13 | number)
            for name in ('outer_vlan_id', 'inner_vlan_id'):
                if name not in told:
                    told[name] = number
                    break
        labels = self.random.choice([0, 0, 0, 1, 3])
        if labels:
            stack = [self.random.randrange(16, 1 << 20) for _ in range(labels)]
            told.setdefault('mpls_label', stack[0])
            ends = [0] * (labels - 1) + [1]
            packet = b''.join(struct.pack('>I', n << 12 | end << 8 | 64) for n, end in zip(stack, ends)) + packet
            kind = 0x8847
        return header + be(kind) + packet

    def ip(self, source, target, protocol, payload, told):
        ttl, traffic = self.random.randrange(1, 256), self.random.randrange(256)
        told.update(ttl=ttl, dscp=traffic >> 2, ecn=traffic & 3)
        self.id = self.id % 65535 + 1
        if len(source) == 16:
            header = struct.pack('>IHBB', 6 << 28 | traffic << 20, len(payload), protocol, ttl)
            return 0x86dd, header + source + target + payload
        header = struct.pack('>BBHHHBBH', 0x45, traffic, 20 + len(payload), self.id, 0, ttl, protocol, 0)
        return 0x0800, header + source + target + payload

    def options(self, told):
        kinds, text = [], b''
        told.update(syn_sack_permitted=0, syn_timestamps=0)
        for kind in self.random.sample([2, 4, 8, 1, 3, 1, 1, 254], self.random.randrange(9)):
            part = {1: b'\1', 2: b'\2\4' + self.octets(2), 3: b'\3\3' + self.octets(1), 4: b'\4\2',
                    8: b'\x08\x0a' + self.octets(8), 254: b'\xfe\5abc'}[kind]
            if len(text) + len(part) > 40: break
            kinds.append(kind)
            text += part
            if kind == 2: told['syn_mss'] = int.from_bytes(part[2:], 'big')
            if kind == 3: told['syn_window_scale'] = part[2]
            if kind == 4: told['syn_sack_permitted'] = 1
            if kind == 8: told['syn_timestamps'] = 1
        if len(text) % 4:
            kinds.append(0)                             # the end, and what is behind it
            text += bytes(1) + b'\2' * (-len(text) % 4 - 1)
        told['syn_options'] = '-'.join(map(str, kinds))
        return text

    def tcp(self, ports, sequence, flags, payload, told):
        window, options = self.random.randrange(65536), b''
        told['first_tcp_flags'] = flags
        if flags & (SYN | RST) == SYN:
            told['syn_window'] = window
            options = self.options(told)
        header = be(*ports) + struct.pack('>IIBBHHH', sequence, 1, (20 + len(options)) << 2, flags, window, 0, 0)
        return header + options + payload

    def outer(self, kind, packet, told):
        """A tunnel's packet around one: what it tells itself, and, `told` being of the packet within, of the tunnel."""
        ends = [b'\x0a\1\1' + self.octets(1), b'\x0a\1\2' + self.octets(1)]
        if self.random.random() < 0.3: ends = [b'\x20\1' + self.octets(14), b'\x20\1' + self.octets(14)]
        name = self.random.choice(['vxlan', 'geneve', 'gtp_u', 'gre', 'gre without key', 'ip_in_ip'])
        number = self.random.randrange(1 << 24)
        ports, protocol = (self.random.randrange(50000, 60000), 0), 17
        if name == 'vxlan': ports, payload = (ports[0], 4789), struct.pack('>II', 8 << 24, number << 8) + packet
        elif name == 'geneve': ports, payload = (ports[0], 6081), struct.pack('>HHI', 0, 0x6558, number << 8) + packet
        elif name == 'gtp_u':
            ports, payload = (ports[0], 2152), struct.pack('>BBHI', 0x30, 255, len(packet), number) + packet
        else:
            ports, protocol = (0, 0), 47
            if name == 'gre': payload = be(0x2000, kind) + struct.pack('>I', number) + packet
            elif name == 'gre without key': payload = be(0, kind) + packet
            else: protocol, payload = (4 if kind == 0x0800 else 41), packet
        if protocol == 17: payload = be(*ports, 8 + len(payload), 0) + payload
        names = {'gre without key': 'gre', 'ip_in_ip': 'ip4_in_ip' if kind == 0x0800 else 'ip6_in_ip'}
        within = dict(told, tunnel=names.get(name, name), outer_src_addr=address_of(ends[0]),
                      outer_dst_addr=address_of(ends[1]))
        if name in ('vxlan', 'geneve', 'gtp_u', 'gre'): within['tunnel_id'] = number
        itself = {}
        kind, packet = self.ip(ends[0], ends[1], protocol, payload, itself)
        key = [address_of(ends[0]), address_of(ends[1]), *ports, protocol]
        return kind, packet, itself, within, key


def one_frame(frames, ends, ports, protocol, transport, told):
    """The octets of a frame, and [key, annex] of its packet, and of the packet within."""
    kind, packet = frames.ip(ends[0], ends[1], protocol, transport, told)
    key = [address_of(ends[0]), address_of(ends[1]), *ports, protocol]
    if frames.random.random() < 0.6:
        below = {}
        frame = frames.ethernet(kind, packet, below)
        return frame, [key, {**told, **below}], [key, {**told, **below}]
    # What the frame tells comes before what the frame within it tells; the first two tags are those of both.
    inner, is_frame = {}, frames.random.random() < 0.5
    inner_packet = frames.ethernet(kind, packet, inner) if is_frame else packet
    while True:
        outer_kind, outer_packet, itself, within, outer_key = frames.outer(kind, inner_packet, told)
        if (within['tunnel'] in ('vxlan', 'geneve')) == is_frame: break
    below = {}
    frame = frames.ethernet(outer_kind, outer_packet, below)
    both = dict(below)
    tags = [each[name] for each in (below, inner) for name in ('outer_vlan_id', 'inner_vlan_id') if name in each]
    both.update(zip(('outer_vlan_id', 'inner_vlan_id'), tags))
    if 'mpls_label' not in both and 'mpls_label' in inner: both['mpls_label'] = inner['mpls_label']
    return frame, [outer_key, {**itself, **below}], [key, {**within, **both}]


def write(seed, capture, truth):
    frames, told_by_all, time = Frames(seed), [], 1_700_000_000_000_000_000
    talks = []
    for i in range(40):
        ends = [b'\xc0\xa8' + frames.octets(2), b'\xc0\xa9' + frames.octets(2)]
        if i % 4 == 0: ends = [b'\x20\2' + frames.octets(14), b'\x20\3' + frames.octets(14)]
        protocol = 17 if i % 5 == 0 else 6
        talks.append({'ends': ends, 'ports': (1024 + i, 443), 'protocol': protocol, 'sent': [0, 0], 'late': i % 7 == 0,
                      'isn': [frames.random.randrange(1 << 32) for _ in '12']})
    with open(capture, 'wb') as out:
        out.write(struct.pack('<IHHIIII', 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        for _ in range(3000):
            talk, turned = frames.random.choice(talks), frames.random.random() < 0.4
            ends, ports = talk['ends'][::-1 if turned else 1], talk['ports'][::-1 if turned else 1]
            sent, told = talk['sent'][turned], {}
            if talk['protocol'] == 17:
                transport = be(*ports, 12, 0) + frames.octets(4)
            else:
                if frames.random.random() < 0.02: talk['isn'][turned], sent = frames.random.randrange(1 << 32), 0
                # The SYN of some comes behind what follows it.
                is_syn = sent == (1 if talk['late'] else 0)
                before = sent - (sent > 1 and talk['late'])
                number = talk['isn'][turned] + (0 if is_syn else 1 + 4 * before)
                flags = (SYN | (ACK if turned else 0)) if is_syn else ACK
                transport = frames.tcp(ports, number & 0xffffffff, flags, b'' if is_syn else frames.octets(4), told)
                talk['sent'][turned] = sent + 1
            frame, *told_by = one_frame(frames, ends, ports, talk['protocol'], transport, told)
            told_by_all.append(told_by)
            time += frames.random.randrange(1, 2_000_000)
            out.write(struct.pack('<4I', time // 10**9, time % 10**9, len(frame), len(frame)) + frame)
    with open(truth, 'w') as out: json.dump(told_by_all, out)


def key_of(row, reverse=False):
    ends = 'dst_addr src_addr dst_port src_port' if reverse else 'src_addr dst_addr src_port dst_port'
    return tuple(row[name] for name in [*ends.split(), 'protocol'])


def check(truth, want, got, decapsulated):
    with open(truth) as file: of_packets = [both[decapsulated] for both in json.load(file)]
    told = [(tuple(map(str, key)), annex) for key, annex in of_packets]
    with open(want) as file: firsts = sorted((key_of(row), int(row['first_packet'])) for row in csv.DictReader(file))
    annexes, behind_first = {}, 0
    for (key, first), (next_key, behind) in zip(firsts, firsts[1:] + [((), 0)]):
        if next_key != key: behind = len(told) + 1
        own = [annex for of, annex in told[first - 1:behind - 1] if of == key]
        syn = next((annex for annex in own if 'syn_window' in annex), {})
        annexes[key, first] = {name: (syn if name in OF_SYN else own[0]).get(name, '') for name in COLUMNS}
        behind_first += bool(syn) and syn is not own[0]
    checked, seen = 0, {name: set() for name in COLUMNS}
    with open(got) as file:
        for row in csv.DictReader(file):
            for reverse in ('', 'reverse_'):
                if not row.get(reverse + 'first_packet'): continue
                wanted = annexes.pop((key_of(row, bool(reverse)), int(row[reverse + 'first_packet'])))
                for name in COLUMNS:
                    assert row[reverse + name] == str(wanted[name]), (name, row, wanted)
                    seen[name].add(row[reverse + name])
                checked += 1
    assert not annexes and checked >= 80, (checked, len(annexes))
    lacking = [name for name in COLUMNS if len(seen[name]) < 2 and (decapsulated or name not in OF_TUNNEL)]
    assert not lacking and behind_first > 0, (lacking, behind_first)


if __name__ == '__main__':
    if sys.argv[1] == 'write': write(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else: check(*sys.argv[2:5], 'decapsulated' in sys.argv[5:])
