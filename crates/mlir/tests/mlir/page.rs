//! `docs/mlir.md` lists the known ops, each with its reading.

use affinor_mlir::{Reading, known_ops};
use std::path::Path;

#[test]
fn the_page_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mlir.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut listed: Vec<(&str, &str)> = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, ops, reading, ..] = *cells else { panic!("{row}") };
        listed.extend(ops.split('`').skip(1).step_by(2).map(|op| (op, reading)));
    }
    listed.sort_unstable();
    let word = |reading: Reading| match reading {
        Reading::Elementwise => "elementwise",
        Reading::Called => "elementwise, as a call",
        Reading::Instruction => "its own op",
        _ => "expanded",
    };
    let ops: Vec<_> = known_ops().collect();
    let names: std::collections::BTreeSet<&String> = ops.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), ops.len());
    let mut known: Vec<(&str, &str)> =
        ops.iter().map(|(name, reading)| (name.as_str(), word(*reading))).collect();
    known.sort_unstable();
    assert_eq!(listed, known);
}
