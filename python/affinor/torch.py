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

from . import _inductor
from ._function import wrong
from ._inductor import Measure

__all__ = ["Measure", "install", "installed", "measure", "simplify_with_ranges", "statistics", "uninstall"]

_counted: Counter[str] = Counter()
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
    """How often `simplify_with_ranges` was called; found what is smaller, or nothing smaller (`same`); and fell back, with the
    reason after `fallback: `. They are `larger` (the answer would be), `unsupported` (a symbol that is no integer), `sign` and
    `class` (no class of the expression says a remainder of the answer), `empty` (a range), kinds of `affinor.Error` such as
    `division` (by what may not be positive), and names of exceptions of sympy or torch. `plain` are calls from Inductor with
    nothing to simplify. With `clear` they begin at 0 again.
    """
    found = dict(sorted(_counted.items()))
    if clear:
        _counted.clear()
    return found


def install() -> None:
    """Has Inductor simplify index expressions by affinor. Its cache stays, and its own function answers where this one cannot.

    Bounds and guards of sizes are taken from the ShapeEnv. Code that was compiled before, or is found in Inductor's cache of
    graphs, stays as it is.
    """
    from torch._inductor.sizevars import SizeVarAllocator

    if _replaced:
        return
    own = getattr(SizeVarAllocator, "_simplify_with_ranges", None)
    if own is None:
        raise wrong("unsupported", "this version of torch has no SizeVarAllocator._simplify_with_ranges")

    def _simplify_with_ranges(self: Any, expr: Any, var_ranges: Mapping[Any, Any]) -> Any:
        return _of_inductor(self, expr, var_ranges, lambda expr, ranges: own(self, expr, ranges))

    _replaced.append(own)
    SizeVarAllocator._simplify_with_ranges = _simplify_with_ranges


def uninstall() -> None:
    """Has Inductor simplify index expressions by itself again."""
    if _replaced:
        from torch._inductor.sizevars import SizeVarAllocator

        SizeVarAllocator._simplify_with_ranges = _replaced.pop()


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


def _of_inductor(allocator: Any, expr: Any, var_ranges: Mapping[Any, Any], otherwise: Callable[..., Any]) -> Any:
    import sympy

    expr = allocator.simplify(expr)
    if not _inductor.has_more_than_sums(expr):
        # Sums and products stay as Inductor writes them: it compares expressions.
        _counted["plain"] += 1
        return expr
    ranges = {symbol: sympy.sympify(size).xreplace(allocator.replacements) for symbol, size in var_ranges.items()}
    met = expr.free_symbols.union(*(size.free_symbols for size in ranges.values()))
    of_symbols = allocator.shape_env.var_to_range
    sizes = {
        symbol: tuple(int(end) if end.is_Integer else None for end in (of_symbols[symbol].lower, of_symbols[symbol].upper))
        for symbol in met
        if symbol in of_symbols and symbol not in ranges
    }
    found = simplify_with_ranges(
        expr, ranges, sizes=sizes, facts=allocator.shape_env.get_axioms(), otherwise=lambda *_: otherwise(expr, var_ranges)
    )
    expanded = sympy.expand(found)
    return expanded if _inductor.is_at_most(measure(expanded), measure(expr)) else found
