"""notified.py FILE: a service manager: hears at the abstract name $NOTIFY_SOCKET; writes what it hears, a line each."""
import os, socket, sys

s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('\0' + os.environ['NOTIFY_SOCKET'][1:])
with open(sys.argv[1], 'w', buffering=1) as to:
    while True: to.write(s.recv(4096).decode() + '\n')
