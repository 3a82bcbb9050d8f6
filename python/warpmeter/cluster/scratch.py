"""Folders of a task on its node: removed when it ends, and by the next task there if it was killed."""

import contextlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator

# Bytes of the folder that Ray's is in. The path of a Unix socket has at most 107, of which "/wm-ray-PID-RANDOM/ray"
# takes some, and what Ray adds, "/session_TIME_PID/sockets/plasma_store".
LONGEST_FOR_RAY = 12
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
