//! The given expression as a candidate: the operators that were written near the root, with
//! simplified operands.
//!
//! What was written is a form of its own value, and sometimes the smallest. Taking it into account
//! also makes simplification idempotent: a result that is given again cannot come out larger.

use super::engine::Engine;
use super::import::Importer;
use crate::expr::{Expr, ExprKind};
use crate::saturate::{Form, FormRef};

/// Levels of the given expression that are kept as written.
const LEVELS: u32 = 5;

impl Engine<'_> {
    /// The smaller of `searched`, the form that the search found for `given`, and the given operators
    /// over simplified operands.
    pub(super) fn as_written(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        searched: FormRef,
    ) -> FormRef {
        if std::env::var("NOWR").is_ok() { return searched; }
        match self.written_form(importer, given, LEVELS, &searched) {
            Some(form) if form.is_smaller_than(&searched) => form,
            _ => searched,
        }
    }

    fn written_form(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        levels: u32,
        searched: &FormRef,
    ) -> Option<FormRef> {
        if levels == 0 || searched.divmods < 2 {
            return None;
        }
        match given.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) => None,
            ExprKind::Sum(sum) => {
                let mut parts = Vec::with_capacity(sum.terms().len());
                for (coefficient, term) in sum.terms() {
                    parts.push((*coefficient, self.operand(importer, term, levels)?));
                }
                Form::sum(sum.constant(), parts)
            }
            ExprKind::FloorDiv(x, divisor) => {
                let operand = self.operand(importer, x, levels)?;
                let plain = Form::floordiv(operand, *divisor);
                let of = importer.import(self, x)?;
                let other = match of.as_constant() {
                    None => self.quotient_form(&of, *divisor, 0)?,
                    Some(_) => return None,
                };
                Some(if plain.is_smaller_than(&other) {
                    plain
                } else {
                    other
                })
            }
            ExprKind::Mod(x, modulus) => {
                let operand = self.operand(importer, x, levels)?;
                let plain = Form::modulo(operand, *modulus);
                let of = importer.import(self, x)?;
                let other = match of.as_constant() {
                    None => self.remainder_form(&of, *modulus, 0)?,
                    Some(_) => return None,
                };
                Some(if plain.is_smaller_than(&other) {
                    plain
                } else {
                    other
                })
            }
            ExprKind::CeilDiv(..) | ExprKind::Min(_) | ExprKind::Max(_) => None,
        }
    }

    /// The smallest form of an operand, itself searched and as written.
    fn operand(&mut self, importer: &mut Importer, given: &Expr, levels: u32) -> Option<FormRef> {
        let sum = importer.import(self, given)?;
        let searched = self.sum_form(&sum, 0)?;
        match self.written_form(importer, given, levels - 1, &searched) {
            Some(form) if form.is_smaller_than(&searched) => Some(form),
            _ => Some(searched),
        }
    }
}
