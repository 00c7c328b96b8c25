//! The reads of a program's root, as lines of text.

use affinor::expr::IndexingMap;
use affinor::text::{Style, print_map};
use affinor_hlo as hlo;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{Analysis, CustomCalls, Exactness, OperandMap, Reads};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parses a module.
pub fn read(text: &str) -> Module {
    hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Returns the simplifier that leaves maps as they are derived.
pub fn keep(map: &IndexingMap) -> IndexingMap {
    map.clone()
}

/// One line for each pair of arrays with reads, for the root of the entry computation: `output <- operand path: maps`.
pub fn lines(text: &str) -> Result<Vec<String>, String> {
    lines_of(text, &CustomCalls::published())
}

/// [`lines`] with a table of custom-calls.
pub fn lines_of(text: &str, table: &Arc<CustomCalls>) -> Result<Vec<String>, String> {
    let module = read(text);
    let entry = module.entry();
    let mut analysis = Analysis::new(&module, &keep).with_custom_calls(table);
    let reads = analysis.instruction(entry, module[entry].root());
    let reads = reads.map_err(|error| error.message)?;
    let of_map = |map: &OperandMap| {
        let text = print_map(&map.map, Style::Plain);
        match &map.exactness {
            Exactness::Exact => text,
            Exactness::AtMost { .. } => format!("at most {text}"),
        }
    };
    let mut lines = Vec::new();
    for entry in &reads {
        let text = match &entry.reads {
            Reads::Unknown { reason } => format!("unknown, {reason}"),
            Reads::Maps(maps) if maps.is_empty() => continue,
            Reads::Maps(maps) => maps.iter().map(of_map).collect::<Vec<_>>().join(" | "),
        };
        let (output, operand, path) = (&entry.output, entry.operand, &entry.operand_path);
        lines.push(format!("{output:?} <- {operand}{path:?}: {text}"));
    }
    Ok(lines)
}

/// Checks the [`lines`] of a program.
#[track_caller]
pub fn check(text: &str, expected: &[&str]) {
    assert_eq!(lines(text).expect("a right program"), expected);
}

/// Checks that the root is rejected with this message.
#[track_caller]
pub fn refuse(text: &str, message: &str) {
    assert_eq!(lines(text).expect_err("a contradiction"), message);
}

/// Returns the results of the maps at an index, over all values of their other variables.
pub fn image(reads: &Reads, index: &[i64]) -> BTreeSet<Vec<i64>> {
    let mut found = BTreeSet::new();
    for map in reads.maps().expect("maps") {
        let domain = map.map.domain();
        let mut points = vec![index.to_vec()];
        for bounds in domain.intervals().skip(index.len()) {
            let values = || bounds.lo()..=bounds.hi();
            points = points
                .iter()
                .flat_map(|point| values().map(|value| [point.as_slice(), &[value]].concat()))
                .collect();
        }
        let inside = points.iter().filter(|point| domain.contains(point).expect("a small map"));
        found.extend(inside.map(|point| map.map.eval(point).expect("a small map")));
    }
    found
}
