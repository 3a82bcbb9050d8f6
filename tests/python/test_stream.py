"""extract(stream=True): batches, memory that does not grow with the capture, and an end at any time."""

import io
import subprocess
import sys
import unittest

import pyarrow
import warpmeter as wm
from support import FIRST_LOOK, TRAFFIC_GEN, Case, rows_of, traffic

# The most memory that a run of so many packets, from a pipe, had, in KB.
MEMORY = """
import subprocess, sys, warpmeter as wm
generator, folder, packets = sys.argv[1:]
words = [generator, '--packets', packets, '--mean-packets', '4', '--snaplen', '96', '-o', '-']
with subprocess.Popen(words, stdout=subprocess.PIPE) as traffic:
    with wm.extract(traffic.stdout, stream=True, memory='32M', tmpdir=folder, threads=2) as stream:
        rows = sum(len(batch) for batch in stream)
        assert rows == stream.summary['rows'] > int(packets) // 10, rows
        assert stream.summary['packets read'] == int(packets)
print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))
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

    def test_memory_does_not_grow(self):
        peaks = []
        for packets in 500_000, 3_000_000:
            words = [sys.executable, "-c", MEMORY, TRAFFIC_GEN, str(self.folder), str(packets)]
            peaks.append(int(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
        self.assertLess(peaks[1], peaks[0] + 30_000, peaks)  # the Flow Records alone are some 200,000
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
