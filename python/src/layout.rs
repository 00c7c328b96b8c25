//! Layouts.

use crate::errors::{about, undecided, wrong};
use crate::map::IndexMap;
use crate::means::html;
use affinor::prove::Budget;
use affinor::text::ErrorKind;
use affinor_draw::{Extent, of_cute, of_placement, svg};
use affinor_hlo::read_shape;
use affinor_layout::cute::algebra::{self, Arrangement, Interleaving, Made, Refusal};
use affinor_layout::cute::{self, Tiler};
use affinor_layout::memory::Placement;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

/// Where the elements of an array lie in memory: a shape of HLO with its layout, or a layout of CuTe, which has CuTe's
/// algebra too. Each answer of that is checked against the definition of its operation.
///
/// >>> layout = Layout("f32[3,5]{1,0:T(2,2)}")
/// >>> layout.position(2, 3)
/// (17,)
/// >>> layout.element(17)
/// (2, 3)
/// >>> layout.sizes, layout.physical_sizes, layout.positions
/// ((3, 5), (2, 3, 2, 2), 24)
/// >>> tiled = Layout("(9,(4,8)):(59,(13,1))").divide("<3:3,(2,4):(1,8)>", how="zipped")
/// >>> str(tiled), tiled.sizes
/// ('((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))', (24, 12))
#[pyclass(frozen, weakref, module = "affinor", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Layout {
    text: String,
    position: IndexMap,
    /// None of a layout of CuTe.
    element: Option<IndexMap>,
    sizes: Vec<i64>,
    physical_sizes: Vec<i64>,
    /// The number of positions, padding included.
    #[pyo3(get)]
    positions: i64,
    /// The bytes in memory, or None beyond 64 bits.
    #[pyo3(get)]
    bytes: Option<i64>,
}

#[pymethods]
impl Layout {
    #[new]
    fn new(text: &str) -> PyResult<Layout> {
        if !text.contains('[') {
            let layout = cute::Layout::read(text).map_err(|error| about(text, error))?;
            return Ok(of_layout(&layout));
        }
        let shape = read_shape(text).map_err(|error| about(text, error))?;
        let Some(array) = shape.as_array() else {
            let message = "only an array has a layout, and this is another shape";
            let error = affinor::text::Error::new(ErrorKind::Unsupported, 0..text.len(), message);
            return Err(about(text, error));
        };
        let placement = Placement::new(array).map_err(|error| about(text, error))?;
        Ok(Layout {
            text: array.to_string(),
            position: IndexMap(placement.position().clone()),
            element: Some(IndexMap(placement.element().clone())),
            sizes: placement.sizes().to_vec(),
            physical_sizes: placement.physical_sizes().to_vec(),
            positions: placement.positions(),
            bytes: placement.physical_bytes(),
        })
    }

    /// The map from the index of an element to its position.
    #[getter]
    fn position(&self) -> IndexMap {
        self.position.clone()
    }

    /// The map from a position to the index of its element; positions of padding are not in its domain. A layout of CuTe has
    /// `inverse` instead.
    #[getter]
    fn element(&self) -> PyResult<IndexMap> {
        let message = "a layout of CuTe has no map of positions: `inverse` is the layout of them";
        self.element.clone().ok_or_else(|| wrong(ErrorKind::Unsupported, message))
    }

    /// The smallest layout of CuTe that a map is, with its swizzle and its offset.
    #[staticmethod]
    fn of(map: &IndexMap) -> PyResult<Layout> {
        answer(algebra::recognise(&map.0, &Budget::default()))
    }

    /// The layout of `self(other(x))`; `other` may be a tiler, `"<4:1,8:1>"`.
    fn compose(&self, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        answer(algebra::compose_by(&self.cute()?, &tiler(other)?, &Budget::default()))
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Layout> {
        self.compose(other)
    }

    /// The ordered layout such that each number below `size` is a sum of one offset of both; without it, below the last
    /// offset's end.
    #[pyo3(signature = (size=None))]
    fn complement(&self, size: Option<i64>) -> PyResult<Layout> {
        answer(algebra::complement(&self.cute()?, size.unwrap_or(self.positions)))
    }

    /// The elements in tiles: `how` is "logical", "zipped", "tiled" or "flat".
    #[pyo3(signature = (tile, how="logical"))]
    fn divide(&self, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        let arrangement = arrangement(how)?;
        answer(algebra::divide(&self.cute()?, &tiler(tile)?, arrangement, &Budget::default()))
    }

    /// A copy for each element of `tile`: `how` is as of `divide`, or "blocked" or "raked".
    #[pyo3(signature = (tile, how="logical"))]
    fn product(&self, tile: &Bound<'_, PyAny>, how: &str) -> PyResult<Layout> {
        let how = match how {
            "blocked" => Interleaving::Blocked,
            "raked" => Interleaving::Raked,
            other => Interleaving::Apart(arrangement(other)?),
        };
        answer(algebra::product(&self.cute()?, &tiler(tile)?, how, &Budget::default()))
    }

    /// The layout L with `L(self(x)) = x`, or with `side="right"` the layout R with `self(R(i)) = i`.
    #[pyo3(signature = (side="left"))]
    fn inverse(&self, side: &str) -> PyResult<Layout> {
        match side {
            "left" => answer(algebra::left_inverse(&self.cute()?, &Budget::default())),
            "right" => answer(algebra::right_inverse(&self.cute()?, &Budget::default())),
            _ => Err(wrong(ErrorKind::Usage, "a side is \"left\" or \"right\"")),
        }
    }

    /// The same function of the number of an element, with the fewest modes.
    fn coalesce(&self) -> PyResult<Layout> {
        answer(algebra::coalesce(&self.cute()?, &Budget::default()))
    }

    /// The same function without nested modes.
    fn flatten(&self) -> PyResult<Layout> {
        answer(algebra::flatten(&self.cute()?, &Budget::default()))
    }

    /// The sizes of the array.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.sizes)
    }

    /// The sizes of the array in memory, tiles and padding included.
    #[getter]
    fn physical_sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.physical_sizes)
    }

    /// A picture: the array as it is cut into tiles, each cell with its position. Notebooks show it. Of a large array it has the
    /// first 12 and the last 4 rows and columns, and says so.
    fn _repr_svg_(&self) -> Option<String> {
        if self.element.is_none() {
            let grids = of_cute(&self.cute().ok()?, None, Extent::NOTEBOOK);
            return grids.ok().map(|grids| svg(&grids));
        }
        let shape = read_shape(&self.text).ok()?;
        let placement = Placement::new(shape.as_array()?).ok()?;
        of_placement(&placement, Extent::NOTEBOOK).ok().map(|grid| svg(&[grid]))
    }

    fn _repr_html_(&self) -> String {
        html(&self.text, self._repr_svg_())
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Layout({})", PyString::new(py, &self.text).repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&str,)) {
        (py.get_type::<Layout>(), (&self.text,))
    }
}

impl Layout {
    /// The layout of CuTe; an array's, if it has one.
    fn cute(&self) -> PyResult<cute::Layout> {
        if self.element.is_none() {
            return cute::Layout::read(&self.text).map_err(|error| about(&self.text, error));
        }
        let shape = read_shape(&self.text).ok();
        let placement = shape.as_ref().and_then(|shape| Placement::new(shape.as_array()?).ok());
        let layout = placement.as_ref().and_then(cute::of_placement);
        let message = "the array has no layout of CuTe: tiles pad it or cut through each other";
        layout.ok_or_else(|| wrong(ErrorKind::Unsupported, message))
    }
}

fn of_layout(layout: &cute::Layout) -> Layout {
    let last = layout.offsets().map_or(i64::MAX - 1, |offsets| offsets.interval.hi());
    Layout {
        text: layout.to_string(),
        position: IndexMap(layout.map().clone()),
        element: None,
        sizes: layout.sizes(),
        physical_sizes: layout.sizes(),
        positions: last.saturating_add(1),
        bytes: None,
    }
}

/// A layout, or the text of one or of a tiler.
fn tiler(given: &Bound<'_, PyAny>) -> PyResult<Tiler> {
    if let Ok(layout) = given.cast::<Layout>() {
        return layout.get().cute().map(Tiler::Whole);
    }
    let text: String = given.extract()?;
    Tiler::read(&text).map_err(|error| about(&text, error))
}

fn arrangement(how: &str) -> PyResult<Arrangement> {
    match how {
        "logical" => Ok(Arrangement::Logical),
        "zipped" => Ok(Arrangement::Zipped),
        "tiled" => Ok(Arrangement::Tiled),
        "flat" => Ok(Arrangement::Flat),
        _ => {
            let message = "unknown arrangement: it is logical, zipped, tiled or flat, of a product also blocked or raked";
            Err(wrong(ErrorKind::Usage, message))
        }
    }
}

fn answer(made: Result<Made, Refusal>) -> PyResult<Layout> {
    match made {
        Ok(made) => Ok(of_layout(&made.layout)),
        Err(Refusal::None(why)) => Err(wrong(ErrorKind::Shape, why)),
        Err(Refusal::Overflow) => Err(wrong(ErrorKind::Overflow, Refusal::Overflow.to_string())),
        Err(Refusal::Interrupted) => Err(PyKeyboardInterrupt::new_err(())),
        Err(unknown) => Err(undecided(unknown)),
    }
}
