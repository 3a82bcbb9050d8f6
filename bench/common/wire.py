"""A network namespace of this process's own, with two interfaces that are one wire, `sender` and `capture`."""
import ctypes, os, subprocess

from common.ready import Trouble

CLONE_NEWNET = 0x40000000


def run(*words):
    try: done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError: raise Trouble(f'there is no {words[0]}: apt-get install iproute2')
    if done.returncode: raise Trouble(f'{" ".join(words)}: {done.stderr.strip()}')


def make(queues=1):
    """From now on this process and those that it starts are in the namespace; it is gone with the last of them."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET):
        raise Trouble(f'a network namespace: {os.strerror(ctypes.get_errno())}; root has the right to make one')
    quiet = '/proc/sys/net/ipv6/conf/default/disable_ipv6'
    if os.path.exists(quiet):
        with open(quiet, 'w') as file: file.write('1')
    many = ['numrxqueues', str(queues), 'numtxqueues', str(queues)]
    large = ['mtu', '9100', *many]
    run('ip', 'link', 'add', 'sender', *large, 'type', 'veth', 'peer', 'name', 'capture', *large)
    for name in ('sender', 'capture'): run('ip', 'link', 'set', name, 'arp', 'off', 'up')
    run('ip', 'link', 'set', 'lo', 'up')
