//! Tiles: the reads of a map for a tile of its dimensions, for all tiles at once.

use crate::errors::{about, failed, grid, no_tile, stop, wrong};
use crate::image::{elements, of_sizes, with_means};
use crate::map::IndexMap;
use crate::work::run;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{self, ErrorKind, is_name, parse_symbolic_expr, variable_names};
use affinor_ops::footprint::tiling::{
    Grid, GridError, Side, SideBySize, Tile, elements_by_size, propagate, suggest, tile_by_size,
};
use affinor_ops::indexing::OperandMap;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyInt, PyString};

/// Implements `IndexMap.tile`.
pub fn tile<'py>(
    py: Python<'py>,
    map: &IndexingMap,
    sizes: Vec<Bound<'py, PyAny>>,
    along: Vec<Bound<'py, PyAny>>,
    stride: Option<Vec<i64>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let ranges = map.domain().count(VariableKind::Range);
    if along.len() > ranges {
        let given = along.len();
        let message = format!("`along` has {given} sizes, the map has {ranges} range variables");
        return Err(wrong(ErrorKind::Arity, message));
    }
    let sizes = with_leading(map, sizes);
    let all: Vec<Bound<PyAny>> = sizes.into_iter().chain(along.iter().cloned()).collect();
    let is_named = |size: &Bound<PyAny>| size.cast::<PyString>().is_ok();
    let tiled = map.with_ranges_as_dimensions(along.len());
    if !all.iter().any(is_named) && map.domain().count(VariableKind::Parameter) == 0 {
        let sizes = all.iter().map(|size| size.extract::<i64>());
        return of_numbers(py, &tiled, sizes.collect::<PyResult<_>>()?, stride);
    }
    if stride.is_some() {
        let message = "`stride` goes with sizes that are numbers, of maps without named sizes";
        return Err(wrong(ErrorKind::Usage, message));
    }
    by_size(py, &tiled, &all)
}

/// Returns the sizes, with 1 for each dimension that a leading `...` stands for.
fn with_leading<'py>(map: &IndexingMap, sizes: Vec<Bound<'py, PyAny>>) -> Vec<Bound<'py, PyAny>> {
    match sizes.split_first() {
        Some((first, rest)) if first.is_instance_of::<PyEllipsis>() => {
            let rank = map.domain().count(VariableKind::Dimension);
            let one = PyInt::new(first.py(), 1).into_any();
            let leading = rank.saturating_sub(rest.len());
            let ones = std::iter::repeat_n(one, leading);
            ones.chain(rest.iter().cloned()).collect()
        }
        _ => sizes,
    }
}

fn of_numbers<'py>(
    py: Python<'py>,
    map: &IndexingMap,
    sizes: Vec<i64>,
    stride: Option<Vec<i64>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let stride = stride.unwrap_or_else(|| vec![1; sizes.len()]);
    let tiles = Grid::new(sizes, stride).map_err(grid)?;
    let map = OperandMap::exact(map.clone());
    let found =
        run(py, |interrupt| with_means(interrupt, |means| propagate(&map, &tiles, means)))??;
    let Some(tile) = found.map_err(grid)?.map_err(stop)? else {
        return Ok(None);
    };
    let sides: Vec<SideBySize> = tile.sides.iter().map(|side| of_side(&tile, side)).collect();
    described(py, &tile.domain, &sides, tile.is_exact()).map(Some)
}

fn of_side(tile: &Tile, side: &Side) -> SideBySize {
    let (lo, hi) = (side.within.lo(), side.within.hi());
    let end = |number: i64| {
        let is_end = number != MINUS_INFINITY && number != PLUS_INFINITY;
        (is_end && !side.is_whole(&tile.domain)).then(|| Expr::constant(number))
    };
    SideBySize {
        offset: side.offset.clone(),
        size: Expr::constant(side.size),
        stride: Expr::constant(side.stride),
        last: side.last.clone(),
        within: [end(lo), end(hi)],
    }
}

fn by_size<'py>(
    py: Python<'py>,
    map: &IndexingMap,
    sizes: &[Bound<'py, PyAny>],
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let texts: PyResult<Vec<String>> = sizes.iter().map(text_of).collect();
    let texts = texts?;
    let map = with_names(map, &texts)?;
    let rank = map.domain().count(VariableKind::Dimension);
    if texts.len() != rank {
        let error = GridError::Rank { given: texts.len(), dimensions: rank };
        return Err(grid(error));
    }
    let sizes: PyResult<Vec<Expr>> = texts.iter().map(|text| size(map.domain(), text)).collect();
    let elements = elements_by_size(&map, &sizes?).map_err(failed)?;
    if elements.domain().is_known_empty() {
        return Ok(None);
    }
    let found =
        run(py, |interrupt| with_means(interrupt, |means| tile_by_size(&elements, &map, means)))??;
    let tile = found.map_err(no_tile)?;
    described(py, &tile.domain, &tile.sides, tile.is_exact).map(Some)
}

/// Returns a size as text: a number, a name or an expression.
fn text_of(size: &Bound<'_, PyAny>) -> PyResult<String> {
    match size.cast::<PyString>() {
        Ok(text) => Ok(text.to_string()),
        Err(_) => Ok(size.extract::<i64>()?.to_string()),
    }
}

/// Returns the map with an additional named size, of at least 1, for each unknown name in the texts.
fn with_names(map: &IndexingMap, texts: &[String]) -> PyResult<IndexingMap> {
    let own = map.domain().variables();
    let parameters = own.iter().filter(|it| it.kind == VariableKind::Parameter).cloned();
    let mut parameters: Vec<Variable> = parameters.collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = texts.iter().flat_map(|text| text.split(|c| !is_part(c)));
    for name in words.filter(|word| is_name(word)) {
        if !own.iter().chain(&parameters).any(|it| &*it.name == name) {
            let bounds = Interval::at_least(1);
            parameters.push(Variable::new(name, VariableKind::Parameter, bounds));
        }
    }
    map.with_parameters_of(&Domain::new(parameters)).map_err(failed)
}

/// Parses a size over named sizes, which must be known to be at least 1.
fn size(domain: &Domain, given: &str) -> PyResult<Expr> {
    let expr = parse_symbolic_expr(given, &variable_names(domain));
    let expr = expr.map_err(|error| about(given, error))?;
    let mut variables = expr.variables().into_iter();
    if !variables.all(|id| domain.is_parameter(id)) {
        let message = "a size of a tile is the same for all points: a number, or of named sizes";
        return Err(about(given, text::Error::new(ErrorKind::Name, 0..given.len(), message)));
    }
    if !domain.is_positive(&expr) {
        let message = "it is not known that the size is at least 1";
        return Err(about(given, text::Error::new(ErrorKind::Division, 0..given.len(), message)));
    }
    Ok(expr)
}

/// Returns a tile as a dict.
fn described<'py>(
    py: Python<'py>,
    domain: &Domain,
    sides: &[SideBySize],
    is_exact: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let of_tiles = |exprs| IndexMap(IndexingMap::new(domain.clone(), exprs));
    let of_sizes = |expr: &Expr| of_sizes(py, domain, expr);
    let listed = |part: fn(&SideBySize) -> &Expr| {
        let all = sides.iter().map(|side| of_sizes(part(side)));
        all.collect::<PyResult<Vec<Py<PyAny>>>>()
    };
    let dict = PyDict::new(py);
    let offsets = sides.iter().map(|side| side.offset.clone());
    dict.set_item("offset", of_tiles(offsets.collect()))?;
    dict.set_item("size", listed(|side| &side.size)?)?;
    dict.set_item("stride", listed(|side| &side.stride)?)?;
    let last = sides.iter().map(|side| side.last.clone());
    let last: Vec<_> = last.map(|it| it.map(|it| of_tiles(vec![it]))).collect();
    dict.set_item("last", last)?;
    let mut within = Vec::new();
    for side in sides {
        let [lo, hi] = side.within.each_ref().map(|end| end.as_ref().map(of_sizes));
        within.push((lo.transpose()?, hi.transpose()?));
    }
    dict.set_item("within", within)?;
    let most = elements(domain, sides).map_err(failed)?;
    dict.set_item("elements", of_sizes(&most)?)?;
    dict.set_item("exact", is_exact)?;
    Ok(dict)
}

/// Implements `IndexMap.suggest_tiles`.
pub fn suggested<'py>(
    py: Python<'py>,
    map: &IndexingMap,
    most: u64,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    if map.domain().count(VariableKind::Parameter) > 0 {
        let message = "tiles are suggested for maps without named sizes";
        return Err(wrong(ErrorKind::Unsupported, message));
    }
    let domain = map.domain();
    let bounds = domain.ids(VariableKind::Dimension).map(|id: VariableId| {
        let bounds = domain.bounds(id);
        match bounds.is_empty() {
            true => bounds,
            false => Interval::new(bounds.lo().min(0), bounds.hi()),
        }
    });
    let (bounds, maps): (Vec<Interval>, _) = (bounds.collect(), [OperandMap::exact(map.clone())]);
    let found = run(py, |interrupt| {
        with_means(interrupt, |means| suggest(&maps, &bounds, most.into(), means))
    })??;
    let found = found.map_err(grid)?.map_err(stop)?.found.into_iter();
    let dicts = found.map(|suggestion| {
        let dict = PyDict::new(py);
        dict.set_item("sizes", suggestion.sizes)?;
        dict.set_item("elements", suggestion.elements)?;
        Ok(dict)
    });
    dicts.collect()
}
