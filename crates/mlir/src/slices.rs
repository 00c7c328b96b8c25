//! Ops that extract a part of an array, or insert one: slices if sizes and strides are fixed, else calls that state their
//! loops.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::by_points;
use crate::geometry::Place;
use crate::layout::Layout;
use crate::lower::Site;
use crate::site::{fixed, sizes};
use crate::types::Type;
use crate::views::kept;
use std::rc::Rc;

/// Lowers `tensor.extract_slice`, `memref.subview`, `vector.extract_strided_slice`.
pub(crate) fn extract(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let source = site.operand(0)?;
    let [offsets, lengths, strides] = match site.op.named(&["offsets"]) {
        None => site.geometry(1)?,
        // For a vector, the last dimensions are taken as a whole.
        Some(_) => {
            let of = fixed(&source.ty)?;
            let lists = ["offsets", "sizes", "strides"].map(|name| site.needed_list(&[name]));
            let [offsets, mut sizes, strides] = lists;
            if let Ok(sizes) = &mut sizes {
                let given = sizes.len();
                sizes.extend(of.iter().skip(given));
            }
            let filled = |mut list: Vec<i64>, with: i64| -> Vec<Place<'_, '_>> {
                list.resize(of.len(), with);
                list.into_iter().map(Place::Fixed).collect()
            };
            [filled(offsets?, 0), filled(sizes?, 1), filled(strides?, 1)]
        }
    };
    let strides = Site::all_fixed(&strides, "strides")?;
    let ty = site.result_type()?;
    strided_as_declared(&source.ty, (&offsets, &lengths, &strides), &ty)?;
    let Some(lengths) = all_known(&lengths).filter(|_| source.ty.fixed().is_some()) else {
        return by_points::part(site, &offsets, &lengths, &strides, &ty);
    };
    let line = site.taken(source.line, &source.ty, &offsets, &lengths, &strides)?;
    // The result may omit dimensions of size 1.
    site.reshaped(line, &ty)
}

/// Checks that a part has the strides and the offset that its type declares, as MLIR's verifier of `memref.subview` does.
fn strided_as_declared(
    source: &Type,
    (offsets, lengths, strides): (&[Place<'_, '_>], &[Place<'_, '_>], &[i64]),
    ty: &Type,
) -> Result<(), Stop> {
    let (Some(of), Some(declared)) = (source.layout(), ty.declared_layout()) else { return Ok(()) };
    let fixed = |place: &Place<'_, '_>| match place {
        Place::Fixed(value) => Some(*value),
        _ => None,
    };
    let steps = of.strides.iter().zip(strides);
    let steps: Vec<Option<i64>> =
        steps.map(|(own, stride)| own.as_ref()?.checked_mul(*stride)).collect();
    let lengths: Vec<Option<i64>> = lengths.iter().map(fixed).collect();
    let kept = kept(&lengths, ty)?;
    let steps = steps.iter().zip(&kept).filter(|(_, is_kept)| **is_kept).map(|(step, _)| *step);
    let steps: Vec<Option<i64>> = steps.collect();
    let add = |sum: Option<i64>, (place, stride): (&Place<'_, '_>, &Option<i64>)| {
        let step = fixed(place)?.checked_mul((*stride)?)?;
        sum?.checked_add(step)
    };
    let offset = offsets.iter().zip(&of.strides).fold(of.offset, add);
    let differ = |own: Option<i64>, declared: Option<i64>| {
        own.zip(declared).is_some_and(|(own, declared)| own != declared)
    };
    let mut pairs = steps.iter().copied().zip(declared.strides.iter().copied());
    if pairs.any(|(own, declared)| differ(own, declared)) || differ(offset, declared.offset) {
        let of = Layout { strides: steps, offset };
        return unknown(format!("its type is {declared}, its offsets and strides give {of}"));
    }
    Ok(())
}

/// Lowers `xtile.extract %m[%i] [8] [2]`: of a tile that runs past the end, the part within the array is read.
pub(crate) fn tile(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let ([offsets, lengths, strides], ty) = (site.geometry(1)?, site.result_type()?);
    let strides = Site::all_fixed(&strides, "strides")?;
    by_points::part(site, &offsets, &lengths, &strides, &ty)
}

fn all_known(places: &[Place<'_, '_>]) -> Option<Vec<i64>> {
    Site::all_fixed(places, "sizes").ok()
}

/// Lowers `tensor.insert_slice`, `vector.insert_strided_slice`.
pub(crate) fn insert(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let (source, destination) = (site.operand(0)?, site.operand(1)?);
    let rank = sizes(&destination.ty)?.len();
    let (offsets, lengths, strides) = match site.op.named(&["offsets"]) {
        None => {
            let [offsets, lengths, strides] = site.geometry(2)?;
            (offsets, lengths, Site::all_fixed(&strides, "strides")?)
        }
        Some(_) => {
            let offsets = site.needed_list(&["offsets"])?.into_iter().map(Place::Fixed).collect();
            // The source may have fewer dimensions, which are the last ones.
            let mut lengths: Vec<_> = fixed(&source.ty)?.into_iter().map(Place::Fixed).collect();
            let mut strides = site.needed_list(&["strides"])?;
            while lengths.len() < rank {
                lengths.insert(0, Place::Fixed(1));
                strides.insert(0, 1);
            }
            (offsets, lengths, strides)
        }
    };
    if [offsets.len(), lengths.len(), strides.len()] != [rank; 3] {
        return unknown("its lists do not have the rank of the destination");
    }
    let is_whole = strides.iter().all(|stride| *stride == 1);
    let arrays = [&source, &destination].map(|value| value.ty.fixed().is_some());
    let Some(lengths) = all_known(&lengths).filter(|_| is_whole && arrays == [true; 2]) else {
        return by_points::over(site, &source, &offsets, &lengths, &strides);
    };
    updated(site, &source, &offsets, &lengths)
}

/// Inserts an array, whose sizes are `lengths` except for some of 1, as a part of operand 1.
pub(crate) fn updated<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    source: &Value<'t, 'a>,
    offsets: &[Place<'t, 'a>],
    lengths: &[i64],
) -> Result<(), Stop> {
    let (whole, mut line) = (site.operand(1)?, source.line);
    if fixed(&source.ty)? != lengths {
        line = site.push("slice", &source.ty.with_sizes(lengths), "reshape", &[line], "");
    }
    let mut operands = vec![whole.line, line];
    operands.extend(site.as_operands(offsets));
    site.made(whole.ty, "dynamic-update-slice", &operands, "")
}

/// Lowers `tensor.extract`, `vector.extract`: extracts an element, or the part at the leading indices.
pub(crate) fn element(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let mut offsets = site.position(1)?;
    let source = site.operand(0)?;
    let of = sizes(&source.ty)?;
    let left = of.get(offsets.len()..).or_unknown(|| "it has more indices than dimensions")?;
    let ty = Rc::new(Type::array_like(&source.ty, left));
    let mut lengths = vec![1; offsets.len()];
    offsets.resize_with(of.len(), || Place::Fixed(0));
    let strides = vec![1; of.len()];
    let Some(whole) = source.ty.fixed() else {
        let mut places: Vec<Place<'_, '_>> = lengths.into_iter().map(Place::Fixed).collect();
        let own = |size: &Option<i64>| size.map_or(Place::Value(source.clone()), Place::Fixed);
        places.extend(left.iter().map(own));
        return by_points::part(site, &offsets, &places, &strides, &ty);
    };
    lengths.extend(whole.iter().skip(lengths.len()));
    let line = site.taken(source.line, &source.ty, &offsets, &lengths, &strides)?;
    site.reshaped(line, &ty)
}
