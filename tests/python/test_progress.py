"""progress: how far reading is; what is called, and what is shown."""

import contextlib
import io
import re
import unittest

import warpmeter as wm
from support import FIRST_LOOK, Case, traffic


class Slow(io.BytesIO):
    """Gives some bytes at a time, so that there is something to wait for."""

    def read(self, size=-1):
        return super().read(min(size, 1 << 16))


class ProgressOfRuns(Case):
    def test_a_function_is_called(self):
        capture = self.folder / "many.pcap"
        capture.write_bytes(traffic(100000))
        for begin in wm.extract, lambda *given, **options: list(wm.streams(*given, **options)):
            told = []
            begin(capture, progress=told.append, threads=1)
            self.assertEqual(told[-1].packets_read, 100000)
            self.assertEqual(told[-1].bytes_read, told[-1].bytes_in_all)
            self.assertEqual(told[-1].share, 1)
            self.assertLessEqual(told[-1].bytes_in_all, capture.stat().st_size)
            for field in "bytes_read", "packets_read", "seconds":
                values = [getattr(one, field) for one in told]
                self.assertEqual(values, sorted(values))
        self.assertEqual(len(wm.extract(FIRST_LOOK, progress=False)), 46)

    def test_of_what_is_read(self):
        told = []
        wm.extract(Slow(traffic(100000)), progress=told.append)
        self.assertEqual((told[-1].bytes_in_all, told[-1].share, told[-1].packets_read), (None, None, 100000))

    def test_of_batches(self):
        told = []
        with wm.extract(FIRST_LOOK, stream=True, progress=told.append) as stream:
            self.assertEqual(sum(map(len, stream)), 46)
        self.assertEqual(told[-1].packets_read, 300)

    def test_what_is_shown(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            wm.extract(FIRST_LOOK, progress=True)
        last = r"\r41\.4 kB of 41\.4 kB \(100%\), [0-9.]+( k| M)? packets/s *\n"
        self.assertRegex(said.getvalue(), rf"^(\r[^\r\n]*)*{last}$")

    def test_what_it_raises_ends_the_run(self):
        def stop(progress):
            raise LookupError("enough")

        with self.nothing_left():
            for begin in wm.extract, lambda *given, **options: list(wm.streams(*given, **options)):
                with self.assertRaisesRegex(LookupError, "enough"):
                    begin(FIRST_LOOK, progress=stop)
            with self.assertRaisesRegex(wm.UsageError, "^progress: True, or a function"):
                wm.extract(FIRST_LOOK, progress="yes")


if __name__ == "__main__":
    unittest.main()
