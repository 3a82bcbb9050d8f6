"""Sets the offloads of a network interface, as ethtool(8) does: offloads.py IFACE [+ | gro | tso]. All off; with +
those of a sender on, TSO and checksums; with gro, or tso, that one on and the others off."""
import array, fcntl, socket, struct, sys

SIOCETHTOOL = 0x8946
SET = {'rx': 0x15, 'tx': 0x17, 'sg': 0x19, 'tso': 0x1f, 'gso': 0x24, 'gro': 0x2c}
ON = {'': (), '+': ('rx', 'tx', 'sg', 'tso', 'gso'), 'gro': ('gro', 'rx'), 'tso': ('tx', 'sg', 'tso', 'gso')}


def change(interface, command, value):
    data = array.array('B', struct.pack('II', command, value))
    request = struct.pack('16sP', interface.encode(), data.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked: fcntl.ioctl(asked, SIOCETHTOOL, request)


def main():
    on = ON[sys.argv[2] if len(sys.argv) > 2 else '']
    for name in sorted(SET, key=lambda name: name in ('tso', 'gso')):       # these depend on the others
        try: change(sys.argv[1], SET[name], int(name in on))
        except OSError as error:
            if name in on: raise SystemExit(f'{sys.argv[1]}: {name}: {error}')


if __name__ == '__main__': main()
