//! Index maps.

use crate::errors::{about, compose};
use crate::means::{effort, html, options, python, simplifier};
use crate::trace::interval;
use crate::verdict::{Verdict, equal};
use crate::work::{is_small, run, run_here};
use affinor::expr::{Expr, IndexingMap, VariableId};
use affinor::num::Interrupt;
use affinor::simplify::{Certified, Effort};
use affinor::text::{self, ErrorKind, Tree, variable_names};
use affinor_emit::Language;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

/// An index map: from values of its variables, in its domain, to its results.
///
/// >>> m = IndexMap("(d0, d1) -> ((d0 * 8 + d1) floordiv 8), domain: d0 in [0, 3], d1 in [0, 7]")
/// >>> m.simplify()
/// IndexMap('(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]')
/// >>> m(3, 7)
/// (3,)
///
/// A text that the program reads as code is a map too:
///
/// >>> IndexMap("(i * 4 + j) // 8 for i in range(10) for j in range(4)")
/// IndexMap('(i, j) -> ((i * 4 + j) floordiv 8), domain: i in [0, 9], j in [0, 3]')
///
/// Objects are equal if their texts are equal; `equal` decides whether two maps are the same function.
#[pyclass(frozen, weakref, module = "affinor", eq, hash, from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IndexMap(pub IndexingMap);

impl IndexMap {
    fn certified(&self, py: Python<'_>, number: i64) -> PyResult<Certified> {
        let (simplifier, effort) = (simplifier()?, effort(number)?);
        run(py, |interrupt| simplifier.certify(&self.0, &options(effort, interrupt)))
    }
}

#[pymethods]
impl IndexMap {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<IndexMap> {
        match text.parse::<IndexingMap>() {
            Ok(map) => Ok(IndexMap(map)),
            Err(error) => crate::code::map(py, text, error),
        }
    }

    /// Returns the map of a Python function. The function is called with variables that have the operators of integers, once for
    /// each path through its branches; the cases are combined, each value times 1 where its conditions hold and 0 elsewhere. A
    /// keyword gives bounds for an argument: `range(2, 10)`, the pair (2, 9) with None for an infinite end, or 4 for (0, 3).
    /// Arguments after `*` are named sizes. A product of arguments, or a quotient by a positive one, gives a map with an empty list
    /// of named sizes: `<>(i, j) -> (i * j)`. `where` takes the same arguments, and returns comparisons that limit the domain.
    /// `minimum`, `maximum` and `ceildiv` are also available.
    ///
    /// >>> IndexMap.of(lambda i, j: (i * 4 + j) // 8, i=range(10), j=4)
    /// IndexMap('(i, j) -> ((i * 4 + j) floordiv 8), domain: i in [0, 9], j in [0, 3]')
    /// >>> IndexMap.of(lambda i, *, n: (i // n, i % n), i=(0, None), n=(1, None))
    /// IndexMap('<n>(i) -> (i floordiv n, i mod n), domain: n in [1, inf], i in [0, inf]')
    #[staticmethod]
    #[pyo3(signature = (function, r#where = None, /, **bounds), text_signature = "(function, where=None, /, **bounds)")]
    fn of<'py>(
        function: &Bound<'py, PyAny>,
        r#where: Option<&Bound<'py, PyAny>>,
        bounds: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = function.py().import("affinor._function")?;
        module.call_method("of", (function, r#where), bounds)
    }

    /// Returns the map whose results are sympy expressions. `bounds` has for each of their symbols, or its name, the bounds
    /// as in `of`; `sizes` has them for named sizes. Supported are floor, ceiling, Mod, Min, Max and Abs, and Inductor's
    /// FloorDiv and ModularIndexing.
    #[staticmethod]
    #[pyo3(signature = (results, bounds, sizes = None))]
    fn from_sympy<'py>(
        results: &Bound<'py, PyAny>,
        bounds: &Bound<'py, PyAny>,
        sizes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = results.py().import("affinor._convert")?;
        module.call_method1("from_sympy", (results, bounds, sizes))
    }

    /// Returns the results as sympy expressions, over integer symbols with the names of the variables. They have no domain:
    /// they equal the map's values at points in `bounds` and `constraints`.
    fn to_sympy<'py>(slf: &Bound<'py, IndexMap>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._convert")?;
        module.call_method1("to_sympy", (slf,))
    }

    /// Returns the map of an `islpy.Map`, PwMultiAff or other object with a single piece. Its parameters become named sizes.
    #[staticmethod]
    fn from_islpy<'py>(map: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let module = map.py().import("affinor._convert")?;
        module.call_method1("from_islpy", (map,))
    }

    /// Returns the `islpy.Map` of the reads, with domain and constraints. Range variables are existentially quantified;
    /// runtime variables and named sizes become parameters.
    fn to_islpy<'py>(slf: &Bound<'py, IndexMap>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._convert")?;
        module.call_method1("to_islpy", (slf,))
    }

    /// Returns the map of a `jaxlib.mlir.ir.AffineMap`. Symbols become range variables, or named sizes if they are factors or
    /// divisors. An affine map has no domain; `bounds` has the bounds of its variables (d0, .., s0, ..) as in `of`.
    #[staticmethod]
    #[pyo3(signature = (map, /, **bounds))]
    fn from_mlir<'py>(
        map: &Bound<'py, PyAny>,
        bounds: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = map.py().import("affinor._convert")?;
        module.call_method("from_mlir", (map,), bounds)
    }

    /// Returns the `jaxlib.mlir.ir.AffineMap` with these results, in the given context or the current one. It has no domain.
    /// Range variables and named sizes become symbols. Min, max and runtime variables are an Error.
    #[pyo3(signature = (context = None))]
    fn to_mlir<'py>(
        slf: &Bound<'py, IndexMap>,
        context: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._convert")?;
        module.call_method1("to_mlir", (slf, context))
    }

    /// Returns the map as a tree of dicts and lists: `variables` with their kinds and bounds, `constraints`, and `results` as
    /// expressions, which are integers, names, or an operation before its operands, `["floordiv", "i", 4]`.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &Tree(self.0.clone()))
    }

    /// Returns the map with these bounds for some of its variables.
    fn _bounded(
        &self,
        given: Vec<(String, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    ) -> PyResult<IndexMap> {
        let mut map = self.0.clone();
        for (name, lo, hi) in given {
            let variables = self.0.domain().variables().iter();
            let mut numbered = (0..).map(VariableId).zip(variables);
            if let Some((id, _)) = numbered.find(|(_, variable)| *variable.name == *name) {
                map = map.restricted(&Expr::variable(id), interval(&lo, &hi)?);
            }
        }
        Ok(IndexMap(map))
    }

    /// Returns the relation in isl's notation.
    fn _isl(&self) -> PyResult<String> {
        let emitted = Language::Isl.emit(&self.0, "index_map");
        let code = emitted.map_err(|error| about("", error))?.code;
        let lines = code.lines().filter(|line| !line.starts_with('#'));
        Ok(lines.collect())
    }

    /// The names of the variables, in the order of the arguments of a call.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = variable_names(self.0.domain());
        PyTuple::new(py, names.iter().map(|name| &**name))
    }

    /// The kind of each variable: `dimension`, `range`, `runtime` or `parameter` (a named size).
    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kinds = PyDict::new(py);
        for variable in self.0.domain().variables() {
            kinds.set_item(&*variable.name, variable.kind.word())?;
        }
        Ok(kinds)
    }

    /// The lower and upper bound of each variable, both inclusive; None if infinite.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bounds = PyDict::new(py);
        for variable in self.0.domain().variables() {
            let (lo, hi) = (variable.bounds.lo(), variable.bounds.hi());
            let ends = (
                (lo != affinor::num::MINUS_INFINITY).then_some(lo),
                (hi != affinor::num::PLUS_INFINITY).then_some(hi),
            );
            bounds.set_item(&*variable.name, ends)?;
        }
        Ok(bounds)
    }

    /// The texts of the constraints, which limit the domain in addition to the bounds.
    #[getter]
    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = variable_names(self.0.domain());
        let constraints = self.0.domain().constraints().iter();
        let texts = constraints.map(|it| text::print_constraint(it, &names, text::Style::Plain));
        PyTuple::new(py, texts.collect::<Vec<String>>())
    }

    /// The texts of the results.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = variable_names(self.0.domain());
        let results = self.0.results().iter();
        let texts = results.map(|result| text::print_expr(result, &names, text::Style::Plain));
        PyTuple::new(py, texts.collect::<Vec<String>>())
    }

    /// The number of operations in the results.
    #[getter]
    fn operations(&self) -> u64 {
        self.0.cost().ops
    }

    /// Returns the simplest known map that is the same function. Effort 0 only applies rules, 2 runs a long search.
    ///
    /// >>> IndexMap("(i) -> (i * 4 mod 2 + i), domain: i in [0, 9]").simplify()
    /// IndexMap('(i) -> (i), domain: i in [0, 9]')
    #[pyo3(signature = (*, effort = 1))]
    fn simplify(&self, py: Python<'_>, effort: i64) -> PyResult<IndexMap> {
        let (simplifier, effort) = (simplifier()?, crate::means::effort(effort)?);
        let work =
            |interrupt: &Interrupt| simplifier.simplify(&self.0, &options(effort, interrupt));
        let is_short = effort != Effort::Long && is_small(&self.0);
        let found = if is_short { run_here(py, work) } else { run(py, work) };
        Ok(IndexMap(found?.map))
    }

    /// Returns the steps from this map to the simplified one, each a dict: the `rule`, the term that it rewrote and the
    /// result (`before`, `after`), and the facts that it depends on.
    ///
    /// >>> m = IndexMap("(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 3]")
    /// >>> [(step["rule"], step["after"]) for step in m.why()]
    /// [('div-strip', 'd0')]
    #[pyo3(signature = (*, effort = 1))]
    fn why<'py>(&self, py: Python<'py>, effort: i64) -> PyResult<Bound<'py, PyAny>> {
        let (simplifier, effort) = (simplifier()?, crate::means::effort(effort)?);
        let steps = run(py, |interrupt| {
            let options = options(effort, interrupt);
            simplifier.steps(&simplifier.certify(&self.0, &options), &options)
        })?;
        python(py, &steps)
    }

    /// Returns the certificate that the simplified map is the same function, as a line of JSON for `replay`.
    ///
    /// >>> m = IndexMap("(i) -> (i * 4 mod 2 + i), domain: i in [0, 9]")
    /// >>> replay(m.certificate()) == (m, m.simplify())
    /// True
    #[pyo3(signature = (*, effort = 1))]
    fn certificate(&self, py: Python<'_>, effort: i64) -> PyResult<String> {
        crate::certificates::certificate(&self.certified(py, effort)?)
    }

    /// Decides whether both are the same function: they have the same domain, and the same results at each of its points.
    ///
    /// >>> m = IndexMap("(i) -> (i mod 3), domain: i in [0, 3]")
    /// >>> m.equal(IndexMap("(i) -> (i), domain: i in [0, 3]")).counterexample
    /// {'point': {'i': 3}, 'left': (0,), 'right': (3,)}
    fn equal(&self, py: Python<'_>, other: &IndexMap) -> PyResult<Verdict> {
        equal(py, &self.0, &other.0)
    }

    /// Returns the minimum and the maximum of each result, as dicts: `lo` and `hi` (None if infinite; a map from named sizes
    /// if they depend on these), `tight`, whether both are attained (None if unknown), and `at`, the points that attain them.
    ///
    /// >>> IndexMap("(i, j) -> (i - i mod 8 + j), domain: i in [0, 30], j in [1, 2]").range()
    /// [{'lo': 1, 'hi': 26, 'tight': True, 'at': ({'i': 0, 'j': 1}, {'i': 24, 'j': 2})}]
    fn range<'py>(slf: &Bound<'py, IndexMap>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("range_", (slf,))
    }

    /// Decides whether results and intermediate values fit in an integer of this many bits. Returns a dict: `results_fit` and
    /// `parts_fit` (None if unknown), and `leaves`, the parts that do not fit, each with such a value and its point.
    ///
    /// >>> large = IndexMap("(i) -> (i * 3 - 3000000000), domain: i in [1000000000, 1000000009]")
    /// >>> fits = large.fits(bits=32)
    /// >>> fits["results_fit"], fits["parts_fit"], fits["leaves"][0]["part"]
    /// (True, False, 'i * 3')
    #[pyo3(signature = (*, bits = 32, unsigned = false))]
    fn fits<'py>(
        slf: &Bound<'py, IndexMap>,
        bits: u32,
        unsigned: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item("bits", bits)?;
        options.set_item("unsigned", unsigned)?;
        let module = slf.py().import("affinor._questions")?;
        module.call_method("asked", (slf, "fits MAP"), Some(&options))
    }

    /// Decides whether all points have different results; a counterexample has the points `first`, `second` and their `element`.
    ///
    /// >>> IndexMap("(i) -> (i floordiv 2), domain: i in [0, 9]").injective().counterexample
    /// {'first': {'i': 0}, 'second': {'i': 1}, 'element': [0]}
    fn injective<'py>(slf: &Bound<'py, IndexMap>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("injective", (slf,))
    }

    /// Decides whether all results are indices of an array: of these sizes, or of a shape as text. A counterexample has the
    /// number of the `result` that is outside, its `value`, and the `point`.
    ///
    /// >>> bool(IndexMap("(i) -> (i * 2 + 1), domain: i in [0, 3]").inside([8]))
    /// True
    fn inside<'py>(
        slf: &Bound<'py, IndexMap>,
        shape: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("inside", (slf, shape))
    }

    /// Returns the map as code in `python`, `c`, `cuda`, `triton`, `mlir`, `latex` or `isl`.
    ///
    /// >>> print(IndexMap("(i) -> (i floordiv 8), domain: i in [0, 63]").emit("isl").splitlines()[-1])
    /// { [i] -> [floor((i)/8)] : 0 <= i <= 63 }
    #[pyo3(signature = (language, *, name = "index_map"))]
    fn emit(&self, language: &str, name: &str) -> PyResult<String> {
        let mut all = Language::ALL.into_iter();
        let Some(language) = all.find(|one| one.word() == language) else {
            let words = Language::ALL.map(Language::word).join(", ");
            let error =
                text::Error::without_span(ErrorKind::Name, format!("no language `{language}`"));
            return Err(about("", error.hint(format!("the languages are {words}"))));
        };
        let emitted = language.emit(&self.0, name);
        emitted.map(|emitted| emitted.code).map_err(|error| about("", error))
    }

    /// Returns the transactions of global memory of a warp whose threads access the elements that the map reads, as a dict.
    /// Options are those of the command `coalesce`, as `bytes=2`, `warp=64`; `layout` is the layout of the array that is read.
    ///
    /// >>> IndexMap("(lane) -> (lane * 2), domain: lane in [0, 31]").coalesce()["transactions"]
    /// 8
    #[pyo3(signature = (layout = None, **options))]
    fn coalesce<'py>(
        slf: &Bound<'py, IndexMap>,
        layout: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::means::memory(slf, "coalesce", layout, options)
    }

    /// Returns the passes of a warp through the banks of shared memory, as a dict. Options are those of the command `banks`.
    ///
    /// >>> IndexMap("(lane) -> (lane * 2), domain: lane in [0, 31]").banks()["conflicts"]
    /// 1
    #[pyo3(signature = (layout = None, **options))]
    fn banks<'py>(
        slf: &Bound<'py, IndexMap>,
        layout: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::means::memory(slf, "banks", layout, options)
    }

    /// Returns the number of neighbours along a variable that one access can cover, for all values of the others, as a dict.
    /// Options are those of the command `vector`: `lane="j"`, `bytes=16`, `element=2`.
    ///
    /// >>> rows = IndexMap("(i, j) -> (i * 36 + j), domain: i in [0, 9], j in [0, 35]")
    /// >>> wide = rows.vector(element=2)
    /// >>> wide["elements"], wide["less"]["elements"], wide["less"]["reason"]
    /// (4, 8, 'partial')
    #[pyo3(signature = (layout = None, **options))]
    fn vector<'py>(
        slf: &Bound<'py, IndexMap>,
        layout: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::means::memory(slf, "vector", layout, options)
    }

    /// Returns a picture of the reads of the map, in characters.
    fn draw<'py>(slf: &Bound<'py, IndexMap>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("asked", (slf, "draw MAP"))?.get_item("picture")
    }

    /// Returns the composition: `a @ b` applies b, then a: `(a @ b)(i) == a(*b(i))`. The result is not simplified.
    fn __matmul__(&self, inner: &IndexMap) -> PyResult<IndexMap> {
        inner.0.then(&self.0).map(IndexMap).map_err(compose)
    }

    /// Returns the results at values of the variables, by place or by name: integers, or NumPy arrays, which are broadcast.
    #[pyo3(signature = (*values, **named))]
    fn __call__<'py>(
        &self,
        values: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        crate::arrays::results(&self.0, values, named)
    }

    /// Returns the map from results to the values of the dimensions that attain them; with range variables if there are many.
    /// Each point was proved to have the result.
    ///
    /// >>> IndexMap("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]").inverse()
    /// IndexMap('(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]')
    fn inverse(&self, py: Python<'_>) -> PyResult<IndexMap> {
        crate::image::inverse(py, &self.0)
    }

    /// Returns the box, with steps, that contains all results, as a dict: `box` (lower and upper end of each dimension), `steps`,
    /// `size`, and `exact`: whether all of its elements are results. A number that depends on named sizes is a map from these.
    ///
    /// >>> IndexMap("(i) -> (i * 4), domain: i in [0, 2]").image()
    /// {'box': [(0, 8)], 'steps': [4], 'size': 3, 'exact': True}
    /// >>> IndexMap.of(lambda i, *, n: i + n, lambda i, *, n: i < n, i=(0, None), n=(1, None)).image()["box"]
    /// [(IndexMap('<n>() -> (n), domain: n in [1, inf]'), IndexMap('<n>() -> (n * 2 - 1), domain: n in [1, inf]'))]
    fn image<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::image::image(py, &self.0)
    }

    /// Returns the number of distinct results. If it depends on named sizes, it is a map from these: call it with their
    /// values, or use its `to_sympy`.
    ///
    /// >>> IndexMap("(i, j) -> (i + j), domain: i in [0, 9], j in [0, 3]").count()
    /// 13
    /// >>> IndexMap.of(lambda i, j, *, n: i * n + j, lambda i, j, *, n: j < n, i=8, j=(0, None), n=(1, None)).count()
    /// IndexMap('<n>() -> (n * 8), domain: n in [1, inf]')
    fn count(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        crate::image::count(py, &self.0)
    }

    /// Returns the elements read for a tile of the dimensions, for all tiles t0, t1, .. at once, which are counted from index
    /// 0: again a tile, or None if nothing is read. Each dimension needs a size; a leading `...` gives size 1 to all
    /// dimensions before the given ones, and `along` has sizes for the first range variables, whose tiles have the next
    /// numbers. A size may be a name, or an expression over names: the answer holds for all their values. `stride` has the
    /// distances of neighbours in the tile. For the tile that reads a given tile, use the inverse.
    ///
    /// The dict has `offset` (the map from each tile that reads anything to the first element that it reads), and for each
    /// dimension `size`, `stride`, `last` (a map to the last element if the size differs between tiles, else None) and `within`
    /// (the ends at which a tile is cut off, None for an end without a cut); then `elements` (of the largest tile), and `exact`:
    /// whether exactly the tile is proved, or counted, to be read; otherwise it is an upper bound. A runtime variable is assumed
    /// to have a single value in a tile. A number that depends on named sizes is a map from these.
    ///
    /// >>> rows = IndexMap("(d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31]")
    /// >>> tile = rows.tile(1, 32)
    /// >>> tile["offset"]
    /// IndexMap('(t0, t1) -> (t0 * 2, 0), domain: t0 in [0, 3], t1 in [0, 0]')
    /// >>> tile["size"], tile["elements"], tile["exact"]
    /// ([2, 16], 32, True)
    /// >>> IndexMap("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 61], s0 in [0, 2]").tile("b")["size"]
    /// [IndexMap('<b>() -> (b + 2), domain: b in [1, inf]')]
    #[pyo3(signature = (*sizes, along = Vec::new(), stride = None), text_signature = "($self, *sizes, along=(), stride=None)")]
    fn tile<'py>(
        &self,
        py: Python<'py>,
        sizes: Vec<Bound<'py, PyAny>>,
        along: Vec<Bound<'py, PyAny>>,
        stride: Option<Vec<i64>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        crate::tiles::tile(py, &self.0, sizes, along, stride)
    }

    /// Returns sizes of tiles for which the map reads exactly a tile, such that a tile and the elements it reads are at most
    /// `most` elements together: dicts of `sizes` and these `elements`, largest tiles first. The candidates are powers of two
    /// and whole dimensions.
    ///
    /// >>> IndexMap("(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 63]").suggest_tiles(most=256)[0]
    /// {'sizes': [2, 64], 'elements': 256}
    #[pyo3(signature = (*, most = 16_384))]
    fn suggest_tiles<'py>(&self, py: Python<'py>, most: u64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        crate::tiles::suggested(py, &self.0, most)
    }

    /// Returns a picture for notebooks: the elements that the map reads, and how often each is read. None if there are too
    /// many or infinitely many points, or if no element with two non-negative indices is read. For a large array it has 16
    /// rows and columns, including the first that are read, with a note on reads outside.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        crate::picture::picture(py, &self.0)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(html(&self.0.to_string(), self._repr_svg_(py)?))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.0.to_string());
        Ok(format!("IndexMap({})", text.repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<IndexMap>(), (self.0.to_string(),))
    }
}
