"""Inputs: files, folders, patterns and URLs, as the driver finds them."""

import os
import unittest

import warpmeter as wm
from cluster_support import Case, needs
from warpmeter.cluster.captures import _Listing, find
from warpmeter.cluster.urls import filesystem_of, is_url, joined, local_path


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


class Files(Case):
    def names(self, *inputs, recursive=False):
        return [os.path.relpath(c.name, self.captures) for c in find([str(i) for i in inputs], recursive).captures]

    def setUp(self):
        super().setUp()
        (self.captures / "below").mkdir()
        for name in ("b.pcap", "a.pcap", "below/c.pcap"):
            (self.captures / name).write_text(name)

    def test_folder(self):
        self.assertEqual(self.names(self.captures), ["a.pcap", "b.pcap"])
        self.assertEqual(self.names(self.captures, recursive=True), ["a.pcap", "b.pcap", "below/c.pcap"])
        self.assertEqual(find([str(self.captures)], False).folders_below, 1)
        self.assertTrue(find([str(self.captures)], False).captures[0].in_folder)

    def test_pattern(self):
        self.assertEqual(self.names(self.captures / "*.pcap"), ["a.pcap", "b.pcap"])
        self.assertEqual(self.names(self.captures / "**/*.pcap"), ["a.pcap", "b.pcap", "below/c.pcap"])
        (self.captures / "a[1].pcap").write_text("")
        self.assertEqual(self.names(self.captures / "a[1].pcap"), ["a[1].pcap"])

    def test_once(self):
        os.link(self.captures / "a.pcap", self.captures / "other")
        found = find([str(self.captures / name) for name in ("a.pcap", "other", "./a.pcap")], False)
        self.assertEqual((len(found.captures), found.again), (1, 2))

    def test_a_link_back(self):
        (self.captures / "below" / "up").symlink_to(self.captures)
        self.assertEqual(len(self.names(self.captures, recursive=True)), 3)

    def test_what_is_not_there(self):
        found = find([str(self.captures / "a.pcap"), "nothing", "no*thing"], False)
        self.assertEqual(found.unreadable, ["nothing: No such file or directory", "no*thing: matches nothing"])
        with self.assertRaises(wm.CaptureError) as raised:
            find(["nothing"], False)
        self.assertEqual(str(raised.exception), "nothing: No such file or directory")

    def test_no_files(self):
        os.mkfifo(self.captures / "pipe")
        for name in ("-", "", str(self.captures / "pipe")):
            with self.assertRaises(wm.UsageError):
                find([name], False)
        self.assertEqual(find([str(self.captures)], False).passed_over, 1)

    def test_file_url(self):
        self.assertEqual(self.names(f"file://{self.captures}"), ["a.pcap", "b.pcap"])

    def test_changes_are_seen(self):
        before = find([str(self.captures)], False).captures[0].identity
        os.utime(self.captures / "a.pcap", ns=(1, 1))
        self.assertNotEqual(find([str(self.captures)], False).captures[0].identity, before)


@needs("fsspec")
class Objects(unittest.TestCase):
    """With fsspec's memory, which nodes would not have."""

    def setUp(self):
        import fsspec

        self.files = fsspec.filesystem("memory")
        for name in ("/day/b.pcap", "/day/a.pcap", "/day/night/c.pcap"):
            self.files.pipe_file(name, b"x" * 3)
        self.addCleanup(self.files.rm, "/day", recursive=True)

    def found(self, name, recursive=False):
        from unittest import mock

        listing = _Listing(recursive)
        with mock.patch(
            "warpmeter.cluster.captures.filesystem_of", lambda url: (self.files, url.removeprefix("memory:/"))
        ):
            listing.add(name)
        return listing.found

    def names(self, *words, **options):
        return [capture.name for capture in self.found(*words, **options).captures]

    def test_all(self):
        self.assertEqual(self.names("memory://day/a.pcap"), ["memory:///day/a.pcap"])
        self.assertEqual(self.names("memory://day"), ["memory:///day/a.pcap", "memory:///day/b.pcap"])
        self.assertEqual(len(self.names("memory://day", recursive=True)), 3)
        self.assertEqual(self.names("memory://day/*.pcap"), ["memory:///day/a.pcap", "memory:///day/b.pcap"])
        self.assertEqual(
            self.found("memory://day/z.pcap").unreadable, ["memory://day/z.pcap: No such file or directory"]
        )
        self.assertEqual(self.found("memory://day/*.erf").unreadable, ["memory://day/*.erf: matches nothing"])
        one = self.found("memory://day/a.pcap").captures[0]
        self.assertEqual((one.size, bool(one.mark), one.is_local), (3, True, False))
