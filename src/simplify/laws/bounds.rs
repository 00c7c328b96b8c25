//! Laws of bounds, congruences and strides.

use super::{Check, Law, atom, engine, sum, v};
use crate::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::Interval;
use crate::simplify::constraint::{Bound, Congruence, Decided};

/// Each law with the check that compares it with the code.
pub(super) const CHECKS: &[(&str, Check)] = &[
    ("constraint-merge", merge),
    ("constraint-clip", clip),
    ("constraint-always", always),
    ("constraint-never", never),
    ("constraint-empty", empty),
    ("constraint-upper-only", |law| one_sided(law, true)),
    ("constraint-lower-only", |law| one_sided(law, false)),
    ("congruence-offset", |law| congruence(law, 1)),
    ("congruence-mirror", |law| congruence(law, -1)),
    ("stride-onto", stride),
    ("stride-bounds", stride),
];

fn variable(name: &str, kind: VariableKind, bounds: Interval) -> Variable {
    Variable::new(name, kind, bounds)
}

fn merge(law: &Law<'_>) {
    let stated = law.bounds(law.sides().1);
    let variables = |bounds| vec![variable("d0", VariableKind::Dimension, bounds)];
    let mut domain = Domain::new(variables(law.interval("p", "q")));
    domain.constrain(&v(0), law.interval("l", "u"));
    law.same(domain.bounds(VariableId(0)), stated);
    let twice = v(0).scale(2).expect("small numbers");
    let mut domain = Domain::new(variables(Interval::ALL));
    domain.constrain(&twice, law.interval("p", "q"));
    domain.constrain(&twice, law.interval("l", "u"));
    law.same(domain.is_known_empty(), stated.is_empty());
    law.same(domain.range_of(&twice), stated);
}

fn bound(law: &Law<'_>) -> Bound {
    Bound { sum: atom(0, 1), bounds: law.interval("l", "u") }
}

fn clip(law: &Law<'_>) {
    let stated = law.bounds(law.sides().1);
    if !stated.is_empty() {
        let mut engine = engine(&[law.interval("p", "q")]);
        law.same(engine.normalise_bound(bound(law)).bounds, stated);
    }
}

fn always(law: &Law<'_>) {
    let range = law.interval("p", "q");
    law.same(engine(&[range]).truth(&bound(law)), Decided::Always);
    // One step beyond the law's conditions, the bound is undecided.
    let wider = Interval::new(law.at("l") - 1, law.at("q"));
    law.same(engine(&[wider]).truth(&bound(law)), Decided::Open);
}

fn never(law: &Law<'_>) {
    law.same(engine(&[law.interval("p", "q")]).truth(&bound(law)), Decided::Never);
}

fn empty(law: &Law<'_>) {
    let mut domain = Domain::new(vec![variable("d0", VariableKind::Dimension, Interval::ALL)]);
    domain.constrain(&v(0), law.interval("l", "u"));
    law.same(domain.is_known_empty(), true);
}

/// `4*d0 + d1` with irrelevant low digits: the end implied by the range is dropped.
fn one_sided(law: &Law<'_>, upper: bool) {
    let (slack, room) = (law.at("x").abs() % 3, law.at("x").abs() % 5 + 1);
    let (d0, d1) = (Interval::new(1, 1 + room), Interval::new(0, 3));
    let range = (4, 4 * (1 + room) + 3);
    let bounds = match upper {
        true => Interval::new(range.0 - slack, range.1 - 4),
        false => Interval::new(range.0 + 4, range.1 + slack),
    };
    let mut engine = engine(&[d0, d1]);
    let given = Bound { sum: sum(&[&atom(0, 4), &atom(1, 1)]), bounds };
    let normal = engine.normalise_bound(given);
    let kept = if upper { Interval::new(1, room) } else { Interval::new(2, 1 + room) };
    law.same(normal, Bound { sum: atom(0, 1), bounds: kept });
}

fn congruence(law: &Law<'_>, sign: i64) {
    let (c, k, value) = (law.at("c"), law.at("k"), law.at("v"));
    let stated = law.bounds(law.sides().1).as_point().expect("one residue");
    let mut engine = engine(&[Interval::ALL]);
    if c == 1 {
        return; // a remainder by one is zero, and no congruence
    }
    let remainder = engine.remainder(&atom(0, 1), c).expect("small numbers");
    let given = remainder.scaled(sign).expect("small numbers").with_constant(k);
    let read = engine.congruence(&Bound { sum: given, bounds: Interval::point(value) });
    let expected = Congruence { of: atom(0, 1), modulus: c, residue: stated };
    law.same(read, (0..c).contains(&stated).then_some(expected));
}

/// `s0 mod c = r` for `s0` in `[l, u]`: the variable becomes `c*s0 + r`, with the bounds of the law.
fn stride(law: &Law<'_>) {
    let (c, r) = (law.at("c"), law.at("r"));
    if c == 1 || !(0..c).contains(&r) {
        return;
    }
    let bounds = match law.rule.name.as_str() {
        "stride-bounds" => law.interval("l", "u"),
        _ => Interval::new(law.at("x"), law.at("x")),
    };
    if bounds.is_empty() {
        return;
    }
    let mut domain = Domain::new(vec![variable("s0", VariableKind::Range, bounds)]);
    domain.constrain(&v(0).modulo(c).expect("a positive divisor"), Interval::point(r));
    let rescaled =
        IndexingMap::new(domain, vec![v(0)]).with_rescaled_ranges().expect("small numbers");
    let inside = rescaled.domain().bounds(VariableId(0));
    law.same(rescaled.results()[0].clone(), Expr::sum(r, [(c, v(0))]).expect("small numbers"));
    match law.rule.name.as_str() {
        "stride-bounds" => law.same(inside, law.bounds(law.sides().1)),
        _ => law.same(inside.as_point().map(|quotient| c * quotient + r), Some(law.at("x"))),
    }
}
