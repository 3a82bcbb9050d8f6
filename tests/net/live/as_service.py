"""as_service.py UNIT COMMAND...: runs it as user nobody, where no systemd runs, with the capabilities, system calls and
address families that a unit file leaves it.

Uses libseccomp, as systemd does, and `systemd-analyze` for the sets of calls. Exit status 77 where one is missing.
"""
import ctypes, errno, os, re, shutil, socket, subprocess, sys

unit = dict(line.rstrip('\n').split('=', 1) for line in open(sys.argv[1]) if re.match(r'[A-Z]\w+=', line))
command = sys.argv[2:]
NOBODY, ALLOW, ERRNO, EQUAL, GREATER = 65534, 0x7fff0000, 0x00050000, 4, 6  # all but the first of libseccomp
MOST_FAMILIES = 64  # more than the kernel has


class Comparison(ctypes.Structure):
    _fields_ = [('argument', ctypes.c_uint), ('how', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]


def calls_of(names):
    sets = [name for name in names if name[0] == '@']
    if not sets: return names
    listed = subprocess.run(['systemd-analyze', 'syscall-filter', '--no-pager', *sets], check=True, capture_output=True,
                            text=True).stdout
    words = [line.strip() for line in listed.splitlines() if line.startswith(' ')]
    return [name for name in names if name[0] != '@'] + calls_of([word for word in words if word[0] != '#'])


def refused_families():
    allowed = {getattr(socket, name, {'AF_XDP': 44}.get(name)) for name in unit['RestrictAddressFamilies'].split()}
    assert None not in allowed
    return [family for family in range(MOST_FAMILIES) if family not in allowed]


def refuse():
    assert unit['SystemCallFilter'][0] == '~'
    try: seccomp = ctypes.CDLL('libseccomp.so.2')
    except OSError: sys.exit(77)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ALLOW)))

    def add(error, name, *comparisons):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number < 0: return  # of another architecture
        array = (Comparison * len(comparisons))(*comparisons)
        action = ctypes.c_uint32(ERRNO | error)
        assert seccomp.seccomp_rule_add_array(context, action, number, len(comparisons), array) == 0, name

    for name in calls_of(unit['SystemCallFilter'][1:].split()): add(getattr(errno, unit['SystemCallErrorNumber']), name)
    for family in refused_families(): add(errno.EAFNOSUPPORT, 'socket', Comparison(0, EQUAL, family, 0))
    add(errno.EAFNOSUPPORT, 'socket', Comparison(0, GREATER, MOST_FAMILIES - 1, 0))
    assert seccomp.seccomp_load(context) == 0


if not all(map(shutil.which, ('systemd-analyze', 'setpriv'))): sys.exit(77)
assert unit['AmbientCapabilities'] == unit['CapabilityBoundingSet'] and unit['NoNewPrivileges'] == 'yes'
names = [name.removeprefix('CAP_').lower() for name in unit['AmbientCapabilities'].split()]
capabilities = '-all' + ''.join(',+' + name for name in names)
refuse()
user = [f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', '--no-new-privs']
sets = [f'--{one}={capabilities}' for one in ('inh-caps', 'ambient-caps', 'bounding-set')]
os.execvp('setpriv', ['setpriv', *user, *sets, *command])
