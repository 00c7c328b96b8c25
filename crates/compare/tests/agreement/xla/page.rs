//! The examples of the page: programs, the maps that the page prints, and our maps.

use super::errata::ERRATA;
use super::{compressed, map, simplifier, text};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, OperandReads, Reads};

/// One example.
pub struct Example {
    /// The heading above it.
    pub section: &'static str,
    pub program: &'static str,
    pub pairs: &'static [Pair],
}

/// The maps between one output and one operand, in one direction.
pub struct Pair {
    pub direction: Direction,
    pub output: &'static [usize],
    pub operand: usize,
    /// Our maps as text.
    pub ours: &'static [&'static str],
    pub page: Page,
    /// Whether our maps are exactly the reads.
    pub exact: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the output to the operand.
    Forwards,
    /// From the operand to the output.
    Backwards,
}

/// The map that the page prints.
pub enum Page {
    /// The page prints our map.
    Same,
    /// The page prints this map, which is proved to be equal to ours.
    Equal(&'static str),
    /// The page prints this map, which is wrong or wider, with the name of the erratum.
    Erratum(&'static str, &'static str),
    /// The page prints no map.
    Silent,
}

/// Returns an output-to-operand pair for which the page prints our map.
pub const fn out(operand: usize, map: &'static [&'static str]) -> Pair {
    Pair {
        direction: Direction::Forwards,
        output: &[],
        operand,
        ours: map,
        page: Page::Same,
        exact: true,
    }
}

/// Returns an operand-to-output pair for which the page prints our map.
pub const fn back(operand: usize, map: &'static [&'static str]) -> Pair {
    Pair { direction: Direction::Backwards, ..out(operand, map) }
}

impl Pair {
    /// Replaces the map that the page prints.
    pub const fn page(self, page: Page) -> Pair {
        Pair { page, ..self }
    }

    /// Selects a part of a tuple as the output.
    pub const fn of(self, output: &'static [usize]) -> Pair {
        Pair { output, ..self }
    }

    /// Allows our maps to be wider than the reads.
    pub const fn at_most(self) -> Pair {
        Pair { exact: false, ..self }
    }
}

/// Checks an example by the reads of its last instruction.
#[track_caller]
pub fn check_op(example: &Example) {
    let module = hlo::read(example.program.as_bytes())
        .unwrap_or_else(|error| panic!("{error}\n{}", example.program));
    let (entry, simplify) = (module.entry(), simplifier());
    let (computation, root) = (&module[entry], module[entry].root());
    let mut analysis = Analysis::new(&module, &simplify);
    let forwards = analysis.instruction(entry, root).expect("a right program");
    let backwards = analysis.readers(entry, root).expect("a right program");
    let mut definitions = Definitions::new(&module);
    let defined = definitions.of(computation, &computation[root]);
    for judgement in judge(&defined, &forwards, &Budget::default()) {
        assert_eq!(judgement, Some(Judgement::Proved), "{}", example.section);
    }
    check_pairs(example, &forwards, &backwards);
    // The example has both directions of every pair.
    assert_eq!(example.pairs.len(), forwards.len() + backwards.len(), "{}", example.section);
}

/// Checks an example by the reads of its whole computation.
#[track_caller]
pub fn check_computation(example: &Example) {
    let module = hlo::read(example.program.as_bytes())
        .unwrap_or_else(|error| panic!("{error}\n{}", example.program));
    let simplify = simplifier();
    let mut analysis = Analysis::new(&module, &simplify);
    let forwards = analysis.computation(module.entry());
    check_pairs(example, &forwards.expect("a right program"), &[]);
}

fn check_pairs(example: &Example, forwards: &[OperandReads], backwards: &[OperandReads]) {
    for pair in example.pairs {
        let entries = match pair.direction {
            Direction::Forwards => forwards,
            Direction::Backwards => backwards,
        };
        let report =
            format!("{}, {:?} of operand {}", example.section, pair.direction, pair.operand);
        let mut found = entries
            .iter()
            .filter(|entry| (&*entry.output, entry.operand) == (pair.output, pair.operand));
        let (Some(entry), None) = (found.next(), found.next()) else {
            panic!("{report}: not listed once");
        };
        let Reads::Maps(maps) = &entry.reads else {
            panic!("{report}: {entry:?}");
        };
        let found: Vec<String> = maps.iter().map(|map| text(&map.map)).collect();
        assert_eq!(found, pair.ours, "{report}");
        assert_eq!(entry.reads.is_exact(), pair.exact, "{report}");
        check_page(pair, &report);
    }
}

/// Checks that the page agrees.
fn check_page(pair: &Pair, report: &str) {
    match pair.page {
        Page::Same | Page::Silent => {}
        Page::Equal(printed) => {
            assert_eq!(pair.ours.len(), 1, "{report}");
            assert_ne!(text(&map(printed)), pair.ours[0], "{report}: it is the same");
            // Remove variables with one value, which we do not keep.
            let (page, ours) = (compressed(&simplifier()(&map(printed))), map(pair.ours[0]));
            let verdict = equal_functions(&page, &ours, &Budget::default());
            assert_eq!(verdict, Ok(Verdict::Proved), "{report}");
        }
        Page::Erratum(name, printed) => {
            let erratum = ERRATA.iter().find(|erratum| erratum.name == name);
            let erratum = erratum.unwrap_or_else(|| panic!("{report}: no erratum `{name}`"));
            let theirs = text(&map(printed));
            assert_eq!(text(&map(erratum.difference.theirs)), theirs, "{report}");
            assert_eq!(erratum.difference.right, pair.ours, "{report}");
        }
    }
}
