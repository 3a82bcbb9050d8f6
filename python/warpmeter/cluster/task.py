"""What every task on a node has: a folder of its own, failures told in one line, one version on all nodes."""

import contextlib
import errno
import functools
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._errors import Error
from .._extension import version

Task = TypeVar("Task")

VERSION = version
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
# Folders of tasks, and of a Ray of this machine (crew.py).
NAME = re.compile(r"(?:warpmeter-task-(?P<host>.+)|wm-ray)-(?P<pid>\d+)-\w+$")


class Lost(Exception):
    """Of a task that may well succeed if it is run again, as Ray does: its process was killed, a network failed."""


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def told_in_one_line(task: Callable[[Task], dict[str, Any]]) -> Callable[[Task], dict[str, Any]]:
    """A task whose failures are what it returns, {"failure": LINE}, since to run it again is no use. Raises Lost."""

    @functools.wraps(task)
    def run(given: Task) -> dict[str, Any]:
        try:
            return task(given)
        except Error as error:
            return {"failure": first_line(error)}
        except (PermissionError, NotImplementedError, ImportError) as error:
            return {"failure": first_line(error)}
        except OSError as error:
            if error.errno in FULL:
                return {"failure": first_line(error)}
            raise Lost(first_line(error)) from None
        except Lost:
            raise
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {first_line(error)}"}

    return run


def check_version(of_job: str) -> None:
    """Raises Error on a node that has another."""
    if version != of_job:
        raise Error(
            f"node {os.uname().nodename} has warpmeter {version}, and the job is of {of_job}: install one on all"
        )


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
