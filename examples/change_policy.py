#!/usr/bin/env python3
"""Changes the policy of a capture (docs/policies.md, "The control socket"): change_policy.py SOCKET <REQUEST"""
import socket
import sys

PATIENCE = 30  # seconds: a change may take 10 to compile, and one before it as long

if len(sys.argv) != 2:
    sys.exit(__doc__)
request = sys.stdin.buffer.read()
try:
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(PATIENCE)
        control.connect(sys.argv[1])
        control.sendall(request)
        control.shutdown(socket.SHUT_WR)  # the request is whole
        answer = control.makefile().read()
except OSError as error:
    sys.exit(f'{sys.argv[1]}: {error.strerror or error}')
print(answer, end='')
sys.exit(answer != 'ok\n')
