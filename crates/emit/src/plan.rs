//! The order in which the parts of a map are computed, and the parts that become local variables.
//!
//! A part that is used again, or that contains deeply nested operations, becomes a local variable: no line needs more brackets
//! than compilers and interpreters accept, and shared parts are written once.

use affinor_maps::expr::{Constraint, Divisor, Domain, Expr, ExprKind, VariableId};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum nesting of operations in one line.
const MOST_NESTED: u32 = 12;

/// A step of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A part becomes a local variable.
    Local(Expr),
    /// The point is outside the domain unless this divisor is positive.
    Positive(Expr),
    /// The point is outside the domain unless this value is within the bounds, at least one of which is finite.
    Within(Expr, Interval),
}

struct Planner {
    uses: FxHashMap<Expr, u32>,
    /// The nesting of operations below each part, counted from the last local variables.
    heights: FxHashMap<Expr, u32>,
    positive: FxHashSet<Expr>,
    checks: bool,
    steps: Vec<Step>,
}

/// Returns the steps that precede the results.
#[must_use]
pub fn of_results(results: &[Expr]) -> Vec<Step> {
    let mut planner = Planner::new(results.iter(), false);
    for result in results {
        planner.visit(result);
    }
    planner.steps
}

/// Returns the steps that decide whether a point is in the domain, which is not known to be empty: variables first. Divisors for
/// which `is_positive` holds need no test.
#[must_use]
pub fn of_domain(domain: &Domain, is_positive: impl Fn(&Expr) -> bool) -> Vec<Step> {
    let constraints = domain.constraints().iter();
    let exprs: Vec<&Expr> = constraints.clone().map(|constraint| &constraint.expr).collect();
    let mut planner = Planner::new(exprs.iter().copied(), true);
    let divisors = planner.uses.keys().filter(|expr| is_positive(expr));
    planner.positive = divisors.cloned().collect();
    let bounded = |bounds: Interval| bounds.lo() != MINUS_INFINITY || bounds.hi() != PLUS_INFINITY;
    for (id, bounds) in (0..).map(VariableId).zip(domain.intervals()) {
        if bounded(bounds) {
            planner.steps.push(Step::Within(Expr::variable(id), bounds));
        }
    }
    for constraint in constraints.filter(|constraint| bounded(constraint.bounds)) {
        planner.visit(&constraint.expr);
        planner.name_if_compared_twice(constraint);
        let step = Step::Within(constraint.expr.clone(), constraint.bounds);
        planner.steps.push(step);
    }
    planner.steps
}

impl Planner {
    fn new<'e>(exprs: impl Iterator<Item = &'e Expr>, checks: bool) -> Planner {
        let mut uses: FxHashMap<Expr, u32> = FxHashMap::default();
        let mut pending: Vec<&Expr> = exprs.collect();
        while let Some(expr) = pending.pop() {
            let count = uses.entry(expr.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                pending.extend(expr.operands());
            }
        }
        Planner {
            uses,
            heights: FxHashMap::default(),
            positive: FxHashSet::default(),
            checks,
            steps: Vec::new(),
        }
    }

    fn name_if_compared_twice(&mut self, constraint: &Constraint) {
        let (expr, bounds) = (&constraint.expr, constraint.bounds);
        let is_named = self.heights.get(expr) == Some(&0);
        if !is_named
            && bounds.is_bounded()
            && bounds.as_point().is_none()
            && expr.cost().divmods > 0
        {
            self.steps.push(Step::Local(expr.clone()));
            self.heights.insert(expr.clone(), 0);
        }
    }

    /// Plans the parts of `expr`, and whether it becomes a local variable; returns its nesting.
    fn visit(&mut self, expr: &Expr) -> u32 {
        if let ExprKind::Constant(_) | ExprKind::Variable(_) = expr.kind() {
            return 0;
        }
        if let Some(height) = self.heights.get(expr) {
            return *height;
        }
        let operands = expr.operands().map(|operand| self.visit(operand));
        let mut height = operands.max().unwrap_or(0) + 1;
        if let ExprKind::FloorDiv(_, Divisor::Named(divisor))
        | ExprKind::CeilDiv(_, Divisor::Named(divisor))
        | ExprKind::Mod(_, Divisor::Named(divisor)) = expr.kind()
            && self.checks
            && self.positive.insert(divisor.clone())
        {
            self.steps.push(Step::Positive(divisor.clone()));
        }
        let cost = expr.cost();
        let is_shared = self.uses.get(expr).is_some_and(|count| *count > 1);
        if height >= MOST_NESTED || is_shared && (cost.divmods > 0 || cost.ops > 1) {
            self.steps.push(Step::Local(expr.clone()));
            height = 0;
        }
        self.heights.insert(expr.clone(), height);
        height
    }
}
