//! Layouts of shared memory.
//!
//! Law of a swizzle: row `r`, column `c` is at the position of column `c xor vec * (r / perPhase mod maxPhase)` of a plain
//! row-major (by `order`) array; if it rotates, the phase is xored with `r / (perPhase * maxPhase) mod maxPhase`. Law of padding:
//! after each `interval` elements, the given number of elements is left free.

use super::super::builder::Builder;
use super::super::layout::{LinearLayout, NotLinear};
use super::cluster::Cluster;
use super::parameters::{OF_CLUSTERS, Parameters, at, power};
use super::threads::{inside, needed, shape_of};
use super::tree::Attribute;
use affinor::text::{Error, ErrorKind};

/// Free elements after each `interval` elements; both are powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Padding {
    /// The number of elements between two paddings.
    pub interval: u64,
    /// The number of free elements.
    pub elements: u64,
}

/// The map from offsets before padding to elements, and the padding.
type Memory = (LinearLayout, Vec<Padding>);

const INPUTS: [&str; 2] = ["offset", "block"];

pub(super) fn memory(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<Memory, Error> {
    match &*attribute.name {
        "padded_shared" => padded(attribute, sizes),
        "shared_linear" => {
            Ok((offsets(attribute, &["offset", "block", "alignment"], sizes)?, Vec::new()))
        }
        "nvmma_shared" => tensor_core(attribute, needed(attribute, sizes)?),
        _ => swizzled(attribute, needed(attribute, sizes)?),
    }
}

/// Rejects clusters: the layout does not determine each block's part of shared memory.
fn single(parameters: &Parameters<'_>, rank: usize) -> Result<(), Error> {
    match Cluster::of(parameters, rank)?.is_single() {
        true => Ok(()),
        false => {
            let message = "shared memory of several blocks is not supported";
            Err(Error::new(ErrorKind::Unsupported, parameters.span(), message))
        }
    }
}

/// The dependence of column shifts on rows.
struct Phases {
    vec: u64,
    per_phase: u64,
    phases: u64,
    /// Whether the phase is also xored with the number of completed rounds of all phases.
    rotates: bool,
}

impl Phases {
    /// Returns the xor mask of the columns of a row, which must be a power of two.
    fn of_row(&self, row: u64) -> u64 {
        let phase = row / self.per_phase;
        let turn = if self.rotates { phase / self.phases % self.phases } else { 0 };
        ((phase % self.phases) ^ turn) * self.vec
    }
}

/// Adds rows of this many columns, shifted by phases; rows are powers of two.
fn rows(
    builder: &mut Builder,
    [row_dim, column_dim]: [usize; 2],
    [row_count, column_count]: [u64; 2],
    phases: &Phases,
    rank: usize,
) {
    let mut basis = |row: u64, column: u64| {
        let mut coordinates = vec![0; rank];
        coordinates[row_dim] = row;
        coordinates[column_dim] = column;
        builder.basis("offset", coordinates);
    };
    for bit in 0..column_count.trailing_zeros() {
        basis(0, 1 << bit);
    }
    for bit in 0..row_count.trailing_zeros() {
        basis(1 << bit, phases.of_row(1 << bit) % column_count);
    }
}

fn swizzled(attribute: &Attribute, shape: &[u64]) -> Result<Memory, Error> {
    let own = ["vec", "perPhase", "maxPhase", "order", "hasLeadingOffset"];
    let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
    let rank = shape.len();
    if parameters.flag("hasLeadingOffset")? {
        let message = "shared layouts with a leading offset are not supported";
        let error = Error::new(ErrorKind::Unsupported, attribute.span.clone(), message);
        return Err(error.hint("later versions of Triton write `nvmma_shared`"));
    }
    let order = parameters.order("order", rank)?;
    let phases = Phases {
        vec: parameters.size("vec")?,
        per_phase: parameters.size("perPhase")?,
        phases: parameters.size("maxPhase")?,
        rotates: attribute.name == "amd_rotating_shared",
    };
    single(&parameters, rank)?;
    let mut builder = Builder::new(&INPUTS, rank);
    let built = match order[..] {
        [column, row, ref others @ ..] => {
            rows(&mut builder, [row, column], [shape[row], shape[column]], &phases, rank);
            others.iter().try_for_each(|dim| builder.along("offset", *dim, shape[*dim]))
        }
        _ => builder.over("offset", shape, &order),
    };
    let layout =
        built.and_then(|()| builder.finished(shape)).map_err(at(attribute.span.clone()))?;
    Ok((layout, Vec::new()))
}

/// Builds the layout that tensor cores and tensor-map copies share: swizzled tiles of 8 rows of a fixed number of bytes, placed
/// along rows first.
fn tensor_core(attribute: &Attribute, shape: &[u64]) -> Result<Memory, Error> {
    let own = ["swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank"];
    let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
    let unsupported = |message: &str| {
        Error::new(ErrorKind::Unsupported, attribute.span.clone(), message.to_owned())
    };
    if shape.len() != 2 {
        return Err(unsupported("`nvmma_shared` is supported for tensors of two dimensions"));
    }
    if parameters.flag("fp4Padded")? {
        return Err(unsupported("`nvmma_shared` with padding of 4-bit elements is not supported"));
    }
    let (bytes, bits) =
        (parameters.size("swizzlingByteWidth"), parameters.size("elementBitWidth")?);
    if bits > 64 {
        return Err(unsupported("`elementBitWidth` is 64 at most"));
    }
    let (per_phase, phases) = match bytes? {
        32 => (4, 2),
        64 => (2, 4),
        128 => (1, 8),
        _ => return Err(unsupported("`swizzlingByteWidth` is 32, 64 or 128")),
    };
    let phases = Phases { vec: 128 / bits, per_phase, phases, rotates: false };
    single(&parameters, 2)?;
    let (row, column) = if parameters.flag("transposed")? { (1, 0) } else { (0, 1) };
    let columns = 8 * parameters.size("swizzlingByteWidth")? / bits;
    if shape[row] < 8 || shape[column] < columns {
        let message = format!("the tensor is smaller than a tile of 8 by {columns}");
        return Err(Error::new(ErrorKind::Shape, attribute.span.clone(), message));
    }
    let build = || -> Result<LinearLayout, NotLinear> {
        let mut builder = Builder::new(&INPUTS, 2);
        rows(&mut builder, [row, column], [8, columns], &phases, 2);
        builder.took(row, 3);
        builder.took(column, columns.trailing_zeros());
        builder.fit(shape, &[row, column])?;
        builder.finished(shape)
    };
    Ok((build().map_err(at(attribute.span.clone()))?, Vec::new()))
}

fn padded(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<Memory, Error> {
    let own = ["order", "shape", "offset", "block"];
    let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
    let mut paddings: Vec<Padding> = Vec::new();
    for (interval, elements) in &attribute.paddings {
        let padding = Padding { interval: power(interval)?, elements: power(elements)? };
        if paddings.iter().any(|known| known.interval == padding.interval) {
            let message = format!("the interval {} is given twice", padding.interval);
            return Err(Error::new(ErrorKind::Shape, interval.span.clone(), message));
        }
        paddings.push(padding);
    }
    let layout = match parameters.find("offset") {
        Some(_) => offsets(attribute, &["offset", "block"], sizes)?,
        None => {
            let own: Vec<u64> = match parameters.find("shape") {
                Some(_) => {
                    parameters.numbers("shape")?.into_iter().map(power).collect::<Result<_, _>>()?
                }
                None => needed(attribute, sizes)?.to_vec(),
            };
            if let Some(sizes) = sizes.filter(|sizes| *sizes != own) {
                let message =
                    format!("the layout is of the shape {own:?}, the tensor of {sizes:?}");
                return Err(Error::new(ErrorKind::Shape, attribute.span.clone(), message));
            }
            single(&parameters, own.len())?;
            let order = parameters.order("order", own.len())?;
            let mut builder = Builder::new(&INPUTS, own.len());
            let built = builder.over("offset", &own, &order);
            built.and_then(|()| builder.finished(&own)).map_err(at(attribute.span.clone()))?
        }
    };
    Ok((layout, paddings))
}

/// Builds the layout from the bases of offsets.
fn offsets(
    attribute: &Attribute,
    known: &[&'static str],
    sizes: Option<&[u64]>,
) -> Result<LinearLayout, Error> {
    let parameters = Parameters::of(attribute, known)?;
    if parameters.find("alignment").is_some() {
        parameters.size("alignment")?;
    }
    let bases = parameters.bases("offset")?;
    if parameters.find("block").is_some() && !parameters.bases("block")?.is_empty() {
        let message = "shared memory of several blocks is not supported";
        return Err(Error::new(ErrorKind::Unsupported, attribute.span.clone(), message));
    }
    let shape = shape_of(attribute, bases.iter(), sizes)?;
    let mut builder = Builder::new(&INPUTS, shape.len());
    for basis in &bases {
        builder.basis("offset", inside(basis, &shape)?);
    }
    builder.finished(&shape).map_err(at(attribute.span.clone()))
}
