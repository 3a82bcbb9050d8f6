#!/usr/bin/env bash
# bash, zsh and fish complete commands, options and values, as somebody types them.
. "$(dirname "$0")/../common.sh"
[ -n "${WRITE_MANUAL:-}" ] || { echo "a build with tools/manual runs this"; exit 77; }
"$WRITE_MANUAL" "$PWD" "$SOURCE" 1.2.3 2026-01-31
bash -n share/bash-completion/completions/warpmeter
! command -v zsh > /dev/null || zsh -n share/zsh/vendor-completions/_warpmeter
! command -v fish > /dev/null || fish --no-execute share/fish/vendor_completions.d/warpmeter.fish
mkdir typed typed/captures && touch typed/trace.pcap
python3 - "$PWD" <<'PY'
import os, pty, re, select, shutil, subprocess, sys, time

top = sys.argv[1]
failed = []
NAMES = '/sys/class/net'  # a container may have no /sys
an_interface = os.listdir(NAMES)[:1] if os.path.isdir(NAMES) else []


def shell(argv, start):
    """A shell on a terminal of its own, in the folder `typed`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(top + '/typed')
        os.environ.update(TERM='dumb', PS1='$ ', HOME=top, LC_ALL='C.UTF-8')
        os.execvp(argv[0], argv)
    os.write(terminal, start.encode())
    read(terminal, 'ready\r')
    return terminal


def read(terminal, wanted, seconds=10):
    text, end = '', time.monotonic() + seconds
    while time.monotonic() < end and wanted not in text:
        if select.select([terminal], [], [], 0.1)[0]: text += os.read(terminal, 65536).decode(errors='replace')
    return text


def expect(name, terminal, typed, *wanted, absent=()):
    """Types it, tabs too, and looks for what stands there then; takes the line back."""
    os.write(terminal, typed.encode())
    text, end = '', time.monotonic() + 10
    while time.monotonic() < end and not all(w in text for w in wanted):
        if select.select([terminal], [], [], 0.1)[0]: text += os.read(terminal, 65536).decode(errors='replace')
    if absent: text += read(terminal, '\0', 1)
    for w in wanted:
        if w not in text: failed.append(f'{name}: {typed!r}: no {w!r} in {text!r}')
    for w in absent:
        if w in text: failed.append(f'{name}: {typed!r}: {w!r} in {text!r}')
    os.write(terminal, b'\x15')
    read(terminal, '\0', 0.3)


bash = shell(['bash', '--norc', '-i'], 'bind "set bell-style none"; . ../share/bash-completion/completions/warpmeter; echo read""y\n')
expect('bash', bash, 'warpmeter ext\t', 'warpmeter extract ')
expect('bash', bash, 'warpmeter \t\t', 'extract', 'decode', 'reassemble', 'packets', 'coalesce', 'live', 'show', 'info', 'report', 'merge', 'memory', 'policy', 'help')
expect('bash', bash, 'warpmeter extract --idle\t', '--idle-timeout ')
expect('bash', bash, 'warpmeter extract --format=par\t', '--format=parquet')
expect('bash', bash, 'warpmeter live --ring \t\t', 'auto', 'xdp', 'packet', 'pcap')
expect('bash', bash, 'warpmeter live -i \t\t', *an_interface, 'folder:')
expect('bash', bash, 'warpmeter live -i folder:capt\t', 'folder:captures')
expect('bash', bash, 'warpmeter show --columns src_addr,retransmission_s\t', 'src_addr,retransmission_share')
expect('bash', bash, 'warpmeter extract --columns community_id,first_p\t', 'community_id,first_packet')
expect('bash', bash, 'warpmeter show --sort retransmission_s\t', 'retransmission_share ')
expect('bash', bash, 'warpmeter show --sort bytes:d\t', 'bytes:desc ')
expect('bash', bash, 'warpmeter show --sum vl\t', 'vlan_id')
expect('bash', bash, 'warpmeter extract tra\t', 'trace.pcap')
expect('bash', bash, 'warpmeter extract --tmpdir \t', 'captures', absent=['trace.pcap'])
expect('bash', bash, 'warpmeter extract --threads tra\t', 'tra', absent=['trace.pcap'])
expect('bash', bash, 'warpmeter help rep\t', 'help report ')

if shutil.which('zsh'):
    zsh = shell(['zsh', '-f', '-i'], "PS1='$ '; unsetopt zle_bracketed_paste beep; fpath=(../share/zsh/vendor-completions $fpath); "
                'autoload -U compinit; compinit -u -D; echo read""y\n')
    expect('zsh', zsh, 'warpmeter ext\t', 'extract ')
    expect('zsh', zsh, 'warpmeter \t', 'captures to Flow Records')
    expect('zsh', zsh, 'warpmeter extract --idle\t', '--idle-timeout')
    expect('zsh', zsh, 'warpmeter live --ring xd\t', 'xdp')
    expect('zsh', zsh, 'warpmeter show --columns src_addr,retransmission_s\t', 'share')
    expect('zsh', zsh, 'warpmeter extract tra\t', 'ce.pcap')
    for option in ('-i ', '--interface=', '--advise '):
        expect('zsh', zsh, f'warpmeter live {option}\t\t', *an_interface, 'folder:',
               absent=['-J', '-default-'])
    for option in ('-i ', '--interface='):
        expect('zsh', zsh, f'warpmeter live {option}folder:capt\t', 'ures/')
else:
    print('no zsh: not tried')

if shutil.which('fish'):
    def lines_of(typed):
        script = f"source ../share/fish/vendor_completions.d/warpmeter.fish; complete -C '{typed}'"
        done = subprocess.run(['fish', '--no-config', '-c', script], cwd=top + '/typed', capture_output=True, text=True)
        return done.stdout.splitlines() + [done.stderr]

    def fish(typed): return [line.split('\t')[0] for line in lines_of(typed)]
    for typed, wanted in (('warpmeter ext', 'extract'), ('warpmeter extract --idle', '--idle-timeout'),
                          ('warpmeter live --ring ', 'xdp'), ('warpmeter extract --format=par', '--format=parquet'),
                          ('warpmeter show --columns src_addr,retransmission_s', 'src_addr,retransmission_share'),
                          ('warpmeter live -i ', 'folder:'), ('warpmeter extract tra', 'trace.pcap'),
                          ('warpmeter extract --tmpdir ', 'captures/'), ('warpmeter help rep', 'report')):
        if wanted not in fish(typed): failed.append(f'fish: {typed!r}: no {wanted!r} in {fish(typed)}')
    for typed in ('live --ring ', 'live -i ', 'extract --format=', 'show --columns src_addr,'):
        for line in lines_of('warpmeter ' + typed):
            if line.rstrip('\t') != line.split('\t')[0]: failed.append(f'fish: {typed!r}: a value is described: {line!r}')
else:
    print('no fish: not tried')

for line in failed: print(line)
sys.exit(1 if failed else 0)
PY
# Every option of the help is one that bash knows.
for command in extract reassemble coalesce live show info report policy; do
  for option in $("$WARPMETER" $command --help | grep -oE '^  (    |-., )--[a-z0-9-]+' | grep -oE -- '--.*'); do
    grep "^ *$command,-\\*)" share/bash-completion/completions/warpmeter | grep -qE -- "[ ']$option[ ']" || fail "$command: no $option"
  done
done
