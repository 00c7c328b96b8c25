//! Inputs that once did not terminate: the work on each is bounded, whatever its size.
//!
//! Work is counted in allocations, since every loop of the engine allocates, and memory in bytes: neither depends on the
//! machine.

use affinor::expr::IndexingMap;
use affinor::prove::{Budget, equal_functions};
use affinor::simplify::{Options, Simplifier};
use affinor::text::parse_map;
use allocation_counter::{AllocationInfo, measure};
use std::fmt::Write;
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

/// A deterministic pseudorandom number generator.
struct Draw(u64);

impl Draw {
    fn new() -> Draw {
        Draw(5)
    }

    fn within(&mut self, from: u32, to: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        from + (self.0 >> 40) as u32 % (to - from + 1)
    }
}

/// Builds `(d0, ..) -> (result, ..)` over this many variables, each in `[0, 9]`.
fn map_of(variables: usize, results: &[String], constraints: &[String]) -> IndexingMap {
    let names: Vec<String> = (0..variables).map(|number| format!("d{number}")).collect();
    let mut text = format!("({}) -> ({}), domain: ", names.join(", "), results.join(", "));
    let bounds = names.iter().map(|name| format!("{name} in [0, 9]"));
    let items: Vec<String> = bounds.chain(constraints.iter().cloned()).collect();
    write!(text, "{}", items.join(", ")).expect("a string");
    parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// Nests operations around `d0`, each of which may contain the previous expression more than once.
fn nested(depth: usize, mut around: impl FnMut(usize, &str) -> String) -> String {
    (0..depth).fold("d0".to_owned(), |inner, level| around(level, &inner))
}

fn joined(count: usize, separator: &str, part: impl FnMut(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(separator)
}

/// Returns a sum of quotients of mins with eight operands each, whose ranges matter.
fn mins(count: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let sum = joined(count, " + ", |_| {
        let operands =
            joined(8, ", ", |x| format!("d{x} * {} + {}", draw.within(1, 9), draw.within(0, 9)));
        format!("min({operands})")
    });
    map_of(8, &[format!("({sum}) floordiv 7")], &[])
}

fn halves(depth: usize) -> IndexingMap {
    let result = nested(depth, |_, x| format!("(({x} + 1) floordiv 2 * 3)"));
    map_of(1, &[result], &[])
}

fn remainders(depth: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let result = nested(depth, |_, x| {
        format!("((3 * {x} + {}) mod {})", draw.within(1, 9), draw.within(5, 40))
    });
    map_of(1, &[result], &[])
}

fn clamped_remainders(depth: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let result = nested(depth, |level, x| {
        let (inside, beside) = (level % 3, (level + 1) % 3);
        format!("min((3 * {x} + d{inside}) mod {}, d{beside})", draw.within(5, 40))
    });
    map_of(3, &[result], &[])
}

fn quotients(count: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let sum = joined(count, " + ", |_| {
        let (factor, divisor) = (draw.within(2, 99), draw.within(2, 99));
        format!("(d0 * {factor} + d1) floordiv {divisor}")
    });
    map_of(2, &[sum], &[])
}

fn wide_min(count: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let operands = joined(count, ", ", |x| {
        format!("d{} * {} + {}", x % 8, draw.within(1, 999), draw.within(0, 99))
    });
    map_of(8, &[format!("min({operands})")], &[])
}

fn digit(draw: &mut Draw) -> String {
    let (factor, divisor, modulus) = (draw.within(2, 99), draw.within(2, 99), draw.within(2, 20));
    format!("(d0 * {factor} + d1) floordiv {divisor} mod {modulus}")
}

fn results(count: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let list: Vec<String> = (0..count).map(|_| digit(&mut draw)).collect();
    map_of(2, &list, &[])
}

fn constraints(count: usize) -> IndexingMap {
    let mut draw = Draw::new();
    let bound = |_| format!("{} in [0, {}]", digit(&mut draw), 3 + draw.within(0, 9));
    let list: Vec<String> = (0..count).map(bound).collect();
    map_of(2, &["d0 floordiv 3".to_owned()], &list)
}

/// A family of maps: its name, the constructor, the sizes, and the number of allocations that one answer may take per unit of its
/// budget.
type Family = (&'static str, fn(usize) -> IndexingMap, &'static [usize]);

const FAMILIES: &[Family] = &[
    ("mins of eight operands", mins, &[3, 6, 24]),
    ("halves in halves", halves, &[20, 43, 100]),
    ("remainders in remainders", remainders, &[24, 100, 48]),
    ("clamped remainders", clamped_remainders, &[17, 34, 68]),
    ("sums of quotients", quotients, &[250, 1_000, 4_000]),
    ("operands of a min", wide_min, &[64, 500, 2_000]),
    ("results", results, &[30, 300]),
    ("constraints", constraints, &[10, 60, 300]),
];

/// The maximum number of allocations of an answer for each of its results and constraints, in addition to parsing.
const ALLOCATIONS: u64 = 2_000_000;
const BYTES: u64 = 300 << 20;

fn units(map: &IndexingMap) -> u64 {
    1 + (map.results().len() + map.domain().constraints().len()) as u64 / 8
}

#[track_caller]
fn within(what: &str, map: &IndexingMap, limit: u64, work: impl FnOnce()) {
    LazyLock::force(&SIMPLIFIER); // excludes the allocations for loading the rules from the measurement
    let AllocationInfo { count_total, bytes_max, .. } = measure(work);
    let limit = limit * units(map);
    assert!(count_total <= limit, "{what}: {count_total} allocations of {limit}");
    assert!(bytes_max <= BYTES, "{what}: {} MiB at once", bytes_max >> 20);
}

#[test]
fn simplifying_is_bounded_whatever_is_made_longer() {
    for (name, family, lengths) in FAMILIES {
        for &length in *lengths {
            let map = family(length);
            let what = format!("{length} {name}");
            let mut simple = None;
            within(&what, &map, ALLOCATIONS, || {
                simple = Some(SIMPLIFIER.simplify(&map, &Options::default()).map);
            });
            let simple = simple.expect("simplified");
            let verdict =
                equal_functions(&map, &simple, &Budget { solver_steps: 0, ..Budget::default() });
            let is_refuted = matches!(verdict, Ok(affinor::prove::Verdict::Refuted(_)));
            assert!(!is_refuted, "{what} became something else");
        }
    }
}

#[test]
fn certificates_and_what_is_told_of_them_are_bounded() {
    for (name, family, lengths) in FAMILIES {
        for &length in lengths.iter().take(2) {
            let map = family(length);
            let what = format!("the certificate of {length} {name}");
            within(&what, &map, 4 * ALLOCATIONS, || {
                let certified = SIMPLIFIER.certify(&map, &Options::default());
                let steps = SIMPLIFIER.steps(&certified, &Options::default());
                let is_changed = certified.outcome.map != map;
                assert_eq!(steps.is_empty(), !is_changed, "{what}");
            });
        }
    }
}

#[test]
fn one_step_is_one_step() {
    for (name, family, lengths) in FAMILIES {
        for &length in *lengths {
            let map = family(length);
            let options = Options { steps: 1, ..Options::default() };
            let size: u64 = map.results().iter().map(|x| u64::from(x.size())).sum();
            within(&format!("{length} {name}"), &map, 40_000 + 60 * size, || {
                let outcome = SIMPLIFIER.simplify(&map, &options);
                assert!(outcome.stopped.is_some(), "{length} {name} takes more than one step");
            });
        }
    }
}
