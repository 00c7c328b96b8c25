//! Division in each system, by divisors of any sign, expressed as division by positive divisors.

use affinor::rule::Term;

/// A system's division by integers of either sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// Rounds down.
    Floor,
    /// The remainder is in `[0, |divisor|)`; quotient and remainder by 0 are 0. Halide's division.
    Euclidean,
    /// Rounds toward zero. C's division.
    TowardZero,
    /// Some divisions of a line round down, others toward zero; the latter are expanded.
    Mixed,
}

/// The result of a division that is used.
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

/// Writes a division in the grammar of rules.
pub(super) fn undivided(kind: Kind, x: Term, divisor: Term) -> Term {
    let (x, divisor) = (Box::new(x), Box::new(divisor));
    match kind {
        Kind::Quotient => Term::FloorDiv(x, divisor),
        Kind::Remainder => Term::Mod(x, divisor),
    }
}

/// Expresses a division by a divisor of this sign as a division by a positive divisor; `None` if the system does not define it.
///
/// Division toward zero is written as one that rounds down, here too: the sign of its result is treated separately, as for
/// Euclidean division.
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

/// Expresses a division toward zero by a positive divisor with divisions of nonnegative values.
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
