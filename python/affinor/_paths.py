"""Paths in the pytrees of arguments and results of a JAX function: `params/Dense_0/kernel`, `output[0]`, `output/logits[0, 5]`."""
# mypy: ignore-errors

import difflib
import inspect
import re

from ._affinor import IndexMap
from ._function import wrong

# Maximum number of paths in a message.
MOST_NAMED = 4


def of_stage(stage, function=None, args=()):
    """Returns the paths of a function that JAX lowered or compiled: of its parameters, of its outputs with their shapes, and of unused
    arguments, which are not parameters. None if this version of JAX does not provide them. Arguments have the names of the function's
    signature, or, without a function, `args/0` and so on."""
    try:
        from jax.tree_util import tree_flatten_with_path

        given, out = stage.args_info, stage.out_info
        is_named = function is not None and len(args) == len(given[0])
        names = _names(function, args) if is_named else [f"args/{number}" for number in range(len(given[0]))]
        inputs = []
        for (_, *keys), _ in tree_flatten_with_path(given[0:1])[0]:
            inputs.append("/".join([names[keys[0].idx], *map(_word, keys[1:])]))
        inputs += ["/".join(map(_word, keys[1:])) for keys, _ in tree_flatten_with_path(given[1:2])[0]]
        outputs = [("/".join(["output", *map(_word, keys)]), tuple(one.shape)) for keys, one in tree_flatten_with_path(out)[0]]
    except (ImportError, AttributeError, TypeError):
        return None
    kept = _kept(stage)
    if kept is None:
        return None
    parts = [[path for number, path in enumerate(inputs) if (number in kept) is is_kept] for is_kept in (True, False)]
    return parts[0], outputs, parts[1]


def _kept(stage):
    """Returns the numbers of the arguments that are parameters; None if this version of JAX does not provide them."""
    for holder, name in (("_lowering", "compile_args"), ("_executable", "_kept_var_idx")):
        found = getattr(getattr(stage, holder, None), name, None)
        found = found.get("kept_var_idx") if isinstance(found, dict) else found
        if found is not None:
            return found
    return None


def _names(function, args):
    try:
        bound = inspect.signature(function).bind_partial(*args)
    except (TypeError, ValueError):
        return [f"args/{number}" for number in range(len(args))]
    names = []
    for name, value in bound.arguments.items():
        is_many = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        names += [f"{name}/{number}" for number in range(len(value))] if is_many else [name]
    return names


def _word(key):
    for name in ("key", "idx", "name"):
        if hasattr(key, name):
            return str(getattr(key, name))
    return str(key)


def words(text):
    """Splits a path into words, which may be quoted in brackets: `a[0]['b']/c` is a, 0, b, c."""
    found = re.findall(r"\[([^\[\]]*)\]|([^/\[\]]+)", text)
    return [inner.strip().strip("'\"") if not word else word.strip() for inner, word in found]


def select(text, paths, kind):
    """Returns the numbers of the paths that begin with a text, or else of the only path that ends with it."""
    found = _matches(words(text), paths)
    if len(found) == 1 or found and all(_starts(paths[one], words(text)) for one in found):
        return found
    if found:
        named = ", ".join(f"`{paths[one]}`" for one in found[:MOST_NAMED])
        more = "" if len(found) <= MOST_NAMED else f" and {len(found) - MOST_NAMED} more"
        raise wrong("name", f"`{text}` may be {named}{more}", "give the path from its start")
    near = difflib.get_close_matches("/".join(words(text)), paths, MOST_NAMED, 0.3) or paths[:MOST_NAMED]
    raise wrong("name", f"there is no {kind} `{text}`", "there is " + ", ".join(f"`{one}`" for one in near) if near else None)


def _starts(path, given):
    return path.split("/")[: len(given)] == given


def _matches(given, paths):
    at_start = [number for number, path in enumerate(paths) if given and _starts(path, given)]
    return at_start or [number for number, path in enumerate(paths) if given and path.split("/")[-len(given) :] == given]


def output(text, paths):
    """Returns the numbers of the outputs that a text names, and the slice in its last brackets, if any."""
    if _matches(words(text), paths) or not text.endswith("]"):
        return select(text, paths, "output"), None
    before, _, inner = text[:-1].rpartition("[")
    return select(before, paths, "output"), inner


def sliced(inner, shape, text):
    """Returns the map from a NumPy slice of an array of this shape to the array; an index removes its dimension."""
    parts = [one.strip() for one in inner.split(",")]
    if "..." in parts:
        place = parts.index("...")
        parts[place : place + 1] = [":"] * (len(shape) - len(parts) + 1)
    if len(parts) > len(shape):
        raise wrong("arity", f"`[{inner}]` has {len(parts)} indices, and `{text}` has the shape {tuple(shape)}")
    variables, results = [], []
    for number, size in enumerate(shape):
        side = _side(parts[number], inner) if number < len(parts) else slice(None)
        if isinstance(side, int):
            if not -size <= side < size:
                raise wrong("domain", f"index {side} of dimension {number} of `{text}` is not within its {size}")
            results.append(str(side % size))
        else:
            within = range(size)[side]
            name = f"d{len(variables)}"
            variables.append(f"{name} in [0, {len(within) - 1}]")
            results.append(f"{name} * {within.step} + {within.start}")
    names = ", ".join(f"d{number}" for number in range(len(variables)))
    domain = f", domain: {', '.join(variables)}" if variables else ""
    return IndexMap(f"({names}) -> ({', '.join(results)}){domain}").simplify()


def _side(part, inner):
    try:
        if ":" not in part:
            return int(part)
        found = slice(*[int(one) if one.strip() else None for one in part.split(":")])
        found.indices(1)  # a step of 0 is an error
        return found
    except (TypeError, ValueError):
        raise wrong("syntax", f"`{part}` in `[{inner}]` is not an index", "indices are integers and slices, as in [0, 2:5, ::2, ...]") from None
