"""The command line of `warpmeter cluster`."""

import argparse
import os
import re
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._errors import UsageError
from .._keywords import Flag, arguments_of
from .._options import GROUPS, ExtractOptions

OWN = ("recursive", "output", "tmpdir", "quiet", "stats")  # of the whole job
NOT_HERE = {
    "order": "captures are taken in the order of time",
    "partition": "all parts are metered; --partitions tells how many there are",
    "collector": "write a file, and send it from there",
    "netflow_v9": "write a file, and send it from there",
    "collector_rate": "", "mtu": "", "template_refresh": "", "collector_buffer": "", "collector_timeout": "",
    "date_folders": "a folder has its files by the hour",
    "anonymize": "warpmeter merge --anonymize does that with what is written",
    "sample_flows": "segments of all flows are metered",
    "annex": "first packets are looked at, and segments have no frames",
    "policy": "a policy looks at payload, and segments have none", "rounds": "", "no_fuse": "",
    "threads": "--cpus-per-task tells how many a task has",
    "wide": "tables are for terminals",
    "verbose": "Ray's dashboard tells what is done",
    "stages": "stages are those of many machines",
}  # fmt: skip



def _step(groups: Iterable[str] = (), *, decodes: bool = False) -> tuple[str, ...]:
    """The options of `warpmeter extract` that a step takes: those of `decode` too, or of groups the others."""
    of_decode = {name for names in GROUPS["decode"].values() for name in names}
    names = [name for group, names in GROUPS["extract"].items() if decodes or group in groups for name in names]
    return tuple(name for name in names if (name in of_decode) == decodes and name not in {*OWN, *NOT_HERE})


# Those of DECODING and METERING decide what the output is, those of RESOURCES do not.
DECODING = _step(decodes=True)
METERING = _step(["Flows", "Method"])
WRITING = _step(["Output"])
RESOURCES = _step(["Resources"])

HASH_SEED = "WARPMETER_HASH_SEED"  # a variable of the environment, which nobody else can read

SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?$", re.IGNORECASE)


@dataclass
class Words:
    """As the user wrote them, checked as far as that goes without the program."""

    inputs: list[str]
    output: str
    filter: str | None
    options: dict[str, Any] = field(default_factory=dict)  # of extract, by their keywords
    recursive: bool = False
    tmpdir: str | None = None
    quiet: bool = False
    stats: str | None = None
    address: str | None = None
    work: str | None = None
    fresh: bool = False
    keep_work: bool = False
    partitions: int = 16
    hash_seed: str = field(default_factory=lambda: os.environ.get(HASH_SEED) or "warpmeter", repr=False)
    cpus_per_task: int = 1
    gpus_per_task: float = 0.0
    tasks: int | None = None
    retries: int = 3
    group: int = 64 << 20
    work_limit: int | None = None

    @property
    def is_dataset(self) -> bool:
        return self.output.endswith("/")

    def of(self, names: Iterable[str]) -> list[str]:
        """Words for the program."""
        return arguments_of({name: self.options[name] for name in names if name in self.options}, ExtractOptions)


def size_of(text: str) -> int:
    """64M, 1.5GiB, 1GB: as everywhere, K is 1024 and KB 1000."""
    found = SIZE.match(text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: not a size, such as 64M or 1.5GiB")
    number, unit, kind = found.groups()
    base = 1000 if unit and kind and kind.upper() == "B" else 1024
    return int(float(number) * base ** " KMGT".index(unit.upper() or " "))


def _at_least(least: int) -> Any:
    def number(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: not a whole number of at least {least}")
        return int(text)

    return number


def _power_of_two(text: str) -> int:
    if text not in {str(1 << bit) for bit in range(7)}:
        raise argparse.ArgumentTypeError(f"{text}: not a power of two up to 64")
    return int(text)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e3:
        raise argparse.ArgumentTypeError(f"{text}: not a number of GPUs")
    return number


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> typing.NoReturn:
        raise UsageError(message)


EXAMPLES = """examples:
  warpmeter cluster /data/captures/ -o flows.parquet             on this machine
  warpmeter cluster --address auto --work /nfs/work /nfs/captures/ -o /nfs/flows.csv.zst
  warpmeter cluster --address auto --work s3://bucket/work 's3://bucket/2026-11-26/*.pcap.zst' -o s3://bucket/flows/
"""


def _job_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("job").add_argument
    add(
        "-o",
        "--output",
        metavar="FILE|DIR/",
        required=True,
        help="one file, as of extract; or with / at the end a folder of files by hour and part of the flows",
    )
    add("--filter", metavar="TEXT", help="a capture filter as in pcap-filter(7)")
    add("--recursive", action="store_true", help="folders with all folders below them")
    add(
        "--work",
        metavar="URL",
        help="folder for what is between, which all nodes reach (default: one in --tmpdir, without --address)",
    )
    add("--fresh", action="store_true", help="start over, whatever is done already")
    add("--keep-work", action="store_true", help="leave the work folder when all is done")
    add(
        "--partitions", type=_power_of_two, metavar="N", help="parts of the flows, a power of two up to 64 (default 16)"
    )
    add(
        "--hash-seed",
        metavar="TEXT",
        help=f"which flow is in which part; where that is a secret, it belongs into ${HASH_SEED}, which is the default",
    )


def _cluster_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("cluster").add_argument
    add(
        "--address",
        metavar="HOST:PORT|auto",
        help="a Ray cluster that is there (default: $RAY_ADDRESS, else this machine)",
    )
    add("--cpus-per-task", type=_at_least(1), metavar="N", help="CPUs and threads of a task (default 1)")
    add(
        "--gpus-per-task",
        type=_share,
        metavar="N",
        help="GPUs of a task that meters, perhaps a part of one (default 0)",
    )
    add(
        "--tasks",
        type=_at_least(1),
        metavar="N",
        help="tasks at once, at most (default: what the CPUs hold, and as many waiting)",
    )
    add(
        "--retries",
        type=_at_least(0),
        metavar="N",
        help="how often a task is run again whose node or process is lost (default 3)",
    )
    add(
        "--group",
        type=size_of,
        metavar="SIZE",
        help="small captures are decoded together up to this size (default 64M)",
    )
    add("--work-limit", type=size_of, metavar="SIZE", help="most that segment sets may take (default: no limit)")
    add("--tmpdir", metavar="FOLDER", help="of each node, for what a task has for itself (default: $TMPDIR, else /tmp)")


def _message_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("messages").add_argument
    add("-q", "--quiet", action="store_true", help="no progress and no summary")
    add("--stats", metavar="FILE", help="write the summary as JSON")


def _extract_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("of extract", "as `warpmeter extract --help` tells")
    kinds = typing.get_type_hints(ExtractOptions)
    for name in (*DECODING, *METERING, *WRITING, *RESOURCES):
        option = "--" + name.replace("_", "-")
        if kinds[name] == Flag:
            group.add_argument(option, action="store_true", default=None)
        else:
            group.add_argument(option, metavar="VALUE")
    for name in NOT_HERE:
        group.add_argument(
            "--" + name.replace("_", "-"), nargs="?", const=True, dest=f"not {name}", help=argparse.SUPPRESS
        )


def _check(words: Words) -> None:
    if words.is_dataset and "rotate" in words.options:
        raise UsageError("--rotate goes with -o FILE; a folder has its files by the hour")
    if words.is_dataset and words.options.get("format") == "table":
        raise UsageError("--format table goes with -o FILE")
    if words.output == "-":
        raise UsageError("-o - is not there: many machines write files")
    if "gpu" in words.options and "backend" not in words.options and not words.gpus_per_task:
        raise UsageError("--gpu goes with --gpus-per-task: without it tasks meter on the CPU")


def parse(arguments: Sequence[str]) -> Words:
    """Raises UsageError."""
    parser = _Parser(
        prog="warpmeter cluster", description="captures to Flow Records on many machines, by Ray", allow_abbrev=False,
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="capture files, folders of them, or URLs of fsspec; * as in shells"
    )
    _job_options(parser)
    _cluster_options(parser)
    _message_options(parser)
    _extract_options(parser)
    given = {name: value for name, value in vars(parser.parse_intermixed_args(arguments)).items() if value is not None}
    for name, why in NOT_HERE.items():
        if f"not {name}" in given:
            raise UsageError(f"--{name.replace('_', '-')} is no option of cluster" + (f": {why}" if why else ""))
    of_extract = (*DECODING, *METERING, *WRITING, *RESOURCES)
    options = {name: given.pop(name) for name in of_extract if name in given}
    words = Words(filter=given.pop("filter", None) or None, options=options, **given)
    _check(words)
    return words
