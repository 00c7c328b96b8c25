"""The functions of Inductor that affinor.torch.install replaces. Without torch, a module with the same names replaces it."""

import collections
import functools
import random
import sys
from types import ModuleType, SimpleNamespace

import pytest
import sympy

import affinor.torch
from affinor import Error, _strides
from affinor.torch import statistics
from test_torch import CleanDiv, FloorDiv, Min, Mod, ModularIndexing, M, N, X, Y, Z, counted, value
from test_torch import stand_in as stand_in_class

I = sympy.Symbol("i")
MAX = stand_in_class("Max")


@pytest.mark.parametrize(
    "index, var, expected",
    [
        (X * 8 + Y, X, 8),
        (X * 8 + Y, Y, 1),
        (X * 8 + Y, Z, 0),
        (X * N * M + X * 3 + Y, X, N * M + 3),
        ((X + 1) * N * 2, X, N * 2),
        (X**2, X, X * 2 + 1),
        (FloorDiv(Y, 4) + X, X, 1),
        (FloorDiv(X, 4), X, FloorDiv(X + 1, 4) - FloorDiv(X, 4)),
        (N, N, 1),
        (sympy.Integer(3), X, 0),
        (X - I, X, 1),
    ],
)
def test_strides(index, var, expected):
    assert _strides.stride_at(index, var) == expected


@pytest.mark.parametrize(
    "index, variables, support, strides, offset",
    [
        (X * 8 + Y + 3, [X, Y], [X, Y], [8, 1], 3),
        (X * N + X + Z, [X, Y, 0], [X, Y], [N + 1, 0, 0], Z),
        (X * Y + X, [X, Y], [X, Y], [1, 0], 0),
        (FloorDiv(X, 4) + X * 2 + N, [X], [X], [FloorDiv(1, 4) - FloorDiv(0, 4) + 2], FloorDiv(0, 4) + N),
        (X + Y * 2, [X], [X, Y], [1], Y * 2),
        (X * 2, [sympy.S.Zero], [X], [0], X * 2),
    ],
)
def test_strides_and_offsets(index, variables, support, strides, offset):
    assert _strides.stride_vars(index, variables, support) == strides
    assert _strides.offset_var(index, variables) == offset


X_DIV, X_MOD, X_MOD_1 = sympy.symbols("x_div_c0 x_mod_c0 x_mod_c1")


@pytest.mark.parametrize(
    "index, expected",
    [
        (FloorDiv(X, 32) + Y, X_DIV + Y),
        (FloorDiv(X, 16 * N) + FloorDiv(Y, 16), X_DIV + FloorDiv(Y, 16)),
        (FloorDiv(X, 8), FloorDiv(X, 8)),
        (FloorDiv(X + Y, 16), FloorDiv(X + Y, 16)),
        (ModularIndexing(X, 16, N), X_MOD),
        (ModularIndexing(X, 1, 32), X + X_MOD),
        (ModularIndexing(X, 1, 24), ModularIndexing(X, 1, 24)),
        (ModularIndexing(X, 2, 32), ModularIndexing(X, 2, 32)),
        (FloorDiv(ModularIndexing(X, 1, 64), 4), FloorDiv(X + X_MOD, 4)),
        (FloorDiv(X, 16) * N + FloorDiv(X, 16), X_DIV * N + X_DIV),
    ],
)
def test_lanes(index, expected):
    assert _strides.simplify_index_in_vec_range(index, X, 16) == expected


def test_random_strides():
    """The functions have the values of their definitions."""
    chosen = random.Random(11)

    def drawn(depth):
        if depth == 0:
            return chosen.choice([X, Y, Z, N, sympy.Integer(chosen.randint(-3, 9))])
        x, y, number = drawn(depth - 1), drawn(depth - 1), chosen.choice([2, 3, 8, N])
        return chosen.choice([
            lambda: x + y, lambda: x - y, lambda: x * number, lambda: x * y, lambda: FloorDiv(x, number), lambda: ModularIndexing(x, 1, number),
        ])()

    def at(expr, **changed):
        return value(sympy.sympify(expr), {**point, **changed})

    for _ in range(300):
        index = sympy.expand(drawn(4))
        stride, strides = _strides.stride_at(index, X), _strides.stride_vars(index, [X, Y], [X, Y])
        offset = _strides.offset_var(index, [X, Y])
        for _ in range(6):
            point = {name: chosen.randint(0, 20) for name in "xyz"} | {"n": chosen.randint(1, 9)}
            assert at(stride) == at(index, x=point["x"] + 1) - at(index), index
            zero = at(index, x=0, y=0)
            assert [at(one) for one in strides] == [at(index, x=1, y=0) - zero, at(index, x=0, y=1) - zero], index
            assert at(offset) == zero, index


def stand_in(version="2.15.0+cpu"):
    """A torch with the functions that are replaced; each answers with its name."""
    torch, inductor, sizevars = (ModuleType(name) for name in ("torch", "torch._inductor", "torch._inductor.sizevars"))
    torch.__version__, torch._inductor, inductor.sizevars = version, inductor, sizevars
    for name in ("stride_at", "simplify_index_in_vec_range", "stride_at_vec_range"):
        setattr(sizevars, name, functools.lru_cache(lambda *_, name=name: name))

    class SizeVarAllocator:
        replacements = {}
        shape_env = SimpleNamespace(var_to_range={}, get_axioms=lambda: ())

        def simplify(self, expr):
            return sympy.expand(expr)

        def _simplify_with_ranges(self, expr, ranges):
            return Z

        def _stride_vars(self, index, variables, support):
            return "_stride_vars"

        def offset_var(self, index, variables):
            return "offset_var"

        def combine_modular_indexing_pairs(self, index):
            return "combine_modular_indexing_pairs"

    class ShapeEnv:
        def __init__(self):
            self._replacements_version_counter, self.var_to_range, self.divisible, self.asked = 0, {}, set(), 0

        def replace(self, expr):
            return expr

        def simplify(self, expr, size_oblivious=False, *, axioms=None, var_to_range=None):
            self.asked += 1
            return expr

    sizevars.SizeVarAllocator = SizeVarAllocator
    fx, experimental, shapes = (ModuleType(f"torch.fx{name}") for name in ("", ".experimental", ".experimental.symbolic_shapes"))
    torch.fx, fx.experimental, experimental.symbolic_shapes, shapes.ShapeEnv = fx, experimental, shapes, ShapeEnv
    shapes._maybe_evaluate_static_worker = functools.lru_cache(lambda *_: "_maybe_evaluate_static_worker")
    shapes.safe_expand, shapes.FloorDiv, shapes.Mod, shapes.Min, shapes.Max = sympy.expand, FloorDiv, Mod, Min, MAX
    shapes.TruncToInt = stand_in_class("TruncToInt")
    return {one.__name__: one for one in (torch, inductor, sizevars, fx, experimental, shapes)}


def test_what_is_replaced(monkeypatch):
    modules = stand_in()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    sizevars = modules["torch._inductor.sizevars"]
    own = {**vars(sizevars), **vars(sizevars.SizeVarAllocator)}
    statistics(clear=True)
    assert counted() == {} and statistics()["stride_at"] == statistics()["stride_at: own"] == statistics()["smaller"] == 0
    with affinor.torch.installed():
        allocator = sizevars.SizeVarAllocator()
        assert sizevars.stride_at(X * 8, X) == sizevars.stride_at(X * 8, X) == 8
        # A condition has no strides: Inductor's own function answers.
        assert sizevars.stride_at(X < 8, X) == "stride_at"
        assert sizevars.simplify_index_in_vec_range(FloorDiv(X, 16), X, 16) == X_DIV
        assert allocator._stride_vars(X * (N + 1), (X,), (X,)) == [N + 1] and allocator.offset_var(X + 3, [X]) == 3
        assert allocator._simplify_with_ranges(FloorDiv(X, 8), {X: 8}) == 0
        assert allocator._simplify_with_ranges(FloorDiv(X, sympy.Symbol("u", integer=True)), {X: 8}) == Z
        pair = ModularIndexing(ModularIndexing(X, 2, 12), 1, 4)
        assert allocator.combine_modular_indexing_pairs(pair) == ModularIndexing(X, 2, 4)
        assert allocator.combine_modular_indexing_pairs(X) == X
        assert allocator.combine_modular_indexing_pairs(ModularIndexing(ModularIndexing(I, 1, 8), 1, 4)) == "combine_modular_indexing_pairs"
    assert {**vars(sizevars), **vars(sizevars.SizeVarAllocator)} == own
    assert counted() == {
        "calls": 4, "smaller": 2, "fallback: division": 1, "fallback: unsupported": 1,
        "stride_at": 2, "stride_at: own": 1, "simplify_index_in_vec_range": 1, "stride_vars": 1, "offset_var": 1,
        "combine_modular_indexing_pairs": 3, "combine_modular_indexing_pairs: own": 1,
    }


def test_comparisons_of_sizes(monkeypatch):
    modules = stand_in()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    shapes = modules["torch.fx.experimental.symbolic_shapes"]
    bounds = collections.namedtuple("Bounds", "lower upper is_int")
    known = tuple((symbol, bounds(sympy.Integer(2), sympy.oo, True), None, False) for symbol in (N, M))
    padded = N + Mod(-N, 4)
    with affinor.torch.installed():
        statistics(clear=True)

        def decided(expr, *, info=known, unbacked_only=False):
            return shapes._maybe_evaluate_static_worker(expr, info, unbacked_only, False)

        assert decided(sympy.Eq(FloorDiv(padded, FloorDiv(padded, 4)) * M, 4 * M)) is sympy.true
        assert decided(sympy.Ne(CleanDiv(N, 4) * 4 * M + 1, N * M)) is sympy.true
        assert decided(sympy.Lt(FloorDiv(N * M * 3, N), M * 3)) is sympy.false
        assert decided(sympy.Le(FloorDiv(N * M * 3, N), M * 3)) is sympy.true
        own = "_maybe_evaluate_static_worker"
        assert decided(sympy.Eq(FloorDiv(N, FloorDiv(N, 4)) * M, 4 * M)) == own
        assert decided(sympy.Eq(FloorDiv(padded, FloorDiv(padded, 4)) * M, 4 * M), unbacked_only=True) == own
        assert decided(sympy.Eq(CleanDiv(N, 4) * 4 * M, N * M), info=((N, None, None, False),)) == own
        assert decided(sympy.Eq(N, 3)) == decided(N * 4) == decided(sympy.Eq(I / 2 + N * M, I / 2 + N * M * 3)) == own
        assert statistics()[own] == 10 and statistics()[f"{own}: own"] == 6


def test_simplifications_of_sizes(monkeypatch):
    modules = stand_in()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    shapes = modules["torch.fx.experimental.symbolic_shapes"]
    own = shapes.ShapeEnv.simplify
    with affinor.torch.installed():
        env, other = shapes.ShapeEnv(), shapes.ShapeEnv()

        def is_asked(expr, **facts):
            before = env.asked
            assert env.simplify(expr, **facts) == expr
            return env.asked > before

        plain, quotient, least = N * M + 3, FloorDiv(N * 3, M), MAX(N, M) * 5
        assert is_asked(plain) and is_asked(quotient) and is_asked(least)
        assert not is_asked(plain) and not is_asked(quotient) and not is_asked(least)
        assert is_asked(plain, axioms=(N > 3,)) and other.simplify(plain) == plain and other.asked == 1
        # A fact on which it depends; other facts.
        env.divisible.add(Mod(N, M))
        assert not is_asked(quotient)
        env.divisible.add(Mod(N * 3, M))
        assert is_asked(quotient) and not is_asked(quotient) and not is_asked(plain)
        env.var_to_range[M] = (2, 9)
        assert is_asked(least) and not is_asked(least) and not is_asked(quotient)
        env._replacements_version_counter += 1
        assert is_asked(plain) and is_asked(least)
        # A maximum with 1 that is left may be found by further facts; what becomes of an exact quotient is not known.
        assert is_asked(MAX(1, N)) and is_asked(MAX(1, N))
        env.divisible |= {Mod(N, FloorDiv(N, 4)), Mod(N, 4)}
        assert is_asked(FloorDiv(N, FloorDiv(N, 4))) and is_asked(FloorDiv(N, FloorDiv(N, 4)))
    assert shapes.ShapeEnv.simplify is own


def test_versions(monkeypatch):
    for version, changed in [("2.9.1", None), ("2.150.0", None), ("2.15.0", "offset_var"), ("2.15.0", "stride_at")]:
        modules = stand_in(version)
        sizevars = modules["torch._inductor.sizevars"]
        owner = sizevars.SizeVarAllocator if changed == "offset_var" else sizevars
        if changed:
            delattr(owner, changed)
        own = {**vars(sizevars), **vars(sizevars.SizeVarAllocator)}
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        with pytest.raises(Error, match=f"no .*{changed}" if changed else "tried with torch 2.15, and this is") as raised:
            affinor.torch.install()
        assert raised.value.kind == "unsupported" and {**vars(sizevars), **vars(sizevars.SizeVarAllocator)} == own
        if not changed:
            affinor.torch.install(untried=True)
            assert {**vars(sizevars), **vars(sizevars.SizeVarAllocator)} != own
            affinor.torch.uninstall()
            assert {**vars(sizevars), **vars(sizevars.SizeVarAllocator)} == own


def test_compiled_models():
    torch = pytest.importorskip("torch")
    from torch._inductor.sizevars import SizeVarAllocator

    def windows(x):
        batch, height, width, channels = x.shape
        x = x.view(batch, height // 4, 4, width // 4, 4, channels).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, channels)
        x = (x - x.mean(1, keepdim=True)).view(batch, height // 4, width // 4, 4, 4, channels)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, channels).permute(0, 3, 1, 2).flatten(2) * 2

    own = SizeVarAllocator._simplify_with_ranges
    with affinor.torch.installed():
        assert SizeVarAllocator._simplify_with_ranges is not own
        with affinor.torch.installed():
            pass
        assert SizeVarAllocator._simplify_with_ranges is not own
        for dynamic in (False, True):
            torch._dynamo.reset()
            statistics(clear=True)
            compiled = torch.compile(windows, dynamic=dynamic, options={"force_disable_caches": True})
            for shape in [(2, 16, 8, 4), (3, 8, 24, 4)][: 1 + dynamic]:
                x = torch.randn(shape)
                assert torch.allclose(compiled(x), windows(x), rtol=1e-4, atol=1e-5)
            assert statistics()["smaller"] > 0
    assert SizeVarAllocator._simplify_with_ranges is own
    affinor.torch.uninstall()
    assert SizeVarAllocator._simplify_with_ranges is own
