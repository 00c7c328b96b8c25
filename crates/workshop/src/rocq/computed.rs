//! Prints claims as theorems about the proved checker; the proof is that the checker accepts them, by computation in Rocq's
//! kernel.
//!
//! Law: the statement is about the maps in the comment above it; variables are numbered as there, sizes with names first. A proof
//! of anything else is not accepted, so the steps need not be trusted.

use super::comment::comment;
use affinor::certificate::{Claim, Equal, Instance};
use affinor::expr::{
    Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind,
};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::rule::RuleSet;
use affinor::text::{Error, ErrorKind, Style, print_map};
use std::fmt::Write;

macro_rules! imports {
    () => {
        "\
From Coq Require Import ZArith List String.
From Affinor Require Import Maps Claims Accepted.
Import ListNotations.
Open Scope Z_scope.
"
    };
}

/// The imports that a theorem needs.
pub(super) const IMPORTS: &str = imports!();

/// The lines before the first theorem.
pub const HEAD: &str = concat!(
    "(* Check: coqc -Q DIR Affinor FILE, where DIR is the output of `affinor rules export --format rocq --out DIR`, after `make -C DIR/checker`. *)\n",
    imports!()
);

/// Maximum number of nodes of the expressions of a claim, each counted once per occurrence in the text.
const MAX_SIZE: u64 = 200_000;

/// Writes a claim as a theorem `holds`, with the definitions that it needs.
///
/// # Errors
/// [`ErrorKind::Arity`] if a step does not bind the variables of a known rule; [`ErrorKind::TooLarge`].
pub fn computed(claim: &Claim, rules: &RuleSet) -> Result<String, Error> {
    let error = |kind, reason| {
        let message = format!("the certificate cannot be written for Rocq: {reason}");
        Error::without_span(kind, message)
    };
    let binds = |step: &Instance| {
        let rule = rules.find(&step.rule).map(|id| rules.rule(id));
        rule.is_some_and(|rule| step.binds(rule))
    };
    if !claim.steps().all(binds) {
        return Err(error(ErrorKind::Arity, "its steps must bind the variables of known rules"));
    }
    if size(claim) > MAX_SIZE {
        return Err(error(ErrorKind::TooLarge, "it is too large"));
    }
    let certificate = &claim.certificate;
    let mut text =
        definition("before", &certificate.before) + &definition("after", &certificate.after);
    let mut said = vec![("same_function before after", "same")];
    let mut parts = ["None"; 3].map(str::to_owned);
    if let Some([first, second]) = &claim.composition {
        text += &(definition("first", first) + &definition("second", second));
        parts[0] = "(Some (first, second))".to_owned();
        said.push(("composition_of first second before", "composed"));
    }
    if let Some(reads) = &claim.reads {
        text += &definition("reads", &reads.map);
        let (from, to) = (Places::of(certificate.after.domain()), Places::of(reads.map.domain()));
        let images = from.order.iter().map(|id| {
            let image = reads.variables.get(id.index()).copied().flatten();
            image.map_or("None".to_owned(), |image| format!("Some {}%nat", to.place(image)))
        });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Definition images : list (option nat) := {}.", list(images));
        parts[1] = "(Some (images, reads))".to_owned();
        said.push(("reads_the_same after images reads", "left"));
    }
    if let Some(other) = &claim.equal {
        text += &definition("equal", other.map());
        let [first, second] = steps(other.map(), other.lists());
        let how = match other {
            Equal::Leading(_) => "Leading",
            Equal::BothWays(_) => "Both_ways",
        };
        parts[2] = format!("(Some (equal, {how} {first}\n  {second}))");
        said.push(("same_function before equal", "equal"));
    }
    let [of_domain, of_results] =
        steps(&certificate.before, [&certificate.domain_steps, &certificate.result_steps]);
    let statement: Vec<&str> = said.iter().map(|(statement, _)| *statement).collect();
    let names = said.iter().rev().map(|(_, name)| (*name).to_owned());
    let proof = names.reduce(|rest, name| format!("(conj {name} {rest})")).unwrap_or_default();
    let _ = write!(
        text,
        "Definition claim := Claim (Certificate before after\n  {of_domain}\n  {of_results}) {}.\n\
         Theorem holds : {}.\nProof.\n  \
         assert (h : claimed claim) by (apply accepted_claim; vm_cast_no_check (eq_refl true)).\n  \
         destruct h as (same & composed & left & equal). exact {proof}.\nQed.\n",
        parts.join(" "),
        statement.join(" /\\ "),
    );
    Ok(text)
}

/// Returns all maps of a claim.
fn maps(claim: &Claim) -> impl Iterator<Item = &IndexingMap> {
    let certificate = &claim.certificate;
    let beside = claim.composition.iter().flatten().chain(claim.reads.iter().map(|x| &x.map));
    let other = claim.equal.iter().map(Equal::map);
    [&certificate.before, &certificate.after].into_iter().chain(beside).chain(other)
}

fn size(claim: &Claim) -> u64 {
    let of_maps = maps(claim).flat_map(|map| {
        let constraints = map.domain().constraints().iter().map(|constraint| &constraint.expr);
        constraints.chain(map.results())
    });
    let of_steps = claim.steps().flat_map(|step| step.constants.iter().chain(&step.expressions));
    let sizes = of_maps.chain(of_steps).map(|expr| u64::from(expr.size()));
    sizes.fold(0, u64::saturating_add)
}

/// Prints the definition of a map, below its text in a comment.
fn definition(name: &str, map: &IndexingMap) -> String {
    let (domain, places) = (map.domain(), Places::of(map.domain()));
    let variables = places.order.iter().filter_map(|id| domain.variables().get(id.index()));
    let kinds = variables.clone().map(|variable| kind(variable.kind).to_string());
    let (boxed, constraints) = match domain.is_known_empty() {
        true => {
            let never = "(Some 1, Some 0)".to_owned();
            (list(variables.map(|_| never.clone())), format!("[((Const 0), {never})]"))
        }
        false => {
            let constraints = domain.constraints().iter();
            let constraint =
                |x: &Constraint| format!("({}, {})", places.term(&x.expr), interval(x.bounds));
            (list(variables.map(|x| interval(x.bounds))), list(constraints.map(constraint)))
        }
    };
    let results = list(map.results().iter().map(|expr| places.term(expr)));
    let shown = comment(&print_map(map, Style::default()));
    format!(
        "(* {shown} *)\nDefinition {name} := (Map {}%nat {boxed}\n    {constraints}\n    {results}).\n",
        list(kinds)
    )
}

/// Prints steps whose expressions are over the variables of a map.
fn steps(before: &IndexingMap, lists: [&[Instance]; 2]) -> [String; 2] {
    let places = Places::of(before.domain());
    lists.map(|steps| {
        list(steps.iter().map(|step| {
            let bound = step.constants.iter().chain(&step.expressions);
            let bound = list(bound.map(|expr| places.term(expr)));
            format!("Step (rule_named \"{}\") {bound}", step.rule)
        }))
    })
}

/// The variables of a domain in the checker's order.
struct Places {
    order: Vec<VariableId>,
    places: Vec<usize>,
}

impl Places {
    fn of(domain: &Domain) -> Places {
        let mut order: Vec<VariableId> =
            VariableKind::ALL.iter().flat_map(|kind| domain.ids(*kind)).collect();
        order.sort_by_key(|id| domain.variables().get(id.index()).map(|x| kind(x.kind)));
        let mut places = vec![0; order.len()];
        for (place, id) in order.iter().enumerate() {
            if let Some(own) = places.get_mut(id.index()) {
                *own = place;
            }
        }
        Places { order, places }
    }

    fn place(&self, id: VariableId) -> usize {
        self.places.get(id.index()).copied().unwrap_or(self.places.len())
    }

    fn term(&self, expr: &Expr) -> String {
        let term = |expr: &Expr| self.term(expr);
        let pair = |name: &str, x: String, y: String| format!("({name} {x} {y})");
        let divisor = |divisor: &Divisor| match divisor {
            Divisor::Integer(value) => constant(*value),
            Divisor::Named(expr) => term(expr),
        };
        let fold = |name: &str, terms: &mut dyn Iterator<Item = String>| {
            terms.reduce(|x, y| pair(name, x, y)).unwrap_or_else(|| constant(0))
        };
        match expr.kind() {
            ExprKind::Constant(value) => constant(*value),
            ExprKind::Variable(id) => format!("(Var {})", self.place(*id)),
            ExprKind::Sum(sum) => {
                let terms = sum.terms().iter().map(|(c, x)| match c {
                    1 => term(x),
                    c => pair("Mul", constant(*c), term(x)),
                });
                let last = (sum.constant() != 0).then(|| constant(sum.constant()));
                fold("Add", &mut terms.chain(last))
            }
            ExprKind::Product(factors) => fold("Mul", &mut factors.iter().map(term)),
            ExprKind::FloorDiv(x, by) => pair("Div", term(x), divisor(by)),
            ExprKind::CeilDiv(x, by) => pair("Ceil", term(x), divisor(by)),
            ExprKind::Mod(x, by) => pair("Mod", term(x), divisor(by)),
            ExprKind::Min(operands) => fold("Min", &mut operands.iter().map(term)),
            ExprKind::Max(operands) => fold("Max", &mut operands.iter().map(term)),
        }
    }
}

fn kind(kind: VariableKind) -> u8 {
    match kind {
        VariableKind::Parameter => 0,
        VariableKind::Dimension => 1,
        VariableKind::Range => 2,
        VariableKind::Runtime => 3,
    }
}

fn interval(interval: Interval) -> String {
    let end = |end: i64, infinite: i64| match end == infinite {
        true => "None".to_owned(),
        false => format!("Some {}", integer(end)),
    };
    format!("({}, {})", end(interval.lo(), MINUS_INFINITY), end(interval.hi(), PLUS_INFINITY))
}

fn constant(value: i64) -> String {
    format!("(Const {})", integer(value))
}

fn integer(value: i64) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join("; "))
}
