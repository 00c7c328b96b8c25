"""Index expressions as trees, for comparing simplifiers: reading, counting, evaluating.

A tree is an integer, the name of a variable, or (operator, operand, operand) with one of + - * // % min max;
`//` rounds down and `%` is the remainder in [0, divisor).
"""
import itertools
import random
import re

TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|//|[-+*/%(),])")
SPELLINGS = {"floordiv": "//", "mod": "%", "/": "//"}
BINDING = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2}


def read(text):
    """The tree of an infix text; `/` and `floordiv` are the same, and so are `%` and `mod`."""
    tokens = TOKEN.findall(text) + [""]
    if "".join(tokens) != re.sub(r"\s", "", text):
        raise ValueError("cannot read %r" % text)
    tokens.reverse()

    def operand():
        token = tokens.pop()
        if token == "-":
            value = operand()
            return -value if isinstance(value, int) else ("-", 0, value)
        if token == "(":
            value = chain(1)
        elif token.isdigit():
            return int(token)
        elif tokens[-1] == "(":
            tokens.pop()
            value = chain(1)
            while tokens[-1] == ",":
                tokens.pop()
                value = (token, value, chain(1))
        else:
            return token
        if tokens.pop() != ")":
            raise ValueError("a bracket is missing in %r" % text)
        return value

    def chain(level):
        value = operand() if level > 2 else chain(level + 1)
        while BINDING.get(SPELLINGS.get(tokens[-1], tokens[-1])) == level:
            operator = tokens.pop()
            value = (SPELLINGS.get(operator, operator), value, operand() if level == 2 else chain(2))
        return value

    value = chain(1)
    if tokens != [""]:
        raise ValueError("something is left over in %r" % text)
    return value


def postfix(tree):
    """The tree in reverse Polish notation, for the line protocol of the C++ programs."""
    if isinstance(tree, tuple):
        return "%s %s %s" % (postfix(tree[1]), postfix(tree[2]), tree[0])
    return str(tree)


def summands(tree, sign=1):
    """The signed summands of a sum, and what is not a sum as its only summand; signs of factors come out."""
    if isinstance(tree, int):
        return [(sign if tree >= 0 else -sign, abs(tree))] if tree else []
    if isinstance(tree, tuple):
        operator, x, y = tree
        if operator in "+-":
            return summands(x, sign) + summands(y, sign if operator == "+" else -sign)
        if operator == "*":
            for factor, other in ((x, y), (y, x)):
                if isinstance(factor, int):
                    if abs(factor) == 1:
                        return summands(other, sign * factor)
                    return [(sign if factor > 0 else -sign, ("*", abs(factor), other))]
    return [(sign, tree)]


def count(tree):
    """(operations, floordiv and mod among them), whatever way a tree is printed: a sum of n summands has
    n - 1 operations, a sign is free in a sum that has a positive summand."""
    if not isinstance(tree, tuple):
        return 0, 0
    parts = summands(tree)
    if len(parts) == 1 and isinstance(parts[0][1], tuple) and parts[0][1][0] not in "+-":
        sign, (operator, x, y) = parts[0]
        negated = sign < 0 and operator != "*"
        operations, divisions = 1 + negated, operator in ("//", "%")
        inner = [count(x), count(y)]
    else:
        operations = max(len(parts) - 1, 0) + (bool(parts) and all(sign < 0 for sign, _ in parts))
        divisions, inner = 0, [count(part) for _, part in parts]
    return operations + sum(n for n, _ in inner), divisions + sum(n for _, n in inner)


def value(tree, point):
    """The value at a point (a dictionary from names to integers)."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return point[tree]
    operator, x, y = tree[0], value(tree[1], point), value(tree[2], point)
    return {"+": x + y, "-": x - y, "*": x * y, "min": min(x, y), "max": max(x, y)}[operator] if operator not in ("//", "%") \
        else x // y if operator == "//" else x % y


def function(tree, names):
    """A Python function of the variables that computes what occurs several times once."""
    lines, known = [], {}

    def name(node):
        if not isinstance(node, tuple):
            return str(node)
        key = (node[0], name(node[1]), name(node[2]))
        if key not in known:
            known[key] = "t%d" % len(known)
            operator, x, y = key
            compared = {"min": "<", "max": ">"}.get(operator)
            made = "%s if %s %s %s else %s" % (x, x, compared, y, y) if compared else "%s %s (%s)" % (x, operator, y)
            lines.append("  %s = %s" % (known[key], made))
        return known[key]

    result = name(tree)
    scope = {}
    exec("def f(%s):\n%s\n  return %s" % (", ".join(names), "\n".join(lines) or "  pass", result), scope)
    return scope["f"]


def points(bounds, most=2000, seed=0):
    """All points of a box, or its corners and random ones if it has more than `most`."""
    names, size = list(bounds), 1
    for low, high in bounds.values():
        size *= high - low + 1
    if size <= most:
        return [dict(zip(names, p)) for p in itertools.product(*(range(a, b + 1) for a, b in bounds.values()))]
    draw = random.Random(seed)
    ends = [{n: bounds[n][0] for n in names}, {n: bounds[n][1] for n in names}]
    corners = [{n: draw.choice(bounds[n]) for n in names} for _ in range(most // 4)]
    return ends + corners + [{n: draw.randint(*bounds[n]) for n in names} for _ in range(most // 2)]
