"""Modules of HLO, from texts, files and JAX."""

import gzip
import pickle
import sys

import jax
import jax.numpy as jnp
import pytest

from affinor import Error, IndexMap, analyze

TEXT = """HloModule rows

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

ENTRY main {
  p = f32[8,16] parameter(0)
  s = f32[4,16] slice(p), slice={[0:4], [0:16]}
  zero = f32[] constant(0)
  r = f32[4] reduce(s, zero), dimensions={1}, to_apply=add
  i = s32[] parameter(1)
  d = f32[2,16] dynamic-slice(p, i, zero_index), dynamic_slice_sizes={2,16}
  ROOT t = (f32[4], f32[2,16]) tuple(r, d)
}
""".replace("zero_index)", "k)").replace("  d =", "  k = s32[] constant(0)\n  d =")


def named(module, computation=None):
    return {instruction.name: instruction for instruction in module.instructions(computation)}


def test_instructions():
    module = analyze(TEXT)
    assert (module.name, module.entry, module.computations) == ("rows", "main", ("add", "main"))
    assert str(module) == TEXT and repr(module) == "<Module rows: 2 computations>"
    entry = named(module)
    assert list(entry) == ["p", "s", "zero", "r", "i", "k", "d", "t"]
    slice = entry["s"]
    assert (slice.opcode, slice.shape.split("{")[0], slice.operands) == ("slice", "f32[4,16]", ("p",))
    [read] = slice.reads
    expected = IndexMap("(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 15]")
    assert read == {"operand": 0, "operand_path": (), "output": (), "maps": [expected], "exact": True, "reason": None}
    [used] = slice.utilisation
    assert (used["operand"], used["elements"], used["share"], used["unread"]) == (0, 128, 0.5, [[[4, 7], [0, 15]]])
    rows = IndexMap("(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 15]")
    assert entry["r"].reads[0]["maps"] == [rows]
    [steered] = entry["d"].reads[0]["maps"]
    assert len(steered.variables) == 3 and entry["d"].utilisation[0]["steered"]
    assert entry["p"].reads == [] == entry["p"].utilisation
    assert [(read["operand"], read["output"]) for read in entry["t"].reads] == [(0, (0,)), (1, (1,))]
    assert list(named(module, "add")) == ["x", "y", "sum"]


def test_what_is_not_known_is_said():
    module = analyze('a = f32[4] parameter(0)\n c = f32[4] custom-call(a), custom_call_target="own"')
    [read] = named(module)["c"].reads
    assert read["maps"] is None and read["exact"] is False and "own" in read["reason"]
    [used] = named(module)["c"].utilisation
    assert "own" in used["unknown"]


def test_files(tmp_path):
    path = tmp_path / "rows.hlo"
    path.write_text(TEXT)
    assert str(analyze(path)) == str(analyze(str(path))) == TEXT
    with pytest.raises(FileNotFoundError):
        analyze(str(tmp_path / "other.hlo"))
    for wrong in ("a = f32[4 parameter(0)", "x = ", "a = f32[4] parameter(0)\n b = f32[4] negate(a, a"):
        with pytest.raises(Error) as raised:
            analyze(wrong)
        assert raised.value.position is not None and raised.value.kind in ("hlo", "shape")
    with pytest.raises(Error, match="no computation `sub`"):
        analyze(TEXT).instructions("sub")


FUNCTIONS = [
    (lambda x: x.T.reshape(4, 8) + 1, (8, 4)),
    (lambda x: jnp.dot(x, x.T), (4, 6)),
    (lambda x: jnp.flip(x, 0)[1:].sum(1), (5, 3)),
    (lambda x: jnp.concatenate([x, x * 2], axis=1), (3, 4)),
    (lambda x: jax.nn.softmax(x), (4, 5)),
]


@pytest.mark.parametrize("function, shape", FUNCTIONS)
def test_jax(function, shape):
    lowered = jax.jit(function).lower(jnp.zeros(shape))
    compiled = lowered.compile()
    for given, text in [(lowered, lowered.as_text(dialect="hlo")), (compiled, compiled.as_text())]:
        module = analyze(given)
        assert str(module) == text
        for computation in module.computations:
            for own, other in zip(module.instructions(computation), analyze(text).instructions(computation)):
                assert (repr(own), own.reads, own.utilisation) == (repr(other), other.reads, other.utilisation)
                assert bool(own.reads) == bool(own.operands)


SMALL = "p = f32[8,16] parameter(0)\nt = f32[16,8] transpose(p), dimensions={1,0}"


def test_answers_of_the_program():
    module = analyze(SMALL)
    assert pickle.loads(pickle.dumps(module)).json() == module.json() and repr(module) == "<Module without name: 1 computation>"
    assert module["t"].reads == module.instructions(name="t")[0].reads and module["p"].computation == module.entry
    assert [one.name for one in module.instructions(opcode="transpose")] == ["t"] and len(module.instructions(most=1)) == 1
    assert module.fusions() == [] and module.summary()["exact"] == module.summary(opcode="transpose")["exact"] == 1
    [row] = module.maps(direction="input-to-output")
    assert row["map"] == IndexMap("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 15]") and row["instruction"] == "t"
    assert module.maps(check=True)[0]["map"] == module.maps(threads=1)[0]["map"]
    assert module.tiles((4, 2)) == module.tiles("4,2") == module.json(tile="4,2") != module.tiles()
    assert module.json(instruction=["t", "p"])[1] == module.json(instruction="t")[0]
    assert module.json(entry=False, opcode=None) == module.json() != module.json(entry=True)
    fused = "HloModule m\nf { p = f32[4] parameter(0)\n ROOT b = f32[3,4] broadcast(p), dimensions={1} }\n"
    fused = analyze(fused + "ENTRY e { x = f32[4] parameter(0)\n ROOT y = f32[3,4] fusion(x), kind=kLoop, calls=f }")
    assert [one.name for one in fused.fusions()] == ["y"] and fused["b"].computation == "f"


def test_an_instruction_that_contradicts_itself_is_an_answer():
    module = analyze("HloModule m\nENTRY e { p = f32[4] parameter(0)\n n = f32[4] negate(p)\n ROOT s = f32[3] slice(p), slice={[0:2]} }")
    *lines, last = module.json()
    assert [line["error"]["line"] for line in lines if "error" in line] == [4] and last["summary"]["wrong"] == 1
    assert [row["instruction"] for row in module.maps()] == ["n"]


REJECTED = [
    (lambda module: module.json(nope=1), "no option `--nope`"),
    (lambda module: module.json(opcode=True), "no option `--opcode` of this kind"),
    (lambda module: module.json(entry="yes"), "no option `--entry` of this kind"),
    (lambda module: module.json(opcode=1.5), "cannot be 1.5"),
    (lambda module: module.json(instruction="nix"), "no instruction `nix`"),
    (lambda module: module.json(opcode="nix"), "no operation `nix`"),
    (lambda module: module.json(entry=True, opcode="transpose"), "--entry"),
    (lambda module: module.tiles((0, 1)), "at least 1"),
    (lambda module: module.tiles("x"), "expected an integer"),
    (lambda module: module.maps(tile="2,2"), "not maps"),
    (lambda module: module.maps(utilisation=True), "not maps"),
    (lambda module: module.summary(instruction="t"), "no counts"),
    (lambda module: module.diff(SMALL), "takes a module"),
    (lambda module: module.diff(module, check=True), "no option `--check`"),
    (lambda module: module.report(custom="none.txt"), "none.txt"),
    (lambda module: module.instructions("x"), "no computation `x`"),
]


@pytest.mark.parametrize("ask, message", REJECTED)
def test_what_a_module_rejects(ask, message):
    with pytest.raises(Error, match=message):
        ask(analyze(SMALL))


def test_packed_and_missing(tmp_path, monkeypatch):
    path = tmp_path / "small.hlo.gz"
    path.write_bytes(gzip.compress(SMALL.encode()))
    assert str(analyze(path)) == str(analyze(str(path))) == str(analyze(SMALL.encode())) == SMALL
    assert analyze(path).source == str(path) and analyze(SMALL).source == "-"
    with pytest.raises(KeyError):
        analyze(path)["nix"]
    # Without jaxlib, bytecode of StableHLO is an error with a hint, and text of StableHLO is read.
    monkeypatch.setitem(sys.modules, "jaxlib", None)
    stablehlo = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.sine %a : tensor<4xf32> return %0 : tensor<4xf32> }"
    assert str(analyze(stablehlo).maps(entry=True)[0]["map"]) == "(d0) -> (d0), domain: d0 in [0, 3]"
    with pytest.raises(Error, match="found MLIR bytecode.*; hint: with jaxlib it is converted") as raised:
        analyze(b"ML\xefR")
    assert "affinor[mlir]" in raised.value.hint


def test_checked_maps_of_several_parameters():
    module = analyze("""HloModule two

ENTRY main (x: f32[8], y: f32[8]) -> f32[8] {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  r = f32[8] reverse(x), dimensions={0}
  ROOT s = f32[8] add(r, y)
}
""")
    rows = module.maps(entry=True, check=True)
    assert [(row["parameter"], str(row["map"]), row["check"]) for row in rows] == [
        (0, "(d0) -> (-d0 + 7), domain: d0 in [0, 7]", "proved"),
        (1, "(d0) -> (d0), domain: d0 in [0, 7]", "proved"),
    ]
    assert [row["check"] for row in module.maps(check=True)] == ["proved"] * 3


def step(params, x, cache, unused):
    h = x @ params["kernel"] + params["bias"]
    return {"logits": h[:, ::2], "state": (jnp.roll(cache, 1, axis=0).at[0].set(h[0]), x + 1)}


GIVEN = ({"kernel": jnp.ones((16, 32)), "bias": jnp.ones(32)}, jnp.ones((4, 16)), jnp.ones((8, 32)), jnp.ones(3))
BIAS, KERNEL = "params/bias", "params/kernel"


@pytest.mark.parametrize(
    "asked, expected",
    [
        (("logits", KERNEL), [(KERNEL, "(d0, d1)[s0] -> (s0, d1 * 2), domain: d0 in [0, 3], d1 in [0, 15], s0 in [0, 15]")]),
        (("output/logits", "bias"), [(BIAS, "(d0, d1) -> (d1 * 2), domain: d0 in [0, 3], d1 in [0, 15]")]),
        (("output['logits'][0, 5]", "bias"), [(BIAS, "() -> (10)")]),
        (("logits[-1, 2:4]", "params"), [
            (BIAS, "(d0) -> ((d0 + 2) * 2), domain: d0 in [0, 1]"),
            (KERNEL, "(d0)[s0] -> (s0, (d0 + 2) * 2), domain: d0 in [0, 1], s0 in [0, 15]"),
        ]),
        (("output/state[0]", "cache"), [("cache", "(d0, d1) -> (d0 - 1, d1), domain: d0 in [1, 7], d1 in [0, 31]")]),
        (("output/state/0[0]", "cache"), []),
        (("state/0[3:, ::-8]", "cache"), [("cache", "(d0, d1) -> (d0 + 2, d1 * -8 + 31), domain: d0 in [0, 4], d1 in [0, 3]")]),
        (("state/0[..., 3]", "cache"), [("cache", "(d0) -> (d0 - 1, 3), domain: d0 in [1, 7]")]),
        (("output/state[1]",), [("x", "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 15]")]),
        (("output", "unused"), []),
    ],
)
def test_reads_by_path(asked, expected):
    module = analyze(step, *GIVEN)
    assert module.parameters == [BIAS, KERNEL, "x", "cache"] and module.outputs == ["output/logits", "output/state/0", "output/state/1"]
    again = pickle.loads(pickle.dumps(module))
    for one in (module, again, analyze(jax.jit(step), *GIVEN)):
        rows = one.reads(*asked)
        assert [(row["argument"], row["map"]) for row in rows] == [(path, IndexMap(text)) for path, text in expected]
        assert all(row["exact"] and row["result"] in module.outputs for row in rows)
    assert all(row in module.maps(entry=True) for row in module.reads("output"))


@pytest.mark.parametrize(
    "asked, message",
    [
        (("logit",), "no output `logit`; hint: there is `output/logits`"),
        (("logits", "params/k"), "no parameter `params/k`; hint: .*`params/kernel`"),
        (("logits[4]",), "index 4 of dimension 0 .* is not within its 4"),
        (("logits[0, 0, 0]",), r"has 3 indices, and `output/logits` has the shape \(4, 16\)"),
        (("logits[x]",), "`x` in `.x.` is not an index"),
        (("logits[::0]",), "`::0` in .* is not an index"),
        (("logits[]",), "not an index"),
        (("",), "no output ``"),
    ],
)
def test_paths_that_are_rejected(asked, message):
    with pytest.raises(Error, match=message):
        analyze(step, *GIVEN).reads(*asked)


def test_names_of_arguments():
    twice = analyze(lambda one, *rest, scale: one["k"] * scale + rest[1]["k"], {"k": jnp.ones(4)}, 1.0, {"k": jnp.ones(4)}, scale=2.0)
    assert twice.parameters == ["one/k", "rest/1/k", "scale"] and twice.outputs == ["output"]
    assert [row["argument"] for row in twice.reads("output[1]")] == twice.parameters
    with pytest.raises(Error, match="`k` may be `one/k`, `rest/1/k`; hint: give the path from its start"):
        twice.reads("output", "k")
    lowered = jax.jit(step).lower(*GIVEN)
    for stage in (lowered, lowered.compile()):
        assert analyze(stage).parameters == ["args/0/bias", "args/0/kernel", "args/1", "args/2"]
        assert [row["argument"] for row in analyze(stage).reads("logits", "bias")] == ["args/0/bias"]
    assert analyze(SMALL).parameters is None is analyze(SMALL).outputs
    for reject in (lambda: analyze(SMALL).reads("output"), lambda: analyze(SMALL, 1)):
        with pytest.raises(Error, match="analyze\\(f, \\*args\\)"):
            reject()
