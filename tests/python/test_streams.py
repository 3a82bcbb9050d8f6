"""streams(): the blocks that the command writes, bounded, and an end at any time."""

import contextlib
import copy
import io
import itertools
import json
import os
import pickle
import re
import subprocess
import threading
import time
import unittest
from datetime import timedelta
from hashlib import sha256

import warpmeter as wm
from support import FIRST_LOOK, PROGRAM, SOURCE, TRAFFIC_GEN, Case, traffic

LIST = (SOURCE / "include" / "warpmeter" / "tcp_stream.h").read_text().partition("#define")[2]
COUNTERS = re.findall(r"COUNTER\((\w+)\)", LIST)
ENDS = "client", "client_port", "server", "server_port", "opened_packet", "opened_ns"


def told_by_command(*words):
    """The JSON of the command, without what Python has in another form."""
    command = [PROGRAM, "reassemble", "-q", "-o", "-", "--format", "json", *map(str, words)]
    done = subprocess.run(command, capture_output=True)
    if done.returncode not in (0, 3):
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)["connections"]


def of_direction(direction):
    told = {name: getattr(direction, name) for name in COUNTERS}
    told |= {name: getattr(direction, name) for name in ("syn", "fin", "finished", "complete")}
    return told | {"gaps": [list(gap) for gap in direction.gaps]}


def told_by_python(blocks):
    """The same, of what streams() gave."""
    connections = {}
    for block in blocks:
        c = block.connection
        told = connections.setdefault(c, {name: getattr(c, name) for name in ENDS} | {"blocks": []})
        if block.report is None:
            subs = [[s.direction, s.offset, len(s), s.gap, sha256(s.data).hexdigest()] for s in block.sub_blocks]
            told["blocks"].append({"reason": block.reason, "packet": block.packet, "subblocks": subs})
        else:
            report = block.report
            told |= {"end": report.end, "last_ns": report.last_ns, "max_buffered": report.max_buffered}
            told["directions"] = {"client": of_direction(report.client), "server": of_direction(report.server)}
    return sorted(connections.values(), key=lambda one: one["opened_packet"])


class Streams(Case):
    def test_blocks_are_those_of_the_command(self):
        capture = self.folder / "trace.pcap"
        capture.write_bytes(traffic(20000))
        for options in {}, {"block_size": "1K", "timeout": 1, "threads": 2}, {"filter": "port 443", "gap_packets": 0}:
            words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if name != "filter"]
            expected = told_by_command(*words, capture, *options.get("filter", "").split())
            with self.nothing_left(), wm.streams(capture, **options) as run:
                got = told_by_python(run)
            self.assertGreater(len(expected), 1)
            self.assertEqual(len(got), len(expected))
            for one, other in zip(got, expected):
                self.assertEqual(one, other)

    def test_summary(self):
        with self.nothing_left():
            run = wm.streams(FIRST_LOOK)
            with self.assertRaisesRegex(wm.Error, "when all blocks have been taken"):
                run.summary
            ends = sum(block.report is not None for block in run)
            self.assertGreater(ends, 10)
            self.assertEqual(run.summary["connections"], ends)
            self.assertEqual((run.damage, run.warnings), ([], []))
            self.assertEqual(list(run), [])
            run.close()

    def test_what_is_given(self):
        block = next(b for b in wm.streams(FIRST_LOOK) if b.sub_blocks)
        sub = block.sub_blocks[0]
        self.assertEqual(bytes(sub), bytes(sub.data))
        self.assertEqual(len(sub), len(sub.data))
        self.assertTrue(sub.data.readonly)
        self.assertTrue(memoryview(sub).contiguous)
        with self.assertRaises((BufferError, TypeError)):
            io.BytesIO(b"x" * len(sub)).readinto(sub)
        data = sub.data
        expected = bytes(sub)
        del block, sub  # a view keeps what it shows
        self.assertEqual(bytes(data), expected)
        with self.assertRaises(TypeError):
            wm.Block()

    def test_inputs_of_all_kinds(self):
        data = FIRST_LOOK.read_bytes()
        expected = told_by_python(wm.streams(FIRST_LOOK))
        with self.nothing_left(), open(FIRST_LOOK, "rb") as file:
            for source in data, io.BytesIO(data), file, [FIRST_LOOK]:
                self.assertEqual(told_by_python(wm.streams(source)), expected)
        with self.nothing_left():
            damaged = wm.streams(data[:30000])
            self.assertGreater(len(list(damaged)), 0)
            self.assertEqual(damaged.damage[0]["file"], "<bytes>")
            self.assertRegex(damaged.warnings[0], "^<bytes>: damaged at byte ")

    def test_errors(self):
        with self.nothing_left():
            with self.assertRaisesRegex(wm.UsageError, "1K to 256K"):
                wm.streams(FIRST_LOOK, block_size="1M")
            with self.assertRaisesRegex(wm.UsageError, "no option --output"):
                wm.streams(FIRST_LOOK, output="x.json")
            with self.assertRaisesRegex(wm.CaptureError, "^/nowhere/x.pcap: No such file or directory$"):
                list(wm.streams("/nowhere/x.pcap"))
            with self.assertRaisesRegex(wm.UsageError, "^filter 'tcp prot 3': "):
                list(wm.streams(FIRST_LOOK, filter="tcp prot 3"))

            class Breaks:
                def read(self, size):
                    raise OSError("no more paper")

            with self.assertRaisesRegex(OSError, "no more paper") as raised:
                list(wm.streams(Breaks()))
            self.assertIsNone(raised.exception.__context__)  # nothing else is told with it
        for copied in copy.copy, pickle.dumps:
            with self.assertRaisesRegex(TypeError, "cannot be copied"):
                copied(wm.streams(FIRST_LOOK))

    def test_ends_at_any_time(self):
        data = traffic(100000)
        with self.nothing_left():
            wm.streams(data).close()
            with wm.streams(data) as run:
                next(run)
            with self.assertRaisesRegex(wm.Error, "closed"):
                next(run)
            for block in wm.streams(data):
                break
            next(wm.streams(io.BytesIO(data), threads=2))

    def test_closed_by_another_thread(self):
        with self.nothing_left():
            end, writer = os.pipe()
            os.write(writer, FIRST_LOOK.read_bytes()[:9000])  # and more might come
            with wm.streams(f"/proc/self/fd/{end}") as run:
                threading.Timer(0.2, run.close).start()
                with self.assertRaisesRegex(wm.Error, "the run is closed"):
                    list(run)
            os.close(end)
            os.close(writer)

    def test_one_thread_at_a_time(self):
        for begin in wm.streams, lambda source: wm.extract(source, stream=True):
            asked, go_on, capture = threading.Event(), threading.Event(), io.BytesIO(FIRST_LOOK.read_bytes())

            class Waits:
                def read(self, size):
                    if asked.is_set() and not go_on.is_set():
                        raise AssertionError("two threads take")
                    asked.set()
                    go_on.wait(60)
                    return capture.read(size)

            with self.nothing_left(), begin(Waits()) as run:
                got = []
                taker = threading.Thread(target=lambda: got.extend(run))
                taker.start()
                self.assertTrue(asked.wait(60))
                with self.assertRaisesRegex(wm.Error, "one thread at a time"):
                    next(run)
                go_on.set()
                taker.join(60)
                self.assertEqual(list(run), [])
                self.assertEqual(len(got), len(list(begin(FIRST_LOOK))))  # the other one was not disturbed

    def test_another_thread_takes_between_two_steps(self):
        capture = self.folder / "trace.pcap"
        capture.write_bytes(traffic(20000))
        with self.nothing_left(), wm.streams(capture) as run:
            take, got = run._take, []

            def after_another(first_of_next):
                run._take = take
                got.extend(itertools.islice(run, 1))
                run._take = after_another
                return take(first_of_next)

            run._take = after_another
            got.extend(run)
        self.assertTrue(told_by_python(got) == told_by_command(capture))  # a difference is too long to be shown

    def test_who_is_slow_is_waited_for(self):
        end, writer = os.pipe()
        passed = 0

        def pass_on(feeder):
            nonlocal passed
            with contextlib.suppress(BrokenPipeError), open(writer, "wb", buffering=0) as to:
                while data := feeder.stdout.read(1 << 16):
                    to.write(data)
                    passed += len(data)

        words = [TRAFFIC_GEN, "--packets", "0", "-o", "-"]
        with open(end, "rb", buffering=0) as source, subprocess.Popen(words, stdout=subprocess.PIPE) as feeder:
            passing = threading.Thread(target=pass_on, args=[feeder])
            passing.start()
            with wm.streams(f"/proc/self/fd/{end}") as run:
                next(run)
                before = -1
                for _ in range(30):  # a busy machine takes its time until all that has room has passed
                    if passed == before:
                        break
                    before = passed
                    time.sleep(1)
                self.assertEqual(passed, before)
                self.assertLess(passed, 100_000_000)
                for _ in range(20000):
                    next(run)
                self.assertGreater(passed, before)
            source.close()
            feeder.kill()
            passing.join()

    def test_options_as_python_has_them(self):
        self.assertGreater(len(list(wm.streams(FIRST_LOOK, timeout=timedelta(seconds=2), block_size=4096))), 0)
        with contextlib.suppress(wm.UsageError):
            wm.streams(FIRST_LOOK, timeout=timedelta(hours=1))
            self.fail("an hour")


if __name__ == "__main__":
    unittest.main()
