"""What the package raises."""


class AffinorError(Exception):
    """Any exception of the package: an Error or an Undecided."""

    __module__ = "affinor"


class Error(AffinorError, ValueError):
    """What was given is wrong.

    `kind` is a word for programs, `message` the sentence, `hint` what to give instead or None, `position` the (start, end)
    of the characters that are wrong or None.
    """

    __module__ = "affinor"


class Undecided(AffinorError):
    """The answer was not established within the limits on the work, or needs libz3 and there is none; the message says why."""

    __module__ = "affinor"
