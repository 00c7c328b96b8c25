//! Custom-calls that state their loops: MLIR's structured ops and the accesses of its loops.
//!
//! Law: the backend config has `points`, the sizes of the loops; `result`, the map from a point to the element it computes;
//! `reads`, per operand the map from a point to the element it reads, or null; `symbols`, the operands whose values are the
//! symbols of the maps; `bounds`, the operands for which the map is only an upper bound. An element has the reads of its
//! points. A program is assumed not to index outside of its operands.
//! Source: MLIR, `linalg.generic`.

use super::builder::{Condition, MapBuilder, restrict, scalar};
use super::op::{Entries, NoMap, Op, entry, require};
use super::reads::{Exactness, OperandMap, Reads, RuntimeVariable, ValueSource};
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::parse_map;

/// The loops of a call.
struct Loops {
    points: Vec<i64>,
    result: IndexingMap,
    /// The operands that are symbols.
    symbols: Vec<usize>,
    /// The operands whose maps are only upper bounds.
    bounds: Vec<i64>,
}

impl Loops {
    fn of(op: &Op<'_>) -> Result<Loops, NoMap> {
        let numbers = |key: &str| {
            let value = op.instruction.backend_config(key)?;
            let numbers = value.as_array()?.iter().map(|number| number.as_i64());
            numbers.collect::<Option<Vec<i64>>>()
        };
        let missing = || NoMap::unknown("its backend config states no loops");
        let points = numbers("points").ok_or_else(missing)?;
        let symbols = numbers("symbols").unwrap_or_default();
        let symbols = symbols.into_iter().map(|k| usize::try_from(k).unwrap_or(usize::MAX));
        let result = op.instruction.backend_config("result").ok_or_else(missing)?;
        let loops = Loops {
            result: map(result.as_str().unwrap_or_default(), points.len(), 0)?,
            symbols: symbols.collect(),
            bounds: numbers("bounds").unwrap_or_default(),
            points,
        };
        loops.symbols.iter().try_for_each(|symbol| op.check_scalar(*symbol))?;
        Ok(loops)
    }

    /// Returns, for each loop, its index at the points of an element, over the builder's variables.
    fn places(&self, builder: &mut MapBuilder, sizes: &[i64]) -> Result<Vec<Expr>, NoMap> {
        let of_loops = self.result.results();
        require(of_loops.len() == sizes.len(), || "its result and its map differ in rank")?;
        let mut places: Vec<Option<Expr>> = vec![None; self.points.len()];
        for ((result, size), dimension) in of_loops.iter().zip(sizes).zip(builder.dimensions()) {
            let place = result.as_variable().map(VariableId::index);
            match place.and_then(|at| Some((places.get_mut(at)?, self.points.get(at)?))) {
                Some((place @ None, points)) if points == size => *place = Some(dimension),
                None if result.as_constant() == Some(0) && *size == 1 => {}
                _ => return Err(NoMap::unknown("its result is not indexed by loops of its sizes")),
            }
        }
        let filled = places.into_iter().zip(&self.points);
        Ok(filled.map(|(place, size)| place.unwrap_or_else(|| builder.any_index(*size))).collect())
    }
}

/// Parses a map over loops, with symbols in square brackets.
fn map(text: &str, loops: usize, symbols: usize) -> Result<IndexingMap, NoMap> {
    let map = parse_map(text).map_err(NoMap::Attribute)?;
    let count = |kind| map.domain().count(kind);
    let fits = count(VariableKind::Dimension) == loops
        && count(VariableKind::Range) <= symbols
        && map.domain().variables().len() <= loops + symbols;
    match fits && !map.is_symbolic() {
        true => Ok(map),
        false => Err(NoMap::unknown(format!("`{text}` is not an affine map over its loops"))),
    }
}

/// Returns the reads of a call that states its loops.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let loops = Loops::of(op)?;
    let reads = op.instruction.backend_config("reads");
    let reads = reads.as_ref().and_then(|reads| reads.as_array());
    let reads = reads.ok_or_else(|| NoMap::unknown("its backend config states no reads"))?;
    require(reads.len() == op.operands.len(), || "it states the reads of other operands")?;
    let sizes = op.sizes()?;
    let mut entries = Vec::new();
    for (k, read) in reads.iter().enumerate() {
        let read = match read.as_str() {
            Some(text) => Reads::union([of_operand(op, &loops, &sizes, k, text)?]),
            None if loops.symbols.contains(&k) => Reads::exactly(scalar(&sizes)),
            None => Reads::NOTHING,
        };
        entries.push(entry(k, read));
    }
    Ok(entries)
}

fn of_operand(
    op: &Op<'_>,
    loops: &Loops,
    sizes: &[i64],
    k: usize,
    text: &str,
) -> Result<OperandMap, NoMap> {
    let read = map(text, loops.points.len(), loops.symbols.len())?;
    let operand = op.operand_sizes(k)?;
    require(read.results().len() == operand.len(), || {
        format!("operand {k} and its map differ in rank")
    })?;
    let mut builder = MapBuilder::over(sizes);
    let mut places = loops.places(&mut builder, sizes)?;
    let mut runtime = Vec::new();
    for symbol in loops.symbols.iter().take(read.domain().count(VariableKind::Range)) {
        let held = op.operand_array(*symbol)?.element_type();
        let clamp = super::arithmetic::held(held).unwrap_or(Interval::ALL);
        let (variable, place) = builder.runtime(clamp);
        let source = ValueSource::Operand { operand: *symbol, path: Vec::new() };
        runtime.push(RuntimeVariable {
            variable,
            source,
            index: Vec::new(),
            clamp,
            is_choice: false,
        });
        places.push(place);
    }
    let over = |expr: &Expr| {
        let expr = expr.substitute(&places);
        expr.map_err(|_| NoMap::unknown("its indices are beyond 64 bits"))
    };
    let results: Vec<Expr> = read.results().iter().map(over).collect::<Result<_, _>>()?;
    let mut conditions: Vec<Condition> = Vec::new();
    for constraint in read.domain().constraints() {
        conditions.push((over(&constraint.expr)?, constraint.bounds));
    }
    for (variable, place) in read.domain().variables().iter().zip(&places) {
        if variable.bounds != Interval::ALL {
            conditions.push((place.clone(), variable.bounds));
        }
    }
    let within = results.iter().zip(&operand);
    conditions.extend(within.map(|(expr, size)| (expr.clone(), Interval::of_size(*size))));
    let map = restrict(&builder.finish(results), &conditions);
    let is_bound = i64::try_from(k).is_ok_and(|k| loops.bounds.contains(&k));
    let exactness = match is_bound {
        true => Exactness::AtMost {
            reason: format!("`{}`: not every point may read it", op.instruction.name()).into(),
        },
        false => Exactness::Exact,
    };
    Ok(OperandMap { map, exactness, runtime })
}
