//! Small terms over constants, with their values in the example.

use super::tree::product;
use affinor::rule::{Slot, Term};

/// A term over constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The term.
    pub term: Term,
    /// Its value in the example.
    pub value: i64,
    /// The number of constants and literals in the term.
    pub size: usize,
}

/// Returns products of at most two constants, and sums and differences of at most two of these and 1; short ones first.
pub fn pool(constants: &[i64]) -> Vec<Known> {
    let monomials = monomials(constants);
    let mut all = vec![Known { term: Term::Integer(0), value: 0, size: 0 }];
    for x in &monomials {
        all.push(x.clone());
        all.extend(minus(x));
    }
    for (index, x) in monomials.iter().enumerate() {
        all.extend(monomials[index + 1..].iter().flat_map(|y| both(x, y)));
    }
    all.sort_by_key(|known| known.size);
    all
}

/// Returns sums and differences of three monomials that have a given value; short ones first.
pub fn threefold(constants: &[i64], value: i64) -> Vec<Known> {
    let monomials = monomials(constants);
    let mut all = Vec::new();
    for (index, x) in monomials.iter().enumerate() {
        for (index, y) in monomials.iter().enumerate().skip(index + 1) {
            let pairs = both(x, y);
            let thirds = monomials[index + 1..].iter();
            let threes = thirds.flat_map(|z| [Some(z.clone()), minus(z)]).flatten();
            for z in threes {
                let sums = pairs.iter().filter_map(|pair| sum(pair, &z));
                all.extend(sums.filter(|known| known.value == value));
            }
        }
    }
    all.sort_by_key(|known| known.size);
    all
}

/// Returns the products of three different constants that have a given value.
pub fn triples(constants: &[i64], value: i64) -> Vec<Known> {
    let mut found = Vec::new();
    for (x, first) in constants.iter().enumerate() {
        for (y, second) in constants.iter().enumerate().skip(x + 1) {
            let of_two = first.checked_mul(*second);
            for (z, third) in constants.iter().enumerate().skip(y + 1) {
                if of_two.and_then(|two| two.checked_mul(*third)) == Some(value) {
                    let [x, y, z] = [x, y, z].map(|slot| Term::Constant(slot as Slot));
                    found.push(Known { term: product(x, product(y, z)), value, size: 3 });
                }
            }
        }
    }
    found
}

/// Returns 1, the constants, and products of two of them.
fn monomials(constants: &[i64]) -> Vec<Known> {
    let mut factors: Vec<Known> = Vec::new();
    for (slot, value) in (0u8..).zip(constants) {
        factors.push(Known { term: Term::Constant(slot), value: *value, size: 1 });
    }
    let mut monomials = factors.clone();
    for (index, x) in factors.iter().enumerate() {
        for y in &factors[index + 1..] {
            let Some(value) = x.value.checked_mul(y.value) else {
                continue;
            };
            monomials.push(Known { term: product(x.term.clone(), y.term.clone()), value, size: 2 });
        }
    }
    let one = Known { term: Term::Integer(1), value: 1, size: 1 };
    monomials.insert(0, one);
    monomials
}

/// Returns the sums of two terms, with each combination of signs.
fn both(x: &Known, y: &Known) -> Vec<Known> {
    let pairs = [
        (Some(x.clone()), Some(y.clone())),
        (Some(y.clone()), minus(x)),
        (Some(x.clone()), minus(y)),
        (minus(x), minus(y)),
    ];
    let sums = pairs.into_iter().filter_map(|(x, y)| sum(&x?, &y?));
    sums.collect()
}

fn minus(x: &Known) -> Option<Known> {
    let term = match &x.term {
        Term::Integer(value) => Term::Integer(-value),
        term => product(Term::Integer(-1), term.clone()),
    };
    Some(Known { term, value: x.value.checked_neg()?, size: x.size + 1 })
}

fn sum(x: &Known, y: &Known) -> Option<Known> {
    // A number comes last.
    let (x, y) = match &x.term {
        Term::Integer(_) => (y, x),
        _ => (x, y),
    };
    let mut terms: Vec<Term> = Vec::new();
    for term in [&x.term, &y.term] {
        match term {
            Term::Sum(inner) => terms.extend(inner.iter().cloned()),
            term => terms.push(term.clone()),
        }
    }
    Some(Known {
        term: Term::Sum(terms),
        value: x.value.checked_add(y.value)?,
        size: x.size + y.size + 1,
    })
}
