//! Which letters the numbers of an example become: those on the left are letters of their own, or made of others; those
//! on the right are made of them.

use super::pool::{Known, pool, threefold};
use super::tree::{Number, product};
use crate::rule::Term;

/// Most readings of the left side.
const MAX_READINGS: usize = 120;

/// Most terms for a number of the right side.
const MAX_TERMS: usize = 10;

/// Most constants of which sums of three are tried.
const MAX_THREEFOLD: usize = 5;

/// Most ways to write the right side.
const MAX_RIGHTS: usize = 4_000;

/// Letters for the numbers of the left side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The values of the constants in the example.
    pub constants: Vec<i64>,
    /// A term for each number.
    pub numbers: Vec<Term>,
    /// How much the numbers are known to have in common.
    bound: usize,
    /// Whether numbers other than 0, 1 and 2 may stay.
    literal: bool,
}

/// Readings of numbers, the most general first. If `literal`, numbers may stay numbers.
pub fn readings(numbers: &[Number], literal: bool) -> Vec<Reading> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|index| numbers[*index].value.unsigned_abs());
    let nothing = Reading {
        constants: Vec::new(),
        numbers: vec![Term::Integer(0); numbers.len()],
        bound: 0,
        literal,
    };
    let mut all = vec![nothing];
    for index in order {
        let number = numbers[index];
        let longer = all
            .iter()
            .flat_map(|reading| reading.with(index, number.value));
        all = longer.collect();
        all.sort_by_key(|reading| reading.bound);
        all.truncate(MAX_READINGS);
    }
    all
}

impl Reading {
    /// The ways to read one more number.
    fn with(&self, index: usize, value: i64) -> Vec<Reading> {
        let mut all = Vec::new();
        let mut add = |term: Term, new: Option<i64>, bound: usize| {
            let mut reading = self.clone();
            reading.numbers[index] = term;
            reading.constants.extend(new);
            reading.bound += bound;
            all.push(reading);
        };
        // Constants are positive, which is easier to prove and to match; signs stay signs.
        let fresh = Term::Constant(self.constants.len() as u8);
        add(signed(value, fresh.clone()), value.checked_abs(), 0);
        for (slot, known) in (0u8..).zip(&self.constants) {
            let letter = Term::Constant(slot);
            if *known == value {
                add(letter.clone(), None, 1);
            } else if known.checked_neg() == Some(value) {
                add(product(Term::Integer(-1), letter.clone()), None, 1);
            } else if let Some(times) = divided(value, *known) {
                add(
                    product(signed(times, letter.clone()), fresh.clone()),
                    times.checked_abs(),
                    1,
                );
            }
            for (other, factor) in (0u8..).zip(&self.constants).skip(usize::from(slot)) {
                let both = |sign| product(signed(sign, letter.clone()), Term::Constant(other));
                match known.checked_mul(*factor) {
                    Some(found) if found == value => add(both(1), None, 2),
                    Some(found) if found.checked_neg() == Some(value) => add(both(-1), None, 2),
                    _ => {}
                }
            }
            for step in [1, -1] {
                if known.checked_add(step) == Some(value) {
                    let sum = Term::Sum(vec![letter.clone(), Term::Integer(step)]);
                    add(sum, None, 2);
                }
            }
        }
        if self.literal || value.unsigned_abs() <= 2 {
            add(Term::Integer(value), None, 3);
        }
        all
    }
}

/// `value / by`, if it is exact and no sign.
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

/// Terms for the numbers of the right side, short ones first; `open` adds constants that the left side lacks.
pub fn rights(numbers: &[Number], reading: &Reading) -> Vec<Vec<Term>> {
    let known = pool(&reading.constants);
    let options: Vec<Vec<Known>> = numbers
        .iter()
        .map(|number| options(number.value, &known, reading))
        .collect();
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
    let mut found: Vec<Known> = known
        .iter()
        .filter(|known| known.value == value)
        .take(MAX_TERMS)
        .cloned()
        .collect();
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

impl Reading {
    /// The reading with one more constant.
    pub fn with_constant(&self, value: i64) -> Reading {
        let mut more = self.clone();
        more.constants.push(value);
        more
    }

    /// Which constants divide: they are factors of divisors.
    pub fn divides(&self, numbers: &[Number]) -> Vec<bool> {
        let divisors = || {
            let pairs = numbers.iter().zip(&self.numbers);
            pairs
                .filter(|(number, _)| number.divides)
                .map(|(_, term)| term)
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
}
