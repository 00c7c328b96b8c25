//! From operands to the output: the maps computed from the other direction are the same relation, and no search is needed if
//! the op determines the readers.
//!
//! The programs are those of `data/measured_programs.jsonl`; every instruction of every computation is queried.

use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, print_map};
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, OperandReads};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of points of a map that are listed.
const POINTS: u64 = 20_000;

type Pairs = BTreeSet<(Vec<i64>, Vec<i64>)>;

/// `(dimensions, results)` at all points of a map; `None` if there are too many.
fn pairs(map: &IndexingMap) -> Option<Pairs> {
    let domain = map.domain();
    let bounds: Vec<Interval> = domain.variables().iter().map(|v| v.bounds).collect();
    let size = |x: &Interval| u64::try_from(x.hi() - x.lo() + 1).ok();
    let count = bounds.iter().map(size).try_fold(1u64, |n, size| n.checked_mul(size?));
    count.filter(|count| *count <= POINTS)?;
    let points = bounds.iter().fold(vec![Vec::new()], |points, bounds| {
        let extend = |point: &Vec<i64>| {
            let point = point.clone();
            (bounds.lo()..=bounds.hi()).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(extend).collect::<Vec<Vec<i64>>>()
    });
    let dimensions = domain.count(VariableKind::Dimension);
    let inside = points.into_iter().filter(|point| domain.contains(point) == Ok(true));
    Some(
        inside
            .map(|point| {
                let results = map.eval(&point).expect("small numbers");
                (point[..dimensions].to_vec(), results)
            })
            .collect(),
    )
}

/// Returns all pairs of a union of maps, over all values of the runtime variables.
fn relation(entry: &OperandReads) -> Option<Pairs> {
    let mut all = Pairs::new();
    for map in entry.reads.maps()? {
        all.extend(pairs(&map.map)?);
    }
    Some(all)
}

#[test]
fn both_directions_are_one_relation() {
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let mut compared: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for line in include_str!("../../../../tests/data/measured_programs.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let text = row["hlo"].as_str().expect("a text");
        let module = hlo::read(text.as_bytes()).expect("a module");
        let mut analysis = Analysis::new(&module, &simplify);
        for (computation, body) in module.computations() {
            for (id, instruction) in body.instructions() {
                let forwards = analysis.instruction(computation, id).expect("a right module");
                let backwards = analysis.readers(computation, id).expect("a right module");
                assert_eq!(forwards.len(), backwards.len());
                for (reads, readers) in forwards.iter().zip(&backwards) {
                    assert_eq!(reads.reads.maps().is_some(), readers.reads.maps().is_some());
                    assert_eq!(reads.reads.is_exact(), readers.reads.is_exact());
                    let (Some(reads), Some(found)) = (relation(reads), relation(readers)) else {
                        continue;
                    };
                    let turned: Pairs = reads.into_iter().map(|(d, i)| (i, d)).collect();
                    assert_eq!(found, turned, "{} in {text}\n{readers:?}", instruction.name());
                    let maps = readers.reads.maps().unwrap_or(&[]).iter();
                    let mut ranges = maps.map(|map| map.map.domain().count(VariableKind::Range));
                    let counts = compared.entry(instruction.opcode().name().to_owned());
                    let counts = counts.or_default();
                    counts.0 += 1;
                    counts.1 += u32::from(ranges.any(|count| count > 0));
                }
            }
        }
    }
    // Each element has one reader, or one reader per map of a union.
    for opcode in ["transpose", "reshape", "slice", "reverse", "copy", "bitcast", "concatenate"] {
        let (all, searched) = compared.get(opcode).copied().unwrap_or_default();
        assert!(all > 20 && searched == 0, "{opcode}: {compared:?}");
    }
    for opcode in [
        "convolution",
        "gather",
        "reduce-window",
        "dynamic-slice",
        "dynamic-update-slice",
        "scatter",
        "dot",
        "pad",
    ] {
        let (all, _) = compared.get(opcode).copied().unwrap_or_default();
        assert!(all > 5, "{opcode}: {compared:?}");
    }
}

#[test]
fn readers_as_texts() {
    let readers = |text: &str, operand: usize| -> Vec<String> {
        let simplifier = Simplifier::shipped().expect("the shipped rules");
        let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
        let module = hlo::read(text.as_bytes()).expect("a module");
        let entry = module.entry();
        let mut analysis = Analysis::new(&module, &simplify);
        let entries = analysis.readers(entry, module[entry].root()).expect("a right module");
        let maps = entries[operand].reads.maps().expect("known").iter();
        maps.map(|map| print_map(&map.map, Style::Plain)).collect()
    };
    for (text, operand, expected) in [
        (
            "p = f32[20,10,50] parameter(0) \n b = f32[10,20,50] transpose(p), dimensions={1,0,2}",
            0,
            "(d0, d1, d2) -> (d1, d0, d2), domain: d0 in [0, 19], d1 in [0, 9], d2 in [0, 49]",
        ),
        (
            "p = f32[10,20] parameter(0) \n s = f32[5,4] slice(p), slice={[5:10:1],[3:20:5]}",
            0,
            "(d0, d1) -> (d0 - 5, d1 floordiv 5), domain: d0 in [5, 9], d1 in [3, 18], d1 mod 5 in [3, 3]",
        ),
        (
            "p = f32[20] parameter(0) \n b = f32[10,20,30] broadcast(p), dimensions={1}",
            0,
            "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]",
        ),
        (
            "p = f32[4,8] parameter(0) \n r = f32[32] reshape(p)",
            0,
            "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]",
        ),
        (
            "p = f32[8,16] parameter(0) \n r = f32[4,32] reshape(p)",
            0,
            "(d0, d1) -> (d0 floordiv 2, d1 + d0 mod 2 * 16), domain: d0 in [0, 7], d1 in [0, 15]",
        ),
        (
            "x = f32[4,128,256] parameter(0) \n y = f32[4,256,64] parameter(1) \n d = f32[4,128,64] dot(x, y), \
             lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
            1,
            "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
        ),
    ] {
        assert_eq!(readers(text, operand), [expected], "{text}");
    }
}
