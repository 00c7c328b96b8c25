//! Prints scripts for solvers: SMT-LIB 2, logic QF_LIA, expected answer `unsat`.
//!
//! Each product of unknowns is declared as an integer constant `|a*b|`. Z3, the second solver and exports get the same
//! text; the lock file has its hash.

use super::lemmas::LinearProblem;
use super::obligation::{Atom, Goal, Implication, Sign};
use crate::num::wide::{Monomial, Polynomial};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Prints the problem as a script that ends with `(check-sat)`; `unsat` is a proof.
pub fn script(problem: &LinearProblem) -> String {
    let mut text = String::from("(set-logic QF_LIA)\n");
    let body = assertions(problem);
    for name in declared(problem) {
        let _ = writeln!(text, "(declare-const {name} Int)"); // writing to a string cannot fail
    }
    text.push_str(&body);
    text.push_str("(check-sat)\n");
    text
}

fn assertions(problem: &LinearProblem) -> String {
    let names = &problem.obligation.names;
    let mut text = String::new();
    let mut assert = |formula: &str| {
        let _ = writeln!(text, "(assert {formula})");
    };
    for hypothesis in &problem.obligation.hypotheses {
        assert(&atom(names, hypothesis));
    }
    for implication in problem.axioms.iter().chain(&problem.lemmas) {
        assert(&implies(names, implication));
    }
    let goal = match &problem.obligation.goal {
        Goal::All(goals) => conjunction(names, goals),
        Goal::Same(lhs, rhs) => {
            format!("(= {} {})", conjunction(names, lhs), conjunction(names, rhs))
        }
    };
    assert(&format!("(not {goal})"));
    text
}

/// Names of the monomials that occur, in monomial order.
fn declared(problem: &LinearProblem) -> Vec<String> {
    let mut monomials: BTreeSet<&Monomial> = BTreeSet::new();
    let implications = problem.axioms.iter().chain(&problem.lemmas);
    let mut atoms: Vec<&Atom> =
        implications.flat_map(|i| i.premises.iter().chain(&i.conclusions)).collect();
    atoms.extend(&problem.obligation.hypotheses);
    match &problem.obligation.goal {
        Goal::All(goals) => atoms.extend(goals),
        Goal::Same(lhs, rhs) => atoms.extend(lhs.iter().chain(rhs)),
    }
    for atom in atoms {
        monomials.extend(atom.polynomial.terms().iter().map(|(monomial, _)| monomial));
    }
    let names = &problem.obligation.names;
    monomials.into_iter().map(|monomial| name(names, monomial)).collect()
}

fn name(names: &[String], monomial: &Monomial) -> String {
    let unknowns = monomial.unknowns().iter();
    let factors: Vec<&str> = unknowns.map(|unknown| names[*unknown as usize].as_str()).collect();
    format!("|{}|", factors.join("*"))
}

fn implies(names: &[String], implication: &Implication) -> String {
    let conclusion = conjunction(names, &implication.conclusions);
    match implication.premises.as_slice() {
        [] => conclusion,
        premises => format!("(=> {} {conclusion})", conjunction(names, premises)),
    }
}

fn conjunction(names: &[String], atoms: &[Atom]) -> String {
    match atoms {
        [] => "true".to_owned(),
        [only] => atom(names, only),
        _ => {
            let atoms: Vec<String> = atoms.iter().map(|part| atom(names, part)).collect();
            format!("(and {})", atoms.join(" "))
        }
    }
}

fn atom(names: &[String], atom: &Atom) -> String {
    let relation = match atom.is {
        Sign::Zero => "=",
        Sign::NotNegative => ">=",
    };
    format!("({relation} {} 0)", polynomial(names, &atom.polynomial))
}

fn polynomial(names: &[String], polynomial: &Polynomial) -> String {
    let constant = (polynomial.constant != 0).then(|| integer(polynomial.constant));
    let terms = polynomial.terms().iter().map(|(monomial, coefficient)| {
        match (name(names, monomial), *coefficient) {
            (name, 1) => name,
            (name, factor) => format!("(* {} {name})", integer(factor)),
        }
    });
    let summands: Vec<String> = constant.into_iter().chain(terms).collect();
    match summands.as_slice() {
        [] => "0".to_owned(),
        [only] => only.clone(),
        _ => format!("(+ {})", summands.join(" ")),
    }
}

/// Prints an integer; SMT-LIB has no negative literals.
pub fn integer(value: i128) -> String {
    match value {
        0.. => value.to_string(),
        _ => format!("(- {})", value.unsigned_abs()),
    }
}
