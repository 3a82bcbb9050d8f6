"""What these tests share. tests/e2e/setup/python_cluster.sh runs them, and sets the environment."""

import atexit
import contextlib
import functools
import http.server
import importlib.util
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# That of test_object_store.py, if it runs: nodes that are started before know where it will be.
OBJECT_STORE = {
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
    "AWS_DEFAULT_REGION": "us-east-1",
}  # fmt: skip
PROGRAM, TRAFFIC_GEN = os.environ["WARPMETER"], os.environ["TRAFFIC_GEN"]
SOURCE = pathlib.Path(os.environ["SOURCE"])


def needs(*modules):
    """Of a test class: skips it where one of these is not installed."""
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    return unittest.skipIf(missing, f"tools/setup-cluster, which installs {', '.join(missing)}, runs this")


# Each job takes seconds to meet its Ray. In the short form there is one of each kind: the same bytes, captures that
# overlap or are bad, a job that is killed and goes on, one that is interrupted, a worker that is lost, S3, a dataset.
long = unittest.skipUnless(os.environ.get("LONG") == "ON", "tools/test --long runs this")


@functools.cache
def trace(packets=20000, seed=1):
    """The bytes of a capture."""
    words = [TRAFFIC_GEN, "--packets", str(packets), "--flows", "300", "--seed", str(seed), "-o", "-"]
    return subprocess.run(words, check=True, capture_output=True).stdout


def cut(capture, pieces):
    """The bytes of so many captures, which follow each other in time."""
    records, at = [], 24
    while at < len(capture):
        size = 16 + struct.unpack_from("<I", capture, at + 8)[0]
        records.append(capture[at : at + size])
        at += size
    records.sort(key=lambda record: struct.unpack_from("<II", record))
    step = -(-len(records) // pieces)
    return [capture[:24] + b"".join(records[i * step : (i + 1) * step]) for i in range(pieces)]


def wait_for(what, seconds=60):
    """What it returns, once that is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("not in time")


def processes(*words):
    """Ids of those whose command line has all of these words."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                line = (folder / "cmdline").read_bytes().split(b"\0")
                if all(any(word in part.decode(errors="replace") for part in line) for word in words):
                    found.append(int(folder.name))
    return found


def listening(pids):
    """Addresses at which these processes take TCP connections, as hexadecimal numbers of /proc/net."""
    held = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            held |= {os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):
            for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and f"socket:[{words[9]}]" in held:
                    found.add(words[1].split(":")[0])
    return found


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


@functools.cache
def nodes():
    """A Ray of three nodes with a CPU each, for all tests of a process that break nothing of it."""
    cluster = start_nodes(3)
    atexit.register(cluster.shutdown)
    return cluster


def start_nodes(count):
    """The first is the head, where jobs of tests start."""
    from ray.cluster_utils import Cluster

    folder = tempfile.mkdtemp(prefix="wmc-")  # Ray opens its own, which is inside, to all users
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ.update(OBJECT_STORE, RAY_TMPDIR=folder)  # which nodes take from here; the address is written there, too
    options = {"num_cpus": 1, "object_store_memory": 100 << 20, "temp_dir": f"{folder}/ray"}
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    for number in range(1, count):
        cluster.add_node(**options, num_gpus=int(number == 1))  # that nobody has: it is not looked at
    return cluster


STATS = {
    "rows": 7, "totals": {"packets": 9, "missing_bytes": 0}, "flows_by_end_reason": {"idle timeout": 7},
    "evicted_flows": 0, "late_packets": 1, "holes_dropped": 0, "backend": "cpu", "seconds": 0.5,
}  # fmt: skip


def decoded(key, partitions=16, first=0, **fields):
    """What a task returns, and its mark has."""
    from warpmeter.cluster.manifest import new_folder
    from warpmeter.cluster.program import segment_file

    return {
        "folder": new_folder(key),
        "files": {segment_file(n, partitions): 100 * n for n in range(1, partitions + 1)},
        "captures": ["a.pcap"], "packets": 9, "first_ns": first, "latest_ns": first + 9,
        "counters": {"metered": 8, "ignored": {"not IP": 1}, "not_ip": {"ARP": 1}, "unopened_tunnels": {}},
        "damage": [{"file": "a.pcap", "offset": 9, "reason": "a bad length", "skipped": 3}],
        "unreadable": ["c.pcap: No such file or directory"], "passed_over": 1, **fields,
    }  # fmt: skip


def metered(key):
    from warpmeter.cluster.manifest import FLOWS, new_folder

    return {"folder": new_folder(key), "files": {FLOWS: 5}, "stats": STATS}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wmc-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tmpdir = self.folder / "tmp"
        self.tmpdir.mkdir()
        self.captures = self.folder / "captures"
        self.captures.mkdir()

    def write(self, pieces, name="{:02}.pcap"):
        for number, piece in enumerate(pieces):
            (self.captures / name.format(number)).write_bytes(piece)

    def expected(self, *words, status=0, name="expected.csv"):
        """The bytes that `warpmeter extract` writes."""
        output = self.folder / name
        command = [PROGRAM, "extract", "-q", "-o", output, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return output.read_bytes()

    def start(self, *words, address=None, **environment):
        """A job that runs. address: of other nodes than those of all tests, or "local": on none that is there."""
        where = [f"--tmpdir={self.tmpdir}"]
        if address != "local":
            where += [f"--address={address or nodes().address}", f"--work={self.folder}/work"]
        command = [sys.executable, "-m", "warpmeter.cluster", *where, *map(str, words)]
        run = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
            env={**os.environ, **environment}, start_new_session=True,
        )  # fmt: skip
        self.addCleanup(self._end, run)
        return run

    def _end(self, run):
        if run.poll() is None:
            run.kill()
        run.stdout.close()
        run.stderr.close()
        run.wait()

    def ended(self, run, status=0, seconds=100):
        """What it said, which is no traceback."""
        _, said = run.communicate(timeout=seconds)
        self.assertEqual(run.returncode, status, said)
        self.assertNotIn("Traceback", said)
        return said

    def cluster(self, *words, status=0, **options):
        return self.ended(self.start(*words, **options), status)

    def left(self):
        return sorted(path.name for path in self.tmpdir.iterdir())


class Gate(http.server.ThreadingHTTPServer):
    """A web server of files, by names. What is named in `held` it gives no further than `first` bytes until open()."""

    daemon_threads = True

    def __init__(self, files, held=(), first=1000):
        self.files, self.held, self.first = files, set(held), first
        self.opened = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Of one that was killed while it was given something."""

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def open(self):
        self.opened.set()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        name = self.path.lstrip("/")
        if name not in self.server.files:
            self.send_error(404)
            return
        data = self.server.files[name]
        begin, end = 0, len(data) - 1
        asked = self.headers.get("Range")
        if asked:
            first, last = asked.removeprefix("bytes=").split("-")
            begin, end = int(first), min(int(last or end), end)
        self.send_response(206 if asked else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{hash(data)}"')
        if asked:
            self.send_header("Content-Range", f"bytes {begin}-{end}/{len(data)}")
        self.send_header("Content-Length", str(end - begin + 1))
        self.end_headers()
        with contextlib.suppress(OSError):
            if body and name in self.server.held:
                self.wfile.write(data[begin : min(begin + self.server.first, end + 1)])
                self.wfile.flush()
                self.server.opened.wait(120)
                begin += self.server.first
            if body:
                self.wfile.write(data[begin : end + 1])
