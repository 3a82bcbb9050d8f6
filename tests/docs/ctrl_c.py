"""ctrl_c.py PROGRAM WORD...: what goes on until Ctrl-C, and somebody who presses it half a second after it has begun.

The program says that it has begun as to systemd. One that has not within four seconds, because it waits for somebody
else, gets the signal then. Ends with the program's status.
"""
import os, signal, socket, subprocess, sys, time

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(b'\0warpmeter-docs-%d' % os.getpid())
manager.settimeout(0.1)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has it ignored by what runs in the background
program = subprocess.Popen(sys.argv[1:], env={**os.environ, 'NOTIFY_SOCKET': f'@warpmeter-docs-{os.getpid()}'})
deadline = time.monotonic() + 4
while program.poll() is None and time.monotonic() < deadline:
    try:
        if manager.recv(1 << 16).startswith(b'READY=1'): deadline = min(deadline, time.monotonic() + 0.5)
    except TimeoutError: pass
if program.poll() is None: program.send_signal(signal.SIGINT)
status = program.wait()
sys.exit(status if status >= 0 else 128 - status)
