"""Ctrl-C: KeyboardInterrupt is raised soon, and nothing is left behind."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import warpmeter as wm
from support import FIRST_LOOK, TRAFFIC_GEN, Case

# Says when it begins, and what is left when it has been interrupted.
SCRIPT = """
import os, sys, time
import warpmeter as wm
def state(): return sorted(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task'))
how, folder, source = sys.argv[1:]
options = dict(memory='1M', tmpdir=folder, output=folder + '/flows.csv')
given = open(source, 'rb') if how == 'reader' else source
before = state()
print('begun', flush=True)
try:
    if how == 'stream':
        for batch in wm.extract(given, stream=True, **options): pass
    elif how == 'blocks':
        for block in wm.streams(given, memory='1M'): pass
    elif how == 'show':
        wm.show(given, sort='bytes', output=folder + '/shown.csv')
    elif how == 'show a stream':
        wm.show(wm.extract(given, stream=True, **options), 'tcp')
    elif how == 'report':
        wm.report(given, folder + '/report.html')
    elif how == 'report a stream':
        wm.report(wm.extract(given, stream=True, **options), folder + '/report.html')
    else:
        wm.extract(given, **options)
    print('was not interrupted')
except KeyboardInterrupt:
    print('interrupted', flush=True)
# Not before: between two blocks the exception is raised in frames that its traceback keeps, and with them the run.
deadline = time.monotonic() + 60  # threads of a busy machine
while state() != before and time.monotonic() < deadline: time.sleep(0.01)
print('left', state() if state() != before else None, os.listdir(folder), flush=True)
"""


class Interrupt(Case):
    def interrupt(self, how, *, packets=None, lines=None):
        """Of a run that reads a pipe with so many packets, or flows as lines of CSV, which stays open."""
        pipe, scratch = self.folder / "pipe", self.folder / "scratch"
        os.mkfifo(pipe)
        scratch.mkdir()
        with subprocess.Popen(
            [sys.executable, "-c", SCRIPT, how, str(scratch), str(pipe)], stdout=subprocess.PIPE, text=True
        ) as run:
            feeder = None
            with open(pipe, "wb") as kept_open:
                try:
                    if packets is not None:
                        words = [TRAFFIC_GEN, "--packets", str(packets), "--mean-packets", "4", "-o", "-"]
                        feeder = subprocess.Popen(words, stdout=kept_open)
                    if lines:
                        kept_open.write(lines)
                        kept_open.flush()
                    self.assertEqual(run.stdout.readline(), "begun\n")
                    time.sleep(1)
                    began = time.monotonic()
                    run.send_signal(signal.SIGINT)
                    said = run.stdout.readline()
                    took = time.monotonic() - began
                    left = run.stdout.readline()
                finally:
                    if feeder:
                        feeder.kill()
                        feeder.wait()
                    run.kill()
        self.assertEqual(said, "interrupted\n")
        self.assertLess(took, 5)
        self.assertEqual(left, "left None []\n")

    def test_path_that_gives_nothing(self):
        self.interrupt("path", packets=None)

    def test_endless_path(self):
        self.interrupt("path", packets=0)

    def test_reader_that_gives_no_more(self):
        self.interrupt("reader", packets=10000)

    def test_endless_reader(self):
        self.interrupt("reader", packets=0)

    def test_stream(self):
        self.interrupt("stream", packets=0)

    def test_blocks(self):
        self.interrupt("blocks", packets=0)

    def lines(self):
        path = self.folder / "lines.csv"
        wm.extract(FIRST_LOOK, output=path)
        return path.read_bytes()

    def test_show(self):
        self.interrupt("show", lines=self.lines())

    def test_report(self):
        self.interrupt("report", lines=self.lines())

    def test_streams_that_are_read(self):
        for how in "show a stream", "report a stream":
            with self.subTest(how):
                self.interrupt(how, packets=0)
                (self.folder / "pipe").unlink()
                (self.folder / "scratch").rmdir()

    def assert_ends_soon(self, **options):
        """One that has to send what it metered, at Ctrl-C and when it is closed."""
        timer = threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT])
        with self.nothing_left():
            began = time.monotonic()
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                wm.extract(FIRST_LOOK, **options)
            self.assertLess(time.monotonic() - began, 5)
        with self.nothing_left():
            stream = wm.extract(FIRST_LOOK, stream=True, **options)

            def wait():
                with contextlib.suppress(wm.Error):  # it was closed
                    list(stream)

            waiting = threading.Thread(target=wait)
            waiting.start()
            time.sleep(1)
            began = time.monotonic()
            stream.close()
            waiting.join()
            self.assertLess(time.monotonic() - began, 5)
        with self.nothing_left():
            stream = wm.extract(FIRST_LOOK, stream=True, **options)
            time.sleep(1)
            began = time.monotonic()
            stream.close()
            self.assertLess(time.monotonic() - began, 5)

    def test_slow_collector(self):
        self.assert_ends_soon(collector="udp://127.0.0.1:9", netflow_v9=True, collector_rate=2)

    def test_collector_that_never_reads(self):
        with socket.create_server(("127.0.0.1", 0)) as never:
            port = never.getsockname()[1]
            try:
                self.assert_ends_soon(collector=f"tcp://127.0.0.1:{port}")
            except wm.UsageError:
                self.skipTest("a build with IPFIX would run this")


if __name__ == "__main__":
    unittest.main()
