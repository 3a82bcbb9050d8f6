"""What goes wrong on a node."""

import errno
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .._errors import Error

Task = TypeVar("Task")

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


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
