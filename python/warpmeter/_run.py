"""What runs of the library have in common, whatever they give."""

import json
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, TypeVar

from ._errors import Error
from ._extension import JobRun
from ._inputs import Inputs
from ._progress import Wanted, Watch

WATCH_MS = 100
R = TypeVar("R", bound=JobRun)
T = TypeVar("T")


class Run(Generic[R]):
    """Ends with close(), and when nobody has it any more. summary, damage and warnings are there after the end."""

    def __init__(self, inputs: Inputs, begin: Callable[[], R], progress: Wanted = None) -> None:
        self._inputs = inputs
        self._taking = threading.Lock()
        self._end: tuple[dict[str, Any], list[str]] | None = None
        try:
            self._watch = Watch(progress)
            self._run = begin()
            if inputs.of_flows:
                self._run.own(inputs.give_files())
        except BaseException as error:
            inputs.close()
            self._show_names(error)
            raise

    def _take(self, take: Callable[[], T | None]) -> T:
        """What the run gives next. Raises StopIteration at its end, which None says."""
        # Nobody is waited for: it may be this thread, or one that was not forked with this process.
        if not self._taking.acquire(blocking=False):
            raise Error("somebody is taking from this run: one thread at a time does")
        try:
            return self._take_alone(take)
        finally:
            self._taking.release()

    def _take_alone(self, take: Callable[[], T | None]) -> T:
        if self._end:
            raise StopIteration
        try:
            self._read()
            taken = take()
            if taken is None:
                self._watch.look(self._run.progress, at_end=True)
                self._end = self._told()
        except BaseException as error:
            self.close()
            self._show_names(error)
            if isinstance(error, StopIteration):  # which would be the end of what is given
                raise RuntimeError("what was read raised StopIteration") from error
            raise
        if taken is None:
            self.close()
            raise StopIteration
        return taken

    def _read(self) -> None:
        """Until the run has something to give."""
        if not self._watch.is_wanted:
            self._inputs.feed(self._run.ready)
            self._run.wait()
            return
        self._inputs.feed(self._looked)
        while not self._run.wait_at_most(WATCH_MS):
            self._watch.look(self._run.progress)
        self._watch.look(self._run.progress)

    def _looked(self) -> bool:
        self._watch.look(self._run.progress)
        return self._run.ready()

    def _show_names(self, error: BaseException) -> None:
        if isinstance(error, Error):
            error.args = (self._inputs.said(str(error)),)

    def _told(self) -> tuple[dict[str, Any], list[str]]:
        summary = json.loads(self._run.summary().decode(errors="surrogateescape"))
        warnings = [line.decode(errors="surrogateescape") for line in self._run.warnings()]
        return self._inputs.shown(summary), [self._inputs.said(line) for line in warnings]

    def _at_end(self) -> tuple[dict[str, Any], list[str]]:
        if not self._end:
            self._end = self._told()
        return self._end

    @property
    def summary(self) -> dict[str, Any]:
        return self._at_end()[0]

    @property
    def damage(self) -> list[dict[str, Any]]:
        places: list[dict[str, Any]] = self.summary["damage"]
        return places

    @property
    def warnings(self) -> list[str]:
        return self._at_end()[1]

    def close(self) -> None:
        """Ends what still runs. Nothing is left behind, and outputs that are not complete do not appear."""
        # A run whose input ends would complete its outputs. One that reads another run ends with that.
        self._watch.end()
        first, last = (self._inputs, self._run) if self._inputs.of_flows else (self._run, self._inputs)
        first.close()
        last.close()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_run", None):
            self.close()
