//! Rules in the shapes of the grammar, matched according to their text: terms that they match, with the right side, and terms
//! that they do not.

mod sides;
mod terms;

use affinor::rule::matching::{Bindings, Matcher, Subject, Terms, establishes};
use affinor::rule::{Rule, RuleSet, read_rule};
use std::ops::ControlFlow;
use terms::Store;

const RANGES: &[(&str, i64, i64)] = &[("i", 0, 7), ("j", 0, 3), ("n", 0, 99), ("m", -50, 50)];

#[track_caller]
fn check(rule: &str, subject: &str, expected: Option<&str>) {
    let rule = read_rule(&format!("tried: {rule}")).expect("a rule");
    check_rule(&rule, subject, expected);
}

/// Checks the first right side that a rule yields for a term, if any; each instance must equal the term.
#[track_caller]
fn check_rule(rule: &Rule, subject: &str, expected: Option<&str>) {
    let matcher = Matcher::new(rule).expect("a rule that can be matched");
    let mut store = Store::new(RANGES);
    let sum = store.read(subject);
    let mut found = None;
    let mut look = |store: &mut Store, bindings: &Bindings<usize>| {
        assert!(store.is_left(rule, bindings, &sum), "{bindings:?} is not {subject}");
        let mut conditions = rule.conditions.iter();
        if conditions.all(|condition| establishes(condition, bindings, store)) {
            found = Some(store.right(rule, bindings));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    match (matcher.root(), sum.as_atom()) {
        (Some(operator), Some(atom)) => {
            for operation in store.operations(atom, operator).iter() {
                matcher.search(&mut store, Subject::Operation(operator, operation), &mut look);
            }
        }
        _ => matcher.search(&mut store, Subject::Forms(&[sum.clone()].into()), &mut look),
    }
    assert_eq!(found.as_deref(), expected, "{rule} at {subject}");
}

#[track_caller]
fn refused(rule: &str, reason: &str) {
    let rule = read_rule(&format!("tried: {rule}")).expect("a rule");
    let said = Matcher::new(&rule).expect_err("a rule that cannot be matched");
    assert!(said.contains(reason), "{said}");
}

#[test]
fn quotients() {
    let nested = "(x floordiv a) floordiv b => x floordiv (a*b) where a >= 1, b >= 1";
    check(nested, "(n floordiv 4) floordiv 8", Some("(n / 32)"));
    check(nested, "((n + m) floordiv 3) floordiv 5", Some("(m + n / 15)"));
    check(nested, "(n floordiv 4 + 1) floordiv 8", None);
    check(nested, "(n mod 4) floordiv 8", None);
    let extract = "(x + c*y) floordiv c => x floordiv c + y where c >= 1 split multiples";
    check(extract, "(n + 8*m) floordiv 8", Some("(n / 8) + m"));
    check(extract, "(16*n + 3*m + 8) floordiv 8", Some("(3*m / 8) + 2*n + 1"));
    check(extract, "(n + 7*m) floordiv 8", None);
    let low = "(4*x + y) floordiv 8 => x floordiv 2 where 0 <= y, y < 4";
    check(low, "(4*n + j) floordiv 8", Some("(n / 2)"));
    check(low, "(j + 4*n + 4*m) floordiv 8", Some("(m + n / 2)"));
    check(low, "(4*n + i) floordiv 8", None);
    check(low, "(4*n + j) floordiv 16", None);
    let half = "(2*x) floordiv 2 => x";
    check(half, "(2*n + 4*m) floordiv 2", Some("2*m + n"));
    check(half, "(2*n + 3*m) floordiv 2", None);
}

#[test]
fn splits() {
    let residues = "(x + c*z) mod c => x mod c where c >= 1 split residues";
    check(residues, "(25*n + 10*m + 19) mod 8", Some("(2*m + n + 3 % 8)"));
    check(residues, "(n + 7*m) mod 8", Some("(-1*m + n % 8)"));
    check(residues, "(n + 2*m) mod 8", None);
    let absorb = |split: &str| {
        format!(
            "c*(x floordiv a) + c*w + z => c*((x + a*w) floordiv a) + z where a >= 1 split {split}"
        )
    };
    let related = &absorb("related");
    check(related, "n floordiv 8 + 3*n + m", Some("(25*n / 8) + m"));
    check(related, "2*(n floordiv 8) + 4*n + m + 2", Some("2*(17*n + 8 / 8) + m"));
    check(related, "n floordiv 8 + m", None);
    check(related, "2*(n floordiv 8) + 3*n", None);
    let quotients = &absorb("related-quotients");
    check(quotients, "n floordiv 8 + n + n floordiv 4", Some("(8*(n / 4) + n / 8) + n"));
    check(quotients, "n floordiv 8 + n", None);
    let within = &absorb("within");
    check(within, "n floordiv 8 + n + (n + m) floordiv 4", Some("(9*n / 8) + (m + n / 4)"));
    check(within, "n floordiv 8 + 3*m", None);
    let outside = "c*((a*w + x) floordiv a) + z => c*w + c*(x floordiv a) + z \
                   where a >= 1 split outside";
    check(outside, "(9*n + 8*m) floordiv 8 + n", Some("(8*m + n / 8) + 2*n"));
    check(outside, "(9*n + 8*m) floordiv 8 + i", None);
}

/// A sum that occurs only in an equation is decomposed like a left side.
#[test]
fn equations() {
    let shift = |split: &str| {
        format!("c*min(x, y) + z => c*min(x + w, y + w) + v where c*w + v = z split {split}")
    };
    let related = &shift("related");
    check(related, "2*min(n, 5) + 4*n + i", Some("i + 2*min(3*n, 2*n + 5)"));
    check(related, "2*min(n, 5) + 3*n + i", None);
    check(&shift("nothing"), "2*min(n, 5) + 3*n", Some("2*min(n, 5) + 3*n"));
}

#[test]
fn remainders() {
    let inner = "(x mod (a*b)) mod a => x mod a where a >= 1, b >= 1";
    check(inner, "(n mod 64) mod 8", Some("(n % 8)"));
    check(inner, "(n mod 64) mod 48", None);
    check(inner, "(n mod 8) mod 64", None);
    let multiple = "(x + c*z) mod c => x mod c where c >= 1 split multiples";
    check(multiple, "(n + 24*m) mod 8", Some("(n % 8)"));
    check(multiple, "(n + 25*m) mod 8", None);
    let joined = "c*(x floordiv c) + x mod c => x where c >= 1";
    check(joined, "8*(n floordiv 8) + n mod 8", Some("n"));
    check(joined, "8*(n floordiv 8) + m mod 8", None);
    check(joined, "8*(n floordiv 4) + n mod 8", None);
    check(joined, "8*(n floordiv 8) + n mod 8 + m", None);
    let beside = "c*(x floordiv c) + x mod c + y => x + y where c >= 1";
    check(beside, "8*(n floordiv 8) + n mod 8 + 3*m + 1", Some("3*m + n + 1"));
}

#[test]
fn least_and_greatest() {
    let between = "max(min(x, c), d) => x where d <= x, x <= c let c = hi(x), d = lo(x)";
    check(between, "max(min(i, 9), -1)", Some("i"));
    check(between, "max(0, min(7, i))", Some("i"));
    check(between, "max(min(i, 6), -1)", None);
    let absorbed = "min(x, x + y) => x where y >= 0";
    check(absorbed, "min(m, m + n)", Some("m"));
    check(absorbed, "min(n + m, m)", Some("m"));
    // The known term occurs with another coefficient; the rest belongs to the other summand.
    check(absorbed, "min(3*n, 5*n)", Some("3*n"));
    check(absorbed, "min(n + i, n + j + i)", Some("i + n"));
    check(absorbed, "min(3*m, 5*m)", None);
    check(absorbed, "max(m, m + n)", None);
    let inside = "min(x, max(x, y)) => x";
    check(inside, "min(max(n, m), n)", Some("n"));
    check(inside, "min(max(n, m), i)", None);
    let of_three = "min(x, y, z) => min(x, z) where x <= y";
    let written = of_three.replace("min(x, y, z)", "min(x, min(y, z))");
    check(&written, "min(m, min(100, n))", Some("min(m, n)"));
    check(&written, "min(m, min(n, m + n))", Some("min(m, n)"));
    check(&written, "min(n, 100)", None);
}

#[test]
fn sums_with_repeated_letters_and_products_of_constants() {
    let digits = "a*b*(x floordiv (a*b)) + b*((x floordiv b) mod a) => b*(x floordiv b) where a >= 1, b >= 1";
    check(digits, "32*(n floordiv 32) + 8*((n floordiv 8) mod 4)", Some("8*(n / 8)"));
    check(digits, "32*(n floordiv 32) + 8*((n floordiv 8) mod 5)", None);
    check(digits, "32*(n floordiv 32) + 8*((m floordiv 8) mod 4)", None);
    let twice = "x floordiv c + x floordiv c => 2*(x floordiv c) where c >= 1";
    check(twice, "3*(n floordiv 4)", None);
    let shipped = RuleSet::shipped().expect("the shipped rules");
    let chosen = shipped.rule(shipped.find("mod-relift").expect("a rule"));
    let subject = "(6*n + 2*m - 4*(n floordiv 3)) mod 2";
    check_rule(chosen, subject, Some("(2*(n % 3) % 2)"));
    check_rule(chosen, "(6*n - 5*(n floordiv 2)) mod 4", None);
}

#[test]
fn unsupported_rules_have_reasons() {
    refused("x <= c <=> x <= c where c >= 1", "it replaces comparisons");
    refused("x mod c >= 0 where c >= 1", "it is a fact");
    refused("x => x + 0*y where y = 0", "its left-hand side matches any term");
    refused("x floordiv c => x*t where c >= 1, t >= 0", "'t' is unbound");
}
