#!/usr/bin/env python3
"""Changes the policy of a capture (docs/policies.md, "The control socket"): change_policy.py SOCKET <REQUEST"""
import socket
import sys

with socket.socket(socket.AF_UNIX) as control:
    control.connect(sys.argv[1])
    control.sendall(sys.stdin.buffer.read())
    control.shutdown(socket.SHUT_WR)  # the request is whole
    answer = control.makefile().read()
print(answer, end='')
sys.exit(answer != 'ok\n')
