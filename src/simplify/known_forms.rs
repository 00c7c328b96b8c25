//! The forms that the strategy knows of the parts of a given expression: what an e-graph is seeded with.
//!
//! What was written is a form of its own value, and sometimes the smallest, over operands that are written
//! better. An e-graph that holds the given expression and the forms of its parts has all of these.

use super::engine::Engine;
use super::import::Importer;
use crate::expr::{Expr, ExprKind};
use crate::saturate::FormRef;

/// Levels of the given expression whose parts are looked at.
const LEVELS: u32 = 5;

/// An expression and a form of its value.
pub type Known = (Expr, FormRef);

impl Engine<'_> {
    /// Adds what is known of `given`, and of its parts near the root, to `known`; `None` if a coefficient does not
    /// fit into 64 bits.
    pub(super) fn know(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        known: &mut Vec<Known>,
    ) -> Option<()> {
        self.know_levels(importer, given, LEVELS, known)
    }

    fn know_levels(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        levels: u32,
        known: &mut Vec<Known>,
    ) -> Option<()> {
        let is_leaf = matches!(given.kind(), ExprKind::Constant(_) | ExprKind::Variable(_));
        if levels == 0 || is_leaf {
            return Some(());
        }
        let sum = importer.import(self, given)?;
        let form = self.sum_form(&sum, 0)?;
        let is_open = form.divmods >= 2;
        known.push((given.clone(), form));
        if let ExprKind::FloorDiv(x, c) | ExprKind::Mod(x, c) = given.kind()
            && is_open
        {
            let of = importer.import(self, x)?;
            if of.as_constant().is_none() {
                let form = match given.kind() {
                    ExprKind::FloorDiv(..) => self.quotient_form(&of, *c, 0)?,
                    _ => self.remainder_form(&of, *c, 0)?,
                };
                known.push((given.clone(), form));
            }
        }
        if is_open {
            for operand in given.operands() {
                self.know_levels(importer, operand, levels - 1, known)?;
            }
        }
        Some(())
    }
}
