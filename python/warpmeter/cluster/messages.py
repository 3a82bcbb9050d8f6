"""What the user is told: one line on a terminal meanwhile, messages, and at the end the summary, of all inputs and all
partitions together."""

import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any

READ, DAMAGED = 0, 3
RARE = {  # are told where they happen
    "evicted flows", "late packets", "holes dropped", "times out of range", "damaged", "unreadable", "passed over",
    "read before", "folders below", "not IP", "tunnels not opened",
}  # fmt: skip


class Progress:
    """Of one thread. wanted: the line is shown, if standard error is a terminal; messages are written in any case."""

    def __init__(self, wanted: bool) -> None:
        self._shown = wanted and sys.stderr.isatty()
        self._width = 0
        self._last = 0.0

    def show(self, text: str) -> None:
        if self._shown and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def wipe(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def say(self, line: str) -> None:
        self.wipe()
        printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
        print(f"warpmeter: {printable}", file=sys.stderr, flush=True)


def human_size(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def added(one: Any, other: Any) -> Any:
    """Numbers of two, also in dicts; of anything else the first."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: added(one.get(key, 0), other[key]) if key in other else one[key] for key in {**one, **other}}
    if isinstance(one, (int, float)) and isinstance(other, (int, float)) and not isinstance(one, bool):
        return one + other
    return one or other


def _by_name(counts: dict[str, int]) -> str:
    """The most frequent, then the others together."""
    few = 5
    order = sorted(counts.items(), key=lambda one: (one[0] == "others", -one[1], one[0]))
    named, rest = order[:few], sum(count for _, count in order[few:])
    told = ", ".join(f"{name} {count}" for name, count in [*named, ("others", rest)] if count)
    return f"{sum(counts.values())} ({told})" if counts else "0"


def _with_old_keys(told: dict[str, Any]) -> dict[str, Any]:
    """Before they were snake_case keys had spaces: for one release those are there, too, as in the program's."""
    old = {"not IP" if key == "not_ip" else key.replace("_", " "): value for key, value in told.items()}
    return {**told, **old}


def _write(path: str, told: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(_with_old_keys(told), file, indent=2)
        file.write("\n")


@dataclass
class Summary:
    captures: int = 0
    packets: int = 0  # read
    counters: dict[str, Any] = field(default_factory=dict)  # of decoding: sums
    damage: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    passed_over: int = 0
    again: int = 0
    folders_below: int = 0
    set_bytes: int = 0
    tasks: int = 0
    tasks_done_before: int = 0
    metered: dict[str, Any] = field(default_factory=dict)  # of extract's --stats: sums
    seconds: dict[str, float] = field(default_factory=dict)  # of the steps

    def add_set(self, mark: dict[str, Any]) -> None:
        self.packets += mark["packets"]
        self.counters = added(self.counters, mark["counters"])
        self.damage += mark["damage"]
        self.unreadable += mark["unreadable"]
        self.passed_over += mark["passed_over"]
        self.set_bytes += sum(mark["files"].values())

    def add_partition(self, mark: dict[str, Any]) -> None:
        kept = ("rows", "totals", "flows_by_end_reason", "evicted_flows", "late_packets", "holes_dropped")
        told = {key: mark["stats"][key] for key in kept if key in mark["stats"]}
        self.metered = added(self.metered, told) if self.metered else told

    @property
    def status(self) -> int:
        return DAMAGED if self.damage or self.unreadable else READ

    def tell(self, progress: Progress, quiet: bool) -> None:
        """Damage also where the rest is not wanted."""
        for line in self.unreadable:
            progress.say(line)
        for place in self.damage:
            skipped = place.get("skipped")
            rest = f"{skipped} bytes skipped" if skipped else "what came before is in the output"
            progress.say(f"{place['file']}: damaged at byte {place['offset']}: {place['reason']}; {rest}")
        if not quiet:
            progress.wipe()
            for name, value in self._lines():
                print(f"  {name:<20}{value}", file=sys.stderr)

    def _lines(self) -> list[tuple[str, str]]:
        totals = self.metered.get("totals", {})
        reasons = ", ".join(f"{name} {n}" for name, n in self.metered.get("flows_by_end_reason", {}).items() if n)
        ignored = self.counters.get("ignored", {})
        lines = [
            ("captures", f"{self.captures}"),
            ("packets read", f"{self.packets}"),
            ("packets metered", f"{self.counters.get('metered', 0)}"),
            ("packets ignored", ", ".join(f"{name} {n}" for name, n in ignored.items() if n) or "none"),
            ("not IP", _by_name(self.counters.get("not_ip", {}))),
            ("tunnels not opened", _by_name(self.counters.get("unopened_tunnels", {}))),
            ("duplicates", f"{totals.get('duplicate_packets', 0)}"),
            (
                "retransmitted",
                f"{totals.get('retransmitted_segments')} segments, {totals.get('retransmitted_bytes')} bytes",
            ),
            ("out of order", f"{totals.get('out_of_order_segments')} segments"),
            ("missing", f"{totals.get('missing_bytes')} bytes"),
            ("flows", reasons or "none"),
            ("flow records", f"{self.metered.get('rows', 0)}"),
            ("evicted flows", f"{self.metered.get('evicted_flows', 0)}"),
            ("late packets", f"{self.metered.get('late_packets', 0)}"),
            ("holes dropped", f"{self.metered.get('holes_dropped', 0)}"),
            ("times out of range", f"{self.counters.get('clamped_times', 0)}"),
            ("damaged", f"{len(self.damage)}"),
            ("unreadable", f"{len(self.unreadable)}"),
            ("passed over", f"{self.passed_over} files without captures"),
            ("read before", f"{self.again} under another name"),
            ("folders below", f"{self.folders_below} not read (--recursive)"),
            ("segment sets", human_size(self.set_bytes)),
            (
                "tasks",
                f"{self.tasks}" + (f", and {self.tasks_done_before} done before" if self.tasks_done_before else ""),
            ),
            ("time", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())),
        ]
        return [
            (name, value)
            for name, value in lines
            if not (name in RARE and value.split()[0] == "0") and "None" not in value
        ]

    @staticmethod
    def write_failure(path: str, status: int, why: str) -> None:
        _write(path, {"exit_status": status, "error": why})

    def write(self, path: str) -> None:
        told = {
            "exit_status": self.status, "captures": self.captures, "packets_read": self.packets,
            "packets_metered": self.counters.get("metered", 0), "ignored": self.counters.get("ignored", {}),
            "not_ip": self.counters.get("not_ip", {}),
            "tunnels_not_opened": self.counters.get("unopened_tunnels", {}),
            **self.metered,
            "damage": self.damage, "unreadable": self.unreadable, "passed_over": self.passed_over,
            "read_before_under_another_name": self.again, "folders_below_not_read": self.folders_below,
            "bytes_of_segment_sets": self.set_bytes, "tasks": self.tasks, "tasks_done_before": self.tasks_done_before,
            "stage_seconds": self.seconds,
        }  # fmt: skip
        _write(path, told)
