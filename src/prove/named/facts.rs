//! What holds in a domain of named sizes: hypotheses over polynomials, and comparisons that follow, each decided by the
//! solver.
//!
//! A comparison that fails at a drawn point is false, and no solver is asked; drawn points never show that one holds.

use crate::prove::products::{
    Atom, Goal, Obligation, Polynomial, Quotient, Sign, Unknown, Unknowns, directed, script,
};
use crate::prove::{Budget, Reason, TextAnswer, decide_text};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of questions to the solver.
const QUESTIONS: u32 = 400;

/// One of them may take this part of the steps of the budget.
const SHARE: u32 = 8;

/// Known facts about unknowns.
pub struct Facts<'b> {
    pub unknowns: Unknowns,
    /// They hold at every point of the domain.
    hypotheses: Vec<Atom>,
    /// Unknowns with the values that equations gave them.
    solved: Vec<(Unknown, Polynomial)>,
    /// The values of all unknowns, at points of the domain.
    points: Vec<Vec<i128>>,
    answers: BTreeMap<Atom, bool>,
    budget: &'b Budget,
    questions: u32,
    /// Why a comparison stayed open.
    pub reason: Option<Reason>,
}

impl<'b> Facts<'b> {
    /// With one unknown for each variable, and some points of the domain.
    pub fn new(names: Vec<String>, points: Vec<Vec<i128>>, budget: &'b Budget) -> Facts<'b> {
        Facts {
            unknowns: Unknowns::new(names),
            hypotheses: Vec::new(),
            solved: Vec::new(),
            points,
            answers: BTreeMap::new(),
            budget,
            questions: QUESTIONS,
            reason: None,
        }
    }

    /// Adds what holds at every point. Of an equation that gives an unknown its value, this is put in its place.
    pub fn assume(&mut self, atom: Atom) -> Option<()> {
        let atom = Atom {
            polynomial: self.without_solved(atom.polynomial)?,
            ..atom
        };
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
                for part in [
                    &mut choice.condition.polynomial,
                    &mut choice.one,
                    &mut choice.other,
                ] {
                    *part = part.replaced(unknown, &value)?;
                }
            }
            self.solved.push((unknown, value));
            self.answers.clear();
        } else if atom.polynomial.as_constant().is_none_or(|value| value < 0)
            && !self.hypotheses.contains(&atom)
        {
            self.hypotheses.push(atom);
        }
        Some(())
    }

    /// Puts the values of solved unknowns in their places.
    pub fn without_solved(&self, mut of: Polynomial) -> Option<Polynomial> {
        for (unknown, value) in &self.solved {
            of = of.replaced(*unknown, value)?;
        }
        Some(of)
    }

    /// The quotient that an unknown stands for.
    pub fn quotient(&self, unknown: Unknown) -> Option<&Quotient> {
        let mut quotients = self.unknowns.quotients.iter();
        quotients.find(|known| known.quotient == unknown)
    }

    /// Gives each unknown that was added last a value at the points.
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

    /// Whether `f >= 0` is proved.
    pub fn is_natural(&mut self, f: &Polynomial) -> bool {
        self.holds(&Atom::not_negative(f.clone()), false)
    }

    /// Whether `f >= 1` is proved.
    pub fn is_positive(&mut self, f: &Polynomial) -> bool {
        let less = f.shifted(-1);
        less.is_some_and(|less| self.is_natural(&less))
    }

    /// Whether a comparison is proved; a question that is asked `last` gets all steps of the budget.
    pub fn holds(&mut self, atom: &Atom, last: bool) -> bool {
        let is_met = |value: i128| match atom.is {
            Sign::Zero => value == 0,
            Sign::NotNegative => value >= 0,
        };
        if let Some(value) = atom.polynomial.as_constant() {
            return is_met(value);
        }
        let mut values = self.points.iter().map(|point| atom.polynomial.eval(point));
        if values.any(|value| value.is_some_and(|value| !is_met(value))) {
            return false;
        }
        if let (Some(known), false) = (self.answers.get(atom), last) {
            return *known;
        }
        let answer = match self.hypotheses.contains(atom) {
            true => true,
            false => self.ask(atom, last),
        };
        self.answers.insert(atom.clone(), answer);
        answer
    }

    fn ask(&mut self, atom: &Atom, last: bool) -> bool {
        if self.questions == 0 && !last {
            return false;
        }
        self.questions = self.questions.saturating_sub(1);
        let steps = match last {
            true => self.budget.solver_steps,
            false => self.budget.solver_steps / SHARE,
        };
        let Ok(problem) = directed(self.obligation(atom)) else {
            return false;
        };
        let interrupt = self.budget.interrupt.as_ref();
        match decide_text(&script(&problem), &[], steps, interrupt) {
            TextAnswer::Unsatisfiable => true,
            TextAnswer::Satisfiable(_) => false,
            TextAnswer::Unknown(reason) => {
                self.reason = Some(reason);
                false
            }
        }
    }

    /// That the hypotheses imply this.
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
            choices: choices
                .filter(|known| needed.contains(&known.result))
                .cloned()
                .collect(),
            goal: Goal::All(vec![atom.clone()]),
            multipliers: Vec::new(),
            cases: Vec::new(),
        }
    }
}

/// A variable that an equation determines, with its value.
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

/// The unknowns of these polynomials, and those of their definitions.
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

/// The value of a quotient or choice where those of the unknowns before it are known.
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
