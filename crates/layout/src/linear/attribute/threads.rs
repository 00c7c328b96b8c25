//! Layouts of threads: blocked, given by bases, slices, and operands of products with a blocked layout.
//!
//! Law of blocked layouts: registers, then lanes, then warps take the next elements, each along the dimensions from the fastest
//! on; if the tensor is larger, registers repeat the whole block; if it is smaller, several hold the same element.

use super::super::builder::Builder;
use super::super::layout::{Input, LinearLayout, NotLinear, Output, THREADS};
use super::cluster::Cluster;
use super::parameters::{OF_CLUSTERS, Parameters, at};
use super::tree::{Attribute, Number};
use affinor::text::{Error, ErrorKind};

/// Returns the sizes for a layout without sizes of its own.
pub(super) fn needed<'s>(
    attribute: &Attribute,
    sizes: Option<&'s [u64]>,
) -> Result<&'s [u64], Error> {
    sizes.ok_or_else(|| {
        let message = format!("`{}` needs the shape of the tensor", attribute.name);
        let error = Error::new(ErrorKind::Shape, attribute.span.clone(), message);
        error.hint("write it after the layout: `#ttg.slice<{..}> : tensor<64xf32>`, or `64`")
    })
}

struct Blocked {
    registers: Vec<u64>,
    lanes: Vec<u64>,
    warps: Vec<u64>,
    order: Vec<usize>,
    cluster: Cluster,
}

impl Blocked {
    fn of(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<Blocked, Error> {
        let own = ["sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"];
        let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
        let rank = match sizes {
            Some(sizes) => sizes.len(),
            None => parameters.numbers("order")?.len(),
        };
        let of = |name: &str| parameters.sizes(name, rank);
        Ok(Blocked {
            registers: of(own[0])?,
            lanes: of(own[1])?,
            warps: of(own[2])?,
            order: parameters.order(own[3], rank)?,
            cluster: Cluster::of(&parameters, rank)?,
        })
    }
}

pub(super) fn blocked(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let blocked = Blocked::of(attribute, sizes)?;
    let parts = [&blocked.registers, &blocked.lanes, &blocked.warps];
    let own: Vec<u64> = (0..blocked.order.len())
        .map(|dim| {
            parts.iter().fold(blocked.cluster.split(dim), |all, part| all.saturating_mul(part[dim]))
        })
        .collect();
    let shape = sizes.unwrap_or(&own);
    let build = || {
        let mut builder = Builder::new(&THREADS, shape.len());
        for (name, part) in THREADS.iter().zip(parts) {
            builder.over(name, part, &blocked.order)?;
        }
        blocked.cluster.fit(builder, shape, &blocked.order)?.finished(shape)
    };
    build().map_err(at(attribute.span.clone()))
}

/// Builds an operand of a product whose result is blocked: each thread holds all of the summed dimension.
pub(super) fn operand(
    parent: &Attribute,
    index: usize,
    shape: &[u64],
) -> Result<LinearLayout, Error> {
    let blocked = Blocked::of(parent, Some(shape))?;
    let summed = match shape.len().checked_sub(2) {
        Some(before) => {
            if index == 0 {
                before + 1
            } else {
                before
            }
        }
        None => {
            let message = "an operand of a product has two dimensions at least";
            return Err(Error::new(ErrorKind::Arity, parent.span.clone(), message));
        }
    };
    let cluster = blocked.cluster.shared_along(summed);
    let build = || {
        let mut builder = Builder::new(&THREADS, shape.len());
        for dim in &blocked.order {
            let size = if *dim == summed { shape[*dim] } else { blocked.registers[*dim] };
            builder.along("register", *dim, size)?;
        }
        for (name, part) in [("lane", &blocked.lanes), ("warp", &blocked.warps)] {
            shared_along(&mut builder, name, part, &blocked.order, summed)?;
        }
        cluster.fit(builder, shape, &blocked.order)?.finished(shape)
    };
    build().map_err(at(parent.span.clone()))
}

/// Distributes threads along all dimensions; along the summed dimension they hold the same elements.
pub(super) fn shared_along(
    builder: &mut Builder,
    name: &str,
    sizes: &[u64],
    order: &[usize],
    summed: usize,
) -> Result<(), NotLinear> {
    order.iter().try_for_each(|dim| match *dim == summed {
        true => builder.again(name, sizes[*dim]),
        false => builder.along(name, *dim, sizes[*dim]),
    })
}

pub(super) fn linear(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let parameters = Parameters::of(attribute, &THREADS)?;
    let mut all = Vec::new();
    for name in THREADS {
        all.push((name, parameters.bases(name)?));
    }
    let bases = || all.iter().flat_map(|(_, bases)| bases);
    let shape = shape_of(attribute, bases(), sizes)?;
    let mut builder = Builder::new(&THREADS, shape.len());
    for (name, bases) in &all {
        for basis in bases {
            builder.basis(name, inside(basis, &shape)?);
        }
    }
    builder.finished(&shape).map_err(at(attribute.span.clone()))
}

/// Returns the sizes of the tensor: as given, or the smallest that contain all coordinates.
pub(super) fn shape_of<'b>(
    attribute: &Attribute,
    bases: impl Iterator<Item = &'b Vec<&'b Number>> + Clone,
    sizes: Option<&[u64]>,
) -> Result<Vec<u64>, Error> {
    let rank = match (sizes, bases.clone().next()) {
        (Some(sizes), _) => sizes.len(),
        (None, Some(first)) => first.len(),
        (None, None) => return Ok(Vec::new()),
    };
    if let Some(other) = bases.clone().find(|basis| basis.len() != rank) {
        let span = other.first().map_or(attribute.span.clone(), |number| number.span.clone());
        let message =
            format!("a basis has {} coordinates, the tensor {rank} dimensions", other.len());
        return Err(Error::new(ErrorKind::Arity, span, message));
    }
    Ok(match sizes {
        Some(sizes) => sizes.to_vec(),
        None => least(bases, rank),
    })
}

fn least<'b>(bases: impl Iterator<Item = &'b Vec<&'b Number>>, rank: usize) -> Vec<u64> {
    let mut shape = vec![1_u64; rank];
    for basis in bases {
        for (size, number) in shape.iter_mut().zip(basis) {
            let coordinate = u64::try_from(number.value).unwrap_or(0);
            let above = coordinate.checked_add(1).and_then(u64::checked_next_power_of_two);
            *size = (*size).max(above.unwrap_or(1 << 63));
        }
    }
    shape
}

/// Parses the coordinates of a basis.
pub(super) fn inside(basis: &[&Number], shape: &[u64]) -> Result<Vec<u64>, Error> {
    let pairs = basis.iter().zip(shape);
    pairs
        .map(|(number, size)| match u64::try_from(number.value) {
            Ok(value) if value < *size => Ok(value),
            _ => {
                let message = format!("the coordinate {} is outside the size {size}", number.value);
                Err(Error::new(ErrorKind::Shape, number.span.clone(), message))
            }
        })
        .collect()
}

/// Returns the parent's layout without a dimension; drops registers that are constant along it.
pub(super) fn slice(
    attribute: &Attribute,
    sizes: Option<&[u64]>,
    parent_layout: impl Fn(&Attribute, &[u64]) -> Result<LinearLayout, Error>,
) -> Result<LinearLayout, Error> {
    let parameters = Parameters::of(attribute, &["dim", "parent"])?;
    let sizes = needed(attribute, sizes)?;
    let dim = parameters.number("dim")?;
    let place = usize::try_from(dim.value).ok().filter(|place| *place <= sizes.len());
    let Some(place) = place else {
        let message = format!("`dim` is from 0 to {} for this tensor", sizes.len());
        return Err(Error::new(ErrorKind::Shape, dim.span.clone(), message));
    };
    let mut shape = sizes.to_vec();
    shape.insert(place, 1);
    let parent = parent_layout(parameters.parent()?, &shape)?;
    // The dropped dimension has size 1, so elements keep their numbers.
    let outputs = sizes
        .iter()
        .enumerate()
        .map(|(number, size)| Output { name: format!("dim{number}"), bits: size.trailing_zeros() });
    let inputs = parent.inputs().iter().map(|input| Input {
        name: input.name.clone(),
        bases: match &*input.name {
            "register" => input.bases.iter().copied().filter(|basis| *basis != 0).collect(),
            _ => input.bases.clone(),
        },
    });
    let built = LinearLayout::new(inputs.collect(), outputs.collect());
    built.map_err(at(attribute.span.clone()))
}
