//! `linalg.generic` and the ops that abbreviate it: contractions, convolutions, windows, elementwise ops.
//!
//! Law: an element of a result reads, by the indexing maps, the operands on which its value in the region depends. A sum of
//! products becomes a `dot` to which the destination is added, elements that are passed on become an op that moves them;
//! anything else becomes a call that states its loops. Source: MLIR, *linalg dialect*.

use crate::body::{OrUnknown, Stop, unknown};
use crate::inside::{Inside, comes_from, written};
use crate::lower::Site;
use crate::points::{Count, Points, map_text, said};
use crate::site::{braced, dimensions};
use crate::tree::{Op, Region};
use affinor_maps::expr::{Expr, IndexingMap, VariableId};
use affinor_maps::text::parse_map;
use rustc_hash::FxHashSet;

type Done = Result<(), Stop>;

/// The maps of the operands, and the sizes of the loops.
pub(crate) struct Structure {
    pub(crate) maps: Vec<IndexingMap>,
    pub(crate) sizes: Vec<Count>,
    /// The number of the first operand that is a destination.
    pub(crate) outs: usize,
}

impl Structure {
    pub(crate) fn of(site: &Site<'_, '_, '_>, maps: Vec<IndexingMap>) -> Result<Structure, Stop> {
        let count = site.operands.len();
        if maps.len() != count {
            return unknown(format!("it has {count} operands, and maps of {}", maps.len()));
        }
        let outs = destinations(site)?;
        if outs == 0 || outs > count {
            return unknown("it has no destination");
        }
        let sizes = site.loop_sizes(&maps)?;
        Ok(Structure { maps, sizes, outs: count - outs })
    }

    /// Returns the loops that index a map's results; `None` if a result is not simply a loop.
    fn loops_of(&self, operand: usize) -> Option<Vec<usize>> {
        let results = self.maps.get(operand)?.results().iter();
        results.map(|result| result.as_variable().map(VariableId::index)).collect()
    }

    /// Returns whether each point computes a separate element.
    fn is_parallel(&self, result: usize) -> bool {
        let used = self.loops_of(result).unwrap_or_default();
        (0..self.sizes.len()).all(|at| used.contains(&at) || self.sizes[at] == Count::Fixed(1))
    }
}

/// Returns the number of destinations, which are the last operands.
pub(crate) fn destinations(site: &Site<'_, '_, '_>) -> Result<usize, Stop> {
    match site.op.named(&["operandSegmentSizes", "operand_segment_sizes"]) {
        Some(_) => {
            let sizes = site.list(&["operandSegmentSizes", "operand_segment_sizes"])?;
            Ok(sizes.last().and_then(|size| usize::try_from(*size).ok()).unwrap_or(0))
        }
        // `vector.contract` accumulates into its last operand.
        None if site.op.dialect() == "vector" => Ok(1),
        // The generic form of these does not state it.
        None => Ok(match (site.op.destinations, site.op.short()) {
            (0, "map") => 1,
            (0, "reduce") => site.operands.len() / 2,
            (count, _) => count,
        }),
    }
}

/// Lowers `linalg.generic`, whose attributes may be in an alias.
pub(crate) fn generic(site: &mut Site<'_, '_, '_>) -> Done {
    let maps = indexing_maps(site)?;
    let maps = maps.or_unknown(|| "the attribute `indexing_maps` is missing")?;
    of_region(site, maps)
}

/// Lowers an op with these maps, whose region is the computation at each point.
pub(crate) fn of_region(site: &mut Site<'_, '_, '_>, maps: Vec<IndexingMap>) -> Done {
    let structure = Structure::of(site, maps)?;
    let region = site.region(0)?;
    let captured = site.lowering.captured(site.body, &site.op.regions);
    let mut others = Vec::new();
    for (name, value) in captured {
        if value.ty.sizes.is_empty() {
            others.push((name, value.line));
        }
    }
    let inside = Inside::of(site, region, 0, &structure.sizes)?;
    let text = written(site, region);
    for (number, result) in (structure.outs..site.operands.len()).enumerate() {
        let comes_from = comes_from(region, number)?;
        let is_read = |operand: usize| {
            let argument = region.arguments.get(operand);
            argument.is_some_and(|argument| comes_from.contains(argument.name))
        };
        let used: Vec<bool> = (0..site.operands.len()).map(is_read).collect();
        if !used[result] && !structure.is_parallel(result) {
            return unknown("the last point alone computes an element");
        }
        let captured: Vec<usize> = others
            .iter()
            .filter(|(name, _)| comes_from.contains(name))
            .map(|(_, line)| *line)
            .collect();
        if number == 0 && site.operands.len() == structure.outs + 1 {
            if let Some(passed_on) = passed_on(region)
                && moved(site, &structure, passed_on)?
            {
                return Ok(());
            }
            if let Some(sum) = sum_of_products(region)
                && contracted(site, &structure, sum)?
            {
                return Ok(());
            }
        }
        let more = Some((&inside, &comes_from));
        called(site, &structure, result, &used, &captured, more, &text)?;
    }
    Ok(())
}

/// Returns the indexing maps that the op states.
pub(crate) fn indexing_maps(site: &Site<'_, '_, '_>) -> Result<Option<Vec<IndexingMap>>, Stop> {
    let text = site.lowering.text;
    let named = site.op.named(&["indexing_maps"]);
    let of_alias = || {
        let mut groups = site.op.groups.iter();
        groups.find_map(|group| text.entry(group, "indexing_maps"))
    };
    named.or_else(of_alias).map(|range| site.maps(&range)).transpose()
}

/// Returns the argument that a region yields unchanged, if it does.
fn passed_on(region: &Region<'_>) -> Option<usize> {
    let [only] = &*region.ops.last()?.operands else { return None };
    region.arguments.iter().position(|argument| argument.name == only.name)
}

/// Returns the op that defines a value in a region.
fn maker<'t, 'a>(region: &'t Region<'a>, name: &str) -> Option<&'t Op<'a>> {
    region.ops.iter().find(|op| op.results.iter().any(|result| result.name == name))
}

/// Recognizes the addition of a product of the two inputs to the destination.
fn sum_of_products(region: &Region<'_>) -> Option<&'static str> {
    let [a, b, c] = &*region.arguments else { return None };
    let [yielded] = &*region.ops.last()?.operands else { return None };
    let sum = maker(region, yielded.name)?;
    let multiplies = match sum.name {
        "arith.addf" => "arith.mulf",
        "arith.addi" => "arith.muli",
        _ => return None,
    };
    let [one, other] = &*sum.operands else { return None };
    let product = match (one.name == c.name, other.name == c.name) {
        (true, false) => other,
        (false, true) => one,
        _ => return None,
    };
    let product = maker(region, product.name).filter(|op| op.name == multiplies)?;
    let argument = |name: &str| {
        // Looks through extensions to the type of the sum.
        let is_wider = |op: &&Op<'_>| matches!(op.name, "arith.extf" | "arith.extsi");
        match maker(region, name).filter(is_wider) {
            Some(op) => op.operands.first().map_or("", |used| used.name).to_owned(),
            None => name.to_owned(),
        }
    };
    let [x, y] = &*product.operands else { return None };
    let [x, y] = [x, y].map(|used| argument(used.name));
    let is_product = [x == a.name && y == b.name, x == b.name && y == a.name];
    is_product.contains(&true).then_some("add")
}

/// Lowers the loops to a call.
pub(crate) fn called(
    site: &mut Site<'_, '_, '_>,
    structure: &Structure,
    result: usize,
    used: &[bool],
    captured: &[usize],
    inside: Option<(&Inside<'_>, &FxHashSet<&str>)>,
    text: &str,
) -> Done {
    let mut reads = Vec::new();
    for (k, (operand, map)) in site.operands.iter().zip(&structure.maps).enumerate() {
        let is_read = used.get(k).copied().unwrap_or(false);
        reads.push((operand.line, is_read.then(|| said(map))));
    }
    let scalar = map_text(structure.sizes.len(), &[]);
    reads.extend(captured.iter().map(|line| (*line, Some(scalar.clone()))));
    let mut points = Points {
        sizes: structure.sizes.clone(),
        result: said(&structure.maps[result]),
        reads,
        text: text.to_owned(),
        ..Points::default()
    };
    if let Some((inside, needed)) = inside {
        let maps: Vec<&[Expr]> = structure.maps.iter().map(IndexingMap::results).collect();
        inside.add(&mut points, needed, maps[result], &maps)?;
    }
    let ty = site.operand(result)?.ty;
    let operands = points.operands();
    let attributes = points.attributes("linalg.generic");
    let results = site.operands.len() - structure.outs;
    if results == 1 {
        return site.made(ty, "custom-call", &operands, &attributes);
    }
    let names: Vec<_> = site.op.result_names().collect();
    let (name, key) = match names.get(result - structure.outs) {
        Some((name, key, _)) => (name.clone(), Some(key.clone())),
        None => (format!("{}.{}", site.op.short(), result - structure.outs), None),
    };
    let line = site.body.push(&name, &ty.shape, "custom-call", &operands, &attributes, site.op);
    if let Some(key) = key {
        site.body.define(&key, line, ty);
    }
    Ok(())
}

/// Lowers elements that are passed on to a transpose, a broadcast, or both; returns `false` if the op has another form.
pub(crate) fn moved(
    site: &mut Site<'_, '_, '_>,
    structure: &Structure,
    operand: usize,
) -> Result<bool, Stop> {
    let out = structure.outs;
    let (Some(from), Some(to)) = (structure.loops_of(operand), structure.loops_of(out)) else {
        return Ok(false);
    };
    // The dimension of the result for each dimension of the operand.
    let places: Option<Vec<usize>> =
        from.iter().map(|at| to.iter().position(|other| other == at)).collect();
    let Some(places) = places else { return Ok(false) };
    let distinct: FxHashSet<usize> = places.iter().copied().collect();
    if distinct.len() < places.len() || to.len() < structure.sizes.len() || operand == out {
        return Ok(false);
    }
    let (value, ty) = (site.operand(operand)?, site.operand(out)?.ty);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|dimension| places[*dimension]);
    let sorted: Vec<Count> = order.iter().map(|at| structure.sizes[from[*at]]).collect();
    let is_whole = places.len() == to.len();
    let mut line = value.line;
    if !order.is_sorted() || is_whole {
        let attributes = dimensions(&numbers(&order));
        if is_whole {
            return site.made(ty, "transpose", &[line], &attributes).map(|()| true);
        }
        let shape = value.ty.with_sizes(&sorted);
        line = site.push("transposed", &shape, "transpose", &[line], &attributes);
    }
    let mut kept = places;
    kept.sort_unstable();
    let attributes = dimensions(&numbers(&kept));
    site.made(ty, "broadcast", &[line], &attributes).map(|()| true)
}

pub(crate) fn numbers(list: &[usize]) -> Vec<i64> {
    list.iter().map(|number| i64::try_from(*number).unwrap_or(i64::MAX)).collect()
}

/// Lowers the op to a `dot` to which the destination is added; returns `false` if it has another form.
pub(crate) fn contracted(
    site: &mut Site<'_, '_, '_>,
    structure: &Structure,
    sum: &str,
) -> Result<bool, Stop> {
    let loops = [0, 1, 2].map(|operand| structure.loops_of(operand));
    let [Some(a), Some(b), Some(c)] = loops else { return Ok(false) };
    let is_free = |list: &Vec<usize>| list.iter().collect::<FxHashSet<_>>().len() == list.len();
    if ![&a, &b, &c].into_iter().all(is_free) || structure.outs != 2 {
        return Ok(false);
    }
    let (mut batch, mut contracting) = (Vec::new(), Vec::new());
    for at in 0..structure.sizes.len() {
        match (a.contains(&at), b.contains(&at), c.contains(&at)) {
            (true, true, true) => batch.push(at),
            (true, true, false) => contracting.push(at),
            (true, false, true) | (false, true, true) => {}
            _ => return Ok(false),
        }
    }
    let free = |list: &[usize]| -> Vec<usize> {
        let others = list.iter().copied();
        others.filter(|at| c.contains(at) && !batch.contains(at)).collect()
    };
    let made = [batch.clone(), free(&a), free(&b)].concat();
    let position = |list: &[usize], of: &[usize]| -> Vec<i64> {
        let places = of.iter().filter_map(|at| list.iter().position(|other| other == at));
        numbers(&places.collect::<Vec<_>>())
    };
    let mut attributes = String::new();
    for (key, of) in [("batch_dims", &batch), ("contracting_dims", &contracting)] {
        if !of.is_empty() {
            for (side, list) in [("lhs", &a), ("rhs", &b)] {
                attributes.push_str(&format!(", {side}_{key}={}", braced(&position(list, of))));
            }
        }
    }
    let (lhs, rhs, out) = (site.operand(0)?.line, site.operand(1)?.line, site.operand(2)?);
    let size =
        |list: &[usize]| -> Vec<Count> { list.iter().map(|at| structure.sizes[*at]).collect() };
    let shape = out.ty.with_sizes(&size(&made));
    let mut line = site.push("product", &shape, "dot", &[lhs, rhs], &attributes);
    let order = position(&made, &c);
    if !order.is_sorted() {
        let attributes = dimensions(&order);
        line = site.push("ordered", &out.ty.shape, "transpose", &[line], &attributes);
    }
    site.made(out.ty, sum, &[out.line, line], "").map(|()| true)
}

/// Maps over `loops` loops, given the indices of each operand.
pub(crate) fn maps_of(loops: usize, operands: &[Vec<String>]) -> Result<Vec<IndexingMap>, Stop> {
    let map = |indices: &Vec<String>| match parse_map(&map_text(loops, indices)) {
        Ok(map) => Ok(map),
        Err(error) => unknown(error.message),
    };
    operands.iter().map(map).collect()
}
