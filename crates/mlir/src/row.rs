//! The rows of the table of ops.

use crate::body::Stop;
use crate::lower::Site;

/// The lowering of an op.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// Each element of the result is computed from the operand elements at its index: the HLO op of this name.
    Elementwise(&'static str),
    /// The HLO op of this name with the same operands, whose number is checked, and these attributes.
    Same(&'static str, &'static [Attribute]),
    /// The same for an op of several forms or results.
    With(&'static str, &'static [Attribute]),
    /// An elementwise op of `chlo` that HLO has no name for.
    Call,
    /// The elementwise HLO op of this name on the inputs, into a destination: `linalg.add ins(..) outs(..)`.
    Destination(&'static str),
    /// A function that lowers the op.
    By(fn(&mut Site<'_, '_, '_>) -> Result<(), Stop>),
}

/// An attribute: its HLO name, its names here, and its form.
pub(crate) type Attribute = (&'static str, &'static [&'static str], Form);

/// The form of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// `{0,1}`, required.
    List,
    /// `{0,1}`, empty if it is missing.
    Lists,
    /// An integer as a list.
    Number,
    Integer,
    Truth,
    /// A truth value, printed if it is true.
    Flag,
    Word,
    /// A token as it is.
    Token,
    /// A list among the entries of the attribute, which are named second; empty if it is missing.
    Entry,
    /// The same, not printed if it is empty.
    EntryIfAny,
    /// An integer among the entries of the attribute; 0 if it is missing.
    EntryNumber,
    /// Rows of device numbers, without the -1 that pad them.
    Groups,
    /// The number of a channel, printed if it is positive.
    Channel,
    /// `{highest,highest}`, not printed if all are `DEFAULT`.
    Precision,
    /// The computation of the first region, in this role.
    Computation(&'static str),
}

/// Returns the HLO op for `name`, from a list of names, each followed by `=` and the HLO name if that differs.
pub(crate) fn listed(list: &'static str, name: &str) -> Option<&'static str> {
    let mut words =
        list.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, word)));
    words.find(|(own, _)| *own == name).map(|(_, hlo)| hlo)
}
