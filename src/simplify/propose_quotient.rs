//! Smaller forms of a quotient whose numerator is already in normal form.

use super::engine::Engine;
use super::linear::Linear;
use super::search::Target;
use super::terms::Bindings;
use crate::num;
use crate::saturate::FormRef;

impl Engine<'_> {
    /// Proposes every smaller form of `of floordiv divisor` that the rules of `forms.rules` give.
    pub(super) fn propose_for_quotient(
        &mut self,
        of: &Linear,
        divisor: i64,
        depth: u32,
        best: &mut FormRef,
    ) {
        let target = Target::Quotient {
            of: self.store.intern(of),
            divisor,
        };
        // A coefficient that cannot be held makes a proposal impossible, not wrong: it is skipped.
        let _ = self.propose_constant_out(&target, of, divisor, depth, best);
        let _ = self.propose_threshold(&target, of, divisor, depth, best);
        let _ = self.propose_two_valued(&target, of, divisor, depth, best);
        let _ = self.propose_negated_quotient(&target, of, divisor, depth, best);
    }

    /// `(c*k + x) floordiv c => k + x floordiv c`
    fn propose_constant_out(
        &mut self,
        target: &Target,
        of: &Linear,
        divisor: i64,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        if of.constant == 0 || of.constant % divisor != 0 {
            return None;
        }
        let bindings = Bindings::of(&[divisor, of.constant / divisor], [of.with_constant(0)]);
        self.propose(
            target,
            self.rules.known().div_constant,
            bindings,
            depth,
            best,
        );
        Some(())
    }

    /// `(y + k) floordiv c => t + y floordiv h`, when the quotient takes two values.
    fn propose_threshold(
        &mut self,
        target: &Target,
        of: &Linear,
        divisor: i64,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let range = self.store.range(of);
        if of.constant == 0 || !range.is_bounded() {
            return None;
        }
        let (low, high) = (
            num::floordiv(range.lo(), divisor),
            num::floordiv(range.hi(), divisor),
        );
        if high != low.checked_add(1)? {
            return None;
        }
        let threshold = divisor.checked_mul(high)?.checked_sub(of.constant)?;
        let y = of.with_constant(0);
        let y_range = self.store.range(&y);
        if threshold < 1 || y_range.lo() < 0 || y_range.hi() >= threshold.checked_mul(2)? {
            return None;
        }
        let bindings = Bindings::of(&[of.constant, divisor, low, threshold], [y]);
        self.propose(
            target,
            self.rules.known().div_threshold,
            bindings,
            depth,
            best,
        );
        Some(())
    }

    /// `(y + k) floordiv c => y - b + t`, when y steps from b to b + 1 across a multiple of c.
    fn propose_two_valued(
        &mut self,
        target: &Target,
        of: &Linear,
        divisor: i64,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let range = self.store.range(of);
        if !range.is_bounded()
            || range.hi() != range.lo().checked_add(1)?
            || range.hi() % divisor != 0
        {
            return None;
        }
        let y = of.with_constant(0);
        let bindings = Bindings::of(
            &[
                of.constant,
                divisor,
                range.lo().checked_sub(of.constant)?,
                num::floordiv(range.lo(), divisor),
            ],
            [y],
        );
        self.propose(
            target,
            self.rules.known().div_two_valued,
            bindings,
            depth,
            best,
        );
        Some(())
    }

    /// `(y - x floordiv a) floordiv b => (a*y - x + a - 1) floordiv (a*b)`
    fn propose_negated_quotient(
        &mut self,
        target: &Target,
        of: &Linear,
        divisor: i64,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let mut quotients = self.store.quotients_of(of);
        let (atom, coefficient) = quotients.next()?;
        if coefficient != -1 || quotients.next().is_some() {
            return None;
        }
        drop(quotients);
        let (x, a) = self.store.quotient(atom)?;
        let bindings = Bindings::of(&[a, divisor], [of.without(atom), x.clone()]);
        self.propose(
            target,
            self.rules.known().div_div_neg,
            bindings,
            depth,
            best,
        );
        Some(())
    }
}
