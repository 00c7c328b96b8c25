//! The one place where a rule is used: an instance is checked, then it holds.
//!
//! The strategy proposes a rule with values for its variables. The kernel evaluates the rule's
//! own text on them: does the left side give the sum that is being rewritten, does every side
//! condition follow from the ranges, and what is the right side? A strategy can therefore be
//! incomplete, but it cannot make a rule say something else.

use super::engine::Engine;
use super::linear::Linear;
use crate::interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::num;
use crate::rule::{Condition, Relation, Slot, Term};
use smallvec::SmallVec;

/// Values for the variables of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bindings {
    /// By [`Slot`]; `None` until a value is chosen.
    pub constants: SmallVec<[Option<i64>; 6]>,
    /// By [`Slot`]; the zero sum until a value is chosen.
    pub expressions: SmallVec<[Linear; 3]>,
}

impl Bindings {
    /// Sets an integer variable.
    pub fn set_constant(&mut self, slot: Slot, value: i64) {
        let slot = slot as usize;
        if self.constants.len() <= slot {
            self.constants.resize(slot + 1, None);
        }
        self.constants[slot] = Some(value);
    }

    /// Sets an expression variable.
    pub fn set_expression(&mut self, slot: Slot, value: Linear) {
        let slot = slot as usize;
        if self.expressions.len() <= slot {
            self.expressions.resize(slot + 1, Linear::default());
        }
        self.expressions[slot] = value;
    }

    /// Bindings in slot order.
    pub fn of(constants: &[i64], expressions: impl IntoIterator<Item = Linear>) -> Bindings {
        Bindings {
            constants: constants.iter().map(|value| Some(*value)).collect(),
            expressions: expressions.into_iter().collect(),
        }
    }

    fn constant(&self, slot: Slot) -> Option<i64> {
        self.constants.get(slot as usize).copied().flatten()
    }

    /// The value of an expression variable.
    pub fn expression(&self, slot: Slot) -> Option<&Linear> {
        self.expressions.get(slot as usize)
    }
}

impl Engine<'_> {
    /// The value of a term without expression variables; `None` if it overflows, divides by a
    /// number below 1, or needs a variable without a value.
    pub fn constant_of(&mut self, term: &Term, bindings: &Bindings) -> Option<i64> {
        match term {
            Term::Integer(value) => Some(*value),
            Term::Constant(slot) => bindings.constant(*slot),
            Term::Expression(slot) => bindings.expression(*slot)?.as_constant(),
            Term::Sum(terms) => terms.iter().try_fold(0i64, |total, t| {
                total.checked_add(self.constant_of(t, bindings)?)
            }),
            Term::Product(x, y) => self
                .constant_of(x, bindings)?
                .checked_mul(self.constant_of(y, bindings)?),
            Term::FloorDiv(x, c) => {
                let (x, c) = (
                    self.constant_of(x, bindings)?,
                    self.constant_of(c, bindings)?,
                );
                (c >= 1).then(|| num::floordiv(x, c))
            }
            Term::Mod(x, c) => {
                let (x, c) = (
                    self.constant_of(x, bindings)?,
                    self.constant_of(c, bindings)?,
                );
                (c >= 1).then(|| num::modulo(x, c))
            }
            Term::Min(x, y) => Some(
                self.constant_of(x, bindings)?
                    .min(self.constant_of(y, bindings)?),
            ),
            Term::Max(x, y) => Some(
                self.constant_of(x, bindings)?
                    .max(self.constant_of(y, bindings)?),
            ),
            Term::Lo(slot) => {
                let lo = self.store.range(bindings.expression(*slot)?).lo();
                (lo != MINUS_INFINITY).then_some(lo)
            }
            Term::Hi(slot) => {
                let hi = self.store.range(bindings.expression(*slot)?).hi();
                (hi != PLUS_INFINITY).then_some(hi)
            }
        }
    }

    /// The value of a term as a sum over atoms, every quotient in it in normal form.
    pub fn linear_of(&mut self, term: &Term, bindings: &Bindings) -> Option<Linear> {
        match term {
            Term::Expression(slot) => bindings.expression(*slot).cloned(),
            Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => {
                self.constant_of(term, bindings).map(Linear::constant)
            }
            Term::Sum(terms) => {
                let mut total = Linear::default();
                for term in terms {
                    self.add_term(&mut total, 1, term, bindings)?;
                }
                Some(total)
            }
            Term::Product(..) => {
                let mut total = Linear::default();
                self.add_term(&mut total, 1, term, bindings)?;
                Some(total)
            }
            Term::FloorDiv(x, c) => {
                let (x, c) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                (c >= 1).then(|| self.divide(&x, c))
            }
            Term::Mod(x, c) => {
                let (x, c) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                if c < 1 {
                    return None;
                }
                let quotient = self.divide(&x, c);
                x.plus(c.checked_neg()?, &quotient)
            }
            Term::Min(x, y) => {
                let operands = [self.linear_of(x, bindings)?, self.linear_of(y, bindings)?];
                self.lattice(operands, true)
            }
            Term::Max(x, y) => {
                let operands = [self.linear_of(x, bindings)?, self.linear_of(y, bindings)?];
                self.lattice(operands, false)
            }
        }
    }

    /// Adds `factor * term` to `total`.
    fn add_term(
        &mut self,
        total: &mut Linear,
        factor: i64,
        term: &Term,
        bindings: &Bindings,
    ) -> Option<()> {
        match term {
            Term::Expression(slot) => total.add(factor, bindings.expression(*slot)?),
            Term::Sum(terms) => terms
                .iter()
                .try_for_each(|term| self.add_term(total, factor, term, bindings)),
            Term::Product(x, y) => match self.constant_of(x, bindings) {
                Some(times) => self.add_term(total, factor.checked_mul(times)?, y, bindings),
                None => {
                    let times = self.constant_of(y, bindings)?;
                    self.add_term(total, factor.checked_mul(times)?, x, bindings)
                }
            },
            _ if is_constant(term) => {
                let value = self.constant_of(term, bindings)?;
                total.constant = total.constant.checked_add(factor.checked_mul(value)?)?;
                Some(())
            }
            _ => total.add(factor, &self.linear_of(term, bindings)?),
        }
    }

    /// The value of a left side: as [`Engine::linear_of`], but a quotient that is an atom as it stands
    /// is that atom, normal form or not.
    pub fn linear_of_lhs(&mut self, term: &Term, bindings: &Bindings) -> Option<Linear> {
        match term {
            Term::Sum(terms) => {
                let mut total = Linear::default();
                for term in terms {
                    total.add(1, &self.linear_of_lhs(term, bindings)?)?;
                }
                Some(total)
            }
            Term::Product(x, y) => match self.constant_of(x, bindings) {
                Some(factor) => self.linear_of_lhs(y, bindings)?.scaled(factor),
                None => self.linear_of(term, bindings),
            },
            Term::FloorDiv(x, c) => {
                let (x, c) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                let atom = (c >= 1).then(|| self.store.existing_quotient(&x, c))?;
                Some(atom.map_or_else(|| self.divide(&x, c), Linear::atom))
            }
            _ => self.linear_of(term, bindings),
        }
    }

    /// The values of an integer term or of an expression variable.
    fn range_of(&mut self, term: &Term, bindings: &Bindings) -> Option<Interval> {
        match term {
            Term::Expression(slot) => Some(self.store.range(bindings.expression(*slot)?)),
            _ if is_constant(term) => self.constant_of(term, bindings).map(Interval::point),
            _ => None,
        }
    }

    /// Does a side condition follow from the ranges (`difference-least`, `difference-less`)? `false` also
    /// when that is not known.
    pub fn establishes(&mut self, condition: &Condition, bindings: &Bindings) -> bool {
        // Most conditions compare a bound expression with an integer, and need no difference.
        let ends = condition.relation != Relation::Equal
            && (is_constant(&condition.lhs) || is_constant(&condition.rhs));
        if ends
            && let Some(lhs) = self.range_of(&condition.lhs, bindings)
            && let Some(rhs) = self.range_of(&condition.rhs, bindings)
        {
            let known = lhs.hi() != PLUS_INFINITY && rhs.lo() != MINUS_INFINITY;
            return match condition.relation {
                Relation::Less => known && lhs.hi() < rhs.lo(),
                _ => known && lhs.hi() <= rhs.lo(),
            };
        }
        let Some(lhs) = self.linear_of(&condition.lhs, bindings) else {
            return false;
        };
        let Some(rhs) = self.linear_of(&condition.rhs, bindings) else {
            return false;
        };
        let Some(difference) = rhs.plus(-1, &lhs) else {
            return false;
        };
        match condition.relation {
            Relation::Equal => difference.is_zero(),
            Relation::LessEqual => self.store.range(&difference).lo() >= 0,
            Relation::Less => self.store.range(&difference).lo() >= 1,
        }
    }
}

/// Is a term made of integers, integer variables and ends of ranges alone?
fn is_constant(term: &Term) -> bool {
    match term {
        Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => true,
        Term::Expression(_) => false,
        Term::Sum(terms) => terms.iter().all(is_constant),
        Term::Product(x, y)
        | Term::FloorDiv(x, y)
        | Term::Mod(x, y)
        | Term::Min(x, y)
        | Term::Max(x, y) => is_constant(x) && is_constant(y),
    }
}
