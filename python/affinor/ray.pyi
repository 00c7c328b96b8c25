from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any

from . import Module

def analyze_many(
    modules: Iterable[str | PathLike[str]] | Mapping[str, Any],
    out: str | PathLike[str],
    work: Callable[[Module], Any] = ...,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | bool | None = True,
) -> list[dict[str, Any]]: ...
