//! Turns the numbers of an example into constants: numbers on the left become constants of their own or terms over other
//! constants; numbers on the right become terms over these.

use super::pool::{Known, pool, threefold, triples};
use super::tree::{Number, product};
use affinor::rule::Term;

/// Maximum number of readings of the left side.
const MAX_READINGS: usize = 120;

/// Maximum number of terms for a number of the right side.
const MAX_TERMS: usize = 10;

/// Maximum multiple of a constant that a number is read as, if other numbers may stay literal.
const MAX_MULTIPLE: i64 = 3;

/// Maximum number of constants whose sums of three are tried.
const MAX_THREEFOLD: usize = 5;

/// Maximum number of ways to write the right side.
const MAX_RIGHTS: usize = 4_000;

/// An assignment of terms to the numbers of the left side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The values of the constants in the example.
    pub constants: Vec<i64>,
    /// A term for each number.
    pub numbers: Vec<Term>,
    /// The number of relations between the numbers that the reading assumes.
    bound: usize,
    /// Whether numbers other than 0, 1 and 2 may stay.
    literal: bool,
}

/// Which numbers other than 0, 1 and 2 stay numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literals {
    None,
    Some,
    All,
}

/// Returns the readings of numbers, the most general first; the reading in which equal numbers are one constant comes early.
pub fn readings(numbers: &[Number], literals: Literals) -> Vec<Reading> {
    let literal = literals != Literals::None;
    let nothing = Reading {
        constants: Vec::new(),
        numbers: numbers.iter().map(|number| Term::Integer(number.value)).collect(),
        bound: 0,
        literal,
    };
    if literals == Literals::All {
        return vec![nothing];
    }
    let order = order(numbers);
    let mut all = vec![nothing.clone()];
    for index in &order {
        let value = numbers[*index].value;
        let longer = all.iter().flat_map(|reading| reading.with(*index, value));
        all = longer.collect();
        all.sort_by_key(|reading| reading.bound);
        all.truncate(MAX_READINGS);
    }
    for made in [2, 1, 0] {
        let shared = order.iter().fold(nothing.clone(), |reading, index| {
            reading.sharing(*index, numbers[*index].value, made)
        });
        all.retain(|reading| *reading != shared);
        all.insert(all.len().min(1), shared);
    }
    all
}

/// Returns the order in which numbers are read: smaller ones first, since larger ones may be terms over them. But a divisor is
/// read before the number one less than it, which becomes a term over the divisor.
fn order(numbers: &[Number]) -> Vec<usize> {
    let key = |index: &usize| {
        let number = numbers[*index];
        let size = number.value.unsigned_abs();
        let is_next = |other: &Number| other.divides && other.value.unsigned_abs() == size + 1;
        let is_below = !number.divides && size > 1 && numbers.iter().any(is_next);
        (size + u64::from(is_below), is_below)
    };
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(key);
    order
}

impl Reading {
    /// Extends the reading by one constant.
    pub fn with_constant(&self, value: i64) -> Reading {
        let mut more = self.clone();
        more.constants.push(value);
        more
    }

    /// Returns whether a number is read as a product with the square of a constant.
    pub fn has_square(&self) -> bool {
        let is_square = |term: &Term| matches!(term, Term::Product(x, y) if x == y);
        self.numbers.iter().any(|term| term.any(is_square))
    }

    /// Returns whether a number is read as a sum.
    pub fn has_sum(&self) -> bool {
        let is_sum = |term: &Term| matches!(term, Term::Sum(_));
        self.numbers.iter().any(|term| term.any(is_sum))
    }

    /// Returns whether numbers other than 0, 1 and 2 may stay.
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// For each constant, whether it is a factor of a divisor.
    pub fn divides(&self, numbers: &[Number]) -> Vec<bool> {
        let divisors = || {
            let pairs = numbers.iter().zip(&self.numbers);
            pairs.filter(|(number, _)| number.divides).map(|(_, term)| term)
        };
        let slots = 0..self.constants.len();
        slots
            .map(|slot| {
                let constant = Term::Constant(slot as u8);
                self.constants[slot] > 0
                    && divisors().any(|term| term.any(|part| *part == constant))
            })
            .collect()
    }

    /// Returns the reading in which a number is a constant that no other number has; `None` if this is already so. Also returns
    /// the number's previous term, if its constants still exist.
    pub fn freed(&self, index: usize, value: i64) -> Option<(Reading, Option<Term>)> {
        let is_own = |term: &Term| match term {
            Term::Constant(_) => self.numbers.iter().filter(|other| *other == term).count() == 1,
            _ => false,
        };
        let term = &self.numbers[index];
        if is_own(term) {
            return None;
        }
        let mut freed = self.clone();
        freed.add_fresh(index, value);
        // Numbers with the same composite term become the same constant; numbers that are just equal may be two constants.
        if !matches!(term, Term::Constant(_) | Term::Integer(_)) {
            for (known, number) in self.numbers.iter().zip(0..) {
                if known == term {
                    freed.numbers[number] = freed.numbers[index].clone();
                }
            }
        }
        // Drops constants that no number uses any more.
        let is_used = |slot: &usize| {
            let constant = Term::Constant(*slot as u8);
            (freed.numbers.iter()).any(|term| term.any(|part| *part == constant))
        };
        let kept: Vec<usize> = (0..freed.constants.len()).filter(is_used).collect();
        let renamed = |term: &Term| renamed(term, &kept);
        let before = renamed(term);
        freed.numbers = freed.numbers.iter().map(renamed).collect::<Option<_>>()?;
        freed.constants = kept.iter().map(|slot| freed.constants[*slot]).collect();
        Some((freed, before))
    }

    fn add_fresh(&mut self, index: usize, value: i64) {
        let fresh = Term::Constant(self.constants.len() as u8);
        self.numbers[index] = signed(value, fresh);
        self.constants.push(value.checked_abs().unwrap_or(i64::MAX));
    }

    /// Extends the reading by one more number: a known constant of this value, or a term over known constants (products if
    /// `made` is at least 1, sums if it is 2), or a new constant.
    fn sharing(self, index: usize, value: i64, made: usize) -> Reading {
        let mut all = self.with(index, value);
        all.retain(|reading| reading.constants.len() == self.constants.len());
        // A perfect square is likely a coincidence of the example.
        all.retain(|reading| reading.bound <= self.bound + 2);
        let is_made = |reading: &&Reading| match &reading.numbers[index] {
            Term::Integer(value) => *value == 0,
            Term::Constant(_) => true,
            Term::Product(x, _) => **x == Term::Integer(-1) || made > 0,
            _ => made > 1,
        };
        let found = all.iter().filter(is_made).min_by_key(|reading| reading.bound);
        found.cloned().unwrap_or_else(|| {
            let mut fresh = self;
            fresh.add_fresh(index, value);
            fresh
        })
    }

    /// Returns the ways to read one more number.
    fn with(&self, index: usize, value: i64) -> Vec<Reading> {
        let mut all = Vec::new();
        let mut add = |term: Term, new: Option<i64>, bound: usize| {
            let mut reading = self.clone();
            reading.numbers[index] = term;
            reading.constants.extend(new);
            reading.bound += bound;
            all.push(reading);
        };
        // Constants are positive, which is easier to prove and to match; signs stay literal.
        let fresh = Term::Constant(self.constants.len() as u8);
        if value == 0 {
            add(Term::Integer(0), None, 0);
            return all;
        }
        add(signed(value, fresh.clone()), value.checked_abs(), 0);
        for (slot, known) in (0u8..).zip(&self.constants) {
            let letter = Term::Constant(slot);
            if *known == value {
                add(letter.clone(), None, 1);
            } else if known.checked_neg() == Some(value) {
                add(product(Term::Integer(-1), letter.clone()), None, 1);
            } else if let Some(times) = divided(value, *known) {
                add(product(signed(times, letter.clone()), fresh.clone()), times.checked_abs(), 1);
            }
            for step in [1, -1] {
                let number = Term::Integer(step);
                let near = known.checked_add(step);
                let sum = Term::Sum(vec![letter.clone(), number.clone()]);
                if near == Some(value) {
                    add(sum, None, 2);
                } else if near.and_then(i64::checked_neg) == Some(value) {
                    add(product(Term::Integer(-1), sum), None, 2);
                }
                let beside = value.checked_sub(step).and_then(|near| divided(near, *known));
                if let Some(times) = beside.filter(|times| *times > 0) {
                    let multiple = product(letter.clone(), fresh.clone());
                    add(Term::Sum(vec![multiple, number]), Some(times), 2);
                }
            }
            let others = (0u8..).zip(&self.constants).skip(usize::from(slot));
            for (other, factor) in others {
                for (term, bound) in made_of((slot, *known), (other, *factor), value) {
                    add(term, None, bound);
                }
            }
            let few = (2..=MAX_MULTIPLE).find(|times| known.checked_mul(*times) == Some(value));
            if let Some(times) = few.filter(|_| self.literal) {
                add(product(Term::Integer(times), letter), None, 2);
            }
        }
        for three in triples(&self.constants, value) {
            add(three.term, None, 3);
        }
        if self.literal && value != 0 || (1..=2).contains(&value.unsigned_abs()) {
            add(Term::Integer(value), None, 3);
        }
        all
    }
}

/// Returns the products, sums and differences of two constants, and these plus or minus one, that have this value; each with the
/// number of relations that it assumes.
fn made_of((x, first): (u8, i64), (y, second): (u8, i64), value: i64) -> Vec<(Term, usize)> {
    let [x, y] = [x, y].map(Term::Constant);
    let minus = |term: &Term| product(Term::Integer(-1), term.clone());
    let mut known: Vec<(Option<i64>, Vec<Term>, usize)> = Vec::new();
    let xy = product(x.clone(), y.clone());
    let of_both = first.checked_mul(second);
    known.push((of_both, vec![xy.clone()], if x == y { 3 } else { 2 }));
    if x != y {
        known.push((first.checked_add(second), vec![x.clone(), y.clone()], 2));
        known.push((first.checked_sub(second), vec![x.clone(), minus(&y)], 2));
        known.push((second.checked_sub(first), vec![y, minus(&x)], 2));
    }
    let mut found = Vec::new();
    for (known, terms, bound) in known {
        let Some(known) = known else { continue };
        for step in [0, 1, -1] {
            let is_found = known.checked_add(step);
            let is_negated = is_found.and_then(i64::checked_neg) == Some(value);
            // A product may be negated; the differences occur with both signs anyway.
            if is_found != Some(value) && !(is_negated && step == 0 && terms.len() == 1) {
                continue;
            }
            let mut terms = terms.clone();
            if is_negated {
                terms = vec![minus(&xy)];
            }
            terms.extend((step != 0).then_some(Term::Integer(step)));
            let bound = bound + 2 * usize::from(step != 0);
            found.push(match terms.len() {
                1 => (terms.swap_remove(0), bound),
                _ => (Term::Sum(terms), bound),
            });
        }
    }
    found
}

/// Renumbers the constants of a term by their positions in `kept`; `None` if the term has another constant.
fn renamed(term: &Term, kept: &[usize]) -> Option<Term> {
    match term {
        Term::Constant(slot) => {
            let place = kept.iter().position(|known| *known == usize::from(*slot))?;
            Some(Term::Constant(place as u8))
        }
        term => term.with_operands(|part| renamed(part, kept)),
    }
}

/// Returns `value / by`, if it is exact and both are greater than 1 in magnitude.
fn divided(value: i64, by: i64) -> Option<i64> {
    let times = value.checked_div(by)?;
    (by.unsigned_abs() > 1 && value % by == 0 && times.unsigned_abs() > 1).then_some(times)
}

fn signed(sign: i64, term: Term) -> Term {
    match sign < 0 {
        true => product(Term::Integer(-1), term),
        false => term,
    }
}

/// Returns terms for the numbers of the right side, short ones first.
pub fn rights(numbers: &[Number], reading: &Reading) -> Vec<Vec<Term>> {
    let known = pool(&reading.constants);
    let options: Vec<Vec<Known>> =
        numbers.iter().map(|number| options(number.value, &known, reading)).collect();
    let mut all: Vec<(usize, Vec<Term>)> = vec![(0, Vec::new())];
    for options in &options {
        let longer = all.iter().flat_map(|(size, terms)| {
            options.iter().map(move |option| {
                let mut terms = terms.clone();
                terms.push(option.term.clone());
                (size + option.size, terms)
            })
        });
        all = longer.collect();
        all.sort_by_key(|(size, _)| *size);
        all.truncate(MAX_RIGHTS);
    }
    all.into_iter().map(|(_, terms)| terms).collect()
}

fn options(value: i64, known: &[Known], reading: &Reading) -> Vec<Known> {
    let mut found: Vec<Known> =
        known.iter().filter(|known| known.value == value).take(MAX_TERMS).cloned().collect();
    if found.is_empty() {
        found = triples(&reading.constants, value);
    }
    if found.is_empty() && reading.constants.len() <= MAX_THREEFOLD {
        found = threefold(&reading.constants, value);
        found.truncate(MAX_TERMS);
    }
    let literal = Term::Integer(value);
    let is_open = !reading.literal && value.unsigned_abs() > 2;
    if is_open {
        return found;
    }
    if !found.iter().any(|known| known.term == literal) {
        found.push(Known {
            term: literal,
            value,
            size: if value.unsigned_abs() <= 2 { 2 } else { 6 },
        });
    }
    found
}
