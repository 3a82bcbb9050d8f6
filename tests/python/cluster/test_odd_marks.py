"""Marks that no task wrote: whatever is in them, a job does what is left to do, or what it did not take for done."""

import contextlib
import copy
import io
import json
import os
import random
import unittest

from cluster_support import STATS, Case, decoded, metered, needs
from warpmeter.cluster.captures import Capture, Found
from warpmeter.cluster.job import Job
from warpmeter.cluster.manifest import FLOWS, Manifest, key_of, mark
from warpmeter.cluster.messages import Progress, Summary
from warpmeter.cluster.output import _names
from warpmeter.cluster.store import Store
from warpmeter.cluster.words import Words

PARTITIONS = 3
CAPTURES = [Capture(name, f"/{name}", 10, "1") for name in ("a.pcap", "b.pcap")]


class Kept(Store):
    """In memory: thousands of jobs find their marks in it."""

    def __init__(self):
        self.url, self.folder, self.texts = "/job", "/job", {}

    def write(self, name, text):
        self.texts[name] = text

    def read(self, name):
        return self.texts.get(name)

    def names(self, folder):
        start = f"{folder}/" if folder else ""
        return sorted({name[len(start) :].split("/", 1)[0] for name in self.texts if name.startswith(start)})

    def below(self, folder):
        return {name for name in self.texts if name.startswith(f"{folder}/")}

    def remove(self, name=""):
        if name and name.split("/")[0] not in ("done", "sets", "flows", "job.json"):
            raise AssertionError(f"{name} is no job's")
        kept = (one for one in self.texts if one != name and not one.startswith(f"{name}/"))
        self.texts = {one: self.texts[one] for one in kept}


class Hands:
    """A crew that does at once what it is given."""

    def __init__(self, store):
        self.store = store

    def nodes(self):
        return [{"CPU": 4.0}]

    def run(self, works, finished, *_, **__):
        for work in works:
            key = work.task.key
            if key.startswith("decode"):
                result = decoded(key, PARTITIONS, first=100 * (work.task.captures[0].name == "b.pcap"))
            else:
                result = metered(key)
            keep(self.store, key, result)
            finished(work, result)


def keep(store, key, result):
    for file in result["files"]:
        store.write(f"{result['folder']}/{file}", "bytes")
    mark(store, key, result)


class OfAJob:
    """As Job has it, without a Ray and a program. Its marks are taken up, what is left is done, and all is told."""

    def __init__(self, store):
        inputs = [capture.name for capture in CAPTURES]
        words = Words(inputs=inputs, output="flows.csv", filter=None, partitions=PARTITIONS, quiet=True, group=1)
        self.manifest = Manifest(store)
        self.manifest.begin({"partitions": PARTITIONS}, fresh=False)
        self.summary = Summary(captures=2)
        job = Job.__new__(Job)
        job._words, job._progress, job._found = words, Progress(wanted=False), Found(captures=CAPTURES)
        job.store, job._manifest, job.summary = store, self.manifest, self.summary
        crew = Hands(store)
        self.marks = job._meter(crew, job._decode(crew))

    def told(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.summary.tell(Progress(wanted=False), quiet=False)
        self.summary.write(os.devnull)
        return said.getvalue()


ODD = (
    None, True, False, 0, -1, 1, 2**63, 10**400, 0.5, float("nan"), float("inf"), "", "0", "text\x1b[31m", "\ud800",
    "../x", [], [1], ["x"], [[]], {}, {"x": 1}, {"": {}}, {"x": {"y": None}}, [None], [{}],
)  # fmt: skip


def places_of(value, at=()):
    """Of all values in it, the way to them."""
    yield at
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in below:
        yield from places_of(one, (*at, name))


def changed(result, chance):
    """With one to three values replaced, removed, renamed, or set in another place."""
    result = copy.deepcopy(result)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice([place for place in places_of(result) if place] or [()]) or (None,)
        if last is None:
            return chance.choice(ODD)
        parent = result
        for step in way:
            parent = parent[step]
        how = chance.randrange(5)
        if how == 0:
            del parent[last]
        elif how == 1 and isinstance(parent, dict):
            parent[chance.choice((*map(str, parent), "let_go", "folder", "files", "x"))] = parent.pop(last)
        elif how == 2:
            parent[last] = [parent[last]]
        else:
            parent[last] = copy.deepcopy(chance.choice(ODD))
    return result


def damaged(text, chance):
    """With bytes that are others, or missing."""
    data = bytearray(text.encode())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        if chance.random() < 0.2:
            del data[at:]
            break
        if chance.random() < 0.5:
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at : at + chance.randrange(9)] = data[:: -1][: chance.randrange(3)]
        if not data:
            break
    return bytes(data).decode("utf-8", errors="surrogateescape")


@needs("fsspec")
class Jobs(unittest.TestCase):
    def setUp(self):
        store = Kept()
        self.expected = OfAJob(store).told()
        self.texts = store.texts

    def store_of(self, texts):
        store = Kept()
        store.texts = dict(texts)
        return store

    def test_whole_marks_are_taken(self):
        job = OfAJob(self.store_of(self.texts))
        self.assertEqual((job.summary.tasks, job.summary.tasks_done_before), (0, 2 + PARTITIONS))
        self.assertEqual(job.manifest.refused, [])

    def try_one(self, name, text):
        store = self.store_of(self.texts)
        store.write(name, text)
        with self.subTest(name=name, text=text):
            job = OfAJob(store)
            taken = job.summary.tasks_done_before
            self.assertTrue(taken == 2 + PARTITIONS or job.manifest.refused or job.summary.tasks, name)
            for line in job.manifest.refused:
                self.assertTrue(line.startswith(f"/job/{name}: no mark of this job, and passed over: "), line)
            said = job.told()
            if job.manifest.refused:  # then the task ran again
                self.assertEqual(said.split("tasks")[0], self.expected.split("tasks")[0])
            for source, _ in _names(job.marks):
                self.assertIn(source, store.texts)

    def test_any_mark(self):
        """LONG=ON tries more of them."""
        chance = random.Random(45)
        marks = [name for name in self.texts if name.startswith("done/")]
        for _ in range(200_000 if os.environ.get("LONG") == "ON" else 6000):
            name = chance.choice(marks)
            text = self.texts[name]
            if chance.random() < 0.75:
                text = json.dumps(changed(json.loads(text), chance))
            else:
                text = damaged(text, chance)
            self.try_one(name, text)


class Fields(Case):
    """Of a folder: the lines that name marks."""

    def test_marks_with_other_types_are_none(self):
        key, part = key_of("decode", 1), key_of("meter", 1)
        whole, of_part = decoded(key, PARTITIONS), metered(part)
        files = dict(whole["files"])
        cases = [
            *((key, {**whole, name: value}) for name, value in (
                ("packets", "9"), ("packets", -1), ("packets", True), ("first_ns", "0"), ("first_ns", None),
                ("latest_ns", -1), ("latest_ns", 1.5), ("counters", None), ("counters", {"metered": "8"}),
                ("counters", {"ignored": 3}), ("counters", {"not_ip": {"ARP": None}}), ("damage", {}), ("damage", [{}]),
                ("damage", [{"file": "a", "offset": "9", "reason": "r"}]), ("unreadable", "a"), ("unreadable", [1]),
                ("passed_over", None), ("let_go", "no"), ("files", {name: str(size) for name, size in files.items()}),
                ("files", {}), ("files", {name: size for name, size in files.items() if "-02-" not in name}),
            )),
            *((key, {name: value for name, value in whole.items() if name != gone})
              for gone in whole if gone != "captures"),
            *((part, {**of_part, "stats": value}) for value in (
                None, [], {**STATS, "rows": None}, {**STATS, "totals": 3}, {**STATS, "totals": {"packets": "9"}},
                {**STATS, "flows_by_end_reason": []}, {**STATS, "late_packets": {}}, {**STATS, "rows": 10**400},
            )),
            (part, {**of_part, "folder": None}), (part, {"folder": of_part["folder"], "files": {FLOWS: 5}}),
        ]  # fmt: skip
        store = Store(str(self.folder / "work"))
        Manifest(store).begin({}, fresh=False)
        for result in (whole, of_part):
            for file in result["files"]:
                store.write(f"{result['folder']}/{file}", "bytes")
        for name, result in cases:
            with self.subTest(mark=result):
                mark(store, name, result)
                manifest = Manifest(store)
                manifest.begin({}, fresh=False)
                self.assertEqual(manifest.results, {})
                (line,) = manifest.refused
                place = os.path.join(self.folder, "work", "done", f"{name}.json")
                self.assertTrue(line.startswith(f"{place}: no mark of this job, "), line)
                store.remove(f"done/{name}.json")
        let_go = {**whole, "folder": None, "files": {}, "let_go": True}
        for name, result in ((key, whole), (part, of_part), (key, let_go)):
            mark(store, name, result)
            manifest = Manifest(store)
            manifest.begin({}, fresh=False)
            self.assertEqual((manifest.results[name], manifest.refused), (result, []))
