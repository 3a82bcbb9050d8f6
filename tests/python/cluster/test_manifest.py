"""Marks of what is done, the work folder, and folders of tasks."""

import os
import unittest

import warpmeter as wm
from cluster_support import Case, needs
from warpmeter.cluster.manifest import Manifest, key_of, mark
from warpmeter.cluster.metering import name_in_dataset
from warpmeter.cluster.scratch import scratch, sweep
from warpmeter.cluster.store import Store
from warpmeter.cluster.summary import added
from warpmeter.cluster.trouble import Lost, told_in_one_line

JOB = {"warpmeter": "1", "inputs": ["a"], "partitions": 16}


class Marks(Case):
    def setUp(self):
        super().setUp()
        self.store = Store(str(self.folder / "work"))

    def begun(self, job=JOB, fresh=False):
        manifest = Manifest(self.store)
        manifest.begin(job, fresh)
        return manifest

    def test_goes_on(self):
        self.begun()
        self.store.write("sets/x/part", "bytes")
        result = {"folder": "sets/x", "files": {"part": 5}}
        mark(self.store, "decode-1", result)
        mark(self.store, "decode-2", {"folder": "sets/gone", "files": {"part": 5}})
        mark(self.store, "decode-3", {"folder": None, "files": {}})
        self.assertEqual(self.begun().results, {"decode-1": result, "decode-3": {"folder": None, "files": {}}})
        self.assertEqual(self.begun(fresh=True).results, {})
        self.assertEqual(self.begun().results, {})

    def test_another_job(self):
        self.begun()
        with self.assertRaises(wm.Error) as raised:
            self.begun({**JOB, "partitions": 32})
        for said in ("another job", "partitions was 16 and is 32 now", "--fresh", "--work"):
            self.assertIn(said, str(raised.exception))
        self.begun({**JOB, "partitions": 32}, fresh=True)

    def test_no_work_of_a_job(self):
        self.store.write("letters", "mine")
        with self.assertRaises(wm.Error):
            self.begun()
        # What is no job's stays in any case.
        self.begun(fresh=True).end()
        self.assertEqual(self.store.read("letters"), "mine")

    def test_a_mark_cut_short_is_none(self):
        self.begun()
        self.store.write("done/decode-1.json", '{"folder": "se')
        self.assertEqual(self.begun().results, {})

    def test_let_go(self):
        manifest = self.begun()
        self.store.write("sets/x/part", "bytes")
        manifest.add("decode-1", {"folder": "sets/x", "files": {"part": 5}, "first_ns": 3})
        manifest.let_go("decode-1")
        self.assertEqual(self.store.names("sets"), [])
        self.assertEqual(self.begun().results["decode-1"]["first_ns"], 3)
        self.assertIsNone(self.begun().results["decode-1"]["folder"])

    def test_end_leaves_nothing(self):
        self.begun().end()
        self.assertFalse((self.folder / "work").exists())

    def test_keys(self):
        self.assertEqual(key_of("decode", ["a", 1], {"x": 1, "y": 2}), key_of("decode", ["a", 1], {"y": 2, "x": 1}))
        self.assertEqual(len({key_of("decode", ["a", 1]), key_of("decode", ["a", 2]), key_of("meter", ["a", 1])}), 3)


class Stores(Case):
    def try_store(self, store, is_path):
        self.assertIsNone(store.read("done/x.json"))
        self.assertEqual(store.names("done"), [])
        store.write("done/x.json", "first")
        store.write("done/x.json", "second")
        self.assertEqual(store.read("done/x.json"), "second")
        self.assertEqual(store.names("done"), ["x.json"])
        (self.folder / "one").write_text("1")
        (self.folder / "two").write_text("2")
        store.put([str(self.folder / "one"), str(self.folder / "two")], ["sets/k/a", "sets/k/b"])
        self.assertEqual(store.names("sets/k"), ["a", "b"])
        self.assertEqual(store.below("sets"), {"sets/k/a", "sets/k/b"})
        self.assertEqual(store.read_all("sets/k"), {"a": "1", "b": "2"})
        self.assertEqual(store.read_all("none"), {})
        got = self.folder / f"got {store.url[:6].replace('/', '')}"
        store.get(["sets/k/b"], [str(got)])
        self.assertEqual(got.read_text(), "2")
        self.assertEqual(got.is_symlink(), is_path)
        with self.assertRaises(FileNotFoundError):
            store.get(["sets/k/c"], [str(self.folder / "none")])
        store.remove("sets/k")
        self.assertEqual(store.below("sets"), set())
        store.remove("sets/k")
        store.remove()

    def test_path(self):
        self.try_store(Store(str(self.folder / "work")), True)
        self.try_store(Store(f"file://{self.folder}/other"), True)

    @needs("fsspec")
    def test_url(self):
        import fsspec

        store = Store.__new__(Store)  # nodes would not have it, so Store() refuses it
        store.url, store.folder = "memory://work", None
        store._files, store._root = fsspec.filesystem("memory"), "/work"
        self.try_store(store, False)

    @unittest.skipIf(os.geteuid() == 0, "who is not root runs this")
    def test_no_rights(self):
        os.chmod(self.folder, 0o500)
        with self.assertRaises(PermissionError):
            Store(str(self.folder / "work")).write("job.json", "{}")


class Folders(Case):
    def test_is_gone_at_the_end(self):
        with self.assertRaises(KeyError), scratch(str(self.tmpdir)) as folder:
            self.assertTrue(os.path.isdir(folder))
            raise KeyError
        self.assertEqual(self.left(), [])

    def test_of_a_task_that_was_killed(self):
        pid = os.fork()
        if pid == 0:
            kept = scratch(str(self.tmpdir))
            kept.__enter__()
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(len(self.left()), 1)
        with scratch(str(self.tmpdir)) as mine:
            self.assertEqual(self.left(), [os.path.basename(mine)])
            sweep(str(self.tmpdir))
            self.assertEqual(len(self.left()), 1)


class Failures(unittest.TestCase):
    def result(self, error):
        @told_in_one_line
        def task(_):
            raise error

        return task(None)

    def test_told(self):
        self.assertEqual(self.result(wm.Error("disk is full\nmore")), {"failure": "disk is full"})
        self.assertEqual(
            self.result(OSError(28, "No space left on device")), {"failure": "[Errno 28] No space left on device"}
        )
        self.assertEqual(self.result(KeyError("x")), {"failure": "KeyError: 'x'"})

    def test_run_again(self):
        for error in (Lost("killed"), ConnectionError("reset"), TimeoutError()):
            with self.assertRaises(Lost):
                self.result(error)


class Names(unittest.TestCase):
    def test_of_rotated_files(self):
        self.assertEqual(name_in_dataset("part-03.20261126T100000Z.parquet"), "hour=2026-11-26T10/part-03.parquet")
        self.assertIsNone(name_in_dataset("part-03.empty.parquet"))


class Sums(unittest.TestCase):
    def test_of_dicts(self):
        self.assertEqual(
            added({"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4, "d": 1}, "e": 5}),
            {"a": 4, "b": {"c": 6, "d": 1}, "e": 5},
        )
        self.assertIsNone(added(None, None))
