//! Laws of the judge on random statements: a refuted statement is false at the reported point, a proved one has no
//! counterexample, and an instance of a true rule is never refuted.

use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, Verdict, counterexample, judge};
use affinor::rule::{Condition, Relation, Rule, RuleSet, Statement, Term, Truth, read_rule};
use proptest::prelude::*;

const SHORT: Budget = Budget { solver_steps: 500_000, ..BUDGET };

/// Generates terms over the constants c0, c1, which are divisors, and the expressions x0, x1.
fn terms() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        (-3i64..6).prop_map(Term::Integer),
        (0u8..2).prop_map(Term::Constant),
        (0u8..2).prop_map(Term::Expression),
        (0u8..2).prop_map(Term::Expression),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        let divisor =
            || prop_oneof![(1i64..7).prop_map(Term::Integer), (0u8..2).prop_map(Term::Constant)];
        let boxed = |(x, y): (Term, Term)| (Box::new(x), Box::new(y));
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Term::Sum),
            (-3i64..4, inner.clone()).prop_map(|(factor, x)| {
                Term::Product(Box::new(Term::Integer(factor)), Box::new(x))
            }),
            (divisor(), inner.clone()).prop_map(move |pair| {
                let (x, y) = boxed(pair);
                Term::Product(x, y)
            }),
            (inner.clone(), divisor()).prop_map(move |pair| {
                let (x, y) = boxed(pair);
                Term::FloorDiv(x, y)
            }),
            (inner.clone(), divisor()).prop_map(move |pair| {
                let (x, y) = boxed(pair);
                Term::Mod(x, y)
            }),
            (inner.clone(), inner.clone()).prop_map(move |pair| {
                let (x, y) = boxed(pair);
                Term::Min(x, y)
            }),
            (inner.clone(), inner).prop_map(move |pair| {
                let (x, y) = boxed(pair);
                Term::Max(x, y)
            }),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Condition> {
    let relations =
        prop_oneof![Just(Relation::Equal), Just(Relation::LessEqual), Just(Relation::Less)];
    (terms(), relations, terms()).prop_map(|(lhs, relation, rhs)| Condition { lhs, relation, rhs })
}

/// Builds a rule that states `statement` if the divisors are positive and `conditions` hold.
fn rule(statement: Statement, mut conditions: Vec<Condition>) -> Rule {
    let mut rule = read_rule("0 = 0").expect("a statement");
    rule.constants = vec!["c0".to_owned(), "c1".to_owned()];
    rule.expressions = vec!["x0".to_owned(), "x1".to_owned()];
    rule.conditions = (0..2)
        .map(|slot| Condition {
            lhs: Term::Integer(1),
            relation: Relation::LessEqual,
            rhs: Term::Constant(slot),
        })
        .collect();
    rule.conditions.append(&mut conditions);
    rule.statement = statement;
    rule
}

fn check(rule: &Rule) -> Result<(), TestCaseError> {
    let written = format!("{} where {:?}", rule.write_statement(), rule.conditions);
    match judge(rule, &SHORT) {
        Verdict::Refuted(point) => {
            prop_assert_eq!(rule.truth(&point), Truth::Fails, "{} at {:?}", written, point);
        }
        Verdict::Proved => prop_assert_eq!(counterexample(rule), None, "{}", written),
        Verdict::Unknown(_) => {}
    }
    Ok(())
}

/// Substitutes terms for the expression variables of a term.
fn substituted(term: &Term, values: &[Term]) -> Term {
    let inner = |x: &Term| Box::new(substituted(x, values));
    match term {
        Term::Expression(slot) => values[*slot as usize % values.len()].clone(),
        Term::Sum(terms) => Term::Sum(terms.iter().map(|x| substituted(x, values)).collect()),
        Term::Product(x, y) => Term::Product(inner(x), inner(y)),
        Term::FloorDiv(x, y) => Term::FloorDiv(inner(x), inner(y)),
        Term::Mod(x, y) => Term::Mod(inner(x), inner(y)),
        Term::Min(x, y) => Term::Min(inner(x), inner(y)),
        Term::Max(x, y) => Term::Max(inner(x), inner(y)),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn random_equations(lhs in terms(), rhs in terms(), given in prop::collection::vec(conditions(), 0..2)) {
        check(&rule(Statement::Rewrite(lhs, rhs), given))?;
    }

    #[test]
    fn random_facts(facts in prop::collection::vec(conditions(), 1..3), given in prop::collection::vec(conditions(), 0..3)) {
        check(&rule(Statement::Fact(facts), given))?;
    }

    #[test]
    fn random_equivalences(
        lhs in prop::collection::vec(conditions(), 1..3),
        rhs in prop::collection::vec(conditions(), 1..3),
    ) {
        check(&rule(Statement::Equivalence(lhs, rhs), Vec::new()))?;
    }

    #[test]
    fn instances_of_true_rules_are_not_refuted(
        number in 0usize..1000,
        values in prop::collection::vec(terms(), 3),
    ) {
        let rules = RuleSet::shipped().expect("the rules load");
        let mut instance = rules.rules()[number % rules.rules().len()].clone();
        // The constants in the values are the rule's own; values that divide by them are excluded.
        let plain: Vec<Term> = values
            .iter()
            .map(|value| {
                let mut divides = false;
                value.visit(&mut |part| {
                    divides |= matches!(part, Term::FloorDiv(_, d) | Term::Mod(_, d) if !matches!(**d, Term::Integer(_)));
                });
                if divides { Term::Expression(0) } else { value.clone() }
            })
            .collect();
        while instance.constants.len() < 2 {
            let spare = format!("spare{}", instance.constants.len());
            instance.constants.push(spare);
        }
        while instance.expressions.len() < 2 {
            let spare = format!("rest{}", instance.expressions.len());
            instance.expressions.push(spare);
        }
        let all = |list: &[Condition]| -> Vec<Condition> {
            list.iter()
                .map(|condition| Condition {
                    lhs: substituted(&condition.lhs, &plain),
                    relation: condition.relation,
                    rhs: substituted(&condition.rhs, &plain),
                })
                .collect()
        };
        instance.conditions = all(&instance.conditions);
        instance.statement = match &instance.statement {
            Statement::Rewrite(lhs, rhs) => {
                Statement::Rewrite(substituted(lhs, &plain), substituted(rhs, &plain))
            }
            Statement::Equivalence(lhs, rhs) => Statement::Equivalence(all(lhs), all(rhs)),
            Statement::Fact(facts) => Statement::Fact(all(facts)),
        };
        // The hints refer to variables that no longer exist.
        instance.multipliers.clear();
        instance.cases.clear();
        let verdict = judge(&instance, &SHORT);
        prop_assert!(!matches!(verdict, Verdict::Refuted(_)), "{}: {:?}", instance.write_statement(), verdict);
    }
}
