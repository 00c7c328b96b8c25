//! Instances of a rule: both sides with numbers for its constants, on a domain inside its conditions.

use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY};
use affinor::rule::{Condition, Point, Relation, Rule, Statement, Term};

/// Bounds of a variable before conditions are added.
const BOUNDS: [i64; 2] = [-60, 90];

/// Values of constants, by slot; those that satisfy the conditions are used.
const SIZES: [[i64; 4]; 10] = [
    [4, 3, 5, 2],
    [2, 6, 3, 4],
    [3, 5, 2, 7],
    [6, 4, 8, 3],
    [5, 2, 4, 6],
    [8, 8, 2, 3],
    [2, 7, 9, 5],
    [7, 2, 3, 8],
    [4, 12, 2, 6],
    [12, 4, 3, 2],
];

/// Returns up to `count` instances of a rewrite whose sides differ.
pub fn instances(rule: &Rule, count: usize) -> Vec<[IndexingMap; 2]> {
    let all = SIZES.iter().filter_map(|sizes| instance(rule, sizes.get(..rule.constants.len())?));
    all.take(count).collect()
}

fn instance(rule: &Rule, constants: &[i64]) -> Option<[IndexingMap; 2]> {
    let Statement::Rewrite(left, right) = &rule.statement else {
        return None;
    };
    let point = Point { constants: constants.to_vec(), expressions: Vec::new() };
    let names = 0..rule.expressions.len();
    let variables = names.map(|slot| {
        let bounds = Interval::new(BOUNDS[0], BOUNDS[1]);
        Variable::new(format!("d{slot}"), VariableKind::Dimension, bounds)
    });
    let mut domain = Domain::new(variables.collect());
    for condition in &rule.conditions {
        constrain(&mut domain, condition, &point)?;
    }
    let [left, right] = [left, right].map(|side| expr(side, &point));
    let (left, right) = (left?, right?);
    let is_example = !domain.is_known_empty() && left != right;
    is_example.then(|| [left, right].map(|side| IndexingMap::new(domain.clone(), vec![side])))
}

fn constrain(domain: &mut Domain, condition: &Condition, point: &Point) -> Option<()> {
    let difference = expr(&condition.lhs, point)?.sub(&expr(&condition.rhs, point)?).ok()?;
    // The constant moves into the bound, so that a bound on a single variable is recognized.
    let (sum, constant) = match difference.kind() {
        ExprKind::Sum(sum) => (Expr::sum(0, sum.terms().iter().cloned()).ok()?, sum.constant()),
        _ => (difference, 0),
    };
    let end = |by: i64| constant.checked_neg()?.checked_sub(by);
    let bounds = match condition.relation {
        Relation::Equal => Interval::point(end(0)?),
        Relation::LessEqual => Interval::new(MINUS_INFINITY, end(0)?),
        Relation::Less => Interval::new(MINUS_INFINITY, end(1)?),
    };
    // A bound on a negated variable would not be recognized as a variable's bound.
    let negated = sum.scale(-1).ok()?;
    match negated.as_variable() {
        Some(_) => domain.constrain(&negated, bounds.scale(-1)),
        None => domain.constrain(&sum, bounds),
    }
    Some(())
}

/// Instantiates a term with numbers for its constants; its expressions become variables.
fn expr(term: &Term, point: &Point) -> Option<Expr> {
    let number = |term: &Term| i64::try_from(term.value(point).ok()?).ok();
    let both = |x: &Term, y: &Term| Some([expr(x, point)?, expr(y, point)?]);
    match term {
        Term::Expression(slot) => Some(Expr::variable(VariableId(u32::from(*slot)))),
        Term::Sum(terms) => {
            let terms: Option<Vec<Expr>> = terms.iter().map(|term| expr(term, point)).collect();
            Expr::sum(0, terms?.into_iter().map(|term| (1, term))).ok()
        }
        Term::Product(x, y) => match (number(x), number(y)) {
            (Some(factor), _) => expr(y, point)?.scale(factor).ok(),
            (_, Some(factor)) => expr(x, point)?.scale(factor).ok(),
            _ => None,
        },
        Term::FloorDiv(x, c) => expr(x, point)?.floordiv(number(c)?).ok(),
        Term::Mod(x, c) => expr(x, point)?.modulo(number(c)?).ok(),
        Term::Min(x, y) => Expr::min(both(x, y)?).ok(),
        Term::Max(x, y) => Expr::max(both(x, y)?).ok(),
        Term::Integer(_) | Term::Constant(_) => Some(Expr::constant(number(term)?)),
        Term::Lo(_) | Term::Hi(_) => None,
    }
}
