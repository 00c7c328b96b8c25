"""The exceptions of the package."""


class AffinorError(Exception):
    """Any exception of the package: an Error or an Undecided."""

    __module__ = "affinor"


class Error(AffinorError, ValueError):
    """An input is wrong.

    `kind` is a word for programs, `message` a sentence, `hint` a suggestion or None, `position` the (start, end) of the wrong
    characters or None.
    """

    __module__ = "affinor"


class Undecided(AffinorError):
    """The answer was not found within the limits on the work, or needs libz3, which is missing; the message has the reason."""

    __module__ = "affinor"
