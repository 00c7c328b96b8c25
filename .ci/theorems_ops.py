"""Random small ops, each as HLO and as a term of crates/definition/rocq/Compare.v.

A maker of an op takes a source of random choices and returns a `Case`, or None where its choices do not fit.
"""

import math
from dataclasses import dataclass, field

MAX_BITS = 3000


@dataclass
class Case:
    kind: str
    root: str  # the root's op with its operands and attributes
    term: str
    result: list
    operands: list  # shapes
    types: list = field(default_factory=list)  # element types of the operands, f32 where not given
    integers: dict = field(default_factory=dict)
    before: str = ""  # computations
    out: str = ""  # the result's shape as HLO, if not f32
    part: list = field(default_factory=list)
    text: str = ""  # the whole module, if it is not made of the root
    shown: int = -1  # the operands that are compared, if not all
    by: str = "op"  # whose reads these are: of an op, of a module, or of a module that runs

    def hlo(self):
        if self.text:
            return self.text
        lines = [f"  p{k} = {array(shape, self.type(k))} parameter({k})" for k, shape in enumerate(self.operands)]
        out = self.out or array(self.result)
        return f"HloModule m\n{self.before}\nENTRY e {{\n" + "\n".join(lines) + f"\n  ROOT r = {out} {self.root}\n}}\n"

    def type(self, k):
        return self.types[k] if k < len(self.types) else "f32"

    def compared(self):
        return self.operands if self.shown < 0 else self.operands[: self.shown]


def array(shape, kind="f32"):
    return f"{kind}[{','.join(map(str, shape))}]"


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def ps(count):
    return ", ".join(f"p{k}" for k in range(count))


def z(numbers):
    return "[" + "; ".join(map(str, numbers)) + "]"


def n(numbers):
    return z(numbers) + "%nat"


def some_shape(c, least=0, most=3, sizes=(1, 4)):
    shape = [c.randint(*sizes) for _ in range(c.randint(least, most))]
    if shape and c.random() < 0.04:
        shape[c.randrange(len(shape))] = 0
    return shape


def some_of(c, numbers):
    return c.sample(list(numbers), c.randint(0, len(numbers)))


ADD = "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y) }\n"


def elementwise(c):
    s = some_shape(c)
    op, types = c.choice(
        [("add", []), ("negate", []), ("maximum", []), ("select", ["pred"]), ("tanh", []), ("clamp", []), ("atan2", [])]
    )
    count = {"negate": 1, "tanh": 1, "select": 3, "clamp": 3}.get(op, 2)
    return Case("elementwise", f"{op}({ps(count)})", f"Elementwise {z(s)} {count}%nat", s, [s] * count, types)


def iota(c):
    s = some_shape(c, 1)
    return Case("iota", f"iota(), iota_dimension={c.randrange(len(s))}", "Iota", s, [])


def broadcast(c):
    out = some_shape(c)
    dims = sorted(some_of(c, range(len(out))))
    if c.random() < 0.3:
        c.shuffle(dims)
    operand = [out[k] for k in dims]
    return Case("broadcast", f"broadcast(p0), dimensions={braces(dims)}", f"Broadcast {z(out)} {z(operand)} {n(dims)}", out, [operand])


def transpose(c):
    operand = some_shape(c, 0, 4, (1, 3))
    permutation = c.sample(range(len(operand)), len(operand))
    out = [operand[k] for k in permutation]
    return Case("transpose", f"transpose(p0), dimensions={braces(permutation)}", f"Transpose {z(out)} {z(operand)} {n(permutation)}", out, [operand])


def reverse(c):
    s = some_shape(c)
    dims = some_of(c, range(len(s)))
    return Case("reverse", f"reverse(p0), dimensions={braces(dims)}", f"Reverse {z(s)} {n(dims)}", s, [s])


def factored(c, count):
    shape = []
    while count > 1:
        factor = c.choice([k for k in range(2, count + 1) if count % k == 0])
        shape.append(factor)
        count //= factor
    shape += [1] * c.randint(0, 2)
    c.shuffle(shape)
    return shape


def reshape(c):
    count = c.randint(1, 36)
    out, operand = factored(c, count), factored(c, count)
    if c.random() < 0.03:
        out, operand = out + [0], [0] + operand[1:]
    return Case("reshape", "reshape(p0)", f"Reshape {z(out)} {z(operand)}", out, [operand])


def bitcast(c):
    count = c.randint(1, 36)
    out, operand = factored(c, count), factored(c, count)
    orders = [c.sample(range(len(s)), len(s)) for s in (out, operand)]
    shown = [array(s) + (braces(reversed(o)) if s else "") for s, o in zip((out, operand), orders)]
    text = f"HloModule m\nENTRY e {{\n  p0 = {shown[1]} parameter(0)\n  ROOT r = {shown[0]} bitcast(p0)\n}}\n"
    return Case("bitcast", "", f"Bitcast {z(out)} {z(operand)} {n(orders[0])} {n(orders[1])}", out, [operand], text=text)


def slice_(c):
    operand = some_shape(c, 0, 3, (1, 6))
    ranges = []
    for size in operand:
        start, limit = sorted([c.randint(0, size), c.randint(0, size)])
        ranges.append((start, limit, c.randint(1, 3)))
    out = [math.ceil((limit - start) / stride) for start, limit, stride in ranges]
    text = ", ".join(f"[{a}:{b}:{s}]" for a, b, s in ranges)
    term = f"Slice {z(out)} {z(operand)} {z([r[0] for r in ranges])} {z([r[2] for r in ranges])}"
    return Case("slice", f"slice(p0), slice={{{text}}}", term, out, [operand])


def starts(c, first, rank):
    return {first + k: [c.randint(-3, 6)] for k in range(rank)}


def dynamic_slice(c):
    operand = some_shape(c, 0, 3, (1, 5))
    out = [c.randint(0 if c.random() < 0.05 else min(1, size), size) for size in operand]
    rank = len(operand)
    return Case(
        "dynamic-slice", f"dynamic-slice({ps(1 + rank)}), dynamic_slice_sizes={braces(out)}", f"DynamicSlice {z(out)} {z(operand)}",
        out, [operand] + [[]] * rank, ["f32"] + ["s32"] * rank, starts(c, 1, rank),
    )


def dynamic_update_slice(c):
    s = some_shape(c, 0, 3, (1, 4))
    update = [c.randint(0 if c.random() < 0.05 else min(1, size), size) for size in s]
    rank = len(s)
    return Case(
        "dynamic-update-slice", f"dynamic-update-slice({ps(2 + rank)})", f"DynamicUpdateSlice {z(s)} {z(update)}",
        s, [s, update] + [[]] * rank, ["f32"] * 2 + ["s32"] * rank, starts(c, 2, rank),
    )


def concatenate(c):
    s = some_shape(c, 1, 3, (1, 3))
    along = c.randrange(len(s))
    sizes = [c.randint(0, 3) for _ in range(c.randint(1, 4))]
    s[along] = sum(sizes)
    operands = [s[:along] + [size] + s[along + 1 :] for size in sizes]
    return Case("concatenate", f"concatenate({ps(len(sizes))}), dimensions={{{along}}}", f"Concatenate {z(s)} {z(sizes)} {along}%nat", s, operands)


def pad(c):
    operand = some_shape(c, 0, 3, (1, 4))
    parts = [(c.randint(-2, 3), c.randint(-2, 3), c.choice([0, 0, 1, 2])) for _ in operand]
    out = [low + high + (size + (size - 1) * inner if size else 0) for size, (low, high, inner) in zip(operand, parts)]
    if any(size < 0 for size in out):
        return None
    text = "x".join(f"{low}_{high}_{inner}" for low, high, inner in parts)
    attribute = f", padding={text}" if parts else ", padding="
    term = f"Pad {z(out)} {z(operand)} {z([p[0] for p in parts])} {z([p[2] for p in parts])}"
    return Case("pad", f"pad(p0, p1){attribute}", term, out, [operand, []]) if parts else None


def reduce(c):
    operand = some_shape(c)
    reduced = some_of(c, range(len(operand)))
    out = [size for k, size in enumerate(operand) if k not in reduced]
    inputs = c.randint(1, 2)
    part = c.randrange(inputs)
    term = f"Reduce {z(out)} {z(operand)} {n(reduced)} {inputs}%nat {part}%nat"
    root = f"reduce({ps(2 * inputs)}), dimensions={braces(reduced)}, to_apply=add"
    operands = [operand] * inputs + [[]] * inputs
    if inputs == 1:
        return Case("reduce", root, term, out, operands, before=ADD)
    both = (
        "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n x = f32[] parameter(2)\n y = f32[] parameter(3)\n"
        " m = f32[] add(a, x)\n n = f32[] add(b, y)\n s = f32[] add(m, n)\n d = f32[] subtract(n, m)\n"
        " ROOT t = (f32[], f32[]) tuple(s, d) }\n"
    )
    return Case("reduce", root, term, out, operands, before=both, out=f"({array(out)}, {array(out)})", part=[part])


def dot(c):
    batch = [c.randint(1, 2) for _ in range(c.randint(0, 1))]
    summed = [c.randint(1, 3) for _ in range(c.randint(0, 2))]
    sides, attributes, numbers = [], [], []
    frees = []
    for name in ("lhs", "rhs"):
        free = [c.randint(1, 3) for _ in range(c.randint(0, 2))]
        labels = [("b", k) for k in range(len(batch))] + [("c", k) for k in range(len(summed))] + [("f", k) for k in range(len(free))]
        c.shuffle(labels)
        free_in_order = [free[k] for kind, k in labels if kind == "f"]
        sides.append([{"b": batch, "c": summed, "f": free}[kind][k] for kind, k in labels])
        dims = [[labels.index((kind, k)) for k in range(len(of))] for kind, of in (("b", batch), ("c", summed))]
        attributes.append(f"{name}_batch_dims={braces(dims[0])}, {name}_contracting_dims={braces(dims[1])}")
        numbers.append(dims)
        frees += free_in_order
    out = batch + frees
    (lb, lc), (rb, rc) = numbers
    term = f"Dot {z(out)} {z(sides[0])} {z(sides[1])} {n(lb)} {n(rb)} {n(lc)} {n(rc)}"
    return Case("dot", f"dot(p0, p1), {', '.join(attributes)}", term, out, sides)


@dataclass
class Window:
    size: int
    stride: int
    low: int
    high: int
    base: int
    window: int
    reverse: int = 0

    def places(self, size):
        padded = self.low + self.high + ((size - 1) * self.base + 1 if size else 0)
        room = padded - ((self.size - 1) * self.window + 1)
        return -1 if padded < 0 else 0 if room < 0 else room // self.stride + 1


def some_window(c, base=True, reverse=False):
    low, high = (c.randint(-1, 2), c.randint(-1, 2)) if c.random() < 0.6 else (0, 0)
    dilation = c.choice([1, 1, 2, 3]) if base else 1
    return Window(c.randint(1, 3), c.randint(1, 3), low, high, dilation, c.choice([1, 1, 2]), int(reverse and c.random() < 0.3))


def window_text(windows):
    if not windows:
        return ""
    row = lambda get: "x".join(str(get(w)) for w in windows)
    parts = [f"size={row(lambda w: w.size)}", f"stride={row(lambda w: w.stride)}", f"pad={row(lambda w: f'{w.low}_{w.high}')}"]
    parts += [f"lhs_dilate={row(lambda w: w.base)}", f"rhs_dilate={row(lambda w: w.window)}", f"rhs_reversal={row(lambda w: w.reverse)}"]
    return f", window={{{' '.join(parts)}}}"


def window_term(windows):
    row = [
        f"Window {w.size} {w.stride} ({w.low}) ({w.high}) {w.base} {w.window} {'true' if w.reverse else 'false'}" for w in windows
    ]
    return "[" + "; ".join(row) + "]"


def reduce_window(c):
    operand = some_shape(c, 1, 3, (1, 5))
    windows = [some_window(c) for _ in operand]
    out = [w.places(size) for w, size in zip(windows, operand)]
    if min(out) < 0:
        return None
    term = f"ReduceWindow {z(out)} {z(operand)} {window_term(windows)} 1%nat"
    return Case("reduce-window", f"reduce-window(p0, p1){window_text(windows)}, to_apply=add", term, out, [operand, []], before=ADD)


def select_and_scatter(c):
    s = some_shape(c, 1, 3, (1, 5))
    windows = [some_window(c, base=False) for _ in s]
    source = [w.places(size) for w, size in zip(windows, s)]
    if min(source) < 0:
        return None
    select = "sel { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = pred[] compare(x, y), direction=GE }\n"
    term = f"SelectAndScatter {z(s)} {z(source)} {window_term(windows)}"
    root = f"select-and-scatter(p0, p1, p2){window_text(windows)}, select=sel, scatter=add"
    return Case("select-and-scatter", root, term, s, [s, source, []], before=ADD + select)


def convolution(c):
    count = c.randint(0, 2)
    windows = [some_window(c, reverse=True) for _ in range(count)]
    spatial_in = [c.randint(1, 4) for _ in windows]
    spatial_out = [w.places(size) for w, size in zip(windows, spatial_in)]
    if any(size < 0 for size in spatial_out):
        return None
    feature_groups, batch_groups = c.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)])
    batch, channels = c.randint(1, 2), c.randint(1, 2)
    features = feature_groups * batch_groups * c.randint(1, 2)
    arrays, terms, labels = [], [], []
    for one, other, spatial, letters in (
        (batch, features, spatial_out, "bf"),
        (batch * batch_groups, channels * feature_groups, spatial_in, "bf"),
        (features, channels, [w.size for w in windows], "oi"),
    ):
        parts = [(letters[0], one), (letters[1], other)] + [(str(k), size) for k, size in enumerate(spatial)]
        c.shuffle(parts)
        names = [name for name, _ in parts]
        arrays.append([size for _, size in parts])
        labels.append("".join(names))
        places = n([names.index(str(k)) for k in range(count)])
        terms.append(f"(Labels {names.index(letters[0])}%nat {names.index(letters[1])}%nat {places})")
    out, input_, kernel = arrays
    term = f"Convolution {z(out)} {z(input_)} {z(kernel)} {' '.join(terms)} {window_term(windows)} {feature_groups} {batch_groups}"
    root = (
        f"convolution(p0, p1){window_text(windows)}, dim_labels={labels[1]}_{labels[2]}->{labels[0]}, "
        f"feature_group_count={feature_groups}, batch_group_count={batch_groups}"
    )
    return Case("convolution", root, term, out, [input_, kernel])


def sort(c):
    s = some_shape(c, 1)
    along, count = c.randrange(len(s)), c.randint(1, 2)
    part = c.randrange(count)
    names = "abxy"[: 2 * count]
    body = "".join(f" {name} = f32[] parameter({k})\n" for k, name in enumerate(names))
    if count == 1:
        body += " ROOT z = pred[] compare(a, b), direction=LT }\n"
    else:
        body += " v = pred[] compare(a, b), direction=LT\n w = pred[] compare(x, y), direction=LT\n ROOT z = pred[] and(v, w) }\n"
    out = array(s) if count == 1 else f"({array(s)}, {array(s)})"
    return Case(
        "sort", f"sort({ps(count)}), dimensions={{{along}}}, to_apply=cmp", f"Sort {z(s)} {along}%nat {count}%nat {part}%nat", s, [s] * count,
        before="cmp {" + body, out=out, part=[part] if count > 1 else [],
    )


def vectors(c):
    """Sizes and dimension numbers that gather and scatter share."""
    rank = c.randint(1, 3)
    still = [c.randint(1, 4) for _ in range(rank)]
    dims = list(range(rank))
    c.shuffle(dims)
    batching = dims[: c.choice([0, 0, 0, 1, min(2, rank)])]
    rest = [k for k in range(rank) if k not in batching]
    start_map = some_of(c, rest) or rest[:1]
    collapsed = sorted(some_of(c, rest)) if c.random() < 0.7 else []
    slices = [1 if k in collapsed + batching else c.randint(1, still[k]) for k in range(rank)]
    kept = [k for k in range(rank) if k not in collapsed + batching]
    own = [("batching", still[k], k) for k in batching] + [("free", c.randint(1, 3), None) for _ in range(c.randint(0, 2))]
    c.shuffle(own)
    sizes = [size for _, size, _ in own]
    implicit = len(start_map) == 1 and c.random() < 0.3
    vector = len(own) if implicit else c.randint(0, len(own))
    indices = sizes if implicit else sizes[:vector] + [len(start_map)] + sizes[vector:]
    own_dims = [k for k in range(len(indices)) if k != vector or implicit]
    place = {k: own_dims[p] for p, (_, _, k) in enumerate(own) if k is not None}
    batching = sorted(batching)
    indices_batching = [place[k] for k in batching]
    moving_rank = len(own) + len(kept)
    offset = sorted(c.sample(range(moving_rank), len(kept)))
    moving, window_sizes, batch_sizes = [], [slices[k] for k in kept], list(sizes)
    for k in range(moving_rank):
        moving.append(window_sizes.pop(0) if k in offset else batch_sizes.pop(0))
    term = f"(Vectors {n(offset)} {n(collapsed)} {n(start_map)} {n(batching)} {n(indices_batching)} {vector}%nat {z(slices)})"
    values = [c.randint(-1, max(still)) for _ in range(math.prod(indices))]
    return still, indices, moving, offset, collapsed, start_map, batching, indices_batching, vector, slices, term, values


def gather(c):
    still, indices, out, offset, collapsed, start_map, batching, own, vector, slices, term, values = vectors(c)
    root = (
        f"gather(p0, p1), offset_dims={braces(offset)}, collapsed_slice_dims={braces(collapsed)}, start_index_map={braces(start_map)}, "
        f"operand_batching_dims={braces(batching)}, start_indices_batching_dims={braces(own)}, index_vector_dim={vector}, slice_sizes={braces(slices)}"
    )
    return Case("gather", root, f"Gather {z(out)} {z(still)} {z(indices)} {term}", out, [still, indices], ["f32", "s32"], {1: values})


def scatter(c):
    still, indices, updates, offset, collapsed, start_map, batching, own, vector, _, term, values = vectors(c)
    root = (
        f"scatter(p0, p1, p2), update_window_dims={braces(offset)}, inserted_window_dims={braces(collapsed)}, "
        f"scatter_dims_to_operand_dims={braces(start_map)}, input_batching_dims={braces(batching)}, "
        f"scatter_indices_batching_dims={braces(own)}, index_vector_dim={vector}, to_apply=add"
    )
    return Case(
        "scatter", root, f"Scatter {z(still)} {z(indices)} {z(updates)} {term}", still, [still, indices, updates], ["f32", "s32", "f32"],
        {1: values}, before=ADD,
    )


def on(case, shape):
    """The case again, if it reads an array of this shape."""
    return case if case and case.operands and case.operands[0] == shape and not case.out and case.before in ("", ADD) else None


def chain(c):
    """A fusion of two ops: the second reads the result of the first."""
    inner = c.choice([transpose, reverse, slice_, concatenate, broadcast, reshape, dot, elementwise, pad, gather, dynamic_slice])(c)
    if not inner or inner.out or inner.type(0) != "f32":
        return None
    makers = [transpose, reverse, slice_, broadcast, reshape, pad, dot, reduce, reduce_window]
    for _ in range(3000):
        outer = on(c.choice(makers)(c), inner.result)
        if outer:
            break
    else:
        return None
    lines = [f"  p{k} = {array(shape, inner.type(k))} parameter({k})" for k, shape in enumerate(inner.operands)]
    first = len(inner.operands)
    for k, shape in enumerate(outer.operands[1:]):
        lines.append(f"  q{k + 1} = {array(shape)} parameter({first + k})")
    lines.append(f"  q0 = {array(inner.result)} {inner.root}")
    called, _, rest = outer.root.partition("(")
    operands, _, rest = rest.partition(")")
    lines.append(f"  ROOT r = {array(outer.result)} {called}({operands.replace('p', 'q')}){rest}")
    # The values of the inner op's operands keep their numbers.
    text = f"HloModule m\n{ADD if outer.before or inner.before else ''}\nENTRY e {{\n" + "\n".join(lines) + "\n}\n"
    term = f"Chain ({outer.term}) ({inner.term})"
    return Case("chain", "", term, outer.result, inner.operands + outer.operands[1:], inner.types, inner.integers, text=text, shown=first, by="module")


def loop(c):
    """A loop that runs an op on an array a known number of times."""
    for _ in range(3000):
        body = c.choice([transpose, reverse, slice_, pad])(c)
        if body and body.operands[0] == body.result:
            break
    else:
        return None
    s, count = body.result, c.randint(0, 4)
    state = f"(s32[], {array(s)})"
    value = "  p1 = f32[] constant(0)\n" if len(body.operands) > 1 else ""
    text = (
        f"HloModule m\nbody {{\n  t = {state} parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  one = s32[] constant(1)\n"
        f"  j = s32[] add(i, one)\n  p0 = {array(s)} get-tuple-element(t), index=1\n{value}  y = {array(s)} {body.root}\n"
        f"  ROOT u = {state} tuple(j, y)\n}}\ncond {{\n  t = {state} parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
        f"  n = s32[] constant({count})\n  ROOT c = pred[] compare(i, n), direction=LT\n}}\nENTRY e {{\n  p = {array(s)} parameter(0)\n"
        f"  zero = s32[] constant(0)\n  init = {state} tuple(zero, p)\n  w = {state} while(init), condition=cond, body=body\n"
        f"  ROOT r = {array(s)} get-tuple-element(w), index=1\n}}\n"
    )
    return Case("loop", "", f"Repeat {z(s)} {count}%nat ({body.term})", s, [s], text=text, by="run")


# Each op with its share of the cases.
MAKERS = [
    (elementwise, 2), (iota, 1), (broadcast, 4), (transpose, 4), (reverse, 4), (reshape, 5), (bitcast, 5), (slice_, 5),
    (dynamic_slice, 5), (dynamic_update_slice, 5), (concatenate, 5), (pad, 6), (reduce, 5), (dot, 6), (reduce_window, 6),
    (select_and_scatter, 5), (convolution, 7), (sort, 3), (gather, 8), (scatter, 8), (chain, 6), (loop, 3),
]


def cases(c, count):
    """`count` cases, none too large to be compared pair by pair."""
    made = []
    makers = [maker for maker, share in MAKERS for _ in range(share)]
    while len(made) < count:
        case = makers[len(made) % len(makers)](c)
        if case is None:
            continue
        size = math.prod(case.result) * sum(math.prod(s) for s in case.operands)
        if size <= MAX_BITS:
            made.append(case)
    return made
