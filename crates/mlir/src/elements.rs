//! Ops that insert elements into arrays, or mix those of several arrays. Source: MLIR, *vector dialect*, *tensor dialect*.

use crate::body::{OrUnknown, Stop, unknown};
use crate::by_points;
use crate::geometry::Place;
use crate::lower::Site;
use crate::points::{Count, Points, identity, map_text};
use crate::site::{dimensions, fixed, ranges, sizes};
use crate::slices;
use crate::types::Type;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// Lowers `tensor.insert`, `vector.insert`: an element, or the part at the leading indices, of operand 1.
pub(crate) fn insert(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, whole) = (site.operand(0)?, site.operand(1)?);
    let mut offsets = site.position(2)?;
    let of = sizes(&whole.ty)?;
    let left = of.get(offsets.len()..).or_unknown(|| "it has more indices than dimensions")?;
    if *sizes(&source.ty)? != *left {
        return unknown("the sizes of the part are not those of the array");
    }
    let ones = vec![Some(1); offsets.len()];
    offsets.resize_with(of.len(), || Place::Fixed(0));
    let part = [&ones[..], left].concat();
    let shape = whole.ty.with_sizes(&part);
    let line = site.push("part", &shape, "reshape", &[source.line], "");
    let mut operands = vec![whole.line, line];
    operands.extend(site.as_operands(&offsets));
    site.made(whole.ty, "dynamic-update-slice", &operands, "")
}

/// Lowers `vector.transfer_write %v, %t[%i, %j]` into a tensor: the part outside of it is not written.
pub(crate) fn write(site: &mut Site<'_, '_, '_>) -> Done {
    let (mut source, whole) = (site.operand(0)?, site.operand(1)?);
    let offsets = site.position(2)?;
    let rank = sizes(&whole.ty)?.len();
    let of = fixed(&source.ty)?;
    if site.operands.len() != 2 + rank || offsets.len() != rank || of.len() > rank {
        return unknown("it has a mask, or not as many indices as dimensions");
    }
    // For each dimension of the vector, the one of the tensor that it lies along.
    let map = site.op.named(&["permutation_map"]).map(|range| site.map_of(&range)).transpose()?;
    let along = match &map {
        Some(map) => map.results().iter().map(|at| Some(at.as_variable()?.index())).collect(),
        None => Some((rank - of.len()..rank).collect::<Vec<_>>()),
    };
    let along = along.filter(|along| along.len() == of.len() && along.iter().all(|at| *at < rank));
    let along = along.or_unknown(|| "its permutation is not supported")?;
    let mut order: Vec<usize> = (0..of.len()).collect();
    order.sort_by_key(|k| along[*k]);
    if !order.is_sorted() {
        let own: Vec<i64> = order.iter().map(|k| of[*k]).collect();
        let places: Vec<i64> = order.iter().filter_map(|k| i64::try_from(*k).ok()).collect();
        let (shape, attributes) = (source.ty.with_sizes(&own), dimensions(&places));
        source.line = site.push("ordered", &shape, "transpose", &[source.line], &attributes);
        source.ty = Rc::new(Type::array_like(&source.ty, &own));
    }
    let mut lengths = vec![1; rank];
    along.iter().zip(of).for_each(|(at, size)| lengths[*at] = size);
    let is_within = |((offset, length), size): ((&Place<'_, '_>, &i64), &Option<i64>)| {
        let Place::Fixed(offset) = offset else { return false };
        let end = offset.checked_add(*length);
        *offset >= 0 && end.zip(*size).is_some_and(|(end, size)| end <= size)
    };
    match offsets.iter().zip(&lengths).zip(&whole.ty.sizes).all(is_within) {
        true => slices::updated(site, &source, &offsets, &lengths),
        false => {
            let lengths: Vec<_> = lengths.into_iter().map(Place::Fixed).collect();
            by_points::over(site, &source, &offsets, &lengths, &vec![1; rank])
        }
    }
}

/// Lowers `vector.to_elements`: each element is a result.
pub(crate) fn apart(site: &mut Site<'_, '_, '_>) -> Done {
    let array = site.operand(0)?;
    let count = fixed(&array.ty)?.into_iter().try_fold(1, i64::checked_mul);
    let count = count.or_unknown(|| "it has too many elements")?;
    let flat = site.push("row", &array.ty.with_sizes(&[count]), "reshape", &[array.line], "");
    let names: Vec<_> = site.op.result_names().collect();
    let (ty, op) = (Rc::new(Type::array_like::<i64>(&array.ty, &[])), site.op);
    for (at, (name, key, _)) in (0..count).zip(names) {
        let (shape, place) = (array.ty.with_sizes(&[1]), ranges([(at, at + 1, 1)]));
        let line = site.push("element", &shape, "slice", &[flat], &place);
        let line = site.body.push(&name, &ty.shape, "reshape", &[line], "", op);
        site.body.define(&key, line, ty.clone());
    }
    Ok(())
}

/// Lowers `vector.bitcast`: the bits of the last dimension, as elements of another width.
pub(crate) fn bitcast(site: &mut Site<'_, '_, '_>) -> Done {
    let (array, ty) = (site.operand(0)?, site.result_type()?);
    let (of, to) = (fixed(&array.ty)?, fixed(&ty)?);
    let (Some(last), Some(next)) = (of.last(), to.last()) else {
        return site.made(ty, "bitcast-convert", &[array.line], "");
    };
    let ratio = |large: &i64, small: &i64| match small {
        0 => None,
        small => Some(large / small).filter(|ratio| ratio * small == *large),
    };
    match (ratio(last, next), ratio(next, last)) {
        (Some(1), _) => site.made(ty, "bitcast-convert", &[array.line], ""),
        (Some(ratio), _) => {
            let shape = array.ty.with_sizes(&[&to[..], &[ratio]].concat());
            let line = site.push("parts", &shape, "reshape", &[array.line], "");
            site.made(ty, "bitcast-convert", &[line], "")
        }
        (None, Some(ratio)) => {
            let shape = ty.with_sizes(&[&of[..], &[ratio]].concat());
            let line = site.push("parts", &shape, "bitcast-convert", &[array.line], "");
            site.reshaped(line, &ty)
        }
        (None, None) => unknown("its last sizes do not fit"),
    }
}

/// Lowers `vector.outerproduct %a, %b, %acc`.
pub(crate) fn outer(site: &mut Site<'_, '_, '_>) -> Done {
    let (left, right) = (site.operand(0)?, site.operand(1)?);
    let of = [fixed(&left.ty)?, fixed(&right.ty)?].concat();
    let ty = Rc::new(Type::array_like(&left.ty, &of));
    let row = |k: usize| map_text(of.len(), &[format!("d{k}")]);
    let mut reads = vec![(left.line, Some(row(0)))];
    let scalar = || map_text(of.len(), &[]);
    reads.push((right.line, Some(if of.len() > 1 { row(1) } else { scalar() })));
    reads.extend(site.operands.iter().skip(2).map(|sum| (sum.line, Some(identity(of.len())))));
    let sizes = of.iter().copied().map(Count::Fixed).collect();
    site.call(sizes, identity(of.len()), reads, site.op.name, &ty)
}

/// Lowers `vector.shuffle %a, %b [0, 5]`: these rows of the two operands, one after the other.
pub(crate) fn shuffle(site: &mut Site<'_, '_, '_>) -> Done {
    /// The maximum number of rows.
    const MAX_ROWS: usize = 64;
    let group = site.op.named_or_group(&["mask"]);
    let rows = group.and_then(|group| site.lowering.text.integers(&group));
    let rows = rows.filter(|rows| (1..=MAX_ROWS).contains(&rows.len()));
    let rows = rows.or_unknown(|| "its mask is not supported")?;
    let arrays = [site.operand(0)?, site.operand(1)?];
    let mut of = fixed(&arrays[0].ty)?;
    let first = of.first().copied().or_unknown(|| "its operands have no rows")?;
    let mut lines = Vec::new();
    for row in &rows {
        let (array, at) = if *row < first { (&arrays[0], *row) } else { (&arrays[1], row - first) };
        if at < 0 {
            return unknown("a row of it is not stated");
        }
        let mut offsets = vec![Place::Fixed(0); of.len()];
        offsets[0] = Place::Fixed(at);
        of[0] = 1;
        lines.push(site.taken(array.line, &array.ty, &offsets, &of, &vec![1; of.len()])?);
    }
    of[0] = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let ty = Rc::new(Type::array_like(&arrays[0].ty, &of));
    site.made(ty, "concatenate", &lines, ", dimensions={0}")
}

/// Lowers `vector.interleave %a, %b`: along the last dimension, the elements of both by turns.
pub(crate) fn interleave(site: &mut Site<'_, '_, '_>) -> Done {
    let arrays = [site.operand(0)?, site.operand(1)?];
    let mut of = fixed(&arrays[0].ty)?;
    let last = of.len().checked_sub(1).or_unknown(|| "its operands have no dimension")?;
    let pairs = [&of[..], &[1]].concat();
    let mut parts = Vec::new();
    for array in &arrays {
        parts.push(site.push("part", &array.ty.with_sizes(&pairs), "reshape", &[array.line], ""));
    }
    let both = [&of[..], &[2]].concat();
    let attributes = dimensions(&[i64::try_from(of.len()).unwrap_or(0)]);
    let line =
        site.push("pairs", &arrays[0].ty.with_sizes(&both), "concatenate", &parts, &attributes);
    of[last] = of[last].checked_mul(2).or_unknown(|| "its result is too large")?;
    site.reshaped(line, &Rc::new(Type::array_like(&arrays[0].ty, &of)))
}

/// Lowers `%a, %b = vector.deinterleave %v`: along the last dimension, the even and the odd elements.
pub(crate) fn deinterleave(site: &mut Site<'_, '_, '_>) -> Done {
    let array = site.operand(0)?;
    let mut of = fixed(&array.ty)?;
    let rank = of.len();
    let Some(last) = of.last_mut().filter(|last| **last % 2 == 0) else {
        return unknown("its last dimension is not even");
    };
    *last /= 2;
    let mut strides = vec![1; rank];
    strides[rank - 1] = 2;
    let names: Vec<_> = site.op.result_names().collect();
    for (start, (name, key, _)) in (0..2).zip(names) {
        let attributes = ranges((0..rank).map(|k| match k + 1 == rank {
            true => (start, array.ty.sizes[k].unwrap_or(0), 2),
            false => (0, of[k], 1),
        }));
        let ty = Rc::new(Type::array_like(&array.ty, &of));
        let op = site.op;
        let line = site.body.push(&name, &ty.shape, "slice", &[array.line], &attributes, op);
        site.body.define(&key, line, ty);
    }
    Ok(())
}

/// Lowers an op each of whose elements may read any element of its operands.
pub(crate) fn at_most(site: &mut Site<'_, '_, '_>) -> Done {
    let ty = site.op.result_types()?.first().cloned().or_unknown(|| "it has no result")?;
    let operands = site.operands.clone();
    let points = Points::at_most(&operands, &ty, site.op.name)?;
    site.call_over(&points, &ty)
}

/// Lowers `memref.copy %a, %b`: it reads the whole of one, and writes the other.
pub(crate) fn copy(site: &mut Site<'_, '_, '_>) -> Done {
    let source = site.operand(0)?;
    sizes(&source.ty)?;
    site.push("", &source.ty.shape, "copy", &[source.line], "");
    site.body.is_written = true;
    Ok(())
}

/// Lowers an op that reads nothing and has no result.
pub(crate) fn nothing(_: &mut Site<'_, '_, '_>) -> Done {
    Ok(())
}
