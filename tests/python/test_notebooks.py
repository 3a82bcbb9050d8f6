"""The notebooks of docs/: they say what they say in their files, here and, with LONG=ON, in a kernel of Jupyter."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

from support import SOURCE, Case

DOCS = SOURCE / "docs"
NOTEBOOKS = [DOCS / "retransmissions.ipynb", *sorted((DOCS / "notebooks").glob("*.ipynb"))]


def code_cells(file):
    return [cell for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "code"]


class Notebooks(Case):
    def run_all(self, *words):
        done = subprocess.run(
            [sys.executable, SOURCE / "tests" / "python" / "run_notebook", *words, *NOTEBOOKS], cwd=self.folder,
            env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [f"{file.name}: {len(code_cells(file))} cells" for file in NOTEBOOKS]
        self.assertEqual(done.stdout.splitlines(), said)

    def test_in_this_process(self):
        self.run_all()

    def test_in_kernels(self):
        if os.environ.get("LONG", "OFF") == "OFF":
            self.skipTest("tools/test --long runs this")
        for package in "nbclient", "ipykernel":
            if importlib.util.find_spec(package) is None:
                self.skipTest("build/python/bin/pip install nbclient ipykernel runs this")
        self.run_all("--kernel")

    def test_what_is_committed(self):
        """Short ones, with what they print and, but for the first, no pictures."""
        self.assertEqual(len(NOTEBOOKS), 8)
        for file in NOTEBOOKS[1:]:
            self.assertLess(len(json.loads(file.read_text())["cells"]), 10, file)
            self.assertLess(file.stat().st_size, 20000, file)
            printed = [output for cell in code_cells(file) for output in cell["outputs"]]
            self.assertGreater(len(printed), 1, file)
            self.assertNotIn("image/png", file.read_text())
        self.assertIn("image/png", code_cells(NOTEBOOKS[0])[-1]["outputs"][0]["data"])

    def test_a_notebook_that_says_something_else_fails(self):
        notebook = json.loads(NOTEBOOKS[0].read_text())
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        printed = {"output_type": "stream", "name": "stdout", "text": "2"}
        for source, outputs in ("print(1 + 1)", []), ("1 + 1", [printed]):
            cells[0].update(source=source, outputs=outputs)
            file = self.folder / "other.ipynb"
            file.write_text(json.dumps({**notebook, "cells": cells[:1]}))
            command = [sys.executable, SOURCE / "tests" / "python" / "run_notebook", file]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, "other.ipynb: a cell says\n2\n")


if __name__ == "__main__":
    unittest.main()
