"""Folders of a task on its node: removed when it ends, and by the next task there if it was killed."""

import contextlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator

NAME = re.compile(r"(?:warpmeter-task-(?P<host>.+)|wm-ray)-(?P<pid>\d+)-\w+$")


def _is_left(name: str, folder: str) -> bool:
    found = NAME.match(name)
    if not found or found["host"] not in (None, socket.gethostname()) or os.path.exists(f"/proc/{found['pid']}"):
        return False
    try:
        return os.lstat(os.path.join(folder, name)).st_uid == os.getuid()
    except OSError:
        return False


def sweep(tmpdir: str | None) -> None:
    """Removes what tasks that were killed have left here."""
    folder = tmpdir or tempfile.gettempdir()
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _is_left(name, folder):
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


@contextlib.contextmanager
def scratch(tmpdir: str | None) -> Iterator[str]:
    sweep(tmpdir)
    if tmpdir:
        os.makedirs(tmpdir, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=f"warpmeter-task-{socket.gethostname()}-{os.getpid()}-", dir=tmpdir)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def folder_of_ray() -> Iterator[str]:
    """For a Ray of this machine: sockets in it have short names."""
    sweep(None)
    usual = tempfile.gettempdir()
    folder = tempfile.mkdtemp(prefix=f"wm-ray-{os.getpid()}-", dir=usual if len(usual) <= 12 else "/tmp")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
