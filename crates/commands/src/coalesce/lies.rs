//! The placement of elements: a shape with a layout, a CuTe layout, or a map.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::layout::shape::{is_cute, read_shape};
use crate::results::number_of;
use crate::table::Call;
use affinor::expr::{Domain, IndexingMap, VariableId, VariableKind};
use affinor::text::ErrorKind;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::shape::Shape;
use affinor_layout::cute;
use affinor_layout::memory::Placement;

/// A placement of elements.
pub(super) struct Lies {
    pub(super) map: IndexingMap,
    pub(super) sizes: Vec<i64>,
    pub(super) minor_to_major: Vec<usize>,
    /// Bits per element, if specified.
    pub(super) bits: Option<i64>,
}

impl Lies {
    pub(super) fn of(placement: &Placement) -> Lies {
        Lies {
            map: placement.position().clone(),
            sizes: placement.sizes().to_vec(),
            minor_to_major: placement.shape().layout().minor_to_major().to_vec(),
            bits: Some(placement.bits_per_position()),
        }
    }
}

/// Returns whether the text is a layout and not a map.
pub(super) fn is_layout(call: &Call<'_>, text: &str) -> bool {
    let text = text.trim();
    let is_map = text == "_"
        || text.contains("->")
        || number_of(text).is_some()
        || call.session.maps.contains_key(text);
    // A shape has one word before its bracket, as in `f32[8]`; `tid * 4, domain: tid in [0, 31]` has more, and `tile[t / 4]` is an
    // element.
    let is_shape = text.split_once('[').is_some_and(|(kind, sizes)| {
        let kind = kind.trim_start_matches('(');
        let sizes = sizes.split(']').next().unwrap_or("");
        let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let are_numbers = sizes.bytes().all(|byte| !byte.is_ascii_alphabetic());
        is_word && (are_numbers || ElementType::from_name(kind).is_some())
    });
    !is_map && (is_cute(text) || is_shape)
}

pub(super) fn lies(call: &Call<'_>, argument: &Argument) -> Result<Lies, Failure> {
    let text = argument.text.trim();
    if is_cute(text) {
        let layout = cute::Layout::read(&argument.text).map_err(|error| argument.blame(error))?;
        let sizes = layout.sizes();
        return Ok(Lies {
            map: layout.map().clone(),
            minor_to_major: (0..sizes.len()).rev().collect(),
            sizes,
            bits: None,
        });
    }
    if !is_layout(call, text) {
        let map = call.map(argument)?;
        if map.domain().count(VariableKind::Dimension) != map.domain().variables().len() {
            let message = "a layout has dimensions only: it maps each element to one position";
            return Err(argument.wrong(ErrorKind::Domain, message));
        }
        let sizes = sizes(argument, map.domain())?;
        return Ok(Lies {
            map,
            minor_to_major: (0..sizes.len()).rev().collect(),
            sizes,
            bits: None,
        });
    }
    Ok(Lies::of(&array(argument)?))
}

pub(super) fn array(argument: &Argument) -> Result<Placement, Failure> {
    match read_shape(argument)? {
        Shape::Array(array) | Shape::Buffer(array) => {
            Placement::new(&array).map_err(|error| argument.blame(error))
        }
        _ => Err(argument.wrong(ErrorKind::Shape, "expected the shape of an array")),
    }
}

/// Returns the sizes of the array whose indices are the dimensions of `domain`.
pub(super) fn sizes(argument: &Argument, domain: &Domain) -> Result<Vec<i64>, Failure> {
    let size = |id: VariableId| match domain.bounds(id) {
        bounds if bounds.is_empty() => Some(0),
        bounds if bounds.is_bounded() && bounds.lo() >= 0 => bounds.hi().checked_add(1),
        _ => None,
    };
    let sizes: Option<Vec<i64>> = domain.ids(VariableKind::Dimension).map(size).collect();
    sizes.ok_or_else(|| {
        argument.wrong(ErrorKind::Domain, "an array index must be bounded and at least 0")
    })
}
