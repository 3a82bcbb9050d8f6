"""extract(stream=True): batches, and an end at any time. That memory does not grow, bench/flat_memory shows."""

import copy
import io
import os
import pickle
import subprocess
import sys
import threading
import unittest

import pyarrow
import warpmeter as wm
from support import FIRST_LOOK, Case, rows_of, traffic


# Threads that end with the process, one that waits for packets and one that gives Flow Records.
DAEMON = """
import os, sys, threading, time, warpmeter as wm
class Late:
    def __del__(self): time.sleep(0.35)
late = Late()
end, writer = os.pipe()
for of in f"/proc/self/fd/{end}", sys.argv[1]:
    threading.Thread(target=lambda: [list(wm.extract(of, stream=True)) for _ in range(1000)], daemon=True).start()
time.sleep(0.2)
"""


# A child that has nothing to do with the run but its memory, and goes on as Python does.
FORKED = """
import os, sys, warpmeter as wm
stream = wm.extract(sys.argv[1], stream=True, output=sys.argv[2])
given = wm.extract(open(sys.argv[1], 'rb'), stream=True)
if os.fork() == 0:
    for one in stream, given:
        try:
            list(one)
            print('went on')
        except wm.Error as error:
            print(error)
    sys.exit()
os.wait()
print(sum(map(len, stream)), sum(map(len, given)))
"""


class Streams(Case):
    def test_batches(self):
        data = traffic(100000, "--mean-packets", "2")
        expected = rows_of(wm.extract(data))
        with self.nothing_left(), wm.extract(data, stream=True) as stream:
            with self.assertRaisesRegex(wm.Error, "when all Flow Records have been taken"):
                stream.summary
            batches = [pyarrow.record_batch(batch) for batch in stream]
            self.assertGreater(len(batches), 1)
            self.assert_same(rows_of(pyarrow.Table.from_batches(batches)), expected)
            self.assertEqual(stream.summary["rows"], len(expected[1]))
            self.assertEqual(list(stream), [])
        self.assertEqual(stream.damage, [])
        self.assertEqual(stream.warnings, [])

    def test_closed_by_another_thread(self):
        for name in "flows.csv", "flows.json":
            with self.nothing_left():
                end, writer = os.pipe()
                os.write(writer, FIRST_LOOK.read_bytes()[:9000])  # and more might come
                with wm.extract(f"/proc/self/fd/{end}", stream=True, output=self.folder / name) as stream:
                    threading.Timer(0.2, stream.close).start()
                    with self.assertRaisesRegex(wm.Error, "the run is closed"):
                        list(stream)
                os.close(end)
                os.close(writer)

    def test_the_interpreter_ends_while_a_thread_meters(self):
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", DAEMON, FIRST_LOOK], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_is_there_once(self):
        stream = wm.extract(FIRST_LOOK, stream=True)
        for copied in copy.copy, copy.deepcopy, pickle.dumps:
            with self.assertRaisesRegex(TypeError, "cannot be copied"):
                copied(stream)
        self.assertGreater(len(list(stream)), 0)
        with self.assertRaisesRegex(wm.Error, "taken to the end"):
            wm.show(stream)
        with self.assertRaisesRegex(TypeError, "pyarrow.table"):
            pickle.dumps(wm.extract(FIRST_LOOK))

    def test_given_to_a_taker(self):
        expected = rows_of(wm.extract(FIRST_LOOK))
        with self.nothing_left():
            stream = wm.extract(FIRST_LOOK, stream=True)
            self.assert_same(rows_of(stream), expected)
            self.assertEqual(stream.summary["rows"], len(expected[1]))
            with self.assertRaisesRegex(wm.Error, "given to somebody else"):
                rows_of(stream)
            stream.close()
        with self.nothing_left():  # nobody but the taker has it
            self.assert_same(rows_of(wm.extract(FIRST_LOOK.read_bytes(), stream=True)), expected)
            self.assert_same(rows_of(wm.extract(io.BytesIO(FIRST_LOOK.read_bytes()), stream=True)), expected)
        with self.assertRaisesRegex(wm.CaptureError, "No such file"):
            pyarrow.table(wm.extract("/nowhere/x.pcap", stream=True))

    def test_ends_at_any_time(self):
        data = traffic(100000, "--mean-packets", "2")
        with self.nothing_left():
            wm.extract(data, stream=True, output=self.folder / "flows.csv").close()
            with wm.extract(data, stream=True, output=self.folder / "flows.csv") as stream:
                next(stream)
            for closed in stream, iter(stream):
                with self.assertRaisesRegex(wm.Error, "closed"):
                    next(closed)
            stream.close()
            next(wm.extract(data, stream=True, tmpdir=self.folder, memory="1M"))  # forgotten
            reader = pyarrow.RecordBatchReader.from_stream(wm.extract(data, stream=True))
            reader.read_next_batch()
            del reader

    def test_forked(self):
        done = subprocess.run(
            [sys.executable, "-c", FORKED, FIRST_LOOK, self.folder / "flows.csv"], capture_output=True, text=True,
            timeout=100,
        )  # fmt: skip
        said = "the run is one of the process that this one was forked from"
        self.assertEqual(done.stdout.splitlines(), [said, said, "46 46"], done.stderr)
        self.assertTrue((self.folder / "flows.csv").exists())


if __name__ == "__main__":
    unittest.main()
