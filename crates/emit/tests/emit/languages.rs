//! Each language has tests: a new language fails here until its code is compared with its maps, and its texts with expected ones.

use crate::{arith, running, words};
use affinor_emit::Language;
use std::collections::BTreeSet;

/// The tests that run a language's code, or read it back, at the points of many maps.
const COMPARED: [(Language, fn()); 5] = [
    (Language::Python, running::python_computes_the_maps),
    (Language::C, running::c_computes_the_maps),
    (Language::Cuda, running::cuda_computes_the_maps_on_the_host),
    (Language::Triton, running::triton_computes_the_maps_with_blocks_that_wrap),
    (Language::Mlir, arith::mlir_says_the_maps),
];

/// Languages without an available interpreter: only their texts are compared.
const ONLY_TEXTS: [Language; 2] = [Language::Latex, Language::Isl];

#[test]
fn each_language_has_cases() {
    for language in Language::ALL {
        let is_compared = COMPARED.iter().any(|(compared, _)| *compared == language);
        assert!(
            is_compared != ONLY_TEXTS.contains(&language),
            "{language:?} needs a test that runs its code or reads it back, in COMPARED, or a place in ONLY_TEXTS"
        );
        let divisions = words::DIVISIONS.iter().filter(|(of, ..)| *of == language);
        let maps: BTreeSet<&str> = divisions.map(|(_, map, _)| *map).collect();
        assert!(
            maps.is_superset(&[words::SIGNED, words::NATURAL].into()),
            "{language:?} needs cases in DIVISIONS"
        );
        let names = words::NAMES.iter().filter(|(of, _)| *of == language);
        assert_eq!(names.count(), 1, "{language:?} needs a line in NAMES");
    }
}

#[test]
fn the_help_names_each_language_once() {
    let words: Vec<&str> = Language::CHOICES.split([' ', ',']).collect();
    for language in Language::ALL {
        assert_eq!(
            words.iter().filter(|word| **word == language.word()).count(),
            1,
            "{language:?}"
        );
    }
    assert_eq!(BTreeSet::from(Language::ALL.map(Language::word)).len(), Language::ALL.len());
    assert!(Language::CHOICES.starts_with(&format!("{} (default)", Language::ALL[0].word())));
}
