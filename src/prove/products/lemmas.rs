//! Reduces an obligation to linear arithmetic: products that a proof may need are stated as lemmas, then every product
//! of unknowns becomes an integer of its own.
//!
//! Each lemma is a law of the integers: `p >= 0` and `f >= 1` imply `p*f >= p`, and so on. Each axiom defines a floor
//! quotient, guarded by a positive divisor. Abstracting `a*b` as an integer `|a*b|` only adds models. So if the linear
//! problem is unsatisfiable, the obligation holds for all integers; a model of it means nothing. Which lemmas are
//! stated is a heuristic, and hints add to it.

use super::obligation::{Atom, Goal, Implication, Obligation, Sign};
use crate::num::wide::{Polynomial, Unknown};

/// Maximum degree of a product.
pub(super) const MAX_DEGREE: usize = 6;

/// Maximum number of comparisons; beyond it the obligation stays unknown.
const MAX_ATOMS: usize = 2_500;

/// Maximum number of lemmas; beyond it the obligation stays unknown.
const MAX_LEMMAS: usize = 60_000;

/// An obligation with its lemmas, ready for abstraction.
#[derive(Clone, Debug)]
pub struct LinearProblem {
    /// The obligation after its equational hypotheses are solved.
    pub obligation: Obligation,
    /// Definitions of quotients and choices, and the guarded hypotheses.
    pub axioms: Vec<Implication>,
    /// Laws of the integers.
    pub lemmas: Vec<Implication>,
}

/// The reason why there is no linear problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// A coefficient exceeds 128 bits, a product has too many terms, or there are too many comparisons.
    #[error("its polynomials are too large or too many")]
    Polynomial,
    /// Too many lemmas.
    #[error("more than {MAX_LEMMAS} products to consider")]
    Lemmas,
}

impl LinearProblem {
    /// States the lemmas of an obligation.
    pub fn new(mut obligation: Obligation) -> Result<LinearProblem, TooLarge> {
        solve_equations(&mut obligation).ok_or(TooLarge::Polynomial)?;
        LinearProblem::unsolved(obligation)
    }

    /// States the lemmas of an obligation without solving its equational hypotheses.
    pub fn unsolved(obligation: Obligation) -> Result<LinearProblem, TooLarge> {
        let axioms = axioms(&obligation).ok_or(TooLarge::Polynomial)?;
        let multipliers = multipliers(&obligation).ok_or(TooLarge::Polynomial)?;
        let AtomList { atoms, replaced } =
            atoms(&obligation, &axioms, &multipliers).ok_or(TooLarge::Polynomial)?;
        if multipliers.len().saturating_mul(atoms.len()) > MAX_LEMMAS {
            return Err(TooLarge::Lemmas);
        }
        let mut lemmas = lemmas(&multipliers, &atoms).ok_or(TooLarge::Polynomial)?;
        lemmas.extend(replaced);
        lemmas.extend(squares(&obligation).ok_or(TooLarge::Polynomial)?);
        Ok(LinearProblem { obligation, axioms, lemmas })
    }

    /// Creates the problem of an obligation with these lemmas; `None` if a coefficient overflows.
    pub fn with(obligation: Obligation, lemmas: Vec<Implication>) -> Option<LinearProblem> {
        let axioms = axioms(&obligation)?;
        Some(LinearProblem { obligation, axioms, lemmas })
    }
}

/// Substitutes `e` for `v` for each hypothesis `v = e`.
pub(super) fn solve_equations(obligation: &mut Obligation) -> Option<()> {
    while let Some((position, unknown, value)) = solvable(obligation) {
        obligation.hypotheses.remove(position);
        obligation.replace(unknown, &value?)?;
    }
    Some(())
}

/// Returns a hypothesis, an unknown that it determines, and the unknown's value.
fn solvable(obligation: &Obligation) -> Option<(usize, Unknown, Option<Polynomial>)> {
    for (position, atom) in obligation.hypotheses.iter().enumerate() {
        if atom.is != Sign::Zero {
            continue;
        }
        for (monomial, coefficient) in atom.polynomial.terms() {
            let [unknown] = monomial.unknowns() else {
                continue;
            };
            let stands_for = obligation.quotients.iter().any(|q| q.quotient == *unknown)
                || obligation.choices.iter().any(|choice| choice.result == *unknown);
            let elsewhere = atom.polynomial.terms().iter();
            let occurrences = elsewhere.filter(|(other, _)| other.unknowns().contains(unknown));
            if coefficient.abs() != 1 || occurrences.count() != 1 || stands_for {
                continue;
            }
            let single = Polynomial::unknown(*unknown);
            // `c*v + rest = 0` with c = ±1 gives `v = -c*rest`.
            let rest = atom.polynomial.plus(-coefficient, &single);
            let value = rest.and_then(|rest| rest.scaled(-coefficient));
            return Some((position, *unknown, value));
        }
    }
    None
}

/// Returns the definitions of quotients and choices, and the guarded hypotheses.
pub(super) fn axioms(obligation: &Obligation) -> Option<Vec<Implication>> {
    let mut axioms = obligation.guarded.clone();
    for quotient in &obligation.quotients {
        let positive = Atom::not_negative(quotient.divisor.shifted(-1)?);
        let guard = match quotient.divisor.as_constant() {
            Some(1..) => Vec::new(),
            _ => vec![positive],
        };
        axioms.push(Implication { premises: guard, conclusions: quotient.bounds()?.to_vec() });
    }
    for choice in &obligation.choices {
        let result = Polynomial::unknown(choice.result);
        let opposite = choice.condition.polynomial.scaled(-1)?.shifted(-1)?;
        for (condition, value) in
            [(choice.condition.clone(), &choice.one), (Atom::not_negative(opposite), &choice.other)]
        {
            axioms.push(Implication {
                premises: vec![condition],
                conclusions: vec![Atom::zero(result.plus(-1, value)?)],
            });
        }
    }
    Some(axioms)
}

/// Returns the goal's atoms.
fn goals(obligation: &Obligation) -> Vec<&Atom> {
    match &obligation.goal {
        Goal::All(goals) => goals.iter().collect(),
        Goal::Same(lhs, rhs) => lhs.iter().chain(rhs).collect(),
    }
}

/// Returns the polynomials to multiply atoms with.
fn multipliers(obligation: &Obligation) -> Option<Vec<Polynomial>> {
    let mut list: Vec<Polynomial> = Vec::new();
    let mut add = |polynomial: Polynomial| {
        if polynomial.as_constant().is_none() && !list.contains(&polynomial) {
            list.push(polynomial);
        }
    };
    for quotient in &obligation.quotients {
        add(quotient.divisor.clone());
    }
    for hypothesis in &obligation.hypotheses {
        // t >= 0 or t >= 1
        for bound in [0, 1] {
            let term = hypothesis.polynomial.shifted(bound)?;
            if hypothesis.is == Sign::NotNegative && matches!(term.as_monomial(), Some((1, _))) {
                add(term);
            }
        }
    }
    for goal in goals(obligation) {
        for (factor, _) in common_factors(obligation, goal) {
            add(factor);
        }
    }
    for multiplier in &obligation.multipliers {
        add(multiplier.clone());
    }
    Some(list)
}

/// Returns the unknowns of the rule that divide an equation, with the quotient: `m*x = m*y` follows from `x = y`.
fn common_factors(obligation: &Obligation, goal: &Atom) -> Vec<(Polynomial, Polynomial)> {
    let mut factors = Vec::new();
    if goal.is == Sign::Zero && goal.polynomial.as_constant().is_none() {
        for unknown in 0..obligation.names.len() as Unknown {
            let factor = Polynomial::unknown(unknown);
            if let Some((coefficient, monomial)) = factor.as_monomial()
                && let (quotient, true) = goal.polynomial.divided(coefficient, monomial)
            {
                factors.push((factor.clone(), quotient));
            }
        }
    }
    factors
}

/// Returns the atoms to multiply.
fn atoms(
    obligation: &Obligation,
    axioms: &[Implication],
    multipliers: &[Polynomial],
) -> Option<AtomList> {
    let mut list = AtomList::default();
    for axiom in axioms {
        for atom in axiom.premises.iter().chain(&axiom.conclusions) {
            list.add(atom.clone())?;
        }
    }
    for atom in obligation.hypotheses.iter().chain(goals(obligation)).chain(&obligation.cases) {
        list.add(atom.clone())?;
    }
    for goal in goals(obligation) {
        for (_, quotient) in common_factors(obligation, goal) {
            list.add_equation(quotient)?;
        }
    }
    list.quotient_differences(obligation)?;
    let divisors: Vec<&Polynomial> =
        multipliers.iter().filter(|multiplier| multiplier.as_monomial().is_some()).collect();
    list.parts_without_divisor(&divisors)?;
    list.sums_without_divisor(&divisors)?;
    Some(list)
}

#[derive(Default)]
struct AtomList {
    atoms: Vec<Atom>,
    /// The consequences of substituting equals in a product.
    replaced: Vec<Implication>,
}

impl AtomList {
    fn add(&mut self, atom: Atom) -> Option<()> {
        if atom.polynomial.as_constant().is_none() && !self.atoms.contains(&atom) {
            self.atoms.push(atom);
        }
        (self.atoms.len() <= MAX_ATOMS).then_some(())
    }

    fn add_equation(&mut self, polynomial: Polynomial) -> Option<()> {
        self.add(Atom::zero(polynomial.oriented()?))
    }

    /// States that two quotients may be equal, or differ by as many multiples of the divisor as their numerators.
    fn quotient_differences(&mut self, obligation: &Obligation) -> Option<()> {
        let quotients = &obligation.quotients;
        let mut shifts: Vec<(Unknown, Unknown, Polynomial)> = Vec::new();
        // Twice: the second time for quotients whose numerators contain quotients.
        for _ in 0..2 {
            for (position, x) in quotients.iter().enumerate() {
                for y in &quotients[position + 1..] {
                    let difference = Polynomial::unknown(x.quotient)
                        .plus(-1, &Polynomial::unknown(y.quotient))?;
                    self.add_equation(difference.clone())?;
                    let Some((coefficient, monomial)) =
                        x.divisor.as_monomial().filter(|_| x.divisor == y.divisor)
                    else {
                        continue;
                    };
                    let numerators = x.numerator.plus(-1, &y.numerator)?;
                    let mut shifted = vec![(numerators.clone(), Vec::new())];
                    for (one, other, by) in &shifts {
                        let value = Polynomial::unknown(*other).plus(1, by)?;
                        let replaced = numerators.replaced(*one, &value)?;
                        let equation = Polynomial::unknown(*one).plus(-1, &value)?;
                        let lemma = replacement(equation, &numerators, &replaced)?;
                        shifted.push((replaced, lemma.into_iter().collect()));
                    }
                    for (numerators, mut lemmas) in shifted {
                        let divided = numerators.divided(coefficient, monomial);
                        let by = match divided {
                            (by, true) => by,
                            _ => {
                                let reduced = reduced(&numerators, obligation)?;
                                let Some((equation, reduced)) = reduced else {
                                    continue;
                                };
                                let (by, true) = reduced.divided(coefficient, monomial) else {
                                    continue;
                                };
                                lemmas.extend(replacement(equation, &numerators, &reduced)?);
                                by
                            }
                        };
                        self.add_equation(difference.plus(-1, &by)?)?;
                        for lemma in lemmas {
                            if !self.replaced.contains(&lemma) {
                                self.replaced.push(lemma);
                            }
                        }
                        let shift = (x.quotient, y.quotient, by);
                        if !shifts.contains(&shift) {
                            shifts.push(shift);
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// States the quotient of the part of an atom that is divisible by a divisor.
    fn parts_without_divisor(&mut self, divisors: &[&Polynomial]) -> Option<()> {
        let mut from = 0;
        for _ in 0..2 {
            let to = self.atoms.len();
            for position in from..to {
                for (coefficient, monomial) in divisors.iter().filter_map(|d| d.as_monomial()) {
                    let (part, _) = self.atoms[position].polynomial.divided(coefficient, monomial);
                    self.add_equation(part)?;
                }
            }
            from = to;
        }
        Some(())
    }

    /// States the quotients of sums and differences of two atoms that are divisible by a divisor.
    fn sums_without_divisor(&mut self, divisors: &[&Polynomial]) -> Option<()> {
        let known: Vec<Polynomial> =
            self.atoms.iter().map(|atom| atom.polynomial.clone()).collect();
        for (position, x) in known.iter().enumerate() {
            for y in &known[position + 1..] {
                for sign in [1, -1] {
                    let sum = x.plus(sign, y)?;
                    for (coefficient, monomial) in divisors.iter().filter_map(|d| d.as_monomial()) {
                        if let (quotient, true) = sum.divided(coefficient, monomial) {
                            self.add_equation(quotient)?;
                        }
                    }
                }
            }
        }
        Some(())
    }
}

/// States that a polynomial with products equals its rewritten form if the equation used for the rewriting holds.
fn replacement(
    equation: Polynomial,
    before: &Polynomial,
    after: &Polynomial,
) -> Option<Option<Implication>> {
    let difference = before.plus(-1, after)?;
    let is_multiple = difference.degree() > equation.degree();
    Some(is_multiple.then(|| Implication {
        premises: vec![Atom::zero(equation)],
        conclusions: vec![Atom::zero(difference)],
    }))
}

/// Rewrites the products in a polynomial by a hypothesis, and returns it with the hypothesis: by `m + rest = 0`, the terms with m
/// have `-rest` instead. The inner `None` if no hypothesis applies.
fn reduced(
    polynomial: &Polynomial,
    obligation: &Obligation,
) -> Option<Option<(Polynomial, Polynomial)>> {
    let equations = obligation.hypotheses.iter().filter(|known| known.is == Sign::Zero);
    for equation in equations.map(|known| &known.polynomial) {
        for (product, sign) in equation.terms() {
            if product.unknowns().len() < 2 || sign.abs() != 1 {
                continue;
            }
            let mut reduced = polynomial.clone();
            for (monomial, coefficient) in polynomial.terms() {
                if let Some(factor) = monomial.without(product) {
                    let multiple = Polynomial::monomial(factor).times(equation)?;
                    reduced = reduced.plus(-coefficient.checked_mul(*sign)?, &multiple)?;
                }
            }
            if reduced != *polynomial {
                return Some(Some((equation.clone(), reduced)));
            }
        }
    }
    Some(None)
}

/// States that the square of an integer is at least 0, the integer and its negation, for the squares in the goal.
fn squares(obligation: &Obligation) -> Option<Vec<Implication>> {
    let mut squares = Vec::new();
    let terms = goals(obligation).into_iter().flat_map(|goal| goal.polynomial.terms());
    for (monomial, _) in terms {
        let [one, other] = monomial.unknowns() else {
            continue;
        };
        let (square, root) = (Polynomial::monomial(monomial.clone()), Polynomial::unknown(*one));
        let beyond = [square.clone(), square.plus(-1, &root)?, square.plus(1, &root)?];
        let law = Implication {
            premises: Vec::new(),
            conclusions: beyond.into_iter().map(Atom::not_negative).collect(),
        };
        if one == other && !squares.contains(&law) {
            squares.push(law);
        }
    }
    Some(squares)
}

fn lemmas(multipliers: &[Polynomial], atoms: &[Atom]) -> Option<Vec<Implication>> {
    let mut lemmas = Vec::new();
    for p in multipliers {
        for atom in atoms {
            let f = &atom.polynomial;
            let product = p.times(f)?;
            if product.degree() > MAX_DEGREE {
                continue;
            }
            let p_holds = Atom::not_negative(p.clone());
            // f <= -1 gives p*f <= -p
            let negative = Implication {
                premises: vec![p_holds.clone(), Atom::not_negative(f.scaled(-1)?.shifted(-1)?)],
                conclusions: vec![Atom::not_negative(p.scaled(-1)?.plus(-1, &product)?)],
            };
            match atom.is {
                Sign::NotNegative => lemmas.push(Implication {
                    premises: vec![p_holds, atom.clone()],
                    conclusions: vec![Atom::not_negative(product)],
                }),
                Sign::Zero => {
                    lemmas.push(Implication {
                        premises: vec![atom.clone()],
                        conclusions: vec![Atom::zero(product.clone())],
                    });
                    lemmas.push(Implication {
                        premises: vec![p_holds, Atom::not_negative(f.shifted(-1)?)],
                        conclusions: vec![Atom::not_negative(product.plus(-1, p)?)],
                    });
                }
            }
            lemmas.push(negative);
        }
    }
    Some(lemmas)
}
