//! Maps of XLA's code that are wrong, or wider than the reads: the right map, XLA's map, and a point.
//!
//! XLA's maps are those that its code and its tests (August 2026) define for these programs; none of it was run. The right
//! ones are ours, proved against the definition of the op or, for a map that is simplified, against the map given.

use super::{Difference, check_document, map, simplifier, text};
use affinor::num::Interval;
use affinor::prove::{self, Budget, Verdict, equal_functions, is_empty};
use affinor::text::{ErrorKind, parse_map};
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, ValueSource};

/// A wrong map of an op: to operand 0 of the root unless `operand` differs.
struct OfOp {
    what: &'static str,
    program: &'static str,
    operand: usize,
    difference: Difference,
}

const OPS: &[OfOp] = &[
    OfOp {
        what: "dynamic-update-slice: the update is read beyond its ends",
        program: UPDATE,
        operand: 1,
        difference: Difference {
            theirs: "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 7], rt0 in [0, 5]",
            right: &["(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 7], rt0 in [0, 5], d0 - rt0 in [0, 2]"],
            at: &[("d0", 7), ("rt0", 0)],
            they_read: Some(&[7]),
            is_read: None,
        },
    },
    OfOp {
        what: "dynamic-update-slice: the operand is read where it is overwritten",
        program: UPDATE,
        operand: 0,
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [0, 7]",
            right: &[
                "(d0){rt0} -> (d0), domain: d0 in [0, 7], rt0 in [0, 5], d0 - rt0 in [-5, -1]",
                "(d0){rt0} -> (d0), domain: d0 in [0, 7], rt0 in [0, 5], d0 - rt0 in [3, 7]",
            ],
            at: &[("d0", 0), ("rt0", 0)],
            they_read: Some(&[0]),
            is_read: None,
        },
    },
    OfOp {
        what: "pad: the padding value is read where there is no padding",
        program: "p = f32[2] parameter(0) \n v = f32[] parameter(1) \n r = f32[4] pad(p, v), padding=1_1",
        operand: 1,
        difference: Difference {
            theirs: "(d0) -> (), domain: d0 in [0, 3]",
            right: &[
                "(d0) -> (), domain: d0 in [0, 0]",
                "(d0) -> (), domain: d0 in [3, 3]",
            ],
            at: &[("d0", 1)],
            they_read: Some(&[]),
            is_read: None,
        },
    },
    OfOp {
        // Row 3 of the indices is 3, and 3 + 2 is beyond the operand.
        what: "gather with an iota as indices: the offset is not clamped",
        program: "f {
              p = f32[5] parameter(0)
              i = s32[4,1] iota(), iota_dimension=0
              ROOT g = f32[4,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0},
                index_vector_dim=1, slice_sizes={3}
            }
            ENTRY e { p = f32[5] parameter(0) ROOT r = f32[4,3] fusion(p), kind=kLoop, calls=f }",
        operand: 0,
        difference: Difference {
            theirs: "(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 2]",
            right: &["(d0, d1) -> (d1 + min(d0, 2)), domain: d0 in [0, 3], d1 in [0, 2]"],
            at: &[("d0", 3), ("d1", 2)],
            they_read: Some(&[5]),
            is_read: Some(&[4]),
        },
    },
    OfOp {
        // XLA's map has the right text, but its `rt0` in [0, 100] is parameter 2: the offsets are exchanged.
        what: "dynamic-slice of dynamic-slice in a fusion: runtime variables are matched by position",
        program: TWO_OFFSETS,
        operand: 0,
        difference: Difference {
            theirs: "(d0){rt0, rt1} -> (d0 + min(rt1, 100) + min(rt0, 50)), domain: d0 in [0, 149], rt0 in [0, 100], rt1 in [0, 50]",
            right: &["(d0){rt0, rt1} -> (d0 + rt0 + rt1), domain: d0 in [0, 149], rt0 in [0, 100], rt1 in [0, 50]"],
            at: &[("d0", 0), ("rt0", 100), ("rt1", 0)],
            they_read: Some(&[50]),
            is_read: Some(&[100]),
        },
    },
    OfOp {
        what: "sort (StableHLO): taken for elementwise",
        program: "c { x = f32[] parameter(0) y = f32[] parameter(1) ROOT l = pred[] compare(x, y), direction=LT }
            ENTRY e { p = f32[2,3] parameter(0) ROOT r = f32[2,3] sort(p), dimensions={1}, to_apply=c }",
        operand: 0,
        difference: Difference {
            theirs: "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]",
            right: &["(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 2]"],
            at: &[("d0", 0), ("d1", 0), ("s0", 1)],
            they_read: Some(&[0, 0]),
            is_read: Some(&[0, 1]),
        },
    },
    OfOp {
        what: "bitcast-convert to narrower elements: two indices into an array of one dimension",
        program: "p = f32[3] parameter(0) \n r = u8[3,4] bitcast-convert(p)",
        operand: 0,
        difference: Difference {
            theirs: "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]",
            right: &["(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]"],
            at: &[("d0", 0), ("d1", 3)],
            they_read: Some(&[0, 3]),
            is_read: Some(&[0]),
        },
    },
    OfOp {
        what: "bitcast-convert to wider elements: one index into an array of two dimensions",
        program: "p = u8[3,4] parameter(0) \n r = f32[3] bitcast-convert(p)",
        operand: 0,
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [0, 2]",
            right: &["(d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]"],
            at: &[("d0", 1), ("s0", 3)],
            they_read: Some(&[1]),
            is_read: Some(&[1, 3]),
        },
    },
];

const UPDATE: &str = "p = f32[8] parameter(0) \n u = f32[3] parameter(1) \n i = s32[] parameter(2)
    r = f32[8] dynamic-update-slice(p, u, i)";

const TWO_OFFSETS: &str = "f {
      p = f32[300] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      s = f32[200] dynamic-slice(p, a), dynamic_slice_sizes={200}
      ROOT t = f32[150] dynamic-slice(s, b), dynamic_slice_sizes={150}
    }
    ENTRY e {
      p = f32[300] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      ROOT r = f32[150] fusion(p, a, b), kind=kLoop, calls=f
    }";

#[test]
fn ops() {
    for case in OPS {
        let module = hlo::read(case.program.as_bytes()).expect(case.what);
        let (entry, simplify) = (module.entry(), simplifier());
        let (computation, root) = (&module[entry], module[entry].root());
        let mut analysis = Analysis::new(&module, &simplify);
        let reads = analysis.instruction(entry, root).expect(case.what);
        let of_operand = reads.iter().find(|entry| entry.operand == case.operand);
        let of_operand = of_operand.expect(case.what);
        let maps = of_operand.reads.maps().expect(case.what).iter();
        let found: Vec<String> = maps.map(|map| text(&map.map)).collect();
        assert_eq!(found, case.difference.right, "{}", case.what);
        assert!(of_operand.reads.is_exact(), "{}", case.what);
        let mut definitions = Definitions::new(&module);
        let defined = definitions.of(computation, &computation[root]);
        for judgement in judge(&defined, &reads, &Budget::default()) {
            assert_eq!(judgement, Some(Judgement::Proved), "{}", case.what);
        }
        case.difference.check();
    }
}

#[test]
fn runtime_variables_keep_their_sources() {
    let module = hlo::read(TWO_OFFSETS.as_bytes()).expect("a module");
    let (entry, simplify) = (module.entry(), simplifier());
    let root = module[entry].root();
    let reads = Analysis::new(&module, &simplify).instruction(entry, root);
    let reads = reads.expect("a right program");
    let [map] = reads[0].reads.maps().expect("maps") else {
        panic!("one map is expected: {reads:?}");
    };
    let name = |index: usize| &*map.map.domain().variables()[index].name;
    let mut sources: Vec<(&str, usize, i64)> = map
        .runtime
        .iter()
        .map(|variable| match &variable.source {
            ValueSource::Operand { operand, .. } => {
                (name(variable.variable.index()), *operand, variable.clamp.hi())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    sources.sort_unstable();
    assert_eq!(sources, [("rt0", 1, 100), ("rt1", 2, 50)]);
}

#[test]
fn a_scan_reads_earlier_elements() {
    // XLA's map is the identity. The exact reads are not known here, but they contain the earlier elements.
    let program = "p = f32[4] parameter(0) \n z = f32[] parameter(1)
        r = (f32[4], f32[]) scan(p, z), dimensions={0}, num_carries=1, to_apply=add";
    let module = hlo::read(program.as_bytes()).expect("a module");
    let entry = module.entry();
    let reads = Analysis::new(&module, &|map| map.clone()).instruction(entry, module[entry].root());
    let reads = reads.expect("a right program");
    let [map] = reads[0].reads.maps().expect("maps") else {
        panic!("one map is expected: {reads:?}");
    };
    assert_eq!(text(&map.map), "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]");
    assert!(!reads[0].reads.is_exact());
}

/// A map that XLA simplifies to another one.
struct OfMap {
    what: &'static str,
    given: &'static str,
    difference: Difference,
}

const MAPS: &[OfMap] = &[
    OfMap {
        what: "bounds under a negative divisor are exchanged too early",
        given: "(d0) -> (d0), domain: d0 in [-100, 100], d0 floordiv -3 in [-11, -5]",
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [15, 35]",
            right: &["(d0) -> (d0), domain: d0 in [13, 33]"],
            at: &[("d0", 35)],
            they_read: Some(&[35]),
            is_read: None,
        },
    },
    OfMap {
        what: "negative bounds are rounded towards zero: an element is lost",
        given: "(d0) -> (d0), domain: d0 in [-21, -2], d0 mod 6 in [5, 5]",
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [-13, -1], d0 mod 6 in [5, 5]",
            right: &["(d0) -> (d0), domain: d0 in [-19, -7], d0 mod 6 in [5, 5]"],
            at: &[("d0", -19)],
            they_read: None,
            is_read: Some(&[-19]),
        },
    },
    OfMap {
        what: "negative bounds are rounded towards zero: an element is added",
        given: "(d0) -> (d0), domain: d0 in [-21, -2], d0 mod 6 in [5, 5]",
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [-13, -1], d0 mod 6 in [5, 5]",
            right: &["(d0) -> (d0), domain: d0 in [-19, -7], d0 mod 6 in [5, 5]"],
            at: &[("d0", -1)],
            they_read: Some(&[-1]),
            is_read: None,
        },
    },
    OfMap {
        what: "the low digit of a constraint is dropped although it does not start at 0",
        given: "(d0, d1) -> (d0, d1), domain: d0 in [-9, 9], d1 in [1, 3], d0 * 4 + d1 in [0, 8]",
        difference: Difference {
            theirs: "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [1, 3]",
            right: &["(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [1, 3]"],
            at: &[("d0", 2), ("d1", 1)],
            they_read: Some(&[2, 1]),
            is_read: None,
        },
    },
    OfMap {
        what: "a variable that only an impossible constraint mentions is removed together with the constraint",
        given: "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], s0 mod 2 in [5, 5]",
        difference: Difference {
            theirs: "(d0) -> (d0), domain: d0 in [0, 3]",
            right: &["(d0)[s0] -> (d0), domain: empty"],
            at: &[("d0", 0), ("s0", 0)],
            they_read: Some(&[0]),
            is_read: None,
        },
    },
];

#[test]
fn maps() {
    for case in MAPS {
        let given = map(case.given);
        let outcome = simplifier()(&given);
        assert_eq!([text(&outcome)], case.difference.right, "{}", case.what);
        let verdict = equal_functions(&given, &outcome, &Budget::default());
        assert_eq!(verdict, Ok(Verdict::Proved), "{}", case.what);
        case.difference.check();
    }
}

#[test]
fn what_only_an_impossible_constraint_mentions_is_not_removed() {
    let given = map(MAPS[4].given);
    assert_eq!(text(&super::compressed(&given)), text(&given));
}

/// Bounds of XLA that are wider than necessary, and a value in them that is not attained.
struct OfBounds {
    what: &'static str,
    given: &'static str,
    /// XLA's interval of the first result.
    theirs: (i64, i64),
    /// Our interval; `None` if the map is found to be empty.
    ours: Option<(i64, i64)>,
    not_taken: i64,
}

const BOUNDS: &[OfBounds] = &[
    OfBounds {
        what: "a remainder beyond its divisor is not seen to be impossible",
        given: "(d0) -> (d0), domain: d0 in [0, 100], d0 mod 8 in [45, 49]",
        theirs: (0, 100),
        ours: None,
        not_taken: 0,
    },
    OfBounds {
        what: "two congruences are not combined",
        given: "(d0) -> (d0), domain: d0 in [0, 100], d0 mod 6 in [3, 3], d0 mod 7 in [5, 5]",
        theirs: (3, 99),
        ours: Some((33, 75)),
        not_taken: 3,
    },
    OfBounds {
        what: "the same variable twice counts as two",
        given: "()[s0, s1] -> (s0 + s1 * 32 - s0 floordiv 32 * 32), domain: s0 in [0, 1023], s1 in [0, 255]",
        theirs: (-992, 9183),
        ours: Some((0, 8191)),
        not_taken: 9183,
    },
];

#[test]
fn bounds() {
    for case in BOUNDS {
        let given = map(case.given);
        let outcome = simplifier()(&given);
        let ours = match outcome.domain().is_known_empty() {
            true => None,
            false => Some(outcome.ranges()[0]),
        };
        let expected = case.ours.map(|(lo, hi)| Interval::new(lo, hi));
        assert_eq!(ours, expected, "{}", case.what);
        assert!((case.theirs.0..=case.theirs.1).contains(&case.not_taken), "{}", case.what);
        let value = Interval::new(case.not_taken, case.not_taken);
        let taken = given.restricted(&given.results()[0], value);
        let verdict = is_empty(taken.domain(), &Budget::default());
        assert!(matches!(verdict, Verdict::Proved), "{}", case.what);
        if let Some((lo, hi)) = case.ours {
            let ends = [Interval::new(lo, hi)];
            let tightness = prove::tightness(&given, &ends, &Budget::default());
            assert_eq!(tightness[0].is_smallest(), Some(true), "{}", case.what);
        }
    }
}

#[test]
fn texts() {
    // XLA reads the first three as `d0 mod d1`, as variable 7 and as `d0 + 1`. Since its remainder is Euclidean and its
    // division rounds down, it reads the fourth as a map for which x = (x / -3) * -3 + x mod -3 fails at 1.
    #[track_caller]
    fn refuses(text: &str, kind: ErrorKind) {
        assert_eq!(parse_map(text).map_err(|error| error.kind), Err(kind));
    }
    refuses("(d0, d1) -> (d0 modd1), domain: d0 in [0, 5], d1 in [1, 5]", ErrorKind::Syntax);
    refuses("(d0) -> (d7), domain: d0 in [0, 5]", ErrorKind::Name);
    refuses("(d0) -> (d0 + 1 2), domain: d0 in [0, 5]", ErrorKind::Syntax);
    refuses("(d0) -> (d0 mod -3), domain: d0 in [0, 5]", ErrorKind::Division);
    // XLA prints this map, but cannot parse it.
    assert_eq!(text(&map("() -> (5)")), "() -> (5)");
}

#[test]
fn the_document_lists_them() {
    let mut ops = "| op | XLA's map | at the point: XLA reads |\n|---|---|---|\n".to_owned();
    for case in OPS {
        let difference = &case.difference;
        let (theirs, row) = (difference.theirs, difference.row());
        ops += &format!("| {} | `{theirs}` | {row} |\n", case.what);
    }
    check_document("ops", &ops);
    let mut maps =
        "| what | given | XLA gives | right | at the point: XLA reads |\n|---|---|---|---|---|\n"
            .to_owned();
    for case in MAPS {
        let (theirs, row) = (case.difference.theirs, case.difference.row());
        let right = case.difference.right[0];
        maps += &format!("| {} | `{}` | `{theirs}` | `{right}` | {row} |\n", case.what, case.given);
    }
    check_document("maps", &maps);
    let mut bounds =
        "| what | the result of | XLA's interval | the smallest | not taken |\n|---|---|---|---|---|\n".to_owned();
    for case in BOUNDS {
        let ours = match case.ours {
            None => "empty".to_owned(),
            Some((lo, hi)) => format!("[{lo}, {hi}]"),
        };
        let (lo, hi) = case.theirs;
        bounds += &format!(
            "| {} | `{}` | [{lo}, {hi}] | {ours} | {} |\n",
            case.what, case.given, case.not_taken
        );
    }
    check_document("bounds", &bounds);
}
