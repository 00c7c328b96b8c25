//! The simplified maps of bitcasts between layouts: the remaining traces of tiles, padding and widths.

use affinor::expr::IndexingMap;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, print_map};
use affinor_hlo as hlo;
use affinor_ops::indexing::Analysis;
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

#[track_caller]
fn check(output: &str, operand: &str, expected: &str) {
    let text = format!("p = {operand} parameter(0) \n r = {output} bitcast(p)");
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let simplify = |map: &IndexingMap| SIMPLIFIER.simplify(map, &Options::default()).map;
    let root = module[module.entry()].root();
    let reads = Analysis::new(&module, &simplify).instruction(module.entry(), root);
    let reads = reads.unwrap_or_else(|error| panic!("{text}: {error}"));
    let maps = reads[0].reads.maps().unwrap_or_else(|| panic!("{text}"));
    let maps: Vec<String> = maps.iter().map(|map| print_map(&map.map, Style::Plain)).collect();
    assert_eq!(maps, [expected], "{text}");
    assert!(reads[0].reads.is_exact(), "{text}");
}

#[test]
fn whole_tiles_stay_whole() {
    check(
        "f32[2,8,128]{2,1,0:T(8,128)}",
        "f32[16,128]{1,0:T(8,128)}",
        "(d0, d1, d2) -> (d0 * 8 + d1, d2), domain: d0 in [0, 1], d1 in [0, 7], d2 in [0, 127]",
    );
    check("f32[1]{0:T(128)}", "f32[]{:T(128)}", "(d0) -> (), domain: d0 in [0, 0]");
}

#[test]
fn what_lies_on_padding_is_not_in_the_domain() {
    check(
        "f32[1024]{0:T(1024)}",
        "f32[5,128]{1,0:T(8,128)}",
        "(d0) -> (d0 floordiv 128, d0 mod 128), domain: d0 in [0, 639]",
    );
}

#[test]
fn parts_of_elements_and_several_elements() {
    check(
        "s16[4,12]",
        "f32[4,6]",
        "(d0, d1) -> (d0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [0, 11]",
    );
    check(
        "f32[4,6]",
        "s16[4,12]",
        "(d0, d1)[s0] -> (d0, d1 * 2 + s0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1]",
    );
    check(
        "u32[8,128]{1,0:T(8,128)}",
        "bf16[16,128]{1,0:T(8,128)(2,1)}",
        "(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 7], d1 in [0, 127], s0 in [0, 1]",
    );
}
