//! The JSON that programs rely on: modules and layouts.

use crate::support::{affinor, check_json as check};
use serde_json::{Value, json};

#[test]
fn hlo() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/json.hlo");
    let text = "HloModule m\n\
        fused {\n  p0 = f32[8,4]{1,0} parameter(0)\n  ROOT t = f32[4,8]{1,0} transpose(p0), dimensions={1,0}\n}\n\
        ENTRY main.5 {\n  a = f32[8,4]{1,0} parameter(0)\n  i = s32[] parameter(1)\n\
        \x20 f = f32[4,8]{1,0} fusion(a), kind=kLoop, calls=fused\n\
        \x20 ROOT d = f32[4,2]{1,0} dynamic-slice(f, i, i), dynamic_slice_sizes={4,2}\n}\n";
    std::fs::write(path, text).expect("a file");
    let transposed = "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]";
    let fusion = json!({"schema": 1, "computation": "main.5", "instruction": "f", "opcode": "fusion",
        "shape": "f32[4,8]{1,0}", "direction": "output-to-input",
        "results": [{"output": [], "operand": 0, "operand_path": [], "name": "a",
                     "maps": [{"map": transposed, "exact": true, "runtime": []}]}]});
    check(&["hlo", path, "--computation", "main.5", "--instruction", "f"], "", 0, &[fusion]);

    let all = affinor(&["hlo", path, "--json"], b"").objects();
    let names: Vec<&str> = all.iter().filter_map(|object| object["instruction"].as_str()).collect();
    assert_eq!(names, ["t", "f", "d"]);
    let summary = json!({"schema": 1, "summary": {"instructions": 3, "exact": 3, "at_most": 0, "unknown": 0, "wrong": 0,
        "at_most_reasons": [], "unknown_reasons": []}});
    assert_eq!(all[3..], [summary]);
    let map = &all[2]["results"][0]["maps"][0];
    let runtime = map["runtime"][0].as_object().expect("a runtime variable");
    assert_eq!(
        runtime.keys().collect::<Vec<_>>(),
        ["var", "operand", "operand_path", "map", "clamp"]
    );
    assert_eq!(map["exact"], true);

    let checked = affinor(&["hlo", path, "--check", "--json"], b"");
    assert_eq!((checked.status, checked.objects().len()), (Some(0), 4));
    for object in &checked.objects()[..3] {
        for result in object["results"].as_array().expect("a list") {
            assert_eq!(result["check"], "proved", "{object}");
        }
    }
    let back = json!({"schema": 1, "computation": "main.5", "instruction": "f", "opcode": "fusion",
        "shape": "f32[4,8]{1,0}", "direction": "input-to-output",
        "results": [{"output": [], "operand": 0, "operand_path": [], "name": "a",
                     "maps": [{"map": "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]",
                               "exact": true, "runtime": []}]}]});
    let direction = ["--direction", "input-to-output"];
    let of_fusion = ["hlo", path, "--computation", "main.5", "--instruction", "f"];
    check(&[&of_fusion[..], &direction].concat(), "", 0, &[back]);
    for wrong in [
        &["--direction", "sideways"][..],
        &["--direction", "input-to-output", "--check"],
        &["--entry", "--explain"],
    ] {
        let run = affinor(&[&["hlo", path, "--json"], wrong].concat(), b"");
        assert_eq!((run.status, &run.objects()[0]["error"]["kind"]), (Some(2), &json!("usage")));
    }

    let offset = |path: &str| {
        json!({"var": path, "parameter": 1, "parameter_path": [], "clamp": [0, 6],
        "map": "(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 1]"})
    };
    let run = affinor(&["hlo", path, "--entry", "--json"], b"");
    let entry = run.objects();
    assert_eq!((run.status, entry.len()), (Some(0), 2));
    let run = affinor(&["hlo", path, "--entry", "--check", "--json"], b"");
    let checks: Vec<Value> = run.objects().iter().map(|line| line["check"].clone()).collect();
    assert_eq!((run.status, checks), (Some(0), vec![json!("proved"); 2]));
    let sliced = &entry[0]["maps"][0];
    assert_eq!(
        (
            &entry[0]["parameter"],
            &entry[0]["parameter_path"],
            &entry[0]["output"],
            &sliced["exact"]
        ),
        (&json!(0), &json!([]), &json!([]), &json!(true))
    );
    assert_eq!(sliced["runtime"].as_array().and_then(|list| list.last()), Some(&offset("rt0")));
    assert_eq!(entry[1]["maps"].as_array().map(Vec::len), Some(1));

    let raw = affinor(&["hlo", path, "--no-simplify", "--json"], b"");
    assert_eq!((raw.status, raw.objects().len()), (Some(0), 4));
    let missing = affinor(&["hlo", path, "--instruction", "g", "--json"], b"");
    assert_eq!((missing.status, &missing.objects()[0]["error"]["kind"]), (Some(1), &json!("name")));
}

#[test]
fn layout() {
    let position = "(d0, d1) -> (d1 + (d0 + d1 floordiv 2) * 2 + d0 floordiv 2 * 8), domain: d0 in [0, 2], d1 in [0, 4]";
    let run = affinor(&["layout", "f32[3,5]{1,0:T(2,2)}", "--json", "--index", "2,3"], b"");
    let object = &run.objects()[0];
    for (key, expected) in [
        ("shape", json!("f32[3,5]{1,0:T(2,2)}")),
        ("elements", json!(15)),
        ("dense_bytes", json!(60)),
        ("physical_bytes", json!(96)),
        ("physical_shape", json!([2, 3, 2, 2])),
        ("map", json!(position)),
        ("index", json!([2, 3])),
        ("tile_index", json!([1, 1])),
        ("within_tile", json!([0, 1])),
        ("linear", json!(17)),
    ] {
        assert_eq!(object[key], expected, "{key}");
    }
    let back = |position: &str| {
        let run = affinor(&["layout", "f32[3,5]{1,0:T(2,2)}", "--json", "--linear", position], b"");
        let object = run.objects().remove(0);
        (object["index"].clone(), object["padding"].clone())
    };
    assert_eq!(back("17"), (json!([2, 3]), json!(false)));
    assert_eq!(back("9"), (Value::Null, json!(true)));
    check(
        &["layout", "equal", "f32[8,256]{1,0:T(8,128)}", "f32[8,256]"],
        "",
        1,
        &[json!({"schema": 1, "verdict": "refuted",
            "counterexample": {"point": {"d0": 0, "d1": 128}, "left": [1024], "right": [128]}})],
    );
    let run = affinor(&["bitcast", "f32[3,5]{0,1}", "f32[5,3]", "--json"], b"");
    let object = &run.objects()[0];
    assert_eq!(object["reshape"]["verdict"], "refuted");
    assert_eq!(object["transposes"][0]["verdict"], "proved");
    assert_eq!(object["transposes"][0]["dimensions"], json!([1, 0]));
    assert_eq!(run.status, Some(0));
    let run = affinor(&["layout", "choose", "bf16[8,1,1280,16384]", "--json"], b"");
    let formats = run.objects()[0]["formats"].clone();
    let names: Vec<&str> = formats
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|format| format["format"].as_str())
        .collect();
    assert_eq!(names, ["linear", "TPU 16-bit tile"]);
}
