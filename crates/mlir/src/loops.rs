//! Loop nests, and the elements that their loads and stores access over all iterations.
//!
//! Law: dimension `k` of an access counts the iterations of the loop at depth `k`, from 0, and the map leads from there to the
//! element. If the trip count of a loop depends on the outer loops, the map has constraints. Values that are loaded, stored or
//! loop-carried are not followed: the result of a loop is unknown. Source: MLIR, *affine dialect*, *scf dialect*.

use crate::access::{ACCESSES, MAX_LOOPS, Nest, access, access_name, accessed, position, writes};
use crate::body::{OrUnknown, Stop, not_defined, unknown};
use crate::bounds::Bounds;
use crate::elements;
use crate::exprs::{checked, counter};
use crate::index::{Index, Test};
use crate::lower::{Site, captures};
use crate::points::Points;
use crate::slices;
use crate::token::Range;
use crate::tree::{Binding, Op, Region, Use};
use crate::types::{self, Type};
use crate::view::View;
use crate::views::{made, through};
use affinor_maps::expr::{Expr, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, ceildiv};
use rustc_hash::FxHashSet;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// The ops that are loops.
pub(crate) const LOOPS: [&str; 7] = [
    "affine.for",
    "affine.parallel",
    "scf.for",
    "scf.forall",
    "scf.parallel",
    "xla.loop",
    "xla_gpu.loop",
];

/// The ops that run a region under a condition.
pub(crate) const BRANCHES: [&str; 5] =
    ["affine.if", "scf.execute_region", "scf.if", "scf.index_switch", "scf.while"];

/// Ops that access no element.
const QUIET: [&str; 7] = [
    "gpu.barrier",
    "memref.alloc",
    "memref.alloca",
    "memref.dealloc",
    "scf.condition",
    "tensor.empty",
    "vector.create_mask",
];

/// Returns whether an op is an access, or contains some.
pub(crate) fn is_followed(op: &Op<'_>) -> bool {
    let is_access = ACCESSES.iter().any(|(name, _)| *name == op.name);
    let is_element = matches!(op.name, "tensor.extract" | "tensor.insert");
    is_access || is_element || LOOPS.contains(&op.name) || BRANCHES.contains(&op.name)
}

/// Lowers `tensor.extract`, `tensor.insert`: by a thread of a kernel, it is an access.
pub(crate) fn element(site: &mut Site<'_, '_, '_>) -> Done {
    match (site.body.threads.is_empty(), site.op.short()) {
        (true, "extract") => slices::element(site),
        (true, _) => elements::insert(site),
        (false, _) => single(site),
    }
}

/// Lowers a loop or a branch, with all ops in it.
pub(crate) fn nest(site: &mut Site<'_, '_, '_>) -> Done {
    let mut index = Index::default();
    let (op, outer) = (site.op, threads(site, &mut index));
    around(site, &mut index, &outer, op)?;
    carried(site)
}

/// Defines the results of a loop: each depends at most on all operands and all captured values.
fn carried(site: &mut Site<'_, '_, '_>) -> Done {
    let op = site.op;
    if op.results.is_empty() {
        return Ok(());
    }
    let mut used = captures(&op.regions);
    used.retain(|used| site.body.values.contains_key(used.name));
    // The buffers after the loop may contain anything that is used inside.
    let mut values = site.operands.clone();
    values.extend(site.body.uses(&used, op)?);
    let mut seen = FxHashSet::default();
    values.retain(|value| seen.insert(value.line));
    if values.iter().any(|value| !value.ty.is_array()) {
        return unknown("the values that a loop computes and that are not arrays are not followed");
    }
    let names: Vec<_> = op.result_names().collect();
    for ((name, key, _), ty) in names.into_iter().zip(op.result_types()?) {
        let points = Points::at_most(&values, &ty, op.name)?;
        let attributes = points.attributes("memref.access");
        let operands = points.operands();
        let line = site.body.push(&name, &ty.shape, "custom-call", &operands, &attributes, op);
        site.body.define(&key, line, ty);
    }
    Ok(())
}

/// Returns the loops over the threads of a kernel, and sets the values that count them.
fn threads(site: &Site<'_, '_, '_>, index: &mut Index) -> Nest {
    for (name, depth) in &site.body.threads {
        index.set(name, counter(*depth));
    }
    let counts = site.body.thread_counts.iter().map(|(_, count)| *count);
    index.counts = counts.clone().collect();
    index.is_by_thread = !index.counts.is_empty();
    let name = |id: &str| id.rsplit('.').next().unwrap_or(id).replace(' ', "_");
    let names = site.body.thread_counts.iter().map(|(id, _)| name(id));
    Nest { counts: counts.collect(), names: names.collect(), ..Nest::default() }
}

/// Lowers `gpu.thread_id x`: a loop around all accesses of the function, since each thread has its own id. The number of its
/// iterations has a name if it is not known.
pub(crate) fn thread(site: &mut Site<'_, '_, '_>) -> Done {
    let (op, text) = (site.op, site.lowering.text);
    let dimension = match op.named(&["dimension"]) {
        Some(range) => text.word(&range),
        None => op.words.first().copied(),
    };
    let dimension = dimension.or_unknown(|| "its dimension is missing")?;
    let number = |range: Option<Range>| range.and_then(|range| text.integer(&range));
    let range = op.named(&["xla.range"]).and_then(|range| text.integers(&range));
    let stated = match (range.as_deref(), op.words.contains(&"upper_bound")) {
        (Some([0, last]), _) => last.checked_add(1),
        (_, true) => number(op.groups.first().cloned()),
        _ => number(op.named(&["upper_bound"])),
    };
    let keys = match op.short() {
        "thread_id" | "block_dim" => ["known_block_size", "gpu.known_block_size"],
        _ => ["known_grid_size", "gpu.known_grid_size"],
    };
    let of_function = || {
        let sizes = site.body.function?.named(&keys).and_then(|range| text.integers(&range))?;
        sizes.get(["x", "y", "z"].iter().position(|known| *known == dimension)?).copied()
    };
    let is_size = op.short().ends_with("_dim");
    let count = stated.filter(|_| !is_size).or_else(of_function).filter(|count| *count > 0);
    let ty = types::of("index").map(Rc::new).or_unknown(|| "it has no type")?;
    if let (Some(count), true) = (count, is_size) {
        return site.is_number(count);
    }
    let attributes = format!(", custom_call_target=\"{}\"", op.name);
    let line = site.push("", &ty.shape, "custom-call", &[], &attributes);
    site.define(line, ty);
    if let (false, Some(result)) = (is_size, op.results.first()) {
        let id = format!("{} {dimension}", op.name);
        let counts = &mut site.body.thread_counts;
        let depth = counts.iter().position(|(known, _)| *known == id).unwrap_or(counts.len());
        if depth == counts.len() {
            counts.push((id, count));
        }
        site.body.threads.push((result.name.to_owned(), depth));
    }
    Ok(())
}

/// Lowers an access outside of loops, whose value is followed.
pub(crate) fn single(site: &mut Site<'_, '_, '_>) -> Done {
    let op = site.op;
    let is_value =
        op.dialect() == "vector" && op.operand_types.iter().any(|ty| ty.text.starts_with("tensor"));
    let buffer = position(op)?;
    if writes(op) && is_value && site.body.threads.is_empty() {
        return elements::write(site);
    }
    let mut index = Index::default();
    let outer = threads(site, &mut index);
    let line = access(site, &mut index, &outer, op, buffer)?;
    if !writes(op) {
        let mut ty = accessed(site.operand(0)?.ty.as_ref(), op);
        if !outer.counts.is_empty() {
            ty = Type::array_like(&ty, &[&outer.counts[..], &ty.sizes].concat());
            site.body.by_thread.insert(line);
        }
        site.define(line, Rc::new(ty));
    } else {
        site.body.is_written = true;
        // The result of an insertion is the array after it.
        if !op.results.is_empty() {
            let ty = site.result_type()?;
            let line = site.push("", &ty.shape, "tensor.written", &site.lines(), "");
            site.lowering
                .note(op, "its result depends on the written elements, and is not followed");
            site.define(line, ty);
        }
    }
    Ok(())
}

/// Lowers the loop or the branch `op` inside `nest`.
fn around<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    op: &'t Op<'a>,
) -> Done {
    index.hide(op);
    if BRANCHES.contains(&op.name) {
        let test = index.condition(site, op).unwrap_or_default();
        let mut values = Vec::new();
        for (number, region) in op.regions.iter().enumerate() {
            let mut branch = nest.clone();
            match test.get(number).cloned().flatten() {
                Some(reached) => branch.constraints.extend(reached),
                // It is not determined which iterations reach these regions.
                None => branch.is_bound = true,
            }
            inside(site, index, &branch, region)?;
            // The next region may use the same names for other values.
            let last = region.ops.last().map_or(&[][..], |last| &last.operands);
            let value = |used: &Use<'a>| index.value(site, used).ok();
            values.push(last.iter().map(value).collect());
        }
        yielded(index, op, &test, &values);
        return Ok(());
    }
    let mut inner = nest.clone();
    let mut arrays = Vec::new();
    match entered(site, index, &mut inner, op) {
        Ok(variables) => arrays = carry(site, index, op, variables),
        Err(Stop::Unknown(reason)) => inner.unknown = Some(reason),
        Err(stop) => return Err(stop),
    }
    let outer = std::mem::replace(&mut index.counts, inner.counts.clone());
    op.regions.iter().try_for_each(|region| inside(site, index, &inner, region))?;
    index.counts = outer;
    for ((_, key, _), array) in op.result_names().zip(arrays) {
        index.views.extend(array.map(|array| (key, array)));
    }
    Ok(())
}

/// Defines the index results of a branch by the values that its two regions yield.
fn yielded(index: &mut Index, op: &Op<'_>, test: &Test, values: &[Vec<Option<Expr>>]) {
    let [yes, no] = values else { return };
    let types = op.arrow_types.iter().flatten();
    for (((_, key, _), ty), pair) in op.result_names().zip(types).zip(yes.iter().zip(no)) {
        if let ("index", (Some(yes), Some(no))) = (&*ty.text, pair)
            && let Ok(value) = index.select(test, yes, no)
        {
            index.set(&key, value);
        }
    }
}

/// Makes each array that a loop carries a view of the array that it begins with: elements are inserted there.
///
/// Only the threads of a `forall` read the elements that the array began with. Returns the views, by result of the loop.
fn carry<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    op: &'t Op<'a>,
    variables: usize,
) -> Vec<Option<View>> {
    let Some(region) = op.regions.first() else { return Vec::new() };
    let carried = region.arguments.get(variables..).unwrap_or_default();
    let first = op.operands.len().saturating_sub(carried.len());
    let returned = region.ops.last().filter(|last| last.is_return());
    let mut arrays = Vec::new();
    for (k, (argument, used)) in carried.iter().zip(&op.operands[first..]).enumerate() {
        let next = returned.and_then(|last| last.operands.get(k)).map(|used| used.name);
        let is_other = |other: &&Binding<'a>| other.name != argument.name;
        let is_swapped =
            carried.iter().filter(is_other).any(|argument| Some(argument.name) == next);
        let view = through(site, index, used, None, 0).ok().filter(|_| !is_swapped);
        let view = view.map(|view| match op.name {
            "scf.forall" => view,
            _ => view.unread(format!("`%{}` is changed by the loop", argument.name)),
        });
        index.views.extend(view.clone().map(|view| (argument.name.to_owned(), view)));
        arrays.push(view.map(|view| view.changed_by(op)));
    }
    arrays
}

fn inside<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    region: &'t Region<'a>,
) -> Done {
    for op in &region.ops {
        let is_defined =
            |used: &&Use<'a>| site.body.values.contains_key(used.name) || index.knows(used.name);
        if let Some(used) = op.operands.iter().find(|used| !is_defined(used))
            && !site.body.is_snippet
        {
            return Err(not_defined(used).into());
        }
        if LOOPS.contains(&op.name) || BRANCHES.contains(&op.name) {
            around(site, index, nest, op)?;
        } else if op.name == "memref.copy" {
            site.body.is_written = true;
            for buffer in 0..2 {
                if let Err(Stop::Unknown(reason)) = access(site, index, nest, op, buffer) {
                    unfollowed(site, index, op, &reason);
                }
            }
        } else if let Ok(buffer) = position(op) {
            site.body.is_written |= writes(op);
            index.hide(op);
            if let Err(Stop::Unknown(reason)) = access(site, index, nest, op, buffer) {
                unfollowed(site, index, op, &reason);
            }
            let view = match (writes(op), op.operands.get(buffer)) {
                // The result is the array after the insertion.
                (true, Some(used)) => {
                    through(site, index, used, None, 0).map(|view| view.changed_by(op))
                }
                _ => made(site, index, op, 0).unwrap_or_else(|| unknown("it is not a view")),
            };
            define_view(index, op, view);
        } else if op.name == "scf.forall.in_parallel" {
            op.regions.iter().try_for_each(|region| inside(site, index, nest, region))?;
        } else if let Some(view) = made(site, index, op, 0) {
            index.hide(op);
            if let Err(Stop::Unknown(reason)) = &view {
                unfollowed(site, index, op, reason);
            }
            define_view(index, op, view);
        } else if !index.define(site, op) && !op.is_return() {
            index.hide(op);
            let is_computed = ["arith.", "math.", "index."].iter().any(|d| op.name.starts_with(d))
                || QUIET.contains(&op.name);
            if !is_computed || !op.regions.is_empty() {
                unfollowed(site, index, op, "inside of a loop it is not followed");
                site.body.is_written = true;
            }
        }
    }
    Ok(())
}

fn define_view(index: &mut Index, op: &Op<'_>, view: Result<View, Stop>) {
    if let (Ok(view), [result]) = (view, &*op.results) {
        index.views.insert(result.name.to_owned(), view);
    }
}

/// Adds an instruction of unknown operation for an op in a loop, with the captured values that it uses as operands.
fn unfollowed<'a>(site: &mut Site<'_, '_, 'a>, index: &Index, op: &Op<'a>, reason: &str) {
    site.lowering.note(op, reason);
    let mut lines = Vec::new();
    for (k, used) in op.operands.iter().enumerate() {
        let value = index.outside(site, used, op.operand_type(k));
        lines.extend(value.ok().map(|value| value.line));
    }
    let is_access = position(op).is_ok();
    let ty = match is_access {
        true => op.operand_types.iter().find(|ty| ty.is_buffer()).map(|ty| accessed(ty, op).shape),
        false => op.result_types().ok().and_then(|types| Some(types.first()?.shape.clone())),
    };
    let shape = ty.unwrap_or_else(|| Type::unstated().shape);
    site.body.push(access_name(op), &shape, op.name, &lines, "", op);
}

/// Adds the loops of `op` to `nest`, and its variables to `index`; returns the number of variables.
fn entered<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &mut Nest,
    op: &'t Op<'a>,
) -> Result<usize, Stop> {
    let region = op.regions.first().or_unknown(|| "it has no region")?;
    if matches!(op.name, "xla.loop" | "xla_gpu.loop") {
        return by_map(site, index, nest, op, region);
    }
    let Bounds { lower, upper, steps } = Bounds::of(site, index, op)?;
    let names = region.arguments.get(..lower.len());
    let names = names.or_unknown(|| "its variables are not supported")?;
    if steps.len() != lower.len() || upper.len() != lower.len() || lower.is_empty() {
        return unknown("its bounds are not supported");
    }
    if steps.iter().any(|step| *step < 0) {
        return unknown("its step is not positive");
    }
    for (k, argument) in names.iter().enumerate() {
        one(index, nest, argument.name, (&lower[k], &upper[k]), steps[k])?;
        nest.names.push(site.body.loops.take(argument.name));
    }
    Ok(lower.len())
}

/// Adds the loops of `xla.loop (%d)[%s] -> (%r) in #map`: over the ranges of a map at given dimensions, where its domain holds.
fn by_map<'a>(
    site: &mut Site<'_, '_, 'a>,
    index: &mut Index,
    nest: &mut Nest,
    op: &Op<'a>,
    region: &Region<'a>,
) -> Result<usize, Stop> {
    let tokens = &site.lowering.text.tokens;
    let at = op.tokens.clone().find(|at| tokens.is(*at, "in")).map(|at| tokens.attribute(at + 1));
    let range = op.named(&["indexing_map_attr"]).or(at).or_unknown(|| "its map is missing")?;
    let map = site.map_of(&range)?;
    let (mut places, mut variables) = (Vec::new(), 0);
    for (k, variable) in map.domain().variables().iter().enumerate() {
        let bounds = variable.bounds;
        match variable.kind {
            VariableKind::Dimension => {
                let used = op.operands.get(k).or_unknown(|| "it lacks dimensions")?;
                let value = index.value(site, used)?;
                let range = index.range(&nest.counts, &value);
                if range.lo() < bounds.lo() || range.hi() > bounds.hi() {
                    nest.constraints.push((value.clone(), bounds));
                }
                places.push(value);
            }
            VariableKind::Range if bounds.is_bounded() => {
                let name = region.arguments.get(variables).map(|argument| argument.name);
                let value = counter(nest.counts.len()).add(&Expr::constant(bounds.lo()));
                let value = checked(value)?;
                let count = bounds.hi().checked_sub(bounds.lo()).and_then(|x| x.checked_add(1));
                nest.counts.push(Some(count.or_unknown(|| "its loops are too long")?));
                let name = name.or_unknown(|| "its variables are not supported")?;
                nest.names.push(site.body.loops.take(name));
                index.set(name, value.clone());
                places.push(value);
                variables += 1;
            }
            _ => return unknown("its map has unbounded or run-time variables"),
        }
    }
    for constraint in map.domain().constraints() {
        let expr = checked(constraint.expr.substitute(&places))?;
        nest.constraints.push((expr, constraint.bounds));
    }
    let arguments = region.arguments.get(variables..).unwrap_or_default();
    for (argument, result) in arguments.iter().zip(map.results()) {
        index.set(argument.name, checked(result.substitute(&places))?);
    }
    Ok(variables + map.results().len())
}

/// Adds one loop: `max(lower..) <= variable < min(upper..)`; a step of 0 is a number that is not known.
fn one(
    index: &mut Index,
    nest: &mut Nest,
    name: &str,
    (lower, upper): (&[Expr], &[Expr]),
    step: i64,
) -> Done {
    let ranges = |exprs: &[Expr]| -> Vec<Interval> {
        exprs.iter().map(|expr| index.range(&nest.counts, expr)).collect()
    };
    let least = ranges(lower).iter().map(|range| range.lo()).max();
    let most = ranges(upper).iter().map(|range| range.hi()).min();
    let ends =
        least.zip(most).filter(|(least, most)| *least > MINUS_INFINITY && *most < PLUS_INFINITY);
    let span = ends.and_then(|(least, most)| most.checked_sub(least));
    if nest.counts.len() > MAX_LOOPS {
        return unknown("there are too many loops around it");
    }
    if step == 0 {
        // The variable stays unknown, and fewer iterations than these may run.
        nest.is_bound = true;
        nest.counts.push(span.map(|span| span.max(0)));
        return Ok(());
    }
    let start = match lower {
        [one] => one.clone(),
        [] => return unknown(format!("the loop over `%{name}` has no bound")),
        _ => checked(Expr::max(lower.iter().cloned()))?,
    };
    let counted = counter(nest.counts.len()).scale(step).and_then(|counted| counted.add(&start));
    let value = checked(counted)?;
    nest.counts.push(span.map(|span| ceildiv(span.max(0), step)));
    if lower.iter().chain(upper).any(|bound| bound.as_constant().is_none()) {
        for upper in upper {
            let left = checked(upper.sub(&value))?;
            nest.constraints.push((left, Interval::at_least(1)));
        }
    }
    index.set(name, value);
    Ok(())
}
