//! Names for the nested operands and computations that the text leaves unnamed.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Generates unused names.
pub(super) struct FreeNames {
    taken: FxHashSet<Arc<str>>,
    /// The number to try next after a base name.
    next: FxHashMap<String, usize>,
}

impl FreeNames {
    /// Creates a generator that avoids these names.
    pub(super) fn all_but<'a>(taken: impl Iterator<Item = &'a str>) -> FreeNames {
        FreeNames { taken: taken.map(Arc::from).collect(), next: FxHashMap::default() }
    }

    /// Returns `base`, or the first of `base.1`, `base.2`, .. that is unused, and marks it as used.
    pub(super) fn take(&mut self, base: &str) -> Arc<str> {
        let next = self.next.entry(base.to_owned()).or_insert(0);
        loop {
            let name: Arc<str> = match *next {
                0 => base.into(),
                number => format!("{base}.{number}").into(),
            };
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FreeNames;

    #[test]
    fn names_are_given_once() {
        let mut names = FreeNames::all_but(["add", "add.2"].into_iter());
        assert_eq!(&*names.take("add"), "add.1");
        assert_eq!(&*names.take("add"), "add.3");
        assert_eq!(&*names.take("sub"), "sub");
        assert_eq!(&*names.take("sub"), "sub.1");
        assert_eq!(&*names.take("add.1"), "add.1.1");
    }
}
