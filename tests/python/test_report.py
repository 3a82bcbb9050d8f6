"""report(): the page of the command, from files and from Arrow columns."""

import html
import re
import subprocess
import unittest

import polars
import warpmeter as wm
from support import FIRST_LOOK, PROGRAM, Case, traffic


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.file, self.page = self.folder / "flows.csv", self.folder / "report.html"
        self.flows = wm.extract(FIRST_LOOK, output=self.file, stats=self.folder / "stats.json")

    def page_of_command(self, *words, name=None):
        """With this as the name of what it is of."""
        page = self.folder / "of_command.html"
        subprocess.run([PROGRAM, "report", self.file, "-o", page, *words], check=True, capture_output=True)
        return page.read_text().replace(str(self.file), name or str(self.file))

    def test_the_page_of_the_command(self):
        said = wm.report(self.file, self.page)
        self.assertEqual(self.page.read_text(), self.page_of_command())
        self.assertEqual((said.flows, said.damage, said.warnings), (len(self.flows), [], []))
        self.assertEqual(said.output, str(self.page))
        stats = self.folder / "stats.json"
        wm.report([self.file], str(self.page), title="Uplink", top=3, stats=stats)
        words = ["--title", "Uplink", "--top", "3", "--stats", stats]
        self.assertEqual(self.page.read_text(), self.page_of_command(*words))

    def test_of_arrow_columns(self):
        for flows, name in (
            (self.flows, "Flows"),
            (wm.extract(FIRST_LOOK, stream=True), "Stream"),
            (polars.DataFrame(self.flows), "DataFrame"),
        ):
            wm.report(flows, self.page)
            expected = self.page_of_command(name=f"&lt;{name}&gt;")  # which commands cannot name
            self.assertEqual(self.page.read_text(), expected.replace(f'data-inputs="&lt;{name}&gt;"', 'data-inputs=""'))
        shown = wm.show(self.flows, "tcp")
        self.assertEqual(wm.report(shown, self.page).flows, len(shown))

    def test_a_page_without_a_file(self):
        with self.nothing_left():
            said = wm.report(self.flows, title="Uplink & more")
        wm.report(self.flows, self.page, title="Uplink & more")
        self.assertEqual(said.html, self.page.read_text())
        self.assertEqual((said.output, said.flows), (None, len(self.flows)))
        shown = said._repr_html_()
        self.assertEqual(html.unescape(re.fullmatch('<iframe srcdoc="([^"]*)" .*></iframe>', shown)[1]), said.html)
        self.assertNotIn("<html", repr(said))
        written = wm.report(self.flows, self.page)
        self.assertIsNone(written.html)
        self.assertEqual(written._repr_html_(), f"<p>{len(self.flows)} Flow Records, in {self.page}</p>")
        with self.nothing_left(), self.assertRaises(wm.CaptureError):
            wm.report("/nowhere/x.csv")

    def test_nothing_is_left(self):
        many = wm.extract(traffic(50000))
        self.page.touch()
        with self.nothing_left():
            wm.report(many, self.page)
            wm.report(self.file.read_bytes(), self.page)

    def test_what_is_wrong(self):
        with self.nothing_left():
            for options, message in ({"top": 0}, "--top 0: 1 to 1000"), ({"title": ""}, "title: is empty"):
                with self.assertRaisesRegex(wm.UsageError, message):
                    wm.report(self.flows, self.page, **options)
            with self.assertRaisesRegex(wm.CaptureError, "^/nowhere/x.csv: cannot be read: No such file"):
                wm.report("/nowhere/x.csv", self.page)
            with self.assertRaisesRegex(wm.CaptureError, "^<Flows>: no Flow Records: there is no column src_addr"):
                wm.report(wm.show(self.flows, sum="dst_port"), self.page)
            with self.assertRaisesRegex(wm.Error, "is an input too"):
                wm.report(self.file, self.file)
            with self.assertRaisesRegex(wm.Error, "cannot be written"):
                wm.report(self.flows, self.folder / "none" / "report.html")
            with self.assertRaisesRegex(wm.UsageError, "^report has no option --rows"):
                wm.report(self.flows, self.page, rows=3)

    def test_damage_is_told(self):
        said = wm.report(self.file.read_bytes()[:-5], self.page)
        self.assertEqual(said.flows, len(self.flows) - 1)
        self.assertEqual([place["file"] for place in said.damage], ["<bytes>"])
        self.assertRegex(said.warnings[0], "^<bytes>: damaged at byte .*; what came before is in the page$")


if __name__ == "__main__":
    unittest.main()
