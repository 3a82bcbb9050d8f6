"""Ray, as a job uses it: tasks in flight, no more than a limit, run again where a node or a process is lost."""

import contextlib
import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .._errors import Error
from .interrupt import watch_for_interrupt
from .ray_options import check_address_file, existing_ray, local_ray
from .trouble import Lost, first_line

CANCEL_S, CONNECT_S = 5.0, 10.0
MOST_TRIES = 1000
MISSING = "cluster needs Ray: pip install 'warpmeter[cluster]'"


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
