//! Compares the reads of two modules that depend on values known only at run time.
//!
//! Law: as in `agreement::change`. Values computed inside are the same if they are the same term of operations over the same
//! elements of parameters, or the same expression over these elements.

use crate::agreement::{Change, change};
use affinor::num::{Interrupt, Interval};
use affinor::prove::Budget;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{OperandMap, Origin, Origins, Scope, Simplify, opened};
use std::collections::BTreeSet;

/// Bound of the parameters' elements at which a difference is searched for: no sum of a few such values overflows its type.
const SMALL: i64 = 1 << 20;

/// Compares the reads of the entries of two modules, from arrays that are the same in both.
pub struct Runtime<'m> {
    modules: [&'m Module; 2],
    simplify: Simplify<'m>,
    interrupt: Interrupt,
    origins: Origins,
}

impl<'m> Runtime<'m> {
    /// Prepares comparisons of the maps of these modules' entries.
    #[must_use]
    pub fn new(
        modules: [&'m Module; 2],
        simplify: Simplify<'m>,
        interrupt: &Interrupt,
    ) -> Runtime<'m> {
        Runtime { modules, simplify, interrupt: interrupt.clone(), origins: Origins::default() }
    }

    /// Compares the maps of both sides, from the same list of indices to the same array.
    pub fn change(&mut self, sides: [&[OperandMap]; 2], budget: &Budget) -> Change {
        let [old, new] = sides;
        let origins = [0, 1].map(|side| self.origins(side, sides[side]));
        let found = change((old, &origins[0]), (new, &origins[1]), budget);
        let has_values = |maps: &[OperandMap]| maps.iter().any(|map| !map.runtime.is_empty());
        if !matches!(found, Change::Unknown(_)) || !has_values(old) && !has_values(new) {
            return found;
        }
        for assumed in [None, Some(Interval::new(-SMALL, SMALL))] {
            let maps = [0, 1].map(|side| self.opened(side, sides[side], assumed));
            let [Some(old), Some(new)] = maps else {
                continue;
            };
            match change((&old, &[]), (&new, &[]), budget) {
                Change::None if assumed.is_none() => return Change::None,
                Change::None | Change::Unknown(_) => {}
                differ => return differ,
            }
        }
        found
    }

    /// Returns whether both sides depend on the same values known only at run time, compared by their terms.
    pub(super) fn has_same_values(&mut self, sides: [&[OperandMap]; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| {
            let mut all = BTreeSet::new();
            for (map, origins) in sides[side].iter().zip(self.origins(side, sides[side])) {
                for (runtime, origin) in map.runtime.iter().zip(origins) {
                    all.insert(format!("{:?} {:?}", origin?, runtime.clamp));
                }
            }
            Some(all)
        });
        old.is_some() && old == new
    }

    fn origins(&mut self, side: usize, maps: &[OperandMap]) -> Vec<Vec<Option<Origin>>> {
        let scope = Scope { side, module: self.modules[side], loops: &[] };
        let of_map = |map| self.origins.of_map(&scope, map, self.simplify, &self.interrupt);
        maps.iter().map(of_map).collect()
    }

    /// Returns the maps over elements of parameters, simplified.
    fn opened(
        &self,
        side: usize,
        maps: &[OperandMap],
        assumed: Option<Interval>,
    ) -> Option<Vec<OperandMap>> {
        let of_map = |map: &OperandMap| {
            let opened = opened(self.modules[side], map, assumed, &self.interrupt)?;
            Some(OperandMap { map: (self.simplify)(&opened.map), ..opened })
        };
        maps.iter().map(of_map).collect()
    }
}
