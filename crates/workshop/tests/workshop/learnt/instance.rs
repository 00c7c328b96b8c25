//! Draws an example of a rule: both sides with numbers for its constants, on a box inside its conditions; a condition that
//! relates several expressions through operations becomes a constraint of the domain.

use affinor::expr::IndexingMap;
use affinor::rule::{Condition, Point, Relation, Rule, Statement, Term};
use std::collections::BTreeSet;

/// Maximum number of points drawn to find one inside the conditions.
const DRAWS: usize = 200_000;

/// Values of constants, without the uninformative 1.
const SIZES: [i64; 13] = [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 16, 20, 24];

/// Steps by which the box grows in each direction.
const STEPS: usize = 24;

/// A fixed sequence of pseudorandom numbers.
pub struct Numbers(pub u64);

impl Numbers {
    fn below(&mut self, count: i64) -> i64 {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % count.unsigned_abs()) as i64
    }
}

/// Returns both sides of a rewrite as maps of one result; `None` if no point was found at which their texts differ.
pub fn instance(rule: &Rule, numbers: &mut Numbers) -> Option<[IndexingMap; 2]> {
    let rule = without_defined(rule);
    let Statement::Rewrite(lhs, rhs) = &rule.statement else {
        return None;
    };
    let (said, boxed): (Vec<Condition>, Vec<Condition>) =
        rule.conditions.iter().cloned().partition(relates);
    let holds = |conditions: &[Condition], point: &Point| {
        let mut conditions = conditions.iter();
        conditions.all(|one| one.holds(point) == Some(true))
    };
    let inside = |point: &Point| {
        holds(&boxed, point) && [lhs, rhs].iter().all(|side| side.eval(point).is_some())
    };
    for _ in 0..DRAWS {
        let constants = rule.constants.iter().map(|_| {
            let value = SIZES[numbers.below(SIZES.len() as i64) as usize];
            if numbers.below(4) == 0 { -value } else { value }
        });
        let mut constants: Vec<i64> = constants.collect();
        for (slot, term) in &rule.witnesses {
            let point = Point { constants: constants.clone(), expressions: Vec::new() };
            // A constant whose definition depends on bounds of expressions is drawn like the others.
            if let Some(Ok(value)) = term.eval(&point).map(i64::try_from) {
                constants[usize::from(*slot)] = value;
            }
        }
        let distinct: BTreeSet<i64> = constants.iter().copied().collect();
        let expressions = rule.expressions.iter().map(|_| numbers.below(30) - 6);
        let expressions: Vec<i64> = expressions.collect();
        let point = Point { constants, expressions };
        let is_inside = inside(&point) && holds(&said, &point);
        if distinct.len() < point.constants.len() || !is_inside {
            continue;
        }
        let bounds = box_around(&point, &inside, numbers);
        let is_used = |slot: usize| {
            let variable = Term::Expression(slot as u8);
            [lhs, rhs].iter().any(|side| side.any(|part| *part == variable))
        };
        if (0..bounds.len()).any(|slot| is_used(slot) && bounds[slot][0] == bounds[slot][1]) {
            continue;
        }
        let maps = [lhs, rhs].map(|side| map(&rule, side, &point, (&bounds, &said)));
        if let [Some(left), Some(right)] = maps
            && left.results() != right.results()
        {
            return Some([left, right]);
        }
    }
    None
}

/// Grows a box around a point as long as its corners, and points drawn from it, satisfy the conditions.
fn box_around(
    point: &Point,
    inside: &impl Fn(&Point) -> bool,
    numbers: &mut Numbers,
) -> Vec<[i64; 2]> {
    let mut bounds: Vec<[i64; 2]> = point.expressions.iter().map(|x| [*x, *x]).collect();
    let mut all_inside = |bounds: &[[i64; 2]]| {
        (0..60).all(|draw| {
            let expressions = bounds.iter().enumerate().map(|(slot, [lo, hi])| match draw {
                0..32 => [*lo, *hi][draw >> (slot % 5) & 1],
                _ => lo + numbers.below(hi - lo + 1),
            });
            inside(&Point {
                constants: point.constants.clone(),
                expressions: expressions.collect(),
            })
        })
    };
    for _ in 0..STEPS {
        for slot in 0..bounds.len() {
            for (end, step) in [(0, -1), (1, 1)] {
                bounds[slot][end] += step;
                if !all_inside(&bounds) {
                    bounds[slot][end] -= step;
                }
            }
        }
    }
    bounds
}

/// Returns whether a condition is an inequality with an operation on several expressions.
fn relates(condition: &Condition) -> bool {
    let mut found = BTreeSet::new();
    for side in condition.sides() {
        side.visit(&mut |part| {
            if let Term::Expression(slot) = part {
                found.insert(*slot);
            }
        });
    }
    let has_operation = condition.sides().into_iter().any(Term::has_operation);
    found.len() > 1 && has_operation && condition.relation != Relation::Equal
}

fn map(
    rule: &Rule,
    side: &Term,
    point: &Point,
    (bounds, said): (&[[i64; 2]], &[Condition]),
) -> Option<IndexingMap> {
    let mut named = rule.clone();
    for (slot, name) in named.expressions.iter_mut().enumerate() {
        *name = format!("d{slot}");
    }
    let numbered = |term: &Term| {
        let constants = (0u8..).zip(&point.constants);
        constants.fold(term.clone(), |term, (slot, value)| {
            replaced(&term, &Term::Constant(slot), &Term::Integer(*value))
        })
    };
    let names = named.expressions.join(", ");
    let domain = named.expressions.iter().zip(bounds);
    let domain = domain.map(|(name, [lo, hi])| format!("{name} in [{lo}, {hi}]"));
    let said = said.iter().map(|condition| {
        let [lhs, rhs] = condition.sides().map(|side| named.write(&numbered(side)));
        let most = -i64::from(condition.relation == Relation::Less);
        format!("{lhs} - ({rhs}) in [-1000000, {most}]")
    });
    let domain: Vec<String> = domain.chain(said).collect();
    let text =
        format!("({names}) -> ({}), domain: {}", named.write(&numbered(side)), domain.join(", "));
    text.parse().ok()
}

/// Substitutes the variables that equations among the conditions define.
fn without_defined(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let find = |rule: &Rule| {
        let found = rule.conditions.iter().map(defined).enumerate();
        let mut found = found.filter_map(|(position, found)| Some((position, found?)));
        found.next()
    };
    while let Some((position, (variable, value))) = find(&rule) {
        rule.conditions.remove(position);
        let to = |term: &mut Term| *term = replaced(term, &variable, &value);
        for condition in &mut rule.conditions {
            to(&mut condition.lhs);
            to(&mut condition.rhs);
        }
        if let Statement::Rewrite(lhs, rhs) = &mut rule.statement {
            to(lhs);
            to(rhs);
        }
    }
    rule
}

/// Returns a variable and the term that it equals, if the condition is such an equation: the variable is a side, or a summand of
/// a side.
fn defined(condition: &Condition) -> Option<(Term, Term)> {
    if condition.relation != Relation::Equal {
        return None;
    }
    let [lhs, rhs] = condition.sides();
    let is_free = |part: &Term, of: &Term| {
        matches!(part, Term::Expression(_) | Term::Constant(_)) && !of.any(|other| other == part)
    };
    let alone = |x: &Term, y: &Term| is_free(x, y).then(|| (x.clone(), y.clone()));
    let in_sum =
        |x: &Term, y: &Term| {
            let Term::Sum(terms) = x else { return None };
            let at = terms.iter().position(|term| is_free(term, y))?;
            let mut sum = vec![y.clone()];
            let others = terms.iter().enumerate().filter(|(position, _)| *position != at);
            sum.extend(others.map(|(_, term)| {
                Term::Product(Box::new(Term::Integer(-1)), Box::new(term.clone()))
            }));
            Some((terms[at].clone(), Term::Sum(sum)))
        };
    let found = alone(lhs, rhs).or_else(|| alone(rhs, lhs));
    found.or_else(|| in_sum(lhs, rhs)).or_else(|| in_sum(rhs, lhs))
}

/// Substitutes a term for a variable, and folds numbers.
fn replaced(term: &Term, variable: &Term, value: &Term) -> Term {
    if term == variable {
        return value.clone();
    }
    let found = term.with_operands(|part| Some(replaced(part, variable, value)));
    let found = found.unwrap_or_else(|| term.clone());
    match found.eval(&Point::default()).map(i64::try_from) {
        Some(Ok(value)) => Term::Integer(value),
        _ => found,
    }
}
