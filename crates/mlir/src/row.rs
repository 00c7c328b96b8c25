//! The rows of the table of ops.

use crate::body::Stop;
use crate::lower::Site;

/// The lowering of an op.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// Each element of the result is computed from the operand elements at its index: the HLO op of this name.
    Elementwise(&'static str),
    /// The HLO op of this name with the same operands, and attributes: the HLO name of each, its names here, and its form.
    Same(&'static str, &'static [(&'static str, &'static [&'static str], Form)]),
    /// An elementwise op of `chlo` that HLO has no name for.
    Call,
    /// The elementwise HLO op of this name on the inputs, into a destination: `linalg.add ins(..) outs(..)`.
    Destination(&'static str),
    /// A function that lowers the op.
    By(fn(&mut Site<'_, '_, '_>) -> Result<(), Stop>),
}

/// The form of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    List,
    Number,
    Truth,
    Word,
}

/// Returns the HLO op for `name`, from a list of names, each followed by `=` and the HLO name if that differs.
pub(crate) fn listed(list: &'static str, name: &str) -> Option<&'static str> {
    let mut words =
        list.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, word)));
    words.find(|(own, _)| *own == name).map(|(_, hlo)| hlo)
}
