//! Random grids over random arrays, plain, tiled and swizzled.

use super::simulation::{Program, Simulated, simulate};
use super::{BANKS, SIMPLIFIER, ids, map};
use crate::buffer::{array, fill};
use affinor::expr::IndexingMap;
use affinor_layout::cute;
use affinor_layout::memory::Placement;
use affinor_ops::footprint::access::{Cost, Coverage, Grid, Measure, Memory, cost};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A grid: threads, blocks, a loop and a vector, with the index expressions for a rank.
#[derive(Clone, Debug)]
struct Case {
    map: String,
    threads: Vec<&'static str>,
    has_vector: bool,
    warp: i64,
    offset: i64,
    measure: Measure,
}

impl Case {
    /// Compares both ways, and returns the basis of the library's answer.
    fn compare(
        &self,
        bytes: i64,
        position: &IndexingMap,
        simulated: &dyn Fn(&[i64]) -> Option<i64>,
    ) -> Result<Coverage, TestCaseError> {
        let map = map(&self.map);
        let threads = ids(&map, &self.threads);
        let vector = ids(&map, if self.has_vector { &["v"] } else { &[] });
        let grid = Grid::new(map.domain(), threads.clone(), vector.clone()).expect("a grid");
        let grid = grid.with_warp(self.warp).expect("a warp");
        let memory = Memory { element_bits: 8 * bytes, offset: self.offset, measure: self.measure };
        let composed = map.then(position).expect("composes");
        // `then` may add range variables of the second map, but a layout has none, so the numbers of variables are preserved.
        let found = cost(&composed, &grid, memory, &SIMPLIFIER, None).expect("a cost");
        let program = Program {
            map: &map,
            threads: &threads,
            block: grid.block(),
            vector: &vector,
            warp: self.warp,
            bytes,
            offset: self.offset,
            measure: self.measure,
        };
        prop_assert_eq!(numbers(&found), simulate(&program, simulated));
        Ok(found.basis)
    }
}

fn numbers(cost: &Cost) -> Simulated {
    Simulated {
        accesses: cost.accesses,
        elements: cost.elements,
        total: cost.total,
        ideal: cost.ideal,
        spread: cost.spread.iter().copied().collect(),
        worst: cost.worst.as_ref().map(|worst| {
            let at = worst.at.iter().map(|(_, value)| *value);
            (at.collect(), worst.cost, worst.ideal)
        }),
    }
}

/// Grids whose results are indices into an array of these sizes, or slightly outside.
fn cases(sizes: Vec<i64>, measures: Vec<Measure>) -> impl Strategy<Value = Case> {
    let coefficients = prop::array::uniform5(prop_oneof![
        3 => Just(1i64), 2 => Just(0), 1 => Just(32), 1 => Just(8), 2 => -2i64..12
    ]);
    let result = (coefficients, 0..7, 1i64..9, -1i64..3);
    let results = prop::collection::vec(result, sizes.len());
    let threads = prop_oneof![
        Just((vec!["x"], [64, 1])),
        Just((vec!["x"], [48, 3])),
        Just((vec!["x", "y"], [16, 4])),
        Just((vec!["x", "y"], [10, 7])),
        Just((vec!["y", "x"], [3, 32])),
    ];
    let others = (1i64..14, 1i64..4, prop_oneof![Just(1i64), Just(2), Just(4)]);
    let constraint = prop::option::weighted(0.4, (0usize..4, 1i64..6, 0i64..200));
    let warp = prop_oneof![4 => Just(32i64), 1 => Just(8), 1 => Just(24)];
    let offset = prop_oneof![4 => Just(0i64), 1 => 0i64..200];
    let measure = prop::sample::select(measures);
    (results, threads, others, constraint, (warp, offset, measure)).prop_map(
        move |(results, (threads, block), others, constraint, (warp, offset, measure))| {
            let (blocks, loops, vector) = others;
            let results = results.iter().zip(&sizes).map(|((c, form, by, add), size)| {
                let [x, y, b, s, v] = c;
                let sum = format!("x * {x} + y * {y} + b * {b} + s * {s} + v * {v} + {add}");
                match form {
                    0 | 1 => format!("({sum}) mod {size}"),
                    2 | 3 => format!("(({sum}) floordiv {by}) mod {size}"),
                    4 => format!("({sum}) floordiv {}", by * 8),
                    5 => format!("min(({sum}) floordiv {by}, {})", size - 1),
                    _ => format!("({sum}) mod {} + b mod 2", 1 + size / 2),
                }
            });
            let results: Vec<String> = results.collect();
            let mut domain = format!(
                "x in [0, {}], y in [0, {}], b in [0, {}], s in [0, {}], v in [0, {}]",
                block[0] - 1,
                block[1] - 1,
                blocks - 1,
                loops - 1,
                vector - 1
            );
            if let Some((form, by, most)) = constraint {
                domain += &match form {
                    0 => format!(", b * 64 + x + y * 16 in [0, {}]", most * by),
                    1 => format!(", (b + x) mod {} in [0, {}]", by + 1, by - 1),
                    2 => format!(", x - b * {by} in [0, {most}]"),
                    _ => format!(", min(b, s) * {by} + y in [0, {}]", most / 10),
                };
            }
            Case {
                map: format!("(x, y, b)[s, v] -> ({}), domain: {domain}", results.join(", ")),
                threads,
                has_vector: vector > 1,
                warp,
                offset,
                measure,
            }
        },
    )
}

/// Returns the text of a shape, its sizes and the bytes of an element.
fn shapes() -> impl Strategy<Value = (String, Vec<i64>, i64)> {
    let sizes = prop_oneof![
        prop::collection::vec(1i64..300, 1..=1),
        prop::collection::vec(1i64..40, 2..=2),
        prop::collection::vec(1i64..12, 3..=3),
    ];
    let types = prop::sample::select(vec![("f32", 4i64), ("bf16", 2), ("s8", 1), ("f64", 8)]);
    let tiles = prop::sample::select(vec!["", "", ":T(8,16)", ":T(4)", ":T(2,4)(2,1)", ":T(3,5)"]);
    (sizes, types, tiles).prop_flat_map(|(sizes, (element, bytes), tiles)| {
        let order = Just((0..sizes.len()).collect::<Vec<_>>()).prop_shuffle();
        (Just(sizes), order, Just((element, bytes, tiles))).prop_map(
            |(sizes, order, (element, bytes, tiles))| {
                let list = |items: Vec<String>| items.join(",");
                let dims = list(sizes.iter().map(ToString::to_string).collect());
                let order = list(order.iter().map(ToString::to_string).collect());
                (format!("{element}[{dims}]{{{order}{tiles}}}"), sizes, bytes)
            },
        )
    })
}

/// Runs `count` cases, always the same ones, and returns how many answers have each basis.
fn run<T: std::fmt::Debug>(
    count: u32,
    strategy: &impl Strategy<Value = T>,
    compare: impl Fn(&T) -> Result<Coverage, TestCaseError>,
) -> BTreeMap<Coverage, u32> {
    let bases = RefCell::new(BTreeMap::new());
    let config = Config { failure_persistence: None, ..Config::with_cases(count) };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let outcome = TestRunner::new_with_rng(config, rng).run(strategy, |case| {
        let basis = compare(&case)?;
        *bases.borrow_mut().entry(basis).or_insert(0) += 1;
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    bases.into_inner()
}

#[test]
fn transactions_are_those_of_a_simulation() {
    let strategy = shapes().prop_flat_map(|(text, sizes, bytes)| {
        let measures = [1, 32, 32, 64, 128, 20].map(|bytes| Measure::Transactions { bytes });
        (Just((text, bytes)), cases(sizes, measures.to_vec()))
    });
    let bases = run(200, &strategy, |((text, bytes), case)| {
        let shape = array(text);
        let sizes = shape.sizes().expect("bounded");
        let lies: BTreeMap<Vec<i64>, i64> = (0..)
            .zip(fill(&shape, &sizes))
            .filter_map(|(position, index)| Some((index?, position)))
            .collect();
        let placement = Placement::new(&shape).expect("has a placement");
        case.compare(*bytes, placement.position(), &|index| lies.get(index).copied())
    });
    assert!(bases[&Coverage::Exact] > 40, "{bases:?}");
    assert!(bases[&Coverage::Counted] > 40, "{bases:?}");
}

#[test]
fn conflicts_under_swizzles_are_those_of_a_simulation() {
    let layouts = prop::sample::select(vec![
        ((32i64, 1i64), (32i64, 32i64)),
        ((32, 1), (32, 64)),
        ((33, 1), (32, 32)),
        ((1, 64), (64, 16)),
        ((128, 1), (8, 128)),
    ]);
    let swizzles = prop::option::of((1u32..5, 0u32..5, 0u32..3));
    let strategy = (layouts, swizzles).prop_flat_map(|(layout, swizzle)| {
        let (_, (rows, columns)) = layout;
        let other = Measure::Banks { banks: 16, bytes: 8 };
        let cases = cases(vec![rows, columns], vec![BANKS, BANKS, other]);
        let bytes = prop::sample::select(vec![1i64, 2, 4, 8]);
        (Just((layout, swizzle)), bytes, cases)
    });
    let bases = run(200, &strategy, |((layout, swizzle), bytes, case)| {
        let ((down, right), (rows, columns)) = *layout;
        let swizzle = swizzle.map(|(bits, base, more)| (bits, base, bits + more));
        let prefix = swizzle.map_or(String::new(), |(bits, base, shift)| {
            format!("Swizzle<{bits},{base},{shift}> o ")
        });
        let text = format!("{prefix}({rows},{columns}):({down},{right})");
        let layout = cute::Layout::read(&text).expect("a layout");
        case.compare(*bytes, layout.map(), &|index| {
            let [i, j] = index else { return None };
            let inside = (0..rows).contains(i) && (0..columns).contains(j);
            let offset = i * down + j * right;
            let swizzled = swizzle.map_or(offset, |(bits, base, shift)| {
                let mask = ((1_i64 << bits) - 1) << base;
                offset ^ ((offset >> shift) & mask)
            });
            inside.then_some(swizzled)
        })
    });
    assert!(bases[&Coverage::Exact] > 40, "{bases:?}");
}
