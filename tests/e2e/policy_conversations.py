"""Conversations of many protocols, as the policies of data/policies/stock.toml have to tell them: what clients and
servers say first, and what only looks alike.

    policy_conversations.py CAPTURE EXPECTED

CAPTURE becomes a pcap file, EXPECTED a CSV file: the client's port, the label and the host of each conversation. Those
over TCP are there twice, with messages whole and cut behind their third byte.
"""
import csv, struct, sys

CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def vector(size, content): return len(content).to_bytes(size, 'big') + content


def extension(kind, content): return struct.pack('>H', kind) + vector(2, content)


NAME = extension(0, vector(2, b'\0' + vector(2, b'tls.example')))
HELLO = b'\1' + vector(3, b'\3\3' + bytes(32) + b'\0' + vector(2, b'\x13\1') + b'\1\0' + vector(2, NAME))
SERVER_HELLO = b'\2' + vector(3, b'\3\3' + bytes(32) + b'\0\x13\1\0\0\0')


def record(content): return b'\x16\3\1' + vector(2, content)


def dns(flags, name, more=b''):
    labels = b''.join(vector(1, label) for label in name.split(b'.'))
    return b'\x12\x34' + struct.pack('>HHHHH', flags, 1, 0, 0, 0) + labels + b'\0\0\1\0\1' + more


def tpkt(content): return b'\3\0' + struct.pack('>H', 4 + len(content)) + content


REQUEST = b'\x0e\xe0\0\0\0\0\0\1\0\x08\0\3\0\0\0'
BIND = b'0\x0c\2\1\1\x60\7\2\1\3\4\0\x80\0'
SEARCH = bytes.fromhex('302f020103632a040464633d78' '0a01020a0100020100020100010100' '870b6f626a656374436c617373')
CALL = b'\0\0\0\7' + struct.pack('>IIIIII', 0, 2, 100003, 3, 0, 0) + bytes(12)
SMB = b'\0\0\0\x40\xfeSMB' + bytes(60)
KERBEROS = b'\x6a\x81\x80' + b'0\x81\x7d' + b'\xa1\3\2\1\5' + bytes(120)
COOKIES = bytes(range(1, 9)) + bytes(8)

# label, port of the server, (who, what)..., and the host where there is one
TCP = [
    ('tls', 443, 'c', record(HELLO), 's', record(SERVER_HELLO), 'tls.example'),
    ('http', 80, 'c', b'GET /a?b HTTP/1.1\r\nHost: http.example\r\n\r\n', 's', b'HTTP/1.1 200 OK\r\n\r\n',
     'http.example'),
    ('http', 8000, 's', b'HTTP/1.0 404 Not Found\r\n\r\n'),
    ('http2', 80, 'c', b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0'),
    ('smtp', 25, 's', b'220 mx.example ready\r\n', 'c', b'ehlo a.example\r\n', 's', b'250 hello\r\n'),
    ('smtp', 587, 's', b'220-mx.example ESMTP\r\n220 welcome\r\n'),
    ('imap', 143, 's', b'* OK [CAPABILITY IMAP4rev1] ready\r\n'),
    ('pop3', 110, 's', b'+OK ready <1@pop.example>\r\n', 'c', b'USER me\r\n', 's', b'+OK\r\n'),
    ('ftp', 2121, 's', b'220 ready\r\n', 'c', b'USER me\r\n', 's', b'331 and the password?\r\n'),
    ('ftp', 21, 's', b'220 ready\r\n'),
    ('smb', 445, 'c', SMB),
    ('smb', 139, 'c', b'\x81\0\0\x44' + bytes(68), 's', b'\x82\0\0\0', 'c', SMB),
    ('onc-rpc', 2049, 'c', struct.pack('>I', 0x80000000 | len(CALL)) + CALL),
    ('rsync', 873, 's', b'@RSYNCD: 31.0\n'),
    ('git', 9418, 'c', b'0032git-upload-pack /a.git\0host=git.example\0'),
    ('bittorrent', 6881, 'c', b'\x13BitTorrent protocol' + bytes(48)),
    ('ssh', 22, 's', b'SSH-2.0-x\r\n', 'c', b'SSH-2.0-y\r\n'),
    ('rdp', 3389, 'c', tpkt(REQUEST)),
    ('rdp', 3389, 'c', tpkt(b'\x1d\xe0\0\0\0\0\0Cookie: mstshash=me\r\n')),
    ('vnc', 5900, 's', b'RFB 003.008\n', 'c', b'RFB 003.008\n'),
    ('telnet', 23, 's', b'\xff\xfd\x18\xff\xfd\x20'),
    ('socks', 1080, 'c', b'\5\1\0', 's', b'\5\0', 'c', b'\5\1\0\1\1\2\3\4\0\x50'),
    ('socks', 1080, 'c', b'\5\1\2', 's', b'\5\2', 'c', b'\1\2me\2pw', 's', b'\1\0', 'c', b'\5\1\0\3\1a\0\x50'),
    ('socks', 1080, 'c', b'\4\1\0\x50\1\2\3\4me\0'),
    ('socks', 9050, 'c', b'\4\1\1\xbb\0\0\0\1me\0socks.example\0'),
    ('dcerpc', 135, 'c', b'\5\0\x0b\3\x10\0\0\0\x48\0\0\0' + bytes(60)),
    ('dcerpc', 135, 'c', b'\5\0\x0b\3\0\0\0\0\0\x48\0\0\0\0\0\1' + bytes(56)),
    ('mysql', 3306, 's', b'\x4a\0\0\0\x0a8.0.36-1\0' + bytes(4) + b'saltsalt\0' + bytes(40)),
    ('postgresql', 5432, 'c', b'\0\0\0\x10\0\3\0\0user\0me\0\0'),
    ('postgresql', 5432, 'c', b'\0\0\0\x08\4\xd2\x16\x2f'),
    ('redis', 6379, 'c', b'*1\r\n$4\r\nPING\r\n', 's', b'+PONG\r\n'),
    ('mongodb', 27017, 'c', b'\x30\0\0\0\1\0\0\0\0\0\0\0\xdd\7\0\0' + bytes(32)),
    ('tds', 1433, 'c', b'\x12\1\0\x1a\0\0\1\0\0\0\x0b\0\6\xff' + bytes(12)),
    ('mqtt', 1883, 'c', b'\x10\x0e\0\4MQTT\4\2\0\x3c\0\2id'),
    ('amqp', 5672, 'c', b'AMQP\0\0\x09\1'),
    ('xmpp', 5222, 'c', b"<?xml version='1.0'?><stream:stream to='xmpp.example'>"),
    ('irc', 6667, 'c', b'NICK me\r\nUSER me 0 * :Me\r\n'),
    ('irc', 6667, 'c', b'CAP LS 302\r\n'),
    ('sip', 5060, 'c', b'REGISTER sip:sip.example SIP/2.0\r\n\r\n'),
    ('rtsp', 554, 'c', b'OPTIONS rtsp://a/b RTSP/1.0\r\n\r\n'),
    ('dns', 53, 'c', vector(2, dns(0x100, b'tcp.example'))),
    ('ldap', 389, 'c', BIND),
    ('ldap', 389, 'c', SEARCH),
    ('kerberos', 88, 'c', struct.pack('>I', len(KERBEROS)) + KERBEROS),
    ('bgp', 179, 'c', b'\xff' * 16 + b'\0\x1d\1\4' + bytes(9)),
    ('openvpn', 1194, 'c', b'\0\x0e\x38sessions' + bytes(5)),
    ('modbus', 502, 'c', b'\0\1\0\0\0\6\1\3\0\0\0\x0a'),
    # what looks alike
    ('', 9000, 'c', b'\x16\3\1\0\5\x0b' + bytes(20)),
    ('', 9000, 'c', b'GET it done\r\n'),
    ('', 9000, 's', b'+OK\r\n'),
    ('', 9000, 's', b'220 ready\r\n'),
    ('', 9000, 's', b'* not at all\r\n'),
    ('', 102, 'c', tpkt(b'\x11\xe0\0\0\0\1\0\xc0\1\x0a')),
    ('', 9000, 'c', b'USER me\r\n'),
    ('', 9000, 'c', b'*1 item\r\n'),
    ('', 9000, 's', b'\x4a\0\0\1\x0a8.0'),
    ('', 9000, 'c', bytes(200)),
    ('', 9000, 'c', b'\xff' * 15 + bytes(20)),
    ('', 9000, 'c', bytes(range(256))),
]
# Connections whose beginning is not there.
MIDDLE = [
    ('tls', 9443, 'c', record(HELLO)),
    ('tls', 443, 's', b'\x17\3\3\0\x40' + bytes(64)),
    ('tls', 443, 'c', b'\x15\3\3\0\x1a' + bytes(26)),
    ('http', 8000, 'c', b'POST / HTTP/1.1\r\nHost: a\r\n\r\n'),
    ('http', 8000, 's', b'HTTP/1.1 200 OK\r\n\r\n'),
    ('ftp', 21, 'c', b'PASV\r\n'),
    ('bgp', 179, 's', b'\xff' * 16 + b'\0\x13\4'),
    ('http', 8000, 'c', b'GET / HTTP/1.0\r\n\r\n'),
    ('modbus', 502, 's', b'\2\1\0\0\0\3\1\x83\2'),
    ('', 9000, 's', b'\x17\3\3\0\x40' + bytes(64)),
    ('', 9000, 'c', b'PASV\r\n'),
    ('', 9000, 's', b'SSH-2.0-x\r\n'),
]
INITIAL = bytes.fromhex('c0000000010808070605040302010000')
UDP = [
    ('dns', 53, 'c', dns(0x100, b'udp.example'), 's', dns(0x8180, b'udp.example'), 'udp.example'),
    ('mdns', 5353, 'c', dns(0, b'_http._tcp.local'), '_http._tcp.local'),
    ('llmnr', 5355, 'c', dns(0, b'host'), 'host'),
    ('netbios-ns', 137, 'c', dns(0x110, b'CKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')),
    ('netbios-dgm', 138, 'c', b'\x11' + bytes(13) + b'\x20' + b'CA' * 16 + bytes(40)),
    ('dhcp', 67, 'c', b'\1\1\6\0' + bytes(232) + b'\x63\x82\x53\x63\x35\1\1\xff'),
    ('dhcpv6', 547, 'c', b'\1abc\0\1\0\2xy'),
    ('dhcpv6', 547, 'c', b'\x0eabc\0\1\0\2xy'),
    ('dhcpv6', 547, 'c', b'\x0c\0' + bytes(32) + b'\0\x09\0\4\1abc'),
    ('ntp', 123, 'c', b'\x23' + bytes(47)),
    ('ntp', 123, 'c', b'\x16\2' + bytes(10)),
    ('ssdp', 1900, 'c', b'M-SEARCH * HTTP/1.1\r\n\r\n'),
    ('quic', 443, 'c', INITIAL + bytes(1200)),
    ('quic', 443, 'c', b'\xd3\x6b\x33\x43\xcf\x08' + bytes(1200)),
    ('gquic', 443, 'c', b'\x0d' + bytes(8) + b'Q043' + bytes(1200)),
    ('dtls', 4433, 'c', b'\x16\xfe\xfd\0\0' + bytes(6) + b'\0\x20\1' + bytes(31)),
    ('stun', 3478, 'c', b'\0\1\0\0\x21\x12\xa4\x42' + bytes(12)),
    ('wireguard', 51820, 'c', b'\1\0\0\0' + bytes(144)),
    ('wireguard', 51820, 's', b'\2\0\0\0' + bytes(88)),
    ('openvpn', 1194, 'c', b'\x38sessions' + bytes(5)),
    ('openvpn', 1194, 'c', b'\x38sessions' + b'h' * 20 + b'\0\0\0\1time' + bytes(5)),
    ('ike', 500, 'c', COOKIES + b'\x21\x20\x22\x08' + bytes(24)),
    ('ike', 4500, 'c', bytes(4) + COOKIES + b'\x2e\x20\x23\x08' + bytes(24)),
    ('l2tp', 1701, 'c', b'\xc8\2\0\x14' + bytes(16)),
    ('snmp', 161, 'c', b'\x30\x20\2\1\1\4\6public\xa0\x13' + bytes(19)),
    ('syslog', 514, 'c', b'<34>Oct 11 22:14:15 a su: no'),
    ('tftp', 69, 'c', b'\0\1a.txt\0octet\0'),
    ('radius', 1812, 'c', b'\1\7\0\x1a' + bytes(16) + b'\1\6user'),
    ('coap', 5683, 'c', b'\x40\1\0\1\xb4test'),
    ('kerberos', 88, 'c', KERBEROS),
    ('cldap', 389, 'c', SEARCH),
    ('onc-rpc', 2049, 'c', CALL),
    ('sip', 5060, 'c', b'SIP/2.0 200 OK\r\n\r\n'),
    ('bittorrent', 6881, 'c', b'd1:ad2:id20:' + bytes(20) + b'e1:q4:ping1:t2:aa1:y1:qe'),
    ('rtcp', 5005, 'c', b'\x80\xc8\0\6' + bytes(24)),
    ('rtp', 5004, *('c', b'\x80\x08\0\1' + bytes(168)) * 8),
    # what looks alike
    ('', 5004, *('c', b'\x80\x08\0\1' + bytes(168)) * 7),
    ('', 443, 'c', INITIAL + bytes(100)),
    ('', 53, 'c', b'not a question at all'),
    ('', 9000, 'c', b'\1\0\0\0' + bytes(140)),
    ('', 9000, 'c', bytes(48)),
    ('', 9000, 'c', b'\x30\x20\2\1\1\4\6public'),
    ('', 9000, 'c', bytes(range(256))),
    ('', 9000, 'c', b'\xff' * 64),
    ('', 161, 'c', b'\x30\x20\4\1\1'),
]


def packet(protocol, way, port, server, content, head):
    ports = (port, server) if way == 'c' else (server, port)
    addresses = CLIENT + SERVER if way == 'c' else SERVER + CLIENT
    rest = struct.pack('>HH', *ports) + head + content
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(rest), 0, 0, 64, protocol, 0)
    return bytes(12) + b'\x08\0' + ip + addresses + rest


def udp(port, server, turns):
    for way, content in turns: yield packet(17, way, port, server, content, struct.pack('>HH', 8 + len(content), 0))


def tcp(port, server, turns, handshake=True):
    at = {'c': 1000, 's': 5000}

    def segment(way, content, flags):
        other = at['s' if way == 'c' else 'c']
        head = struct.pack('>IIBBHHH', at[way], other if flags & 16 else 0, 0x50, flags, 8192, 0, 0)
        at[way] += len(content) + (flags & 2 != 0)
        return packet(6, way, port, server, content, head)

    for way, flags in (('c', 2), ('s', 18), ('c', 16)) if handshake else (): yield segment(way, b'', flags)
    for way, content in turns: yield segment(way, content, 24)


def tcp_middle(port, server, turns):
    before = [(way, b'\xaa\xbb\xcc' * 20) for way in 'cs']
    return tcp(port, server, before + turns, False)


def cut(turns):
    for way, content in turns:
        yield way, content[:3]
        yield way, content[3:]


def main():
    frames, expected, port = [], [], 10000
    for make, conversations in ((tcp, TCP), (tcp_middle, MIDDLE), (udp, UDP)):
        for label, server, *said in conversations:
            host = said.pop() if len(said) % 2 else ''
            turns = list(zip(said[::2], said[1::2]))
            for way in (turns, list(cut(turns))) if make is tcp else (turns,):
                frames += make(port, server, way)
                expected.append((port, label, host))
                port += 1
    with open(sys.argv[1], 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            file.write(struct.pack('<IIII', 1700000000 + i // 1000, i % 1000 * 1000, len(frame), len(frame)) + frame)
    with open(sys.argv[2], 'w', newline='') as file: csv.writer(file, lineterminator='\n').writerows(expected)


if __name__ == '__main__': main()
