"""push_tag.py INTERFACE TPID TCI: until its input ends, whatever leaves the interface gets this VLAN tag: the kernel
keeps it beside the frame, where the interface can take it so. Says "pushing" when it begins. TPID is hexadecimal.

By a program for the kernel (TCX, Linux 6.6), since VLAN interfaces and act_vlan are not in every kernel. Needs root.
"""
import ctypes, os, platform, socket, struct, sys

BPF = {'x86_64': 321, 'aarch64': 280}[platform.machine()]
PROG_LOAD, LINK_CREATE = 5, 28
SCHED_CLS, TCX_EGRESS = 3, 47
SKB_VLAN_PUSH = 18
MOVE, CALL, EXIT = 0xb7, 0x85, 0x95

libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes.ljust(128, b'\0'), 128)
    got = libc.syscall(BPF, command, buffer, 128)
    if got < 0: raise OSError(ctypes.get_errno(), 'bpf: ' + os.strerror(ctypes.get_errno()))
    return got


def instruction(code, register=0, value=0): return struct.pack('=BBhi', code, register, 0, value)


name, tpid, tci = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3])
code = b''.join([instruction(MOVE, 2, socket.htons(tpid)), instruction(MOVE, 3, tci),
                 instruction(CALL, value=SKB_VLAN_PUSH), instruction(MOVE, 0, 0), instruction(EXIT)])
code, licence = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(b'Apache-2.0')
program = bpf(PROG_LOAD, struct.pack('=IIQQ', SCHED_CLS, len(code) // 8,
                                     ctypes.addressof(code), ctypes.addressof(licence)))
link = bpf(LINK_CREATE, struct.pack('=IIII', program, socket.if_nametoindex(name), TCX_EGRESS, 0))
print('pushing', flush=True)
sys.stdin.read()
