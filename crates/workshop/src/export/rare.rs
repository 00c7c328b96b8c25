//! Exports rules in RARE, cvc5's language of rewrite rules.
//!
//! Every variable of a rule must occur in its match. A law whose conditions have variables of their own is therefore
//! written as an implication that is rewritten to true.

use super::beside::{self, Variables, variables, variables_of};
use super::parts::{File, Known, file, hash_lines};
use affinor::rule::{Condition, Relation, Rule, Statement, Term};
use std::fmt::Write;

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let mut text = String::from(HEAD);
    for known in rules {
        text.push_str(&definition(known.rule, Some(&known.hashes)));
    }
    let mut wrong = String::from(FALSE_HEAD);
    for rule in false_rules {
        wrong.push_str(&definition(rule, None));
    }
    let mut files = beside::files(rules, false_rules, &[]);
    files.extend([
        file("README.md", include_str!("files/rare.md")),
        file("rules.rare", text),
        file("must_fail.rare", wrong),
        file("recheck.py", include_str!("files/recheck_rare.py")),
        file("with_cvc5.py", include_str!("files/rare_with_cvc5.py")),
    ]);
    files
}

const HEAD: &str = "\
; Rules of index maps in RARE. README.md explains their use.
; div and mod are SMT-LIB's; where the conditions hold, divisors are at least 1.
";

const FALSE_HEAD: &str = "; These are false. A check that accepts one of them is worthless.\n";

fn definition(rule: &Rule, hashes: Option<&[String; 2]>) -> String {
    let mut text = format!("\n; {}\n", rule.purpose);
    text.push_str(&hash_lines(";", hashes));
    let names = rule.variables();
    let parameters: Vec<String> = names.map(|name| format!("({name} Int)")).collect();
    let parameters = format!("({})", parameters.join(" "));
    let of_conditions = variables_of(&rule.conditions);
    let is_bound = |bound: Variables, others: Variables| {
        others.is_subset(&bound) && of_conditions.is_subset(&bound)
    };
    let writer = Writer(rule);
    let rewritten = match &rule.statement {
        Statement::Rewrite(lhs, rhs) => is_bound(variables([lhs]), variables([rhs]))
            .then(|| (writer.term(lhs), writer.term(rhs))),
        Statement::Equivalence(lhs, rhs) => is_bound(variables_of(lhs), variables_of(rhs))
            .then(|| (writer.conjunction(lhs), writer.conjunction(rhs))),
        Statement::Fact(facts) => is_bound(variables_of(facts), Variables::new())
            .then(|| (writer.conjunction(facts), "true".to_owned())),
    };
    let conditions = writer.conjunction(&rule.conditions);
    let (keyword, parts) = match rewritten {
        Some((lhs, rhs)) if rule.conditions.is_empty() => ("define-rule", vec![lhs, rhs]),
        Some((lhs, rhs)) => ("define-cond-rule", vec![conditions, lhs, rhs]),
        None => {
            let formula = writer.formula();
            let law = match rule.conditions.is_empty() {
                true => formula,
                false => format!("(=> {conditions} {formula})"),
            };
            ("define-rule", vec![law, "true".to_owned()])
        }
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "({keyword} {} {parameters}\n  {})", rule.name, parts.join("\n  "));
    text
}

/// Prints terms with the names of a rule.
struct Writer<'r>(&'r Rule);

impl Writer<'_> {
    /// Returns the statement as one formula.
    fn formula(&self) -> String {
        match &self.0.statement {
            Statement::Rewrite(lhs, rhs) => format!("(= {} {})", self.term(lhs), self.term(rhs)),
            Statement::Equivalence(lhs, rhs) => {
                format!("(= {} {})", self.conjunction(lhs), self.conjunction(rhs))
            }
            Statement::Fact(facts) => self.conjunction(facts),
        }
    }

    fn conjunction(&self, conditions: &[Condition]) -> String {
        let parts: Vec<String> = conditions.iter().map(|c| self.comparison(c)).collect();
        match parts.as_slice() {
            [] => "true".to_owned(),
            [one] => one.clone(),
            _ => format!("(and {})", parts.join(" ")),
        }
    }

    fn comparison(&self, condition: &Condition) -> String {
        let Condition { lhs, relation, rhs } = condition;
        let (lhs, rhs) = (self.term(lhs), self.term(rhs));
        match relation {
            Relation::LessEqual if matches!(condition.lhs, Term::Integer(_)) => {
                format!("(>= {rhs} {lhs})")
            }
            _ => format!("({} {lhs} {rhs})", relation.symbol()),
        }
    }

    fn term(&self, term: &Term) -> String {
        let pair = |operator: &str, x: &Term, y: &Term| {
            format!("({operator} {} {})", self.term(x), self.term(y))
        };
        let chosen = |relation: &str, x: &Term, y: &Term| {
            let (x, y) = (self.term(x), self.term(y));
            format!("(ite ({relation} {x} {y}) {x} {y})")
        };
        match term {
            Term::Integer(value) if *value < 0 => format!("(- {})", value.unsigned_abs()),
            Term::Integer(value) => value.to_string(),
            Term::Constant(_) | Term::Expression(_) => self.0.name_of(term).to_owned(),
            Term::Sum(terms) => self.sum(terms),
            Term::Product(x, y) if **x == Term::Integer(-1) => format!("(- {})", self.term(y)),
            Term::Product(x, y) => pair("*", x, y),
            Term::FloorDiv(x, y) => pair("div", x, y),
            Term::Mod(x, y) => pair("mod", x, y),
            Term::Min(x, y) => chosen("<=", x, y),
            Term::Max(x, y) => chosen(">=", x, y),
            // Bounds occur only in hints, which are not exported.
            Term::Lo(_) | Term::Hi(_) => self.0.name_of(term).to_owned(),
        }
    }

    fn sum(&self, terms: &[Term]) -> String {
        let mut total: Option<String> = None;
        for term in terms {
            total = Some(match (total, term) {
                (None, term) => self.term(term),
                (Some(total), Term::Product(x, y)) if **x == Term::Integer(-1) => {
                    format!("(- {total} {})", self.term(y))
                }
                (Some(total), Term::Integer(value)) if *value < 0 => {
                    format!("(- {total} {})", value.unsigned_abs())
                }
                (Some(total), term) => format!("(+ {total} {})", self.term(term)),
            });
        }
        total.unwrap_or_else(|| "0".to_owned())
    }
}
