//! The statements that lines are read as, and the word at which a line is refused.

use super::stated;
use affinor::rule::verify::BUDGET;
use affinor::text::ErrorKind;

/// Checks that the lines of a text are read as these rules.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let lines = stated(text, &BUDGET);
    let says = lines.iter().flat_map(|line| match &line.says {
        Ok(says) => says.iter().map(|one| one.rule.text.clone()).collect(),
        Err(error) => vec![format!("error: {}", error.message)],
    });
    assert_eq!(says.collect::<Vec<_>>(), expected, "{text}");
}

/// Checks that the single line of a text is refused at this word.
#[track_caller]
fn refused(text: &str, kind: ErrorKind, word: &str, message: &str) {
    let lines = stated(text, &BUDGET);
    let [line] = &lines[..] else {
        panic!("{text}: {} lines", lines.len());
    };
    let error = line.says.as_ref().expect_err(text);
    let marked = error.span.clone().and_then(|span| text.get(span));
    assert_eq!((error.kind, marked), (kind, Some(word)), "{text}: {error}");
    assert!(error.message.contains(message), "{text}: {error}");
}

#[test]
fn lines_of_each_system_are_read() {
    check(
        "rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0 && !overflows(c0 * c2)) ||",
        &["(x floordiv c0) floordiv c2 => x floordiv (c0*c2) where c0 >= 1, c2 >= 1"],
    );
    check(
        "TVM_TRY_REWRITE_IF(floormod(x + c1, c2), floormod(x, c2),\n    c2.Eval()->value > 0 && c1.Eval()->value % c2.Eval()->value == 0);",
        &["(x + c1) mod c2 => x mod c2 where c2 >= 1, c1 mod c2 = 0"],
    );
    check(
        "TVM_TRY_REWRITE((PMatchesOneOf{\n max(min(x, y), x),\n max(x, min(y, x)),\n }),\n x);",
        &["max(min(x, y), x) => x", "max(x, min(y, x)) => x"],
    );
    check(
        "TVM_TRY_REWRITE_IF(x <= c1 && c2 <= x, cfalse, c2.Eval()->value > c1.Eval()->value);",
        &["x < c2 where c1 < c2, x <= c1"],
    );
    check(
        "TVM_TRY_REWRITE_IF((x / c1) * c1 + x % c1, x, c1.Eval()->value % 4 == 2)",
        &["x floordiv c1*c1 + x mod c1 => x where c1 mod 4 = 2, c1 >= 1"],
    );
    check(
        "TVM_TRY_REWRITE_IF(truncdiv(x, c1) + floormod(y, 2), x, c1.Eval()->value % 3 == 1)",
        &[
            "max(x, 0) floordiv c1 - max(-x, 0) floordiv c1 + y mod 2 => x where c1 - 3*(max(c1, 0) floordiv 3 - max(-c1, 0) floordiv 3) = 1",
        ],
    );
    check("(x mod a) floordiv a -> 0 if a > 0", &["(x mod a) floordiv a => 0 where a >= 1"]);
    check(
        "x // 4 // 2 => x // 8 where 0 <= x, x < 64",
        &["(x floordiv 4) floordiv 2 => x floordiv 8 where x >= 0, x <= 63"],
    );
    check(
        "arith.subi(x, arith.muli(y, c)) -> arith.minsi(x, y) if c == 1",
        &["x - y*c => min(x, y) where c = 1"],
    );
    check("(x * a) ceildiv c -> x if c == a", &["-((-(x*a)) floordiv c) => x where c = a, c >= 1"]);
}

#[test]
fn what_is_compared_becomes_an_equivalence_or_facts() {
    check("rewrite(x + c0 < y, x < y + fold(-c0))", &["x + c0 < y <=> x < y - c0"]);
    check("rewrite(x < x, false)", &["x <= x"]);
    check("rewrite(x < min(x, y), false)", &["min(x, y) <= x"]);
    check(
        "rewrite(x < max(x + c0, y), x < y || fold(0 < c0))",
        &["max(x + c0, y) <= x <=> y <= x and c0 <= 0"],
    );
    check("rewrite(x < y && y < x, false)", &["x <= y where x < y"]);
    check("rewrite(x < y || y < x + 1, true)", &["y < x + 1 where y <= x"]);
    check("rewrite(x != y, y != x)", &["x = y <=> y = x"]);
    check("rewrite(x < x + y, y != 0, y >= 0)", &["x + y <= x <=> y = 0 where y >= 0"]);
    check(
        "rewrite(x * y == 0, x == 0 || y == 0)",
        &[
            "y = 0 where x*y = 0, x <= -1",
            "y = 0 where x*y = 0, x >= 1",
            "x*y = 0 where x = 0",
            "x*y = 0 where y = 0",
        ],
    );
    check("rewrite(x != y || x != y + 1, true)", &["0 >= 1 where x = y, x = y + 1"]);
    // One side is a conjunction, the other is not: each implies the other.
    check(
        "rewrite(x < y && y < x, x < y || y < x)",
        &["x < y and y < x where x < y", "x < y and y < x where y < x"],
    );
}

#[test]
fn conditions_with_cases_become_rules() {
    check(
        "rewrite((x + c0) % c1, (x + fold(c0 % c1)) % c1, c1 > 0 && (c0 >= c1 || c0 < 0))",
        &[
            "(x + c0) mod c1 => (x + c0 mod c1) mod c1 where c1 >= 1, c1 <= c0",
            "(x + c0) mod c1 => (x + c0 mod c1) mod c1 where c1 >= 1, c0 <= -1",
        ],
    );
    check("rewrite(x * c0, x, !(c0 < 1 || c0 > 1))", &["x*c0 => x where c0 >= 1, c0 <= 1"]);
    check(
        "rewrite(min(x, y) - x, 0, can_prove(x <= y, this) && !is_const(x))",
        &["min(x, y) - x => 0 where x <= y"],
    );
}

#[test]
fn divisors_that_may_be_anything_are_taken_to_be_positive_and_the_others_stated_beside() {
    let lines = stated("rewrite((x + c0) / c1, x / c1 + fold(c0 / c1), c0 % c1 == 0)", &BUDGET);
    let says = lines[0].says.as_ref().expect("a rule");
    let [only] = &says[..] else {
        panic!("{} rules", says.len());
    };
    let added: Vec<String> =
        only.assumed.iter().map(|one| only.rule.write_condition(one)).collect();
    let below: Vec<&str> = only.below.iter().map(|rule| rule.text.as_str()).collect();
    assert_eq!(added, ["c1 >= 1"]);
    assert_eq!(
        below,
        [
            "-((x + c0) floordiv (-c1)) => -(x floordiv (-c1)) - c0 floordiv (-c1) where c0 mod (-c1) = 0, c1 <= -1",
            "0 => 0 + 0 where 0 = 0, c1 = 0",
        ]
    );
    // An implied condition is not added; a line about negative divisors is stated for them alone.
    check(
        "rewrite((x * c0) / c1, x / fold(c1 / c0), c1 % c0 == 0 && c0 > 0 && c1 > 0)",
        &[
            "(x*c0) floordiv c1 => x floordiv (c1 floordiv c0) where c1 mod c0 = 0, c0 >= 1, c1 >= 1",
        ],
    );
    check(
        "rewrite(min(x / c0, y / c0), max(x, y) / c0, c0 < 0)",
        &[
            "min(-(x floordiv (-c0)), -(y floordiv (-c0))) => -(max(x, y) floordiv (-c0)) where c0 <= -1",
        ],
    );
    check("rewrite(x / -2, -(x / 2))", &["-(x floordiv 2) => -(x floordiv 2)"]);
    check("rewrite(x % 0, 0)", &["0 => 0"]);
}

#[test]
fn operands_of_the_outer_operation_have_names() {
    check(
        "rewrite(min(x, max(y, x)), a) || rewrite(min(x, (x / c0) * c0), b, c0 > 0)",
        &["min(x, max(y, x)) => x", "min(x, x floordiv c0*c0) => x floordiv c0*c0 where c0 >= 1"],
    );
    check("a + b -> b + a", &["a + b => b + a"]);
    check(
        "rewrite(x == c0 && x != c1, a, c0 != c1)",
        &["0 >= 1 where c0 < c1, x = c0, x = c1", "0 >= 1 where c1 < c0, x = c0, x = c1"],
    );
}

#[test]
fn a_piece_of_a_source_file_is_read_as_it_is() {
    let text = "\
        // rewrite(x, y) is not a rule\n\
        if (rewrite(x - x, 0) || // always\n\
            (no_overflow(op->type) &&\n\
             (rewrite((x - y) + y,  // ) a bracket\n\
                      x) ||\n\
              (op->type.is_float() && rewrite(x / c0, x * fold(1 / c0)))))) {\n\
            return ptr->rewrite.result; /* rewrite(x, z) */\n\
        }\n";
    check(text, &["x - x => 0", "x - y + y => x", "error: a rule about floating-point numbers"]);
}

#[test]
fn what_is_no_arithmetic_of_integers_is_refused_at_its_word() {
    use ErrorKind::{Division, Syntax, Unsupported};
    let not = "is not index arithmetic";
    refused("rewrite(select(x, y, z) - y, 0)", Unsupported, "select", not);
    refused("rewrite(ramp(x, c0) % 2, 0)", Unsupported, "ramp", not);
    refused("rewrite(x << 2, x * 4)", Unsupported, "x << 2", not);
    refused("rewrite(IRMatcher::Overflow() + x, a)", Unsupported, "IRMatcher::Overflow", not);
    refused("rewrite(x && (y < z), y < z)", Unsupported, "x", "truth value");
    refused("rewrite(x + (y < z), x)", Unsupported, "(y < z)", "truth value");
    refused("rewrite(x + y, z)", Unsupported, "z", "not on the left-hand side");
    refused("rewrite(x, x, c0 > lanes)", Unsupported, "c0", "not on the left-hand side");
    refused("rewrite(x + c0, x, overflows(c0))", Unsupported, "overflows", not);
    refused("rewrite(x + c0, x, !can_prove(c0 < x, this))", Unsupported, "can_prove", "negated");
    refused("x mod 0 -> 0", Division, "x mod 0", "no value");
    refused("rewrite(x + , y)", Syntax, ",", "expected a value");
    refused("rewrite(x + y)", Syntax, "rewrite(x + y)", "two sides");
    refused("rewrite(x + (y, x)", Syntax, "rewrite", "not closed");
    refused(
        "rewrite(x < y && y < z, x < y || y < z, x < y && y < z)",
        ErrorKind::Rule,
        "rewrite(x < y && y < z, x < y || y < z, x < y && y < z)",
        "the same",
    );
    refused(
        "rewrite(x + c0, x, false)",
        ErrorKind::Rule,
        "rewrite(x + c0, x, false)",
        "says nothing",
    );
}
