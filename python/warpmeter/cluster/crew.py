"""Ray, as a job uses it: one that is there, or one of this machine alone; tasks in flight, no more than a limit, run
again where a node or a process is lost. What Ray reads from the environment has to be there before it is imported."""

import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import stat
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .._errors import Error
from .task import Lost, first_line, sweep

CANCEL_S, CONNECT_S = 5.0, 10.0
MOST_TRIES = 1000
MISSING = "cluster needs Ray: pip install 'warpmeter[cluster]'"
OBJECTS = 100 << 20  # bytes of Ray's object store: tasks return a few lines
# Bytes of the folder that Ray's is in. The path of a Unix socket has at most 107, of which "/wm-ray-PID-RANDOM/ray"
# takes some, and what Ray adds, "/session_TIME_PID/sockets/plasma_store".
LONGEST_FOR_RAY = 12


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def watch_for_interrupt() -> None:
    """On the main thread. To be called again after Ray, which has handlers of its own, has started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


@contextlib.contextmanager
def folder_of_ray() -> Iterator[str]:
    """For a Ray of this machine. Nobody else gets into it. Ray opens the folder that it is given to all users (mode
    0777), so that has to be one inside."""
    usual = tempfile.gettempdir()
    place = usual if len(os.fsencode(usual)) <= LONGEST_FOR_RAY else "/tmp"
    sweep(place)
    folder = tempfile.mkdtemp(prefix=f"wm-ray-{os.getpid()}-", dir=place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_address_file(address: str) -> None:
    """With "auto" Ray looks for the address of a cluster in a folder that may be everybody's: whoever put another file
    there would get the job, and reading a pipe would never end. Raises Error."""
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, "ray", "ray_current_cluster")
    try:
        status = os.lstat(path)
    except OSError:
        return
    if address == "auto" and not (stat.S_ISREG(status.st_mode) and status.st_uid in (0, os.getuid())):
        raise Error(f"{path}: is no file of this user or of root; --address HOST:PORT says where the cluster is")


def existing_ray() -> dict[str, Any]:
    """For ray.init()."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of what will be
    return {}


@contextlib.contextmanager
def local_ray() -> Iterator[dict[str, Any]]:
    """For ray.init(). Nobody else reaches it: it listens on this machine alone, to who has a token that ends with it.
    It leaves nothing behind, and no token in the home folder, where Ray would put it."""
    with folder_of_ray() as folder:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # else Ray takes an address of the network for 127.0.0.1
        if "RAY_AUTH_MODE" not in os.environ:
            token = os.path.join(folder, "token")
            with open(os.open(token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=token)
        yield {
            **existing_ray(), "include_dashboard": False, "object_store_memory": OBJECTS,
            "_temp_dir": os.path.join(folder, "ray"), "_node_ip_address": "127.0.0.1",
        }  # fmt: skip


@dataclass(frozen=True)
class Work:
    """A task: `function`, which the package has on all nodes, of one argument. name: as the dashboard shows it."""

    name: str
    function: Callable[[Any], dict[str, Any]]
    task: Any
    cpus: int = 1
    gpus: float = 0.0
    memory: int = 0  # bytes that a node must have free of what Ray gives out; 0: is not asked


def _probe(address: str) -> None:
    """Ray would try for minutes. Raises OSError."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "://" not in address:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()


class Crew:
    """Of the driver, on the main thread. A context: cancels what runs, and leaves Ray."""

    def __init__(self, address: str, most: int | None, retries: int) -> None:
        """address: "local" starts a Ray of this machine alone. most: tasks in flight; None: by the CPUs there are."""
        self._most = most
        self._retries = retries
        self._flying: dict[Any, Work] = {}
        self._left = contextlib.ExitStack()
        check_address_file(address)
        options = self._left.enter_context(local_ray()) if address == "local" else existing_ray()
        try:
            import ray

            self._ray = ray
            _probe(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
        except ImportError:
            self._left.close()
            raise Error(MISSING) from None
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            self._left.close()
            token = "" if os.environ.get("RAY_AUTH_MODE") else "; where it asks for a token, set RAY_AUTH_MODE=token"
            raise Error(f"no Ray cluster at {address}: {first_line(error)}{token}") from None
        watch_for_interrupt()

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        with self._left:
            try:
                self._cancel()
            finally:
                self._ray.shutdown()

    def nodes(self) -> list[dict[str, float]]:
        """What each node that is alive has: "CPU", "memory", ..."""
        nodes: list[dict[str, Any]] = self._ray.nodes()  # type: ignore[no-untyped-call]
        return [node["Resources"] for node in nodes if node["Alive"] and node["Resources"].get("CPU")]

    def _room(self, work: Work) -> int:
        if self._most is not None:
            return self._most
        cpus = sum(node["CPU"] for node in self.nodes())
        return max(2, 2 * int(cpus // work.cpus))

    def check_room(self, cpus: int, gpus: float) -> None:
        """For a task that asks for so much Ray would wait for ever where no node has it. Raises Error then."""
        if not any(node["CPU"] >= cpus and node.get("GPU", 0) >= gpus for node in self.nodes()):
            gpu = f" and {gpus:g} GPUs" if gpus else ""
            raise Error(f"no node has {cpus} CPUs{gpu} for a task (--cpus-per-task, --gpus-per-task)")

    def _submit(self, work: Work) -> None:
        remote = self._ray.remote(work.function).options(
            name=work.name, num_cpus=work.cpus, num_gpus=work.gpus, memory=work.memory or None,
            max_retries=self._retries, retry_exceptions=[Lost], scheduling_strategy="SPREAD",
        )  # fmt: skip
        self._flying[remote.remote(work.task)] = work

    def run(
        self,
        works: Iterable[Work],
        finished: Callable[[Work, dict[str, Any]], None],
        may_start: Callable[[Work, list[Work]], bool] = lambda work, flying: True,
        wait: Callable[[], None] = lambda: None,
    ) -> None:
        """Until all are finished. may_start: of the next and those in flight; if not, one of these is waited for.
        wait: is called about once a second. Raises Error for the first that fails."""
        waiting = deque(works)
        while waiting or self._flying:
            while waiting and len(self._flying) < self._room(waiting[0]):
                if not may_start(waiting[0], list(self._flying.values())):
                    break
                self._submit(waiting.popleft())
            ready, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=1.0, fetch_local=False)
            for one in ready:
                work = self._flying.pop(one)
                finished(work, self._result(one, work))
            wait()

    def _result(self, one: Any, work: Work) -> dict[str, Any]:
        try:
            result: dict[str, Any] = self._ray.get(one)
        except self._ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None) or error
            raise Error(f"{work.name}: {first_line(cause)}, {self._retries + 1} times") from None
        except self._ray.exceptions.RayError as error:
            raise Error(
                f"{work.name}: its node or process was lost, {self._retries + 1} times: {first_line(error)}"
            ) from None
        if "failure" in result:
            raise Error(result["failure"])
        return result

    def _cancel(self) -> None:
        """Tasks clean up behind them, unless it takes them too long."""
        for force in (False, True):
            if self._flying:
                self._cancel_all(force)
            deadline = time.monotonic() + CANCEL_S
            while self._flying and time.monotonic() < deadline:
                ready, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=0.5, fetch_local=False)
                for one in ready:
                    del self._flying[one]

    def _cancel_all(self, force: bool) -> None:
        """On the thread of Ray on which results come, as of any object that is there. If the result of a task comes
        while another thread cancels it, Ray ends this process: "Tried to complete task that was not pending"."""
        tasks, here = list(self._flying), threading.get_ident()
        early, done = threading.Event(), threading.Event()

        def cancel(_: Any) -> None:
            if threading.get_ident() == here:  # the object was there before anybody waited for it
                early.set()
                return
            try:
                for task in tasks:
                    self._ray.cancel(task, force=force)
            finally:
                done.set()

        for _ in range(MOST_TRIES):
            there = self._ray.put(None)
            there.future().add_done_callback(cancel)
            if not early.is_set():
                done.wait(CANCEL_S)
                return
            early.clear()
