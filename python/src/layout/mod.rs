//! Layouts as objects of Python.
//!
//! Modules in dependency order: `form` (what a layout is), `algebra` (operations on forms), `operands` (what Python gives
//! for a layout), `places` (who holds an element), `written` (repr and pickles).

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

/// Where the elements of an array lie in memory, or which thread holds them: a shape of HLO with its layout; a layout of CuTe, as
/// text or as a shape and strides, of which sizes may have names; or an attribute of Triton with the shape of its tensor. A shape
/// alone is column-major, as in CuTe. The operations are CuTe's; each answer was checked against the definition of its operation.
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

    /// A layout of CuTe with conditions, for pickles.
    #[staticmethod]
    fn _of_named(
        text: &str,
        conditions: &Bound<'_, PyAny>,
        otherwise: Option<String>,
    ) -> PyResult<Layout> {
        let conditions = operands::conditions(conditions)?;
        Layout::of_form(Form::read(text)?.under(conditions, otherwise)?)
    }

    /// A linear function of bits, for pickles.
    #[staticmethod]
    fn _of_bits(inputs: Dimensions<Vec<u64>>, outputs: Dimensions<u32>) -> PyResult<Layout> {
        let inputs = inputs.into_iter().map(|(name, bases)| Input { name, bases });
        let outputs = outputs.into_iter().map(|(name, bits)| Output { name, bits });
        let layout = LinearLayout::new(inputs.collect(), outputs.collect());
        let layout = layout.map_err(|why| wrong(ErrorKind::Shape, why.to_string()))?;
        Layout::of_form(Form::of_linear(layout))
    }

    /// The smallest layout of CuTe that a map is, with its swizzle and its offset; the linear layout if it has several results.
    ///
    /// >>> Layout.of(IndexMap("(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]"))
    /// Layout('(4,8):(8,1)')
    #[staticmethod]
    fn of(py: Python<'_>, map: &IndexMap) -> PyResult<Layout> {
        Layout::of_form(algebra::of_map(py, &map.0)?)
    }

    /// What it is: `array`, `cute`, `named` (CuTe's with names), `threads` or `memory` (Triton's), or `linear`, a function of bits.
    #[getter]
    fn kind(&self) -> &'static str {
        self.form.kind()
    }

    /// The map from the index of an element to its position; of threads, from `(register, lane, warp, block)` to an element.
    #[getter]
    fn position(&self) -> IndexMap {
        self.position.clone()
    }

    /// The same as `position`.
    fn to_map(&self) -> IndexMap {
        self.position()
    }

    /// The map from a position to the index of its element; positions of padding are not in its domain. A layout of CuTe has
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

    /// The shape as CuTe has it: an integer, or nested tuples, in which products with names are texts.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        operands::tuples(py, &self.form.halves()?.0)
    }

    /// The strides, in tuples as `shape`.
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

    /// What is added to each offset, below the swizzle.
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

    /// The conditions under which it is the answer of an operation on layouts with names, all of which have to hold; none if
    /// it is for all sizes of at least 1. `at` refuses values that do not meet them.
    ///
    /// >>> Layout("(n,m):(m,1)").compose("8:1").where
    /// ('n >= 8',)
    #[getter(r#where)]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        written::conditions(py, &self.form)
    }

    /// Sizes that do not meet the conditions which the last operation added, at which no layout is its answer, and why; None if
    /// none were found.
    #[getter]
    fn otherwise(&self) -> Option<&str> {
        match &self.form {
            Form::Named(found) => found.otherwise.as_deref(),
            _ => None,
        }
    }

    /// The number of elements; a map from the names if it has any.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.elements()?.object(py)
    }

    /// The end of the positions, padding included: one more than the last; a map from the names if it has any.
    ///
    /// >>> Layout("(4,2):(1,10)").cosize
    /// 14
    #[getter]
    fn cosize(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.form.end()?.object(py)
    }

    /// The same as `cosize`.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.cosize(py)
    }

    /// The bytes of an array in memory, or None beyond 64 bits, and of other layouts.
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

    /// The position of an element: of its number, counted as CuTe does with the first mode fastest, or of one index for each mode.
    ///
    /// >>> layout = Layout("((2,2),4):((1,8),2)")
    /// >>> layout(7), layout(3, 1)
    /// (11, 11)
    #[pyo3(signature = (*index))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rank = self.position.0.domain().variables().len();
        let by_number = match &self.form {
            Form::Cute(layout) if index.len() == 1 && rank != 1 => Some(layout.line()),
            _ => None,
        };
        let line = by_number.transpose().map_err(|error| about("", error))?;
        let results = crate::arrays::results(py, line.as_ref().unwrap_or(&self.position.0), index)?;
        match results.len() {
            1 => results.get_item(0),
            _ => Ok(results.into_any()),
        }
    }

    /// The layout with values in place of names; an Error if they do not meet its conditions.
    ///
    /// >>> Layout("(160,n):(1,160)").at(n=4)
    /// Layout('(160,4):(1,160)')
    #[pyo3(signature = (**values))]
    fn at(&self, values: Option<BTreeMap<String, i64>>) -> PyResult<Layout> {
        Layout::of_form(algebra::at(&self.form, &values.unwrap_or_default())?)
    }

    /// The layout of `self(other(x))`. `other` is a layout, its text, or a tiler: `(4, 8)` or `"<4:1,8:1>"`, by modes. Where
    /// sizes have names, `where` says under which conditions it is the answer.
    fn compose(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        Layout::of_form(algebra::compose(py, &self.form, operands::operand(py, other)?)?)
    }

    fn __matmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        self.compose(py, other)
    }

    /// The ordered layout such that each number below `size` is a sum of one offset of both; without it, below the last
    /// offset's end. A size is an integer, a shape, or a product with names as text.
    #[pyo3(signature = (size = None))]
    fn complement(&self, py: Python<'_>, size: Option<&Bound<'_, PyAny>>) -> PyResult<Layout> {
        let size = size.map(operands::size).transpose()?;
        Layout::of_form(algebra::complement(py, &self.form, size)?)
    }

    /// The elements in tiles: `how` is "logical", "zipped", "tiled" or "flat".
    #[pyo3(signature = (tile, how = "logical"))]
    fn divide(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::divide(py, &self.form, operands::operand(py, tile)?, how)?)
    }

    /// A copy for each element of `tile`: `how` is as of `divide`, or "blocked" or "raked".
    #[pyo3(signature = (tile, how = "logical"))]
    fn product(&self, py: Python<'_>, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::product(py, &self.form, operands::operand(py, tile)?, how)?)
    }

    /// The layout L with `L(self(x)) = x`, or with `side="right"` the layout R with `self(R(i)) = i`; of a linear layout A with
    /// `side="pseudo"` the layout P with `A P A = A`, which is there always.
    #[pyo3(signature = (side = "left"))]
    fn inverse(&self, py: Python<'_>, side: &str) -> PyResult<Layout> {
        Layout::of_form(algebra::inverse(py, &self.form, side)?)
    }

    /// The map from a position to the number of the element there, also where `inverse` is no layout. Positions at which no element
    /// lies have some number, too.
    ///
    /// >>> Layout("(2,8):(3,16)").inverse_map()
    /// IndexMap('(d0) -> (d0 floordiv 16 * 2 + d0 mod 16 floordiv 3), domain: d0 in [0, 115]')
    fn inverse_map(&self, py: Python<'_>) -> PyResult<IndexMap> {
        algebra::inverse_map(py, &self.form).map(IndexMap)
    }

    /// The same function of the number of an element, with the fewest modes.
    fn coalesce(&self, py: Python<'_>) -> PyResult<Layout> {
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Coalesce)?)
    }

    /// The same function without nested modes.
    fn flatten(&self, py: Python<'_>) -> PyResult<Layout> {
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Flatten)?)
    }

    /// The same function with the modes from `start` to `stop - 1` in one.
    ///
    /// >>> Layout("(2,3,5):(1,2,6)").group(0, 2)
    /// Layout('((2,3),5):((1,2),6)')
    fn group(&self, py: Python<'_>, start: i64, stop: i64) -> PyResult<Layout> {
        let (Ok(start), Ok(stop)) = (usize::try_from(start), usize::try_from(stop)) else {
            return Err(wrong(ErrorKind::Shape, "the number of a mode is not negative"));
        };
        Layout::of_form(algebra::regrouped(py, &self.form, Regrouping::Group(start, stop))?)
    }

    /// The longest layout of elements that lie one behind the other from 0 on in both: what one vector copies.
    fn common(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        Layout::of_form(algebra::common(py, &self.form, operands::operand(py, other)?)?)
    }

    /// The layout in elements of `new` bits of this one in elements of `old` bits.
    ///
    /// >>> Layout("(4,8):(8,1)").recast(16, 32)
    /// Layout('(4,4):(4,1)')
    fn recast(&self, py: Python<'_>, old: i64, new: i64) -> PyResult<Layout> {
        Layout::of_form(algebra::recast(py, &self.form, old, new)?)
    }

    /// Whether both are one function of an index, or, where their modes differ, of the number of an element. `==` compares how
    /// they are written.
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

    /// The places that hold an element, as dicts of `register`, `lane`, `warp` and `block`, of a layout of threads.
    ///
    /// >>> mma = Layout("#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], instrShape = [16, 8]}>")
    /// >>> mma.holders(3, 5)
    /// [{'register': 1, 'lane': 14, 'warp': 0, 'block': 0}]
    #[pyo3(signature = (*index))]
    fn holders<'py>(&self, py: Python<'py>, index: Vec<i64>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        places::holders(py, &self.form, &index)
    }

    /// Whether an array in this layout is the one of another shape and layout without a copy, as a dict: by a reshape, by a
    /// transpose, and the map of the bitcast.
    fn bitcast<'py>(
        slf: &Bound<'py, Layout>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("bitcast", (slf, other))
    }

    /// How far elements go when a tensor changes from this layout of threads to another, as a dict: `answer` is `nothing`,
    /// `registers`, `shuffles`, `shared` or `cluster`; `moves` and `memory` say how they go.
    fn convert<'py>(
        slf: &Bound<'py, Layout>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let other = Layout::of_form(operands::form(slf.py(), other, None)?)?;
        let module = slf.py().import("affinor._questions")?;
        module.call_method1("convert", (slf, other))
    }

    /// The passes of a warp through the banks of shared memory in this layout, as a dict: when the elements are accessed that a
    /// map or a layout of threads holds, or without `threads` when each thread accesses one index. Options are those of
    /// `IndexMap.banks`.
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

    /// A picture in characters: positions along the first two modes, or the threads that hold each element. `banks` shows the
    /// bank of each element of `bytes` bytes, of so many banks with words of `word` bytes; `tile`, two sizes, which thread and
    /// value of a layout of these holds each element of a tile.
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

    /// The picture of `draw` as SVG; of a large array it has the first 56 and the last 8 rows and columns, and says so.
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

    /// A picture: the array as it is cut into tiles, each cell with its position. Notebooks show it. Of a large array it has the
    /// first 12 and the last 4 rows and columns, and says so.
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
