"""Strides and offsets of Inductor's index expressions, read off linear terms without substitution.

The answers equal those of the functions with the same names in torch._inductor.sizevars, at least in value.
"""
# mypy: ignore-errors


def _linear(expr, variables):
    """Splits a sum: the terms without variables, the coefficient of each variable, and the sum of the other terms."""
    import sympy

    within = set(variables)
    without, others, factors = [], [], {variable: [] for variable in variables}
    for term in sympy.Add.make_args(expr):
        met = within.intersection(term.free_symbols)
        if not met:
            without.append(term)
            continue
        factor, rest = term.as_independent(*met, as_Add=False) if term.is_Mul else (sympy.S.One, term)
        if rest in met:
            factors[rest].append(factor)
        else:
            others.append(term)
    return without, {variable: sympy.Add(*own) for variable, own in factors.items()}, sympy.Add(*others)


def stride_at(index, var):
    """Returns the increase of an index when a variable increases by 1."""
    import sympy

    _, factors, rest = _linear(index, [var])
    return factors[var] + sympy.expand(rest.xreplace({var: var + 1}) - rest)


def stride_vars(index, variables, support):
    """Returns the increase of an index from 0 to 1 of each variable, with the others of `support` at 0."""
    import sympy

    symbols = list(dict.fromkeys(one for one in (*variables, *support) if one != 0))
    _, factors, rest = _linear(index, symbols)

    def at(variable, value):
        return rest.xreplace({one: value if one == variable else sympy.S.Zero for one in symbols})

    return [
        sympy.S.Zero if one == 0 else factors[one] if rest == 0 else factors[one] + at(one, sympy.S.One) - at(one, sympy.S.Zero)
        for one in variables
    ]


def offset_var(index, variables):
    """Returns the index with all variables at 0."""
    import sympy

    symbols = [one for one in variables if one != 0]
    without, _, rest = _linear(index, symbols)
    return sympy.Add(*without, rest.xreplace(dict.fromkeys(symbols, sympy.S.Zero)))


def simplify_index_in_vec_range(index, var, length):
    """Simplifies an index over lanes that start at a multiple of their number: quotients and remainders of `var` that are equal in all
    lanes become symbols, and remainders that increase with the lane become `var` plus a symbol."""
    import sympy

    numbers = {"div": 0, "mod": 0}

    def fresh(word):
        numbers[word] += 1
        return sympy.Symbol(f"{var}_{word}_c{numbers[word] - 1}")

    def is_multiple(expr):
        return int(expr) % length == 0 if expr.is_Integer else sympy.gcd(expr, length) == length

    found = {}
    for part in sympy.preorder_traversal(index):
        word = part.func.__name__
        if word not in ("FloorDiv", "ModularIndexing") or part.args[0] != var or part in found:
            continue
        if is_multiple(part.args[1]):
            found[part] = fresh("div" if word == "FloorDiv" else "mod")
        elif word == "ModularIndexing" and part.args[1] == 1 and is_multiple(part.args[2]):
            found[part] = var + fresh("mod")
    return index.xreplace(found) if found else index
