"""What these tests share. tests/e2e/setup/python_package.sh runs them, and sets the environment."""

import contextlib
import csv
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import pyarrow

PROGRAM, TRAFFIC_GEN = os.environ["WARPMETER"], os.environ["TRAFFIC_GEN"]
SOURCE, DATA = pathlib.Path(os.environ["SOURCE"]), pathlib.Path(os.environ["DATA"])
FIRST_LOOK = DATA / "first-look.pcap"
CORPUS = pathlib.Path(os.environ.get("WARPMETER_CORPUS", SOURCE.parent / "shared" / "contract")) / "corpus" / "captures"


def rows_of_command(*words, command="extract"):
    """Header and rows of the CSV."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "flows.csv")
        done = subprocess.run([PROGRAM, command, "-q", "-o", output, *map(str, words)], capture_output=True)
        if done.returncode not in (0, 3):
            raise AssertionError(done.stderr.decode())
        with open(output) as file:
            header, *rows = csv.reader(file)
    return header, rows


def cell_of(value):
    return "" if value is None else f"{value:.9f}" if isinstance(value, float) else str(value)


def rows_of(flows):
    """The same of what takes Arrow: values as CSV has them, times to the nanosecond."""
    table = pyarrow.table(flows)
    columns = [c.cast("int64") if pyarrow.types.is_timestamp(c.type) else c for c in table.columns]
    rows = zip(*([cell_of(v) for v in column.to_pylist()] for column in columns))
    return table.column_names, [list(row) for row in rows]


def traffic(packets, *options):
    """The bytes of a capture."""
    words = [TRAFFIC_GEN, "--packets", str(packets), *options, "-o", "-"]
    return subprocess.run(words, check=True, capture_output=True).stdout


def open_files():
    return sorted(os.listdir("/proc/self/fd"))


def threads():
    return set(os.listdir("/proc/self/task"))


class Case(unittest.TestCase):
    def has_parquet(self):
        about = subprocess.run([PROGRAM, "info"], check=True, capture_output=True, text=True).stdout
        return re.search("Parquet *built in", about) is not None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_same(self, got, expected):
        """Of two that rows_of() gave. What unittest would say of long lists takes it minutes."""
        self.assertEqual(got[0], expected[0])
        for number, (one, other) in enumerate(zip(got[1], expected[1])):
            if one != other:
                self.assertEqual(one, other, f"row {number}")
        self.assertEqual(len(got[1]), len(expected[1]))

    @contextlib.contextmanager
    def nothing_left(self):
        """No descriptor, no thread, no file below self.folder more than before. Threads of other libraries may end when
        they like (polars keeps idle ones for ten seconds): this looks for new threads and does not count them."""
        files, tasks, before = open_files(), threads(), sorted(self.folder.rglob("*"))
        yield
        self.assertEqual(open_files(), files)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        deadline = time.monotonic() + 10  # one that was joined may be seen for a moment
        while threads() - tasks and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(threads() - tasks, set())
