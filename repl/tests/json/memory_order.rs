//! `hlo --memory`: maps from positions to positions, as JSON.

use crate::support::affinor;
use serde_json::{Value, json};

/// Writes a snippet to a file, and returns its path.
fn file(name: &str, text: &str) -> String {
    let path = format!("{}/{name}.hlo", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).expect("a file");
    path
}

fn objects(path: &str, options: &[&str]) -> Vec<Value> {
    let arguments = [&["hlo", path, "--memory", "--json"], options].concat();
    let run = affinor(&arguments, b"");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    run.objects()
}

#[test]
fn a_bitcast_moves_nothing() {
    let path =
        file("memory_bitcast", "p = f32[3,5]{1,0:T(2,2)} parameter(0)\nb = f32[24] bitcast(p)\n");
    let found = objects(&path, &["--check"]);
    let map = &found[0]["results"][0]["maps"][0];
    assert_eq!(map["exact"], true);
    let text = map["memory_map"].as_str().expect("a map");
    assert!(text.starts_with("(d0) -> (d0), domain: d0 in [0, 2"), "{text}");
    assert_eq!(found[0]["results"][0]["check"], "proved");
}

#[test]
fn ranges_values_and_tuples_are_carried() {
    let path = file(
        "memory_slice",
        "p = (s8[2], f32[16,4]{0,1}) parameter(0)\n\
         g = f32[16,4]{0,1} get-tuple-element(p), index=1\n\
         i = s32[] parameter(1)\n\
         d = f32[8,4] dynamic-slice(g, i, i), dynamic_slice_sizes={8,4}\n",
    );
    let found = objects(&path, &[]);
    let same = "(d0) -> (d0), domain: d0 in [0, 63]";
    let part = &found[0]["results"][0];
    assert_eq!(part["operand_path"], json!([1]));
    assert_eq!(part["maps"][0]["memory_map"], same);
    // Row-major positions of the slice, column-major positions of its operand.
    let sliced = &found[1]["results"][0]["maps"][0];
    assert_eq!(
        sliced["memory_map"],
        "(d0){rt0} -> (rt0 + d0 * 16 mod 63), domain: d0 in [0, 31], rt0 in [0, 8]"
    );
    assert_eq!(sliced["runtime"][0]["var"], "rt0");
    let of_entry = objects(&path, &["--entry"]);
    assert_eq!(of_entry[1]["parameter_path"], json!([1]));
    assert_eq!(of_entry[1]["maps"][0]["memory_map"], sliced["memory_map"]);
    let back = objects(&path, &["--direction", "input-to-output", "--instruction", "g"]);
    assert_eq!(back[0]["results"][0]["maps"][0]["memory_map"], same);
}

#[test]
fn arrays_without_positions_have_no_such_map() {
    let path = file("memory_unknown", "p = f32[4]{0:T(2,*)} parameter(0)\nn = f32[4] negate(p)\n");
    let found = objects(&path, &[]);
    let map = &found[0]["results"][0]["maps"][0];
    assert_eq!(map["map"], "(d0) -> (d0), domain: d0 in [0, 3]");
    assert_eq!(map["memory_map"], "unknown");
    let reason = map["memory_reason"].as_str().expect("a reason");
    assert!(reason.contains("no more minor dimension"), "{reason}");
    let plain = affinor(&["hlo", &path, "--json"], b"").objects();
    assert!(plain[0]["results"][0]["maps"][0].get("memory_map").is_none());
    let refused = affinor(&["hlo", &path, "--memory", "--parts", "--json"], b"");
    assert_eq!(refused.status, Some(2), "{}", refused.err);
}
