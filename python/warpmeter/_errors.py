"""What is raised. Damage in a file is not: what came before it counts, and `damage` of what is returned tells of it."""


class Error(Exception):
    """A run could not be done or finished; the message is one line for the user.

    status: what the command's exit status would be: 2 for wrong options, else 1 as a rule.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class UsageError(Error, ValueError):
    """Options that are wrong, or do not go together."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message, status)


class CaptureError(Error):
    """None of the inputs can be read: there is no such file, or it is not a capture, or holds no Flow Records."""
