//! How systems divide, by divisors of any sign, written with division by positive ones.

use affinor::rule::Term;

/// How a system divides by integers that may be negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// Rounds down.
    Floor,
    /// The remainder is in `[0, |divisor|)`; by 0, both are 0. As Halide divides.
    Euclidean,
    /// Rounds toward zero, as C divides.
    TowardZero,
    /// Some divisions of a line round down, others toward zero; these are written out.
    Mixed,
}

/// The part of a division that is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Quotient,
    Remainder,
}

/// The sign of a divisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    /// Positive, by the conditions.
    Known,
    Positive,
    Negative,
    Zero,
}

/// A division as rules write it.
pub(super) fn undivided(kind: Kind, x: Term, divisor: Term) -> Term {
    let (x, divisor) = (Box::new(x), Box::new(divisor));
    match kind {
        Kind::Quotient => Term::FloorDiv(x, divisor),
        Kind::Remainder => Term::Mod(x, divisor),
    }
}

/// A division by a divisor of this sign, as one by a positive divisor; `None` where the system does not define it.
///
/// Division toward zero is written as one that rounds down, here too: it has the sign of its own result apart, as Euclidean
/// division has.
pub(super) fn divided(
    kind: Kind,
    x: &Term,
    divisor: &Term,
    sign: Sign,
    by: Division,
) -> Option<Term> {
    let positive = || negated(divisor.clone());
    match (sign, by, kind) {
        (Sign::Known | Sign::Positive, ..) => Some(undivided(kind, x.clone(), divisor.clone())),
        (_, Division::Mixed, _) => None,
        (Sign::Zero, Division::Euclidean, _) => Some(Term::Integer(0)),
        (Sign::Zero, ..) => None,
        (Sign::Negative, Division::Floor, Kind::Quotient) => {
            Some(undivided(kind, negated(x.clone()), positive()))
        }
        (Sign::Negative, Division::Floor, Kind::Remainder) => {
            Some(negated(undivided(kind, negated(x.clone()), positive())))
        }
        (Sign::Negative, _, Kind::Quotient) => {
            Some(negated(undivided(kind, x.clone(), positive())))
        }
        (Sign::Negative, _, Kind::Remainder) => Some(undivided(kind, x.clone(), positive())),
    }
}

pub(super) fn pair(make: fn(Box<Term>, Box<Term>) -> Term, x: Term, y: Term) -> Term {
    make(Box::new(x), Box::new(y))
}

pub(super) fn negated(term: Term) -> Term {
    match term {
        Term::Integer(value) if value != i64::MIN => Term::Integer(-value),
        other => pair(Term::Product, Term::Integer(-1), other),
    }
}

/// A division toward zero by a positive divisor, with divisions of values that are not negative.
pub(super) fn toward_zero(kind: Kind, x: &Term, divisor: &Term) -> Term {
    let part = |x: Term| {
        let positive = pair(Term::Max, x, Term::Integer(0));
        undivided(Kind::Quotient, positive, divisor.clone())
    };
    let quotient = Term::Sum(vec![part(x.clone()), negated(part(negated(x.clone())))]);
    match kind {
        Kind::Quotient => quotient,
        Kind::Remainder => {
            let multiple = pair(Term::Product, divisor.clone(), quotient);
            Term::Sum(vec![x.clone(), negated(multiple)])
        }
    }
}
