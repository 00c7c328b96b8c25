"""Index expressions of PyTorch's Inductor, simplified by affinor.

`simplify_with_ranges` simplifies Inductor's expressions; `install` makes `torch.compile` use it. Only `install` imports torch.

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

# The versions of torch with which `install` was tested.
TRIED = ("2.15",)

_counted: Counter[str] = Counter(dict.fromkeys(_drop_in.COUNTED, 0))
# The functions of Inductor that are currently replaced.
_replaced: list[Any] = []


def simplify_with_ranges(
    expr: Any,
    var_ranges: Mapping[Any, Any],
    *,
    sizes: Mapping[Any, tuple[int | None, int | None]] | None = None,
    facts: Iterable[Any] = (),
    otherwise: Callable[[Any, Mapping[Any, Any]], Any] | None = None,
) -> Any:
    """Simplifies an expression; the value stays the same if each symbol of `var_ranges` is at least 0 and less than its size there.

    Supported are sums, products, floor, ceiling, Mod, Min, Max and Abs of sympy, and Inductor's FloorDiv, CleanDiv, CeilDiv,
    ModularIndexing, PythonMod, Min and Max; other parts stay as they are. The result uses the classes of `expr`. Sizes may be
    expressions. Other symbols are integers with the bounds of their assumptions or of `sizes`: (2, None) is 2 or more. `facts` are
    comparisons that hold. The smallest are used, up to 64 operations in total; facts that a map cannot express are dropped.

    If nothing is found, the result is `expr`, or that of `otherwise(expr, var_ranges)`; `statistics` counts the reasons. The result
    is never larger: by `measure` it has at most as many operations, and at most as many divisions, as `expr`.
    """
    _counted["calls"] += 1
    try:
        found = _inductor.simplified(expr, var_ranges, sizes or {}, facts)
    except _inductor.Kept as kept:
        reason = str(kept)
    except Exception as error:  # from sympy or torch, whose answer is then used
        reason = type(error).__name__
    else:
        _counted["same" if found is expr else "smaller"] += 1
        return found
    _counted[f"fallback: {reason}"] += 1
    return expr if otherwise is None else otherwise(expr, var_ranges)


def measure(expr: Any) -> Measure:
    """Counts the operations of a sympy expression, and the quotients and remainders among them.

    A sum or product of n operands counts n - 1, not counting a factor -1, and a power counts its multiplications. A ModularIndexing
    with a divisor counts as two. Repeated parts count each time.

    >>> import sympy
    >>> x, y = sympy.symbols("x y", integer=True)
    >>> measure(sympy.floor(x / 4) * 4 - y)
    Measure(operations=4, divisions=1)
    """
    return _inductor.measure(expr)


def statistics(*, clear: bool = False) -> dict[str, int]:
    """Returns the counters. `calls` counts calls of `simplify_with_ranges`: those with a `smaller` result, with the `same`
    expression, and fallbacks, by the reason after `fallback: `. Reasons are `larger` (the result would be), `unsupported` (a symbol
    that is not an integer), `sign` and `class` (no class of the expression has the meaning of a remainder in the result), `empty` (a
    range), kinds of `affinor.Error` such as `division` (by a number that may not be positive), and names of exceptions of sympy or
    torch. `plain` counts calls from Inductor with nothing to simplify. The other functions that `install` replaces are counted by
    name, with the suffix `: own` if Inductor's own function answered. `clear` resets all counters to 0.
    """
    found = dict(sorted(_counted.items()))
    if clear:
        _counted.clear()
        _counted.update(dict.fromkeys(_drop_in.COUNTED, 0))
    return found


def install(*, untried: bool = False) -> None:
    """Makes Inductor simplify index expressions by affinor, with its own functions as a fallback.

    Replaces `_simplify_with_ranges`, `stride_at`, `simplify_index_in_vec_range`, `stride_vars`, `offset_var` and
    `combine_modular_indexing_pairs` of torch._inductor.sizevars, and `ShapeEnv.simplify` and `_maybe_evaluate_static_worker` of
    torch.fx.experimental.symbolic_shapes: comparisons of sizes are decided if their sides differ by a constant, and simplifications
    are remembered. Bounds and guards of sizes come from the ShapeEnv. Code that is already compiled, or in Inductor's cache of
    graphs, is not changed. With a version of torch other than those in `TRIED` this is an Error, unless `untried` is true.
    """
    import torch
    from torch._inductor import sizevars
    from torch.fx.experimental import symbolic_shapes

    if _replaced:
        return
    version = torch.__version__
    if not (untried or any(version.startswith(f"{one}.") for one in TRIED)):
        hint = "install(untried=True) installs it all the same"
        raise wrong("unsupported", f"affinor.torch was tried with torch {', '.join(TRIED)}, and this is {version}", hint)
    replacements = _drop_in.replacements(sizevars, symbolic_shapes, simplify_with_ranges, _counted)
    for owner, name, _ in replacements:
        if not hasattr(owner, name):
            raise wrong("unsupported", f"this version of torch has no {owner.__name__}.{name}")
    for owner, name, make in replacements:
        own = getattr(owner, name)
        _replaced.append((owner, name, own))
        setattr(owner, name, make(own))
    _drop_in.forget(sizevars)


def uninstall() -> None:
    """Restores the functions of Inductor."""
    if not _replaced:
        return
    while _replaced:
        setattr(*_replaced.pop())
    from torch._inductor import sizevars

    _drop_in.forget(sizevars)


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """A context manager that calls `install`, and `uninstall` at the end, unless it was installed before."""
    before = bool(_replaced)
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()
