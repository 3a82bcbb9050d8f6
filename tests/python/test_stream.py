"""extract(stream=True): batches, and an end at any time. That memory does not grow, bench/flat_memory shows."""

import io
import unittest

import pyarrow
import warpmeter as wm
from support import FIRST_LOOK, Case, rows_of, traffic


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


if __name__ == "__main__":
    unittest.main()
