//! Ops that extract a part of an array, or insert one: slices if sizes and strides are fixed, else calls that state their
//! loops.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::by_points;
use crate::geometry::Place;
use crate::lower::Site;
use crate::site::{fixed, sizes};
use crate::types::Type;
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
    let Some(lengths) = all_known(&lengths).filter(|_| source.ty.fixed().is_some()) else {
        return by_points::part(site, &offsets, &lengths, &strides, &ty);
    };
    let line = site.taken(source.line, &source.ty, &offsets, &lengths, &strides)?;
    // The result may omit dimensions of size 1.
    site.reshaped(line, &ty)
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
