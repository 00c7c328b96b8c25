//! The state of one simplification: one map, one domain.

use super::digits::Digit;
use super::journal::{self, Entry, Side};
use super::linear::{AtomId, Bindings, Linear, SumId};
use super::program::Program;
use super::store::Store;
use crate::certificate::Instance;
use crate::expr::Expr;
use crate::num::{Fuel, Interval, Stopped};
use crate::rule::matching::{Number, Operation, Operator};
use crate::rule::{Firings, RuleId};
use crate::simplify::saturate::{Fired, FormRef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Number of terms of work in one step of [`super::options::Options`]; a proposal of the search is also one step.
pub const TERMS_PER_STEP: usize = 1_024;

/// The facts of one simplification. They do not outlive its map, so no result depends on earlier simplifications.
#[derive(Clone)]
pub struct Engine<'r> {
    pub(super) rules: &'r Program,
    pub(super) store: Store,
    /// Normal forms of quotients.
    pub(super) quotients: FxHashMap<(SumId, Number), Linear>,
    /// Quotients being normalized, outermost first.
    pub(super) dividing: Vec<(SumId, Number)>,
    /// Smallest known form of each sum, quotient and remainder.
    pub(super) forms: Forms,
    /// The operations that each atom equals, in the matcher's form.
    pub(super) operations: Vec<Option<Rc<[Operation<AtomId>]>>>,
    /// Quotients with other numerators that equal an atom.
    pub(super) noted: FxHashMap<AtomId, SmallVec<[Operation<AtomId>; 2]>>,
    /// The nesting depth of proposals being evaluated.
    pub(super) proposals: u32,
    /// Whether a quotient was written with another numerator of its class: then normal forms depend on the expressions seen
    /// before.
    pub(super) is_by_class: bool,
    /// Whether the search may try and fire more than the rules say.
    pub(super) is_wide: bool,
    /// A limit other than fuel that was reached.
    bound: Option<&'static str>,
    /// Normal forms of mins and maxes, by kind and operands.
    pub(super) mins_and_maxes: FxHashMap<(bool, Vec<Linear>), Linear>,
    /// Recursion depth of the normalisation of min and max.
    pub(super) nested_mins_and_maxes: u32,
    /// Usage count of each rule.
    pub(super) firings: Firings,
    /// Every rule instance used, if a certificate is requested.
    pub(super) journal: Option<Vec<Entry>>,
}

/// Creates a table that need not grow for a map of common size.
fn with_room<K, V>() -> FxHashMap<K, V> {
    FxHashMap::with_capacity_and_hasher(28, Default::default())
}

/// Smallest known forms.
#[derive(Clone, Default)]
pub struct Forms {
    pub(super) atoms: FxHashMap<AtomId, FormRef>,
    pub(super) sums: FxHashMap<SumId, FormRef>,
    pub(super) divisions: FxHashMap<(Operator, SumId, Number), FormRef>,
}

impl<'r> Engine<'r> {
    /// Creates an engine for a domain whose variables have these bounds.
    pub fn new(rules: &'r Program, bounds: &[Interval], fuel: &Fuel) -> Engine<'r> {
        Engine {
            rules,
            store: Store::new(bounds, fuel),
            quotients: with_room(),
            dividing: Vec::new(),
            forms: Forms { atoms: with_room(), sums: with_room(), divisions: with_room() },
            operations: Vec::new(),
            noted: FxHashMap::default(),
            proposals: 0,
            is_by_class: false,
            is_wide: false,
            bound: None,
            mins_and_maxes: FxHashMap::default(),
            nested_mins_and_maxes: 0,
            firings: Firings::default(),
            journal: None,
        }
    }

    /// Spends one search step; `false` if no fuel is left.
    pub fn spend(&self) -> bool {
        self.spend_terms(TERMS_PER_STEP)
    }

    /// Spends the fuel for work on this many terms; `false` if no fuel is left.
    pub fn spend_terms(&self, terms: usize) -> bool {
        self.store.fuel.spend(terms as u64).is_ok()
    }

    /// Returns the limit that cut the work short, if any.
    pub fn stopped(&self) -> Option<&'static str> {
        let by_fuel = self.store.fuel.check().err().map(|stopped| match stopped {
            Stopped::Steps => "steps of the search",
            Stopped::Interrupted => "interrupted",
        });
        by_fuel.or(self.bound)
    }

    /// Records that a limit was reached: the result is right, but a smaller one may exist.
    pub fn stop(&mut self, bound: &'static str) {
        self.bound.get_or_insert(bound);
    }

    /// Counts an instance, and adds it to the journal.
    pub fn note(&mut self, rule: RuleId, bindings: &Bindings) {
        self.firings.count(rule);
        if let Some(journal) = &mut self.journal {
            journal.push(Entry::Instance(rule, Box::new(bindings.clone())));
        }
    }

    /// Counts an instance at expressions as written, and adds it to the journal.
    pub(super) fn note_written(&mut self, rule: RuleId, constants: &[i64], expressions: &[&Expr]) {
        self.firings.count(rule);
        if let Some(journal) = &mut self.journal {
            let expressions = expressions.iter().map(|x| (*x).clone()).collect();
            journal.push(Entry::Written(rule, constants.to_vec(), expressions));
        }
    }

    /// Records in the journal that `of floordiv a floordiv b` is one quotient.
    pub fn note_nesting(&mut self, of: &Linear, a: Number, b: Number) {
        if let Some(journal) = &mut self.journal
            && let Some(law) = self.rules.nesting
        {
            journal.push(Entry::Instance(law, Box::new(Bindings::of(&[a, b], [of.clone()]))));
        }
    }

    /// Records in the journal that a digit is a remainder: its only quotient merges with the quotient by the modulus.
    pub(super) fn note_digit(&mut self, digit: &Digit) {
        let Some((journal, law)) = self.journal.as_mut().zip(self.rules.merging) else {
            return;
        };
        let mut quotients = self.store.quotients_of(&digit.of);
        if let (Some((inner, 1)), None) = (quotients.next(), quotients.next())
            && let Some((of, divisor)) = self.store.quotient(inner)
        {
            let sums = [of.clone(), digit.of.without(inner)];
            let constants = [divisor, digit.modulus].map(Number::Integer);
            journal.push(Entry::Instance(law, Box::new(Bindings::of(&constants, sums))));
        }
    }

    /// Adds an instance that fired in an e-graph to the journal.
    pub fn note_fired(&mut self, fired: Fired) {
        for (of, by) in &fired.ranges {
            if let (Ok(of), Ok(by)) = (of.to_expr(), by.to_expr()) {
                self.note_same(Side::Written(of), Side::Written(by));
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.push(Entry::Fired(fired));
        }
    }

    /// Records in the journal that the range of `form` is used for `sum`, if it is tighter.
    pub fn note_range(&mut self, sum: &Linear, form: &FormRef) {
        if self.journal.is_some() {
            let known = self.store.range(sum);
            let says_more = known.intersect(form.range) != known;
            if let (true, Ok(written)) = (says_more, form.to_expr()) {
                self.note_same(Side::Sum(sum.clone()), Side::Written(written));
            }
        }
    }

    /// Records in the journal that two values are equal, and shares their ranges.
    pub fn note_same(&mut self, of: Side, by: Side) {
        if let (Some(journal), Some(rule)) = (&mut self.journal, self.rules.equality) {
            journal.push(Entry::SameValue(rule, of, by));
        }
    }

    /// Returns the single value of an expression, as shown by its written interval; `None` without the rule that states this.
    pub fn only_value(&mut self, expr: &Expr, value: i64) -> Option<Linear> {
        self.rules.equality?;
        let written = || Side::Written(expr.clone());
        self.note_same(written(), written());
        self.note_same(written(), Side::Sum(Linear::constant(value)));
        Some(Linear::constant(value))
    }

    /// Returns the value of a sum, if its range is one integer.
    pub fn without_choice(&mut self, sum: Linear) -> Linear {
        if sum.as_constant().is_some() || self.rules.equality.is_none() {
            return sum;
        }
        match self.store.only_block(&sum, 1) {
            Some(value) => {
                let value = Linear::constant(value);
                self.note_same(Side::Sum(sum), Side::Sum(value.clone()));
                value
            }
            None => sum,
        }
    }

    /// Adds the instances of the journal to `instances`.
    pub fn write_journal(&mut self, instances: &mut Vec<Instance>) {
        let entries = self.journal.take().unwrap_or_default();
        instances.extend(journal::written(entries, &self.store, self.rules));
    }
}
