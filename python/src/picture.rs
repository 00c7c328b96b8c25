//! The pictures of maps that notebooks show.

use crate::work::run;
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use affinor_draw::{Extent, of_reads, sizes_read, svg};
use pyo3::prelude::*;

/// The maximum number of points of a map that a notebook draws by default.
const PICTURED: u64 = 100_000;

/// Implements `IndexMap._repr_svg_`.
pub fn picture(py: Python<'_>, map: &IndexingMap) -> PyResult<Option<String>> {
    let Some(sizes) = sizes_read(map) else {
        return Ok(None);
    };
    let points: Vec<Interval> = map.domain().intervals().collect();
    let is_drawn = sizes.iter().all(|size| *size > 0)
        && map.ranges().iter().all(|range| range.lo() >= 0)
        && points
            .iter()
            .try_fold(1_u64, |all, one| all.checked_mul(one.count()?))
            .is_some_and(|all| all <= PICTURED);
    if !is_drawn {
        return Ok(None);
    }
    run(py, |_| {
        let title = "read for all elements of the output".to_owned();
        let grid = of_reads(map, &points, &sizes, title, Extent::NOTEBOOK);
        grid.ok().map(|grid| svg(&[grid]))
    })
}
