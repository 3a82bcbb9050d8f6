"""Where examples run: names of files, hosts and interfaces as the docs have them, and nothing of it on this machine.

enter() makes a network, mounts and processes of this program's own: all of it is gone when it ends, however it ends.
There /data, /nfs and /run are new, and in memory; everything else is the machine's.
"""
import os, shutil, subprocess, sys

NEW = ('data', 'nfs', 'run')  # folders of the root that docs name files in
OURS = {'proc': 'proc', 'sys': 'sysfs'}  # what the kernel tells of these processes and this network
INTERFACES = ('eth0', 'eth1', 'eth2')


def leave_out(why):
    print(why)
    sys.exit(77)  # that of a test which cannot be run here


def enter(*taken):
    """Begins this program again in such a place, where it goes on. The files TAKEN must be reached there, too."""
    if os.environ.get('WARPMETER_DOCS') == 'inside':
        try: make_root()
        except subprocess.CalledProcessError as error: leave_out(f'root, with the right to mount, runs this: {error}')
        make_network()
        return
    for path in map(os.path.realpath, taken):
        if path.split('/')[1] in NEW: leave_out(f'a machine with {path} elsewhere runs this: the docs have files there')
    apart = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child']
    wire = [*apart, 'ip', 'link', 'add', 'wire', 'type', 'veth']
    if not shutil.which('ip') or subprocess.run(wire, stderr=subprocess.DEVNULL).returncode:
        leave_out('root, with the right to make namespaces and veth interfaces (iproute2), runs this')
    os.execvpe('unshare', [*apart, sys.executable, *sys.argv], {**os.environ, 'WARPMETER_DOCS': 'inside'})


def make_root():
    """A root of this program's own: what the machine has, and NEW. On the machine's itself /data could not be made."""
    def mount(*words): subprocess.run(['mount', *words], check=True)

    mount('-t', 'tmpfs', 'none', '/run')
    root = '/run/root'
    os.mkdir(root)
    for entry in os.scandir('/'):
        path = f'{root}/{entry.name}'
        if entry.name in (*NEW, *OURS): continue
        if entry.is_symlink(): os.symlink(os.readlink(entry.path), path)
        elif entry.is_dir():
            os.mkdir(path)
            mount('--rbind', entry.path, path)
        else:
            open(path, 'w').close()
            mount('--bind', entry.path, path)
    for name in (*NEW, 'run/tmp', *OURS): os.mkdir(f'{root}/{name}')
    for name, kind in OURS.items(): mount('-t', kind, kind, f'{root}/{name}')
    with open(f'{root}/run/hosts', 'w') as hosts: hosts.write('127.0.0.1 localhost collector.example\n')
    mount('--bind', f'{root}/run/hosts', f'{root}/etc/hosts')
    os.chroot(root)
    os.chdir('/')


def make_network():
    def ip(*words): subprocess.run(['ip', 'link', *words], check=True)

    if os.path.exists('/proc/sys/net/ipv6'):  # else interfaces say hello
        with open('/proc/sys/net/ipv6/conf/default/disable_ipv6', 'w') as said: said.write('1')
    ip('set', 'lo', 'up')
    for name in INTERFACES:
        ip('add', name, 'type', 'veth', 'peer', 'name', f'of-{name}')
        ip('set', name, 'up')
        ip('set', f'of-{name}', 'up')
