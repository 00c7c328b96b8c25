//! Rule files: invalid ones are refused, and no shipped rule has a small counterexample.

use affinor::rule::{Point, Rule, RuleSet, Truth, read_rule, read_rules};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{ErrorKind, parse_map};

fn shipped() -> RuleSet {
    RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"))
}

/// A deterministic generator of test points.
struct Numbers(u64);

impl Numbers {
    fn within(&mut self, bound: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let width = 2 * bound as u64 + 1;
        ((self.0 >> 33) % width) as i64 - bound
    }
}

/// Generates points of a rule: free variables at random, and variables determined by an equation `name = term` among the
/// conditions computed from it, so that narrow conditions hold often enough.
fn points(rule: &affinor::rule::Rule, count: usize) -> Vec<Point> {
    use affinor::rule::{Relation, Term};
    let mut numbers = Numbers(0x5EED);
    let mut points = Vec::with_capacity(count);
    for index in 0..count {
        let bound = [2, 3, 5, 9, 20][index % 5];
        let mut point = Point {
            constants: rule.constants.iter().map(|_| numbers.within(bound)).collect(),
            expressions: rule.expressions.iter().map(|_| numbers.within(bound)).collect(),
        };
        for _ in 0..3 {
            for condition in rule.conditions.iter().filter(|c| c.relation == Relation::Equal) {
                for (name, term) in
                    [(&condition.lhs, &condition.rhs), (&condition.rhs, &condition.lhs)]
                {
                    let value = term.eval(&point).and_then(|value| i64::try_from(value).ok());
                    match (name, value) {
                        (Term::Constant(slot), Some(value)) => {
                            point.constants[*slot as usize] = value
                        }
                        (Term::Expression(slot), Some(value)) => {
                            point.expressions[*slot as usize] = value
                        }
                        _ => {}
                    }
                }
            }
        }
        points.push(point);
    }
    points
}

#[test]
fn no_shipped_rule_has_a_small_counterexample() {
    for rule in shipped().rules() {
        let mut inside = 0;
        for point in points(rule, 400_000) {
            match rule.truth(&point) {
                Truth::Holds => inside += 1,
                Truth::Outside => {}
                Truth::Fails => panic!("{rule} fails at {point:?}"),
                Truth::TooLarge => panic!("{rule} is too large at {point:?}"),
                Truth::Undefined => panic!("{rule} divides by a number below 1 at {point:?}"),
            }
        }
        assert!(inside >= 20, "{rule}: only {inside} of the points satisfy the side conditions");
    }
}

/// Dropping `c >= 1` makes a rule ill-formed; dropping a range makes it false. The search above finds both, so it would also find
/// them in a shipped rule.
#[test]
fn the_search_for_counterexamples_finds_them() {
    for (text, expected) in [
        ("(c*x + y) floordiv c => x + t where c >= 1, c*t <= y", Truth::Fails),
        ("(c*x + y) floordiv c => x + y floordiv c", Truth::Undefined),
        ("x floordiv a floordiv b => x floordiv (a + b) where a >= 1, b >= 1", Truth::Fails),
        ("(x mod a) mod b => x mod b where a >= 1, b >= 1", Truth::Fails),
    ] {
        let rule = read_rule(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let found = points(&rule, 50_000).iter().any(|point| rule.truth(point) == expected);
        assert!(found, "{text}");
    }
}

#[test]
fn every_shipped_rule_says_what_it_is_for() {
    for rule in shipped().rules() {
        assert!(rule.purpose.ends_with('.'), "{}: a purpose is a sentence", rule.name);
    }
}

#[test]
fn printed_rules_read_back() {
    for rule in shipped().rules() {
        let conditions: Vec<String> =
            rule.conditions.iter().map(|condition| rule.write_condition(condition)).collect();
        let mut text = rule.write_statement();
        if !conditions.is_empty() {
            text = format!("{text} where {}", conditions.join(", "));
        }
        let read = read_rule(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(read.write_statement(), rule.write_statement());
        for point in points(rule, 200) {
            // The parsed rule may have its names in another order and of another sort.
            let names = rule.constants.iter().chain(&rule.expressions);
            let values: Vec<_> =
                names.zip(point.constants.iter().chain(&point.expressions)).collect();
            let value = |name: &str| {
                let found = values.iter().find(|(known, _)| *known == name)?;
                Some(*found.1)
            };
            let other = read.point(value).expect("the names of the rule");
            assert_eq!(read.truth(&other), rule.truth(&point), "{text} at {point:?}");
        }
    }
}

#[track_caller]
fn refused(text: &str, kind: ErrorKind, at: &str) {
    let error = read_rules("test.rules", text).map(|_| ()).expect_err("the file is refused");
    assert_eq!(error.kind, kind, "{error}");
    let span = error.span.clone().unwrap_or_default();
    assert_eq!(&text[span], at, "{error}");
}

#[test]
fn bad_rule_files_are_refused_at_their_position() {
    refused("expression x\nOne: x => x\n \"p.\"", ErrorKind::Rule, "One");
    refused("one: x => x\n \"p.", ErrorKind::Rule, "\"");
    refused("one: x => x\n \"p.\" where x >= 0", ErrorKind::Rule, "\"");
    refused("one: x => x\n # \"p.\"\n \"\"", ErrorKind::Rule, "\"");
    refused("constant\none: x => x", ErrorKind::Syntax, "");
    refused("constant c, d\none: c => d", ErrorKind::Syntax, ",");
    refused("constant c min\none: c => c", ErrorKind::Syntax, "min");
    refused("one: x => x\n where x >= 1\n where x >= 0", ErrorKind::Rule, "where");
    refused("one: x => x\n constant", ErrorKind::Syntax, "");
    refused("one: x => x\n constant k", ErrorKind::Rule, "k");
    refused("one: k => k\n constant k k", ErrorKind::Rule, "k");
    refused("one: x + t => x + t\n let t = 1\n expression t", ErrorKind::Rule, "t");
    refused("one: x + t => x + t\n let t = lo(t)", ErrorKind::Rule, "lo(t)");
    refused(
        "one: x floordiv y => x floordiv y\n where y >= 1\n expression y",
        ErrorKind::Rule,
        "one",
    );
    refused("expression x\none: x + => x\n \"p.\"", ErrorKind::Syntax, "=>");
    refused("expression x\none: x => x\n where x\n \"p.\"", ErrorKind::Rule, "x");
    refused("expression x\none: x => x\n split halves\n \"p.\"", ErrorKind::Rule, "halves");
    refused("expression x\none: x => x\n \"p.\"\none: x => x\n \"p.\"", ErrorKind::Rule, "one");
    refused("expression x\nconstant x\none: x => x\n \"p.\"", ErrorKind::Rule, "x");
    refused("expression x\none: max(x) => x\n \"p.\"", ErrorKind::Rule, "max(x)");
    refused("expression x\njust words", ErrorKind::Rule, "just words");
    refused("expression x y\none: x => y\n \"p.\"", ErrorKind::Rule, "one");
    refused("expression x\none: x => x\n constant c\n \"p.\"", ErrorKind::Rule, "c");
    refused("constant c\nexpression x\none: x mod c => x\n \"p.\"", ErrorKind::Rule, "one");
    refused("expression x y\none: x + y => x*y\n \"p.\"", ErrorKind::Rule, "one");
    refused(
        "constant c\nexpression x\none: x => lo(x)\n where c >= 1\n \"p.\"",
        ErrorKind::Rule,
        "one",
    );
}

#[test]
fn a_normal_form_that_the_matcher_does_not_know_is_refused() {
    let mut rules = shipped();
    let text = "constant c\nexpression x y\nodd: (x + y) floordiv c => (y + x) floordiv c\n where c >= 1\n \"p.\"";
    let odd = read_rules("floordiv.rules", text).unwrap_or_else(|error| panic!("{error:?}"));
    rules.extend(odd).unwrap_or_else(|error| panic!("{error:?}"));
    let error = affinor::simplify::Simplifier::new(rules).map(|_| ()).expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Rule);
}

/// A typed rule has the same effect as the shipped rule with the same text.
#[test]
fn a_typed_rule_fires() {
    let map = parse_map("(d0, d1) -> ((4*d0 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 3]")
        .unwrap_or_else(|error| panic!("{error:?}"));
    let cost = |rules: Vec<Rule>| {
        let mut set = RuleSet::default();
        set.extend(rules).unwrap_or_else(|error| panic!("{error:?}"));
        let simplifier = Simplifier::new(set).unwrap_or_else(|error| panic!("{error:?}"));
        simplifier.simplify(&map, &Options::default()).map.cost().ops
    };
    let mut rules = shipped().rules().to_vec();
    rules.retain(|rule| rule.file != "floordiv.rules");
    assert!(cost(rules.clone()) > 0, "without its rules the quotient stays");
    let typed = read_rule(
        "mine: (c*x + y) floordiv c => x + t where c >= 1, c*t <= y, y < c*t + c \
         split one-variable let t = lo(y) floordiv c",
    );
    rules.push(typed.unwrap_or_else(|error| panic!("{error:?}")));
    assert_eq!(cost(rules), 0);
}

/// Names whose rule does not imply that they are constants: they could be expressions as well.
const CHOSEN: &[&str] = &[
    "div-bit: k",
    "div-bit-low: k",
    "constraint-low-upper: q",
    "constraint-low-lower: p",
    "constraint-mod-shift: k",
    "div-reflect: k",
    "div-constant: k",
    "div-threshold-factor: k",
    "div-two-valued: k",
    "div-two-valued: b",
    "div-two-valued: t",
    "mod-block: t",
    "min-level: k",
    "min-level: e",
    "min-level: c",
    "max-level: k",
    "max-level: e",
    "max-level: c",
];

#[test]
fn sorts_are_inferred() {
    for (text, constants, expressions) in [
        ("x floordiv c => x where c = 1, c >= 1", "c", "x"),
        (
            "(c*x + y) floordiv c => x + t where c >= 1, c*t <= y, y < c*t + c let t = lo(y) floordiv c",
            "c t",
            "x y",
        ),
        (
            "(x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b) where a >= 1, b >= 1",
            "a b",
            "x y",
        ),
        ("(2*x) floordiv 2 => x \"twice.\"", "", "x"),
        // If nothing determines which factor is a constant, it is the left one.
        ("a*b*x + y => y + a*b*x", "a b", "x y"),
        ("(x*2) mod 2 => 0", "", "x"),
        ("(x*a) mod a => 0 where a >= 1", "a", "x"),
        ("min(x, y) - z => min(x - z, y - z)", "", "x y z"),
        // A name that equals a term over constants.
        ("(a*x) floordiv c => x floordiv q where a >= 1, q >= 1, c = a*q", "a c q", "x"),
        ("x mod c => x - q where c >= 1, q = c*(x floordiv c)", "c", "x q"),
        // Bounds of constraints.
        ("l <= x + k <= u <=> l - k <= x <= u - k", "l k u", "x"),
        ("x mod c = r <=> (x - r) mod c = 0 where c >= 1, 0 <= r < c", "c r", "x"),
        ("x <= y <=> x - y <= 0", "", "x y"),
        // Declarations in the rule, before any other part or after it.
        ("x + k => k + x constant k", "k", "x"),
        ("x + k + m => k + m + x constant k m where x >= 0", "k m", "x"),
        ("x + k => k + x where x >= 0 expression x constant k", "k", "x"),
        ("k*x >= 0 expression k x where k >= 0, x >= 0", "", "k x"),
    ] {
        let rule = read_rule(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(rule.constants.join(" "), constants, "{text}");
        assert_eq!(rule.expressions.join(" "), expressions, "{text}");
        // Declarations in a file have the same effect.
        let file = format!("one: {text}\n");
        let rules = read_rules("test.rules", &file);
        for read in rules.into_iter().flatten() {
            assert_eq!(
                (read.constants, read.expressions),
                (rule.constants.clone(), rule.expressions.clone()),
                "{text}"
            );
        }
    }
}

/// A rule's own declaration takes precedence over that of its file.
#[test]
fn sorts_of_a_rule_are_its_own() {
    let text =
        "constant k\nexpression x\none: x + k => k + x\ntwo: x + k => k + x\n  expression k\n";
    let rules = read_rules("test.rules", text).unwrap_or_else(|error| panic!("{error:?}"));
    let constants: Vec<String> = rules.iter().map(|rule| rule.constants.join(" ")).collect();
    assert_eq!(constants, ["k", ""]);
}

/// The forms in which one rule may be written; its text on one line is the statement with its conditions.
#[test]
fn a_rule_may_stand_on_several_lines_without_a_name_or_a_purpose() {
    for (text, name, purpose) in [
        ("half: (2*x) floordiv 2 => x where x >= 0", "half", ""),
        ("(2*x) floordiv 2 => x where x >= 0", "", ""),
        (
            "half:\n  (2*x) floordiv 2 => x # note \"a\"\n  where x >= 0\n  \"Of a\n  half.\"\n",
            "half",
            "Of a half.",
        ),
        (" half : (2*x) floordiv 2 => x split multiples where x >= 0 \"Half.\"", "half", "Half."),
    ] {
        let rule = read_rule(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!((rule.name.as_str(), rule.purpose.as_str()), (name, purpose), "{text}");
        assert_eq!(rule.text, "(2*x) floordiv 2 => x where x >= 0", "{text}");
    }
    for (text, kind, at) in [
        ("My Rule: x => x", ErrorKind::Rule, "My Rule"),
        (": x => x", ErrorKind::Rule, ""),
        ("(d0) -> (d0), domain: d0 in [0, 3]", ErrorKind::Syntax, "->"),
        ("one: x => x y", ErrorKind::Syntax, "y"),
        ("one: x + => x", ErrorKind::Syntax, "=>"),
        ("one: x => x\n  \"p", ErrorKind::Rule, "\""),
    ] {
        let error = read_rule(text).map(|_| ()).expect_err(text);
        assert_eq!(
            (error.kind, &text[error.span.clone().unwrap_or_default()]),
            (kind, at),
            "{error}"
        );
    }
}

/// The declared sorts are those that would be inferred without a declaration, except for [`CHOSEN`].
#[test]
fn the_declared_sorts_are_those_inferred() {
    let mut different = Vec::new();
    let simplifier = Simplifier::new(shipped()).unwrap_or_else(|error| panic!("{error:?}"));
    let fired: Vec<&str> = simplifier.fired().collect();
    let rules = simplifier.rules().rules().iter();
    for rule in rules.filter(|rule| fired.contains(&rule.name.as_str())) {
        let mut text = format!("{} {}", rule.name, rule.text);
        text = text.replacen(' ', ": ", 1);
        let hints = rule.witnesses.iter().map(|(slot, term)| {
            format!("{} = {}", rule.constants[*slot as usize], rule.write(term))
        });
        let hints: Vec<String> = hints.collect();
        if !hints.is_empty() {
            text = format!("{text} let {}", hints.join(", "));
        }
        let read = read_rule(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        for name in &rule.constants {
            if !read.constants.contains(name) {
                different.push(format!("{}: {name}", rule.name));
            }
        }
        for name in &rule.expressions {
            if !read.expressions.contains(name) {
                different.push(format!("{}: ({name})", rule.name));
            }
        }
    }
    assert_eq!(different, CHOSEN);
}
