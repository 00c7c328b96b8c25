"""Queries about one map, answered by commands of the program."""
# mypy: ignore-errors

import re

from . import _affinor
from ._affinor import IndexMap, Verdict
from ._errors import Error
from ._function import wrong
from ._module import _given


# An option of the program in its errors.
FLAG = re.compile(r"--([a-z][a-z0-9-]*)")


def asked(of, command, **options):
    """Returns the answer of a command about a map, as printed with `--json`."""
    return ask({"m": of}, command.replace("MAP", "m"), options)


def ask(maps, command, options):
    """Returns the answer of a command about maps that it refers to by name."""
    words = [command]
    if any(word.startswith("--") for word in command.split()) or "\n" in command:
        raise wrong("usage", f"`{command.split(maxsplit=1)[1]}` is more than one text", "options are keywords, as `bytes=4`")
    for name, value in _given(options):
        if value is not None and len(value.split()) != 1:
            raise wrong("usage", f"`{name}` cannot be {value!r}", "give one word, and other options as keywords of their own")
        words.append(f"--{name}" if value is None else f"--{name} {value}")
    session = _affinor.Session()
    for name, map in maps.items():
        session[name] = map
    try:
        (answer,) = session.run(" ".join(words))
    except Error as error:
        raise wrong(error.kind, _as_keywords(error.message), error.hint and _as_keywords(error.hint)) from None
    return {key: value for key, value in answer.json.items() if key != "schema"}


def _as_keywords(text):
    """Replaces options of the program in a message by keywords."""
    return FLAG.sub(lambda found: found[1].replace("-", "_"), text)


def number(map, end):
    """Returns a bound of a range: an integer, None if infinite, or a map from the named sizes."""
    if not isinstance(end, str):
        return end
    kinds, bounds = map.kinds, map.bounds
    sizes = [name for name in map.variables if kinds[name] == "parameter"]
    shown = [["-inf" if lo is None else lo, "inf" if hi is None else hi] for lo, hi in (bounds[name] for name in sizes)]
    domain = ", ".join(f"{name} in [{lo}, {hi}]" for name, (lo, hi) in zip(sizes, shown))
    return IndexMap(f"<{', '.join(sizes)}>() -> ({end}), domain: {domain}")


def point(map, values):
    return None if values is None else dict(zip(map.variables, values))


def range_(map):
    """See IndexMap.range."""
    answer = asked(map, "range MAP")
    ends = zip(answer["ranges"], answer["tight"], answer["attained_at"])
    return [
        {
            "lo": number(map, lo),
            "hi": number(map, hi),
            "tight": tight,
            "at": tuple(point(map, values) for values in at or (None, None)),
        }
        for (lo, hi), tight, at in ends
    ]


def verdict(answer, counterexample):
    word = answer["verdict"]
    return Verdict(word, counterexample if word == "refuted" else None, answer.get("reason"))


def injective(map):
    """See IndexMap.injective."""
    answer = asked(map, "injective MAP")
    return verdict(answer, answer.get("counterexample"))


def inside(map, shape):
    """See IndexMap.inside."""
    text = shape if isinstance(shape, str) else "[" + ",".join(str(size) for size in shape) + "]"
    answer = asked(map, f"inside MAP ; {text}")
    outside = answer.get("reads_outside") or [None]
    return verdict(answer, outside[0])


def _operand(layout, name, maps):
    """Returns a layout as an operand of a command: its text, or a name for its map, which is added to `maps`."""
    if isinstance(layout, IndexMap) or layout.kind in ("cute", "linear"):
        maps[name] = layout if isinstance(layout, IndexMap) else layout.position
        return name
    return str(layout)


def convert(layout, other):
    """See Layout.convert."""
    maps = {}
    operands = [_operand(one, name, maps) for one, name in ((layout, "a"), (other, "b"))]
    return ask(maps, f"layout convert {operands[0]} ; {operands[1]}", {})


def banks_of(layout, threads, **options):
    """See Layout.banks."""
    maps = {}
    if threads is None:
        maps["a"] = layout.position
        return ask(maps, "banks a", options)
    text = _operand(threads, "a", maps)
    return ask(maps, f"banks {text} in {layout}", options)


def bitcast(layout, other):
    """See Layout.bitcast."""
    return ask({}, f"bitcast {layout} {other}", {})
