"""Modules of HLO, from texts, files and what JAX has lowered or compiled."""

import os
from pathlib import Path

from ._affinor import Module, _module


def analyze(given):
    """The module that `given` says: HLO text, the path of a file with it, or what `jax.jit(f).lower(..)` and its `.compile()`
    return. A string is a path if it names a file.

    >>> module = analyze("p = f32[8,16] parameter(0)\\n t = f32[16,8] transpose(p), dimensions={1,0}")
    >>> module.instructions()[1].reads[0]["maps"]
    [IndexMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]')]
    >>> module.instructions()[1].utilisation[0]["share"]
    1.0
    """
    if hasattr(given, "as_text"):
        return _module(_text_of(given))
    if isinstance(given, os.PathLike) or _is_file(given):
        return _module(Path(given).read_text(encoding="utf-8"))
    if "\n" not in given and "=" not in given:
        raise FileNotFoundError(f"this is neither HLO nor a file: {given!r}")
    return _module(given)


def _is_file(text):
    try:
        return "\n" not in text and os.path.isfile(text)
    except ValueError:  # what no path may have
        return False


def _text_of(given):
    try:
        return given.as_text(dialect="hlo")
    except TypeError:
        return given.as_text()  # what is compiled has one text
