"""Modules of HLO, from texts, files, and functions lowered, compiled or exported by JAX."""
# mypy: ignore-errors

import gzip
import os
from pathlib import Path

from . import _paths
from ._errors import Error
from ._function import wrong
from ._module import Module


def analyze(given, /, *args, **keywords):
    """Returns the module of an HLO text, of a file with such a text, possibly packed by gzip, or of a result of
    `jax.jit(f).lower(..)`, its `.compile()` or `jax.export`. A string is a path if there is such a file. Text of StableHLO is read
    directly; its bytecode, and unsupported dialects, are converted to HLO by jaxlib. `analyze(f, *args)` lowers a function by JAX for
    the shapes and types of these arguments; `reads` of the module then accepts their names.

    >>> module = analyze("p = f32[8,16] parameter(0)\\n t = f32[16,8] transpose(p), dimensions={1,0}")
    >>> module.instructions()[1].reads[0]["maps"]
    [IndexMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]')]
    >>> module.instructions()[1].utilisation[0]["share"]
    1.0
    """
    function = None
    if hasattr(given, "jaxpr") and hasattr(given, "lower"):  # a result of jax.jit(f).trace(..)
        given = given.lower()
    elif args or keywords:
        if not callable(given) or hasattr(given, "as_text"):
            raise wrong("usage", "arguments belong to a function, as in `analyze(f, *args)`")
        function, given = given, _lowered(given, args, keywords)
    if isinstance(given, Module):
        return given
    if hasattr(given, "as_text"):
        return Module(_text_of(given), paths=_paths.of_stage(given, function, args))
    if hasattr(given, "mlir_module_serialized"):  # a result of jax.export
        return _read(given.mlir_module_serialized)
    if hasattr(given, "operation"):  # a module of MLIR
        return _read(str(given))
    if isinstance(given, (bytes, bytearray)):
        return _read(bytes(given))
    if isinstance(given, os.PathLike) or _is_file(given):
        path = Path(given)
        data = path.read_bytes()
        return _read(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, str(path))
    if not isinstance(given, str):
        hint = "`analyze` takes a text, a path, a function with its arguments, or what jax.jit(f).lower(..) returns"
        raise wrong("usage", f"this is not a module: an object of type {type(given).__name__}", hint)
    if "\n" not in given and "=" not in given:
        raise FileNotFoundError(f"this is neither HLO nor a file: {given!r}")
    return _read(given)


def _lowered(function, args, keywords):
    if not hasattr(function, "lower"):
        import jax

        function = jax.jit(function)
    return function.lower(*args, **keywords)


def _is_file(text):
    try:
        return isinstance(text, str) and "\n" not in text and os.path.isfile(text)
    except ValueError:  # a character that no path may have
        return False


def _text_of(given):
    try:
        return given.as_text(dialect="hlo")
    except TypeError:
        return given.as_text()  # a compiled function has one text


def _read(text, source="-"):
    try:
        return Module(text, source)
    except Error as error:
        # The reader names the kind of text that it found.
        found = error.message.partition("expected HLO text, found ")[2]
        if not found.startswith(("StableHLO", "MLIR")):
            raise
        return Module(_hlo(text, error), source)


def _hlo(stablehlo, error):
    """Converts StableHLO, or other MLIR that jaxlib accepts, to HLO text."""
    try:
        convert, write = _converter()
    except ImportError:
        raise wrong("hlo", error.message, "with jaxlib it is converted: `pip install 'affinor[mlir]'`") from None
    try:
        return write(convert(stablehlo, use_tuple_args=False, return_tuple=False))
    except Exception as failed:
        reason = str(failed).strip().splitlines()
        raise wrong("hlo", f"jaxlib does not convert this to HLO: {reason[0] if reason else type(failed).__name__}") from failed


def _converter():
    """Returns functions from StableHLO to a computation of XLA and from this to its text; their names differ between versions of jaxlib."""
    try:
        from jaxlib import _jax as xla
    except ImportError:
        from jaxlib import xla_extension as xla
    convert = xla.mlir.mlir_module_to_xla_computation
    try:
        from jaxlib._hlo import HloPrintOptions
    except ImportError:
        HloPrintOptions = xla.HloPrintOptions
    options = HloPrintOptions.short_parsable()
    options.print_metadata = False
    return convert, lambda computation: _module_of(computation).to_string(options)


def _module_of(computation):
    found = getattr(computation, "as_hlo_module", None) or computation.get_hlo_module
    return found()
