//! Custom-calls that state their loops: maps are compared with the definition, wrong maps are refuted, malformed statements
//! are unknown.

use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, CustomCalls};
use std::sync::Arc;

const OPERANDS: &str = "
    p = f32[9] parameter(0)
    q = f32[3,4] parameter(1)\n";

fn call(shape: &str, operands: &str, config: &str) -> String {
    format!(
        "{OPERANDS}r = {shape} custom-call({operands}), custom_call_target=\"linalg.generic\", backend_config={config}"
    )
}

/// Returns the judgements of the call, whose maps are those of `table`, or its own.
fn judged(text: &str, table: &str) -> Vec<Option<Judgement>> {
    let module = hlo::read_text(text).unwrap_or_else(|error| panic!("{text}: {}", error.message));
    let own = CustomCalls::read(table).unwrap_or_else(|error| panic!("{}", error.message));
    let table = Arc::new(CustomCalls::published().extended_by(own));
    let body = &module[module.entry()];
    let mut analysis = Analysis::new(&module, &|map| map.clone()).with_custom_calls(&table);
    let reads = analysis.instruction(module.entry(), body.root());
    let reads = reads.unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let defined = Definitions::new(&module).of(body, &body[body.root()]);
    judge(&defined, &reads, &Budget::default())
}

#[test]
fn stated_loops_are_proved() {
    for (shape, operands, config) in [
        (
            "f32[4]",
            "p",
            "{\"points\":[4,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0 * 2 + d1)>\"]}",
        ),
        (
            "f32[12]",
            "q",
            "{\"points\":[12],\"result\":\"affine_map<(d0) -> (d0)>\",\"reads\":[\"affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>\"]}",
        ),
        (
            "f32[3,1]",
            "p, q",
            "{\"points\":[3,4],\"result\":\"affine_map<(d0, d1) -> (d0, 0)>\",\"reads\":[null,\"affine_map<(d0, d1) -> (d0, d1)>\"]}",
        ),
        (
            "f32[4,4]",
            "p",
            "{\"points\":[4,4],\"result\":\"affine_map<(d0, d1) -> (d0, d1)>\",\"reads\":[\"(d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [0, 3]\"]}",
        ),
    ] {
        let text = call(shape, operands, config);
        let judged = judged(&text, "");
        let is_proved = |one: &Option<Judgement>| matches!(one, Some(Judgement::Proved));
        assert!(!judged.is_empty() && judged.iter().all(is_proved), "{config}: {judged:?}");
    }
}

#[test]
fn wrong_maps_are_refuted() {
    let text = call(
        "f32[4]",
        "p",
        "{\"points\":[4,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0 * 2 + d1)>\"]}",
    );
    for map in [
        "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 1]",
        "(d0) -> (d0), domain: d0 in [0, 3]",
    ] {
        let judged = judged(&text, &format!("\"linalg.generic\":\n  reads 0: {map}\n"));
        let is_refuted = |one: &Option<Judgement>| matches!(one, Some(Judgement::Refuted(_)));
        assert!(judged.iter().any(is_refuted), "{map}: {judged:?}");
    }
}

#[test]
fn what_states_no_loops_is_unknown() {
    for (config, reason) in [
        ("{}", "states no loops"),
        ("{\"points\":[4,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\"}", "states no reads"),
        (
            "{\"points\":[4,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[]}",
            "the reads of other operands",
        ),
        (
            "{\"points\":[4,3],\"result\":\"affine_map<(d0, d1) -> (d1)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0)>\"]}",
            "not indexed by loops of its sizes",
        ),
        (
            "{\"points\":[4],\"result\":\"affine_map<(d0) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0)>\"]}",
            "not an affine map over its loops",
        ),
        (
            "{\"points\":[4],\"result\":\"affine_map<(d0) -> (d0)>\",\"reads\":[\"affine_map<(d0) -> (d0, d0)>\"]}",
            "and its map differ in rank",
        ),
    ] {
        let text = call("f32[4]", "p", config);
        let module = hlo::read_text(&text).unwrap_or_else(|error| panic!("{}", error.message));
        let body = &module[module.entry()];
        let mut analysis = Analysis::new(&module, &|map| map.clone());
        let reads = analysis.instruction(module.entry(), body.root()).expect("a module");
        let said = format!("{reads:?}");
        assert!(said.contains(reason), "{config}: {said}");
    }
}
