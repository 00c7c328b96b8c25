"""The functions of torch._inductor.sizevars, and of the ShapeEnv, that `affinor.torch.install` replaces."""
# mypy: ignore-errors

import functools

from . import _inductor, _shapes, _strides

STRIDES = ("stride_at", "simplify_index_in_vec_range", "stride_vars", "offset_var", "combine_modular_indexing_pairs")
SHAPES = ("simplify", "_maybe_evaluate_static_worker")
# Maximum number of answers of a function that are remembered.
MOST_REMEMBERED = 1 << 16
# The names of all counters, which are reported even if 0.
COUNTED = ("calls", "smaller", "same", "plain", *STRIDES, *SHAPES, *(f"{name}: own" for name in (*STRIDES, *SHAPES)))


def replacements(sizevars, shapes, simplify, counted):
    """Returns, for each function, its module or class, its name, and the function that makes the replacement from it."""
    allocator = sizevars.SizeVarAllocator

    def counting(name, answer):
        """Returns a function with the answers of `answer`, or those of the original one if `answer` returns None or raises."""

        def make(own):
            @functools.wraps(own)
            def replaced(*arguments, **named):
                counted[name] += 1
                try:
                    found = answer(*arguments, **named)
                except Exception:  # from sympy or torch: a condition, for example, has no terms
                    found = None
                if found is not None:
                    return found
                counted[f"{name}: own"] += 1
                return own(*arguments, **named)

            return replaced

        return make

    def remembering(name, answer):
        make = counting(name, answer)
        return lambda own: functools.lru_cache(maxsize=MOST_REMEMBERED)(make(own))

    def stride_vars(self, index, variables, support):
        return _strides.stride_vars(self.simplify(index), variables, support)

    def offset_var(self, index, variables):
        return _strides.offset_var(self.simplify(index), variables)

    def pairs(self, index):
        """Merges a remainder of a remainder into one remainder, if possible."""
        if index.func.__name__ != "ModularIndexing" or index.args[0].func.__name__ != "ModularIndexing":
            return index
        found = of_inductor(self, index, {}, lambda expr, _: expr, simplify, counted)
        return found if found.func is index.func and found != index else None

    remembered = _shapes.remembering(shapes, counted)
    return [
        (allocator, "_simplify_with_ranges", lambda own: lambda self, expr, ranges: of_inductor(
            self, expr, ranges, lambda expr, ranges: own(self, expr, ranges), simplify, counted
        )),
        (sizevars, "stride_at", remembering("stride_at", _strides.stride_at)),
        (sizevars, "simplify_index_in_vec_range", remembering("simplify_index_in_vec_range", _strides.simplify_index_in_vec_range)),
        (allocator, "_stride_vars", counting("stride_vars", stride_vars)),
        (allocator, "offset_var", counting("offset_var", offset_var)),
        (allocator, "combine_modular_indexing_pairs", counting("combine_modular_indexing_pairs", pairs)),
        (shapes.ShapeEnv, "simplify", lambda own: functools.wraps(own)(lambda *args, **named: remembered(own, *args, **named))),
        (shapes, "_maybe_evaluate_static_worker", remembering("_maybe_evaluate_static_worker", _shapes.decided)),
    ]


def forget(sizevars):
    """Clears the caches of the module, which have answers of the previous functions."""
    for name in ("stride_at", "simplify_index_in_vec_range", "stride_at_vec_range"):
        getattr(sizevars, name).cache_clear()


def of_inductor(allocator, expr, var_ranges, otherwise, simplify, counted):
    import sympy

    expr = allocator.simplify(expr)
    if not _inductor.has_more_than_sums(expr):
        # Sums and products stay as Inductor writes them: it compares expressions.
        counted["plain"] += 1
        return expr
    ranges = {symbol: sympy.sympify(size).xreplace(allocator.replacements) for symbol, size in var_ranges.items()}
    met = expr.free_symbols.union(*(size.free_symbols for size in ranges.values()))
    of_symbols = allocator.shape_env.var_to_range
    sizes = {
        symbol: tuple(int(end) if end.is_Integer else None for end in (of_symbols[symbol].lower, of_symbols[symbol].upper))
        for symbol in met
        if symbol in of_symbols and symbol not in ranges
    }
    found = simplify(
        expr, ranges, sizes=sizes, facts=allocator.shape_env.get_axioms(), otherwise=lambda *_: otherwise(expr, var_ranges)
    )
    expanded = sympy.expand(found)
    return expanded if _inductor.is_at_most(_inductor.measure(expanded), _inductor.measure(expr)) else found
