//! The answer does not depend on how an input spells its remainders: each measured expression is simplified as it is, and with
//! `x - c*(x floordiv c)` for each, or each other, `x mod c`.

use crate::SIMPLIFIER;
use crate::support::cases::{chains, fresh};
use affinor::expr::{Divisor, Expr, ExprError, ExprKind, IndexingMap};
use affinor::simplify::Options;

/// Replaces the remainders for which `is_next` is true, the innermost first.
fn without_remainders(expr: &Expr, is_next: &mut dyn FnMut() -> bool) -> Result<Expr, ExprError> {
    let expr = expr.with_operands(|part| without_remainders(part, is_next))?;
    match expr.kind() {
        ExprKind::Mod(x, Divisor::Integer(c)) if is_next() => {
            Expr::sum(0, [(1, x.clone()), (-c, x.floordiv(*c)?)])
        }
        _ => Ok(expr),
    }
}

fn respelled(map: &IndexingMap, mut is_next: impl FnMut() -> bool) -> Option<IndexingMap> {
    let results = map.results().iter().map(|expr| without_remainders(expr, &mut is_next));
    Some(IndexingMap::new(map.domain().clone(), results.collect::<Result<_, _>>().ok()?))
}

#[test]
fn remainders_may_be_spelt_out() {
    let (mut all, mut same) = (0, 0);
    for case in chains().into_iter().chain(fresh()) {
        let answer = |map: &IndexingMap| SIMPLIFIER.simplify(map, &Options::default()).map.cost();
        let mut is_even = false;
        let each_other = || {
            is_even = !is_even;
            is_even
        };
        let expected = answer(&case.map);
        let spellings = [respelled(&case.map, || true), respelled(&case.map, each_other)];
        for spelling in spellings.into_iter().flatten().filter(|map| *map != case.map) {
            all += 1;
            same += usize::from(answer(&spelling).ops == expected.ops);
        }
    }
    assert_eq!((same, all), (1977, 1980));
}
