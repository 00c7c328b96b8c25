//! Expressions as linear forms over unknowns, in which equal values mostly look equal.
//!
//! Every division becomes an unknown that is defined by its numerator and divisor, every minimum
//! one that is defined by its operands; remainders are eliminated (`x mod c = x - c * q`), and a
//! maximum is a minimum with signs turned. Law: at every point of the domain an expression and its
//! form have the same value. So equal forms are equal functions; forms that differ say nothing.
//!
//! This is a checker's view, with few laws and no choice of how to write a result. It shares no
//! code with the simplifier, so that it can judge it.

use super::Budget;
use super::linear::{Linear, Unknown, quotients};
use super::tape::{Operation, Tape};
use crate::expr::Domain;
use crate::num;
use crate::num::{Fuel, Interval};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Steps for the forms of one question, where one is a look at a term.
const STEPS: u64 = 1 << 22;

/// Operands of a minimum up to this number are compared with each other.
const COMPARED: usize = 32;

/// How much of a division or minimum is decided when its unknown is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// Nothing but constants: the form says what was written.
    Written,
    /// Everything that intervals decide.
    Normal,
}

impl Budget {
    pub(super) fn style(&self) -> Style {
        if self.forms {
            Style::Normal
        } else {
            Style::Written
        }
    }
}

/// What an unknown stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Definition {
    /// The map's variable with this number.
    Variable(usize),
    /// `numerator floordiv divisor`, with a divisor of at least 2.
    Quotient { numerator: Linear, divisor: i64 },
    /// The least of two or more different forms.
    Least(Vec<Linear>),
}

impl Definition {
    /// The forms that the definition speaks of; their unknowns have smaller numbers.
    pub(super) fn forms(&self) -> &[Linear] {
        match self {
            Definition::Variable(_) => &[],
            Definition::Quotient { numerator, .. } => std::slice::from_ref(numerator),
            Definition::Least(operands) => operands,
        }
    }
}

/// The unknowns of one question, and what is known about them in one domain.
pub(super) struct Forms {
    style: Style,
    definitions: Vec<Definition>,
    bounds: Vec<Interval>,
    index: FxHashMap<Definition, Unknown>,
    variables: Vec<Linear>,
    facts: Vec<(Linear, Interval)>,
    /// What looking at terms is taken off. When it ends, forms say no more than what was written.
    fuel: Fuel,
}

impl Forms {
    /// The variables of `domain` with their bounds, and its constraints as facts; work on them ends with
    /// the fuel of `budget`.
    ///
    /// `None` if a coefficient does not fit into 64 bits.
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

    /// One more variable, with its number and its form.
    pub(super) fn add_variable(&mut self, bounds: Interval) -> (u32, Linear) {
        let number = self.variables.len();
        let form = self.define(Definition::Variable(number), bounds);
        self.variables.push(form.clone());
        (u32::try_from(number).unwrap_or(u32::MAX), form)
    }

    /// The forms of the roots of `tape`; `None` if a coefficient does not fit into 64 bits.
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

    /// How much of a division or minimum is decided: nothing any more, when no steps are left.
    pub(super) fn style(&self) -> Style {
        match self.fuel.check() {
            Ok(()) => self.style,
            Err(_) => Style::Written,
        }
    }

    /// Takes off the work of looking at so many terms; `false` if it is not left.
    pub(super) fn spend(&self, terms: usize) -> bool {
        self.fuel.spend(terms as u64).is_ok()
    }

    /// The forms of the map's variables, in order.
    pub(super) fn variables(&self) -> &[Linear] {
        &self.variables
    }

    /// The constraints of the domain: each form lies in its interval.
    pub(super) fn facts(&self) -> &[(Linear, Interval)] {
        &self.facts
    }

    /// All unknowns, those that define others first.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = Unknown> + use<> {
        (0u32..).take(self.definitions.len()).map(Unknown)
    }

    pub(super) fn definition(&self, unknown: Unknown) -> &Definition {
        &self.definitions[unknown.index()]
    }

    /// An interval that holds every value of `unknown`.
    pub(super) fn bounds(&self, unknown: Unknown) -> Interval {
        self.bounds[unknown.index()]
    }

    /// Adds the unknowns on which the value of `form` depends.
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

    /// The value of an unknown that is no variable, from the values of all before it; `None` if it
    /// does not fit into 64 bits.
    pub(super) fn derived_value(&self, unknown: Unknown, values: &[i64]) -> Option<i64> {
        match self.definition(unknown) {
            Definition::Variable(_) => values.get(unknown.index()).copied(),
            Definition::Quotient { numerator, divisor } => {
                Some(num::floordiv(numerator.value(values)?, *divisor))
            }
            Definition::Least(operands) => {
                let values: Option<Vec<i64>> = operands.iter().map(|x| x.value(values)).collect();
                values?.into_iter().min()
            }
        }
    }

    /// The unknown that `definition` defines, if there is one.
    pub(super) fn known(&self, definition: &Definition) -> Option<Unknown> {
        self.index.get(definition).copied()
    }

    /// The unknown that `definition` defines, made with `bounds` if it is new.
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

    /// The form of the least of `operands`: the first of them, plus the least of what the others
    /// are more than it.
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
        // Of two operands the base is the one from which the other's excess starts with a positive
        // coefficient: so that min(x, y) and max(x, y) = -min(-x, -y) share their unknown.
        if let [first, second] = kept.as_slice()
            && second
                .plus(-1, first)?
                .terms()
                .first()
                .is_some_and(|(_, c)| *c < 0)
        {
            kept.reverse();
        }
        // Of operands that beat each other the last stays, so that at least one is kept.
        let base = kept.first()?.clone();
        if kept.len() == 1 {
            return Some(base);
        }
        let relative: Option<Vec<Linear>> = kept.iter().map(|x| x.plus(-1, &base)).collect();
        let relative = relative?;
        let bounds = relative
            .iter()
            .map(|x| self.bounds_of(x))
            .reduce(Interval::min)?;
        self.define(Definition::Least(relative), bounds)
            .plus(1, &base)
    }
}

/// The same fact with the common factor of the coefficients divided out, and its interval rounded
/// inward. (Without it where a number does not fit.)
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
