"""What metering is given, what its files are called, and how what its tasks tell is summed."""

import unittest

from warpmeter.cluster import words
from warpmeter.cluster.messages import added
from warpmeter.cluster.metering import name_in_dataset, resources_of


class Resources(unittest.TestCase):
    def chosen(self, *options):
        class Crew:
            def nodes(self):
                return []

        return resources_of(words.parse(["a", "-o", "x", *options]), Crew())

    def test_gpus(self):
        """Those that Ray gave are named: parts of a trace are too small for one otherwise."""
        self.assertEqual(self.chosen(), ["--backend=cpu"])
        for many in ("0.5", "1", "2"):
            self.assertEqual(self.chosen("--gpus-per-task", many), ["--gpu=all"])
        self.assertEqual(self.chosen("--gpus-per-task=2", "--gpu=1"), ["--gpu=1"])
        self.assertEqual(self.chosen("--backend=cuda"), ["--backend=cuda"])
        self.assertEqual(self.chosen("--gpus-per-task=2", "--backend=cpu"), ["--backend=cpu"])


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
