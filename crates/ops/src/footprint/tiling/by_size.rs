//! Tiles of maps with parameters: sizes, offsets and strides as expressions over the parameters, for all their values.
//!
//! Law: at each point of the tile variables, the result contains everything that the map reads for the tile; this is proved, or
//! there is no answer. If the result is exact, each of its elements that is not cut off is read; this is proved as well, by
//! giving values of the local variables that read it. How the result and these values are found does not matter.

use super::Means;
use super::readable::readable;
use super::span::Span;
use crate::footprint::image::stated;
use affinor::expr::{
    Domain, End, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, bounded,
};
use affinor::num::{Interval, Stopped};
use affinor::prove::{Reason, Wanted, ends, ends_of, extends, proposal};

/// One dimension of a tile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideBySize {
    /// The first element, over the variables of [`TileBySize::domain`].
    pub offset: Expr,
    /// Number of elements, over its parameters; that of the largest tile if the number differs between tiles.
    pub size: Expr,
    /// The distance of neighbouring elements, over its parameters.
    pub stride: Expr,
    /// The last element, if the number of elements differs between tiles.
    pub last: Option<Expr>,
    /// Bounds of all reads in this dimension, over its parameters, if a tile may have elements beyond them; these are cut off.
    pub within: [Option<Expr>; 2],
}

/// A tile of an array, for all values of the tile variables and of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileBySize {
    /// The tile variables, then runtime variables, then parameters. A tile outside the domain reads nothing.
    pub domain: Domain,
    /// One side per dimension of the array.
    pub sides: Vec<SideBySize>,
    /// Whether the tile is proved to be exactly the set of elements read; otherwise it is a cover.
    pub is_exact: bool,
}

/// The reason why there is no tile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoTile {
    /// The result with this number has no bounds within a tile that can be expressed in terms of the parameters.
    #[error("result {0} has no bounds within a tile that are found in terms of its sizes")]
    Unbounded(usize),
    /// A tile was found, but not proved to contain all reads.
    #[error("no tile is found that is proved to contain all reads: {0}")]
    Unproved(Reason),
    /// An expression is not representable.
    #[error(transparent)]
    Expr(#[from] ExprError),
    /// The fuel was spent.
    #[error("{0}")]
    Stopped(Stopped),
}

/// Number of steps charged for a tile: a few queries to the prover.
const STEPS: u64 = 100_000;

/// Returns the map at the elements of tiles: the dimensions of `map` are replaced by tile variables `t0, ..` and by range
/// variables `i0, ..`, which number the elements of a tile and come before the map's own range variables. `sizes` are
/// expressions over the parameters of `map`, and at least 1. Tiles are counted from index 0.
///
/// # Errors
/// [`ExprError`] if an expression is not representable.
pub fn elements_by_size(map: &IndexingMap, sizes: &[Expr]) -> Result<IndexingMap, ExprError> {
    let domain = map.domain();
    let rank = sizes.len() as u32;
    let variable = |id: u32| Expr::variable(VariableId(id));
    let others = domain.variables().iter().skip(sizes.len()).cloned();
    let tiles = domain.intervals().take(sizes.len()).enumerate();
    let tiles = tiles.map(|(number, bounds)| {
        let bounds = match (bounds.is_empty(), bounds.lo() >= 0) {
            (true, _) => bounds,
            (false, true) => Interval::at_least(0),
            (false, false) => Interval::ALL,
        };
        Variable::new(format!("t{number}"), VariableKind::Dimension, bounds)
    });
    let inside = (0..rank).map(|number| {
        Variable::new(format!("i{number}"), VariableKind::Range, Interval::at_least(0))
    });
    let mut tiled = Domain::new(tiles.chain(inside).chain(others).collect());
    if domain.is_known_empty() {
        tiled.make_empty();
    }
    let shifted: Vec<Expr> = (0..domain.variables().len() as u32)
        .map(|id| variable(if id < rank { id } else { id + rank }))
        .collect();
    let mut places = shifted.clone();
    for (number, size) in (0..rank).zip(sizes) {
        let size = size.substitute(&shifted)?;
        let (tile, inside) = (variable(number), variable(rank + number));
        let (expr, bounds) = bounded(&inside, End::Upper, &size.sub(&Expr::constant(1))?)?;
        tiled.constrain(&expr, bounds);
        places[number as usize] = tile.times(&size)?.add(&inside)?;
        let id = VariableId(number);
        let of_array = ends_of(domain, id, &|other| domain.is_parameter(other));
        for (end, list) in [End::Lower, End::Upper].into_iter().zip(of_array) {
            for own in list {
                if end == End::Lower && own.as_constant() == Some(0) {
                    continue; // implied by the bounds of the tile
                }
                let last = own.substitute(&shifted)?.floordiv_by(&size)?;
                let (expr, bounds) = bounded(&tile, end, &last)?;
                tiled.constrain(&expr, bounds);
            }
        }
    }
    for (place, bounds) in places.iter().zip(domain.intervals()) {
        tiled.constrain(place, bounds);
    }
    map.substituted(tiled, &places)
}

/// Finds the tile that the map `elements` reads over all values of its range variables, at each value of its other variables.
/// `whole` is the map from which `elements` was derived, or `elements` itself.
///
/// # Errors
/// [`NoTile`].
pub fn tile_by_size(
    elements: &IndexingMap,
    whole: &IndexingMap,
    means: &Means<'_>,
) -> Result<TileBySize, NoTile> {
    let mut failed = None;
    for is_hopeful in [true, false] {
        means.fuel.spend(STEPS).map_err(NoTile::Stopped)?;
        let search = Search::new(elements, whole, means, is_hopeful)?;
        match search.tile() {
            Err(NoTile::Unproved(reason)) if reason != Reason::Interrupted => {
                failed.get_or_insert(NoTile::Unproved(reason));
            }
            decided => return decided,
        }
    }
    Err(failed.unwrap_or(NoTile::Unproved(Reason::NoProposal)))
}

struct Search<'a> {
    elements: &'a IndexingMap,
    small: IndexingMap,
    /// For each variable of `elements`, the corresponding variable of a tile; range variables have none.
    places: Vec<Expr>,
    /// For each variable of a tile, the corresponding variable of `elements`.
    back: Vec<Expr>,
    tiles: Domain,
    /// Bounds of the reads of all tiles, over the variables of a tile.
    within: Vec<[Option<Expr>; 2]>,
    means: &'a Means<'a>,
    is_hopeful: bool,
}

impl Search<'_> {
    fn new<'a>(
        elements: &'a IndexingMap,
        whole: &IndexingMap,
        means: &'a Means<'a>,
        is_hopeful: bool,
    ) -> Result<Search<'a>, NoTile> {
        let domain = elements.domain();
        let (mut places, mut back, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        for (id, own) in (0..).map(VariableId).zip(domain.variables()) {
            places.push(match own.kind {
                VariableKind::Range => Expr::constant(0), // no substituted expression mentions it
                _ => Expr::variable(VariableId(variables.len() as u32)),
            });
            if own.kind != VariableKind::Range {
                back.push(Expr::variable(id));
                variables.push(own.clone());
            }
        }
        let is_outer = |expr: &Expr| {
            let mut ids = expr.variables().into_iter();
            ids.all(|id| domain.variables()[id.index()].kind != VariableKind::Range)
        };
        let mut tiles = Domain::new(variables);
        if domain.is_known_empty() {
            tiles.make_empty();
        }
        for constraint in domain.constraints().iter().filter(|c| is_outer(&c.expr)) {
            tiles.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
        }
        let parameters = whole.domain().count(VariableKind::Parameter);
        let from = whole.domain().variables().len() - parameters;
        let to = (tiles.variables().len() - parameters) as u32;
        let of_whole: Vec<Expr> = (0..whole.domain().variables().len())
            .map(|id| Expr::variable(VariableId(to + id.saturating_sub(from) as u32)))
            .collect();
        let intervals = whole.ranges();
        let mut within = Vec::new();
        let found = ends(whole, &intervals, &means.budget);
        for ((result, found), interval) in whole.results().iter().zip(found).zip(&intervals) {
            let plain = [(interval.lo(), End::Lower), (interval.hi(), End::Upper)];
            let plain = plain
                .map(|(number, end)| (number != end.infinity()).then(|| Expr::constant(number)));
            let [lower, upper] = stated(whole.domain(), result);
            let [found_lower, found_upper] = found;
            let [plain_lower, plain_upper] = plain;
            let ends =
                [lower.or(found_lower).or(plain_lower), upper.or(found_upper).or(plain_upper)];
            let placed = ends.map(|end| end.map(|end| end.substitute(&of_whole)).transpose());
            let [lower, upper] = placed;
            within.push([lower?, upper?]);
        }
        Ok(Search {
            small: (means.simplify)(elements),
            elements,
            places,
            back,
            tiles,
            within,
            means,
            is_hopeful,
        })
    }

    fn tile(&self) -> Result<TileBySize, NoTile> {
        let found = self.tile_with(false)?;
        if !found.is_exact
            && let Ok(cut) = self.tile_with(true)
            && cut.is_exact
        {
            return Ok(cut);
        }
        Ok(found)
    }

    /// Builds the tile; if `is_cut`, with the last element of each tile where constraints cut it off.
    fn tile_with(&self, is_cut: bool) -> Result<TileBySize, NoTile> {
        let span = Span::new(self.small.domain(), self.is_hopeful, is_cut);
        let mut sides = Vec::new();
        for (number, result) in self.small.results().iter().enumerate() {
            let side = self.side(&span, result, number);
            sides.push(side.ok_or(NoTile::Unbounded(number))?);
        }
        let budget = &self.means.budget;
        extends(&self.contained(&sides)?, &self.unread()?, budget).map_err(NoTile::Unproved)?;
        for (side, within) in sides.iter_mut().zip(&self.within) {
            if self.is_whole(side, within)? {
                side.within = [None, None];
            }
        }
        let is_exact = self.is_exact(&sides) == Some(true);
        Ok(TileBySize { domain: self.tiles.clone(), sides, is_exact })
    }

    fn side(&self, span: &Span<'_>, result: &Expr, number: usize) -> Option<SideBySize> {
        let first = span.extreme(result, End::Lower)?.substitute(&self.places).ok()?;
        let last = span.extreme(result, End::Upper)?.substitute(&self.places).ok()?;
        let stride = span.stride(result).substitute(&self.places).ok()?;
        let simplified = |exprs: Vec<Expr>| {
            let map = IndexingMap::new(self.tiles.clone(), exprs);
            (self.means.simplify)(&map).into_parts().1
        };
        let all = simplified(vec![last.sub(&first).ok()?, first, last]);
        let [width, first, last] = all.as_slice() else {
            return None;
        };
        let is_of_sizes = |expr: &Expr| {
            let mut ids = expr.variables().into_iter();
            ids.all(|id| self.tiles.is_parameter(id))
        };
        let (width, last) = match is_of_sizes(width) {
            true => (width.clone(), None),
            false => {
                let most = span.width(result)?.substitute(&self.places).ok()?;
                (simplified(vec![most]).pop()?, Some(readable(last)))
            }
        };
        if !is_of_sizes(&width) || !is_of_sizes(&stride) {
            return None;
        }
        let size = width.floordiv_by(&stride).ok()?.add(&Expr::constant(1)).ok()?;
        Some(SideBySize {
            offset: readable(first),
            size: simplified(vec![size]).pop()?,
            stride,
            last,
            within: self.within[number].clone(),
        })
    }

    /// Returns the domain of `elements` as a map without results.
    fn unread(&self) -> Result<IndexingMap, NoTile> {
        Ok(IndexingMap::new(self.elements.domain().clone(), Vec::new()))
    }

    /// Returns the map `elements`, restricted to the points whose elements are in the tile.
    fn contained(&self, sides: &[SideBySize]) -> Result<IndexingMap, NoTile> {
        let mut inside = self.elements.domain().clone();
        for (result, side) in self.elements.results().iter().zip(sides) {
            let distance = result.sub(&side.offset.substitute(&self.back)?)?;
            let stride = side.stride.substitute(&self.back)?;
            inside.constrain(&distance, Interval::at_least(0));
            let size = side.size.substitute(&self.back)?;
            let reach = size.sub(&Expr::constant(1))?.times(&stride)?;
            inside.constrain(&reach.sub(&distance)?, Interval::at_least(0));
            if let Some(last) = &side.last {
                let left = last.substitute(&self.back)?.sub(result)?;
                inside.constrain(&left, Interval::at_least(0));
            }
            if stride.as_constant() != Some(1) {
                inside.constrain(&distance.modulo_by(&stride)?, Interval::point(0));
            }
        }
        Ok(IndexingMap::new(inside, Vec::new()))
    }

    /// Returns whether the bounds `within` are proved to cut off nothing of any tile.
    fn is_whole(&self, side: &SideBySize, within: &[Option<Expr>; 2]) -> Result<bool, NoTile> {
        let reach = side.size.sub(&Expr::constant(1))?.times(&side.stride)?;
        let greatest = match &side.last {
            Some(last) => last.clone(),
            None => side.offset.add(&reach)?,
        };
        let all = IndexingMap::new(self.tiles.clone(), Vec::new());
        let mut whole = all.clone();
        let [lower, upper] = within;
        for room in [
            lower.as_ref().map(|end| side.offset.sub(end)),
            upper.as_ref().map(|end| end.sub(&greatest)),
        ] {
            if let Some(room) = room.transpose()? {
                whole = whole.restricted(&room, Interval::at_least(0));
            }
        }
        Ok(extends(&whole, &all, &self.means.budget).is_ok())
    }

    /// Returns whether each element of each tile is proved to be read; `None` if no values of the local variables are found
    /// that read it.
    fn is_exact(&self, sides: &[SideBySize]) -> Option<bool> {
        let own = self.elements.domain().variables().len() as u32;
        let rank = sides.len() as u32;
        let variable = |id: u32| Expr::variable(VariableId(id));
        // Over the variables of `elements`, followed by a counter for each side.
        let mut wanted = Vec::new();
        for (number, side) in (own..).zip(sides) {
            let offset = side.offset.substitute(&self.back).ok()?;
            let stride = side.stride.substitute(&self.back).ok()?;
            wanted.push(offset.add(&stride.times(&variable(number)).ok()?).ok()?);
        }
        let domain = self.small.domain();
        let values = proposal(&Wanted {
            domain,
            is_unknown: &|id| domain.variables()[id.index()].kind == VariableKind::Range,
            equations: self.small.results().iter().cloned().zip(wanted.clone()).collect(),
            free: own + rank,
            may_overlap: true,
        })?;
        // The variables of a tile, with the counters after its dimensions.
        let dimensions = self.tiles.count(VariableKind::Dimension) as u32;
        let counter = |number: u32| {
            let bounds = Interval::at_least(0);
            Variable::new(format!("k{number}"), VariableKind::Dimension, bounds)
        };
        let (first, rest) = self.tiles.variables().split_at(dimensions as usize);
        let variables = first.iter().cloned().chain((0..rank).map(counter));
        let mut from = Domain::new(variables.chain(rest.iter().cloned()).collect());
        if self.tiles.is_known_empty() {
            from.make_empty();
        }
        let of_tile: Vec<Expr> = (0..self.tiles.variables().len() as u32)
            .map(|id| variable(if id < dimensions { id } else { id + rank }))
            .collect();
        let mut of_element = Vec::new();
        for place in &self.places {
            of_element.push(place.substitute(&of_tile).ok()?);
        }
        of_element.extend((0..rank).map(|number| variable(dimensions + number)));
        for constraint in self.tiles.constraints() {
            from.constrain(&constraint.expr.substitute(&of_tile).ok()?, constraint.bounds);
        }
        let mut reads = Vec::new();
        for ((number, side), wanted) in (0..).zip(sides).zip(&wanted) {
            let read = wanted.substitute(&of_element).ok()?;
            let size = side.size.substitute(&of_tile).ok()?;
            let left = size.sub(&variable(dimensions + number)).ok()?;
            from.constrain(&left, Interval::at_least(1));
            let [lower, upper] = &side.within;
            for (end, bound) in [(End::Lower, lower), (End::Upper, upper), (End::Upper, &side.last)]
            {
                if let Some(bound) = bound {
                    let bound = bound.substitute(&of_tile).ok()?;
                    let (expr, bounds) = bounded(&read, end, &bound).ok()?;
                    from.constrain(&expr, bounds);
                }
            }
            reads.push(read);
        }
        // The elements, with these values substituted for the range variables.
        let mut placed = Vec::new();
        for value in &values {
            placed.push(value.substitute(&of_element).ok()?);
        }
        let read = self.elements.over(&from, &placed)?;
        Some(extends(&read, &IndexingMap::new(from, reads), &self.means.budget).is_ok())
    }
}
