//! Writes a proved statement as a rule that fires, and proves the rule that was written.

use super::hints::with_values;
use super::learned::{Learned, Missed};
use super::statement::{CONSTANTS, EXPRESSIONS};
use super::tree::product;
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, judge};
use affinor::rule::{
    Condition, Relation, Rule, RuleSet, Split, Statement, Term, check_firing, read_rule,
};
use affinor::simplify::{Options, Program, REMAINDER, Simplifier, Tally};
use std::fmt::Write;
use std::sync::Arc;

/// The `split` hints to try, in this order.
const SPLITS: &[&[Split]] = &[
    &[],
    &[Split::Multiples],
    &[Split::Multiples, Split::Nearest],
    &[Split::Nearest, Split::OneVariable],
    &[Split::Residues],
    &[Split::Within, Split::Related],
    &[Split::Related, Split::Within],
    &[Split::Related, Split::RelatedQuotients],
    &[Split::Nothing, Split::Related, Split::Multiples],
    &[Split::Outside],
];

/// A rule as written in a file.
#[derive(Clone, Debug)]
pub struct Dressed {
    /// The rule, read from its text and proved.
    pub rule: Rule,
    /// Its text, over several lines.
    pub text: String,
    /// How the rule was seen to fire.
    pub fires: Fires,
}

/// How a rule was seen to fire on the example that it was learnt from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fires {
    /// The rule alone makes the example's left part as small as the right part.
    Alone,
    /// The rule fires together with the others, which bring the example into a form that it matches.
    Among,
    /// The rule was not seen to fire: collecting sums and the definition of a remainder already make the left part as small, or
    /// it is not the larger part.
    NotNeeded,
    /// The rule did not fire on this example.
    NotSeen,
    /// The rule can never fire, for this reason.
    Never(String),
}

/// Writes the learnt statement as a rule of this name that fires alone or together with others.
///
/// # Errors
/// If the rule as written is not proved.
pub fn dressed(
    learned: &Learned,
    name: &str,
    others: &RuleSet,
    budget: &Budget,
) -> Result<Dressed, Missed> {
    let mut plain = learned.rule.clone();
    name.clone_into(&mut plain.name);
    plain.conditions = conditions(&plain);
    // Tries the rule as learnt; then with constants for divisors that are sums, or for the quotients of sums that are multiples,
    // which matching can then solve for; then with remainders expanded to quotients, the simplifier's own normal form.
    let more = [with_divisors, with_multiples, with_quotients].map(|form| form(&plain));
    let mut first = None;
    for rule in [Some(plain)].into_iter().chain(more).flatten() {
        let general = in_context(&rule).and_then(|rule| proved(&rule, budget));
        let Some((rule, text)) = general.or_else(|| proved(&rule, budget)) else {
            continue;
        };
        let dressed = fitted(rule, text, learned, others);
        if matches!(dressed.fires, Fires::Alone | Fires::Among | Fires::NotNeeded) {
            return Ok(dressed);
        }
        first = first.or(Some(dressed));
    }
    first.ok_or(Missed::NotFound)
}

/// Chooses the hint with which a proved rule fires on the example.
fn fitted(mut rule: Rule, mut text: String, learned: &Learned, others: &RuleSet) -> Dressed {
    if let Err(error) = Program::can_fire(&rule) {
        // `let` is not part of the rule's statement.
        let told = with_values(&rule).filter_map(|told| read_rule(&write(&told)).ok());
        let told: Vec<Rule> = told.filter(|told| Program::can_fire(told).is_ok()).collect();
        let fits = |told: &&Rule| is_needed(learned, others) && alone(told, learned, others);
        let Some(told) = told.iter().find(fits).or(told.first()) else {
            let fires = Fires::Never(error.message);
            return Dressed { rule, text, fires };
        };
        rule = told.clone();
        text = write(&rule);
    }
    if !is_needed(learned, others) {
        let fires = Fires::NotNeeded;
        return Dressed { rule, text, fires };
    }
    for (fires, makes) in [(Fires::Alone, alone as Makes), (Fires::Among, among)] {
        for splits in SPLITS {
            let mut with = rule.clone();
            with.splits = splits.to_vec();
            let text = write(&with);
            if let Ok(rule) = read_rule(&text)
                && makes(&rule, learned, others)
            {
                return Dressed { rule, text, fires };
            }
        }
    }
    let fires = Fires::NotSeen;
    Dressed { rule, text, fires }
}

/// Returns the rule with a constant for each divisor of the left side that is a sum; `None` if no divisor is a sum.
fn with_divisors(rule: &Rule) -> Option<Rule> {
    let Statement::Rewrite(lhs, _) = &rule.statement else {
        return None;
    };
    let mut divisors = lhs.divisors();
    divisors.retain(|divisor| matches!(divisor, Term::Sum(_)));
    let mut named = rule.clone();
    for sum in &divisors {
        let constant = new_constant(&mut named.constants)?;
        let within = |term: &Term| replaced(term, sum, &constant);
        for condition in &mut named.conditions {
            (condition.lhs, condition.rhs) = (within(&condition.lhs), within(&condition.rhs));
        }
        if let Statement::Rewrite(lhs, rhs) = &mut named.statement {
            (*lhs, *rhs) = (within(lhs), within(rhs));
        }
        named.conditions.push(Condition {
            lhs: constant,
            relation: Relation::Equal,
            rhs: sum.clone(),
        });
    }
    (!divisors.is_empty()).then_some(named)
}

/// Adds a constant with an unused name; `None` if all are used.
fn new_constant(constants: &mut Vec<String>) -> Option<Term> {
    let name = CONSTANTS.iter().find(|name| !constants.iter().any(|known| known == **name))?;
    constants.push((*name).to_owned());
    Some(Term::Constant(constants.len() as u8 - 1))
}

/// Returns the rule with `sum = c*t` for each condition `sum mod c = 0`, where t is a new constant; `None` if no condition has
/// this form.
fn with_multiples(rule: &Rule) -> Option<Rule> {
    let mut named = rule.clone();
    for condition in &mut named.conditions {
        let is_zero = (condition.relation, &condition.rhs) == (Relation::Equal, &Term::Integer(0));
        let Term::Mod(sum, divisor) = &condition.lhs else {
            continue;
        };
        if !is_zero || sum.has_expression() {
            continue;
        }
        let constant = new_constant(&mut named.constants)?;
        *condition = Condition {
            lhs: (**sum).clone(),
            relation: Relation::Equal,
            rhs: product((**divisor).clone(), constant),
        };
    }
    (named.constants.len() > rule.constants.len()).then_some(named)
}

fn replaced(term: &Term, part: &Term, with: &Term) -> Term {
    if term == part {
        return with.clone();
    }
    let inner = term.with_operands(|operand| Some(replaced(operand, part, with)));
    inner.unwrap_or_else(|| term.clone())
}

/// Returns the rule with each remainder on the left replaced by its definition; `None` if the left side has no remainder.
fn with_quotients(rule: &Rule) -> Option<Rule> {
    let Statement::Rewrite(lhs, rhs) = &rule.statement else {
        return None;
    };
    let has_remainder = lhs.any(|part| matches!(part, Term::Mod(..)));
    let mut rule = rule.clone();
    rule.statement = Statement::Rewrite(quotients(lhs), rhs.clone());
    has_remainder.then_some(rule)
}

fn quotients(term: &Term) -> Term {
    let inner = term.with_operands(|part| Some(quotients(part)));
    let inner = inner.unwrap_or_else(|| term.clone());
    match inner {
        Term::Mod(x, c) => {
            let quotient = Term::FloorDiv(x.clone(), c.clone());
            let multiple = product(Term::Integer(-1), product(*c, quotient));
            summands(vec![*x, multiple])
        }
        // A factor is distributed over the sum that replaces a remainder.
        Term::Product(factor, sum) => match *sum {
            Term::Sum(terms) => {
                summands(terms.into_iter().map(|x| scaled_by(&factor, x)).collect())
            }
            other => product(*factor, other),
        },
        Term::Sum(terms) => summands(terms),
        other => other,
    }
}

/// Returns a sum of terms, sums among them flattened.
fn summands(terms: Vec<Term>) -> Term {
    let flat = terms.into_iter().flat_map(|term| match term {
        Term::Sum(inner) => inner,
        term => vec![term],
    });
    Term::Sum(flat.collect())
}

type Makes = fn(&Rule, &Learned, &RuleSet) -> bool;

/// Prints the rule and parses it back; returns both if the parsed rule is proved.
fn proved(rule: &Rule, budget: &Budget) -> Option<(Rule, String)> {
    let text = write(rule);
    let read = read_rule(&text).ok()?;
    (judge(&read, budget) == Verdict::Proved).then_some((read, text))
}

/// Returns the conditions, signs first, including a sign for each divisor even if other conditions imply it.
fn conditions(rule: &Rule) -> Vec<Condition> {
    let mut signs: Vec<Condition> = Vec::new();
    for term in rule.stated_terms().flat_map(Term::divisors) {
        let is_sum = matches!(term, Term::Sum(_));
        term.visit(&mut |part| {
            let sign = Condition {
                lhs: Term::Integer(1),
                relation: Relation::LessEqual,
                rhs: part.clone(),
            };
            let is_whole = is_sum && *part == term;
            if (is_whole || matches!(part, Term::Constant(_))) && !signs.contains(&sign) {
                signs.push(sign);
            }
        });
    }
    // The conditions were sorted by the order in which to drop them.
    for one in rule.conditions.iter().rev() {
        if !signs.contains(one) {
            signs.push(one.clone());
        }
    }
    signs
}

/// Generalizes a rule whose left side is a sum to longer, scaled sums: `m*left + z => m*right + z`.
fn in_context(rule: &Rule) -> Option<Rule> {
    let Statement::Rewrite(lhs, rhs) = &rule.statement else {
        return None;
    };
    let Term::Sum(terms) = lhs else { return None };
    let mut rule = rule.clone();
    let is_scaled = |factor: &Term| terms.iter().all(|term| has_factor(term, factor));
    let mut scaled = (0..rule.constants.len()).map(|slot| Term::Constant(slot as u8));
    let factor = match scaled.any(|constant| is_scaled(&constant)) {
        true => Term::Integer(1),
        false => {
            let factor = Term::Constant(rule.constants.len() as u8);
            let is_free = |name: &&&str| !rule.constants.iter().any(|known| known == **name);
            let name = CONSTANTS.iter().rev().find(is_free)?;
            rule.constants.push((*name).to_owned());
            factor
        }
    };
    let others = Term::Expression(rule.expressions.len() as u8);
    let name = EXPRESSIONS.get(rule.expressions.len())?;
    rule.expressions.push((*name).to_owned());
    let within = |side: &Term| {
        let terms = match side {
            Term::Sum(terms) => terms.clone(),
            Term::Integer(0) => Vec::new(),
            term => vec![term.clone()],
        };
        let mut terms: Vec<Term> = terms.into_iter().map(|term| scaled_by(&factor, term)).collect();
        terms.push(others.clone());
        match terms.len() {
            1 => others.clone(),
            _ => Term::Sum(terms),
        }
    };
    rule.statement = Statement::Rewrite(within(lhs), within(rhs));
    Some(rule)
}

/// Returns `factor * term`, with the constants of the term next to the factor.
fn scaled_by(factor: &Term, term: Term) -> Term {
    match term {
        Term::Product(x, y) if *factor != Term::Integer(1) && *x != Term::Integer(-1) => {
            Term::Product(Box::new(scaled_by(factor, *x)), y)
        }
        Term::Product(x, y) if *x == Term::Integer(-1) => product(*x, scaled_by(factor, *y)),
        term => product(factor.clone(), term),
    }
}

fn has_factor(term: &Term, factor: &Term) -> bool {
    match term {
        Term::Product(x, y) => has_factor(x, factor) || has_factor(y, factor),
        term => term == factor,
    }
}

/// Writes a rule over several lines. Declares a sort where the parser would infer another.
fn write(rule: &Rule) -> String {
    let mut text = format!("{}: {}", rule.name, rule.write_statement());
    let list = |text: &mut String, word: &str, items: Vec<String>| {
        if !items.is_empty() {
            let _ = write!(text, "\n  {word} {}", items.join(", "));
        }
    };
    let conditions = rule.conditions.iter();
    let conditions: Vec<String> = conditions.map(|one| rule.write_condition(one)).collect();
    list(&mut text, "where", conditions);
    let words = rule.splits.iter().filter_map(|split| {
        let word = Split::ALL.iter().find(|(_, known)| known == split)?;
        Some(word.0.to_owned())
    });
    list(&mut text, "split", words.collect());
    let values = rule.witnesses.iter().map(|(slot, value)| {
        let name = rule.write(&Term::Constant(*slot));
        format!("{name} = {}", rule.write(value))
    });
    list(&mut text, "let", values.collect());
    let multipliers = rule.multipliers.iter().map(|term| rule.write(term));
    list(&mut text, "multiply", multipliers.collect());
    let cases = rule.cases.iter().map(|case| rule.write_condition(case));
    list(&mut text, "cases", cases.collect());
    let same_sorts = |read: Rule| {
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names
        };
        sorted(&read.constants) == sorted(&rule.constants)
    };
    if !read_rule(&text).is_ok_and(same_sorts) {
        for (word, names) in [("constant", &rule.constants), ("expression", &rule.expressions)] {
            if !names.is_empty() {
                let _ = write!(text, "\n  {word} {}", names.join(" "));
            }
        }
    }
    text
}

/// Returns whether the rule alone, with the definition of a remainder, makes the example's left part as small as the right part.
fn alone(rule: &Rule, learned: &Learned, others: &RuleSet) -> bool {
    let [left, right] = &learned.parts;
    let simplifier = definitions(others).and_then(|set| with(set, rule));
    simplifier.is_some_and(|simplifier| {
        let tally = Arc::new(Tally::default());
        let outcome = simplifier.counting(&tally).simplify(left, &Options::default());
        outcome.map.cost() <= right.cost() && tally.of(&rule.name) > 0
    })
}

/// Returns the definition of a remainder, if it is among the others.
fn definitions(others: &RuleSet) -> Option<RuleSet> {
    let mut set = RuleSet::default();
    if let Some(definition) = others.saying(REMAINDER).ok()? {
        set.extend(vec![others.rule(definition).clone()]).ok()?;
    }
    Some(set)
}

/// Returns whether the left part needs a rule to become as small as the right part.
fn is_needed(learned: &Learned, others: &RuleSet) -> bool {
    let [left, right] = &learned.parts;
    let simplifier = definitions(others).and_then(|set| Simplifier::new(set).ok());
    left.cost() > right.cost()
        && simplifier.is_none_or(|simplifier| {
            simplifier.simplify(left, &Options::default()).map.cost() > right.cost()
        })
}

/// Returns whether the rule fires together with the others.
fn among(rule: &Rule, learned: &Learned, others: &RuleSet) -> bool {
    let simplifier = with(others.clone(), rule);
    simplifier.is_some_and(|simplifier| {
        let tally = Arc::new(Tally::default());
        let counting = simplifier.counting(&tally);
        let _ = counting.simplify(&learned.parts[0], &Options::default());
        tally.of(&rule.name) > 0
    })
}

/// Builds the simplifier of these rules and one more; `None` if the additional rule cannot fire.
pub fn with(mut set: RuleSet, rule: &Rule) -> Option<Simplifier> {
    check_firing(rule).ok()?;
    set.extend(vec![rule.clone()]).ok()?;
    Simplifier::new(set).ok()
}
