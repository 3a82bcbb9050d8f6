"""The command `warpmeter cluster`."""

import importlib.util
from collections.abc import Sequence

from .._errors import Error
from .crew import MISSING
from .interrupt import watch_for_interrupt
from .job import Job
from .progress import Progress
from .trouble import first_line
from .words import Words, parse

FAILED, INTERRUPTED = 1, 130


def main(arguments: Sequence[str]) -> int:
    """The exit status, as of `warpmeter extract`. Says on standard error what there is to say."""
    progress = Progress(wanted=False)
    try:
        words = parse(arguments)
        if not all(importlib.util.find_spec(name) for name in ("ray", "fsspec")):
            raise Error(MISSING)
        progress = Progress(not words.quiet)
        watch_for_interrupt()
        return _run(words, progress)
    except Error as error:
        progress.say(str(error))
        return error.status
    except KeyboardInterrupt:
        progress.say("interrupted")
        return INTERRUPTED
    except Exception as error:  # a disk that is full, a file system that is gone; or a bug
        told = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
        progress.say(told + first_line(error))
        return FAILED


def _run(words: Words, progress: Progress) -> int:
    job = Job(words, progress)
    try:
        status = job.run()
    except KeyboardInterrupt:
        progress.say("; ".join(filter(None, ("interrupted", job.leave()))))
        return INTERRUPTED
    except Error as error:
        if words.stats:
            job.summary.write_failure(words.stats, error.status, str(error))
        progress.say("; ".join(filter(None, (str(error), job.leave()))))
        return error.status
    job.summary.tell(progress, words.quiet)
    if words.stats:
        job.summary.write(words.stats)
    return status
