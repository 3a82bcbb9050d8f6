"""Marks of what is done."""

import json
import os

import warpmeter as wm
from cluster_support import Case, decoded, metered
from warpmeter.cluster.manifest import FLOWS, Manifest, key_of, mark, new_folder
from warpmeter.cluster.metering import name_in_dataset
from warpmeter.cluster.store import Store

JOB = {"warpmeter": "1", "inputs": ["a"], "partitions": 16}
PART = "part-01-of-16.segments"
DECODED, METERED = key_of("decode", 1), key_of("meter", 1)


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
        of_dataset = {name_in_dataset("part-03.20261126T100000Z.parquet"): 5}
        done = {
            DECODED: decoded(DECODED),
            key_of("decode", 4): decoded(key_of("decode", 4), partitions=100),
            METERED: metered(METERED),
            key_of("meter", 2): {**metered(key_of("meter", 2)), "files": of_dataset},
            key_of("decode", 3): {**decoded(DECODED), "folder": None, "files": {}},
            "publishing": {"publishing": True},
        }
        for key, result in done.items():
            for file in result.get("files", ()):
                self.store.write(f"{result['folder']}/{file}", "bytes")
            mark(self.store, key, result)
        gone = key_of("decode", 2)
        mark(self.store, gone, decoded(gone))
        self.assertEqual(self.begun().results, done)
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
        self.store.write(f"done/{DECODED}.json", '{"folder": "se')
        self.store.write(f"done/{METERED}.json", "[" * 100_000)
        self.assertEqual(self.begun().results, {})

    def test_a_mark_names_what_its_task_creates(self):
        """In a folder that others may write, somebody else has written marks: none of them is one of this job's."""
        home = self.folder / "home"
        home.mkdir()
        (home / PART).write_text("precious")
        (home / "flows.csv").write_text("precious")
        whole = decoded(DECODED)
        own, other = whole["folder"], new_folder(key_of("decode", 2))
        self.begun()
        for file in whole["files"]:
            self.store.write(f"{own}/{file}", "bytes")
        for folder in (own, other, "flows", "sets", f"{own}/below"):
            self.store.write(f"{folder}/{PART}", "bytes")
            self.store.write(f"{folder}/{FLOWS}", "bytes")
        up = os.path.relpath(home / PART, self.folder / "work" / own)
        marks = [
            *((folder, {}) for folder in ("../home", str(home), "", ".", "sets", "sets/..", "done", "job.json", other)),
            *((folder, {}) for folder in (f"{own}/../../../home", f"./{own}", f"{own}/", f"{own}\n", f"{own}/below")),
            *((folder, {}) for folder in (0, True, [own], {own: 1})),
            *((own, files) for files in ({up: 8}, {str(home / PART): 8}, {f"below/{PART}": 5}, {FLOWS: 5}, {"": 5})),
            *((own, files) for files in (None, [PART], PART, 1)),
            (None, {up: 8}),
        ]
        for folder, files in marks:
            with self.subTest(folder=folder, files=files):
                mark(self.store, DECODED, {**whole, "folder": folder, "files": files})
                manifest = self.begun()
                self.assertEqual(manifest.results, {})
                manifest.let_go(DECODED)
                self.assertEqual((home / PART).read_text(), "precious")
        mark(self.store, DECODED, whole)
        self.assertEqual(list(self.begun().results), [DECODED])
        os.unlink(self.store.path(f"done/{DECODED}.json"))
        for key, folder in ((METERED, own), (METERED, "../home"), ("publishing", own), ("any", "../home")):
            mark(self.store, key, {**metered(METERED), "folder": folder})
        self.assertEqual(self.begun().results, {})

    def test_links_and_pipes_are_no_work(self):
        home = self.folder / "home"
        home.mkdir()
        (home / PART).write_text("precious")
        self.begun()
        whole = decoded(DECODED)
        mark(self.store, DECODED, whole)
        for file in whole["files"]:
            self.store.write(f"{whole['folder']}/{file}", "bytes")
        self.assertEqual(list(self.begun().results), [DECODED])
        os.unlink(self.store.path(f"{whole['folder']}/{PART}"))
        os.symlink(home / PART, self.store.path(f"{whole['folder']}/{PART}"))
        self.assertEqual(self.begun().results, {})
        (home / "mark").write_text(json.dumps({**whole, "folder": None, "files": {}}))
        os.symlink(home / "mark", self.store.path(f"done/{key_of('decode', 3)}.json"))
        os.mkfifo(self.store.path(f"done/{key_of('meter', 2)}.json"))
        os.mkdir(self.store.path(f"done/{key_of('meter', 3)}.json"))
        self.assertEqual(self.begun().results, {})
        self.store.remove("sets")
        os.symlink(home, self.store.path("sets"))
        self.assertEqual(self.store.below("sets"), set())
        self.begun(fresh=True).end()
        self.assertFalse((self.folder / "work").exists())
        self.assertEqual(sorted(os.listdir(home)), ["mark", PART])

    def test_let_go(self):
        manifest = self.begun()
        whole = decoded(DECODED, first=3)
        self.store.write(f"{whole['folder']}/{PART}", "bytes")
        manifest.add(DECODED, whole)
        manifest.let_go(DECODED)
        self.assertEqual(self.store.names("sets"), [])
        self.assertEqual(self.begun().results[DECODED]["first_ns"], 3)
        self.assertIsNone(self.begun().results[DECODED]["folder"])

    def test_end_leaves_nothing(self):
        self.begun().end()
        self.assertFalse((self.folder / "work").exists())

    def test_keys(self):
        self.assertEqual(key_of("decode", ["a", 1], {"x": 1, "y": 2}), key_of("decode", ["a", 1], {"y": 2, "x": 1}))
        self.assertEqual(len({key_of("decode", ["a", 1]), key_of("decode", ["a", 2]), key_of("meter", ["a", 1])}), 3)
