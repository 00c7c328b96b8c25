//! Rule files that must be refused: one for each reason, with the check that refuses it and the position.

use affinor::rule::verify::{BUDGET, Verdict, descent, inside, judge, subsumed_by, subsumes};
use affinor::rule::{
    Condition, Relation, Rule, RuleId, RuleSet, Statement, Term, Truth, read_rules,
};
use affinor::simplify::{Program, Simplifier};
use affinor::text::ErrorKind;
use std::path::Path;

/// The check that refuses a file.
enum Refused {
    /// The loader, in this line at this part of the text.
    Loader(usize, &'static str),
    /// The judge: the rule of this name is false.
    False(&'static str),
    /// The judge: no point lies inside the conditions of the rule of this name.
    Vacuous(&'static str),
    /// The termination order: firing the rule of this name may not terminate, because of this term.
    Looping(&'static str, &'static str),
    /// An earlier rule, the second name, already states the first rule.
    Subsumed(&'static str, &'static str),
    /// The matcher of normal forms does not support the left side.
    Unmatched(&'static str),
}

use Refused::{False, Loader, Looping, Subsumed, Unmatched, Vacuous};

const FILES: &[(&str, Refused)] = &[
    ("division", Loader(4, "cancel")),
    ("divisor", Loader(5, "div-extract")),
    ("duplicate", Loader(10, "div-extract")),
    ("false", False("drop-low")),
    ("looping", Looping("shift-on", "(x + c) floordiv c")),
    ("looping_pair", Looping("move-in", "(x - c) floordiv c")),
    ("product", Loader(5, "square")),
    ("subsumed", Subsumed("div-extract-eight", "div-extract")),
    ("unbound", Loader(5, "some-block")),
    ("unknown_left", Unmatched("by-sum")),
    ("unused", Loader(6, "d")),
    ("vacuous", Vacuous("drop-all")),
];

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/rules/bad")
        .join(name)
        .with_extension("rules");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn loaded(name: &str) -> Vec<Rule> {
    read_rules("floordiv.rules", &text(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

#[track_caller]
fn named<'r>(rules: &'r [Rule], name: &str) -> &'r Rule {
    rules.iter().find(|rule| rule.name == name).unwrap_or_else(|| panic!("no rule {name}"))
}

fn verdict(rule: &Rule) -> Verdict {
    judge(rule, &BUDGET)
}

/// States `0 = 1` under the conditions of a rule.
fn contradiction(rule: &Rule) -> Rule {
    let mut never = rule.clone();
    let (lhs, rhs) = (Term::Integer(0), Term::Integer(1));
    never.statement = Statement::Fact(vec![Condition { lhs, relation: Relation::Equal, rhs }]);
    never
}

#[track_caller]
fn check(name: &str, refused: &Refused) {
    match refused {
        Loader(line, at) => {
            let text = text(name);
            let error =
                read_rules("floordiv.rules", &text).map(|_| ()).expect_err("the file is refused");
            assert_eq!(error.kind, ErrorKind::Rule, "{name}: {error}");
            let span = error.span.clone().unwrap_or_default();
            assert_eq!(&text[span.clone()], *at, "{name}: {error}");
            let found = text[..span.start].matches('\n').count() + 1;
            assert_eq!(found, *line, "{name}: {error}");
        }
        False(rule) => {
            let rules = loaded(name);
            let rule = named(&rules, rule);
            match verdict(rule) {
                Verdict::Refuted(point) => assert_eq!(rule.truth(&point), Truth::Fails),
                other => panic!("{name}: {other:?}"),
            }
        }
        Vacuous(rule) => {
            let rules = loaded(name);
            let rule = named(&rules, rule);
            assert_eq!(inside(rule), None, "{name}");
            // The rule is vacuously true, as is any statement under its conditions.
            assert_eq!(verdict(rule), Verdict::Proved, "{name}");
            assert_eq!(verdict(&contradiction(rule)), Verdict::Proved, "{name}");
        }
        Looping(rule, at) => {
            let rules = loaded(name);
            let rule = named(&rules, rule);
            assert_eq!(verdict(rule), Verdict::Proved, "{name}: it is true all the same");
            let term = descent(rule).expect_err("it need not end");
            assert_eq!(rule.write(&term), *at, "{name}");
            assert_refused_by_the_simplifier(name, &rule.name);
        }
        Subsumed(rule, by) => {
            let rules = loaded(name);
            let position = rules.iter().position(|other| other.name == *rule).expect("the rule");
            let (earlier, later) = rules.split_at(position);
            let found = subsumed_by(&later[0], earlier, &BUDGET);
            assert_eq!(found.map(|rule| rule.name.as_str()), Some(*by), "{name}");
        }
        Unmatched(rule) => {
            assert_eq!(
                verdict(named(&loaded(name), rule)),
                Verdict::Proved,
                "{name}: it is true all the same"
            );
            assert_refused_by_the_simplifier(name, rule);
        }
    }
}

#[track_caller]
fn assert_refused_by_the_simplifier(name: &str, rule: &str) {
    let mut rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let mut more = loaded(name);
    more.retain(|other| other.name == rule);
    rules.extend(more).unwrap_or_else(|error| panic!("{error:?}"));
    let error = Simplifier::new(rules).map(|_| ()).expect_err("the rule is refused");
    assert_eq!(error.kind, ErrorKind::Rule, "{name}: {error}");
    assert!(error.message.contains(rule), "{name}: {error}");
}

#[test]
fn each_bad_file_is_refused() {
    for (name, refused) in FILES {
        check(name, refused);
    }
}

#[test]
fn the_table_names_every_file() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/bad");
    let entries = std::fs::read_dir(directory).expect("the directory of this test");
    let mut found: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rules").map(str::to_owned))
        .collect();
    found.sort();
    assert_eq!(found, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// Checks whether a file with this rule loads: it must not if no condition makes a divisor positive.
#[track_caller]
fn check_divisors(conditions: &str, loads: bool) {
    let text = format!(
        "near: (x mod a) floordiv b => (x mod a) floordiv b where {conditions} \"Near.\"\n"
    );
    let read = read_rules("floordiv.rules", &text);
    assert_eq!(read.is_ok(), loads, "{conditions}: {read:?}");
}

#[test]
fn a_divisor_is_positive_by_itself_or_by_way_of_another() {
    check_divisors("a >= 1, b >= 1", true);
    check_divisors("b >= a, a >= 1", true);
    check_divisors("a > 0, b > a", true);
    check_divisors("c >= a, b > c, a >= 1", true);
    check_divisors("a >= 1, b >= 2*a", true);
    check_divisors("a >= 1, b >= a - 1", false);
    check_divisors("a >= 1, b <= a", false);
    check_divisors("b >= a, a >= b", false);
    check_divisors("a >= 1, b >= b", false);
    check_divisors("a >= 1, b >= 0", false);
    check_divisors("a >= 1, b > -1", false);
}

/// No fired rule is an instance of an earlier one. (A law of native code may be: it is there because that code relies on it.)
#[test]
fn no_shipped_rule_is_vacuous_or_subsumed() {
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let program = Program::compile(shipped.clone()).unwrap_or_else(|error| panic!("{error:?}"));
    let fires = |position: usize| program.fires(RuleId(position as u16));
    for (position, rule) in shipped.rules().iter().enumerate() {
        assert!(inside(rule).is_some(), "{rule}");
        let earlier = shipped.rules()[..position].iter();
        let of_file = earlier.filter(|other| other.file == rule.file).cloned();
        let earlier: Vec<Rule> = of_file.collect();
        if fires(position) {
            let found = subsumed_by(rule, &earlier, &BUDGET);
            assert_eq!(found.map(|rule| &rule.name), None, "{rule}");
        }
    }
}

#[track_caller]
fn check_subsumes(general: &str, special: &str, expected: bool) {
    let rule = |text: &str| {
        let text = format!(
            "constant a b c d\nexpression x y z\nused: a + b + c + d = x + y + z\n \"u.\"\none: {text}\n \"p.\""
        );
        let rules = read_rules("test.rules", &text).unwrap_or_else(|error| panic!("{error:?}"));
        rules.into_iter().nth(1).expect("two rules")
    };
    let (general, special) = (rule(general), rule(special));
    assert_eq!(subsumes(&general, &special, &BUDGET), expected, "{general} / {special}");
}

#[test]
fn instances_and_their_conditions() {
    let extract = "(c*x + y) floordiv c => x + y floordiv c where c >= 1";
    check_subsumes(extract, "(8*x + y) floordiv 8 => x + y floordiv 8", true);
    check_subsumes(extract, "(y + c*x) floordiv c => y floordiv c + x where c >= 4", true);
    check_subsumes(
        extract,
        "(c*x + y + z) floordiv c => x + (y + z) floordiv c where c >= 1",
        true,
    );
    check_subsumes(extract, "(c*x + y) floordiv c => x where c >= 1, 0 <= y, y < c", false);
    check_subsumes(
        "x mod c => x where c >= 1, 0 <= x, x < c",
        "x mod c => x where c >= 1, 0 <= x, x + 1 < c",
        true,
    );
    check_subsumes(
        "x mod c => x where c >= 1, 0 <= x, x < c",
        "x mod c => x where c >= 1, 0 <= x, x < c + 1",
        false,
    );
    check_subsumes("x <= a <=> x - a <= 0", "y <= b <=> y - b <= 0", true);
    check_subsumes("x => y where x = y", "x mod c => x where c >= 1, x mod c = x", false);
    check_subsumes("x <= a <=> x - a <= 0", "y < b <=> y - b < 0", false);
    check_subsumes("x mod c <= c - 1 where c >= 1", "x mod 7 <= 7 - 1", true);
    check_subsumes("x mod c <= c - 1 where c >= 1", "x mod c <= c - 1 where c >= 1, x >= 0", true);
}

#[test]
fn a_rule_that_is_looked_for_elsewhere_is_another_one() {
    let text = "constant c\nexpression x y\n\
        one: (c*x + y) floordiv c => x + y floordiv c\n where c >= 1\n split multiples\n \"p.\"\n\
        two: (c*x + y) floordiv c => x + y floordiv c\n where c >= 1\n split nearest-quotients\n \"p.\"";
    let rules = read_rules("test.rules", text).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(!subsumes(&rules[0], &rules[1], &BUDGET));
    assert!(subsumes(&rules[0], &rules[0], &BUDGET));
}
