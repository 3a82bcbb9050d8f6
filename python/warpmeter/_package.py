"""Packages that are no part of this one, and need not be there."""

import importlib
from typing import Any


def package(name: str, wanted_by: str) -> Any:
    """Raises ImportError, which says what it is needed for and how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = name.partition(".")[0]
        raise ImportError(f"{wanted_by}() needs {missing}: pip install {missing}", name=missing) from error
