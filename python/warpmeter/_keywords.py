"""The options of the commands, as keywords: names with _ for -, values as there or as Python has them. Which there are
_options tells, which is written when the package is built, from the program's own command line (write_options.cc)."""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from typing import Any, Union, get_args

from ._errors import UsageError

Path = Union[str, os.PathLike[str]]
Flag = Union[bool, None]
Size = Union[int, float, str]  # bytes, or as "64M", "1.5GiB"
Count = Union[int, str]  # or as "500K"
Time = Union[int, float, str, timedelta]  # seconds, or as "100ms", "5m"
SizeOrTime = Union[str, timedelta]  # with a unit, "100M" or "5m"
Numbers = Union[int, str, Sequence[int]]  # or as "4789,8472"; of ports also "+5000"
Names = Union[str, Sequence[str]]  # or as "src_addr,dst_port"


def _of_numpy(value: Any) -> Any:
    """A number or a flag of numpy as Python has it, times as nanoseconds; other values as they are."""
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    if type(value).__name__ == "timedelta64":
        return f"{int(value.astype('timedelta64[ns]').astype('int64'))}ns"
    return value.item()


_DIGITS = Context(prec=320)  # of any float: how large is too large the library says


def _number(value: float, kind: Any) -> str:
    """Without an exponent, and as fine as it can be meant: sizes in bytes, times in nanoseconds."""
    exact = Decimal(repr(float(value)))
    if not exact.is_finite():
        return str(value)
    unit = Decimal(1) if kind == Size | None else Decimal("1e-9")
    return format(exact.quantize(unit, context=_DIGITS).normalize(_DIGITS), "f")


def _word(name: str, value: object, kind: Any) -> bytes:
    if isinstance(value, timedelta):
        # Those of pandas have nanoseconds, too.
        return b"%dns" % (value // timedelta(microseconds=1) * 1000 + getattr(value, "nanoseconds", 0))
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsencode(value)
    if os.PathLike[str] in get_args(kind):
        raise TypeError(f"{name}: a path, and no {type(value).__name__}")
    if isinstance(value, float):
        return _number(value, kind).encode()
    return str(value).encode()


def _words(name: str, value: object, kind: Any) -> Iterator[tuple[str, bytes]]:
    value = _of_numpy(value)
    if value is None or value is False:
        return
    if value is True:
        yield name.replace("_", "-"), b""
    elif isinstance(value, (list, tuple)) and kind in (Numbers | None, Names | None):
        yield from _words(name, ",".join(str(_of_numpy(one)) for one in value), kind)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _words(name, one, kind)
    elif (word := _word(name, value, kind)) == b"":
        raise UsageError(f"{name}: is empty")
    else:
        yield name.replace("_", "-"), word


def words_of(options: Mapping[str, object], known: Any) -> list[tuple[str, bytes]]:
    """As the extension takes them. `known`: those of the command, such as ExtractOptions; others are taken, too."""
    kinds = known.__annotations__
    return [word for name, value in options.items() for word in _words(name, value, kinds.get(name))]


def arguments_of(options: Mapping[str, object], known: Any) -> list[str]:
    """As the program takes them."""
    return [f"--{name}={os.fsdecode(word)}" if word else f"--{name}" for name, word in words_of(options, known)]


def document(function: Any, options: Any, returned: Any) -> None:
    """Every option in its signature, for shells that complete, and with a line of its own in what help() says."""
    function.__signature__ = _signature_of(function, options, returned)
    if function.__doc__ and options.__doc__:  # Python may run without
        _, lines = inspect.cleandoc(options.__doc__).split("\n\n", 1)
        function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\nOptions:\n\n{lines}"


def _signature_of(function: Callable[..., Any], options: Any, returned: Any) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    named = {p.name for p in own}
    added = [
        inspect.Parameter(name, keyword, default=False if kind == Flag else None, annotation=kind)
        for name, kind in options.__annotations__.items()
        if name not in named
    ]
    return inspect.Signature([*own, *added], return_annotation=returned)
