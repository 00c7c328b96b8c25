//! The lemmas of every shipped rule. The judge itself is tested in `tests/rules/verify`.

use super::obligation::of_statement;
use crate::prove::products::{Atom, Implication, LinearProblem, Sign, directed};
use crate::rule::RuleSet;

/// A lemma is a law of the integers, for any values of the unknowns and products.
#[test]
fn every_lemma_is_true_of_all_integers() {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let mut state = 1u64;
    for rule in rules.rules() {
        let obligation = of_statement(rule).expect("small coefficients");
        let cases = obligation.clone().cases(3).expect("small coefficients");
        let directed = cases.into_iter().map(|case| directed(case, true).expect("few lemmas"));
        let mut problem = LinearProblem::new(obligation).expect("few lemmas");
        problem.lemmas.extend(directed.flat_map(|directed| directed.lemmas));
        for _ in 0..20 {
            let values: Vec<i128> = (0..problem.obligation.names.len())
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    i128::from(state >> 60) - 7
                })
                .collect();
            for lemma in &problem.lemmas {
                assert!(holds(lemma, &values), "{rule}: {lemma:?} at {values:?}");
            }
        }
    }
}

fn holds(implication: &Implication, values: &[i128]) -> bool {
    let all = |atoms: &[Atom]| {
        atoms.iter().all(|atom| {
            let value = atom.polynomial.eval(values).expect("small values");
            match atom.is {
                Sign::Zero => value == 0,
                Sign::NotNegative => value >= 0,
            }
        })
    };
    !all(&implication.premises) || all(&implication.conclusions)
}
