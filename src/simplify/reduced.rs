//! Drops the parts of a written expression that cannot matter, before anything is searched.
//!
//! Each law is an instance of a rule at the intervals of the parts as written: `(g*x + y) floordiv (g*d) = (x + t) floordiv d`
//! if y stays in block t of g; multiples of c leave a remainder by c; nested quotients are one. The result has no more
//! operations. Nothing is dropped by a law that no rule states.

use super::engine::Engine;
use super::import::Importer;
use super::journal::Side;
use super::smaller::has_min_max;
use crate::expr::{Divisor, Expr, ExprKind};
use crate::num::{self, Interval};
use smallvec::SmallVec;

/// Maximum number of operations of an expression that is traversed.
const MAX_OPERATIONS: u64 = 500;

impl Engine<'_> {
    /// Returns an equal expression without the parts that cannot matter; `None` if all of them may.
    pub(super) fn reduced(&mut self, importer: &mut Importer, expr: &Expr) -> Option<Expr> {
        if !(1..=MAX_OPERATIONS).contains(&expr.cost().ops) {
            return None;
        }
        if let Some(known) = importer.reduced.get(expr) {
            return known.clone();
        }
        let reduced = self.reduced_once(importer, expr);
        importer.reduced.insert(expr.clone(), reduced.clone());
        reduced
    }

    fn reduced_once(&mut self, importer: &mut Importer, expr: &Expr) -> Option<Expr> {
        let operands: SmallVec<[Option<Expr>; 4]> =
            expr.operands().map(|operand| self.reduced(importer, operand)).collect();
        let rebuilt = if operands.iter().any(Option::is_some) {
            let mut operands = operands.into_iter();
            let next = |old: &Expr| Ok(operands.next().flatten().unwrap_or_else(|| old.clone()));
            expr.with_operands(next).ok()
        } else {
            None
        };
        let smaller = match rebuilt.as_ref().unwrap_or(expr).kind() {
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => self.reduced_quotient(importer, x, *c),
            ExprKind::Mod(x, Divisor::Integer(c)) => self.reduced_remainder(importer, x, *c),
            _ => None,
        };
        smaller.or(rebuilt)
    }

    /// Reduces `x floordiv c`.
    fn reduced_quotient(&mut self, importer: &mut Importer, x: &Expr, c: i64) -> Option<Expr> {
        if let (ExprKind::FloorDiv(of, Divisor::Integer(inner)), Some(law)) =
            (x.kind(), self.rules.nesting)
            && let Some(product) = inner.checked_mul(c)
        {
            self.note_written(law, &[*inner, c], &[of]);
            let reduced = self.reduced_quotient(importer, of, product);
            return reduced.or_else(|| of.floordiv(product).ok());
        }
        if c == 1 {
            return None;
        }
        let mut factors = SmallVec::from_slice(&[c]);
        add_factors(x, 1, c, &mut factors);
        factors.sort_unstable_by(|x, y| y.cmp(x));
        factors.dedup();
        for factor in factors {
            if let Some(block) = self.low_range(importer, x, 1, factor).0.block(factor) {
                let (high, low) = split_by(x, factor)?;
                self.note_block([&high, &low], [factor, c / factor, block])?;
                let left = Expr::sum(block, [(1, high)]).ok()?;
                let reduced = self.reduced_quotient(importer, &left, c / factor);
                return reduced.or_else(|| left.floordiv(c / factor).ok());
            }
        }
        None
    }

    /// Notes that `(g*high + low) floordiv (g*d)` is `(high + t) floordiv d`; `None` without the rule that states this.
    fn note_block(&mut self, [high, low]: [&Expr; 2], [g, d, t]: [i64; 3]) -> Option<()> {
        // The interval is that of the part as written.
        self.note_same(Side::Written(low.clone()), Side::Written(low.clone()));
        match d {
            1 if high.as_constant() == Some(0) => {
                self.note_written(self.rules.block?, &[g, t], &[low]);
            }
            1 => self.note_written(self.rules.strip?, &[g, t], &[high, low]),
            _ => self.note_written(self.rules.low_digits?, &[g, d, t], &[high, low]),
        }
        Some(())
    }

    /// Reduces `x mod c`.
    fn reduced_remainder(&mut self, importer: &mut Importer, x: &Expr, c: i64) -> Option<Expr> {
        let (range, is_affine) = self.low_range(importer, x, 1, c);
        // A dividend that loses variables alone may be that of another quotient.
        if range.block(c).is_none() && is_affine {
            return None;
        }
        let (high, low) = split_by(x, c)?;
        if let Some(block) = range.block(c) {
            self.note_block([&high, &low], [c, 1, block])?;
            return Expr::sum(c.checked_mul(block)?.checked_neg()?, [(1, low)]).ok();
        }
        self.note_written(self.rules.extraction?, &[c], &[&high, &low]);
        low.modulo(c).ok()
    }

    /// Returns the interval of the terms of `times * x` that [`split_by`] puts into `low`, and whether the others are affine.
    fn low_range(
        &mut self,
        importer: &mut Importer,
        x: &Expr,
        times: i64,
        factor: i64,
    ) -> (Interval, bool) {
        match x.kind() {
            ExprKind::Constant(value) => (Interval::point(*value).scale(times), true),
            _ if is_multiple(x, times, factor) => (Interval::point(0), !has_operation(x)),
            ExprKind::Sum(sum) => {
                let constant = Interval::point(sum.constant()).scale(times);
                sum.terms().iter().fold(
                    (constant, true),
                    |(all, is_affine), (coefficient, term)| {
                        let Some(times) = times.checked_mul(*coefficient) else {
                            return (Interval::ALL, is_affine);
                        };
                        let (part, of_part) = self.low_range(importer, term, times, factor);
                        (all.add(part), is_affine && of_part)
                    },
                )
            }
            _ => (importer.range(self, x).scale(times), true),
        }
    }
}

fn has_operation(expr: &Expr) -> bool {
    expr.cost().divmods > 0 || has_min_max(expr)
}

/// Adds the common factors of `c` and of each term of `times * x` to `factors`, except 1.
fn add_factors(x: &Expr, times: i64, c: i64, factors: &mut SmallVec<[i64; 4]>) {
    if let ExprKind::Sum(sum) = x.kind() {
        for (coefficient, term) in sum.terms() {
            if let Some(times) = times.checked_mul(*coefficient) {
                add_factors(term, times, c, factors);
            }
        }
    }
    let common = times.checked_mul(content(x)).and_then(|of| num::gcd(of, c));
    factors.extend(common.filter(|common| *common > 1));
}

/// Splits `x` as `factor * high + low`, with the constant in `low`; `None` if an integer overflows.
fn split_by(x: &Expr, factor: i64) -> Option<(Expr, Expr)> {
    let (mut high, mut low) = (Vec::new(), Vec::new());
    let constant = split_terms(x, 1, factor, &mut high, &mut low)?;
    Some((Expr::sum(0, high).ok()?, Expr::sum(constant, low).ok()?))
}

/// Adds the terms of `times * x`; returns its constant.
fn split_terms(
    x: &Expr,
    times: i64,
    factor: i64,
    high: &mut Vec<(i64, Expr)>,
    low: &mut Vec<(i64, Expr)>,
) -> Option<i64> {
    match x.kind() {
        ExprKind::Constant(value) => return times.checked_mul(*value),
        _ if is_multiple(x, times, factor) => {
            let common = num::gcd(times, factor)?;
            high.push((times / common, divided(x, factor / common)?));
        }
        ExprKind::Sum(sum) => {
            let mut constant = times.checked_mul(sum.constant())?;
            for (coefficient, term) in sum.terms() {
                let times = times.checked_mul(*coefficient)?;
                constant = constant.checked_add(split_terms(term, times, factor, high, low)?)?;
            }
            return Some(constant);
        }
        _ => low.push((times, x.clone())),
    }
    Some(0)
}

/// Returns whether the integers of `times * x` show that its values are multiples of `factor`.
fn is_multiple(x: &Expr, times: i64, factor: i64) -> bool {
    let left = num::gcd(times, factor).map(|common| factor / common);
    left.is_some_and(|left| left == 1 || content(x) % left == 0)
}

/// Returns a common factor of all values of an expression, derived from its integers; 1 if none is found.
fn content(expr: &Expr) -> i64 {
    match expr.kind() {
        ExprKind::Constant(value) => value.checked_abs().unwrap_or(1),
        ExprKind::Sum(sum) => {
            let of_terms = sum.terms().iter().map(|(c, x)| c.checked_mul(content(x)));
            let mut all = of_terms.chain([Some(sum.constant())]);
            let common = all.try_fold(0, |known, part| num::gcd(known, part?));
            common.filter(|common| *common > 0).unwrap_or(1)
        }
        ExprKind::Product(factors) => factors
            .iter()
            .map(content)
            .fold(1, |all, one| all.checked_mul(one).filter(|all| *all > 0).unwrap_or(all)),
        _ => 1,
    }
}

/// Divides an expression by a factor of its [`content`].
fn divided(expr: &Expr, by: i64) -> Option<Expr> {
    match expr.kind() {
        _ if by == 1 => Some(expr.clone()),
        ExprKind::Constant(value) => (value % by == 0).then(|| Expr::constant(value / by)),
        ExprKind::Sum(sum) if sum.constant() % by == 0 => {
            let terms = sum.terms().iter().map(|(c, x)| {
                let own = num::gcd(*c, by)?;
                Some((c / own, divided(x, by / own)?))
            });
            Expr::sum(sum.constant() / by, terms.collect::<Option<Vec<_>>>()?).ok()
        }
        ExprKind::Product(factors) => {
            let mut left = by;
            let mut parts = Vec::with_capacity(factors.len());
            for factor in factors {
                let own = num::gcd(content(factor), left)?;
                parts.push(divided(factor, own)?);
                left /= own;
            }
            match left {
                1 => Expr::product(parts).ok(),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::num::{Fuel, Interrupt};
    use crate::rule::RuleSet;
    use crate::simplify::program::Program;
    use crate::text::{Style, parse_symbolic_expr, print_expr};

    const NAMES: [&str; 3] = ["x", "y", "s"];

    /// Values of x, y and s: `s` stands for a size.
    const BOUNDS: [(i64, i64); 3] = [(0, 15), (-3, 4), (1, 12)];

    #[track_caller]
    fn check(given: &str, expected: Option<&str>) {
        let rewrite =
            |engine: &mut Engine<'_>, expr: &Expr| engine.reduced(&mut Importer::default(), expr);
        check_rewrite(rewrite, given, expected);
    }

    /// Checks the result of rewriting an expression, and that it has the same values; returns it.
    #[track_caller]
    pub(in crate::simplify) fn check_rewrite(
        rewrite: impl Fn(&mut Engine<'_>, &Expr) -> Option<Expr>,
        given: &str,
        expected: Option<&str>,
    ) -> Option<Expr> {
        let rules = RuleSet::shipped().expect("the shipped rules");
        let program = Program::compile(rules).expect("a program");
        let bounds = BOUNDS.map(|(lo, hi)| Interval::new(lo, hi));
        let mut engine = Engine::new(&program, &bounds, &Fuel::new(1_000_000, &Interrupt::new()));
        let expr = parse_symbolic_expr(given, &NAMES);
        let expr = expr.unwrap_or_else(|error| panic!("{error:?} in {given}"));
        let found = rewrite(&mut engine, &expr);
        let written = found.as_ref().map(|found| print_expr(found, &NAMES, Style::Plain));
        assert_eq!(written.as_deref(), expected, "{given}");
        let found = found?;
        let [xs, ys, sizes] = BOUNDS.map(|(lo, hi)| lo..=hi);
        for x in xs {
            for point in ys.clone().flat_map(|y| sizes.clone().map(move |s| [x, y, s])) {
                assert_eq!(found.eval(&point), expr.eval(&point), "{given} at {point:?}");
            }
        }
        Some(found)
    }

    #[test]
    fn common_factors_of_quotients_are_cancelled() {
        check("x * 4 floordiv 6", Some("x * 2 floordiv 3"));
        check("(x * 4 + y * 6 - 8) floordiv 10", Some("(x * 2 + y * 3 - 4) floordiv 5"));
        check("(x * 6 + 12) floordiv 6 + 1", Some("x + 3"));
        check(
            "((24*s + 672) * (x floordiv 7)) floordiv 22 * 3",
            Some("(s * 12 + 336) * (x floordiv 7) floordiv 11 * 3"),
        );
        check("((x * 2 + 4) * (y * 3 + 9)) floordiv 12", Some("(x + 2) * (y + 3) floordiv 2"));
        check("(x * 4 + y) floordiv 6", None);
        check("(x * 5) floordiv 6", None);
        check("x * 4 mod 6", None);
        check("x floordiv 6", None);
    }

    #[test]
    fn low_digits_of_quotients_are_dropped() {
        check("(x * 4 + 1) floordiv 6", Some("x * 2 floordiv 3"));
        check("(y * 16 + x) floordiv 16", Some("y"));
        check("(y * 16 + x + 16) floordiv 16", Some("y + 1"));
        check("(y * 16 + x + 1) floordiv 16", None);
        check("(y * 32 + x) floordiv 64", Some("y floordiv 2"));
        check("x floordiv 16", Some("0"));
        check("x floordiv 2 floordiv 3", Some("x floordiv 6"));
        check("(y * 4 + x floordiv 4) floordiv 4 + x", Some("x + y"));
        check("((y * 3 + s) * 16 + x) floordiv 16", Some("y * 3 + s"));
        check("(x mod 7 * 5 + y mod 5) floordiv 5", Some("x mod 7"));
        check("(x mod 7 * 5 + y mod 6) floordiv 5", None);
    }

    #[test]
    fn multiples_of_the_modulus_are_dropped() {
        check("(x floordiv 3 * 8 + y) mod 4", Some("y mod 4"));
        check("(x * 16 + y mod 3 + 17) mod 16", Some("y mod 3 + 1"));
        check("x mod 16", Some("x"));
        check("(x * 8 + y) mod 4", None);
        check("(x floordiv 3 * 6 + y) mod 4", None);
    }
}
