"""The code of the guides in `docs/` runs, with the shown answers."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("guide_*.md")))
def test_guides_answer_as_they_say(name):
    found = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert found.failed == 0 and found.attempted >= 10


def test_there_are_guides():
    assert {path.name for path in DOCS.glob("guide_*.md")} == {"guide_inductor.md", "guide_jax.md", "guide_layouts.md"}
