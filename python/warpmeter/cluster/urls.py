"""Names of files: paths, and URLs that fsspec knows."""

import os
import re
from typing import Any

from .._errors import Error, UsageError

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(::|://)")
PATTERN = re.compile(r"[*?\[]")


def is_url(name: str) -> bool:
    """A path with :// in it is none: it does not begin with a scheme."""
    return SCHEME.match(name) is not None


def local_path(name: str) -> str | None:
    """Of a path, or a file: URL; None of others."""
    if not is_url(name):
        return name
    for prefix in ("file://", "local://"):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return None


def filesystem_of(url: str) -> tuple[Any, str]:
    """fsspec's file system, and the name in it. Raises Error if what this scheme needs is not installed."""
    import fsspec  # type: ignore[import-untyped]

    if url.startswith("memory:"):
        raise UsageError(f"{url}: only one process has that memory")
    try:
        return fsspec.core.url_to_fs(url)  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise Error(f"{url}: {str(error).splitlines()[0]}") from None


def joined(folder: str, name: str) -> str:
    return folder.rstrip("/") + "/" + name if folder.rstrip("/") else "/" + name


def order_of(name: str) -> bytes:
    """Names sort as the program sorts them: by their bytes."""
    return os.fsencode(name)
