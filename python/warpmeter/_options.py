"""The options of the commands, as keywords: names with _ for -, values as there or as Python has them."""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from typing import Any, Literal, TypedDict, Union

from ._errors import UsageError

Path = Union[str, os.PathLike[str]]
Flag = Union[bool, None]
Size = Union[int, float, str]  # bytes, or as "64M", "1.5GiB"
Count = Union[int, str]  # or as "500K"
Time = Union[int, float, str, timedelta]  # seconds, or as "100ms", "5m"
Ports = Union[int, str, Sequence[int]]  # or as "4789,8472", "+5000"


class ExtractOptions(TypedDict, total=False):
    """`warpmeter extract --help` tells what each does. False and None leave an option out."""

    # Input
    input_format: Literal["auto", "pcap", "pcapng", "hpcap", "erf"] | None
    order: Literal["time", "given", "name"] | None
    recursive: Flag
    resync: Flag
    partition: str | None  # of segment files, as "3/16"

    # Output: written beside what is returned
    output: Path | Sequence[Path] | None
    format: Literal["csv", "json", "ipfix", "parquet", "table"] | None
    times: Literal["ns", "us", "iso"] | None
    community_id: Flag
    community_id_seed: int | None
    ipfix_profile: Literal["default", "plain", "ntop"] | None
    observation_domain: int | None
    rotate: str | timedelta | None  # with a unit, "100M" or "5m"

    # Collector
    collector: str | None
    netflow_v9: Flag
    collector_rate: Count | None
    mtu: int | None
    template_refresh: Time | None
    collector_buffer: Size | None
    collector_timeout: Time | None

    # Flows
    biflow: Flag
    aggregate: Flag
    key_vlan: Flag
    sample_flows: str | None  # "1/64"
    idle_timeout: Time | None
    active_timeout: Time | None
    decapsulate: Flag
    vxlan_port: Ports | None
    vxlan_gpe_port: Ports | None
    geneve_port: Ports | None
    gtp_u_port: Ports | None
    teredo_port: Ports | None
    l2tp_port: Ports | None
    tzsp_port: Ports | None
    capwap_port: Ports | None
    gre_udp_port: Ports | None
    mpls_udp_port: Ports | None
    lisp_port: Ports | None

    # Method
    method: Literal["exact", "five-tuple"] | None
    block: Count | None
    retransmission_gap: Time | None
    duplicate_window: Count | None
    duplicate_gap: Time | None
    duplicate_gap_anonymous: Time | None

    # Resources
    backend: Literal["auto", "cpu", "cuda"] | None
    gpu: int | str | None
    gpu_memory: Size | None
    threads: int | None
    memory: Size | None
    run_memory: Size | None
    tmpdir: Path | None
    batch: Count | None

    # Messages: nothing is printed here, whatever these say
    quiet: Flag
    stats: Path | None
    verbose: Flag
    stages: Flag


class ShowOptions(TypedDict, total=False):
    """`warpmeter show --help` tells what each does. False and None leave an option out."""

    # Input
    recursive: Flag

    # Flows
    sort: str | None
    top: Count | None
    sum: str | Sequence[str] | None
    having: str | None
    aggregate: Flag

    # Output: what is shown, and with an `output` that as well
    columns: str | Sequence[str] | None
    output: Path | None
    format: Literal["csv", "json", "ipfix", "parquet", "table"] | None
    times: Literal["ns", "us", "iso"] | None
    community_id: Flag
    community_id_seed: int | None
    ipfix_profile: Literal["default", "plain", "ntop"] | None
    observation_domain: int | None
    json: Flag
    csv: Flag

    # Messages: nothing is printed here
    quiet: Flag


class StreamsOptions(TypedDict, total=False):
    """`warpmeter reassemble --help` tells what each does. False and None leave an option out."""

    # Input
    input_format: Literal["auto", "pcap", "pcapng", "hpcap", "erf"] | None
    order: Literal["time", "given", "name"] | None
    recursive: Flag
    resync: Flag

    # Streams
    decapsulate: Flag
    vxlan_port: Ports | None
    vxlan_gpe_port: Ports | None
    geneve_port: Ports | None
    gtp_u_port: Ports | None
    teredo_port: Ports | None
    l2tp_port: Ports | None
    tzsp_port: Ports | None
    capwap_port: Ports | None
    gre_udp_port: Ports | None
    mpls_udp_port: Ports | None
    lisp_port: Ports | None
    block_size: Size | None
    timeout: Time | None
    gap_packets: Count | None
    overlap: Literal["first", "last", "bsd", "linux", "windows"] | None

    # Resources
    threads: int | None
    memory: Size | None

    # Messages: nothing is printed here
    quiet: Flag
    stats: Path | None


def _of_numpy(value: Any) -> Any:
    """A number or a flag of numpy as Python has it, times as nanoseconds; other values as they are."""
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    if type(value).__name__ == "timedelta64":
        return f"{int(value.astype('timedelta64[ns]').astype('int64'))}ns"
    return value.item()


_PATHS = {"output", "tmpdir", "stats"}
_SIZES = {"memory", "run_memory", "gpu_memory", "collector_buffer", "block_size"}
_DIGITS = Context(prec=320)  # of any float: how large is too large the library says


def _number(name: str, value: float) -> str:
    """Without an exponent, and as fine as it can be meant: sizes in bytes, times in nanoseconds."""
    exact = Decimal(repr(float(value)))
    if not exact.is_finite():
        return str(value)
    unit = Decimal(1) if name in _SIZES else Decimal("1e-9")
    return format(exact.quantize(unit, context=_DIGITS).normalize(_DIGITS), "f")


def _word(name: str, value: object) -> bytes:
    if isinstance(value, timedelta):
        # Those of pandas have nanoseconds, too.
        return b"%dns" % (value // timedelta(microseconds=1) * 1000 + getattr(value, "nanoseconds", 0))
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsencode(value)
    if name in _PATHS:
        raise TypeError(f"{name}: a path, and no {type(value).__name__}")
    if isinstance(value, float):
        return _number(name, value).encode()
    return str(value).encode()


def _words(name: str, value: object) -> Iterator[tuple[str, bytes]]:
    value = _of_numpy(value)
    if value is None or value is False:
        return
    if value is True:
        yield name, b""
    elif isinstance(value, (list, tuple)) and name.endswith("-port"):
        yield from _words(name, ",".join(str(_of_numpy(one)) for one in value))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _words(name, one)
    elif (word := _word(name.replace("-", "_"), value)) == b"":
        raise UsageError(f"{name.replace('-', '_')}: is empty")
    else:
        yield name, word


def words_of(options: Mapping[str, object]) -> list[tuple[str, bytes]]:
    """As the extension takes them."""
    return [word for name, value in options.items() for word in _words(name.replace("_", "-"), value)]


def signature_of(function: Callable[..., Any], options: Any, returned: Any) -> inspect.Signature:
    """With every option, for help() and for shells that complete."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    named = {p.name for p in own}
    added = [
        inspect.Parameter(name, keyword, default=False if kind == Flag else None, annotation=kind)
        for name, kind in options.__annotations__.items()
        if name not in named
    ]
    return inspect.Signature([*own, *added], return_annotation=returned)
