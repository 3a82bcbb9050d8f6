"""Inputs: files, folders, patterns and URLs, as the driver finds them; and what is decoded with what: groups of small
captures, chains of those that overlap in time."""

import itertools
import os
import random
import unittest
from unittest import mock

import warpmeter as wm
from cluster_support import Case, needs
from warpmeter.cluster.captures import MOST_TOGETHER, Capture, SegmentSet, _Listing, captures_of, chains, find, groups


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


def capture(name, size=10):
    return Capture(name, "/" + name, size, "1")


def segment_set(name, first, latest):
    return SegmentSet(name, (capture(name),), first, latest)


class Groups(unittest.TestCase):
    def test_small_ones_together(self):
        captures = [capture(str(n), size) for n, size in enumerate([4, 4, 4, 20, 1, 1, 9, 0])]
        self.assertEqual(
            [[c.size for c in group] for group in groups(captures, 10)], [[4, 4], [4], [20], [1, 1], [9, 0]]
        )
        self.assertEqual([len(group) for group in groups(captures, 0)], [1] * 8)

    def test_not_too_many(self):
        captures = [capture(str(n), 0) for n in range(MOST_TOGETHER + 1)]
        self.assertEqual([len(group) for group in groups(captures, 10)], [MOST_TOGETHER, 1])

    def test_none(self):
        self.assertEqual(groups([], 10), [])


class Chains(unittest.TestCase):
    def names(self, *sets):
        return [[one.key for one in chain] for chain in chains(sets)]

    def test_one_after_the_other(self):
        self.assertEqual(self.names(segment_set("b", 5, 9), segment_set("a", 10, 12)), [["b"], ["a"]])

    def test_of_one_time_the_first_by_name(self):
        self.assertEqual(self.names(segment_set("b", 5, 5), segment_set("a", 5, 5)), [["a"], ["b"]])
        # Packets of "b" at 5 come before those of "a" that are later.
        self.assertEqual(self.names(segment_set("b", 5, 5), segment_set("a", 5, 6)), [["a", "b"]])
        self.assertEqual(self.names(segment_set("a", 5, 5), segment_set("b", 5, 6)), [["a"], ["b"]])

    def test_touching(self):
        self.assertEqual(self.names(segment_set("a", 1, 5), segment_set("b", 5, 9)), [["a"], ["b"]])

    def test_overlap(self):
        sets = [segment_set("a", 1, 6), segment_set("b", 5, 7), segment_set("c", 6, 6), segment_set("d", 7, 9)]
        self.assertEqual(self.names(*sets), [["a", "b", "c"], ["d"]])

    def test_one_spans_all(self):
        sets = [segment_set("long", 1, 100), *(segment_set(str(n), n, n) for n in range(2, 9))]
        self.assertEqual(len(chains(sets)), 1)

    def test_without_packets(self):
        self.assertEqual(self.names(segment_set("a", None, None), segment_set("b", 1, 2)), [["b"], ["a"]])
        self.assertEqual(self.names(segment_set("a", None, None)), [["a"]])

    def test_times_below_zero(self):
        self.assertEqual(self.names(segment_set("a", 0, 1), segment_set("b", -5, -1)), [["b"], ["a"]])
        self.assertEqual(self.names(segment_set("a", -3, 1), segment_set("b", -5, -1)), [["b", "a"]])

    def test_captures_by_name(self):
        chain = [segment_set("b", 1, 6), segment_set("a", 2, 6)]
        self.assertEqual([c.name for c in captures_of(chain)], ["a", "b"])

    def test_no_two_chains_overlap(self):
        """Of any sets: the chains follow each other, and none could be cut in two."""
        chance = random.Random(7)
        for _ in range(300):
            sets = []
            for n in range(chance.randrange(1, 8)):
                first = chance.randrange(20)
                sets.append(segment_set(str(n), first, first + chance.randrange(6)))
            found = chains(sets)
            self.assertEqual(sorted(one.key for chain in found for one in chain), sorted(one.key for one in sets))
            for before, behind in itertools.pairwise(found):
                self.assertLessEqual(max(one.latest_ns for one in before), behind[0].first_ns)
            for chain in found:
                for at in range(1, len(chain)):
                    self.assertGreater(max(one.latest_ns for one in chain[:at]), chain[at].first_ns)


@needs()
class Order(unittest.TestCase):
    def test_bytes_and_no_letters(self):
        names = ["b", "a\udcff", "a\u00e9", "a"]
        chain = [segment_set(name, 1, 6) for name in names]
        self.assertEqual([c.name for c in captures_of(chain)], ["a", "a\u00e9", "a\udcff", "b"])
