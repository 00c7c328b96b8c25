"""Simplifiers that are Python libraries: `libraries.py NAME CASES.jsonl` writes {"id", "ms", "expr"} for each case.

A case that a library refuses gets {"id", "error"}. Each library simplifies a few cases before the first that is timed.
"""
import json
import sys
import time

from expressions import read

sys.setrecursionlimit(20000)


def build(tree, leaf, integer, operators):
    if isinstance(tree, int):
        return integer(tree)
    if isinstance(tree, str):
        return leaf[tree]
    x, y = (build(part, leaf, integer, operators) for part in tree[1:])
    return operators[tree[0]](x, y)


class Tvm:
    """`Analyzer.simplify` with every variable bound to its range."""

    def __init__(self):
        from tvm import ir, sym, tirx
        self.ir, self.sym, self.nodes = ir, sym, tirx
        kinds = {"+": tirx.Add, "-": tirx.Sub, "*": tirx.Mul, "//": tirx.FloorDiv, "%": tirx.FloorMod, "min": tirx.Min, "max": tirx.Max}
        self.kinds = kinds

    def simplify(self, tree, bounds):
        integer = lambda k: self.nodes.IntImm("int64", k)
        analyzer, leaf = self.sym.Analyzer(), {}
        for name, (low, high) in bounds.items():
            leaf[name] = self.nodes.Var(name, "int64")
            analyzer.bind(leaf[name], self.ir.Range.from_min_extent(integer(low), integer(high - low + 1)))
        return analyzer.simplify(build(tree, leaf, integer, self.kinds))

    def text(self, node):
        if isinstance(node, self.nodes.IntImm):
            return "(%d)" % int(node.value)
        if isinstance(node, self.nodes.Var):
            return node.name
        for operator, kind in self.kinds.items():
            if isinstance(node, kind):
                x, y = self.text(node.a), self.text(node.b)
                return "%s(%s, %s)" % (operator, x, y) if operator in ("min", "max") else "(%s %s %s)" % (x, operator, y)
        raise ValueError("a node of kind %s" % type(node).__name__)


class Isl:
    """A piecewise affine expression, `coalesce`d and `gist`ed by the box, printed as isl's loop generator prints it."""

    def __init__(self):
        import islpy
        self.isl = islpy

    def simplify(self, tree, bounds):
        isl, names = self.isl, list(bounds)
        context = isl.Context()
        space = isl.Space.create_from_names(context, set=names)
        local = isl.LocalSpace.from_space(space)
        leaf = {n: isl.PwAff.from_aff(isl.Aff.var_on_domain(local, isl.dim_type.set, i)) for i, n in enumerate(names)}
        constant = lambda k: isl.PwAff.from_aff(isl.Aff.val_on_domain_space(space, isl.Val.int_from_si(context, k)))
        operators = {"+": lambda x, y: x.add(y), "-": lambda x, y: x.sub(y), "*": lambda x, y: x.mul(y),
                     "//": lambda x, y: x.div(y).floor(), "%": lambda x, y: x.sub(x.div(y).floor().mul(y)),
                     "min": lambda x, y: x.min(y), "max": lambda x, y: x.max(y)}
        box = isl.Set("{ [%s] : %s }" % (", ".join(names), " and ".join("%d <= %s <= %d" % (a, n, b) for n, (a, b) in bounds.items())), context)
        value = build(tree, leaf, constant, operators).coalesce().gist(box)
        return isl.AstBuild.from_context(box).expr_from_pw_aff(value)

    def text(self, node):
        isl = self.isl
        if node.get_type() == isl.ast_expr_type.int:
            return "(%d)" % node.get_val().to_python()
        if node.get_type() == isl.ast_expr_type.id:
            return node.get_id().get_name()
        kind = isl.ast_expr_op_type
        operator = node.get_op_type()
        parts = [self.text(node.get_op_arg(i)) for i in range(node.get_op_n_arg())]
        infix = {kind.add: "+", kind.sub: "-", kind.mul: "*", kind.div: "//", kind.fdiv_q: "//", kind.pdiv_q: "//", kind.pdiv_r: "%", kind.zdiv_r: "%"}
        if operator == kind.minus:
            return "(0 - %s)" % parts[0]
        if operator in (kind.min, kind.max):
            return "%s(%s)" % ("min" if operator == kind.min else "max", ", ".join(parts))
        return "(%s)" % (" %s " % infix[operator]).join(parts)


class Tinygrad:
    """`UOp.simplify`, which runs the rewrite rules that index expressions of kernels go through."""

    def __init__(self):
        from tinygrad.uop.ops import Ops, UOp
        self.kinds, self.node = Ops, UOp

    def simplify(self, tree, bounds):
        leaf = {name: self.node.variable(name, low, high) for name, (low, high) in bounds.items()}
        dtype = next(iter(leaf.values())).dtype
        operators = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "//": lambda x, y: x // y,
                     "%": lambda x, y: x % y, "min": lambda x, y: x.minimum(y), "max": lambda x, y: x.maximum(y)}
        return build(tree, leaf, lambda k: self.node.const(k, dtype), operators).simplify()

    def text(self, node):
        kinds = self.kinds
        if node.op is kinds.CONST:
            return "(%d)" % int(node.arg)
        if getattr(node.arg, "name", None):
            return node.arg.name
        if node.op is kinds.CAST:
            return self.text(node.src[0])
        parts = [self.text(part) for part in node.src]
        if node.op is kinds.MAX:
            return "max(%s, %s)" % tuple(parts)
        if node.op is kinds.XOR and parts[1] == "(-1)":
            return "(-1 - %s)" % parts[0]
        if node.op is kinds.SHR:
            return "(%s // %d)" % (parts[0], 1 << int(node.src[1].arg))
        if node.op is kinds.AND:
            return "(%s %% %d)" % (parts[0], int(node.src[1].arg) + 1)
        operators = {kinds.ADD: "+", getattr(kinds, "SUB", None): "-", kinds.MUL: "*", kinds.FLOORDIV: "//", kinds.FLOORMOD: "%"}
        return "(%s %s %s)" % (parts[0], operators[node.op], parts[1])


def main():
    name, path = sys.argv[1:]
    peer = {"tvm": Tvm, "isl": Isl, "tinygrad": Tinygrad}[name]()
    cases = [json.loads(line) for line in open(path)]
    for case in cases[:5]:
        try:
            peer.simplify(read(case["expr"]), case["vars"])
        except Exception:
            pass  # it will be reported when its turn comes
    for case in cases:
        tree = read(case["expr"])
        start = time.process_time()
        try:
            simple = peer.simplify(tree, case["vars"])
            taken = (time.process_time() - start) * 1e3
            answer = {"id": case["id"], "ms": taken, "expr": peer.text(simple)}
        except Exception as error:
            answer = {"id": case["id"], "error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
