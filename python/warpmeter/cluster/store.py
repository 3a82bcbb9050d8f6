"""Where files are: paths, and URLs that fsspec knows; and the work folder of a job, which all nodes reach."""

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Sequence
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


def _text(content: bytes) -> str:
    return bytes(content).decode("utf-8", errors="surrogateescape")


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


class Store:
    """A work folder. What is in it appears whole, or not at all. Names are relative. May be used by many processes at
    once, as long as no two write other bytes under one name."""

    def __init__(self, url: str) -> None:
        self.url = url
        path = local_path(url)
        self.folder = None if path is None else os.path.abspath(path)  # None: not a path
        if self.folder is None:
            self._files, self._root = filesystem_of(url)

    @property
    def url_for_nodes(self) -> str:
        """They have other working folders."""
        return self.folder if self.folder is not None else self.url

    def path(self, name: str) -> str:
        """Of a store that is a path."""
        assert self.folder is not None
        return os.path.join(self.folder, name)

    def _remote(self, name: str) -> str:
        return joined(self._root, name)

    def write(self, name: str, text: str) -> None:
        if self.folder is None:
            self._files.pipe_file(self._remote(name), text.encode())
            return
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        new = f"{path}.{secrets.token_hex(8)}.part"
        try:
            with open(new, "x", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)
        except BaseException:
            if os.path.lexists(new):
                os.unlink(new)
            raise

    def read(self, name: str) -> str | None:
        """None if there is none, or something else than a file: opening a FIFO would wait for ever, and a link leads to
        what is not in this."""
        try:
            if self.folder is None:
                return _text(self._files.cat_file(self._remote(name)))
            with open(self.path(name), "rb", opener=_open_at_once) as file:
                return _text(file.read()) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):  # a link; a socket; a folder
                return None
            raise

    def names(self, folder: str) -> list[str]:
        """Of what is in a folder of this, sorted; none if there is no such folder."""
        try:
            if self.folder is not None:
                return sorted(os.listdir(self.path(folder)))
            self._files.invalidate_cache()
            infos = self._files.ls(self._remote(folder), detail=True)
        except FileNotFoundError:
            return []
        here = self._remote(folder).strip("/")
        return sorted(info["name"].rsplit("/", 1)[-1] for info in infos if info["name"].strip("/") != here)

    def read_all(self, folder: str) -> dict[str, str]:
        """What names() of it have, by their names."""
        names = self.names(folder)
        if self.folder is None and names:
            found = self._files.cat([self._remote(f"{folder}/{name}") for name in names], on_error="omit")
            return {path.rsplit("/", 1)[-1]: _text(text) for path, text in found.items()}
        texts = {name: self.read(f"{folder}/{name}") for name in names}
        return {name: text for name, text in texts.items() if text is not None}

    def below(self, folder: str) -> set[str]:
        """All files in a folder of this and below it, by their names here; links are none."""
        if self.folder is not None:
            top = self.path(folder)
            if os.path.islink(top):
                return set()
            found = (os.path.join(where, name) for where, _, names in os.walk(top) for name in names)
            return {os.path.relpath(path, self.folder) for path in found if not os.path.islink(path)}
        self._files.invalidate_cache()
        top = self._remote("").strip("/") + "/"
        return {path.strip("/").removeprefix(top) for path in self._files.find(self._remote(folder))}

    def put(self, paths: Sequence[str], names: Sequence[str]) -> None:
        """Files of this machine, under these names."""
        if self.folder is None:
            self._files.put(list(paths), [self._remote(name) for name in names])
            return
        for path, name in zip(paths, names):
            new = self.path(name)
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copyfile(path, f"{new}.part")
            os.replace(f"{new}.part", new)

    def get(self, names: Sequence[str], paths: Sequence[str]) -> None:
        """To files of this machine: links to them, where the store is a path."""
        if self.folder is None:
            self._files.get([self._remote(name) for name in names], list(paths))
            return
        for name, path in zip(names, paths):
            if not os.path.exists(self.path(name)):
                raise FileNotFoundError(f"{self.path(name)}: is gone")
            os.symlink(self.path(name), path)

    def copy(self, name: str, filesystem: Any, target: str) -> bool:
        """Within an object store, without the bytes coming here. False if it is another one."""
        if self.folder is not None or filesystem is not self._files:
            return False
        filesystem.cp_file(self._remote(name), target)
        return True

    def remove(self, name: str = "") -> None:
        """With all below it; "" is all of it."""
        if self.folder is not None:
            path = self.path(name) if name else self.folder
            if os.path.isdir(path) and (path == self.folder or not os.path.islink(path)):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.lexists(path):
                os.unlink(path)
            return
        self._files.invalidate_cache()
        place = self._remote(name) if name else self._root
        if self._files.exists(place):
            self._files.rm(place, recursive=True)
