//! Custom-calls that state their loops. The law is that of `custom_points` of `indexing`, where an entry `[operand, dimension]`
//! of `points` denotes a size of an operand, and null the size of the result's dimension; symbols are parameters.

use super::facts::Facts;
use super::op::{NamedOp, NamedReads, invalid, unwritable};
use super::over::MapOver;
use affinor::expr::{End, Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, parse_map};
use serde_json::Value;

pub(super) fn points(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let missing = || invalid("its backend config states no loops");
    let config = |key: &str| op.instruction.backend_config(key);
    let list = |key: &str| config(key).and_then(|value| value.as_array().cloned());
    let (points, reads) = (list("points").ok_or_else(missing)?, list("reads").ok_or_else(missing)?);
    if reads.len() != op.operands.len() {
        return Err(missing());
    }
    let symbols: Vec<usize> = list("symbols").iter().flatten().filter_map(place).collect();
    let result = config("result");
    let result = result.as_ref().and_then(Value::as_str).ok_or_else(missing)?;
    let result = over_loops(result, points.len(), 0)?;
    // For each loop, the dimension of the result that it indexes.
    let mut of_result = vec![None; points.len()];
    for (dimension, index) in result.results().iter().enumerate() {
        match index.as_variable().and_then(|id| of_result.get_mut(id.index())) {
            Some(own @ None) => *own = Some(dimension),
            _ => return Err(invalid("its result is not indexed by loops")),
        }
    }
    let mut sizes = Vec::new();
    for (size, dimension) in points.iter().zip(&of_result) {
        let of_operand = || {
            let pair = size.as_array()?;
            op.operands.get(place(pair.first()?)?)?.get(place(pair.get(1)?)?).cloned()
        };
        let of_dimension = || op.result?.get((*dimension)?).cloned();
        let known = size.as_i64().map(Expr::constant).or_else(of_operand).or_else(of_dimension);
        sizes.push(known.ok_or_else(missing)?);
    }
    let mut implied = vec![Expr::constant(0); result.results().len()];
    let mut folded = Vec::new();
    let is_single = |size: &Expr| size.as_constant() == Some(1);
    for (size, dimension) in sizes.iter().zip(&of_result) {
        match dimension {
            Some(dimension) => implied[*dimension] = size.clone(),
            None if is_single(size) => {}
            None => folded.push(size.clone()),
        }
    }
    let implied = super::movement::result(op, facts, implied)?;
    let map = MapOver::new(facts, &implied, &folded)?;
    let (dimensions, mut ranges) = (map.dimensions(), map.ranges().into_iter());
    let own = |(dimension, size): (&Option<usize>, &Expr)| match dimension {
        Some(dimension) => dimensions.get(*dimension).cloned(),
        None if is_single(size) => Some(Expr::constant(0)),
        None => ranges.next(),
    };
    let places: Option<Vec<Expr>> = of_result.iter().zip(&sizes).map(own).collect();
    let mut places = places.ok_or_else(missing)?;
    for symbol in &symbols {
        let value = op.values.get(*symbol).ok_or_else(missing)?;
        places.push(map.size(value)?);
    }
    let mut maps = Vec::new();
    for (k, read) in reads.iter().enumerate() {
        match read.as_str() {
            Some(text) => {
                let read = over_loops(text, points.len(), symbols.len())?;
                maps.push((k, of_operand(map.clone(), &op.operands[k], &read, &places)?));
            }
            None if symbols.contains(&k) => {
                maps.push((k, MapOver::new(facts, &implied, &[])?.finish(Vec::new())));
            }
            None => {}
        }
    }
    Ok(NamedReads { sizes: implied, maps })
}

fn place(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|place| usize::try_from(place).ok())
}

/// Returns a map over loops and symbols.
fn over_loops(text: &str, loops: usize, symbols: usize) -> Result<IndexingMap, Error> {
    let map = parse_map(text)?;
    let domain = map.domain();
    let fits = domain.count(VariableKind::Dimension) == loops
        && domain.variables().len() <= loops + symbols
        && !map.is_symbolic();
    match fits {
        true => Ok(map),
        false => Err(invalid(format!("`{text}` is not a map over its loops"))),
    }
}

/// Returns the map to an operand, restricted to the points where its constraints hold and its index is in bounds.
fn of_operand(
    mut map: MapOver,
    sizes: &[Expr],
    read: &IndexingMap,
    places: &[Expr],
) -> Result<IndexingMap, Error> {
    let over = |expr: &Expr| expr.substitute(places).map_err(unwritable);
    if read.results().len() != sizes.len() {
        return Err(invalid("an operand and its map differ in rank"));
    }
    for constraint in read.domain().constraints() {
        map.constrain(&over(&constraint.expr)?, constraint.bounds);
    }
    for (variable, place) in read.domain().variables().iter().zip(places) {
        if variable.bounds != Interval::ALL {
            map.constrain(place, variable.bounds);
        }
    }
    let mut results = Vec::new();
    for (index, size) in read.results().iter().zip(sizes) {
        let index = over(index)?;
        let last = map.size(size)?.add(&Expr::constant(-1)).map_err(unwritable)?;
        map.constrain(&index, Interval::at_least(0));
        map.bound(&index, End::Upper, &last)?;
        results.push(index);
    }
    Ok(map.finish(results))
}
