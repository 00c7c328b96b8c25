"""The types of dicts returned by methods."""

from __future__ import annotations

from typing import Optional, TypedDict, Union

from ._affinor import IndexMap

# mypy: ignore-errors

# An integer, or a map from named sizes.
_Number = Union[int, "IndexMap"]


class Range(TypedDict):
    """The bounds of a result: see `IndexMap.range`."""

    lo: Optional[_Number]
    hi: Optional[_Number]
    tight: Optional[bool]
    at: tuple[Optional[dict[str, int]], Optional[dict[str, int]]]


class Image(TypedDict):
    """The box of all results: see `IndexMap.image`."""

    box: list[tuple[_Number, _Number]]
    steps: list[_Number]
    size: Optional[_Number]
    exact: bool


class Tile(TypedDict):
    """The elements read for a tile: see `IndexMap.tile`."""

    offset: IndexMap
    size: list[_Number]
    stride: list[_Number]
    last: list[Optional[IndexMap]]
    within: list[tuple[Optional[_Number], Optional[_Number]]]
    elements: _Number
    exact: bool


class Suggestion(TypedDict):
    """Sizes of a tile: see `IndexMap.suggest_tiles`."""

    sizes: list[int]
    elements: int


class Read(TypedDict):
    """The reads of an output array from an array of an operand: see `Instruction.reads`."""

    operand: int
    operand_path: tuple[int, ...]
    output: tuple[int, ...]
    maps: Optional[list[IndexMap]]
    exact: bool
    reason: Optional[str]
