"""Programs of JAX: the package gives the answers of the program."""

import json
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import export, lax

from affinor import Error, analyze

PROGRAM = os.environ.get("AFFINOR")


def attention(q, k, v):
    return jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 4) @ v


def layernorm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def conv(x, w, **options):
    return lax.conv_general_dilated(x, w, options.pop("strides", (1, 1)), options.pop("padding", "SAME"), **options)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def scan(x):
    return lax.scan(lambda carry, row: (carry + row, carry * row), jnp.zeros(x.shape[1]), x)


def cache(cache, new, at):
    return lax.dynamic_update_slice(cache, new, (at, 0)), lax.dynamic_slice(cache, (at, 1), (2, 3))


def rotary(x):
    angles = jnp.arange(x.shape[0])[:, None] / jnp.arange(1, x.shape[1] // 2 + 1)
    a, b = jnp.split(x, 2, axis=1)
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), a * jnp.sin(angles) + b * jnp.cos(angles)], axis=1)


def embedding(table, ids):
    return table[ids]


def mlp(w, x):
    return jnp.tanh(x @ w["a"]) @ w["b"]


def loss(x):
    return -jax.nn.log_softmax(x)[jnp.arange(x.shape[0]), 1].mean()


def floats(*shapes):
    return tuple(jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes)


def ints(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


NHWC = ("NHWC", "HWIO", "NHWC")
PROGRAMS = {
    "matmul": (lambda x, y: x @ y, floats((8, 16), (16, 4))),
    "batched matmul": (lambda x, y: jnp.einsum("bij,bkj->bik", x, y), floats((3, 4, 5), (3, 6, 5))),
    "outer product": (jnp.outer, floats((4,), (6,))),
    "trace": (jnp.trace, floats((5, 5))),
    "attention": (attention, floats((2, 3, 8, 4), (2, 3, 8, 4), (2, 3, 8, 4))),
    "causal mask": (lambda x: jnp.where(jnp.tril(jnp.ones((6, 6), bool)), x, -1e9), floats((6, 6))),
    "grad of attention": (jax.grad(lambda *x: attention(*x).sum(), (0, 1, 2)), floats(*[(1, 2, 4, 3)] * 3)),
    "layernorm": (layernorm, floats((4, 16))),
    "grad of layernorm": (jax.grad(lambda x: layernorm(x)[0].sum()), floats((3, 8))),
    "softmax": (jax.nn.softmax, floats((4, 9))),
    "grad of a loss": (jax.value_and_grad(loss), floats((6, 5))),
    "grad of an mlp": (jax.grad(lambda w, x: mlp(w, x).sum()), ({"a": floats((4, 8))[0], "b": floats((8, 2))[0]}, *floats((3, 4)))),
    "conv": (lambda x, w: conv(x, w, dimension_numbers=NHWC), floats((1, 8, 8, 3), (3, 3, 3, 4))),
    "strided conv": (lambda x, w: conv(x, w, strides=(2, 2), padding="VALID", dimension_numbers=NHWC), floats((1, 9, 9, 2), (3, 3, 2, 4))),
    "dilated conv": (lambda x, w: conv(x, w, rhs_dilation=(2, 2)), floats((1, 2, 9, 9), (4, 2, 3, 3))),
    "depthwise conv": (lambda x, w: conv(x, w, dimension_numbers=NHWC, feature_group_count=4), floats((1, 6, 6, 4), (3, 3, 1, 4))),
    "grad of conv": (jax.grad(lambda w, x: conv(x, w, strides=(2, 2)).sum()), floats((4, 2, 3, 3), (1, 2, 8, 8))),
    "transposed conv": (lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), floats((1, 4, 4, 2), (3, 3, 2, 2))),
    "max pooling": (pool, floats((1, 8, 8, 2))),
    "mean pooling": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 3), (1, 2), "SAME") / 6, floats((7, 9))),
    "grad of pooling": (jax.grad(lambda x: pool(x).sum()), floats((1, 4, 6, 1))),
    "cumsum": (lambda x: jnp.cumsum(x, 1), floats((3, 10))),
    "reverse cummax": (lambda x: lax.cummax(x, 0, reverse=True), floats((8, 2))),
    "associative scan": (lambda x: lax.associative_scan(jnp.multiply, x), floats((8, 3))),
    "scan": (scan, floats((5, 4))),
    "grad of scan": (jax.grad(lambda x: scan(x)[1].sum()), floats((4, 3))),
    "while": (lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1].T), (0, x))[1], floats((4, 4))),
    "fori": (lambda x: lax.fori_loop(0, 6, lambda i, s: s.at[i].add(x[5 - i]), jnp.zeros(6)), floats((6,))),
    "cond": (lambda p, x: lax.cond(p > 0, lambda y: y[::-1], lambda y: y * 2, x), (ints(), *floats((5,)))),
    "gather": (embedding, (*floats((10, 4)), ints(3, 2))),
    "constant gather": (lambda x: x[jnp.array([4, 1, 1, 0])], floats((6, 3))),
    "take along an axis": (lambda x, i: jnp.take_along_axis(x, i, 1), (*floats((4, 6)), ints(4, 2))),
    "grad of gather": (jax.grad(lambda t, i: embedding(t, i).sum()), (*floats((10, 4)), ints(3))),
    "scatter": (lambda x, i, y: x.at[i].set(y), (*floats((8, 3)), ints(2), *floats((2, 3)))),
    "scatter add": (lambda i: jnp.zeros(7).at[i].add(1.0), (ints(5),)),
    "segment sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), (*floats((9, 2)), ints(9))),
    "one-hot": (lambda i: jax.nn.one_hot(i, 5), (ints(4),)),
    "dynamic slice": (lambda x, i: lax.dynamic_slice(x, (i, 2), (3, 4)), (*floats((9, 8)), ints())),
    "key-value cache": (cache, (*floats((8, 4), (1, 4)), ints())),
    "roll": (lambda x: jnp.roll(x, (1, -2), (0, 1)), floats((5, 6))),
    "sort": (lambda x: jnp.sort(x, 1), floats((3, 8))),
    "sort by key": (lambda k, v: lax.sort((k, v), num_keys=1), floats((9,), (9,))),
    "argsort": (jnp.argsort, floats((7,))),
    "top k": (lambda x: lax.top_k(x, 3), floats((2, 9))),
    "argmax": (lambda x: jnp.argmax(x, 0), floats((4, 6))),
    "pad": (lambda x: lax.pad(x, 0.0, ((1, 2, 1), (0, -1, 0))), floats((4, 5))),
    "reshapes": (lambda x: x.reshape(3, 2, 2, 5).transpose(1, 0, 3, 2).reshape(-1), floats((6, 10))),
    "concatenate": (lambda x, y: jnp.concatenate([x, y[:, ::-1]], 0), floats((2, 5), (3, 5))),
    "stack and tile": (lambda x: jnp.tile(jnp.stack([x, x + 1], 1), (2, 1)), floats((4,))),
    "rotary embedding": (rotary, floats((6, 8))),
    "im2col": (lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"), floats((1, 2, 5, 5))),
    "fft": (jnp.fft.rfft, floats((2, 16))),
    "cholesky": (jnp.linalg.cholesky, floats((4, 4))),
    "vmap of a dynamic slice": (jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), (*floats((3, 8)), ints(3))),
    "vmap of grad": (jax.vmap(jax.grad(lambda x: layernorm(x).sum())), floats((2, 3, 4))),
    "hessian": (jax.hessian(lambda x: (x[1:] * x[:-1] ** 2).sum()), floats((4,))),
    "checkpoint": (jax.grad(jax.checkpoint(lambda x: jnp.sin(x @ x.T).sum())), floats((3, 3))),
    "bits": (lambda x: lax.bitcast_convert_type(x, jnp.int8), floats((4, 2))),
    "quantised matmul": (lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), tuple(jax.ShapeDtypeStruct((4, 4), jnp.int8) for _ in "xy")),
}


@pytest.fixture(params=PROGRAMS)
def lowered(request):
    function, shapes = PROGRAMS[request.param]
    return jax.jit(function).lower(*shapes)


@pytest.mark.skipif(not PROGRAM, reason="AFFINOR does not name the program")
def test_the_answers_are_those_of_the_program(lowered, tmp_path):
    path = tmp_path / "lowered.hlo"
    path.write_text(lowered.as_text(dialect="hlo"))
    commands = [f"hlo {path}", f"hlo {path} --entry", f"hlo {path} --utilisation", f"hlo {path} --tile suggest"]
    words = [word for command in commands for word in ("-e", command)]
    found = subprocess.run([PROGRAM, "--json", *words], capture_output=True, text=True, check=True)
    module = analyze(lowered)
    own = [module.json(), module.json(entry=True), module.utilisation(), module.tiles()]
    assert [line for lines in own for line in lines] == [json.loads(line) for line in found.stdout.splitlines()]
    assert all(own) and not any("error" in line for lines in own for line in lines)
    # The answers of instructions agree.
    maps = {}
    for row in module.maps():
        place = row["computation"], row["instruction"], row["operand"], tuple(row["operand_path"]), tuple(row["output"])
        maps.setdefault(place, []).append(row["map"])
    objects = {}
    for computation in module.computations:
        for one in module.instructions(computation):
            for read in one.reads:
                if read["maps"] != []:
                    place = one.computation, one.name, read["operand"], read["operand_path"], read["output"]
                    objects[place] = read["maps"] or [None]
    assert maps == objects


def rows(module):
    return [(row["opcode"], row["shape"], row["operand"], row["map"], row["exact"]) for row in module.maps()]


def test_stablehlo_is_read(lowered):
    module, read = analyze(lowered), analyze(lowered.as_text())
    assert read.summary()["unknown"] == module.summary()["unknown"] == 0
    # The reads of the parameters by the result are those in the HLO of the same program.
    counts = module.diff(read, entry=True).counts
    assert counts["same"] + counts["same_reads"] == counts["compared"] > 0
    assert str(analyze(lowered.as_text(dialect="hlo"))) == str(module)


def test_stablehlo_in_other_forms(tmp_path):
    function, shapes = PROGRAMS["grad of gather"]
    lowered = jax.jit(function).lower(*shapes)
    exported = export.export(jax.jit(function))(*shapes)
    path = tmp_path / "module.mlir"
    path.write_text(lowered.as_text())
    generic = lowered.compiler_ir().operation.get_asm(print_generic_op_form=True)
    for given in (exported.mlir_module(), lowered.compiler_ir(), path, str(path), generic):
        assert rows(analyze(given)) == rows(analyze(lowered.as_text())), type(given)
    for given in (exported, exported.mlir_module_serialized):  # bytecode, which jaxlib converts
        assert rows(analyze(given)) == rows(analyze(lowered)), type(given)
    assert analyze(path).source == str(path)
    if hasattr(jax.jit(function), "trace"):
        assert str(analyze(jax.jit(function).trace(*shapes))) == str(analyze(lowered))


@pytest.mark.skipif(not PROGRAM, reason="AFFINOR does not name the program")
@pytest.mark.parametrize("name", ["layernorm", "gather", "max pooling"])
def test_differences_are_those_of_the_program(name, tmp_path):
    function, shapes = PROGRAMS[name]
    texts = [jax.jit(one).lower(*shapes).as_text(dialect="hlo") for one in (function, lambda *x: jnp.flip(function(*x), 0))]
    texts.append(jax.jit(function).lower(*shapes).compile().as_text())
    paths = [tmp_path / f"{number}.hlo" for number in range(3)]
    for path, text in zip(paths, texts):
        path.write_text(text)
    modules = [analyze(path) for path in paths]
    for old, new in [(0, 0), (0, 1), (0, 2), (2, 1)]:
        for option in ({}, {"entry": True}):
            words = ["diff", str(paths[old]), str(paths[new]), *(f"--{word}" for word in option)]
            shown = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            found = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True)
            diff = modules[old].diff(modules[new], **option)
            *changes, counts = map(json.loads, found.stdout.splitlines())
            assert (diff.changes, {"schema": 1, **diff.counts}) == (changes, counts)
            assert str(diff) + "\n" == shown.stdout
            assert bool(diff) == bool(shown.returncode) and len(diff) == len(changes)


def test_numpy_is_not_needed_for_what_is_read():
    text = "a = f32[4] parameter(0)\n b = f32[2] slice(a), slice={[1:3]}"
    [row] = analyze(text).maps()
    assert [row["map"](at) for at in range(2)] == [(1,), (2,)] and numpy.array_equal(row["map"](numpy.arange(2))[0], [1, 2])


WRONG = [
    ("module {\n", "this bracket is never closed"),
    ("module {\n  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }\n}", "`%b` is not defined"),
    (b"ML\xefR", "jaxlib does not convert"),
    (b"\xff\n", "not UTF-8"),
    ("BufferAssignment:\n", "found a buffer assignment"),
    (5, "an object of type int"),
    (None, "an object of type NoneType"),
    (jax.jit(jnp.sin), "an object of type PjitFunction; hint: .*lower"),
    ("{ lambda ; a:f32[2]. let\n in (a,) }", "found a jaxpr"),
]


@pytest.mark.parametrize("given, message", WRONG)
def test_what_is_no_module(given, message):
    with pytest.raises(Error, match=message):
        analyze(given)
