//! Expressions as linear forms over unknowns, such that equal values mostly have equal forms.
//!
//! Every division becomes an unknown that is defined by its numerator and divisor, every minimum one that is defined by
//! its operands; remainders are eliminated (`x mod c = x - c * q`), and a maximum is a negated minimum. Law: at every
//! point of the domain an expression and its form have the same value. So equal forms are equal functions; different
//! forms prove nothing.
//!
//! It is a checker: it has few laws and does not choose how to write a result. It shares no code with the simplifier,
//! which it judges.

use super::Budget;
use super::linear::{Linear, Unknown, expr_of, quotients, value_of};
use super::tape::{Division, Operation, Tape};
use crate::expr::{Domain, Expr, VariableId};
use crate::num;
use crate::num::{Fuel, Interval};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Fuel for the forms of one query, in visited terms.
const STEPS: u64 = 1 << 22;

/// Maximum number of operands of a minimum that are compared pairwise.
const COMPARED: usize = 32;

/// The extent to which a division or minimum is evaluated when its unknown is created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// Constants only: the form mirrors the expression.
    Written,
    /// Everything that intervals decide.
    Normal,
}

impl Budget {
    pub(super) fn style(&self) -> Style {
        if self.forms { Style::Normal } else { Style::Written }
    }
}

/// The definition of an unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Definition {
    /// The map's variable of this index.
    Variable(usize),
    /// `numerator floordiv divisor`, with a divisor of at least 2.
    Quotient { numerator: Linear, divisor: i64 },
    /// The minimum of two or more distinct forms.
    Least(Vec<Linear>),
}

impl Definition {
    /// Returns the forms in the definition; their unknowns have smaller numbers.
    pub(super) fn forms(&self) -> &[Linear] {
        match self {
            Definition::Variable(_) => &[],
            Definition::Quotient { numerator, .. } => std::slice::from_ref(numerator),
            Definition::Least(operands) => operands,
        }
    }
}

/// The unknowns of one query, with facts about them in one domain.
pub(super) struct Forms {
    style: Style,
    definitions: Vec<Definition>,
    bounds: Vec<Interval>,
    index: FxHashMap<Definition, Unknown>,
    variables: Vec<Linear>,
    facts: Vec<(Linear, Interval)>,
    /// Fuel for work on terms. When it is spent, forms mirror the expressions.
    fuel: Fuel,
}

impl Forms {
    /// Creates the variables of `domain` with their bounds, and its constraints as facts; work on them is limited by
    /// the fuel of `budget`.
    ///
    /// `None` if a coefficient does not fit in 64 bits.
    pub(super) fn under(domain: &Domain, style: Style, budget: &Budget) -> Option<Forms> {
        let mut forms = Forms {
            style,
            definitions: Vec::new(),
            bounds: Vec::new(),
            index: FxHashMap::default(),
            variables: Vec::new(),
            facts: Vec::new(),
            fuel: budget.own_fuel(STEPS),
        };
        for (number, variable) in domain.variables().iter().enumerate() {
            let form = match variable.bounds.as_point() {
                Some(value) => Linear::constant(value),
                None => forms.define(Definition::Variable(number), variable.bounds),
            };
            forms.variables.push(form);
        }
        let constraints = domain.constraints();
        let tape = Tape::new(constraints.iter().map(|constraint| &constraint.expr));
        for (form, constraint) in forms.of_tape(&tape)?.into_iter().zip(constraints) {
            forms.facts.push(in_lowest_terms(form, constraint.bounds));
        }
        Some(forms)
    }

    /// Adds a variable; returns its number and its form.
    pub(super) fn add_variable(&mut self, bounds: Interval) -> (u32, Linear) {
        let number = self.variables.len();
        let form = self.define(Definition::Variable(number), bounds);
        self.variables.push(form.clone());
        (u32::try_from(number).unwrap_or(u32::MAX), form)
    }

    /// Converts the roots of `tape`; `None` if a coefficient does not fit in 64 bits, or a product or quotient is not
    /// linear in the unknowns.
    pub(super) fn of_tape(&mut self, tape: &Tape) -> Option<Vec<Linear>> {
        let mut done: Vec<Linear> = Vec::with_capacity(tape.operations().len());
        for operation in tape.operations() {
            let form = match operation {
                Operation::Constant(value) => Linear::constant(*value),
                Operation::Variable(number) => self.variables.get(*number)?.clone(),
                Operation::Sum(constant, terms) => {
                    let mut total = Linear::constant(*constant);
                    for (coefficient, operand) in terms {
                        total = total.plus(*coefficient, &done[*operand])?;
                    }
                    total
                }
                Operation::FloorDiv(x, c) => self.quotient(&done[*x], *c)?,
                Operation::CeilDiv(x, c) => self.quotient(&done[*x].shifted(c - 1)?, *c)?,
                Operation::Mod(x, c) => {
                    let quotient = self.quotient(&done[*x], *c)?;
                    done[*x].plus(-c, &quotient)?
                }
                Operation::Product(list) => {
                    let factors = list.iter().map(|x| &done[*x]);
                    let (numbers, others): (Vec<_>, Vec<_>) =
                        factors.partition(|form| form.terms().is_empty());
                    let number = num::product(numbers.iter().map(|form| form.constant))?;
                    match others.as_slice() {
                        [] => Linear::constant(number),
                        [other] => other.scaled(number)?,
                        _ => return None,
                    }
                }
                Operation::Divided(division, x, c) => {
                    let divisor = done[*c].constant;
                    if !done[*c].terms().is_empty() || divisor < 1 {
                        return None;
                    }
                    match division {
                        Division::Floor => self.quotient(&done[*x], divisor)?,
                        Division::Ceil => {
                            self.quotient(&done[*x].shifted(divisor - 1)?, divisor)?
                        }
                        Division::Mod => {
                            let quotient = self.quotient(&done[*x], divisor)?;
                            done[*x].plus(-divisor, &quotient)?
                        }
                    }
                }
                Operation::Min(list) => {
                    let operands = list.iter().map(|x| done[*x].clone()).collect();
                    self.least(operands)?
                }
                Operation::Max(list) => {
                    let operands: Option<Vec<Linear>> =
                        list.iter().map(|x| done[*x].scaled(-1)).collect();
                    self.least(operands?)?.scaled(-1)?
                }
            };
            done.push(form);
        }
        let root = |position: &usize| done[*position].clone();
        Some(tape.roots().iter().map(root).collect())
    }

    /// How far divisions and minima are evaluated: not at all without fuel.
    pub(super) fn style(&self) -> Style {
        match self.fuel.check() {
            Ok(()) => self.style,
            Err(_) => Style::Written,
        }
    }

    /// Spends the work of visiting this many terms; `false` if too little is left.
    pub(super) fn spend(&self, terms: usize) -> bool {
        self.fuel.spend(terms as u64).is_ok()
    }

    /// Returns the forms of the map's variables, in order.
    pub(super) fn variables(&self) -> &[Linear] {
        &self.variables
    }

    /// Returns the constraints of the domain as `form in interval`.
    pub(super) fn facts(&self) -> &[(Linear, Interval)] {
        &self.facts
    }

    /// Iterates over all unknowns, definitions before uses.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = Unknown> + use<> {
        (0u32..).take(self.definitions.len()).map(Unknown)
    }

    pub(super) fn definition(&self, unknown: Unknown) -> &Definition {
        &self.definitions[unknown.index()]
    }

    /// Returns an interval that contains every value of `unknown`.
    pub(super) fn bounds(&self, unknown: Unknown) -> Interval {
        self.bounds[unknown.index()]
    }

    /// Adds the unknowns that the value of `form` depends on.
    pub(super) fn collect_needed(&self, form: &Linear, needed: &mut BTreeSet<Unknown>) {
        let mut todo: Vec<Unknown> = form.terms().iter().map(|(unknown, _)| *unknown).collect();
        while let Some(unknown) = todo.pop() {
            if needed.insert(unknown) {
                let below = self.definition(unknown).forms().iter();
                todo.extend(
                    below.flat_map(|form| form.terms().iter().map(|(unknown, _)| *unknown)),
                );
            }
        }
    }

    /// Evaluates an unknown that is not a variable, given the values of all earlier unknowns; `None` on 64-bit overflow.
    pub(super) fn derived_value(&self, unknown: Unknown, values: &[i64]) -> Option<i64> {
        match self.definition(unknown) {
            Definition::Variable(_) => values.get(unknown.index()).copied(),
            Definition::Quotient { numerator, divisor } => {
                Some(num::floordiv(value_of(numerator, values)?, *divisor))
            }
            Definition::Least(operands) => {
                let values: Option<Vec<i64>> =
                    operands.iter().map(|x| value_of(x, values)).collect();
                values?.into_iter().min()
            }
        }
    }

    /// Returns each unknown as an expression over the variables, by number; `None` on overflow.
    pub(super) fn written(&self) -> Option<Vec<Expr>> {
        let mut all: Vec<Expr> = Vec::with_capacity(self.definitions.len());
        for definition in &self.definitions {
            let expr = match definition {
                Definition::Variable(number) => {
                    Expr::variable(VariableId(u32::try_from(*number).ok()?))
                }
                Definition::Quotient { numerator, divisor } => {
                    expr_of(numerator, &all)?.floordiv(*divisor).ok()?
                }
                Definition::Least(operands) => {
                    let operands = operands.iter().map(|x| expr_of(x, &all));
                    Expr::min(operands.collect::<Option<Vec<_>>>()?).ok()?
                }
            };
            all.push(expr);
        }
        Some(all)
    }

    /// Looks up the unknown for `definition`.
    pub(super) fn known(&self, definition: &Definition) -> Option<Unknown> {
        self.index.get(definition).copied()
    }

    /// Returns the unknown for `definition`; creates it with `bounds` if it is new.
    pub(super) fn define(&mut self, definition: Definition, bounds: Interval) -> Linear {
        if let Some(known) = self.known(&definition) {
            return Linear::atom(known);
        }
        let unknown = Unknown(u32::try_from(self.definitions.len()).unwrap_or(u32::MAX));
        self.definitions.push(definition.clone());
        self.bounds.push(bounds);
        self.index.insert(definition, unknown);
        Linear::atom(unknown)
    }

    /// Returns the form of the least of `operands`: the first of them, plus the minimum of the differences from it.
    fn least(&mut self, mut operands: Vec<Linear>) -> Option<Linear> {
        operands.sort();
        operands.dedup();
        let mut kept: Vec<Linear> = Vec::new();
        for (position, operand) in operands.iter().enumerate() {
            let never_less = |rival: &Linear| {
                let excess = operand.plus(-1, rival);
                excess.is_some_and(|excess| self.bounds_of(&excess).lo() >= 0)
            };
            let mut rivals = kept.iter().chain(&operands[position + 1..]);
            let compared = self.style() == Style::Normal && operands.len() <= COMPARED;
            if !compared || !rivals.any(never_less) {
                kept.push(operand.clone());
            }
        }
        // Choose the base such that the other's difference starts with a positive coefficient: then `min(x, y)` and `max(x, y) =
        // -min(-x, -y)` share their unknown.
        if let [first, second] = kept.as_slice()
            && second.plus(-1, first)?.terms().first().is_some_and(|(_, c)| *c < 0)
        {
            kept.reverse();
        }
        // Of operands that dominate each other the last is kept, so that at least one remains.
        let base = kept.first()?.clone();
        if kept.len() == 1 {
            return Some(base);
        }
        let relative: Option<Vec<Linear>> = kept.iter().map(|x| x.plus(-1, &base)).collect();
        let relative = relative?;
        let bounds = relative.iter().map(|x| self.bounds_of(x)).reduce(Interval::min)?;
        self.define(Definition::Least(relative), bounds).plus(1, &base)
    }
}

/// Divides a fact by the common factor of its coefficients and rounds the interval inward. Unchanged on overflow.
fn in_lowest_terms(form: Linear, interval: Interval) -> (Linear, Interval) {
    let divided = || {
        let terms = form.terms().iter();
        let common = terms.map(|(_, c)| *c).try_fold(0, num::gcd)?;
        let offset = form.constant.checked_neg()?;
        let terms = form.terms().iter().map(|(x, c)| (*x, c / common));
        (common > 1).then(|| {
            let rest = quotients(interval.add(Interval::point(offset)), common);
            (Linear::of_sorted(0, terms), rest)
        })
    };
    divided().unwrap_or((form, interval))
}
