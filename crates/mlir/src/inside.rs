//! Elements that a region extracts from arrays by itself, at each point of the loops around it.
//!
//! Law: an extraction at indices that are affine in the loops reads exactly these elements; where an index is unknown, it may be
//! any index of its dimension. Source: MLIR, `linalg.index`, `tensor.extract`, `tensor.generate`.

use crate::body::{OrUnknown, Stop, unknown};
use crate::exprs::{Known, counter, map_over};
use crate::index::Index;
use crate::lower::{Site, captures};
use crate::points::{Count, Points, identity, map_text, said};
use crate::site::sizes;
use crate::tree::{Op, Region};
use crate::view::View;
use crate::views::through;
use affinor_maps::expr::Expr;
use rustc_hash::FxHashSet;

/// The extraction of an element, whose value has a name.
struct Extraction<'a> {
    name: &'a str,
    array: View,
    indices: Vec<Option<Expr>>,
}

/// The extractions of a region, in their order.
pub(crate) struct Inside<'a> {
    index: Index,
    extractions: Vec<Extraction<'a>>,
}

impl<'a> Inside<'a> {
    /// Reads the region of `site.op`, in this number of loops; the first `counters` arguments count them.
    pub(crate) fn of<'t>(
        site: &mut Site<'_, 't, 'a>,
        region: &'t Region<'a>,
        counters: usize,
        loops: &[Count],
    ) -> Result<Inside<'a>, Stop> {
        let (mut index, mut extractions) = (Index::default(), Vec::new());
        index.counts = loops.iter().map(|count| (*count).into()).collect();
        index.hide(site.op);
        for (k, argument) in region.arguments.iter().take(counters).enumerate() {
            index.set(argument.name, counter(k));
        }
        for op in &region.ops {
            let extracts = op.name == "tensor.extract";
            let used = op.operands.iter().skip(usize::from(extracts));
            let arrays = used.map(|used| used.name);
            let inner = captures(&op.regions);
            for name in arrays.chain(inner.iter().map(|used| used.name)) {
                let value = site.body.values.get(name).filter(|_| !index.is_hidden(name));
                if value.is_some_and(|value| !value.ty.sizes.is_empty()) {
                    return unknown(format!("its region reads `%{name}` by itself"));
                }
            }
            if let ("linalg.index", Some(result)) = (op.name, op.results.first()) {
                let number = op.named_or_group(&["dim"]);
                let number = number.and_then(|range| site.lowering.text.integer(&range));
                let loop_number = number.and_then(|number| usize::try_from(number).ok());
                let loop_number = loop_number.filter(|number| *number < loops.len());
                let loop_number = loop_number.or_unknown(|| "its `linalg.index` is not a loop")?;
                index.set(result.name, counter(loop_number));
            } else if extracts {
                extractions.extend(Extraction::of(site, &mut index, op)?);
                index.hide(op);
            } else if !index.define(site, op) {
                index.hide(op);
            }
        }
        Ok(Inside { index, extractions })
    }

    /// Adds the reads of the extractions among `needed` to those of a call, of which `result` and `operands` are the indices of the
    /// result and of the first operands; the others are scalars.
    pub(crate) fn add(
        &self,
        points: &mut Points,
        needed: &FxHashSet<&str>,
        result: &[Expr],
        operands: &[&[Expr]],
    ) -> Result<(), Stop> {
        let needed = |extraction: &&Extraction<'_>| needed.contains(extraction.name);
        let mut found: Vec<(usize, Vec<Expr>, bool)> = Vec::new();
        for extraction in self.extractions.iter().filter(needed) {
            let Extraction { array, indices, .. } = extraction;
            let (mut known, mut is_bound) = (Vec::new(), false);
            for (index, size) in array.at(indices)?.into_iter().zip(&array.ty.sizes) {
                if index.is_none() {
                    let size = size.or_unknown(|| "an index is unknown, and the size as well")?;
                    is_bound = true;
                    points.sizes.push(Count::Fixed(size));
                }
                known.push(index.unwrap_or_else(|| counter(points.sizes.len() - 1)));
            }
            found.push((array.line, known, is_bound));
        }
        if found.is_empty() {
            return Ok(());
        }
        let counts: Vec<Option<i64>> = points.sizes.iter().map(|count| (*count).into()).collect();
        let symbols = self.index.symbols_of(found.iter().flat_map(|(_, indices, _)| indices));
        let map = |results: &[Expr]| map_over(&counts, results, &[], &symbols);
        // The loops over unknown indices are loops of all operands.
        let plain = |results: &[Expr]| map_over(&counts, results, &[], &[]).map(|map| said(&map));
        let symbol_lines = self.index.lines(&symbols);
        let first = operands.len();
        for (k, (_, read)) in
            points.reads.iter_mut().enumerate().filter(|(_, (_, read))| read.is_some())
        {
            *read = Some(plain(operands.get(k).copied().unwrap_or_default())?);
        }
        points.result = plain(result)?;
        let mut number = 0..;
        points
            .reads
            .retain(|(line, _)| number.next() < Some(first) || !symbol_lines.contains(line));
        for (line, indices, is_bound) in found {
            if is_bound {
                points.bounds.push(points.reads.len());
            }
            points.reads.push((line, Some(said(&map(&indices)?))));
        }
        for line in symbol_lines {
            points.symbols.push(points.reads.len());
            points.reads.push((line, None));
        }
        Ok(())
    }
}

/// Returns the text of the op with its region, in one line.
pub(crate) fn written(site: &Site<'_, '_, '_>, region: &Region<'_>) -> String {
    let text = site.lowering.text.tokens.text;
    let inside = text.get(region.span.clone()).unwrap_or_default();
    inside.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the values in the region that result `number` depends on.
pub(crate) fn comes_from<'a>(
    region: &Region<'a>,
    number: usize,
) -> Result<FxHashSet<&'a str>, Stop> {
    let mut needed: FxHashSet<&str> = FxHashSet::default();
    let last =
        region.ops.last().filter(|op| op.is_return()).or_unknown(|| "its region yields nothing")?;
    match last.operands.get(number) {
        Some(used) => needed.insert(base(used.name)),
        None => return unknown("its region yields less than it has results"),
    };
    for op in region.ops.iter().rev() {
        if op.results.iter().any(|result| needed.contains(result.name)) {
            needed.extend(op.operands.iter().map(|used| base(used.name)));
            needed.extend(captures(&op.regions).iter().map(|used| base(used.name)));
        }
    }
    Ok(needed)
}

/// Returns the name of a value without its result number: `%4` of `%4#1`.
fn base(name: &str) -> &str {
    name.split_once('#').map_or(name, |(base, _)| base)
}

impl<'a> Extraction<'a> {
    fn of<'t>(
        site: &mut Site<'_, 't, 'a>,
        index: &mut Index,
        op: &'t Op<'a>,
    ) -> Result<Option<Extraction<'a>>, Stop> {
        let used = op.operands.first().or_unknown(|| "its array is missing")?;
        let array = through(site, index, used, op.operand_types.first().cloned(), 0)?;
        let indices: Vec<Known> = match op.groups.first() {
            Some(group) => index.each(site, group.start),
            None => op.operands.iter().skip(1).map(|used| index.value(site, used)).collect(),
        };
        let indices: Vec<Option<Expr>> = indices.into_iter().map(Result::ok).collect();
        let result = op.results.first();
        Ok(result.map(|result| Extraction { name: result.name, array, indices }))
    }
}

/// Lowers `tensor.generate`: each element is computed by the region from its index.
pub(crate) fn generate(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let (region, ty) = (site.region(0)?, site.result_type()?);
    let rank = sizes(&ty)?.len();
    if region.arguments.len() != rank {
        return unknown("its region has other indices than its result");
    }
    let inside = Inside::of(site, region, rank, &Count::of_result(&ty.sizes))?;
    let needed = comes_from(region, 0)?;
    let scalars = site.lowering.captured(site.body, &site.op.regions).into_iter();
    let scalars =
        scalars.filter(|(name, value)| needed.contains(name) && value.ty.sizes.is_empty());
    let mut points = Points {
        sizes: Count::of_result(&ty.sizes),
        result: identity(rank),
        reads: scalars.map(|(_, value)| (value.line, Some(map_text(rank, &[])))).collect(),
        text: written(site, region),
        ..Points::default()
    };
    let own: Vec<Expr> = (0..rank).map(counter).collect();
    inside.add(&mut points, &needed, &own, &[])?;
    site.call_over(&points, &ty)
}
