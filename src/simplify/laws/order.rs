//! Tests on fired instances that a division rule decreases the measure of `verify::descent`.

use super::{PROGRAM, ample_fuel};
use crate::rule::matching::{integer, sum_of};
use crate::rule::verify::{Descent, descent};
use crate::rule::{RuleId, Statement, Term};
use crate::simplify::domains::assume_constraints;
use crate::simplify::engine::Engine;
use crate::simplify::import::Importer;
use crate::simplify::journal::Entry;
use crate::simplify::linear::Linear;
use crate::simplify::store::{Definition, Store};
use crate::text::parse_map;
use std::collections::BTreeMap;

/// The measure of `of floordiv divisor`.
type Measure = (u64, i64, usize, u128, bool, usize, bool);

fn measure(store: &Store, of: &Linear, divisor: i64) -> Measure {
    let coefficients = || of.terms().iter().map(|(_, coefficient)| *coefficient);
    (
        quotients(store, of),
        divisor,
        of.terms().len(),
        coefficients().map(|c| u128::from(c.unsigned_abs())).sum(),
        coefficients().next().is_some_and(|c| c < 0),
        coefficients().filter(|c| *c < 0).count(),
        !(0..divisor).contains(&of.constant),
    )
}

/// Quotients in the definitions of a sum's atoms, at any depth.
fn quotients(store: &Store, sum: &Linear) -> u64 {
    let atoms = sum.terms().iter().map(|(atom, _)| match &store.atom(*atom).definition {
        Definition::Variable(_) | Definition::Product(_) => 0,
        Definition::Quotient(numerator, _) => 1 + quotients(store, numerator),
        Definition::Least(list) | Definition::Greatest(list) => {
            list.iter().map(|x| quotients(store, x)).sum()
        }
    });
    atoms.sum()
}

/// Dividends and divisors of the quotients on the right side of an instance.
fn right_quotients(rhs: &Term) -> Vec<(&Term, &Term)> {
    match rhs {
        Term::FloorDiv(x, c) => vec![(x, c)],
        Term::Sum(terms) => terms.iter().flat_map(right_quotients).collect(),
        Term::Product(_, x) => right_quotients(x),
        _ => Vec::new(),
    }
}

/// `{"vars": {"d0": [0, 9], ..}, "expr": ".."}` as the text of a map.
fn map_text(line: &str) -> String {
    let case: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
    let bounds = case["vars"].as_object().expect("bounds by name");
    let names: Vec<&str> = bounds.keys().map(String::as_str).collect();
    let domain: Vec<String> =
        bounds.iter().map(|(name, ends)| format!("{name} in {ends}")).collect();
    let expr = case["expr"].as_str().expect("an expression");
    format!("({}) -> ({expr}), domain: {}", names.join(", "), domain.join(", "))
}

#[test]
fn every_rule_that_is_fired_until_none_applies_descends() {
    let rules = PROGRAM.rules();
    let found: Vec<(&str, Option<Descent>)> = (0u16..)
        .zip(rules.rules())
        .filter(|(id, rule)| {
            PROGRAM.fires(RuleId(*id))
                && matches!(rule.file.as_str(), "floordiv.rules" | "constraints.rules")
        })
        .map(|(_, rule)| (rule.name.as_str(), descent(rule).ok()))
        .collect();
    use Descent::*;
    let expected = [
        ("div-block", FewerQuotients),
        ("div-strip", FewerQuotients),
        ("div-extract", FewerTerms),
        ("div-low", SmallerDivisor),
        ("div-bit", FewerQuotients),
        ("div-bit-low", SmallerDivisor),
        ("div-near", SmallerCoefficients),
        ("div-div", FewerQuotients),
        ("div-div-neg", FewerQuotients),
        ("div-half", Known),
        ("div-half-mirror", Known),
        ("div-sign", Sign),
        ("constraint-shift", Constant),
        ("constraint-scale", SmallerCoefficients),
        ("constraint-negate", Sign),
        ("constraint-floordiv", FewerQuotients),
        ("constraint-low-upper", FewerTerms),
        ("constraint-low-lower", FewerTerms),
        ("constraint-mod-shift", Constant),
        ("constraint-stride", Bounds),
        ("constraint-crt", FewerConstraints),
        ("congruence-never", FewerConstraints),
    ];
    let expected: Vec<(&str, Option<Descent>)> =
        expected.map(|(name, order)| (name, Some(order))).to_vec();
    assert_eq!(found, expected);
}

#[test]
fn instances_that_fire_descend_unless_the_digit_view_was_matched() {
    let mut fired: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for line in include_str!("../../../benches/data/cases.jsonl").lines() {
        let text = map_text(line);
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let bounds: Vec<_> = map.domain().intervals().collect();
        let mut engine = Engine::new(&PROGRAM, &bounds, &ample_fuel());
        engine.journal = Some(Vec::new());
        let mut importer = Importer::default();
        assume_constraints(&mut engine, &mut importer, map.domain());
        for result in map.results() {
            importer.import(&mut engine, result).expect("small numbers");
        }
        for entry in engine.journal.take().unwrap_or_default() {
            let Entry::Instance(id, bindings) = entry else {
                continue;
            };
            let rule = PROGRAM.rule(id);
            let Statement::Rewrite(Term::FloorDiv(of, by), rhs) = &rule.statement else {
                continue;
            };
            let of = sum_of(of, &bindings, &mut engine).expect("an instance");
            let by = integer(by, &bindings, &mut engine).expect("an instance");
            let before = measure(&engine.store, &of, by);
            for (numerator, by) in right_quotients(rhs) {
                let numerator = sum_of(numerator, &bindings, &mut engine).expect("an instance");
                let by = integer(by, &bindings, &mut engine).expect("an instance");
                let after = measure(&engine.store, &numerator, by);
                let counts = fired.entry(rule.name.as_str()).or_default();
                if after < before {
                    counts.0 += 1;
                } else {
                    counts.1 += 1;
                    let of = engine.store.intern(&of);
                    let view = engine.store.digits_by_class(of);
                    assert!(!view.digits.is_empty(), "{rule}: {after:?} from {before:?} in {text}");
                }
            }
        }
    }
    for name in ["div-extract", "div-low", "div-div", "div-sign"] {
        assert!(fired.get(name).is_some_and(|(down, _)| *down > 0), "{name}: {fired:?}");
    }
}
