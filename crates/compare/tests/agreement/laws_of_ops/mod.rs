//! Laws of ops, checked against the ops: a law of `rules/ops.rules` about all sizes agrees with the definition or the map of
//! a program, whatever sizes are assigned to the law's letters.
//!
//! `ties` has a program for each law, with sizes and attributes that are terms of the law, and lists the letters that are
//! indices of the output. `graph` lists the elements that this program reads. Here numbers that meet the law's conditions are
//! assigned to its letters; at every index the elements that are read must be exactly those of the law's own terms. So a law
//! that is proved for all integers is about the maps that the program derives.

mod graph;
mod instance;
mod tie;
mod ties;

use crate::mutants::{Mutant, mutants};
use affinor::rule::verify::counterexample;
use affinor::rule::{RuleSet, Statement};
use instance::Instance;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tie::{Says, Tie};
use ties::TIES;

/// Maximum number of programs that are compared with a tie; a tie with a single size has fewer.
const PROGRAMS: usize = 30;

fn shipped() -> RuleSet {
    RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn the_maps_are_those_that_the_laws_speak_of() {
    let rules = shipped();
    let mut wrong = Vec::new();
    for tie in TIES {
        let id = rules.find(tie.law);
        let id = id.unwrap_or_else(|| panic!("no law is called {}", tie.law));
        if let Err(reason) = check(tie, &Instance::new(tie, rules.rule(id))) {
            wrong.push(format!("{} with {:?}: {reason}", tie.law, tie.subject));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(tie: &Tie, instance: &Instance<'_>) -> Result<(), String> {
    let (mut programs, mut reading) = (0, 0);
    for sizes in instance.sizes().take(PROGRAMS) {
        let program = instance.program(&sizes);
        let graph = graph::of(tie, &program)?;
        for index in graph.indices(tie.beyond) {
            for values in instance.values() {
                let Some(said) = instance.said(&sizes, &index, &values, graph.largest) else {
                    continue; // the law does not apply to this index
                };
                let read = instance.shown(&graph.read(&index, &values));
                if read != said {
                    return Err(format!(
                        "{read:?} is read, not {said:?}, at {index:?}, {values:?}, {sizes:?} of {program}"
                    ));
                }
                reading += usize::from(!said.is_empty());
            }
        }
        programs += 1;
    }
    match programs >= 5 && (reading >= 20 || tie.is_empty()) {
        true => Ok(()),
        false => Err(format!("{reading} indices of {programs} programs are not enough")),
    }
}

#[test]
fn every_law_is_tied_to_a_program() {
    let rules = shipped();
    let laws = rules.rules().iter().filter(|rule| rule.file == "ops.rules");
    let laws: BTreeSet<&str> = laws.map(|rule| rule.name.as_str()).collect();
    let tied: BTreeSet<&str> = TIES.iter().map(|tie| tie.law).collect();
    assert_eq!(tied, laws);
}

/// The comparison is not vacuous: if one side of a law is changed so that the law fails, the program disagrees with that
/// side.
#[test]
fn a_changed_law_is_not_that_of_its_program() {
    let rules = shipped();
    let (mut noticed, mut missed) = (0, Vec::new());
    for tie in TIES.iter().filter(|tie| tie.says != Says::Given) {
        let id = rules.find(tie.law).expect("it is there");
        let rule = rules.rule(id);
        for Mutant { change, rule: mutant } in mutants(rule) {
            let (Statement::Equivalence(lhs, rhs), Statement::Equivalence(left, right)) =
                (&rule.statement, &mutant.statement)
            else {
                continue;
            };
            let is_here = match tie.says {
                Says::Right => rhs != right,
                Says::Part(_) => false,
                Says::Left | Says::Given => lhs != left,
            };
            if is_here && counterexample(&mutant).is_some() {
                match check(tie, &Instance::new(tie, &mutant)) {
                    Ok(()) => missed.push(format!("{} with {:?}: {change}", tie.law, tie.subject)),
                    Err(_) => noticed += 1,
                }
            }
        }
    }
    // The missed mutants change the meaning of a letter that is not an index of the program, such as the number of a tap or a
    // group; the letter still has some value.
    let all = noticed >= 540 && missed.len() <= 20;
    assert!(all, "{noticed} noticed, not\n{}", missed.join("\n"));
}

/// An equivalence relates a definition and a map: each side is tied to its own.
#[test]
fn laws_of_agreement_are_tied_on_both_sides() {
    for law in TIES.iter().map(|tie| tie.law) {
        let of_law = || TIES.iter().filter(|tie| tie.law == law);
        if law.ends_with("-agrees") {
            let defined = |tie: &Tie| tie.is_defined() && tie.says == Says::Left;
            let derived = |tie: &Tie| !tie.is_defined() && tie.says == Says::Right;
            assert!(of_law().any(defined), "{law}: no definition on the left");
            assert!(of_law().any(derived), "{law}: no map on the right");
        }
    }
}

/// The purpose of a law begins with the functions that rely on it, and the module docs of their files name the law.
#[test]
fn the_files_name_their_laws() {
    let rules = shipped();
    let laws = rules.rules().iter().filter(|rule| rule.file == "ops.rules");
    for law in laws {
        let (functions, _) = law.purpose.split_once(": ").expect("functions, then what for");
        for function in functions.split(", ") {
            let (module, _) = function.split_once("::").expect("a module and a function");
            let path = match module {
                "IndexingMap" => "../maps/src/expr/map/inverse.rs".to_owned(),
                module => format!("../ops/src/indexing/{module}.rs"),
            };
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{law}: {error}"));
            let head = text.lines().take_while(|line| line.starts_with("//!"));
            let head: String = head.collect();
            let of_all = |stem: &str| format!("`{stem}-*`");
            let mut stems = law.name.match_indices('-').map(|(end, _)| &law.name[..end]);
            let named = head.contains(&format!("`{}`", law.name));
            let named = named || stems.any(|stem| head.contains(&of_all(stem)));
            assert!(named, "{} does not name {}", path.display(), law.name);
        }
    }
}
