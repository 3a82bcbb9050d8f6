"""info()."""

import io
import json
import os
import subprocess
import warnings
from collections.abc import Sequence
from typing import Any, Union, Unpack

from ._errors import CaptureError, Error, UsageError
from ._inputs import Inputs
from ._keywords import arguments_of, document
from ._options import InfoOptions
from ._program import PROGRAM

Capture = Union[str, os.PathLike[str], bytes, bytearray, memoryview, io.FileIO, io.BufferedReader]


def _raise(status: int, said: str) -> None:
    lines = said.splitlines() or [f"the program ended with {status}"]
    message = lines[-1].removeprefix("warpmeter: ")
    if status == 2:
        raise UsageError(lines[0].removeprefix("warpmeter: "))
    raise CaptureError(message) if status in (1, 3) else Error(message, status)


def info(source: Capture | Sequence[Capture], **options: Unpack[InfoOptions]) -> Any:
    """What a capture holds, as `warpmeter info --json` tells it: "format", "interfaces", "packets", "earliest_ns" and
    "latest_ns" (nanoseconds since 1970 UTC), "damage", ...

    Of one capture a dict; of a list, a folder or a pattern ("captures/*.pcap") a list of dicts, in the command's order
    and each file once: "file" tells which. `options` are the others of `warpmeter info --help`, with _ for -: see
    below. Files that cannot be read are left out, with a warning. Raises as extract() does.
    """
    command = [PROGRAM, "info", "--json", "--quiet", *arguments_of(options, InfoOptions)]
    inputs = Inputs(source)
    of_folder = isinstance(source, (str, os.PathLike)) and os.path.isdir(source)
    several = isinstance(source, (list, tuple)) or of_folder or inputs.has_patterns
    try:
        if not inputs.names:
            raise UsageError("there are no inputs")
        if inputs.has_feeds:
            raise TypeError("info() takes paths, bytes and open files, nothing that is read otherwise")
        done = subprocess.run(
            [*command, "--", *inputs.names], stdin=None, capture_output=True, check=False, pass_fds=inputs.files
        )
    finally:
        inputs.close()
    told = [inputs.shown(json.loads(line)) for line in done.stdout.decode(errors="surrogateescape").splitlines()]
    said = inputs.shown(done.stderr.decode(errors="surrogateescape"))
    if not told:
        _raise(done.returncode, said)
    for line in said.splitlines():
        if ": damaged at byte " not in line:  # which is in "damage"
            warnings.warn(line.removeprefix("warpmeter: "), stacklevel=2)
    return told if several else told[0]


document(info, InfoOptions, Any)
