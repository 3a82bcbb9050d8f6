"""Jobs on a Ray of this machine: the bytes of `warpmeter extract`, for whatever it reads well, badly or not at all."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet
from cluster_support import PROGRAM, Case, Gate, cut, listening, long, needs, processes, trace, wait_for


@needs("ray", "fsspec", "aiohttp")
class Job(Case):
    def same(self, *words, inputs=None, status=0, name="flows.csv"):
        """Of a job and of extract, with these options. Returns what the job said."""
        inputs = [self.captures] if inputs is None else inputs
        expected = self.expected(*inputs, *words, status=status, name=f"expected-{name}")
        said = self.cluster(*inputs, *words, "-o", name, "--group=0", "--partitions=4", status=status)
        self.assertEqual((self.folder / name).read_bytes(), expected)
        self.assertEqual(self.left(), [])
        self.assertFalse((self.folder / "work").exists())
        return said

    def test_one_after_the_other(self):
        self.write(cut(trace(), 5))
        self.assertIn("flow records", self.same("--stats=stats.json"))
        told = json.loads((self.folder / "stats.json").read_text())
        self.assertEqual((told["packets_read"], told["captures"], told["tasks"]), (20000, 5, 9))
        self.assertEqual(sum(told["flows_by_end_reason"].values()), told["rows"])
        self.assertEqual(told["packets read"], told["packets_read"])  # the key of before, for one release

    @long
    def test_options(self):
        self.write(cut(trace(), 3))
        self.same("--biflow", "--key-vlan", "--idle-timeout=20ms", "--community-id", "--times=us")

    @long
    def test_formats(self):
        """The second and third of one job take what the first has done."""
        self.write(cut(trace(), 2))
        for name in ("flows.json", "flows.ipfix", "flows.parquet", "flows.csv.gz"):
            self.cluster(self.captures, "-o", name, "--partitions=2", "--keep-work", "-q", "--stats=stats.json")
            self.assertEqual((self.folder / name).read_bytes(), self.expected(self.captures, name=f"expected-{name}"))
        self.assertEqual(json.loads((self.folder / "stats.json").read_text())["tasks"], 0)

    @long
    def test_graphics_cards(self):
        """A task has them to itself; those of these nodes are none, and `auto` meters on the CPU."""
        self.write(cut(trace(), 2))
        expected = self.expected(self.captures)
        self.cluster(self.captures, "-o", "flows.csv", "--gpus-per-task=1", "--partitions=2", "-q")
        self.assertEqual((self.folder / "flows.csv").read_bytes(), expected)

    @long
    def test_an_overlap_that_is_gone(self):
        """What had its segments in a set of several has to be decoded again."""
        pieces = cut(trace(), 2)
        self.write([*pieces, pieces[1]])
        words = [self.captures, "-o", "flows.csv", "--group=0", "--partitions=1", "--keep-work", "-q"]
        self.cluster(*words)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures))
        (self.captures / "02.pcap").unlink()
        self.cluster(*words)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures))

    def test_overlapping(self):
        first, second, third, fourth = cut(trace(), 4)
        self.write([first, second, third, fourth, *cut(trace(seed=2), 2)])
        self.write([second], "twice.pcap")
        said = self.same()
        self.assertEqual(said.count("overlap in time"), 1)

    @long
    def test_overlapping_in_two_groups(self):
        pieces = cut(trace(), 4)
        self.write([pieces[0], pieces[0], pieces[1], pieces[3], pieces[3]])
        self.assertIn("4 captures overlap in time (in 2 groups)", self.same())

    @long
    def test_small_ones_together(self):
        self.write(cut(trace(), 7))
        expected = self.expected(self.captures)
        self.cluster(self.captures, "-o", "flows.csv", "-q", "--partitions=1", "--stats=stats.json")
        self.assertEqual((self.folder / "flows.csv").read_bytes(), expected)
        self.assertEqual(json.loads((self.folder / "stats.json").read_text())["tasks"], 2)

    def test_bad_inputs(self):
        self.write(cut(trace(), 3))
        (self.captures / "text").write_text("no capture")
        (self.captures / "empty.pcap").write_bytes(b"")
        (self.captures / "cut.pcap").write_bytes(trace()[:50001])
        (self.folder / "letter").write_text("no capture")
        said = self.same(inputs=[self.captures, self.folder / "letter", self.folder / "missing.pcap"], status=3)
        self.assertIn(f"{self.folder}/letter: not a pcap, pcapng, HP-CAP or ERF file", said)
        self.assertIn(f"{self.folder}/missing.pcap: No such file or directory", said)
        self.assertRegex(said, f"{self.captures}/cut.pcap: damaged at byte \\d+: record cut short; what came before")
        self.assertRegex(said, "passed over +1 files")
        self.assertIn(f"{self.captures}/empty.pcap: the file is empty", said)
        self.assertEqual(said.count("damaged at byte"), 1)

    def test_nothing_to_read(self):
        (self.folder / "letter").write_text("no capture")
        said = self.cluster("letter", "missing", "-o", "flows.csv", status=1)
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("missing: No such file or directory; letter: not a pcap", said)
        self.assertEqual(self.left(), [])
        self.assertFalse((self.folder / "flows.csv").exists())

    @long
    def test_no_packets(self):
        (self.captures / "empty.pcap").write_bytes(trace()[:24])
        self.same()

    @long
    def test_streams_of_a_web_server(self):
        pieces = dict(zip(("b.pcap", "a.pcap", "c.pcap.gz"), cut(trace(), 3)))
        self.write(cut(trace(), 3))
        pieces["c.pcap.gz"] = subprocess.run(
            ["gzip"], input=pieces["c.pcap.gz"], capture_output=True, check=True
        ).stdout
        pieces["d.pcap"] = trace()[:30001]
        server = Gate(pieces)
        self.addCleanup(server.server_close)
        (self.captures / "d.pcap").write_bytes(pieces["d.pcap"])
        expected = self.expected(self.captures, status=3)
        urls = [server.url(name) for name in (*pieces, "none.pcap")]
        said = self.cluster(*urls, "-o", "flows.csv", "--group=0", "--partitions=2", status=3)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), expected)
        self.assertIn(f"{server.url('none.pcap')}: No such file or directory", said)
        self.assertIn(f"{server.url('d.pcap')}: damaged at byte", said)
        self.assertIn("overlap in time", said)

    @long
    def test_dataset(self):
        self.write(cut(trace(), 2))
        self.cluster(self.captures, "-o", "flows/", "--partitions=2", "-q")
        files = sorted(str(path.relative_to(self.folder)) for path in (self.folder / "flows").rglob("*.*"))
        self.assertEqual(files, [f"flows/hour=2023-11-14T22/part-0{n}.parquet" for n in (1, 2)])
        rows = sum(pyarrow.parquet.ParquetFile(self.folder / name).metadata.num_rows for name in files)
        self.assertEqual(rows, self.expected(self.captures).count(b"\n") - 1)
        bytes_before = [(self.folder / name).read_bytes() for name in files]
        said = self.cluster(self.captures, "-o", "flows/", "--partitions=2", status=1)
        self.assertIn("flows/: is not an empty folder", said)
        self.cluster(self.captures, "-o", "again/", "--partitions=2", "-q", "--group=0", "--tasks=1")
        self.assertEqual(
            [(self.folder / name.replace("flows/", "again/")).read_bytes() for name in files], bytes_before
        )
        self.cluster(self.captures, "-o", "csv/", "--format=csv", "--partitions=1", "-q")
        rows = (self.folder / "csv/hour=2023-11-14T22/part-01.csv").read_bytes()
        self.assertEqual(rows, self.expected(self.captures))

    def test_usage_is_told_before_anything_starts(self):
        self.write(cut(trace(), 1))
        for words, status, said in (
            (["--idle-timeout=soon"], 2, "--idle-timeout soon: not a time"),
            (["--filter", "tcp prot 80"], 2, "filter"),
            (["--work="], 2, "--work"),
            (["--address=127.0.0.1:1"], 1, "no Ray cluster at 127.0.0.1:1"),
            (["--work=/proc/none"], 1, "/proc/none"),
            (["--cpus-per-task=2"], 1, "no node has 2 CPUs for a task"),
            (["--gpus-per-task=2"], 1, "no node has 1 CPUs and 2 GPUs"),
            (["-o", self.captures / "00.pcap"], 1, "00.pcap: is an input, too"),
        ):
            output = self.cluster(self.captures, "-o", "flows.csv", *words, status=status)
            self.assertEqual(output.count("\n"), 1, output)
            self.assertIn(said, output)
        self.assertIn("there is no folder", self.cluster(self.captures, "-o", "no/flows.csv", status=1))
        self.assertEqual(self.left(), [])
        self.assertFalse((self.folder / "work").exists())

    @long
    def test_disk_full(self):
        self.write(cut(trace(), 1))
        said = self.cluster(self.captures, "-o", "/dev/full", "--format=csv", "--partitions=1", status=1)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("No space left on device", said)


@needs("ray", "fsspec", "aiohttp")
class GoingOn(Case):
    """A job that ends before it is done, and is started again."""

    def setUp(self):
        super().setUp()
        self.pieces = cut(trace(), 4)
        self.write(self.pieces)
        self.server = Gate({f"{n:02}.pcap": piece for n, piece in enumerate(self.pieces)}, held={"03.pcap"})
        self.addCleanup(self.server.server_close)
        self.words = [
            *map(self.server.url, self.server.files), "-o", "flows.csv", "--group=0", "--partitions=2",
            "--stats=stats.json",
        ]  # fmt: skip

    def marks(self, kind="decode"):
        return sorted((self.folder / "work" / "done").glob(f"{kind}-*.json"))

    def begin(self):
        """A job that waits for the last of four captures, with three done."""
        run = self.start(*self.words)
        wait_for(lambda: len(self.marks()) == 3 and processes("decode", str(self.folder)))
        return run

    def goes_on(self, before):
        # Nobody meters on for one who is not there.
        wait_for(lambda: not processes("decode", str(self.folder)))
        self.server.open()
        self.cluster(*self.words)
        told = json.loads((self.folder / "stats.json").read_text())
        self.assertEqual((told["tasks done before"], told["tasks"]), (before, 6 - before))
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures))
        self.assertFalse((self.folder / "work").exists())
        self.assertEqual(self.left(), [])

    def test_killed(self):
        run = self.begin()
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        self.goes_on(3)

    @long
    def test_killed_on_this_machine(self):
        """Where its Ray ends with it, and the work is in the folder for temporary files."""
        words = self.words[:-1]
        run = self.start(*words, address="local")
        wait_for(lambda: len(list(self.tmpdir.glob("warpmeter-cluster-*/done/decode-*.json"))) == 3)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        wait_for(lambda: not processes("decode", str(self.tmpdir)))
        self.server.open()
        said = self.cluster(*words, address="local")
        self.assertIn("and 3 done before", said)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures))
        self.assertEqual(self.left(), [])

    @long
    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.begin()
            os.kill(run.pid, number)
            said = self.ended(run, 130, seconds=30)
            self.assertIn(f"interrupted; the same command goes on with what is done in {self.folder}/work", said)
            self.assertEqual(self.left(), [])
        self.goes_on(3)

    def closed(self, pid):
        """Ray gives its folders to all users, who do not get so far; and no other machine reaches it."""
        places = {Path("/tmp"), Path(tempfile.gettempdir())}
        (own,) = (path for place in places for path in place.glob(f"wm-ray-{pid}-*"))
        self.assertEqual(own.stat().st_mode & 0o777, 0o700)
        self.assertTrue(list(own.glob("ray/session_*/logs")))
        addresses = listening(processes(str(own)))
        self.assertTrue(addresses)
        self.assertLessEqual(addresses, {"0100007F", "0000000000000000FFFF00000100007F", "0" * 24 + "01000000"})
        if os.geteuid() == 0:
            done = subprocess.run(["ls", "-d", own / "ray"], user=65534, group=65534, capture_output=True, text=True)
            self.assertIn("Permission denied", done.stderr)

    def hidden(self, secret, known):
        """Whoever is another user finds it nowhere but where this one has shown it, though the tasks have it."""
        (decode,) = processes("decode", str(self.tmpdir))
        self.assertTrue(secret.encode() in Path(f"/proc/{decode}/environ").read_bytes(), "decode has another seed")
        self.assertEqual(processes(secret), known)
        texts = [path.read_bytes() for path in self.tmpdir.glob("warpmeter-cluster-*/**/*") if path.is_file()]
        self.assertTrue(texts)
        self.assertFalse([text for text in texts if secret.encode() in text])

    def test_interrupted_on_a_terminal(self):
        """Ctrl-C goes to all processes there."""
        secret = "known to nobody else"
        run = self.start(*self.words[:-1], f"--hash-seed={secret}", address="local", HOME=str(self.folder))
        wait_for(lambda: len(list(self.tmpdir.glob("warpmeter-cluster-*/done/decode-*.json"))) == 3)
        wait_for(lambda: processes("decode", str(self.tmpdir)))
        self.hidden(secret, [run.pid])
        self.assertFalse((self.folder / ".ray").exists())
        self.closed(run.pid)
        os.killpg(run.pid, signal.SIGINT)
        said = self.ended(run, 130, seconds=30)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual([name for name in self.left() if not name.startswith("warpmeter-cluster")], [])
        self.assertEqual(processes("decode", str(self.tmpdir)), [])

    @long
    def test_other_options(self):
        run = self.begin()
        os.kill(run.pid, signal.SIGINT)
        self.ended(run, 130, seconds=30)
        said = self.cluster(*self.words, "--biflow", status=1)
        self.assertIn(
            'has the work of another job (metering was [] and is ["--biflow"] now); --fresh starts over', said
        )
        self.assertEqual(len(self.marks()), 3)
        self.server.open()
        self.cluster(*self.words, "--biflow", "--fresh", "--keep-work")
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures, "--biflow"))
        self.assertEqual((len(self.marks()), len(self.marks("meter"))), (4, 2))

    @long
    def test_a_capture_that_changed(self):
        run = self.begin()
        os.kill(run.pid, signal.SIGINT)
        self.ended(run, 130, seconds=30)
        self.server.files["00.pcap"] = self.pieces[0][:20000]
        (self.captures / "00.pcap").write_bytes(self.pieces[0][:20000])
        self.server.open()
        self.cluster(*self.words, status=3)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures, status=3))
        self.assertEqual(json.loads((self.folder / "stats.json").read_text())["tasks done before"], 2)

    @long
    def test_work_that_is_kept_is_done(self):
        self.server.open()
        self.cluster(*self.words, "--keep-work", "-q")
        (self.folder / "flows.csv").unlink()
        self.goes_on(6)

    @long
    def test_too_much_work(self):
        self.server.open()
        said = self.cluster(*self.words, "--work-limit=100K", status=1)
        self.assertRegex(said, "segment sets would take about .* in .*/work, more than --work-limit")
        self.assertEqual(said.count("\n"), 1)
        self.cluster(*self.words, "--work-limit=100M")


@needs("ray", "fsspec")
class Program(Case):
    def test_console_script(self):
        """`cluster` as the first word goes to Python, other words to the program."""
        self.write(cut(trace(), 1))
        main = "from warpmeter._main import main; main()"
        run = subprocess.run([sys.executable, "-c", main, "--version"], capture_output=True, text=True)
        self.assertEqual(run.stdout, subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout)
