//! Layouts.

use crate::errors::about;
use crate::map::IndexMap;
use crate::means::html;
use affinor::text::ErrorKind;
use affinor_draw::{Extent, of_placement, svg};
use affinor_hlo::read_shape;
use affinor_layout::memory::Placement;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

/// Where the elements of an array lie in memory.
///
/// >>> layout = Layout("f32[3,5]{1,0:T(2,2)}")
/// >>> layout.position(2, 3)
/// (17,)
/// >>> layout.element(17)
/// (2, 3)
/// >>> layout.sizes, layout.physical_sizes, layout.positions
/// ((3, 5), (2, 3, 2, 2), 24)
#[pyclass(frozen, weakref, module = "affinor", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Layout {
    text: String,
    position: IndexMap,
    element: IndexMap,
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
            element: IndexMap(placement.element().clone()),
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

    /// The map from a position to the index of its element; positions of padding are not in its domain.
    #[getter]
    fn element(&self) -> IndexMap {
        self.element.clone()
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
