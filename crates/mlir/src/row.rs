//! How an op is lowered.

use crate::body::Stop;
use crate::lower::Site;

/// How an op is lowered.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// Each element of the result is computed from those at its index: the op of HLO of this name.
    Elementwise(&'static str),
    /// The op of HLO of this name with the same operands, and attributes: how HLO calls them, their names here, their form.
    Same(&'static str, &'static [(&'static str, &'static [&'static str], Form)]),
    /// An elementwise op of `chlo` that HLO has no name for.
    Call,
    /// The same, of the inputs, into a destination: `linalg.add ins(..) outs(..)`.
    Destination(&'static str),
    /// By a function.
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

/// The op of HLO that `name` is, in a list of names, each with the one of HLO behind `=` where that is another.
pub(crate) fn listed(list: &'static str, name: &str) -> Option<&'static str> {
    let mut words =
        list.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, word)));
    words.find(|(own, _)| *own == name).map(|(_, hlo)| hlo)
}
