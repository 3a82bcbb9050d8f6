"""The command line, and that no option of `extract` is forgotten."""

import contextlib
import io
import os
import subprocess
import sys
import unittest
import unittest.mock

import warpmeter as wm
from cluster_support import Case
from warpmeter.cluster import words
from warpmeter.cluster.job import main


class Options(unittest.TestCase):
    def test_every_option_of_extract_has_its_step(self):
        steps = [*words.DECODING, *words.METERING, *words.WRITING, *words.RESOURCES, *words.OWN, *words.NOT_HERE]
        self.assertEqual(sorted(steps), sorted(wm.ExtractOptions.__annotations__))

    def test_passed_on(self):
        given = words.parse(["a", "-o", "x", "--idle-timeout", "5m", "--biflow", "--key-vlan", "--times=us"])
        self.assertEqual(given.of(words.METERING), ["--biflow", "--idle-timeout=5m"])
        self.assertEqual(given.of(words.DECODING), ["--key-vlan"])
        self.assertEqual(given.of(words.WRITING), ["--times=us"])
        self.assertEqual(given.of(words.RESOURCES), [])
        given = words.parse(["a", "-o", "x", "--decapsulate", "--vxlan-port", "+5000", "--gtp-u-port=1,2"])
        self.assertEqual(given.of(words.DECODING), ["--decapsulate", "--vxlan-port=+5000", "--gtp-u-port=1,2"])

    def test_hash_seed(self):
        with unittest.mock.patch.dict(os.environ, {words.HASH_SEED: "secret"}):
            self.assertEqual(words.parse(["a", "-o", "x"]).hash_seed, "secret")
            self.assertEqual(words.parse(["a", "-o", "x", "--hash-seed", "other"]).hash_seed, "other")
            self.assertNotIn("secret", repr(words.parse(["a", "-o", "x"])))
        with unittest.mock.patch.dict(os.environ, {words.HASH_SEED: ""}):
            self.assertEqual(words.parse(["a", "-o", "x"]).hash_seed, "warpmeter")

    def test_dataset(self):
        self.assertTrue(words.parse(["a", "-o", "x/"]).is_dataset)
        self.assertFalse(words.parse(["a", "-o", "x.csv"]).is_dataset)

    def test_inputs_anywhere(self):
        self.assertEqual(words.parse(["a", "-o", "x", "b", "--fresh", "c"]).inputs, ["a", "b", "c"])

    def test_sizes(self):
        for text, size in {"0": 0, "64M": 64 << 20, "1.5GiB": 3 << 29, "1GB": 10**9, "7": 7, "2k": 2048}.items():
            self.assertEqual(words.size_of(text), size, text)

    def test_what_is_wrong(self):
        for given, said in {
            "-o x": "INPUT", "a": "--output",
            "a -o x --partitions 3": "power of two", "a -o x --partitions 128": "power of two",
            "a -o x --group many": "not a size", "a -o x --tasks 0": "at least 1", "a -o x --gpus-per-task -1": "GPUs",
            "a -o x --order name": "order of time", "a -o x --collector udp://h": "write a file",
            "a -o x --threads 2": "cpus-per-task", "a -o x/ --rotate 1h": "--rotate", "a -o -": "-o -",
            "a -o x --par 4": "--par", "a -o x --stages": "--stages", "a -o x --gpu 1": "--gpus-per-task",
        }.items():  # fmt: skip
            with self.assertRaises(wm.UsageError) as raised:
                words.parse(given.split())
            self.assertIn(said, str(raised.exception), given)
            self.assertEqual(len(str(raised.exception).splitlines()), 1)


class Command(Case):
    def said(self, *arguments, status):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(main([str(one) for one in arguments]), status)
        lines = errors.getvalue().splitlines()
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def test_without_ray(self):
        script = "import sys; sys.modules['ray'] = None; from warpmeter._main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script, "cluster", "x", "-o", "y"], capture_output=True, text=True, cwd=self.folder
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "warpmeter: cluster needs Ray: pip install 'warpmeter[cluster]'\n")

    def test_nothing_imports_ray(self):
        script = "import sys, warpmeter, warpmeter._main; sys.exit('ray' in sys.modules or 'fsspec' in sys.modules)"
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_usage(self):
        self.assertEqual(
            self.said("a", "-o", "x", "--no-such", status=2), "warpmeter: unrecognized arguments: --no-such"
        )

    def test_help(self):
        done = subprocess.run(
            [sys.executable, "-m", "warpmeter.cluster", "--help"], capture_output=True, text=True, check=True
        )
        for option in ("--work", "--address", "--gpus-per-task", "--idle-timeout", "--keep-work"):
            self.assertIn(option, done.stdout)
        self.assertNotIn("--collector", done.stdout)
