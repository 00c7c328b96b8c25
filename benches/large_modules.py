#!/usr/bin/env python3
"""Writes a large synthetic HLO module to standard output.

    large_modules.py flat --instructions 219000
    large_modules.py decoder --layers 12 [--links 0] [--inner | --stacked]

flat      one computation with layers of a model: normalisation, dot, bias, transpose and reshape, softmax, a fusion; the
          sizes differ between layers, and repeat after a while
decoder   a loop over tokens. Each layer has a cache of keys and one of values in the loop state; dynamic-update-slice writes
          the token of a step into them, and their contents determine the next token. --links adds this many elementwise ops
          to each layer, --inner makes each layer a call, --stacked keeps the caches of all layers in one array of keys and
          one of values

The same arguments give the same module.
"""
import argparse

TO_SCALAR = """add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] maximum(x, y) }
"""
MATMUL = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"


class Body:
    """Builds the lines of a computation."""

    def __init__(self):
        self.lines = []

    def add(self, shape, text):
        name = "v%d" % len(self.lines)
        self.lines.append("  %s = %s %s" % (name, shape, text))
        return name

    def give_root(self, name, shape):
        self.lines.append("  ROOT root = %s copy(%s)" % (shape, name))

    def text(self, heading):
        return "%s {\n%s\n}\n" % (heading, "\n".join(self.lines))

    def norm(self, x, rows, width):
        """Of each row."""
        flat, row = "f32[%d]" % rows, "f32[%d,%d]" % (rows, width)
        zero = self.add("f32[]", "constant(0)")
        square = self.add(row, "multiply(%s, %s)" % (x, x))
        total = self.add(flat, "reduce(%s, %s), dimensions={1}, to_apply=add" % (square, zero))
        root = self.add(flat, "rsqrt(%s)" % total)
        wide = self.add(row, "broadcast(%s), dimensions={0}" % root)
        return self.add(row, "multiply(%s, %s)" % (x, wide))

    def softmax(self, x, sizes):
        """Along the last dimension."""
        shape, flat = array(sizes), array(sizes[:-1])
        axes = ",".join(map(str, range(len(sizes) - 1)))
        low = self.add("f32[]", "constant(-inf)")
        most = self.add(flat, "reduce(%s, %s), dimensions={%d}, to_apply=max" % (x, low, len(sizes) - 1))
        wide = self.add(shape, "broadcast(%s), dimensions={%s}" % (most, axes))
        less = self.add(shape, "subtract(%s, %s)" % (x, wide))
        power = self.add(shape, "exponential(%s)" % less)
        zero = self.add("f32[]", "constant(0)")
        total = self.add(flat, "reduce(%s, %s), dimensions={%d}, to_apply=add" % (power, zero, len(sizes) - 1))
        wide = self.add(shape, "broadcast(%s), dimensions={%s}" % (total, axes))
        return self.add(shape, "divide(%s, %s)" % (power, wide))


def array(sizes):
    return "f32[%s]" % ",".join(map(str, sizes))


def flat(count):
    body, fusions = Body(), []
    layer = 0
    x, rows, width = body.add("f32[32,64]", "parameter(0)"), 32, 64
    while len(body.lines) < count - 1:
        heads = 2 + layer % 3
        deep = heads * (8 + 4 * (layer % 7))
        row = array([rows, deep])
        scale = body.add("f32[]", "constant(0.5)")
        weight = body.add(array([width, deep]), "broadcast(%s), dimensions={}" % scale)
        x = body.norm(x, rows, width)
        x = body.add(row, "dot(%s, %s), %s" % (x, weight, MATMUL))
        split = body.add(array([rows, heads, deep // heads]), "reshape(%s)" % x)
        turned = body.add(array([heads, rows, deep // heads]), "transpose(%s), dimensions={1,0,2}" % split)
        scores = body.add(array([heads, rows, rows]),
                          "dot(%s, %s), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                          "rhs_contracting_dims={2}" % (turned, turned))
        scores = body.softmax(scores, [heads, rows, rows])
        mixed = body.add(array([heads, rows, deep // heads]),
                         "dot(%s, %s), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                         "rhs_contracting_dims={1}" % (scores, turned))
        back = body.add(array([rows, heads, deep // heads]), "transpose(%s), dimensions={1,0,2}" % mixed)
        merged = body.add(row, "reshape(%s)" % back)
        half = deep // 2
        left = body.add(array([rows, half]), "slice(%s), slice={[0:%d], [0:%d]}" % (merged, rows, half))
        right = body.add(array([rows, deep - half]), "slice(%s), slice={[0:%d], [%d:%d]}" % (merged, rows, half, deep))
        turned = body.add(row, "concatenate(%s, %s), dimensions={1}" % (right, left))
        if layer % 4 == 0:
            fusions.append(
                "fused%d { a = %s parameter(0) b = %s parameter(1) c = %s add(a, b) n = %s negate(c) "
                "t = %s transpose(n), dimensions={1,0} ROOT r = %s transpose(t), dimensions={1,0} }\n"
                % (layer, row, row, row, row, array([deep, rows]), row))
            x = body.add(row, "fusion(%s, %s), kind=kLoop, calls=fused%d" % (turned, merged, layer))
        else:
            x = body.add(row, "add(%s, %s)" % (turned, merged))
        width = deep
        layer += 1
    del body.lines[count - 1:]
    name, shape = body.lines[-1].split()[0], body.lines[-1].split()[2]
    body.give_root(name, shape)
    return "HloModule flat\n\n" + TO_SCALAR + "".join(fusions) + body.text("ENTRY e")


def decoder(layers, links, inner, stacked):
    heads, width, length, vocabulary = 4, 32, 64, 128
    size = width // heads
    cache = array([length, heads, size])
    weight, bias = array([width, width]), array([width])
    shapes = ["s32[]", "s32[]", array([vocabulary, width])]
    stack = array([layers, length, heads, size])
    held = [stack] * 2 if stacked else [cache] * (2 * layers)
    shapes += held + [weight] * (4 * layers) + [bias] * layers
    state = "(%s)" % ", ".join(shapes)
    row = array([1, width])

    def rotated(body, x, position):
        """Rotary embedding: swaps the halves of each head, and rotates by the angle of the position."""
        whole, half = array([1, heads, size]), array([1, heads, size // 2])
        low = body.add(half, "slice(%s), slice={[0:1], [0:%d], [0:%d]}" % (x, heads, size // 2))
        high = body.add(half, "slice(%s), slice={[0:1], [0:%d], [%d:%d]}" % (x, heads, size // 2, size))
        high = body.add(half, "negate(%s)" % high)
        turned = body.add(whole, "concatenate(%s, %s), dimensions={2}" % (high, low))
        angle = body.add("f32[]", "convert(%s)" % position)
        wide = [body.add(whole, "broadcast(%s), dimensions={}" % body.add("f32[]", "%s(%s)" % (name, angle)))
                for name in ("cosine", "sine")]
        parts = [body.add(whole, "multiply(%s, %s)" % pair) for pair in zip((x, turned), wide)]
        return body.add(whole, "add(%s, %s)" % tuple(parts))

    def layer_of(body, x, position, keys, values, weights, number):
        normal = body.norm(x, 1, width)
        parts = [body.add(row, "dot(%s, %s), %s" % (normal, w, MATMUL)) for w in weights[:3]]
        split = [body.add(array([1, heads, size]), "reshape(%s)" % part) for part in parts]
        split[:2] = [rotated(body, part, position) for part in split[:2]]
        zero = body.add("s32[]", "constant(0)")
        if stacked:
            layer = body.add("s32[]", "constant(%d)" % number)
            rows = [body.add(array([1, 1, heads, size]), "reshape(%s)" % part) for part in split[1:]]
            kept = [body.add(stack, "dynamic-update-slice(%s, %s, %s, %s, %s, %s)" % (old, new, layer, position, zero, zero))
                    for old, new in zip((keys, values), rows)]
            own = [body.add(array([1, length, heads, size]), "slice(%s), slice={[%d:%d], [0:%d], [0:%d], [0:%d]}"
                            % (all_layers, number, number + 1, length, heads, size)) for all_layers in kept]
            own = [body.add(cache, "reshape(%s)" % one) for one in own]
        else:
            kept = [body.add(cache, "dynamic-update-slice(%s, %s, %s, %s, %s)" % (old, new, position, zero, zero))
                    for old, new in zip((keys, values), split[1:])]
            own = kept
        over = array([heads, 1, length])
        scores = body.add(over, "dot(%s, %s), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
                          "rhs_contracting_dims={2}" % (split[0], own[0]))
        steps = body.add("s32[%d,1,%d]" % (heads, length), "iota(), iota_dimension=2")
        now = body.add("s32[%d,1,%d]" % (heads, length), "broadcast(%s), dimensions={}" % position)
        mask = body.add("pred[%d,1,%d]" % (heads, length), "compare(%s, %s), direction=LE" % (steps, now))
        low = body.add("f32[]", "constant(-1e9)")
        low = body.add(over, "broadcast(%s), dimensions={}" % low)
        scores = body.add(over, "select(%s, %s, %s)" % (mask, scores, low))
        scores = body.softmax(scores, [heads, 1, length])
        mixed = body.add(array([heads, 1, size]),
                         "dot(%s, %s), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
                         "rhs_contracting_dims={0}" % (scores, own[1]))
        mixed = body.add(array([1, heads, size]), "transpose(%s), dimensions={1,0,2}" % mixed)
        mixed = body.add(row, "reshape(%s)" % mixed)
        out = body.add(row, "dot(%s, %s), %s" % (mixed, weights[3], MATMUL))
        wide = body.add(row, "broadcast(%s), dimensions={1}" % weights[4])
        out = body.add(row, "add(%s, %s)" % (out, wide))
        for _ in range(links):
            out = body.add(row, "multiply(%s, %s)" % (out, x))
        return [body.add(row, "add(%s, %s)" % (out, x))] + kept

    body, calls = Body(), []
    given = body.add(state, "parameter(0)")
    parts = [body.add(shape, "get-tuple-element(%s), index=%d" % (given, k)) for k, shape in enumerate(shapes)]
    zero = body.add("s32[]", "constant(0)")
    x = body.add(row, "dynamic-slice(%s, %s, %s), dynamic_slice_sizes={1,%d}" % (parts[2], parts[1], zero, width))
    first, caches = 3 + len(held), []
    latest = parts[3:5]
    for number in range(layers):
        weights = parts[first + 4 * number:first + 4 * number + 4] + [parts[first + 4 * layers + number]]
        keys, values = latest if stacked else parts[3 + 2 * number:5 + 2 * number]
        if inner:
            own = Body()
            taken = [row, "s32[]", cache, cache] + [weight] * 4 + [bias]
            names = [own.add(shape, "parameter(%d)" % k) for k, shape in enumerate(taken)]
            got = layer_of(own, *names[:4], names[4:], number)
            result = "(%s, %s, %s)" % (row, cache, cache)
            own.lines.append("  ROOT root = %s tuple(%s)" % (result, ", ".join(got)))
            calls.append(own.text("layer%d" % number))
            called = body.add(result, "call(%s), to_apply=layer%d" % (
                ", ".join([x, parts[0], keys, values] + weights), number))
            got = [body.add(shape, "get-tuple-element(%s), index=%d" % (called, k))
                   for k, shape in enumerate((row, cache, cache))]
        else:
            got = layer_of(body, x, parts[0], keys, values, weights, number)
        x, latest = got[0], got[1:]
        caches = latest if stacked else caches + latest
    logits = body.add(array([1, vocabulary]), "dot(%s, %s), lhs_contracting_dims={1}, rhs_contracting_dims={1}"
                      % (x, parts[2]))
    numbers = body.add("s32[1,%d]" % vocabulary, "iota(), iota_dimension=1")
    low = body.add("f32[]", "constant(-inf)")
    pair = body.add("(f32[1], s32[1])", "reduce(%s, %s, %s, %s), dimensions={1}, to_apply=best"
                    % (logits, numbers, low, zero))
    token = body.add("s32[1]", "get-tuple-element(%s), index=1" % pair)
    token = body.add("s32[]", "reshape(%s)" % token)
    one = body.add("s32[]", "constant(1)")
    step = body.add("s32[]", "add(%s, %s)" % (parts[0], one))
    body.lines.append("  ROOT root = %s tuple(%s)" % (state, ", ".join([step, token, parts[2]] + caches + parts[first:])))
    entry, test = Body(), Body()
    given = [entry.add(shape, "parameter(%d)" % k) for k, shape in enumerate(shapes[1:])]
    start = [entry.add("s32[]", "constant(0)")] + given
    start = entry.add(state, "tuple(%s)" % ", ".join(start))
    loop = entry.add(state, "while(%s), condition=test, body=body" % start)
    entry.lines.append("  ROOT root = s32[] get-tuple-element(%s), index=1" % loop)
    given = test.add(state, "parameter(0)")
    step = test.add("s32[]", "get-tuple-element(%s), index=0" % given)
    end = test.add("s32[]", "constant(%d)" % length)
    test.lines.append("  ROOT root = pred[] compare(%s, %s), direction=LT" % (step, end))
    best = ("best { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3) "
            "g = pred[] compare(a, b), direction=GE m = f32[] select(g, a, b) k = s32[] select(g, i, j) "
            "ROOT r = (f32[], s32[]) tuple(m, k) }\n")
    return ("HloModule decoder\n\n" + TO_SCALAR + best + "".join(calls) + body.text("body") + test.text("test")
            + entry.text("ENTRY e"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("flat").add_argument("--instructions", type=int, default=219000)
    loop = kinds.add_parser("decoder")
    loop.add_argument("--layers", type=int, default=12)
    loop.add_argument("--links", type=int, default=0)
    forms = loop.add_mutually_exclusive_group()
    forms.add_argument("--inner", action="store_true")
    forms.add_argument("--stacked", action="store_true")
    given = parser.parse_args()
    if given.kind == "flat":
        print(flat(given.instructions), end="")
    else:
        print(decoder(given.layers, given.links, given.inner, given.stacked), end="")


if __name__ == "__main__":
    main()
