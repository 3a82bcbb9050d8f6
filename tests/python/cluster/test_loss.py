"""Programs, workers and nodes that are lost while they work: what they did is done again, with the same output."""

import os
import signal
import subprocess
import sys
import time

from cluster_support import Case, Gate, cut, long, needs, parent_of, processes, start_nodes, trace, wait_for


@needs("ray", "fsspec", "aiohttp")
class Loss(Case):
    def setUp(self):
        super().setUp()
        pieces = cut(trace(), 4)
        self.write(pieces)
        self.server = Gate({f"{n:02}.pcap": piece for n, piece in enumerate(pieces)}, held={"02.pcap"})
        self.addCleanup(self.server.server_close)
        self.words = [
            *map(self.server.url, self.server.files), "-o", "flows.csv", "--group=0", "--partitions=2",
            "--stats=stats.json",
        ]  # fmt: skip

    def decoding(self, but=()):
        """Of the program that waits for a capture: its process."""
        return next(iter(set(processes("decode", f"--stdin-name={self.server.url('02.pcap')}")) - set(but)), None)

    def same(self, run):
        self.ended(run)
        self.assertEqual((self.folder / "flows.csv").read_bytes(), self.expected(self.captures))
        self.assertFalse((self.folder / "work").exists())

    @long
    def test_program_killed(self):
        run = self.start(*self.words)
        first = wait_for(self.decoding)
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: self.decoding(but=[first]))
        self.server.open()
        self.same(run)
        self.assertEqual(self.left(), [])

    def test_worker_killed(self):
        run = self.start(*self.words)
        first = wait_for(self.decoding)
        os.kill(parent_of(first), signal.SIGKILL)
        wait_for(lambda: not os.path.exists(f"/proc/{first}"))  # it does not outlive its worker
        wait_for(lambda: self.decoding(but=[first]))
        self.server.open()
        self.same(run)
        self.assertEqual(self.left(), [])  # the next task has removed what was left

    @long
    def test_killed_too_often(self):
        run = self.start(*self.words, "--retries=1")
        killed = []
        for _ in range(2):
            killed.append(wait_for(lambda: self.decoding(but=killed)))
            os.kill(killed[-1], signal.SIGKILL)
        said = self.ended(run, 1)
        self.assertRegex(
            said, r"decode 02.pcap \(3 of 4\): warpmeter decode was killed, 2 times; the same command goes on"
        )
        self.assertEqual(said.count("\n"), 1, said)

    @long
    def test_program_crashes(self):
        """That would happen again: it is told, once."""
        run = self.start(*self.words)
        os.kill(wait_for(self.decoding), signal.SIGSEGV)
        said = self.ended(run, 1)
        self.assertIn("warpmeter decode crashed: SIGSEGV", said)
        self.assertEqual(said.count("\n"), 1, said)

    @long
    def test_node_removed(self):
        cluster = start_nodes(2)
        self.addCleanup(cluster.shutdown)
        lost = cluster.add_node(
            num_cpus=1, resources={"lost": 1}, object_store_memory=100 << 20
        )
        run = self.start(*self.words, address=cluster.address)
        first = wait_for(self.decoding)
        # Whichever node it is on, unless the job would be gone with it.
        raylet = parent_of(parent_of(first))
        node = next((n for n in cluster.worker_nodes if self.raylet_of(n) == raylet), lost)
        cluster.remove_node(node, allow_graceful=False)
        time.sleep(1)
        self.server.open()
        self.same(run)

    def raylet_of(self, node):
        return node.all_processes["raylet"][0].process.pid


CANCEL_OFTEN = """
import random
import time
from warpmeter.cluster.crew import Crew

with Crew("local", None, 1) as crew:
    import ray

    nap = ray.remote(lambda seconds: time.sleep(seconds)).options(max_retries=2, retry_exceptions=[ValueError])
    ray.get([nap.remote(0) for _ in range(10)])
    for _ in range(1000):
        crew._flying = dict.fromkeys(nap.remote(0.002) for _ in range(12))
        time.sleep(random.uniform(0.001, 0.02))
        crew._cancel()
print("ended")
"""


@needs("ray")
class Cancelled(Case):
    @long
    def test_while_results_come(self):
        """Ray ends a process that cancels a task on one thread while its result comes on another."""
        run = subprocess.run([sys.executable, "-c", CANCEL_OFTEN], capture_output=True, text=True, timeout=300)
        self.assertEqual((run.returncode, run.stdout), (0, "ended\n"), run.stderr)
