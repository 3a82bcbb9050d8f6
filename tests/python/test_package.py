"""The package as a whole: its options are those of the command; the program in it, info(), the examples of its page."""

import ast
import graphlib
import inspect
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import typing
import unittest
from collections.abc import Sequence

import warpmeter as wm
from support import DATA, FIRST_LOOK, PROGRAM, SOURCE, Case
from warpmeter import _keywords


FLAG = typing.Union[bool, None]


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Package(Case):
    def options_of(self, command):
        """Of its help: whether they have values, and what is said of them."""
        text = output_of(PROGRAM, command, "--help")
        options = {}
        value = r"(?:\[\+\])?(?:1/)?[A-Z][A-Z|:,.\[\]a-z]*"
        for name, value, words in re.findall(rf"^ .{{5}}--([a-z0-9-]+)(?: ({value}))?\s+(.*)$", text, re.M):
            options[name.replace("-", "_")] = (bool(value), words)
        del options["help"]
        return options

    def test_every_option_is_there(self):
        options = self.options_of("extract")
        self.assertGreater(len(options), 40)
        known = typing.get_type_hints(wm.ExtractOptions)
        self.assertEqual(list(known), list(options))
        for name, (has_value, words) in options.items():
            self.assertEqual(known[name] != FLAG, has_value, name)
            literal = next((a for a in typing.get_args(known[name]) if typing.get_origin(a) is typing.Literal), None)
            if literal:
                *first, last = typing.get_args(literal)
                self.assertIn(f"{', '.join(first)} or {last}:", words + " :" * (":" not in words), name)
        self.assertLessEqual(set(known), set(inspect.signature(wm.extract).parameters))

    def test_every_option_of_the_others_is_there(self):
        options = self.options_of("show")
        del options["filter"], options["packets"]  # packets() has these flows as its own
        known = typing.get_type_hints(wm.ShowOptions)
        self.assertEqual(list(known), list(options))
        for name, (has_value, _) in options.items():
            self.assertEqual(known[name] != FLAG, has_value, name)
        self.assertLessEqual({"filter", *known}, set(inspect.signature(wm.show).parameters))
        self.assertEqual(set(inspect.signature(wm.report).parameters), {"flows", *self.options_of("report")})
        of_info = {"source", *self.options_of("info")} - {"json", "quiet"}
        self.assertEqual(set(inspect.signature(wm.info).parameters), of_info)

    def test_options_tell_what_they_do(self):
        """The types of their values, and what follows them in the module, are those of the command's help."""
        module = ast.parse(pathlib.Path(inspect.getfile(wm.ExtractOptions)).read_text())
        told = {node.name: node.body for node in module.body if isinstance(node, ast.ClassDef)}
        for name, command in {
            "ExtractOptions": "extract", "InfoOptions": "info", "ReportOptions": "report", "ShowOptions": "show",
            "StreamsOptions": "reassemble",
        }.items():  # fmt: skip
            options, body = self.options_of(command), told[name][1:]
            for option, meaning in zip(body[::2], body[1::2], strict=True):
                first_line = options[option.target.id][1].strip()
                self.assertTrue(meaning.value.value.startswith(first_line), (name, option.target.id))
        kinds = typing.get_type_hints(wm.ShowOptions) | typing.get_type_hints(wm.ExtractOptions)
        for name, kind in {
            "biflow": FLAG, "memory": _keywords.Size | None, "idle_timeout": _keywords.Time | None,
            "batch": _keywords.Count | None, "rotate": _keywords.SizeOrTime | None, "gpu": _keywords.Numbers | None,
            "vxlan_port": _keywords.Numbers | None, "sum": _keywords.Names | None, "tmpdir": _keywords.Path | None,
            "output": typing.Union[_keywords.Path, Sequence[_keywords.Path], None], "partition": str | None,
        }.items():  # fmt: skip
            self.assertEqual(kinds[name], kind, name)

    def test_every_option_has_a_line_in_help(self):
        """With a unit, and with what holds without it."""
        for function, options in (
            (wm.extract, wm.ExtractOptions), (wm.info, wm.InfoOptions), (wm.report, wm.ReportOptions),
            (wm.show, wm.ShowOptions), (wm.streams, wm.StreamsOptions),
        ):  # fmt: skip
            lines = function.__doc__.partition("\n\nOptions:\n\n")[2].splitlines()
            self.assertEqual([line.partition(":")[0] for line in lines], list(typing.get_type_hints(options)))
            for line in lines:
                self.assertRegex(line, r"^[a-z0-9_]+: .+ \[.+\]$")
                self.assertIn("default", line)
        for start, end in (
            ("idle_timeout: a longer silence ends a flow; 0 = never (default 300s) ", 'unit: "100ms", or a timedelta]'),
            ("memory: ", '[bytes, or text: "64M"]'),
            ("biflow: ", "[True or False; default False]"),
            ("output: ", "[a path, or a list of several]"),
            ("overlap: ", "[one of these words]"),
        ):  # fmt: skip
            all_lines = wm.extract.__doc__.splitlines() + wm.streams.__doc__.splitlines()
            lines = [line for line in all_lines if line.startswith(start)]
            self.assertNotEqual(lines, [], start)
            for line in lines:
                self.assertTrue(line.endswith(end), line)

    def test_every_option_of_streams_is_there(self):
        options = self.options_of("reassemble")
        for of_outputs in "output", "format", "payload", "files", "names", "unordered", "tmpdir":
            del options[of_outputs]
        known = typing.get_type_hints(wm.StreamsOptions)
        self.assertEqual(sorted(known), sorted(options))
        for name, (has_value, words) in options.items():
            self.assertEqual(known[name] != FLAG, has_value, name)
            literal = next((a for a in typing.get_args(known[name]) if typing.get_origin(a) is typing.Literal), None)
            for word in typing.get_args(literal):
                self.assertIn(word, words, name)
        self.assertLessEqual({"filter", *known}, set(inspect.signature(wm.streams).parameters))
        values = {"input_format": "pcap", "order": "name", "block_size": "4K", "timeout": 2, "gap_packets": 3,
                  "overlap": "last", "threads": 2, "memory": "20M", "stats": self.folder / "stats.json"}  # fmt: skip
        for name, kind in known.items():
            if name.endswith("_port"):  # of tunnels
                given = {name: "+5000", "decapsulate": True}
            else:
                given = {name: True if kind == FLAG else values[name]}
            run = wm.streams(FIRST_LOOK, **given)
            self.assertGreater(len(list(run)), 0)
        self.assertEqual(json.loads((self.folder / "stats.json").read_text())["packets read"], 300)

    def test_every_option_is_taken(self):
        values = {
            "output": "flows.csv", "format": "csv", "collector": "udp://127.0.0.1:4739", "tmpdir": str(self.folder),
            "stats": "stats.json", "rotate": "1h", "gpu": 0, "threads": 1,
        }  # fmt: skip
        # What is said of one that does not fit is not that there is none.
        for name, kind in typing.get_type_hints(wm.ExtractOptions).items():
            words = next((typing.get_args(a) for a in typing.get_args(kind) if typing.get_origin(a)), None)
            value = True if kind == FLAG else values.get(name, words[0] if words and isinstance(words[0], str) else "1")
            os.chdir(self.folder)
            try:
                wm.extract(FIRST_LOOK, **{name: value})
            except wm.Error as error:
                self.assertNotIn("has no option", str(error))

    def test_version(self):
        self.assertEqual(f"warpmeter {wm.__version__}\n", output_of(PROGRAM, "--version"))
        main = "import sys; sys.argv[1:] = ['--version']; from warpmeter._main import main; main()"
        self.assertEqual(output_of(sys.executable, "-c", main), f"warpmeter {wm.__version__}\n")

    def test_no_imports_go_round(self):
        """Those in functions count, too."""
        package, sees = SOURCE / "python" / "warpmeter", {}
        for path in package.rglob("*.py"):
            module = path.relative_to(package).with_suffix("").parts
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.level:
                    place = (*module[: -node.level], *filter(None, [node.module]))
                    names = [".".join(place)] if node.module else [".".join([*place, one.name]) for one in node.names]
                    sees.setdefault(".".join(module), set()).update(names)
        self.assertIn("_program", sees["_main"])
        graphlib.TopologicalSorter(sees).prepare()

    def test_numbers_are_as_fine_as_they_can_be_meant(self):
        for option in {"idle_timeout": 1 / 3}, {"idle_timeout": 5e-324}, {"memory": 16e9 / 3}:
            self.assertEqual(len(wm.extract(FIRST_LOOK, **option)) > 0, True, option)
        for never in float("nan"), float("inf"), -1.5:
            with self.assertRaises(wm.UsageError):
                wm.extract(FIRST_LOOK, idle_timeout=never)
        for option in "output", "stats", "tmpdir":
            with self.assertRaisesRegex(TypeError, f"{option}: a path, and no StringIO"):
                wm.extract(FIRST_LOOK, **{option: io.StringIO()})

    def test_info(self):
        with self.nothing_left():
            told = wm.info(FIRST_LOOK)
            self.assertEqual((told["packets"], told["damage"]), (300, None))
            self.assertEqual(wm.info(FIRST_LOOK.read_bytes())["file"], "<bytes>")
            self.assertEqual([one["packets"] for one in wm.info([FIRST_LOOK, FIRST_LOOK.read_bytes()])], [300, 300])
            with self.assertWarnsRegex(UserWarning, "nowhere/x.pcap"):
                self.assertEqual([one["packets"] for one in wm.info(["/nowhere/x.pcap", FIRST_LOOK])], [300])
            self.assertEqual(len(wm.info(DATA)), len(list(DATA.glob("*.pcap"))))
            self.assertIsNotNone(wm.info(FIRST_LOOK.read_bytes()[:30000])["damage"])
            with self.assertRaisesRegex(wm.CaptureError, "^/nowhere/x.pcap: No such file or directory$"):
                wm.info("/nowhere/x.pcap")
            with self.assertRaisesRegex(wm.UsageError, "^there are no inputs$"):
                wm.info([])
            with self.assertRaisesRegex(wm.UsageError, "input-format"):
                wm.info(FIRST_LOOK, input_format="pdf")


if __name__ == "__main__":
    unittest.main()
