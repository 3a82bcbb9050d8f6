#!/usr/bin/env python3
"""Writes what arrives on a port of 127.0.0.1 to a file: udp until SIGTERM, tcp one connection.

    receive.py udp|tcp PORT FILE
"""
import signal, socket, sys

transport, port, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
out = open(path, 'wb', buffering=0)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if transport == 'udp' else socket.SOCK_STREAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', port))
if transport == 'tcp':
    s.listen()
    print('listening', flush=True)
    s, _ = s.accept()
while data := s.recv(1 << 16): out.write(data)
