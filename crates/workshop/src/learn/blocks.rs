//! The blocks of the divisors in which an example's numerators lie, and the points at which quotients step.

use super::example::{Example, compare};
use super::tree::product;
use affinor::rule::{Condition, Point, Relation, Slot, Term};

/// A quotient or remainder on the left side.
struct Division<'t> {
    numerator: &'t Term,
    divisor: &'t Term,
    /// The least and the greatest quotient in the example.
    quotients: [i64; 2],
}

/// Returns bounds of numerators by multiples of their divisors and, for constants that occur only on the right side, conditions
/// on the point at which a quotient of two values steps to the second.
pub fn blocks(example: &Example<'_>) -> Vec<Condition> {
    let mut found = of_letters(example);
    for division in divisions(example) {
        let [low, high] = division.quotients;
        for t in example.named(low) {
            found.push(compare(
                product(division.divisor.clone(), t),
                Relation::LessEqual,
                division.numerator.clone(),
            ));
        }
        let mut ends = above(example, division.divisor, high);
        if high == low + 1 {
            let twice = product(Term::Integer(2), division.divisor.clone());
            let named = example.named(low).into_iter();
            let named = named.filter(|t| !matches!(t, Term::Integer(_)));
            ends.extend(
                named.map(|t| Term::Sum(vec![product(division.divisor.clone(), t), twice.clone()])),
            );
        }
        for above in ends {
            let numerator = division.numerator.clone();
            found.push(compare(numerator, Relation::Less, above));
        }
        for (slot, value) in (0..).zip(example.constants).skip(example.opened) {
            found.extend(steps(example, &division, (slot, *value)));
        }
        found.extend(corners(example, &division));
    }
    found.iter_mut().for_each(|condition| {
        condition.lhs = flat(&condition.lhs);
        condition.rhs = flat(&condition.rhs);
    });
    found
}

/// Letters and constants that lie in one block of a divisor; the number of the block is a constant that occurs only on the right
/// side.
fn of_letters(example: &Example<'_>) -> Vec<Condition> {
    let letters = (0..)
        .zip(example.ranges)
        .map(|(letter, range)| (Term::Expression(letter), [range.lo(), range.hi()]));
    let constants = (0..).zip(example.constants).take(example.opened);
    let constants = constants.map(|(slot, value)| (Term::Constant(slot), [*value; 2]));
    let parts: Vec<(Term, [i64; 2])> = letters.chain(constants).collect();
    let mut found = Vec::new();
    for (t, quotient) in (0..).zip(example.constants).skip(example.opened) {
        for ((c, divisor), divides) in (0..).zip(example.constants).zip(example.divides) {
            for (part, ends) in parts.iter().filter(|_| *divides && *divisor > 1) {
                let is_in = ends.iter().all(|end| end.div_euclid(*divisor) == *quotient);
                if !is_in || *part == Term::Constant(c) {
                    continue;
                }
                let least = product(Term::Constant(c), Term::Constant(t));
                let above = Term::Sum(vec![least.clone(), Term::Constant(c)]);
                found.push(compare(least, Relation::LessEqual, part.clone()));
                found.push(compare(part.clone(), Relation::Less, above));
            }
        }
    }
    found
}

fn divisions<'t>(example: &Example<'t>) -> Vec<Division<'t>> {
    let mut found: Vec<Division<'t>> = Vec::new();
    example.left.visit(&mut |term| {
        let (Term::FloorDiv(numerator, divisor) | Term::Mod(numerator, divisor)) = term else {
            return;
        };
        let quotients = example.samples.iter().map(|letters| {
            let point =
                Point { constants: example.constants.to_vec(), expressions: letters.clone() };
            let (x, c) = (numerator.eval(&point)?, divisor.eval(&point)?);
            i64::try_from(x.div_euclid(c)).ok()
        });
        let quotients: Option<Vec<i64>> = quotients.collect();
        let Some(quotients) = quotients else { return };
        if let (Some(low), Some(high)) = (quotients.iter().min(), quotients.iter().max()) {
            found.push(Division { numerator, divisor, quotients: [*low, *high] });
        }
    });
    found
}

/// Returns `divisor * (quotient + 1)`, once for each term that the quotient can be written as.
fn above(example: &Example<'_>, divisor: &Term, quotient: i64) -> Vec<Term> {
    let next = |t: Term| Term::Sum(vec![product(divisor.clone(), t), divisor.clone()]);
    let literal = |t: &Term| matches!(t, Term::Integer(_));
    let named = example.named(quotient).into_iter();
    let mut found: Vec<Term> = named.filter(|t| !literal(t)).map(next).collect();
    if let Some(above) = quotient.checked_add(1) {
        let named = example.named(above).into_iter();
        let named = named.filter(|t| t != divisor);
        found.extend(named.map(|t| product(divisor.clone(), t)));
    }
    found
}

/// Returns conditions under which h is the first y at which the quotient of `m*y + k` is t + 1, not t: `m*h` is the first multiple
/// that reaches `c*(t + 1) - k`, and y is below `2*h`.
fn steps(example: &Example<'_>, division: &Division<'_>, (slot, h): (Slot, i64)) -> Vec<Condition> {
    let terms = match division.numerator {
        Term::Sum(terms) => terms.clone(),
        term => vec![term.clone()],
    };
    let (of_letters, others): (Vec<Term>, Vec<Term>) =
        terms.into_iter().partition(Term::has_expression);
    let (letter, factor) = match of_letters.as_slice() {
        [Term::Expression(letter)] => (*letter, None),
        [Term::Product(factor, x)] => match **x {
            Term::Expression(letter) => (letter, Some((**factor).clone())),
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let [low, high] = division.quotients;
    if high != low + 1 || factor == Some(Term::Integer(-1)) {
        return Vec::new();
    }
    let letters = || example.samples.iter().map(|letters| letters[usize::from(letter)]);
    if letters().any(|y| y < 0 || y / 2 >= h) {
        return Vec::new();
    }
    let first = Term::Constant(slot);
    let mut found = Vec::new();
    for t in example.named(low) {
        let mut least = vec![product(division.divisor.clone(), t), division.divisor.clone()];
        least.extend(others.iter().cloned().map(|term| product(Term::Integer(-1), term)));
        match &factor {
            None => found.push(compare(first.clone(), Relation::Equal, Term::Sum(least))),
            Some(factor) => {
                let multiple = product(factor.clone(), first.clone());
                let mut most = least.clone();
                most.extend([factor.clone(), Term::Integer(-1)]);
                let least = Term::Sum(least);
                found.push(compare(least, Relation::LessEqual, multiple.clone()));
                found.push(compare(multiple, Relation::LessEqual, Term::Sum(most)));
            }
        }
    }
    let twice = product(Term::Integer(2), first);
    let y = Term::Expression(letter);
    found.push(compare(y, Relation::Less, twice));
    found
}

/// Returns the quotients at the two values of an expression in [0, 1], if nothing else is in the numerator.
fn corners(example: &Example<'_>, division: &Division<'_>) -> Vec<Condition> {
    let mut letters = Vec::new();
    division.numerator.visit(&mut |part| {
        if let Term::Expression(letter) = part
            && !letters.contains(letter)
        {
            letters.push(*letter);
        }
    });
    let [letter] = letters[..] else {
        return Vec::new();
    };
    let range = example.ranges[usize::from(letter)];
    if [range.lo(), range.hi()] != [0, 1] {
        return Vec::new();
    }
    let mut found = Vec::new();
    for value in [0, 1] {
        let numerator = at(division.numerator, letter, value);
        let point = Point { constants: example.constants.to_vec(), expressions: Vec::new() };
        let values = [&numerator, division.divisor].map(|term| term.eval(&point));
        let [Some(of), Some(divisor)] = values else {
            continue;
        };
        let Ok(quotient) = i64::try_from(of.div_euclid(divisor)) else {
            continue;
        };
        let of_divisor = |t: &Term| product(division.divisor.clone(), t.clone());
        let mut add = |t: Term, numerator: Term| {
            let least = of_divisor(&t);
            let above = Term::Sum(vec![least.clone(), division.divisor.clone()]);
            found.push(compare(least, Relation::LessEqual, numerator.clone()));
            found.push(compare(numerator, Relation::Less, above));
        };
        for t in example.named(quotient) {
            add(t, numerator.clone());
        }
        // The step from one quotient to the other is a constant of the right side.
        for (s, step) in (0..).zip(example.constants).skip(example.opened) {
            for signed in [*step, -*step] {
                for t in example.named(quotient - signed) {
                    if matches!(t, Term::Integer(0)) {
                        continue;
                    }
                    let rest = product(Term::Integer(-1), of_divisor(&t));
                    let rest = Term::Sum(vec![numerator.clone(), rest]);
                    let s = Term::Constant(s);
                    let s = if signed == *step { s } else { product(Term::Integer(-1), s) };
                    add(s, rest);
                }
            }
        }
    }
    found
}

/// Substitutes a value for a letter in a term.
fn at(term: &Term, letter: Slot, value: i64) -> Term {
    match term {
        Term::Expression(slot) if *slot == letter => Term::Integer(value),
        term => {
            let with = term.with_operands(|part| Some(at(part, letter, value)));
            with.unwrap_or_else(|| term.clone())
        }
    }
}

/// Flattens nested sums, and folds products with 0 or 1 and sums of numbers.
pub fn flat(term: &Term) -> Term {
    let inner = term.with_operands(|part| Some(flat(part)));
    match inner.unwrap_or_else(|| term.clone()) {
        Term::Product(x, y) => match (*x, *y) {
            (Term::Integer(0), _) | (_, Term::Integer(0)) => Term::Integer(0),
            (Term::Integer(1), y) => y,
            (x, Term::Integer(1)) => x,
            (Term::Integer(x), Term::Integer(y)) => match x.checked_mul(y) {
                Some(both) => Term::Integer(both),
                None => product(Term::Integer(x), Term::Integer(y)),
            },
            (c, Term::Integer(value)) => product(Term::Integer(value), c),
            (Term::Integer(-1), Term::Product(sign, x)) if *sign == Term::Integer(-1) => *x,
            (x, y) => product(x, y),
        },
        Term::Sum(terms) => {
            let mut flat: Vec<Term> = Vec::new();
            let mut number = 0_i64;
            let inner = terms.into_iter().flat_map(|term| match term {
                Term::Sum(inner) => inner,
                term => vec![term],
            });
            for term in inner {
                match term {
                    Term::Integer(value) if number.checked_add(value).is_some() => number += value,
                    term => flat.push(term),
                }
            }
            if number != 0 || flat.is_empty() {
                flat.push(Term::Integer(number));
            }
            match flat.len() {
                1 => flat.swap_remove(0),
                _ => Term::Sum(flat),
            }
        }
        term => term,
    }
}
