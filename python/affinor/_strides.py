"""Strides and offsets of Inductor's index expressions, from the terms that say them: what is linear is not substituted into.

The answers are those of the functions of these names in torch._inductor.sizevars, or have the same value everywhere.
"""
# mypy: ignore-errors


def _linear(expr, variables):
    """The terms of a sum with none of the variables, a factor of each variable, and the sum of the terms that are neither."""
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
    """What an index grows by where a variable grows by 1."""
    import sympy

    _, factors, rest = _linear(index, [var])
    return factors[var] + sympy.expand(rest.xreplace({var: var + 1}) - rest)


def stride_vars(index, variables, support):
    """What an index grows by from 0 to 1 of each variable, where the others of `support` are 0."""
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
    """An index where all variables are 0."""
    import sympy

    symbols = [one for one in variables if one != 0]
    without, _, rest = _linear(index, symbols)
    return sympy.Add(*without, rest.xreplace(dict.fromkeys(symbols, sympy.S.Zero)))


def simplify_index_in_vec_range(index, var, length):
    """An index over lanes that begin at a multiple of their number: quotients and remainders of `var` that are the same in all
    of them become symbols, and remainders that grow with it `var` and a symbol."""
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
