"""Index expressions of PyTorch's Inductor, simplified by affinor.

`simplify_with_ranges` takes Inductor's expressions and gives such back; `install` has `torch.compile` use it. torch is imported by
`install` alone.

>>> import sympy
>>> x, y, n = sympy.symbols("x y n", integer=True, nonnegative=True)
>>> simplify_with_ranges(sympy.floor((x * n + y) / n) * 8 + sympy.Mod(sympy.Mod(y, 24), 8), {x: 64, y: n}, sizes={n: (1, None)})
8*x + Mod(y, 8)
"""
# mypy: ignore-errors

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from . import _drop_in, _inductor
from ._function import wrong
from ._inductor import Measure

__all__ = ["TRIED", "Measure", "install", "installed", "measure", "simplify_with_ranges", "statistics", "uninstall"]

# The versions of torch that `install` was tried with.
TRIED = ("2.15",)

_counted: Counter[str] = Counter(dict.fromkeys(_drop_in.COUNTED, 0))
# What Inductor has where the drop-in is installed.
_replaced: list[Any] = []


def simplify_with_ranges(
    expr: Any,
    var_ranges: Mapping[Any, Any],
    *,
    sizes: Mapping[Any, tuple[int | None, int | None]] | None = None,
    facts: Iterable[Any] = (),
    otherwise: Callable[[Any, Mapping[Any, Any]], Any] | None = None,
) -> Any:
    """The simplified expression: the same value wherever each symbol of `var_ranges` is at least 0 and below its size there.

    It has sums, products, floor, ceiling, Mod, Min, Max and Abs of sympy, and Inductor's FloorDiv, CleanDiv, CeilDiv,
    ModularIndexing, PythonMod, Min and Max; other parts stay as they are. Its classes are those of `expr`. Sizes may be
    expressions. Other symbols are integers with the bounds that their assumptions say, or `sizes` gives: (2, None) is 2 or more.
    `facts` are comparisons that hold of them. The smallest are taken, up to 64 operations in all; one that no map says is left out.

    Where nothing is found, the answer is `expr`, or what `otherwise(expr, var_ranges)` returns; `statistics` counts the reasons.
    The answer is never larger: it has at most as many operations and at most as many divisions as `expr`, by `measure`.
    """
    _counted["calls"] += 1
    try:
        found = _inductor.simplified(expr, var_ranges, sizes or {}, facts)
    except _inductor.Kept as kept:
        reason = str(kept)
    except Exception as error:  # of a class of sympy, or torch; the answer is then theirs
        reason = type(error).__name__
    else:
        _counted["same" if found is expr else "smaller"] += 1
        return found
    _counted[f"fallback: {reason}"] += 1
    return expr if otherwise is None else otherwise(expr, var_ranges)


def measure(expr: Any) -> Measure:
    """The number of operations of an expression of sympy, and of quotients and remainders among them.

    A sum or product of n is n - 1 operations, without a factor -1, and a power as many as its products. A ModularIndexing that
    divides is two. What occurs twice counts twice.

    >>> import sympy
    >>> x, y = sympy.symbols("x y", integer=True)
    >>> measure(sympy.floor(x / 4) * 4 - y)
    Measure(operations=4, divisions=1)
    """
    return _inductor.measure(expr)


def statistics(*, clear: bool = False) -> dict[str, int]:
    """What was called how often; it begins at 0. `calls` are those of `simplify_with_ranges`, which found what is smaller, or nothing
    smaller (`same`), or fell back, with the reason after `fallback: `. These are `larger` (the answer would be), `unsupported` (a
    symbol that is no integer), `sign` and `class` (no class of the expression says a remainder of the answer), `empty` (a range),
    kinds of `affinor.Error` such as `division` (by what may not be positive), and names of exceptions of sympy or torch. `plain` are calls from Inductor with
    nothing to simplify. The other functions that `install` replaces are counted by their names, and with `: own` after it where
    Inductor's own answered instead. With `clear` all begin at 0 again.
    """
    found = dict(sorted(_counted.items()))
    if clear:
        _counted.clear()
        _counted.update(dict.fromkeys(_drop_in.COUNTED, 0))
    return found


def install(*, untried: bool = False) -> None:
    """Has Inductor simplify index expressions by affinor. Its caches stay, and its own functions answer where these cannot.

    Replaced are `_simplify_with_ranges`, `stride_at`, `simplify_index_in_vec_range`, `stride_vars`, `offset_var` and
    `combine_modular_indexing_pairs` of torch._inductor.sizevars. Bounds and guards of sizes are taken from the ShapeEnv. Code that was
    compiled before, or is found in Inductor's cache of graphs, stays as it is. It was tried with the versions of torch in `TRIED`;
    with another one it is an Error, unless `untried` is true.
    """
    import torch
    from torch._inductor import sizevars

    if _replaced:
        return
    version = torch.__version__
    if not (untried or any(version.startswith(f"{one}.") for one in TRIED)):
        hint = "install(untried=True) installs it all the same"
        raise wrong("unsupported", f"affinor.torch was tried with torch {', '.join(TRIED)}, and this is {version}", hint)
    replacements = _drop_in.replacements(sizevars, simplify_with_ranges, _counted)
    for owner, name, _ in replacements:
        if not hasattr(owner, name):
            raise wrong("unsupported", f"this version of torch has no {owner.__name__}.{name}")
    for owner, name, make in replacements:
        own = getattr(owner, name)
        _replaced.append((owner, name, own))
        setattr(owner, name, make(own))
    _drop_in.forget(sizevars)


def uninstall() -> None:
    """Has Inductor simplify index expressions by itself again."""
    if not _replaced:
        return
    while _replaced:
        setattr(*_replaced.pop())
    from torch._inductor import sizevars

    _drop_in.forget(sizevars)


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """`install`, and `uninstall` at the end of a `with`, unless it was installed before."""
    before = bool(_replaced)
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()
