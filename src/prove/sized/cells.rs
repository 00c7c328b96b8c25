//! Finds a point of a domain with sizes, or shows that it has none, by splitting it into cells.
//!
//! Law: the cells of a split together are the domain. With the choice of each min and max fixed, and the residues of variables by
//! the numbers that divide them, everything is linear: then branch and bound terminates, as it may not before.

use crate::expr::{Divisor, Domain, Expr, ExprKind, VariableId};
use crate::num::{Interval, PLUS_INFINITY, gcd, lcm};
use crate::prove::Budget;
use crate::prove::extremes::any_point;
use std::collections::{BTreeMap, BTreeSet};

/// Fuel for the whole domain, and for its cells for each way to split it.
const STEPS: u64 = 1 << 24;

/// Fuel for a query before its cells are split: by dividends, and by choices and variables.
const FIRST_STEPS: [u64; 2] = [1 << 16, 1 << 14];

/// Maximum number of residues of a variable.
const RESIDUES: i64 = 48;

/// A way to split a domain.
enum Split {
    /// By the operand that a min or max equals.
    Choice(Expr),
    /// By the residue of a sum.
    Residue(Expr, i64),
}

/// Finds a point of a domain: the inner `None` if it has none, the outer if this is unknown.
pub fn point_of(domain: &Domain, budget: &Budget) -> Option<Option<Vec<i64>>> {
    let shared = budget.fuel.as_ref()?;
    let mut ways = [Vec::new(), divided(domain), splits(domain)].into_iter().zip([0, 0, 1]);
    ways.find_map(|(splits, way)| {
        let fuel = shared.share(STEPS);
        let all = fuel.left();
        let own = Budget { fuel: Some(fuel.clone()), ..budget.clone() };
        let found = in_cells(domain, &splits, FIRST_STEPS[way], &own);
        let is_left = shared.spend(all - fuel.left()).is_ok();
        found.filter(|_| is_left)
    })
}

fn in_cells(
    domain: &Domain,
    splits: &[Split],
    first_steps: u64,
    budget: &Budget,
) -> Option<Option<Vec<i64>>> {
    if domain.is_known_empty() {
        return Some(None);
    }
    let Some((first, rest)) = splits.split_first() else {
        return any_point(domain, budget);
    };
    let fuel = budget.fuel.as_ref()?;
    let own = fuel.share(first_steps);
    let all = own.left();
    let found = any_point(domain, &Budget { fuel: Some(own.clone()), ..budget.clone() });
    fuel.spend(all - own.left()).ok()?;
    if let Some(found) = found {
        return Some(found);
    }
    for cell in first.cells(domain)? {
        if let Some(point) = in_cells(&cell, rest, first_steps, budget)? {
            return Some(Some(point));
        }
    }
    Some(None)
}

impl Split {
    fn cells(&self, domain: &Domain) -> Option<Vec<Domain>> {
        let mut cells = Vec::new();
        match self {
            Split::Choice(of) => {
                let (list, is_least) = match of.kind() {
                    ExprKind::Min(list) => (list, true),
                    ExprKind::Max(list) => (list, false),
                    _ => return None,
                };
                for chosen in list {
                    let mut cell = domain.clone();
                    cell.constrain(&of.sub(chosen).ok()?, Interval::point(0));
                    for other in list.iter().filter(|other| *other != chosen) {
                        let room = other.sub(chosen).ok()?.scale(if is_least { 1 } else { -1 });
                        cell.constrain(&room.ok()?, Interval::new(0, PLUS_INFINITY));
                    }
                    cells.push(cell);
                }
            }
            Split::Residue(of, modulus) => {
                let of = of.modulo(*modulus).ok()?;
                for residue in 0..*modulus {
                    let mut cell = domain.clone();
                    cell.constrain(&of, Interval::point(residue));
                    cells.push(cell);
                }
            }
        }
        Some(cells)
    }
}

/// Returns the dividends in a domain, small sums first.
fn divided(domain: &Domain) -> Vec<Split> {
    let mut found = BTreeSet::new();
    each_part(domain, |expr| {
        if let Some((x, c)) = quotient(expr).filter(|(_, c)| *c <= RESIDUES) {
            found.insert((x.cost(), c, x.clone()));
        }
    });
    found.into_iter().map(|(_, c, x)| Split::Residue(x, c)).collect()
}

fn quotient(expr: &Expr) -> Option<(&Expr, i64)> {
    match expr.kind() {
        ExprKind::FloorDiv(x, Divisor::Integer(c))
        | ExprKind::CeilDiv(x, Divisor::Integer(c))
        | ExprKind::Mod(x, Divisor::Integer(c)) => Some((x, *c)),
        _ => None,
    }
}

/// Visits each expression in the constraints once.
fn each_part<'d>(domain: &'d Domain, mut visit: impl FnMut(&'d Expr)) {
    let mut todo: Vec<&Expr> = domain.constraints().iter().map(|c| &c.expr).collect();
    let mut seen = BTreeSet::new();
    while let Some(expr) = todo.pop() {
        if seen.insert(expr.address()) {
            visit(expr);
            todo.extend(expr.operands());
        }
    }
}

/// Returns the choices of a domain, inner ones first, then the residues of variables, parameters first.
fn splits(domain: &Domain) -> Vec<Split> {
    let mut choices = BTreeSet::new();
    let mut residues: BTreeMap<VariableId, i64> = BTreeMap::new();
    each_part(domain, |expr| {
        if let ExprKind::Min(_) | ExprKind::Max(_) = expr.kind() {
            choices.insert((expr.depth(), expr.clone()));
        }
        let Some((x, c)) = quotient(expr) else {
            return;
        };
        for id in x.variables() {
            let modulus = c / gcd(factor(x, id), c).unwrap_or(1);
            let known = residues.entry(id).or_insert(1);
            *known = lcm(*known, modulus).filter(|all| *all <= RESIDUES).unwrap_or(*known);
        }
    });
    let mut residues: Vec<(VariableId, i64)> = residues.into_iter().collect();
    residues.retain(|(_, modulus)| (2..=RESIDUES).contains(modulus));
    residues.sort_by_key(|(id, modulus)| (!domain.is_parameter(*id), *modulus, *id));
    let choices = choices.into_iter().map(|(_, expr)| Split::Choice(expr));
    choices
        .chain(
            residues.into_iter().map(|(id, modulus)| Split::Residue(Expr::variable(id), modulus)),
        )
        .collect()
}

/// Returns the coefficient of a variable that is a term, otherwise 1.
fn factor(sum: &Expr, id: VariableId) -> i64 {
    let ExprKind::Sum(sum) = sum.kind() else {
        return 1;
    };
    sum.terms().iter().find(|(_, x)| x.as_variable() == Some(id)).map_or(1, |(c, _)| *c)
}
