"""Paths and URLs, and the work folder."""

import os
import unittest

import warpmeter as wm
from cluster_support import Case, needs
from warpmeter.cluster.store import Store, filesystem_of, is_url, joined, local_path


class Urls(unittest.TestCase):
    def test_what_is_one(self):
        for name in ("s3://b/k", "file:///x", "zip://a::s3://b", "https://h/x", "abfs+x://h"):
            self.assertTrue(is_url(name), name)
        for name in ("/data/a.pcap", "a:b", "./x://y", "1x://y", ""):
            self.assertFalse(is_url(name), name)

    def test_paths(self):
        self.assertEqual(local_path("file:///x/y"), "/x/y")
        self.assertEqual(local_path("x/y"), "x/y")
        self.assertIsNone(local_path("s3://x/y"))

    def test_joined(self):
        self.assertEqual(joined("a/", "b"), "a/b")
        self.assertEqual(joined("", "b"), "/b")

    @needs("fsspec")
    def test_what_is_not_there(self):
        for url in ("nosuch://x/y", "memory://x"):
            with self.assertRaises(wm.Error) as raised:
                filesystem_of(url)
            self.assertEqual(len(str(raised.exception).splitlines()), 1)


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
