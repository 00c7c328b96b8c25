"""Maps of Python functions: the arguments become variables with bounds."""
# mypy: ignore-errors

import inspect
from inspect import Parameter

from . import _affinor
from ._affinor import Expr
from ._errors import Error

# Maximum number of paths through the branches of a function.
MOST_WAYS = 64


def wrong(kind, message, hint=None):
    """Returns an Error like those of the library."""
    error = Error(f"{message}; hint: {hint}" if hint else message)
    error.kind, error.message, error.hint, error.position = kind, message, hint, None
    return error


def ends(name, given):
    """Returns the lower and upper bound of a variable, both inclusive; None is infinite."""
    if isinstance(given, range):
        if given.step != 1:
            hint = f"give `{name}={len(given)}`, and multiply it by {given.step} in the function"
            raise wrong("domain", f"the bounds of `{name}` have steps of {given.step}", hint)
        return given.start, given.stop - 1
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return tuple(given)
    try:
        return 0, int(given.__index__()) - 1
    except AttributeError:
        hint = f"give `{name}=range(2, 10)`, `{name}=(2, 9)`, or `{name}=4` for 0 to 3; None means no end"
        raise wrong("domain", f"the bounds of `{name}` are not a range: {given!r}", hint) from None


def of(function, where=None, /, **bounds):
    """See IndexMap.of."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        name = getattr(function, "__name__", type(function).__name__)
        raise wrong("usage", f"the arguments of `{name}` are unknown", f"write `lambda i, j: {name}(i, j)`") from None
    for argument in arguments:
        if argument.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            raise wrong("usage", f"the function takes any number of arguments: `{argument}`", "name each argument")
    # An argument with a default is a constant if it has no bounds.
    arguments = [one for one in arguments if one.name in bounds or one.default is Parameter.empty]
    names = [argument.name for argument in arguments]
    for name in names:
        if name not in bounds:
            raise wrong("arity", f"`{name}` has no bounds", f"give them, as in `{name}=range(10)`")
    for name in bounds:
        if name not in names:
            raise wrong("name", f"the function has no argument `{name}`", f"its arguments are {', '.join(names)}")
    sizes = [argument.kind is Parameter.KEYWORD_ONLY for argument in arguments]
    variables = [(name, is_size, *ends(name, bounds[name])) for name, is_size in zip(names, sizes)]
    named = [argument.kind is not Parameter.POSITIONAL_ONLY for argument in arguments]

    def call(one, values):
        positional = [value for value, has_name in zip(values, named) if not has_name]
        return one(*positional, **{name: value for name, value, has_name in zip(names, values, named) if has_name})

    return trace(variables, lambda *values: call(function, values), where and (lambda *values: call(where, values)))


def trace(variables, function, where=None):
    """Returns the map of a function over variables given as (name, is_size, lower bound, upper bound)."""
    domain, values = _affinor._variables(variables)
    cases, way = [], []
    while way is not None:
        if len(cases) == MOST_WAYS:
            raise wrong("too-large", f"the branches of the function distinguish more than {MOST_WAYS} cases", "a map has no loops over its variables")
        _affinor._start_way(domain, way)
        try:
            results = function(*values)
        finally:
            limits, way = _affinor._end_way()
        cases.append((limits, list(results) if isinstance(results, (tuple, list)) else [results]))
    conditions = where(*values) if where else []
    conditions = list(conditions) if isinstance(conditions, (tuple, list)) else [conditions]
    return _affinor._traced(domain, cases, conditions)


def _is_traced(values):
    return any(isinstance(value, Expr) for value in values)


def minimum(first, *others):
    """The least of some values: variables in a function for `IndexMap.of`, or integers.

    >>> IndexMap.of(lambda i: minimum(i, 7), i=10)
    IndexMap('(i) -> (min(i, 7)), domain: i in [0, 9]')
    >>> minimum(3, 7)
    3
    """
    values = (first, *others)
    return _affinor._minimum(values) if _is_traced(values) else min(values)


def maximum(first, *others):
    """The greatest of some values: variables in a function for `IndexMap.of`, or integers.

    >>> IndexMap.of(lambda i: maximum(i - 2, 0), i=10)
    IndexMap('(i) -> (max(i - 2, 0)), domain: i in [0, 9]')
    """
    values = (first, *others)
    return _affinor._maximum(values) if _is_traced(values) else max(values)


def ceildiv(x, divisor):
    """The quotient rounded up: of a variable in a function for `IndexMap.of`, or of integers.

    >>> IndexMap.of(lambda i: ceildiv(i, 4), i=10)
    IndexMap('(i) -> (i ceildiv 4), domain: i in [0, 9]')
    >>> ceildiv(9, 4)
    3
    """
    return _affinor._ceildiv(x, divisor) if _is_traced((x, divisor)) else -(-x // divisor)
