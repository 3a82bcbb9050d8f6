"""Ctrl-C: KeyboardInterrupt is raised soon, and nothing is left behind."""

import os
import signal
import subprocess
import sys
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
    deadline = time.monotonic() + 10
    while state() != before and time.monotonic() < deadline: time.sleep(0.01)
    print('interrupted', state() == before, os.listdir(folder), flush=True)
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
                finally:
                    if feeder:
                        feeder.kill()
                        feeder.wait()
                    run.kill()
        self.assertEqual(said, "interrupted True []\n")
        self.assertLess(took, 5)

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


if __name__ == "__main__":
    unittest.main()
