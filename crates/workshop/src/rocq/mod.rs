//! Prints a certificate as a theorem that Rocq's kernel checks.
//!
//! The theorem states that both maps have the same domain and, on it, the same results; its proof uses the exported rules at the
//! certificate's instances. Nothing here need be trusted: Rocq rejects a wrong script, and the statement can be read.

mod comment;
mod computed;
mod names;
mod points;
mod script;
mod tree;

use affinor::certificate::{Certificate, Claim, Equal, Instance};
use affinor::expr::{Domain, IndexingMap};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::rule::RuleSet;
use affinor::text::{Error, ErrorKind, Style, print_map};
pub use comment::comment;
use computed::IMPORTS;
pub use computed::{HEAD as COMPUTED_HEAD, computed};
use script::Script;
use std::fmt::Write;
use tree::Tree;

/// The lines before the first theorem.
pub const HEAD: &str = "\
(* Check: coqc -Q DIR Affinor FILE, where DIR is what `affinor rules export --format rocq --out DIR` has written and `make` compiled. *)
From Coq Require Import ZArith Lia.
From Affinor Require Import Lemmas Rules.
Open Scope Z_scope.
";

/// Maximum number of parts of the statement and its bounds, with each remainder written out as a difference.
const MAX_SIZE: u64 = 20_000;

/// Writes a certificate as definitions of both domains, and the theorems `same_domain` and `same_results` about its maps.
///
/// # Errors
/// [`ErrorKind::Arity`] if its maps or steps do not fit, so that no theorem could state its claim; [`ErrorKind::TooLarge`];
/// [`ErrorKind::Overflow`] if a number exceeds 64 bits when products are expanded.
pub fn theorem(certificate: &Certificate, rules: &RuleSet) -> Result<String, Error> {
    let error = |kind, reason| {
        let message = format!("the certificate cannot be written for Rocq: {reason}");
        Error::without_span(kind, message)
    };
    if !fits(certificate, rules) {
        let reason = "its maps must have the same variables and as many results, and its steps must bind the variables of known rules";
        return Err(error(ErrorKind::Arity, reason));
    }
    let names = names_of(certificate.before.domain());
    if size(certificate, &names) > MAX_SIZE {
        return Err(error(ErrorKind::TooLarge, "it is too large"));
    }
    written(certificate, rules, &names)
        .ok_or_else(|| error(ErrorKind::Overflow, "a number exceeds 64 bits"))
}

/// Writes a file about a claim that two maps are the same function: its head, and the theorem as [`theorem_of_claim`] writes it.
///
/// # Errors
/// The errors of [`theorem_of_claim`].
pub fn file_of_claim(claim: &Claim, rules: &RuleSet) -> Result<String, Error> {
    Ok(match &claim.equal {
        Some(Equal::BothWays(_)) => format!("{COMPUTED_HEAD}\n{}", computed(claim, rules)?),
        _ => format!("{HEAD}\n{}", theorem_of_claim(claim, rules)?),
    })
}

/// Writes the theorem of a claim that two maps are the same function. A single certificate is written as by [`theorem`]. If both
/// maps are simplified to a common third map, writes both theorems, in modules `Left` and `Right`, and the theorem that combines
/// them. If each domain contains the other, writes it as [`computed`] does, after the names that it needs, which the checker
/// defines.
///
/// # Errors
/// The errors of [`theorem`] and [`computed`]; [`ErrorKind::Unsupported`] if the claim is about more.
pub fn theorem_of_claim(claim: &Claim, rules: &RuleSet) -> Result<String, Error> {
    if claim.composition.is_some() || claim.reads.is_some() {
        let message = "this claims more than that two maps are the same function";
        return Err(Error::new(ErrorKind::Unsupported, 0..0, message)
            .hint("`affinor-check --term` of the checker states it for Rocq"));
    }
    let other = match &claim.equal {
        None => return theorem(&claim.certificate, rules),
        Some(Equal::BothWays(_)) => {
            // In a file of several theorems, these imports are inside a module.
            let quiet = "Set Warnings \"-require-in-module\".\n";
            return Ok(format!("{quiet}{IMPORTS}{}", computed(claim, rules)?));
        }
        Some(Equal::Leading(other)) => other,
    };
    let left = theorem(&claim.certificate, rules)?;
    let right = theorem(other, rules)?;
    let [before, equal] = [&claim.certificate.before, &other.before];
    if before.domain().variables().len() != equal.domain().variables().len() {
        let reason =
            "the certificate cannot be written for Rocq: its maps must have the same variables";
        return Err(Error::without_span(ErrorKind::Arity, reason));
    }
    let names = names_of(before.domain());
    let at: String = names.iter().map(|name| format!(" {name}")).collect();
    let forall = if names.is_empty() { String::new() } else { format!("forall{at} : Z, ") };
    let claim = equations(before, equal, &names);
    Ok(format!(
        "Module Left.\n{left}End Left.\nModule Right.\n{right}End Right.\n\n\
         Theorem same_domain : {forall}Left.before{at} <-> Right.before{at}.\nProof.\n  \
         intros{at}. exact (iff_trans (Left.same_domain{at}) (iff_sym (Right.same_domain{at}))).\nQed.\n\n\
         Theorem same_results : {forall}Left.before{at} ->\n  {claim}.\nProof.\n  \
         intros{at} given. pose proof (Left.same_results{at} given) as left.\n  \
         pose proof (Right.same_results{at} (proj1 (same_domain{at}) given)) as right.\n  \
         intuition congruence.\nQed.\n"
    ))
}

/// States that two maps over the same variables have the same results.
fn equations(before: &IndexingMap, after: &IndexingMap, names: &[String]) -> String {
    let results = before.results().iter().zip(after.results());
    let equation = |(x, y)| format!("{} = {}", Tree::expr(x, names), Tree::expr(y, names));
    let equations: Vec<String> = results.map(equation).collect();
    match equations.is_empty() {
        true => "True".to_owned(),
        false => equations.join(" /\\\n  "),
    }
}

fn fits(certificate: &Certificate, rules: &RuleSet) -> bool {
    let binds = |step: &Instance| {
        let rule = rules.find(&step.rule).map(|id| rules.rule(id));
        rule.is_some_and(|rule| step.binds(rule))
    };
    let [before, after] = [&certificate.before, &certificate.after].map(|map| map.results().len());
    certificate.has_same_variables() && before == after && certificate.steps().all(binds)
}

fn size(certificate: &Certificate, names: &[String]) -> u64 {
    let maps = [&certificate.before, &certificate.after];
    let constraints = maps.iter().flat_map(|map| map.domain().constraints());
    let results = maps.iter().flat_map(|map| map.results());
    let steps = certificate.steps();
    let bound = steps.flat_map(|step| step.constants.iter().chain(&step.expressions));
    let mut all = constraints.map(|x| &x.expr).chain(results).chain(bound);
    let total = all.try_fold(0u64, |total, expr| {
        let is_small = u64::from(expr.size()) <= MAX_SIZE; // counted as a tree
        let size = is_small.then(|| Tree::expr(expr, names).size_without_remainders())?;
        Some(total.saturating_add(size)).filter(|total| *total <= MAX_SIZE)
    });
    total.unwrap_or(u64::MAX)
}

/// Writes the theorems; `None` if a number exceeds 64 bits.
fn written(certificate: &Certificate, rules: &RuleSet, names: &[String]) -> Option<String> {
    let (before, after) = (&certificate.before, &certificate.after);
    let all = names.join(" ");
    let mut text = String::new();
    for (title, map) in [("Before", before), ("After", after)] {
        let shown = comment(&print_map(map, Style::default()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "(* {title}: {shown} *)");
    }
    let (binders, forall) = match names.is_empty() {
        true => (String::new(), String::new()),
        false => (format!(" ({all} : Z)"), format!("forall {all} : Z, ")),
    };
    for (title, map) in [("before", before), ("after", after)] {
        let _ = writeln!(
            text,
            "Definition {title}{binders} : Prop :=\n  {}.",
            domain(map.domain(), names)
        );
    }
    let applied = |title: &str| match names.is_empty() {
        true => title.to_owned(),
        false => format!("{title} {all}"),
    };
    let (given, reached) = (applied("before"), applied("after"));
    let _ = writeln!(text, "\nTheorem same_domain : {forall}{given} <-> {reached}.\nProof.");
    let mut script = Script::new(certificate, rules, names);
    match domain(before.domain(), names) == domain(after.domain(), names) {
        true => text.push_str("  intros. apply iff_refl.\n"),
        false => {
            text.push_str("  intros. unfold before, after. split; intro domain.\n");
            for (from, to) in [(before, after), (after, before)] {
                let tactics = script.domains(from.domain(), to.domain())?;
                let _ = writeln!(text, "  {{\n{}  }}", indented(&tactics, 4));
            }
        }
    }
    let results = before.results().iter().zip(after.results());
    let results: Vec<[Tree; 2]> =
        results.map(|(x, y)| [x, y].map(|expr| Tree::expr(expr, names))).collect();
    let claim = equations(before, after, names);
    let arguments = " _".repeat(names.len());
    let introduced: String = names.iter().map(|name| format!(" {name}")).collect();
    let tactics = script.results(&results)?;
    let _ = write!(
        text,
        "Qed.\n\nTheorem same_results : {forall}{given} ->\n  {claim}.\nProof.\n  intros{introduced} given. \
         pose proof (proj1 (same_domain{arguments}) given) as domain.\n  \
         unfold before, after in *.\n{}Qed.\n",
        indented(&tactics, 2)
    );
    Some(text)
}

fn indented(tactics: &[String], by: usize) -> String {
    let indent = " ".repeat(by);
    tactics.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// Returns the variables as identifiers: names of the form `d0` stay, others get a prefix, so that none is a keyword.
fn names_of(domain: &Domain) -> Vec<String> {
    let variables = domain.variables().iter().enumerate();
    let identifier = |(index, name): (usize, &str)| {
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|letter| letter.is_ascii_lowercase());
        let is_plain = starts && name.len() > 1 && letters.all(|c| c.is_ascii_digit());
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match (is_plain, is_word) {
            (true, _) => name.to_owned(),
            (false, true) => format!("v_{name}"),
            (false, false) => format!("v{index}_"),
        }
    };
    variables.map(|(index, variable)| identifier((index, &variable.name))).collect()
}

/// Prints the bounds and constraints of a domain.
fn domain(domain: &Domain, names: &[String]) -> String {
    let variables = domain.variables().iter().zip(names);
    let bounds = variables.map(|(variable, name)| within(name, variable.bounds));
    let constraints = domain.constraints().iter();
    let constraints =
        constraints.map(|x| within(&Tree::expr(&x.expr, names).to_string(), x.bounds));
    let all: Vec<String> = bounds.chain(constraints).flatten().collect();
    match all.is_empty() {
        true => "True".to_owned(),
        false => all.join(" /\\ "),
    }
}

/// States that a value lies in an interval; `None` if the interval is unbounded.
fn within(value: &str, bounds: Interval) -> Option<String> {
    let (lo, hi) = (bounds.lo(), bounds.hi());
    match (lo == MINUS_INFINITY, hi == PLUS_INFINITY) {
        (true, true) => None,
        (true, false) => Some(format!("{value} <= {hi}")),
        (false, true) => Some(format!("{lo} <= {value}")),
        (false, false) if lo == hi => Some(format!("{value} = {lo}")),
        (false, false) => Some(format!("{lo} <= {value} <= {hi}")),
    }
}
