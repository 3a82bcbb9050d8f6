"""Where a job has its work, if the user does not say."""

import hashlib
import json
import os
import stat
import tempfile
from typing import Any

from .._errors import Error, UsageError


def work_folder(
    work: str | None, address: str | None, tmpdir: str | None, identity: dict[str, Any], output: str
) -> str:
    """On this machine alone a folder that the same command finds again, and nobody else can write. Raises UsageError
    where nodes would not reach it."""
    if work:
        return work
    if address != "local":
        raise UsageError("--address: --work URL is missing, a folder that all nodes reach")
    text = json.dumps([identity, os.path.abspath(output)], sort_keys=True)
    name = f"warpmeter-cluster-{os.getuid()}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    folder = os.path.join(os.path.abspath(tmpdir or tempfile.gettempdir()), name)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise Error(f"{folder}: is somebody else's; --work names another folder")
    return folder
