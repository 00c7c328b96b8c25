//! Exports rules as lines `rewrite(before, after, predicate)` of Halide's simplifier.
//!
//! Halide's matcher accepts a line if the pattern binds every variable after it, if there are at most six constants and
//! six expressions, and if the stronger operand of a commutative operation comes first. A law whose conditions have
//! variables of their own is therefore written as a formula that contains all of them.

mod pattern;

use super::beside::{self, variables, variables_of};
use super::parts::{File, Known, file, hash_lines};
use affinor::rule::{Condition, Relation, Rule, Statement, Term};
use pattern::{
    EXPRESSIONS, Pattern, Strength, comparison, conjunction, is_computed, same_truth, term,
};

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let mut text = String::from(HEAD);
    let mut missing = Vec::new();
    for known in rules {
        match line(known.rule, Some(&known.hashes)) {
            Some(line) => text.push_str(&line),
            None => missing.push((known.rule.name.as_str(), TOO_MANY)),
        }
    }
    let mut wrong = String::from(FALSE_HEAD);
    for rule in false_rules {
        wrong.extend(line(rule, None));
    }
    let mut files = beside::files(rules, false_rules, &missing);
    files.extend([
        file("README.md", include_str!("../files/halide.md")),
        file("rules.halide", text),
        file("must_fail.halide", wrong),
        file("recheck.py", include_str!("../files/recheck_halide.py")),
    ]);
    files
}

const HEAD: &str = "\
// Rules of index maps, as Halide's simplifier writes rewrites. README.md explains their use.
// c0 .. c5 match integers, x y z w u v anything; / and % are Euclidean, and x/0 and x%0 are 0.
// `rule`: replaces each match. `fact`: true as well, but constants are to be computed in its pattern, which Halide has folded
// before it matches, or it rewrites a formula to true.
";

const FALSE_HEAD: &str = "// These are false. A check that accepts one of them is worthless.\n";

const TOO_MANY: &str = "it has more than six constants, or more than six expressions, and Halide's matcher binds no more";

fn line(rule: &Rule, hashes: Option<&[String; 2]>) -> Option<String> {
    if rule.constants.len() > EXPRESSIONS.len() || rule.expressions.len() > EXPRESSIONS.len() {
        return None;
    }
    let (kind, rewrite) = rewrite(rule);
    let mut text = format!("\n// {kind} {}\n// {}\n", rule.name, rule.purpose);
    text.push_str(&hash_lines("//", hashes));
    text.push_str(&rewrite);
    text.push('\n');
    Some(text)
}

/// Writes a rule as a line, preceded by the kind of the line.
fn rewrite(rule: &Rule) -> (&'static str, String) {
    let conditions = &rule.conditions;
    let predicate = || match predicate(conditions) {
        Some(text) => format!(", {text}"),
        None => String::new(),
    };
    let of_conditions = variables_of(conditions);
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            let (left, right) = (variables([lhs]), variables([rhs]));
            if right.is_subset(&left) && of_conditions.is_subset(&left) {
                let kind = if folds(lhs) { "fact" } else { "rule" };
                let (before, after) = (term(lhs, false).text, term(rhs, true).text);
                return (kind, format!("rewrite({before}, {after}{})", predicate()));
            }
            let same = Condition { lhs: lhs.clone(), relation: Relation::Equal, rhs: rhs.clone() };
            let same = std::slice::from_ref(&same);
            ("fact", fact(same, &conjunction(same, false), rule))
        }
        Statement::Equivalence(lhs, rhs) => {
            let (left, right) = (variables_of(lhs), variables_of(rhs));
            if right.is_subset(&left) && of_conditions.is_subset(&left) {
                let folds = lhs.iter().any(|c| folds(&c.lhs) || folds(&c.rhs));
                let kind = if folds { "fact" } else { "rule" };
                let (before, after) = (conjunction(lhs, false).text, conjunction(rhs, true).text);
                return (kind, format!("rewrite({before}, {after}{})", predicate()));
            }
            let both: Vec<Condition> = [lhs.clone(), rhs.clone()].concat();
            ("fact", fact(&both, &same_truth(lhs, rhs), rule))
        }
        Statement::Fact(facts) => ("fact", fact(facts, &conjunction(facts, false), rule)),
    }
}

/// Writes a line that states `formula`, whose variables are those of `conditions`.
fn fact(conditions: &[Condition], formula: &Pattern, rule: &Rule) -> String {
    let bound = variables_of(conditions);
    match predicate(&rule.conditions) {
        None => format!("rewrite({}, true)", formula.text),
        Some(predicate) if variables_of(&rule.conditions).is_subset(&bound) => {
            format!("rewrite({}, true, {predicate})", formula.text)
        }
        Some(_) => {
            let conditions = conjunction(&rule.conditions, false);
            let formula = formula.within(Strength::And);
            format!("rewrite(!({}) || {formula}, true)", conditions.text)
        }
    }
}

/// Prints the conditions: Halide evaluates those over constants and tries to prove the others.
fn predicate(conditions: &[Condition]) -> Option<String> {
    let to_prove = |c: &&Condition| c.lhs.has_expression() || c.rhs.has_expression();
    let (unproved, computed): (Vec<_>, Vec<_>) = conditions.iter().partition(to_prove);
    let both = |conditions: Vec<&Condition>| {
        let parts: Vec<String> = conditions
            .into_iter()
            .map(|c| comparison(c, false).within(Strength::Equality))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" && "))
    };
    let unproved = both(unproved).map(|text| format!("can_prove({text}, this)"));
    let parts: Vec<String> = both(computed).into_iter().chain(unproved).collect();
    (!parts.is_empty()).then(|| parts.join(" && "))
}

/// Returns whether Halide folds a part of the term before matching.
fn folds(term: &Term) -> bool {
    term.any(is_computed)
}
