"""Two hosts and a box between them: network namespaces `sender` and `host` beside this process's own, where the box has
`in`, a cable to the sender's `wire`, and may have `out`, one to the host's `end`. No offloads, but where it says so."""
import array, ctypes, fcntl, os, socket, struct, subprocess

from common.ready import Trouble

CLONE_NEWNET, CLONE_NEWNS, MS_PRIVATE_ALL = 0x40000000, 0x00020000, 0x44000
SIOCETHTOOL = 0x8946
SET = {'rx': 0x15, 'tx': 0x17, 'tso': 0x1f, 'gso': 0x24, 'gro': 0x2c}
SENDER, HOST = '10.9.0.1', '10.9.0.2'
LIBC = ctypes.CDLL(None, use_errno=True)


def run(*words):
    try: done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError: raise Trouble(f'there is no {words[0]}: apt-get install iproute2')
    if done.returncode: raise Trouble(f'{" ".join(words)}: {done.stderr.strip()}')


def enter():
    """From now on this process is in namespaces of its own, with names of namespaces of its own."""
    if LIBC.unshare(CLONE_NEWNET | CLONE_NEWNS):
        raise Trouble(f'a network namespace: {os.strerror(ctypes.get_errno())}; root has the right to make one')
    LIBC.mount(None, b'/', None, MS_PRIVATE_ALL, None)
    os.makedirs('/run/netns', exist_ok=True)
    run('mount', '-t', 'tmpfs', 'none', '/run/netns')
    for space in ('sender', 'host'):
        run('ip', 'netns', 'add', space)
        run('ip', '-n', space, 'link', 'set', 'lo', 'up')
    for path in ('/proc/sys/net/ipv6/conf/default/disable_ipv6',):
        if os.path.exists(path):
            with open(path, 'w') as file: file.write('1')
    cable('sender', 'wire', 'in')
    address('sender', 'wire', SENDER)


def set_offloads(interface, on=()):
    """Of this namespace; all others off."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for name in SET:
            data = array.array('B', struct.pack('II', SET[name], name in on))
            request = struct.pack('16sP', interface.encode(), data.buffer_info()[0])
            try: fcntl.ioctl(asked, SIOCETHTOOL, request)
            except OSError as error:
                if name in on: raise Trouble(f'{interface}: {name}: {error.strerror}')


def in_space(space, work):
    """Does it in that namespace, in a child."""
    child = os.fork()
    if child == 0:
        try:
            with open('/run/netns/' + space) as there:
                if LIBC.setns(there.fileno(), CLONE_NEWNET): os._exit(1)
            work()
        except BaseException: os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]: raise Trouble(f'the namespace {space}: something in it cannot be changed')


def cable(space, there, here, on=()):
    """`on`: offloads of the other end."""
    run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', space)
    run('ip', 'link', 'set', here, 'up')
    set_offloads(here)
    in_space(space, lambda: set_offloads(there, on))


def address(space, interface, own):
    run('ip', '-n', space, 'link', 'set', interface, 'up')
    run('ip', '-n', space, 'addr', 'add', own + '/24', 'dev', interface)
    run('ip', '-n', 'sender', 'neigh', 'flush', 'all')  # another device may have had the address before


def bridge(on=()):
    """A cable to the host, and the kernel between both."""
    cable('host', 'end', 'out', on)
    address('host', 'end', HOST)
    run('ip', 'link', 'add', 'name', 'middle', 'type', 'bridge')
    for port in ('in', 'out'): run('ip', 'link', 'set', port, 'master', 'middle')
    run('ip', 'link', 'set', 'middle', 'up')


def unbridge():
    for interface in ('middle', 'out'): run('ip', 'link', 'del', interface)


def command_in(space, command): return ['ip', 'netns', 'exec', space, *command]
