"""Modules of HLO: the answers of the program's commands as objects of Python."""
# mypy: ignore-errors

from html import escape

from . import _paths
from ._affinor import IndexMap, _Module
from ._errors import Error
from ._files import write
from ._function import wrong

# Maximum number of rows of a table in a notebook.
MOST_ROWS = 40


class Module(_Module):
    """A module of HLO; `analyze` makes one.

    >>> module = analyze("p = f32[8,16] parameter(0)\\n t = f32[16,8] transpose(p), dimensions={1,0}")
    >>> module["t"].reads[0]["maps"]
    [IndexMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]')]
    >>> module.json()[0]["results"][0]["maps"][0]["map"]
    '(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]'

    Answers of the program have its options as keyword arguments, with `_` for `-`; a list gives one several times.
    """

    def __new__(cls, text, source="-", paths=None):
        module = super().__new__(cls, text.encode() if isinstance(text, str) else text, source)
        module._paths = paths
        return module

    def __reduce__(self):
        return Module, (str(self), self.source, self._paths)

    @property
    def parameters(self):
        """The path of each parameter in the arguments of the JAX function, such as `params/Dense_0/kernel`; None without a function."""
        return self._paths and list(self._paths[0])

    @property
    def outputs(self):
        """The path of each part of the result, such as `output/0`; None without a JAX function."""
        return self._paths and [path for path, _ in self._paths[1]]

    def __eq__(self, other):
        return isinstance(other, Module) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __getitem__(self, name):
        """Returns the instruction with this name, preferably from the entry computation."""
        for computation in (self.entry, *self.computations):
            for instruction in self.instructions(computation, name=name):
                return instruction
        raise KeyError(name)

    def fusions(self):
        """Returns the fusions, in the order of the text, as `instructions` does."""
        return [one for computation in self.computations for one in self.instructions(computation, opcode="fusion")]

    def json(self, **options):
        """Returns the lines of `affinor hlo FILE --json`, each as a dict: `json(entry=True)`, `json(opcode="fusion", check=True)`.
        A contradictory instruction has the dict of its error instead."""
        return self._lines(options)

    def summary(self, **options):
        """Counts the instructions with exact maps, upper bounds and unknown reads, with the reasons.

        >>> analyze("p = f32[4] parameter(0)\\n n = f32[4] negate(p)").summary()["exact"]
        1
        """
        last = self.json(**options)[-1]
        if "summary" not in last:
            raise wrong("usage", "there are no counts of single instructions, nor of the entry computation", "`json` has the answers")
        return last["summary"]

    def maps(self, **options):
        """Returns the maps of `json` as rows for a data frame: dicts with `map` (an IndexMap), `exact`, the `reason` if it is not
        exact, and the instruction or, with `entry=True`, the parameter; for a JAX function also the paths `result` and `argument`. If the
        reads are unknown, `map` is None; an operand of which nothing is read has no row.

        >>> module = analyze("p = f32[9] parameter(0)\\n r = f32[9] reverse(p), dimensions={0}\\n s = f32[3] slice(r), slice={[0:3]}")
        >>> [(row["instruction"], row["operand"], str(row["map"])) for row in module.maps()]
        [('r', 0, '(d0) -> (-d0 + 8), domain: d0 in [0, 8]'), ('s', 0, '(d0) -> (d0), domain: d0 in [0, 2]')]
        >>> module.maps(entry=True)[0]["map"]
        IndexMap('(d0) -> (-d0 + 8), domain: d0 in [0, 2]')
        """
        for option in ("tile", "utilisation", "free", "parts"):
            if options.get(option):
                raise wrong("usage", f"the answers of `{option}` are not maps", f"`json({option}=..)` has them")
        rows = []
        for line in self.json(**options):
            of = {key: line[key] for key in ("computation", "instruction", "opcode", "shape") if key in line}
            for result in line.get("results", [line] if "maps" in line else []):
                of_pair = {key: value for key, value in result.items() if key not in ("maps", "reason", "schema")}
                found = result["maps"]
                if found == "unknown":
                    found = [{"map": None, "exact": False, "reason": result.get("reason")}]
                for one in found:
                    map = None if one["map"] is None else IndexMap(one["map"])
                    rows.append({**of, **of_pair, **self._named(of_pair), "reason": None, **one, "map": map})
        return rows

    def _named(self, pair):
        """Returns the paths of a part of the result and of a parameter, if known."""
        if self._paths is None or "parameter" not in pair:
            return {}
        inputs, outputs, _ = self._paths
        return {"result": outputs[pair["output"][0] if len(outputs) > 1 else 0][0], "argument": inputs[pair["parameter"]]}

    def reads(self, output, parameter=None, **options):
        """Returns the reads of a part of the result from one parameter, or from all, as rows of `maps(entry=True)`.

        Both are paths: `output[0]` is the first element of a tuple, `output/logits` or `logits` the entry of a dict,
        `params/Dense_0/kernel` a parameter. A path includes everything below it; a path without its beginning must be unambiguous.
        `logits[0, 5]`, with indices and slices as in NumPy, restricts the question to these elements, and the maps are then over the
        indices of the slice. The module must come from a function that JAX lowered or compiled, or from `analyze(f, *args)`.
        """
        if self._paths is None:
            raise wrong("usage", "this module has no paths", "`analyze(f, *args)` has, and what jax.jit(f).lower(..) returns")
        inputs, outputs, unused = self._paths
        found, inner = _paths.output(output, [path for path, _ in outputs])
        asked = {} if len(outputs) == 1 else {"output": [f"{{{number}}}" for number in found]}
        if parameter is not None:
            numbers = [number for number in _paths.select(parameter, inputs + unused, "parameter") if number < len(inputs)]
            if not numbers:
                return []
            asked["parameter"] = [str(number) for number in numbers]
        rows = self.maps(entry=True, **asked, **options)
        if inner is None:
            return rows
        slices = {path: _paths.sliced(inner, shape, path) for path, shape in (outputs[number] for number in found)}
        within = [{**row, "map": row["map"] and (row["map"] @ slices[row["result"]]).simplify()} for row in rows]
        # An empty map is about elements outside the slice.
        return [row for row in within if row["map"] is None or row["map"].count() != 0]

    def utilisation(self, **options):
        """Returns the lines of `affinor hlo FILE --utilisation --json`: the share of each operand that is read, and how often.

        >>> module = analyze("p = f32[8] parameter(0)\\n s = f32[2] slice(p), slice={[0:2]}")
        >>> module.utilisation()[0]["utilisation"][0]["share"]
        0.25
        """
        return self._lines({"utilisation": True, **options})

    def tiles(self, sizes="suggest", **options):
        """Returns the lines of `affinor hlo FILE --tile SIZES --json`: the tile of each operand that an output tile of these sizes
        reads. The sizes are integers, a text in the program's notation, or by default those suggested.

        >>> module = analyze("p = f32[8,16] parameter(0)\\n t = f32[16,8] transpose(p), dimensions={1,0}")
        >>> [(side["offset"], side["size"]) for side in module.tiles((4, 2))[0]["operands"][0]["tiles"][0]["sides"]]
        [('t1 * 2', 2), ('t0 * 4', 4)]
        """
        return self._lines({"tile": _sizes(sizes), **options})

    def diff(self, other, **options):
        """Compares the reads of a newer module; with `entry=True`, only the reads of the parameters by the result.

        >>> old, new = (analyze(f"p = f32[8] parameter(0)\\n s = f32[2] slice(p), slice={{[{at}:{at + 2}]}}") for at in (0, 1))
        >>> print(old.diff(new))
        entry/s changed: element (0) no longer reads (0) of operand 0
          old (d0) -> (d0), domain: d0 in [0, 1]
          new (d0) -> (d0 + 1), domain: d0 in [0, 1]
        1 value compared: 1 changed
        >>> bool(old.diff(old))
        False
        """
        if not isinstance(other, Module):
            raise wrong("usage", "`diff` takes a module", "`analyze` makes one of a text, a file or what JAX has lowered")
        return Diff(self._answers("diff", options, other))

    def report(self, *, tile=None, custom=None):
        """Returns the page of `affinor report`, with the answers about all instructions; a notebook shows it. `tile` has sizes of
        tiles instead of the suggested ones, `custom` the path of a table with the reads of custom-calls."""
        options = {"tile": tile and _sizes(tile), "custom": custom and str(custom), "html": "-"}
        return Report(self._answers("report", options)[-1].json["html"])

    def _lines(self, options):
        # The total of verdicts is text only.
        answers = self._answers("hlo", options)
        return [answer.json for answer in answers if answer.json is not None]

    def _answers(self, command, options, other=None):
        return self._ask(command, list(_given(options)), other)

    def _repr_html_(self):
        def row(instruction):
            maps = []
            for read in instruction.reads:
                name = escape(instruction.operands[read["operand"]])
                if read["maps"] is None:
                    maps.append(f"{name}: unknown, {escape(read['reason'])}")
                bound = "" if read["exact"] else " (at most)"
                maps += [f"{name}: <code>{escape(str(map))}</code>{bound}" for map in read["maps"] or ()]
            return [f"<b>{escape(instruction.name)}</b>", instruction.opcode, escape(instruction.shape), "<br>".join(maps)]

        shown = self.instructions(most=MOST_ROWS + 1)
        more = "" if len(shown) <= MOST_ROWS else f"<p>The first {MOST_ROWS} instructions; <code>report()</code> has all.</p>"
        rows = [row(instruction) for instruction in shown[:MOST_ROWS]]
        head = f"<p>Module <b>{escape(self.name or 'without name')}</b>, entry computation {escape(self.entry)}</p>"
        return head + table(["instruction", "op", "shape", "reads"], rows) + more


class Diff:
    """The differences between two modules: `changes`, the dicts of `affinor diff OLD NEW --json`, and their `counts`. It is true if the
    data read or the values differ, or if the reads are undecided; a `change` that is `index`, `rounded` or `values_unknown` does not
    count."""

    def __init__(self, answers):
        *self._answers, summary = answers
        self.changes = [answer.json for answer in self._answers]
        self.counts = {key: value for key, value in summary.json.items() if key != "schema"}
        self._summary = summary.text

    def __bool__(self):
        return any(change["change"] not in ("index", "rounded", "values_unknown") for change in self.changes)

    def __eq__(self, other):
        return isinstance(other, Diff) and (self.changes, self.counts) == (other.changes, other.counts)

    __hash__ = None

    def __len__(self):
        return len(self.changes)

    def __iter__(self):
        return iter(self.changes)

    def __str__(self):
        return "\n".join([*(answer.text for answer in self._answers), self._summary])

    def __repr__(self):
        return f"<Diff {self._summary}>"

    def _repr_html_(self):
        return f'<pre style="font-family: monospace">{escape(str(self))}</pre>'


class Report:
    """The page of `affinor report`: `html` is a single file without links to others. A notebook shows it."""

    def __init__(self, html):
        self.html = html

    def __eq__(self, other):
        return isinstance(other, Report) and self.html == other.html

    def __hash__(self):
        return hash(self.html)

    def save(self, path):
        """Writes the page to a file."""
        write(path, self.html)

    def __repr__(self):
        return f"<Report: {len(self.html)} characters of HTML; save(path) writes them>"

    def _repr_html_(self):
        style = "width: 100%; height: 560px; border: 1px solid #8888"
        return f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'


def table(names, rows):
    """Returns a table in HTML, with cells in HTML."""
    cell = 'style="text-align: left; vertical-align: top"'
    head = "".join(f"<th {cell}>{name}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td {cell}>{one}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _sizes(given):
    """Returns sizes in the notation of the program."""
    return given if isinstance(given, str) else ",".join(map(str, [given] if isinstance(given, int) else given))


def _given(options):
    """Yields the options of the program as pairs of a name and a value, which is None for a flag."""
    for key, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield key.replace("_", "-"), None
            elif isinstance(one, (str, int)) and one is not False:
                yield key.replace("_", "-"), str(one)
            elif one is not None and one is not False:
                raise wrong("usage", f"`{key}` cannot be {one!r}", "options are True, texts, integers or lists of them")
