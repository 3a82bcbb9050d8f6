"""That all nodes have one version of the package: what they write must fit."""

import os

from .._errors import Error
from .._extension import version

VERSION = version


def check_version(of_job: str) -> None:
    """Raises Error on a node that has another."""
    if version != of_job:
        raise Error(
            f"node {os.uname().nodename} has warpmeter {version}, and the job is of {of_job}: install one on all"
        )
