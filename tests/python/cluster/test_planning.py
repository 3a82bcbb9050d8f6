"""What is decoded with what: groups of small captures, chains of those that overlap in time."""

import itertools
import random
import unittest

from cluster_support import needs
from warpmeter.cluster.captures import Capture
from warpmeter.cluster.groups import MOST, groups
from warpmeter.cluster.segment_set import SegmentSet, captures_of, chains


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
        self.assertEqual([len(group) for group in groups([capture(str(n), 0) for n in range(MOST + 1)], 10)], [MOST, 1])

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
