//! The rule files: what is refused, and that no shipped rule has a small counterexample.

use affinor::error::ErrorKind;
use affinor::rule::{Point, Rule, RuleSet, Truth, load, read_rule, read_statement};
use affinor::simplify::{Budget, Simplifier};
use affinor::syntax::parse_map;

fn shipped() -> RuleSet {
    RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"))
}

/// A generator of test points; the same in every run.
struct Numbers(u64);

impl Numbers {
    fn within(&mut self, bound: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let width = 2 * bound as u64 + 1;
        ((self.0 >> 33) % width) as i64 - bound
    }
}

/// Points of a rule: free variables at random, and those that an equation `name = term` among the
/// conditions determines computed from it, so that narrow conditions are met often enough.
fn points(rule: &affinor::rule::Rule, count: usize) -> Vec<Point> {
    use affinor::rule::{Relation, Term};
    let mut numbers = Numbers(0x5EED);
    let mut points = Vec::with_capacity(count);
    for index in 0..count {
        let bound = [2, 3, 5, 9, 20][index % 5];
        let mut point = Point {
            constants: rule
                .constants
                .iter()
                .map(|_| numbers.within(bound))
                .collect(),
            expressions: rule
                .expressions
                .iter()
                .map(|_| numbers.within(bound))
                .collect(),
        };
        for _ in 0..3 {
            for condition in rule
                .conditions
                .iter()
                .filter(|c| c.relation == Relation::Equal)
            {
                for (name, term) in [
                    (&condition.lhs, &condition.rhs),
                    (&condition.rhs, &condition.lhs),
                ] {
                    let value = term
                        .eval(&point)
                        .and_then(|value| i64::try_from(value).ok());
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
        assert!(
            inside >= 20,
            "{rule}: only {inside} of the points satisfy the side conditions"
        );
    }
}

/// Dropping `c >= 1` makes a rule ill-formed; dropping a range makes it false. The search above sees
/// both, so it would see them in a shipped rule too.
#[test]
fn the_search_for_counterexamples_finds_them() {
    for (text, expected) in [
        (
            "(c*x + y) floordiv c => x + t where c >= 1, c*t <= y",
            Truth::Fails,
        ),
        ("(c*x + y) floordiv c => x + y floordiv c", Truth::Undefined),
        (
            "x floordiv a floordiv b => x floordiv (a + b) where a >= 1, b >= 1",
            Truth::Fails,
        ),
        (
            "(x mod a) mod b => x mod b where a >= 1, b >= 1",
            Truth::Fails,
        ),
    ] {
        let rule = read_statement(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let found = points(&rule, 50_000)
            .iter()
            .any(|point| rule.truth(point) == expected);
        assert!(found, "{text}");
    }
}

#[test]
fn every_rule_says_what_it_is_for() {
    for rule in shipped().rules() {
        assert!(
            rule.purpose.ends_with('.'),
            "{}: a purpose is a sentence",
            rule.name
        );
    }
}

#[test]
fn what_is_written_of_a_rule_reads_back() {
    for rule in shipped().rules() {
        let conditions: Vec<String> = rule
            .conditions
            .iter()
            .map(|condition| rule.write_condition(condition))
            .collect();
        let mut text = rule.write_statement();
        if !conditions.is_empty() {
            text = format!("{text} where {}", conditions.join(", "));
        }
        let read = read_statement(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(read.write_statement(), rule.write_statement());
        for point in points(rule, 200) {
            // The names that were read are in another order and of another sort.
            let names = rule.constants.iter().chain(&rule.expressions);
            let values: Vec<_> = names
                .zip(point.constants.iter().chain(&point.expressions))
                .collect();
            let expressions = read.expressions.iter().map(|name| {
                let found = values.iter().find(|(known, _)| *known == name);
                *found.expect("a name of the rule").1
            });
            let other = Point {
                constants: Vec::new(),
                expressions: expressions.collect(),
            };
            assert_eq!(
                read.truth(&other),
                rule.truth(&point),
                "{text} at {point:?}"
            );
        }
    }
}

#[track_caller]
fn refused(text: &str, kind: ErrorKind, at: &str) {
    let error = load("test.rules", text)
        .map(|_| ())
        .expect_err("the file is refused");
    assert_eq!(error.kind, kind, "{error}");
    let span = error.span.clone().unwrap_or_default();
    assert_eq!(&text[span], at, "{error}");
}

#[test]
fn bad_rule_files_are_refused_at_their_position() {
    refused("one: x => x\n \"p.\"", ErrorKind::Name, "x");
    refused("expression x\nOne: x => x\n \"p.\"", ErrorKind::Rule, "One");
    refused("expression x\none: x => x", ErrorKind::Rule, "one");
    refused(
        "expression x\none: x + => x\n \"p.\"",
        ErrorKind::Syntax,
        "=>",
    );
    refused(
        "expression x\none: x => x\n where x\n \"p.\"",
        ErrorKind::Rule,
        "x",
    );
    refused(
        "expression x\none: x => x\n split halves\n \"p.\"",
        ErrorKind::Rule,
        "halves",
    );
    refused(
        "expression x\none: x => x\n \"p.\"\none: x => x\n \"p.\"",
        ErrorKind::Rule,
        "one",
    );
    refused(
        "expression x\nconstant x\none: x => x\n \"p.\"",
        ErrorKind::Rule,
        "x",
    );
    refused(
        "expression x\none: max(x) => x\n \"p.\"",
        ErrorKind::Rule,
        "max(x)",
    );
    refused("expression x\njust words", ErrorKind::Rule, "just words");
    refused(
        "expression x y\none: x => y\n \"p.\"",
        ErrorKind::Rule,
        "one",
    );
    refused(
        "constant c\nexpression x\none: x => x\n \"p.\"",
        ErrorKind::Rule,
        "c",
    );
    refused(
        "constant c\nexpression x\none: x mod c => x\n \"p.\"",
        ErrorKind::Rule,
        "one",
    );
    refused(
        "expression x y\none: x + y => x*y\n \"p.\"",
        ErrorKind::Rule,
        "one",
    );
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
    let odd = load("floordiv.rules", text).unwrap_or_else(|error| panic!("{error:?}"));
    rules
        .extend(odd)
        .unwrap_or_else(|error| panic!("{error:?}"));
    let error = affinor::simplify::Simplifier::new(rules)
        .map(|_| ())
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Rule);
}

/// A rule that was typed does what the shipped rule with the same text does.
#[test]
fn a_typed_rule_fires() {
    let map = parse_map("(d0, d1) -> ((4*d0 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 3]")
        .unwrap_or_else(|error| panic!("{error:?}"));
    let cost = |rules: Vec<Rule>| {
        let mut set = RuleSet::default();
        set.extend(rules)
            .unwrap_or_else(|error| panic!("{error:?}"));
        let simplifier = Simplifier::new(set).unwrap_or_else(|error| panic!("{error:?}"));
        simplifier.simplify(&map, &Budget::default()).map.cost().ops
    };
    let mut rules = shipped().rules().to_vec();
    rules.retain(|rule| rule.file != "floordiv.rules");
    assert!(
        cost(rules.clone()) > 0,
        "without its rules the quotient stays"
    );
    let typed = read_rule(
        "mine: (c*x + y) floordiv c => x + t where c >= 1, c*t <= y, y < c*t + c \
         split one-variable let t = lo(y) floordiv c",
    );
    rules.push(typed.unwrap_or_else(|error| panic!("{error:?}")));
    assert_eq!(cost(rules), 0);
}

#[test]
fn the_sorts_of_a_typed_rule_are_inferred() {
    for (text, constants, expressions) in [
        ("a: x floordiv c => x where c = 1, c >= 1", "c", "x"),
        (
            "b: (c*x + y) floordiv c => x + t where c >= 1, c*t <= y, y < c*t + c let t = lo(y) floordiv c",
            "c t",
            "x y",
        ),
        (
            "c: (x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b) where a >= 1, b >= 1",
            "a b",
            "x y",
        ),
        ("d: (2*x) floordiv 2 => x \"twice.\"", "", "x"),
    ] {
        let rule = read_rule(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(rule.constants.join(" "), constants, "{text}");
        assert_eq!(rule.expressions.join(" "), expressions, "{text}");
    }
}
