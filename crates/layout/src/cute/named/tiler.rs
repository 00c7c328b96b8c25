//! The second operand of an operation with named sizes: a layout, or a layout for each mode of the first operand.

use super::layout::NamedLayout;
use super::size::Size;
use std::collections::BTreeSet;

/// The second operand of a composition, division or product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NamedTiler {
    /// One layout, over all elements.
    Whole(NamedLayout),
    /// A layout for each of the first modes, `<4:1,n:2>`; `None` leaves a mode unchanged. A shape without strides, `(4,n)`, means
    /// `<4:1,n:1>`, as in CuTe.
    Modes(Vec<Option<NamedLayout>>),
}

impl NamedTiler {
    fn layouts(&self) -> impl Iterator<Item = &NamedLayout> {
        let (whole, modes) = match self {
            NamedTiler::Whole(layout) => (Some(layout), &[][..]),
            NamedTiler::Modes(modes) => (None, modes.as_slice()),
        };
        whole.into_iter().chain(modes.iter().flatten())
    }

    /// Returns the names in it, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        self.layouts().flat_map(NamedLayout::names).collect()
    }

    /// Returns whether any of its layouts has a swizzle.
    pub(super) fn is_swizzled(&self) -> bool {
        self.layouts().any(|layout| layout.swizzle().is_some())
    }

    /// Replaces all sizes and strides; `None` if one of these overflows.
    pub(super) fn replaced(&self, by: impl Fn(&Size) -> Option<Size>) -> Option<NamedTiler> {
        Some(match self {
            NamedTiler::Whole(layout) => NamedTiler::Whole(layout.replaced(by)?),
            NamedTiler::Modes(modes) => {
                let mut replaced = Vec::new();
                for mode in modes {
                    replaced.push(match mode {
                        Some(layout) => Some(layout.replaced(&by)?),
                        None => None,
                    });
                }
                NamedTiler::Modes(replaced)
            }
        })
    }
}

impl From<NamedLayout> for NamedTiler {
    fn from(layout: NamedLayout) -> NamedTiler {
        NamedTiler::Whole(layout)
    }
}
