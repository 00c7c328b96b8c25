"""Many modules, with a line of JSON for each in a file from which a stopped run resumes.

Laws: a line depends only on its module and on the work. It is written as soon as its module is done, so a killed run loses only the
modules in progress. At the end the lines are in the order of the modules, whichever runs and processes wrote them.
"""
# mypy: ignore-errors

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from ._errors import Error
from ._analyze import analyze
from ._files import write
from ._function import wrong
from ._module import Module


def analyze_many(modules, out, work=Module.summary, *, progress=None):
    """Calls `work` with each of the modules, and writes the results to the file `out`, a line of JSON each.

    `modules` are paths, or a dict from names to arguments of `analyze`. A line has `module`, the name, and `result`, the value
    returned by `work`, or `error` if there is no module or `work` raised an Error. Modules that already have a line are skipped, so a
    stopped run resumes, and a run with other work needs another file. `progress` is called with the number of modules done and the
    total, or is True for a bar of tqdm. Returns the lines, in the order of the modules.

    `affinor.ray.analyze_many` writes the same bytes, using the processes of Ray.

    >>> import tempfile
    >>> texts = {"a": "p = f32[4] parameter(0)\\n r = f32[4] reverse(p), dimensions={0}", "b": "p = f32[4"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = analyze_many(texts, folder + "/out.jsonl", lambda module: module.maps()[0]["exact"])
    >>> lines[0], lines[1]["error"]["kind"]
    ({'module': 'a', 'result': True}, 'shape')
    """
    return run(modules, out, lambda items: (line(name, given, work) for name, given in items), progress)


def line(name, given, work):
    """Returns the name of a module and its line."""
    try:
        answer = {"result": work(analyze(given))}
    except (Error, OSError) as error:
        answer = {"error": {"kind": getattr(error, "kind", "file"), "message": getattr(error, "message", str(error))}}
    return name, json.dumps({"module": name, **answer})


def run(modules, out, answer, progress):
    """Runs `answer`, which yields the name and the line of each of its items, in any order, on the modules without a line."""
    items = {str(name): given for name, given in modules.items()} if isinstance(modules, Mapping) else {}
    if not isinstance(modules, Mapping):
        if isinstance(modules, (str, os.PathLike)):
            raise wrong("usage", f"a list of paths or a dict is expected, not {str(modules)!r}", 'as `sorted(glob("dump/*.txt"))`')
        given = list(modules)
        items = {str(path): Path(path) for path in given}
        if len(items) < len(given):
            raise wrong("usage", "a module is given twice", "each has one line, by its path")
    out = Path(out)
    lines = _read(out)
    left = [(name, given) for name, given in items.items() if name not in lines]
    with _progress(progress, len(items)) as tell, out.open("a", encoding="utf-8") as file:
        done = len(items) - len(left)
        tell(done)
        for name, text in answer(left):
            file.write(text + "\n")
            file.flush()
            lines[name] = text
            done += 1
            tell(done)
    # Lines of modules that were not given this time come last.
    ordered = [lines.pop(name) for name in items if name in lines]
    write(out, "".join(text + "\n" for text in [*ordered, *lines.values()]))
    return [json.loads(text) for text in ordered]


def _read(out):
    """Returns the lines of earlier runs by name. An incomplete last line is also removed from the file."""
    if not out.exists():
        return {}
    data = out.read_bytes()
    whole = data.rfind(b"\n") + 1
    lines = {}
    for number, text in enumerate(data[:whole].split(b"\n")[:-1], 1):
        try:
            lines[json.loads(text)["module"]] = text.decode()
        except (ValueError, KeyError, TypeError):
            hint = "name a new file, or one that `analyze_many` wrote"
            raise wrong("file", f"line {number} of {out} is not about a module", hint) from None
    if whole < len(data):
        os.truncate(out, whole)
    return lines


@contextlib.contextmanager
def _progress(progress, total):
    """Yields a function that takes the number of modules done."""
    if progress is not True:
        yield lambda done: progress and progress(done, total)
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, unit="module") as bar:
        yield lambda done: bar.update(done - bar.n)
