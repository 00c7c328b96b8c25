//! Normal forms of min and max.

use super::engine::Engine;
use super::linear::Linear;

impl Engine<'_> {
    /// The least (or greatest) of `operands` as a sum: operands that another one bounds under the
    /// domain go (`min-le`, `max-ge`), a common part of all leaves (`min-add`, `max-add`).
    pub fn lattice(
        &mut self,
        operands: impl IntoIterator<Item = Linear>,
        least: bool,
    ) -> Option<Linear> {
        let mut list: Vec<Linear> = operands.into_iter().collect();
        list.sort();
        list.dedup();
        let mut kept: Vec<Linear> = Vec::with_capacity(list.len());
        for (index, x) in list.iter().enumerate() {
            let mut needed = true;
            for (other, y) in list.iter().enumerate() {
                // y replaces x if y <= x (for min) everywhere; of two equal ones the first stays.
                let difference = if least { x.plus(-1, y) } else { y.plus(-1, x) };
                let bounded = difference.is_some_and(|d| self.store.range(&d).lo() >= 0);
                if other != index && bounded && !(other > index && self.equal_everywhere(x, y)) {
                    needed = false;
                    break;
                }
            }
            if needed {
                kept.push(x.clone());
            }
        }
        match kept.as_slice() {
            [] => list.into_iter().next(),
            [only] => Some(only.clone()),
            _ => {
                // The common shift makes min(d0 + 3, d0 + d1) one atom with min(3, d1).
                let base = self.common_part(&kept)?;
                let rest: Option<Vec<Linear>> = kept.iter().map(|x| x.plus(-1, &base)).collect();
                let mut rest = rest?;
                rest.sort();
                let atom = self.store.lattice_atom(rest, least);
                base.plus_atom(1, atom)
            }
        }
    }

    fn equal_everywhere(&mut self, x: &Linear, y: &Linear) -> bool {
        x.plus(-1, y)
            .is_some_and(|d| self.store.range(&d).as_point() == Some(0))
    }

    /// The terms that all operands share.
    fn common_part(&self, operands: &[Linear]) -> Option<Linear> {
        let (first, others) = operands.split_first()?;
        let shared = first
            .terms()
            .iter()
            .copied()
            .filter(|(atom, c)| others.iter().all(|x| x.coefficient(*atom) == *c));
        Linear::new(0, shared)
    }
}
