"""Many maps at once, and pictures in notebooks."""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

import affinor
from affinor import Error, IndexMap, Layout, simplify_many


def cases(count):
    for n in range(1, count + 1):
        yield f"(d0, d1) -> ((d0 * {n} + d1) floordiv {n}, (d0 * {2 * n} + d1) mod {n}), domain: d0 in [0, 99], d1 in [0, {n - 1}]"


@pytest.mark.parametrize("count", [0, 1, 33, 200])
def test_processes_change_nothing(count):
    one = simplify_many(cases(count), processes=1)
    told = []
    many = simplify_many(map(IndexMap, cases(count)), processes=3, progress=lambda *numbers: told.append(numbers))
    assert many == one == [IndexMap(text).simplify() for text in cases(count)]
    assert told == sorted(set(told)) and told[-1:] == [(count, count)][: min(count, 1)]
    assert simplify_many(cases(5), effort=0, processes=1) == [IndexMap(text).simplify(effort=0) for text in cases(5)]


def test_large_maps_do_not_block_pipes():
    large = "(d0) -> (" + ", ".join(f"(d0 * 3 + {n}) floordiv 7 + d0 mod {n + 2}" for n in range(150)) + "), domain: d0 in [0, 99]"
    assert len(large) * 32 > 1 << 17
    found = simplify_many([large] * 65, processes=2, effort=0)
    assert set(found) == {IndexMap(large).simplify(effort=0)} and len(found) == 65


def test_wrong_cases_and_ends():
    with pytest.raises(Error) as raised:
        simplify_many([*cases(3), "(d0) -> (x)"])
    assert raised.value.case == 3 and raised.value.kind == "name"
    for wrong in ({"processes": 0}, {"effort": 3}):
        with pytest.raises(Error, match="at least 1 process"):
            simplify_many(cases(1), **wrong)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simplify_many(cases(200), processes=2, progress=stop)
    assert not children()


def children():
    """Returns the running children of this process."""
    own = Path(f"/proc/self/task/{os.getpid()}/children")
    return own.read_text().split() if own.exists() else []


def test_a_worker_that_ends_is_an_error(monkeypatch):
    start = affinor._many._start
    monkeypatch.setattr(affinor._many, "_start", lambda effort: start("print('no map', flush=True)"))
    with pytest.raises(Error):
        simplify_many(cases(200), processes=2)
    assert not children()


def test_scripts_need_no_guard():
    script = "from affinor import simplify_many; print(len(simplify_many(['(d0) -> (d0 mod 4), domain: d0 in [0, 3]'] * 99, processes=2)))"
    found = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, check=True)
    assert found.stdout == "99\n"


def test_pictures():
    drawn = [
        IndexMap("(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1]"),
        Layout("f32[3,5]{1,0:T(2,2)}"),
    ]
    for value, labels in zip(drawn, ("1", "17")):
        picture = value._repr_svg_()
        root = xml.fromstring(picture)
        assert root.tag.endswith("svg") and labels in [element.text for element in root.iter() if element.tag.endswith("text")]
        html = value._repr_html_()
        assert html == f"<div><code>{str(value)}</code></div>{picture}"
    undrawn = [
        "(i) -> (i), domain: i in [0, inf]",  # no end
        "(i) -> (i - 1), domain: i in [0, 3]",  # no element of an array
        "(i, j) -> (i + j), domain: i in [0, 999], j in [0, 999]",  # many points
        "(i) -> (i), domain: i in [0, -1]",
    ]
    for text in undrawn:
        assert IndexMap(text)._repr_svg_() is None
        assert IndexMap(text)._repr_html_() == f"<div><code>{IndexMap(text)}</code></div>"
    assert "&lt;n>" in IndexMap("<n>(i) -> (i floordiv n), domain: n in [1, 3], i in [0, inf]")._repr_html_()
