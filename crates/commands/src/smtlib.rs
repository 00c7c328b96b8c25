//! The question of `equal` as an SMT-LIB script: is there a point at which two maps differ?
//!
//! Law: the script is satisfiable iff the maps are not the same function: some integers are a point of one domain and not of
//! the other, or of both with different results. Division rounds down, as `div` does for a positive divisor; a symbolic
//! divisor is at least 1 in the domain.

use super::failure::Failure;
use super::option::Flag;
use super::output::{Object, Output, Role, Text};
use super::table::Call;
use affinor::expr::{Divisor, Domain, Expr, ExprKind, IndexingMap};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use std::fmt::Write;

pub const SMTLIB: Flag = Flag::new(
    "smtlib",
    "print the question as a script of SMT-LIB, which is unsat if it is proved",
);

/// Answers with a script.
///
/// # Errors
/// Never; the `Result` lets a command end with this call.
pub fn answer(call: &mut Call<'_>, script: &str) -> Result<(), Failure> {
    let text = Text::of(Role::Plain, script.trim_end());
    call.emit(Output::new(text, Object::new().with("smtlib", script)));
    Ok(())
}

/// Returns the script that asks whether two maps differ; their variables are matched by position.
pub fn difference(left: &IndexingMap, right: &IndexingMap) -> String {
    let mut script = String::from("(set-logic ALL)\n");
    let names: Vec<String> =
        left.domain().variables().iter().map(|variable| format!("|{}|", variable.name)).collect();
    for name in &names {
        let _ = writeln!(script, "(declare-const {name} Int)"); // writing to a string cannot fail
    }
    for (name, map) in [("in-first", left), ("in-second", right)] {
        let holds = conjunction(inside(map.domain(), &names));
        let _ = writeln!(script, "(define-fun {name} () Bool {holds})");
    }
    let pairs = left.results().iter().zip(right.results());
    let same = pairs.map(|(x, y)| format!("(= {} {})", term(x, &names), term(y, &names)));
    let same = conjunction(same.collect());
    let _ = writeln!(
        script,
        "(assert (or (not (= in-first in-second)) (and in-first (not {same}))))\n(check-sat)"
    );
    script
}

fn conjunction(parts: Vec<String>) -> String {
    match &parts[..] {
        [] => "true".to_owned(),
        [only] => only.clone(),
        _ => format!("(and {})", parts.join(" ")),
    }
}

/// Returns the statement that a point is in a domain.
fn inside(domain: &Domain, names: &[String]) -> Vec<String> {
    if domain.is_known_empty() {
        return vec!["false".to_owned()];
    }
    let bounds = names.iter().cloned().zip(domain.intervals());
    let constraints = domain.constraints().iter();
    let constraints = constraints.map(|c| (term(&c.expr, names), c.bounds));
    bounds.chain(constraints).filter_map(|(value, bounds)| within(&value, bounds)).collect()
}

fn within(value: &str, bounds: Interval) -> Option<String> {
    Some(match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => return None,
        (lo, PLUS_INFINITY) => format!("(<= {} {value})", number(lo)),
        (MINUS_INFINITY, hi) => format!("(<= {value} {})", number(hi)),
        (lo, hi) => format!("(<= {} {value} {})", number(lo), number(hi)),
    })
}

fn number(value: i64) -> String {
    match value < 0 {
        true => format!("(- {})", value.unsigned_abs()),
        false => value.to_string(),
    }
}

fn term(expr: &Expr, names: &[String]) -> String {
    let list = |operands: &[Expr]| -> Vec<String> {
        operands.iter().map(|operand| term(operand, names)).collect()
    };
    let divisor = |divisor: &Divisor| match divisor {
        Divisor::Integer(value) => number(*value),
        Divisor::Named(size) => term(size, names),
    };
    match expr.kind() {
        ExprKind::Constant(value) => number(*value),
        ExprKind::Variable(id) => names.get(id.index()).cloned().unwrap_or_default(),
        ExprKind::Sum(sum) => {
            let summands = sum.terms().iter().map(|(c, x)| match c {
                1 => term(x, names),
                _ => format!("(* {} {})", number(*c), term(x, names)),
            });
            let constant = Some(number(sum.constant())).filter(|_| sum.constant() != 0);
            let parts: Vec<String> = summands.chain(constant).collect();
            match &parts[..] {
                [only] => only.clone(),
                _ => format!("(+ {})", parts.join(" ")),
            }
        }
        ExprKind::Product(factors) => format!("(* {})", list(factors).join(" ")),
        ExprKind::FloorDiv(x, by) => format!("(div {} {})", term(x, names), divisor(by)),
        ExprKind::CeilDiv(x, by) => format!("(- (div (- {}) {}))", term(x, names), divisor(by)),
        ExprKind::Mod(x, by) => format!("(mod {} {})", term(x, names), divisor(by)),
        ExprKind::Min(operands) => extreme("<=", list(operands)),
        ExprKind::Max(operands) => extreme(">=", list(operands)),
    }
}

/// Returns the minimum or maximum of some terms; each term is written once, bound to a name.
fn extreme(relation: &str, terms: Vec<String>) -> String {
    let mut terms = terms.into_iter();
    let first = terms.next().unwrap_or_default();
    terms.fold(first, |best, next| {
        format!("(let ((a {best}) (b {next})) (ite ({relation} a b) a b))")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::prove::{TextAnswer, decide_text};
    use affinor::text::parse_map;

    #[track_caller]
    fn check(left: &str, right: &str, differs: bool) {
        let maps = [left, right].map(|text| parse_map(text).expect("a map"));
        let script = difference(&maps[0], &maps[1]);
        let answer = decide_text(&script, &[], 1_000_000, None);
        let found = match answer {
            TextAnswer::Satisfiable(_) => true,
            TextAnswer::Unsatisfiable => false,
            TextAnswer::Unknown(reason) => panic!("{reason}: {script}"),
        };
        assert_eq!(found, differs, "{script}");
    }

    #[test]
    fn a_script_is_satisfiable_where_maps_differ() {
        let bounds = "domain: d0 in [-9, 40], d1 in [0, 6], d0 + d1 in [0, inf]";
        for (left, right, differs) in [
            ("d0 mod 6 mod 3", "d0 mod 3", false),
            ("d0 mod 6 mod 4", "d0 mod 4", true),
            ("-(-d0 floordiv 4)", "d0 ceildiv 4", false),
            ("min(d0, d1, 3)", "min(3, min(d1, d0))", false),
            ("max(d0 - 2, -d1)", "d0 - 2", true),
            ("d0 * -3 + 7", "7 - d0 * 3", false),
            ("d0 floordiv 5 * 5 + d0 mod 5", "d0 + 1", true),
        ] {
            let map = |result: &str| format!("(d0, d1) -> ({result}), {bounds}");
            check(&map(left), &map(right), differs);
        }
        check("(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0), domain: d0 in [0, 4]", true);
        check("(d0) -> (0), domain: d0 in [0, -1]", "(d0) -> (1), domain: d0 in [5, 4]", false);
        let sized =
            |result: &str| format!("<n>(d0) -> ({result}), domain: n in [1, 9], d0 in [0, n - 1]");
        check(&sized("d0 floordiv n"), &sized("0"), false);
        check(&sized("d0 mod n * n"), &sized("d0"), true);
    }
}
