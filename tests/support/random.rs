//! Random expressions and maps for property tests.
//!
//! Small expressions and maps stay small: every value over the domain fits into 64 bits with room to spare, and the domain has
//! few points. Extreme ones have coefficients, divisors and bounds up to the ends of the 64-bit range, where evaluation may
//! overflow.

use affinor_maps::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use proptest::prelude::*;

/// The default names of variables.
pub fn default_names(dimensions: usize, ranges: usize, runtimes: usize) -> Vec<String> {
    let numbered =
        |stem: &'static str, count| (0..count).map(move |index| format!("{stem}{index}"));
    numbered("d", dimensions).chain(numbered("s", ranges)).chain(numbered("rt", runtimes)).collect()
}

/// Generates an expression over variables `0..variables` with small numbers.
pub fn small_expr(variables: usize) -> BoxedStrategy<Expr> {
    expr(variables, (-9i64..10).boxed(), (1i64..13).boxed())
}

/// Generates an expression over variables `0..variables` with numbers of any size.
pub fn extreme_expr(variables: usize) -> BoxedStrategy<Expr> {
    let ends = prop_oneof![Just(i64::MIN), Just(i64::MIN + 1), Just(i64::MAX), Just(i64::MAX - 1)];
    let numbers = prop_oneof![4 => -9i64..10, 1 => ends, 1 => any::<i64>()];
    let divisors = prop_oneof![4 => 1i64..13, 1 => Just(i64::MAX), 1 => 1i64..i64::MAX];
    expr(variables, numbers.boxed(), divisors.boxed())
}

fn expr(
    variables: usize,
    numbers: BoxedStrategy<i64>,
    divisors: BoxedStrategy<i64>,
) -> BoxedStrategy<Expr> {
    let constant = numbers.clone().prop_map(Expr::constant);
    let leaf = if variables == 0 {
        constant.boxed()
    } else {
        let variable = (0..variables as u32).prop_map(|id| Expr::variable(VariableId(id)));
        prop_oneof![1 => constant, 5 => variable].boxed()
    };
    leaf.prop_recursive(5, 40, 4, move |below| {
        let terms = prop::collection::vec((numbers.clone(), below.clone()), 1..4);
        let list = prop::collection::vec(below.clone(), 1..5);
        let divided = (below, divisors.clone());
        // Expressions with an overflowing coefficient are drawn again.
        let held = "the expression can be held";
        prop_oneof![
            4 => (numbers.clone(), terms)
                .prop_filter_map(held, |(constant, terms)| Expr::sum(constant, terms).ok()),
            2 => divided.clone().prop_filter_map(held, |(x, c)| x.floordiv(c).ok()),
            1 => divided.clone().prop_filter_map(held, |(x, c)| x.ceildiv(c).ok()),
            2 => divided.prop_filter_map(held, |(x, c)| x.modulo(c).ok()),
            1 => list.clone().prop_filter_map(held, |list| Expr::min(list).ok()),
            1 => list.prop_filter_map(held, |list| Expr::max(list).ok()),
        ]
    })
    .boxed()
}

/// Generates a map with at most 3 dimensions, 2 range variables, 1 runtime variable, 3 results and 2 constraints, whose box has
/// at most 4096 points. One in twenty has a domain that is known to be empty; the constraints of the others hold at one point at
/// least.
pub fn small_map() -> BoxedStrategy<IndexingMap> {
    counts()
        .prop_flat_map(|counts| {
            let variables = counts.iter().sum();
            let largest = [40i64, 40, 40, 16, 8, 5, 4][variables];
            let lo = prop_oneof![3 => Just(0i64), 1 => -6i64..7];
            let bounds = (lo, 0..largest).prop_map(|(lo, width)| Interval::new(lo, lo + width));
            let with_point = bounds.prop_flat_map(|bounds| {
                let inside = bounds.lo()..=bounds.hi();
                (Just(bounds), inside)
            });
            (
                Just(counts),
                prop::collection::vec(with_point, variables),
                prop::collection::vec((small_expr(variables), 0i64..4, 0i64..9), 0..3),
                prop::collection::vec(small_expr(variables), 0..4),
                prop::bool::weighted(0.05),
            )
        })
        .prop_map(|(counts, variables, constraints, results, empty)| {
            let (bounds, point): (Vec<Interval>, Vec<i64>) = variables.into_iter().unzip();
            let mut domain = domain(counts, &bounds);
            for (expr, below, above) in constraints {
                let value = expr.eval(&point).expect("values of small expressions fit");
                domain.constrain(&expr, Interval::new(value - below, value + above));
            }
            if empty {
                domain.make_empty();
            }
            IndexingMap::new(domain, results)
        })
        .boxed()
}

/// Generates a map with numbers of any size and intervals that may be infinite or empty.
pub fn extreme_map() -> BoxedStrategy<IndexingMap> {
    let finite = any::<(i64, i64)>().prop_map(|(x, y)| {
        let (lo, hi) = (x.min(y), x.max(y));
        Interval::new(lo.max(MINUS_INFINITY + 1), hi.min(PLUS_INFINITY - 1))
    });
    let bounds = prop_oneof![
        24 => (-6i64..7, 0i64..5).prop_map(|(lo, width)| Interval::new(lo, lo + width)),
        12 => finite,
        12 => Just(Interval::ALL),
        4 => (-6i64..7).prop_map(|lo| Interval::new(lo, PLUS_INFINITY)),
        4 => (-6i64..7).prop_map(|hi| Interval::new(MINUS_INFINITY, hi)),
        1 => Just(Interval::EMPTY),
    ];
    counts()
        .prop_flat_map(move |counts| {
            let variables = counts.iter().sum();
            (
                Just(counts),
                prop::collection::vec(bounds.clone(), variables),
                prop::collection::vec((extreme_expr(variables), bounds.clone()), 0..3),
                prop::collection::vec(extreme_expr(variables), 0..4),
            )
        })
        .prop_map(|(counts, bounds, constraints, results)| {
            let mut domain = domain(counts, &bounds);
            for (expr, bounds) in constraints {
                domain.constrain(&expr, bounds);
            }
            IndexingMap::new(domain, results)
        })
        .boxed()
}

/// Generates the numbers of dimensions, range variables and runtime variables.
fn counts() -> impl Strategy<Value = [usize; 3]> {
    let more_often_few = [0usize, 0, 1, 1, 2];
    (0usize..4, prop::sample::select(more_often_few.to_vec()), prop::bool::weighted(0.25))
        .prop_map(|(dimensions, ranges, runtime)| [dimensions, ranges, usize::from(runtime)])
}

fn domain(counts: [usize; 3], bounds: &[Interval]) -> Domain {
    let [dimensions, ranges, runtimes] = counts;
    let names = default_names(dimensions, ranges, runtimes);
    let kinds = [
        (VariableKind::Dimension, dimensions),
        (VariableKind::Range, ranges),
        (VariableKind::Runtime, runtimes),
    ];
    let kinds = kinds.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
    let variables = names.into_iter().zip(kinds).zip(bounds);
    Domain::new(
        variables.map(|((name, kind), bounds)| Variable::new(name, kind, *bounds)).collect(),
    )
}

/// Returns every point of the box of the variables, whether or not the constraints hold there. The box must be bounded.
pub fn box_points(domain: &Domain) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for variable in domain.variables() {
        let values = variable.bounds.lo()..=variable.bounds.hi();
        points = points
            .iter()
            .flat_map(|point| values.clone().map(move |x| [point.as_slice(), &[x]].concat()))
            .collect();
    }
    points
}
