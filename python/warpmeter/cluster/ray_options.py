"""How Ray is started or met: what it reads from the environment has to be there before it is imported."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import Any

from .._errors import Error
from .scratch import folder_of_ray

OBJECTS = 100 << 20  # bytes of Ray's object store: tasks return a few lines


def check_address_file(address: str) -> None:
    """With "auto" Ray looks for the address of a cluster in a folder that may be everybody's: whoever put another file
    there would get the job, and reading a pipe would never end. Raises Error."""
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, "ray", "ray_current_cluster")
    try:
        status = os.lstat(path)
    except OSError:
        return
    if address == "auto" and not (stat.S_ISREG(status.st_mode) and status.st_uid in (0, os.getuid())):
        raise Error(f"{path}: is no file of this user or of root; --address HOST:PORT says where the cluster is")


def existing_ray() -> dict[str, Any]:
    """For ray.init()."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of what will be
    return {}


@contextlib.contextmanager
def local_ray() -> Iterator[dict[str, Any]]:
    """For ray.init(). Nobody else reaches it: it listens on this machine alone, to who has a token that ends with it.
    It leaves nothing behind, and no token in the home folder, where Ray would put it."""
    with folder_of_ray() as folder:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # else Ray takes an address of the network for 127.0.0.1
        if "RAY_AUTH_MODE" not in os.environ:
            token = os.path.join(folder, "token")
            with open(os.open(token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=token)
        yield {
            **existing_ray(), "include_dashboard": False, "object_store_memory": OBJECTS,
            "_temp_dir": os.path.join(folder, "ray"), "_node_ip_address": "127.0.0.1",
        }  # fmt: skip
