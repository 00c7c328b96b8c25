//! Layouts as objects of Python.
//!
//! Modules in dependency order: `form` (the forms of a layout), `algebra` (operations on forms), `operands` (Python values
//! that are accepted as layouts), `places` (the holders of an element), `written` (repr and pickles).

mod algebra;
mod form;
mod operands;
mod places;
mod written;

use crate::errors::{about, refused, wrong};
use crate::map::IndexMap;
use crate::means::html;
use crate::verdict::Verdict;
use affinor::text::ErrorKind;
use affinor_draw::{Extent, svg, terminal};
use affinor_layout::cute::algebra::Refusal;
use affinor_layout::linear::{Input, LinearLayout, Output};
use algebra::{Equal, Regrouping};
use form::Form;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use written::Dimensions;

/// The positions of the elements of an array in memory, or the threads that hold them. A layout is a shape of HLO with its
/// layout; a layout of CuTe, as text or as a shape and strides, whose sizes may have names; or a Triton attribute with the
/// shape of its tensor. A shape alone is column-major, as in CuTe. The operations are CuTe's; each answer was checked against
/// the definition of its operation.
///
/// >>> layout = Layout("f32[3,5]{1,0:T(2,2)}")
/// >>> layout.position(2, 3)
/// (17,)
/// >>> layout.element(17)
/// (2, 3)
/// >>> layout.sizes, layout.physical_sizes, layout.positions
/// ((3, 5), (2, 3, 2, 2), 24)
/// >>> tiled = Layout((9, (4, 8)), (59, (13, 1))).divide("<3:3,(2,4):(1,8)>", how="zipped")
/// >>> tiled.shape, tiled.stride
/// (((3, (2, 4)), (3, (2, 2))), ((177, (13, 2)), (59, (26, 1))))
/// >>> Layout((160, "n"), (1, 160)).coalesce()
/// Layout('160*n:1')
#[pyclass(frozen, weakref, module = "affinor")]
pub struct Layout {
    form: Form,
    position: IndexMap,
}

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(signature = (layout, stride = None, *, r#where = None))]
    fn new(
        py: Python<'_>,
        layout: &Bound<'_, PyAny>,
        stride: Option<&Bound<'_, PyAny>>,
        r#where: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Layout> {
        let conditions = r#where.map(operands::conditions).transpose()?.unwrap_or_default();
        Layout::of_form(operands::form(py, layout, stride)?.under(conditions, None)?)
    }

    /// Creates a CuTe layout with conditions, for pickles.
    #[staticmethod]
    fn _of_named(
        text: &str,
        conditions: &Bound<'_, PyAny>,
        otherwise: Option<String>,
    ) -> PyResult<Layout> {
        let conditions = operands::conditions(conditions)?;
        Layout::of_form(Form::read(text)?.under(conditions, otherwise)?)
    }

    /// Creates a linear function of bits, for pickles.
    #[staticmethod]
    fn _of_bits(inputs: Dimensions<Vec<u64>>, outputs: Dimensions<u32>) -> PyResult<Layout> {
        let inputs = inputs.into_iter().map(|(name, bases)| Input { name, bases });
        let outputs = outputs.into_iter().map(|(name, bits)| Output { name, bits });
        let layout = LinearLayout::new(inputs.collect(), outputs.collect());
        let layout = layout.map_err(|why| wrong(ErrorKind::Shape, why.to_string()))?;
        Layout::of_form(Form::of_linear(layout))
    }

    /// Returns the smallest CuTe layout equal to a map, with its swizzle and its offset; the linear layout if the map has
    /// several results.
    ///
    /// >>> Layout.of(IndexMap("(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]"))
    /// Layout('(4,8):(8,1)')
    #[staticmethod]
    fn of(py: Python<'_>, map: &IndexMap) -> PyResult<Layout> {
        Layout::of_form(algebra::of_map(py, &map.0)?)
    }

    /// The kind of the layout: `array`, `cute`, `named` (CuTe's with names), `threads` or `memory` (Triton's), or `linear`, a
    /// function of bits.
    #[getter]
    fn kind(&self) -> &'static str {
        self.form.kind()
    }

    /// The map from the index of an element to its position; for threads, from `(register, lane, warp, block)` to an element.
    #[getter]
    fn position(&self) -> IndexMap {
        self.position.clone()
    }

    /// Returns the map `position`.
    fn to_map(&self) -> IndexMap {
        self.position()
    }

    /// The map from a position to the index of its element; positions of padding are not in its domain. A CuTe layout has
    /// `inverse` instead.
    #[getter]
    fn element(&self) -> PyResult<IndexMap> {
        match &self.form {
            Form::Array(placement) => Ok(IndexMap(placement.element().clone())),
            _ => {
                let message = "only an array has a map of positions: `inverse` is a layout of them";
                Err(wrong(ErrorKind::Unsupported, message))
            }
        }
    }

    /// The sizes of an index; products with names are texts.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let sizes = self.form.sizes()?;
        let sizes = sizes.iter().map(|size| operands::leaf(py, size));
        PyTuple::new(py, sizes.collect::<PyResult<Vec<_>>>()?)
    }

    /// The shape in the notation of CuTe: an integer, or nested tuples, in which products with names are texts.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        operands::tuples(py, &self.form.halves()?.0)
    }

    /// The strides, in tuples like those of `shape`.
    #[getter]
    fn stride<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        operands::tuples(py, &self.form.halves()?.1)
    }

    /// The bits, the base and the shift of the swizzle, or None.
    #[getter]
    fn swizzle(&self) -> PyResult<Option<(u32, u32, i32)>> {
        match &self.form {
            Form::Named(found) => Ok(found.layout.swizzle()),
            form => Ok(form.cute()?.swizzle()),
        }
        .map(|swizzle| swizzle.map(|it| (it.bits, it.base, it.shift)))
    }

    /// The number that is added to each offset before the swizzle is applied.
    #[getter]
    fn offset(&self) -> PyResult<i64> {
        match &self.form {
            Form::Named(_) => Ok(0),
            form => Ok(form.cute()?.base()),
        }
    }

    /// The names of sizes and conditions, sorted.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.form {
            Form::Named(found) => PyTuple::new(py, found.names()),
            _ => Ok(PyTuple::empty(py)),
        }
    }

    /// The conditions under which the layout is the answer of an operation on layouts with names. All must hold; empty if it
    /// is the answer for all sizes of at least 1. `at` rejects values that violate them.
    ///
    /// >>> Layout("(n,m):(m,1)").compose("8:1").where
    /// ('n >= 8',)
    #[getter(r#where)]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        written::conditions(py, &self.form)
    }

    /// An example of sizes that violate the conditions of the last operation, with the reason why it has no answer for them;
    /// None if none was found.
    #[getter]
    fn otherwise(&self) -> Option<&str> {
        match &self.form {
            Form::Named(found) => found.otherwise.as_deref(),
            _ => None,
        }
    }

    /// The number of elements; a map from the names if there are any.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.elements()?.object(py)
    }

    /// The end of the positions, padding included: one more than the last; a map from the names if there are any.
    ///
    /// >>> Layout("(4,2):(1,10)").cosize
    /// 14
    #[getter]
    fn cosize(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.end()?.object(py)
    }

    /// The number of positions, which is `cosize`.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.cosize(py)
    }

    /// The size of an array in memory, in bytes; None beyond 64 bits, and for other layouts.
    #[getter]
    fn bytes(&self) -> Option<i64> {
        match &self.form {
            Form::Array(placement) => placement.physical_bytes(),
            _ => None,
        }
    }

    /// The sizes of the array in memory, tiles and padding included.
    #[getter]
    fn physical_sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.form {
            Form::Array(placement) => PyTuple::new(py, placement.physical_sizes()),
            _ => self.sizes(py),
        }
    }

    /// Returns the position of an element, given by its number, counted as in CuTe with the first mode fastest, or by one
    /// index for each mode.
    ///
    /// >>> layout = Layout("((2,2),4):((1,8),2)")
    /// >>> layout(7), layout(3, 1)
    /// (11, 11)
    #[pyo3(signature = (*index))]
    fn __call__<'py>(&self, index: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let rank = self.position.0.domain().variables().len();
        let by_number = match &self.form {
            Form::Cute(layout) if index.len() == 1 && rank != 1 => Some(layout.line()),
            _ => None,
        };
        let line = by_number.transpose().map_err(|error| about("", error))?;
        let results =
            crate::arrays::results(line.as_ref().unwrap_or(&self.position.0), index, None)?;
        match results.len() {
            1 => results.get_item(0),
            _ => Ok(results.into_any()),
        }
    }

    /// Returns the layout with values substituted for its names; values that violate its conditions are an Error.
    ///
    /// >>> Layout("(160,n):(1,160)").at(n=4)
    /// Layout('(160,4):(1,160)')
    #[pyo3(signature = (**values))]
    fn at(&self, values: Option<BTreeMap<String, i64>>) -> PyResult<Layout> {
        Layout::of_form(algebra::at(&self.form, &values.unwrap_or_default())?)
    }

    /// Returns the layout of `self(other(x))`. `other` is a layout, its text, or a tiler by modes: `(4, 8)` or `"<4:1,8:1>"`.
    /// If sizes have names, `where` has the conditions under which it is the answer.
    fn compose(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        Layout::of_form(algebra::compose(py, &self.form, operands::operand(py, other)?)?)
    }

    fn __matmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        self.compose(py, other)
    }

    /// Returns the ordered layout such that each number below `size` is the sum of one offset of each of the two layouts; by
    /// default, `size` is the end of the last offset. A size is an integer, a shape, or a product with names as text.
    #[pyo3(signature = (size = None))]
    fn complement(&self, py: Python<'_>, size: Option<&Bound<'_, PyAny>>) -> PyResult<Layout> {
        let size = size.map(operands::size).transpose()?;
        Layout::of_form(algebra::complement(py, &self.form, size)?)
    }

    /// Returns the layout with its elements grouped in tiles: `how` is "logical", "zipped", "tiled" or "flat".
    #[pyo3(signature = (tile, how = "logical"))]
    fn divide(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::divide(py, &self.form, operands::operand(py, tile)?, how)?)
    }

    /// Returns a copy of the layout for each element of `tile`: `how` has the values of `divide`, or is "blocked" or "raked".
    #[pyo3(signature = (tile, how = "logical"))]
    fn product(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::product(py, &self.form, operands::operand(py, tile)?, how)?)
    }

    /// Returns the layout L with `L(self(x)) = x`, or with `side="right"` the layout R with `self(R(i)) = i`; for a linear
    /// layout A, `side="pseudo"` returns the layout P with `A P A = A`, which always exists.
    #[pyo3(signature = (side = "left"))]
    fn inverse(&self, py: Python<'_>, side: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::inverse(py, &self.form, side)?)
    }

    /// Returns the map from a position to the number of its element, even if `inverse` is not a layout. Positions without an
    /// element are mapped to arbitrary numbers.
    ///
    /// >>> Layout("(2,8):(3,16)").inverse_map()
    /// IndexMap('(d0) -> (d0 floordiv 16 * 2 + d0 mod 16 floordiv 3), domain: d0 in [0, 115]')
    fn inverse_map(&self, py: Python<'_>) -> PyResult<IndexMap> {
        algebra::inverse_map(py, &self.form).map(IndexMap)
    }

    /// Returns the same function of the number of an element, with the fewest modes.
    fn coalesce(&self, py: Python<'_>) -> PyResult<Layout> {
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Coalesce)?)
    }

    /// Returns the same function without nested modes.
    fn flatten(&self, py: Python<'_>) -> PyResult<Layout> {
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Flatten)?)
    }

    /// Returns the same function with the modes from `start` to `stop - 1` grouped as one.
    ///
    /// >>> Layout("(2,3,5):(1,2,6)").group(0, 2)
    /// Layout('((2,3),5):((1,2),6)')
    fn group(&self, py: Python<'_>, start: i64, stop: i64) -> PyResult<Layout> {
        let (Ok(start), Ok(stop)) = (usize::try_from(start), usize::try_from(stop)) else {
            return Err(wrong(ErrorKind::Shape, "the number of a mode is not negative"));
        };
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Group(start, stop))?)
    }

    /// Returns the longest layout of elements that are contiguous from 0 on in both layouts: the elements that one vector can
    /// copy.
    fn common(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        Layout::of_form(algebra::common(py, &self.form, operands::operand(py, other)?)?)
    }

    /// Converts the layout from elements of `old` bits to elements of `new` bits.
    ///
    /// >>> Layout("(4,8):(8,1)").recast(16, 32)
    /// Layout('(4,4):(4,1)')
    fn recast(&self, py: Python<'_>, old: i64, new: i64) -> PyResult<Layout> {
        Layout::of_form(algebra::recast(py, &self.form, old, new)?)
    }

    /// Decides whether both are the same function of an index or, if their modes differ, of the number of an element. `==`
    /// compares their texts.
    ///
    /// >>> bool(Layout("((2,2),3):((1,2),4)").equal("12:1"))
    /// True
    fn equal(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        match algebra::equal(py, &self.form, &operands::form(py, other, None)?)? {
            Equal::ByIndex(map, verdict) => Verdict::of(py, map.domain(), verdict),
            Equal::ByNumber(Ok(())) => Ok(Verdict::said("proved", None)),
            Equal::ByNumber(Err(Refusal::None(why))) => Ok(Verdict::said("refuted", Some(why))),
            Equal::ByNumber(Err(Refusal::Unknown(why))) => Ok(Verdict::said("unknown", Some(why))),
            Equal::ByNumber(Err(other)) => Err(refused(other)),
        }
    }

    /// Returns the places that hold an element in a layout of threads, as dicts of `register`, `lane`, `warp` and `block`.
    ///
    /// >>> mma = Layout("#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], instrShape = [16, 8]}>")
    /// >>> mma.holders(3, 5)
    /// [{'register': 1, 'lane': 14, 'warp': 0, 'block': 0}]
    #[pyo3(signature = (*index))]
    fn holders<'py>(&self, py: Python<'py>, index: Vec<i64>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        places::holders(py, &self.form, &index)
    }

    /// Decides whether an array in this layout can be reinterpreted in another shape and layout without a copy, by a reshape
    /// or by a transpose; returns a dict with the answers and the map of the bitcast.
    fn bitcast<'py>(
        slf: &Bound<'py, Layout>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("bitcast", (slf, other))
    }

    /// Returns how far elements move when a tensor changes from this layout of threads to another, as a dict: `answer` is
    /// `nothing`, `registers`, `shuffles`, `shared` or `cluster`; `moves` and `memory` have the details.
    fn convert<'py>(
        slf: &Bound<'py, Layout>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let other = Layout::of_form(operands::form(slf.py(), other, None)?)?;
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("convert", (slf, other))
    }

    /// Returns the passes of a warp through the banks of shared memory in this layout, as a dict. The warp accesses the
    /// elements that a map or a layout of threads holds; without `threads`, each thread accesses one index. The options are
    /// those of `IndexMap.banks`.
    ///
    /// >>> Layout("32:2").banks()["conflicts"]
    /// 1
    #[pyo3(signature = (threads = None, **options))]
    fn banks<'py>(
        slf: &Bound<'py, Layout>,
        threads: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let threads = match threads {
            Some(map) if map.cast::<IndexMap>().is_ok() => Some(map.clone()),
            Some(given) => {
                let layout = Layout::of_form(operands::form(py, given, None)?)?;
                Some(Bound::new(py, layout)?.into_any())
            }
            None => None,
        };
        let module = py.import("affinor._questions")?;
        module.call_method("banks_of", (slf, threads), options)
    }

    /// Returns a picture in characters: positions along the first two modes, or the threads that hold each element. `banks`,
    /// a number of banks with words of `word` bytes, shows the bank of each element of `bytes` bytes. `tile`, two sizes,
    /// shows the thread and the value of such a layout that hold each element of a tile.
    #[pyo3(signature = (*, banks = None, bytes = 4, word = 4, tile = None, ascii = false))]
    fn draw(
        &self,
        banks: Option<i64>,
        bytes: i64,
        word: i64,
        tile: Option<[i64; 2]>,
        ascii: bool,
    ) -> PyResult<String> {
        let grids = self.form.pictures(banks, (bytes, word), tile, Extent::TERMINAL)?;
        let lines = grids.iter().flat_map(|grid| terminal(grid, ascii));
        let lines = lines.map(|line| line.into_iter().map(|(_, piece)| piece).collect());
        Ok(lines.collect::<Vec<String>>().join("\n"))
    }

    /// Returns the picture of `draw` as SVG; for a large array it has the first 56 and the last 8 rows and columns, with a
    /// note.
    #[pyo3(signature = (*, banks = None, bytes = 4, word = 4, tile = None))]
    fn svg(
        &self,
        banks: Option<i64>,
        bytes: i64,
        word: i64,
        tile: Option<[i64; 2]>,
    ) -> PyResult<String> {
        Ok(svg(&self.form.pictures(banks, (bytes, word), tile, Extent::FILE)?))
    }

    /// Returns a picture for notebooks: the array with its tiles, each cell with its position. For a large array it has the
    /// first 12 and the last 4 rows and columns, with a note.
    fn _repr_svg_(&self) -> Option<String> {
        let grids = self.form.pictures(None, (4, 4), None, Extent::NOTEBOOK).ok()?;
        Some(svg(&grids))
    }

    fn _repr_html_(&self) -> String {
        html(&self.form.text(), self._repr_svg_())
    }

    fn __eq__(&self, other: &Layout) -> bool {
        self.form.kind() == other.form.kind() && self.form.key() == other.form.key()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.form.kind(), self.form.key()).hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.form.text()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        written::repr(py, &self.form)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (maker, parts) = written::parts(py, &self.form)?;
        let class = py.get_type::<Layout>().into_any();
        let maker = maker.map(|maker| class.getattr(maker)).transpose()?;
        Ok((maker.unwrap_or(class), parts))
    }
}

impl Layout {
    fn of_form(form: Form) -> PyResult<Layout> {
        let position = IndexMap(form.map()?);
        Ok(Layout { form, position })
    }
}
