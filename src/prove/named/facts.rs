//! Facts of a domain with named sizes: hypotheses over polynomials, and derived comparisons, each decided by the solver.
//!
//! A comparison that fails at a drawn point is false without a solver query; drawn points never show that one holds.

use super::least;
use crate::expr::{End, Expr, VariableId};
use crate::num::Fuel;
use crate::prove::products::{
    Atom, Goal, LinearProblem, Monomial, Obligation, Polynomial, Quotient, Sign, TooLarge, Unknown,
    Unknowns, directed, script,
};
use crate::prove::{Budget, Reason, TextAnswer};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of solver scripts.
const QUESTIONS: u32 = 500;

/// Fuel for comparisons at points, in evaluated monomials.
const STEPS: u64 = 1 << 24;

/// Maximum number of quotients and minima.
const DEFINITIONS: usize = 200;

/// Maximum number of sizes whose products are tried as bounds.
const NAMES: usize = 6;

/// Maximum number of minima for case splits of a query.
const CASES: usize = 3;

/// The reciprocal of the share of the budget's steps for one query.
const SHARE: u32 = 8;

/// Known facts about unknowns.
pub struct Facts<'b> {
    pub unknowns: Unknowns,
    /// Comparisons that hold at every point of the domain.
    hypotheses: Vec<Atom>,
    /// Unknowns with the values that equations gave them.
    solved: Vec<(Unknown, Polynomial)>,
    /// The unknowns before this one are the variables.
    variables: Unknown,
    /// The unknowns in terms of which bounds of others are proposed.
    sizes: BTreeSet<Unknown>,
    /// The values of all unknowns, at points of the domain.
    points: Vec<Vec<i128>>,
    /// Lower and upper bounds of unknowns.
    ends: BTreeMap<(Unknown, End), Polynomial>,
    answers: BTreeMap<Atom, bool>,
    budget: &'b Budget,
    fuel: Fuel,
    questions: u32,
    /// The reason why a comparison stayed open.
    pub reason: Option<Reason>,
}

impl<'b> Facts<'b> {
    /// Creates one unknown for each variable, and some points of the domain.
    pub fn new(
        names: Vec<String>,
        sizes: BTreeSet<Unknown>,
        points: Vec<Vec<i128>>,
        budget: &'b Budget,
    ) -> Facts<'b> {
        Facts {
            variables: Unknown::try_from(names.len()).unwrap_or(0),
            sizes,
            unknowns: Unknowns::new(names),
            hypotheses: Vec::new(),
            solved: Vec::new(),
            points,
            ends: BTreeMap::new(),
            answers: BTreeMap::new(),
            budget,
            fuel: budget.own_fuel(STEPS),
            questions: QUESTIONS,
            reason: None,
        }
    }

    /// Adds a fact that holds at every point. If it is an equation that determines an unknown, substitutes its value.
    pub fn assume(&mut self, atom: Atom) -> Option<()> {
        let atom = Atom { polynomial: self.without_solved(atom.polynomial)?, ..atom };
        self.free_quotient(&atom);
        if let Some((unknown, value)) = solution(&self.unknowns, &atom) {
            let value = value?;
            for (_, other) in &mut self.solved {
                *other = other.replaced(unknown, &value)?;
            }
            for other in &mut self.hypotheses {
                other.polynomial = other.polynomial.replaced(unknown, &value)?;
            }
            for quotient in &mut self.unknowns.quotients {
                quotient.numerator = quotient.numerator.replaced(unknown, &value)?;
                quotient.divisor = quotient.divisor.replaced(unknown, &value)?;
            }
            for choice in &mut self.unknowns.choices {
                for part in [&mut choice.condition.polynomial, &mut choice.one, &mut choice.other] {
                    *part = part.replaced(unknown, &value)?;
                }
            }
            self.solved.push((unknown, value));
            self.answers.clear();
            for other in std::mem::take(&mut self.hypotheses) {
                self.assume(other)?;
            }
            return Some(());
        }
        let atom = atom.in_lowest_terms();
        if atom.polynomial.as_constant().is_none_or(|value| value < 0)
            && !self.hypotheses.contains(&atom)
        {
            self.note_end(&atom)?;
            self.hypotheses.push(atom);
        }
        Some(())
    }

    /// Records `x <= e` and `x >= e`, if `e` has no later unknowns.
    fn note_end(&mut self, atom: &Atom) -> Option<()> {
        let single = |(monomial, c): &(_, i128)| match Monomial::unknowns(monomial) {
            [unknown] if c.abs() == 1 => Some((*unknown, *c)),
            _ => None,
        };
        for (unknown, c) in atom.polynomial.terms().iter().filter_map(single) {
            let end = if c > 0 { End::Lower } else { End::Upper };
            let rest = atom.polynomial.plus(-c, &Polynomial::unknown(unknown))?;
            let rest = rest.scaled(-c)?;
            if !closure(&self.unknowns, [&rest]).contains(&unknown)
                && rest
                    .terms()
                    .iter()
                    .all(|(m, _)| m.unknowns().iter().all(|x| self.sizes.contains(x)))
            {
                self.ends.entry((unknown, end)).or_insert(rest);
            }
        }
        Some(())
    }

    /// Records that an expression over sizes is a size.
    pub fn note_size(&mut self, unknown: &Polynomial, made_of: [&Polynomial; 2]) {
        let mut monomials = made_of.into_iter().flat_map(Polynomial::terms);
        let are_sizes = monomials.all(|(m, _)| m.unknowns().iter().all(|x| self.sizes.contains(x)));
        if let (true, Some((_, monomial))) = (are_sizes, unknown.as_monomial()) {
            self.sizes.extend(monomial.unknowns());
        }
    }

    /// Returns a polynomial in sizes as an expression.
    pub fn expression(&self, of: &Polynomial) -> Option<Expr> {
        let mut terms = Vec::with_capacity(of.terms().len());
        for (monomial, c) in of.terms() {
            let factors = monomial.unknowns().iter().map(|x| self.size(*x));
            let product = Expr::product(factors.collect::<Option<Vec<Expr>>>()?).ok()?;
            terms.push((i64::try_from(*c).ok()?, product));
        }
        Expr::sum(i64::try_from(of.constant).ok()?, terms).ok()
    }

    fn size(&self, unknown: Unknown) -> Option<Expr> {
        match self.quotient(unknown) {
            Some(quotient) => {
                let divisor = self.expression(&quotient.divisor)?;
                self.expression(&quotient.numerator)?.floordiv_by(&divisor).ok()
            }
            None => {
                let is_variable = unknown < self.variables && self.sizes.contains(&unknown);
                is_variable.then(|| Expr::variable(VariableId(unknown.into())))
            }
        }
    }

    /// Proposes a bound of a polynomial in terms of sizes.
    pub fn end_of(&self, of: &Polynomial, end: End) -> Option<Polynomial> {
        let mut total = Polynomial::constant(of.constant);
        for (monomial, c) in of.terms() {
            let end = match (*c > 0, end) {
                (true, end) => end,
                (false, End::Upper) => End::Lower,
                (false, End::Lower) => End::Upper,
            };
            let mut product = Polynomial::constant(1);
            for unknown in monomial.unknowns() {
                product = match self.sizes.contains(unknown) {
                    true => product.times(&Polynomial::unknown(*unknown))?,
                    false => product.times(self.ends.get(&(*unknown, end))?)?,
                };
            }
            total = total.plus(*c, &product)?;
        }
        self.without_solved(total)
    }

    /// Returns the products of up to three named sizes less 1, ordered by their values at the points.
    pub fn products_of_sizes(&self) -> Vec<Polynomial> {
        let sizes = self.sizes.iter().filter(|size| **size < self.variables);
        let mut products = vec![Polynomial::constant(1)];
        for size in sizes.take(NAMES) {
            let factor = Polynomial::unknown(*size);
            let longer = products.iter().filter_map(|product| product.times(&factor));
            let longer: Vec<Polynomial> = longer.collect();
            products.extend(longer);
        }
        let degree = |product: &Polynomial| {
            product.terms().first().map_or(0, |(monomial, _)| monomial.unknowns().len())
        };
        let products = products.into_iter().filter(|x| (1..=3).contains(&degree(x)));
        let mut products: Vec<Polynomial> = products.filter_map(|x| x.shifted(-1)).collect();
        products.sort_by_cached_key(|product| {
            let values = self.points.iter().filter_map(|point| product.eval(point));
            values.fold(0i128, i128::saturating_add)
        });
        products
    }

    /// If `x = d*q` with `q = x floordiv d`, the value of `x` expresses everything: then `q` becomes a free integer.
    fn free_quotient(&mut self, atom: &Atom) {
        let quotients = &self.unknowns.quotients;
        let says = |known: &Quotient| -> Option<bool> {
            let multiple = known.divisor.times(&Polynomial::unknown(known.quotient))?;
            let remainder = known.numerator.plus(-1, &multiple)?;
            let is_it = remainder == atom.polynomial || remainder.scaled(-1)? == atom.polynomial;
            Some(
                is_it
                    && matches!(known.numerator.as_monomial(), Some((1, x)) if x.unknowns().len() == 1),
            )
        };
        if atom.is == Sign::Zero
            && let Some(place) = quotients.iter().position(|known| says(known) == Some(true))
            && let Some((_, x)) = quotients[place].numerator.as_monomial()
            && !self.unknowns.is_defined(x.unknowns()[0])
        {
            let is_size = self.sizes.contains(&x.unknowns()[0]);
            let quotient = self.unknowns.quotients.remove(place).quotient;
            self.sizes.extend(is_size.then_some(quotient));
        }
    }

    /// Substitutes the values of solved unknowns.
    pub fn without_solved(&self, mut of: Polynomial) -> Option<Polynomial> {
        for (unknown, value) in &self.solved {
            of = of.replaced(*unknown, value)?;
        }
        Some(of)
    }

    /// Returns the quotient that an unknown represents.
    pub fn quotient(&self, unknown: Unknown) -> Option<&Quotient> {
        let mut quotients = self.unknowns.quotients.iter();
        quotients.find(|known| known.quotient == unknown)
    }

    /// Evaluates the most recently added unknowns at the points.
    pub fn evaluate_new(&mut self) {
        let unknowns = &self.unknowns;
        self.points.retain_mut(|values| {
            while values.len() < unknowns.names.len() {
                let next = values.len() as Unknown;
                let value = value_of(unknowns, next, values);
                match value {
                    Some(value) => values.push(value),
                    None => return false,
                }
            }
            true
        });
    }

    /// Spends fuel for the values of a polynomial at the points; `false` if it is spent.
    fn spend(&self, on: &Polynomial) -> bool {
        let steps = (on.terms().len() + 1) * (self.points.len() + 1);
        self.fuel.spend(steps as u64).is_ok()
    }

    /// Returns whether another quotient or minimum may be added.
    pub fn has_room(&self) -> bool {
        self.unknowns.names.len() < usize::from(self.variables) + DEFINITIONS
    }

    /// Returns the value of `x floordiv d`, if it is the same at all points; 0 if there are no points.
    pub fn block(&self, x: &Polynomial, d: &Polynomial) -> Option<i128> {
        if !self.spend(x) {
            return None;
        }
        let mut values = self.points.iter().map(|point| {
            let (x, d) = (x.eval(point)?, d.eval(point)?);
            (d >= 1).then(|| x.div_euclid(d))
        });
        let first = values.next().unwrap_or(Some(0))?;
        values.all(|value| value == Some(first)).then_some(first)
    }

    /// Returns whether `f >= 0` is proved.
    pub fn is_natural(&mut self, f: &Polynomial) -> bool {
        self.holds(&Atom::not_negative(f.clone()), false)
    }

    /// Returns whether `f >= 1` is proved.
    pub fn is_positive(&mut self, f: &Polynomial) -> bool {
        let less = f.shifted(-1);
        less.is_some_and(|less| self.is_natural(&less))
    }

    /// Returns whether a comparison is proved; a query that is the `last` one gets all steps of the budget.
    pub fn holds(&mut self, atom: &Atom, last: bool) -> bool {
        let is_met = |value: i128| match atom.is {
            Sign::Zero => value == 0,
            Sign::NotNegative => value >= 0,
        };
        if let Some(value) = atom.polynomial.as_constant() {
            return is_met(value);
        }
        if !self.spend(&atom.polynomial) {
            return false;
        }
        let mut values = self.points.iter().map(|point| atom.polynomial.eval(point));
        if values.any(|value| value.is_some_and(|value| !is_met(value))) {
            return false;
        }
        if let Some(known) = self.answers.get(atom)
            && (*known || !last)
        {
            return *known;
        }
        let answer = self.is_given(atom) || self.ask(atom, last);
        self.answers.insert(atom.clone(), answer);
        answer
    }

    /// Returns whether the hypotheses are proved to be contradictory.
    pub fn are_contradictory(&mut self) -> bool {
        self.points.is_empty() && self.ask(&Atom::not_negative(Polynomial::constant(-1)), true)
    }

    fn is_given(&self, atom: &Atom) -> bool {
        match atom.is {
            Sign::Zero => self.hypotheses.contains(atom),
            Sign::NotNegative => least::is_natural(&atom.polynomial, &self.hypotheses),
        }
    }

    fn ask(&mut self, atom: &Atom, last: bool) -> bool {
        let steps = match last {
            true => self.budget.solver_steps,
            false => self.budget.solver_steps / SHARE,
        };
        let cases = self.obligation(atom).cases(CASES);
        cases.is_some_and(|cases| cases.into_iter().all(|case| self.shown(case, steps, last)))
    }

    /// Returns whether an obligation is proved, with increasingly many lemmas.
    fn shown(&mut self, obligation: Obligation, steps: u32, last: bool) -> bool {
        [false, true]
            .into_iter()
            .any(|pairs| self.decide(directed(obligation.clone(), pairs), steps))
            || last && self.decide(LinearProblem::new(obligation), steps)
    }

    fn decide(&mut self, problem: Result<LinearProblem, TooLarge>, steps: u32) -> bool {
        let (Ok(problem), true) = (problem, self.questions > 0) else {
            self.reason = self.reason.take().or(Some(Reason::SolverSteps(steps)));
            return false;
        };
        self.questions -= 1;
        let interrupt = self.budget.interrupt.as_ref();
        match self.budget.answers.decide(script(&problem), steps, interrupt) {
            TextAnswer::Unsatisfiable => true,
            TextAnswer::Satisfiable(_) => false,
            TextAnswer::Unknown(reason) => {
                self.reason = Some(reason);
                false
            }
        }
    }

    /// Returns the obligation that the hypotheses imply a comparison.
    fn obligation(&self, atom: &Atom) -> Obligation {
        let given = self.hypotheses.iter().chain([atom]);
        let needed = closure(&self.unknowns, given.map(|atom| &atom.polynomial));
        let quotients = self.unknowns.quotients.iter();
        let choices = self.unknowns.choices.iter();
        Obligation {
            names: self.unknowns.names.clone(),
            hypotheses: self.hypotheses.clone(),
            guarded: Vec::new(),
            quotients: quotients
                .filter(|known| needed.contains(&known.quotient))
                .cloned()
                .collect(),
            choices: choices.filter(|known| needed.contains(&known.result)).cloned().collect(),
            goal: Goal::All(vec![atom.clone()]),
            multipliers: Vec::new(),
            cases: Vec::new(),
        }
    }
}

/// Returns a variable that an equation determines, with its value.
fn solution(unknowns: &Unknowns, atom: &Atom) -> Option<(Unknown, Option<Polynomial>)> {
    if atom.is != Sign::Zero {
        return None;
    }
    let terms = atom.polynomial.terms();
    terms.iter().find_map(|(monomial, coefficient)| {
        let [unknown] = monomial.unknowns() else {
            return None;
        };
        if coefficient.abs() != 1 || unknowns.is_defined(*unknown) {
            return None;
        }
        let rest = atom.polynomial.plus(-coefficient, &Polynomial::unknown(*unknown))?;
        if closure(unknowns, [&rest]).contains(unknown) {
            return None;
        }
        // `c*v + rest = 0` with c = 1 or -1 gives `v = -c*rest`.
        Some((*unknown, rest.scaled(-coefficient)))
    })
}

/// Returns the unknowns of these polynomials, and those of their definitions.
fn closure<'p>(
    unknowns: &'p Unknowns,
    of: impl IntoIterator<Item = &'p Polynomial>,
) -> BTreeSet<Unknown> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Polynomial> = of.into_iter().collect();
    while let Some(polynomial) = open.pop() {
        for unknown in polynomial.terms().iter().flat_map(|(m, _)| m.unknowns()) {
            if !found.insert(*unknown) {
                continue;
            }
            let mut quotients = unknowns.quotients.iter();
            if let Some(quotient) = quotients.find(|known| known.quotient == *unknown) {
                open.extend([&quotient.numerator, &quotient.divisor]);
            }
            let mut choices = unknowns.choices.iter();
            if let Some(choice) = choices.find(|choice| choice.result == *unknown) {
                open.extend([&choice.one, &choice.other]);
            }
        }
    }
    found
}

/// Returns the value of a quotient or choice, if all its unknowns have values.
fn value_of(unknowns: &Unknowns, unknown: Unknown, values: &[i128]) -> Option<i128> {
    if let Some(quotient) = unknowns.quotients.iter().find(|q| q.quotient == unknown) {
        let divisor = quotient.divisor.eval(values)?;
        let numerator = quotient.numerator.eval(values)?;
        return (divisor >= 1).then(|| numerator.div_euclid(divisor));
    }
    let choice = unknowns.choices.iter().find(|c| c.result == unknown)?;
    match choice.condition.polynomial.eval(values)? >= 0 {
        true => choice.one.eval(values),
        false => choice.other.eval(values),
    }
}
