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
