//! The condition that always suffices: the definition of a quotient.
//!
//! Law: `n floordiv c = r` if and only if `0 <= n - c*r` and `n - c*r < c`.

use super::blocks::flat;
use super::example::compare;
use super::tree::product;
use affinor::rule::{Condition, Point, Relation, Rule, Slot, Statement, Term};

/// For a rule with a quotient on the left and a sum of letters and constants on the right, states the definition of the quotient.
/// Each letter is moved to the side on which its factor is positive for these constants.
pub fn of_quotient(rule: &Rule, constants: &[i64]) -> Option<[Condition; 2]> {
    let Statement::Rewrite(Term::FloorDiv(numerator, divisor), right) = &rule.statement else {
        return None;
    };
    let (mut more, mut less) = (Vec::new(), Vec::new());
    let (left, right) = (linear(numerator)?, linear(right)?);
    let of_divisor = |factor: &Term| product((**divisor).clone(), factor.clone());
    for slot in 0..rule.expressions.len() as Slot {
        let factor = |parts: &[(Term, Option<Slot>)]| {
            let own = parts.iter().filter(|(_, letter)| *letter == Some(slot));
            Term::Sum(own.map(|(factor, _)| factor.clone()).collect())
        };
        let (of_left, of_right) = (factor(&left), of_divisor(&factor(&right)));
        let point = Point { constants: constants.to_vec(), expressions: Vec::new() };
        let [left, right] = [&of_left, &of_right].map(|factor| factor.eval(&point));
        let minus = |x: Term, y: Term| Term::Sum(vec![x, product(Term::Integer(-1), y)]);
        let (into, factor) = match left?.cmp(&right?) {
            std::cmp::Ordering::Less => (&mut less, minus(of_right, of_left)),
            std::cmp::Ordering::Greater => (&mut more, minus(of_left, of_right)),
            std::cmp::Ordering::Equal => return None,
        };
        into.push(product(factor, Term::Expression(slot)));
    }
    let numbers = |parts: Vec<(Term, Option<Slot>)>| {
        let numbers = parts.into_iter().filter(|(_, letter)| letter.is_none());
        numbers.map(|(number, _)| number).collect::<Vec<Term>>()
    };
    more.extend(numbers(left));
    less.extend(numbers(right).iter().map(of_divisor));
    let (more, less) = (Term::Sum(more), Term::Sum(less));
    let above = Term::Sum(vec![less.clone(), (**divisor).clone()]);
    Some([
        compare(flat(&less), Relation::LessEqual, flat(&more)),
        compare(flat(&more), Relation::Less, flat(&above)),
    ])
}

/// Returns the summands of a term without operations: each a letter with its factor, or a plain number.
fn linear(term: &Term) -> Option<Vec<(Term, Option<Slot>)>> {
    match term {
        Term::Expression(slot) => Some(vec![(Term::Integer(1), Some(*slot))]),
        Term::Sum(terms) => {
            let parts = terms.iter().map(linear).collect::<Option<Vec<_>>>()?;
            Some(parts.into_iter().flatten().collect())
        }
        Term::Product(factor, x) if !factor.has_expression() && x.has_expression() => {
            let parts = linear(x)?.into_iter();
            let scaled = parts.map(|(own, letter)| (product((**factor).clone(), own), letter));
            Some(scaled.collect())
        }
        term if !term.has_expression() && !term.has_operation() => Some(vec![(term.clone(), None)]),
        _ => None,
    }
}
