//! Enumerates terms over letters, and finds terms that have the same values as a shorter term at sampled points.
//!
//! As in Ruler (Nandi and others, *Rewrite rule inference using equality saturation*, OOPSLA 2021), terms are distinguished by
//! their values at points, and longer terms are built from one representative of each value vector. Here the points satisfy the
//! assumptions, and divisors and factors are constants with values of their own at each point, so the result is a conjecture with
//! symbolic constants.

use super::assume::Letters;
use super::tree::product;
use affinor::num::{Fuel, floordiv, modulo};
use affinor::rule::{Point, Slot, Term};
use rustc_hash::FxHashMap;

/// Maximum number of terms kept for each number of operations.
const MAX_TERMS: usize = 60_000;

/// Maximum number of conjectures of one enumeration.
const MAX_FOUND: usize = 500_000;

/// Maximum number of operations of terms with a min or max: there are too many longer ones.
const MAX_WITH_MIN_MAX: usize = 2;

/// Number of terms built for one step of fuel.
const TERMS_PER_STEP: u64 = 64;

/// Two terms with the same values, the first one longer.
#[derive(Clone, Debug)]
pub struct Conjecture {
    /// The longer term and the shorter term.
    pub sides: [Term; 2],
    /// The number of operations of the shorter term.
    pub size: usize,
}

type Values = Box<[i64]>;

/// The function of an operation, on values; [`Pair`] builds the same operation on terms.
type Of = fn(i64, i64) -> Option<i64>;
type Pair = fn(Term, Term) -> Term;

/// The representative of all terms with its values.
struct Kept {
    term: Term,
    values: Values,
    is_constant: bool,
}

struct Terms {
    kept: Vec<Kept>,
    /// The index of the first term for each number of operations.
    starts: Vec<usize>,
    known: FxHashMap<Values, usize>,
    /// Whether this is the last size: its terms are looked up but not kept.
    is_last: bool,
    has_min_max: bool,
    size: usize,
    found: Vec<Conjecture>,
}

/// Returns the conjectures whose longer side has `size` operations.
pub fn conjectures(
    letters: Letters,
    points: &[Point],
    size: usize,
    fuel: &Fuel,
) -> Vec<Conjecture> {
    let values = |term: &Term| -> Option<Values> {
        let values = points.iter();
        let values = values.map(|point| i64::try_from(term.value(point).ok()?).ok());
        values.collect()
    };
    let numbers: Vec<(Term, Values)> = numbers(letters.constants)
        .into_iter()
        .filter_map(|term| Some((term.clone(), values(&term)?)))
        .collect();
    let factors: Vec<&(Term, Values)> = numbers
        .iter()
        .filter(|(term, _)| !matches!(term, Term::Integer(_) | Term::Sum(_)))
        .collect();
    let mut terms = Terms {
        kept: Vec::new(),
        starts: vec![0],
        known: FxHashMap::default(),
        is_last: false,
        has_min_max: size <= MAX_WITH_MIN_MAX,
        size: 0,
        found: Vec::new(),
    };
    for (term, values) in &numbers {
        terms.offer(values.clone(), true, || term.clone());
    }
    for slot in 0..letters.expressions {
        let letter = Term::Expression(slot);
        if let Some(values) = values(&letter) {
            terms.offer(values, false, || letter);
        }
    }
    terms.starts.push(terms.kept.len());
    for operations in 1..=size {
        terms.size = operations;
        terms.is_last = operations == size;
        let own = terms.starts[operations - 1]..terms.starts[operations];
        for index in own {
            if fuel.spend(1 + factors.len() as u64 / TERMS_PER_STEP).is_err() {
                return terms.found;
            }
            terms.divided(index, &factors);
        }
        for left in 0..operations {
            let right = operations - 1 - left;
            if left > right {
                break;
            }
            let others = terms.starts[right]..terms.starts[right + 1];
            for x in terms.starts[left]..terms.starts[left + 1] {
                let steps = 1 + others.len() as u64 / TERMS_PER_STEP;
                if fuel.spend(steps).is_err() {
                    return terms.found;
                }
                for y in others.clone() {
                    if left < right || x < y {
                        terms.combined(x, y);
                    }
                }
            }
        }
        terms.starts.push(terms.kept.len());
    }
    terms.found
}

/// Returns the divisors, factors and summands: 0, 1, the constants, products of two of them, and one less than a constant.
fn numbers(constants: Slot) -> Vec<Term> {
    let mut all = vec![Term::Integer(0), Term::Integer(1)];
    let constants: Vec<Term> = (0..constants).map(Term::Constant).collect();
    all.extend(constants.iter().cloned());
    for (index, c) in constants.iter().enumerate() {
        let others = constants[index + 1..].iter();
        all.extend(others.map(|d| product(c.clone(), d.clone())));
    }
    let less = |c: &Term| Term::Sum(vec![c.clone(), Term::Integer(-1)]);
    all.extend(constants.iter().map(less));
    all
}

impl Terms {
    /// Keeps a term with new values, or records a conjecture if a shorter term has the same values.
    fn offer(&mut self, values: Values, is_constant: bool, make: impl FnOnce() -> Term) {
        if let Some(&known) = self.known.get(&values) {
            let shorter = self.size_of(known);
            if shorter < self.size && self.is_last && self.found.len() < MAX_FOUND {
                self.found.push(Conjecture {
                    sides: [make(), self.kept[known].term.clone()],
                    size: shorter,
                });
            }
            return;
        }
        let level = self.kept.len() - self.starts.last().copied().unwrap_or(0);
        if self.is_last || level >= MAX_TERMS {
            return;
        }
        self.known.insert(values.clone(), self.kept.len());
        self.kept.push(Kept { term: make(), values, is_constant });
    }

    fn size_of(&self, index: usize) -> usize {
        self.starts.partition_point(|start| *start <= index) - 1
    }

    /// Offers a term multiplied by, divided by, and modulo each number.
    fn divided(&mut self, index: usize, factors: &[&(Term, Values)]) {
        if self.kept[index].is_constant {
            return;
        }
        let operations: [(Of, Pair); 3] = [
            (i64::checked_mul, product),
            (
                |x, c| (c > 0).then(|| floordiv(x, c)),
                |c, x| Term::FloorDiv(Box::new(x), Box::new(c)),
            ),
            (|x, c| (c > 0).then(|| modulo(x, c)), |c, x| Term::Mod(Box::new(x), Box::new(c))),
        ];
        for (factor, of_factor) in factors {
            for (of, make) in operations {
                let pairs = self.kept[index].values.iter().zip(of_factor);
                if let Some(values) = pairs.map(|(x, c)| of(*x, *c)).collect() {
                    let term = self.kept[index].term.clone();
                    self.offer(values, false, || make(factor.clone(), term));
                }
            }
        }
    }

    /// Offers the sums, differences, min and max of two terms.
    fn combined(&mut self, x: usize, y: usize) {
        if self.kept[x].is_constant && self.kept[y].is_constant {
            return;
        }
        // 0 is never an operand of a sum.
        let [x_adds, y_adds] = [x, y].map(|index| self.kept[index].term != Term::Integer(0));
        let operations: [(bool, Of, Pair); 5] = [
            (x_adds && y_adds, i64::checked_add, |x, y| plus(&x, &y, 1)),
            (y_adds, i64::checked_sub, |x, y| plus(&x, &y, -1)),
            (x_adds, |x, y| y.checked_sub(x), |x, y| plus(&y, &x, -1)),
            (self.has_min_max, |x, y| Some(x.min(y)), |x, y| Term::Min(Box::new(x), Box::new(y))),
            (self.has_min_max, |x, y| Some(x.max(y)), |x, y| Term::Max(Box::new(x), Box::new(y))),
        ];
        for (_, of, make) in operations.into_iter().filter(|(is_tried, ..)| *is_tried) {
            let pairs = self.kept[x].values.iter().zip(&self.kept[y].values);
            if let Some(values) = pairs.map(|(x, y)| of(*x, *y)).collect() {
                let [x, y] = [x, y].map(|index| self.kept[index].term.clone());
                self.offer(values, false, || make(x, y));
            }
        }
    }
}

/// Returns `x + y` or `x - y`; numbers come last.
fn plus(x: &Term, y: &Term, sign: i64) -> Term {
    let mut terms: Vec<Term> = Vec::new();
    for (term, sign) in [(x, 1), (y, sign)] {
        let parts = match term {
            Term::Sum(parts) => &parts[..],
            term => std::slice::from_ref(term),
        };
        terms.extend(parts.iter().map(|part| match (part, sign) {
            (Term::Integer(value), sign) => Term::Integer(sign * value),
            (part, 1) => part.clone(),
            (Term::Product(minus, part), _) if **minus == Term::Integer(-1) => (**part).clone(),
            (part, _) => product(Term::Integer(-1), part.clone()),
        }));
    }
    terms.retain(|term| *term != Term::Integer(0));
    terms.sort_by_key(|term| !term.has_expression());
    match terms.len() {
        1 => terms.swap_remove(0),
        _ => Term::Sum(terms),
    }
}
