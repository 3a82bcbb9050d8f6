"""Marks of what is done, the work folder, and folders of tasks."""

import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import unittest
from unittest import mock

import warpmeter as wm
from cluster_support import Case, decoded, metered, needs
from warpmeter.cluster.manifest import FLOWS, Manifest, key_of, mark, new_folder
from warpmeter.cluster.metering import name_in_dataset
from warpmeter.cluster.ray_options import check_address_file, local_ray
from warpmeter.cluster.scratch import folder_of_ray, scratch, sweep
from warpmeter.cluster.store import Store
from warpmeter.cluster.summary import added
from warpmeter.cluster.trouble import Lost, told_in_one_line

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


class Folders(Case):
    def test_is_gone_at_the_end(self):
        with self.assertRaises(KeyError), scratch(str(self.tmpdir)) as folder:
            self.assertTrue(os.path.isdir(folder))
            raise KeyError
        self.assertEqual(self.left(), [])

    def test_of_a_task_that_was_killed(self):
        pid = os.fork()
        if pid == 0:
            kept = scratch(str(self.tmpdir))
            kept.__enter__()
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(len(self.left()), 1)
        with scratch(str(self.tmpdir)) as mine:
            self.assertEqual(self.left(), [os.path.basename(mine)])
            sweep(str(self.tmpdir))
            self.assertEqual(len(self.left()), 1)


class OfRay(unittest.TestCase):
    """Ray gives its folder to all users."""

    def test_nobody_else_gets_in(self):
        with mock.patch.dict(os.environ), local_ray() as options:
            os.makedirs(options["_temp_dir"])
            os.chmod(options["_temp_dir"], 0o777)
            own = os.path.dirname(options["_temp_dir"])
            self.assertEqual(stat.S_IMODE(os.stat(own).st_mode), 0o700)
            self.assertEqual(os.path.dirname(os.environ["RAY_AUTH_TOKEN_PATH"]), own)
        self.assertFalse(os.path.exists(own))

    def test_sockets_have_room(self):
        """Whatever the usual folder for temporary files is called."""
        short = f"/tmp/{secrets.token_hex(4)[:7]}"
        os.mkdir(short)
        self.addCleanup(shutil.rmtree, short)
        for folder, place in ((short, short), (f"{short}x", "/tmp"), (f"{short}/{'x' * 100}", "/tmp")):
            os.makedirs(folder, exist_ok=True)
            with mock.patch("tempfile.tempdir", folder), folder_of_ray() as own:
                self.assertEqual(os.path.dirname(own), place)
                longest = re.sub(r"wm-ray-\d+-", "wm-ray-4194304-", own)
                longest += "/ray/session_2026-11-27_11-54-06_199128_4194304/sockets/plasma_store"
                self.assertLessEqual(len(longest), 107)
        os.rmdir(f"{short}x")

    def test_of_a_job_that_was_killed(self):
        """Its folder goes with the next job, also where the usual folder has too long a name."""
        with tempfile.TemporaryDirectory(prefix="a-long-name-") as usual, mock.patch("tempfile.tempdir", usual):
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                kept = folder_of_ray()
                os.write(write, os.fsencode(kept.__enter__()))
                os._exit(0)
            os.waitpid(pid, 0)
            left = os.fsdecode(os.read(read, 1000))
            os.close(read)
            os.close(write)
            self.assertTrue(os.path.isdir(left))
            with folder_of_ray():
                self.assertFalse(os.path.exists(left))


class AddressFile(Case):
    """That Ray reads for --address auto, in a folder that is everybody's."""

    def test_of_others_is_refused(self):
        place = self.folder / "ray" / "ray_current_cluster"
        place.parent.mkdir()
        with mock.patch.dict(os.environ, {"RAY_TMPDIR": str(self.folder)}):
            check_address_file("auto")
            place.write_text("127.0.0.1:6379")
            check_address_file("auto")
            if os.geteuid() == 0:
                os.chown(place, 12345, 12345)
                self.refused()
            place.unlink()
            os.mkfifo(place)
            self.refused()
            check_address_file("local")
            check_address_file("127.0.0.1:6379")

    def refused(self):
        with self.assertRaisesRegex(wm.Error, "ray_current_cluster: is no file of this user or of root"):
            check_address_file("auto")


class Failures(unittest.TestCase):
    def result(self, error):
        @told_in_one_line
        def task(_):
            raise error

        return task(None)

    def test_told(self):
        self.assertEqual(self.result(wm.Error("disk is full\nmore")), {"failure": "disk is full"})
        self.assertEqual(
            self.result(OSError(28, "No space left on device")), {"failure": "[Errno 28] No space left on device"}
        )
        self.assertEqual(self.result(KeyError("x")), {"failure": "KeyError: 'x'"})

    def test_run_again(self):
        for error in (Lost("killed"), ConnectionError("reset"), TimeoutError()):
            with self.assertRaises(Lost):
                self.result(error)


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
