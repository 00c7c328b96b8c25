"""NumPy's functions of the values in a function for `IndexMap.of`: `numpy.minimum(i, 3)`, `numpy.where(i < 3, i, 0)`."""
# mypy: ignore-errors

import operator

from ._function import maximum, minimum, wrong

FUNCTIONS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "divide": operator.truediv,
    "remainder": operator.mod,
    "divmod": divmod,
    "power": operator.pow,
    "square": lambda x: x * x,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "minimum": minimum,
    "maximum": maximum,
    "fmin": minimum,
    "fmax": maximum,
    "floor": operator.pos,
    "ceil": operator.pos,
    "trunc": operator.pos,
    "rint": operator.pos,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "invert": operator.invert,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "logical_and": lambda x, y: (x != 0) & (y != 0),
    "logical_or": lambda x, y: (x != 0) | (y != 0),
    "logical_xor": lambda x, y: (x != 0) != (y != 0),
    "logical_not": lambda x: x == 0,
    "where": lambda condition, x, y: x if condition else y,
    "clip": lambda x, least, most: minimum(maximum(x, least), most),
}


def apply(function, inputs, options):
    """Returns the value of a function of NumPy; of its options, those that are None mean nothing."""
    name = function.__name__
    found = FUNCTIONS.get(name)
    given = {word for word, value in (options or {}).items() if value is not None}
    if found is None or given:
        written = f"numpy.{name}" + (f" with `{min(given)}`" if found and given else "")
        raise wrong("unsupported", f"a map has no {written}", "write it with the operators of integers, `minimum` and `maximum`")
    try:
        return found(*map(_plain, inputs))
    except TypeError as error:
        raise wrong("arity", f"numpy.{name} of {len(inputs)} values: {error}") from None


def of_ufunc(function, method, inputs, options):
    if method != "__call__":
        raise wrong("unsupported", f"a map has no numpy.{function.__name__}.{method}")
    return apply(function, inputs, options)


def _plain(value):
    """Returns a number of NumPy as one of Python."""
    if not hasattr(value, "ndim"):
        return value
    if value.ndim:
        raise wrong("unsupported", f"a map has integers only, no {type(value).__name__}")
    return value.item()
