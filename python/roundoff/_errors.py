# SPDX-License-Identifier: MIT
"""What is raised: every exception is an Error and also of the kind that Python has for it."""


class Error(Exception):
    """The library refused or failed; the text is its sentence."""


class BadArgument(Error, ValueError):
    """A parameter, a size or a combination that makes no sense or cannot be done."""


class OutOfMemory(Error, MemoryError):
    """Not enough memory."""


class SystemFailure(Error, OSError):
    """A device or the operating system failed."""


class Cancelled(Error):
    """The call was stopped."""


class NoMatch(Error, RuntimeError):
    """The pictures do not match, or what was found is of no use; ``field`` is what was found."""

    def __init__(self, message: str, field: object = None) -> None:
        super().__init__(message)
        self.field = field


class FieldFolds(UserWarning):
    """A few pixels of a displacement fold."""
