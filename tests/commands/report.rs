//! `report`: the page says what the commands say, and nothing of the module becomes markup.

use super::support::memory::Memory;
use affinor::command::{Session, Status};
use affinor::text::ErrorKind;
use serde_json::Value;

/// Modules with fusions of several results, loops, branches, values known at run time, collectives, custom-calls and unknown ops.
const MODULES: [(&str, &str); 8] = [
    (
        "attention.hlo",
        include_str!("../../docs/tiles/attention.hlo"),
    ),
    ("tiled.hlo", include_str!("../../docs/layouts/tiled.hlo")),
    ("scan.hlo", include_str!("../../docs/diff/scan.hlo")),
    ("model.hlo", include_str!("../sessions/model.hlo")),
    ("explain.hlo", include_str!("../sessions/explain.hlo")),
    ("devices.hlo", include_str!("../sessions/devices.hlo")),
    ("placed.hlo", include_str!("../sessions/placed.hlo")),
    ("unknown.hlo", include_str!("../sessions/unknown.hlo")),
];

const MANY: &str = r#"HloModule many
two { p = f32[8,64] parameter(0) q = f32[8] parameter(1)
  n = f32[8,64] negate(p)
  t = f32[64,8] transpose(p), dimensions={1,0}
  b = f32[8,64] broadcast(q), dimensions={0}
  s = f32[8,32] slice(b), slice={[0:8], [0:64:2]}
  ROOT all = (f32[8,64], f32[64,8], f32[8,32]) tuple(n, t, s) }
ENTRY e { a = f32[8,64] parameter(0) c = f32[8] parameter(1) i = s32[] parameter(2)
  f = (f32[8,64], f32[64,8], f32[8,32]) fusion(a, c), kind=kLoop, calls=two
  first = f32[8,64] get-tuple-element(f), index=0
  d = f32[2,64] dynamic-slice(first, i, i), dynamic_slice_sizes={2,64}
  x = f32[8,64]{0,1} copy(first)
  y = f32[512] reshape(first)
  z = f32[512] custom-call(y), custom_call_target="mine"
  ROOT r = (f32[2,64], f32[8,64]{0,1}, f32[512]) tuple(d, x, z) }"#;

fn host(name: &'static str, text: &str) -> Memory {
    Memory {
        files: [(name, text.as_bytes().to_vec())].into(),
        ..Memory::default()
    }
}

/// The data of the page that was written.
fn data(page: &str) -> Value {
    let start = r#"<script type="application/json" id="data">"#;
    let (_, rest) = page.split_once(start).expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// All that a command says of a module, or of an instruction: the text, and its JSON.
fn said(name: &'static str, module: &str, line: &str) -> (String, Vec<Value>) {
    let mut host = host(name, module);
    let done = Session::new().run(line, &mut host);
    let mut text = String::new();
    for output in &host.outputs {
        text += &format!("{}\n", output.text);
    }
    let failures = host.reports.iter().chain(done.as_ref().err());
    for failure in failures {
        text += &format!("{}\n", failure.error.message);
    }
    let json = host.outputs.into_iter().filter_map(|output| output.json);
    (text, json.map(Value::Object).collect())
}

/// Compares the page of a module with what the commands say; returns the flags on it.
#[track_caller]
fn check(name: &'static str, module: &str) -> Vec<String> {
    let mut memory = host(name, module);
    let line = format!("report {name} --html page.html");
    let status = Session::new().run(&line, &mut memory);
    assert!(status.is_ok(), "{name}: {status:?}");
    let data = data(&memory.written["page.html"]);
    let word = |number: &Value| -> String {
        let number = usize::try_from(number.as_u64().unwrap()).unwrap();
        data["words"][number].as_str().unwrap().to_owned()
    };
    let maps = said(name, module, &format!("hlo {name}"));
    let (used, used_json) = said(name, module, &format!("hlo {name} --utilisation"));
    let (free, _) = said(name, module, &format!("hlo {name} --free"));
    let mut flags = Vec::new();
    for card in list(&data["cards"]) {
        let computation = list(&data["computations"])
            .get(card["computation"].as_u64().unwrap() as usize)
            .unwrap();
        let (of, at) = (&computation["name"], &card["name"]);
        let about = format!("{name}: {of}/{at}");
        let is_it = |json: &&Value| json["computation"] == *of && json["instruction"] == *at;
        let answer = maps.1.iter().find(is_it);
        flags.extend(
            list(&card["flags"])
                .iter()
                .map(|flag| flag.as_str().unwrap().to_owned()),
        );
        // Each map, in order, and nothing else.
        let on_page = list(&card["arrays"]).iter().flat_map(|array| {
            let maps = list(&array["maps"]).iter();
            maps.map(move |map| (array["operand"].as_u64(), map))
        });
        let mut on_page: Vec<(Option<u64>, String)> = on_page
            .map(|(operand, map)| (operand, word(&map["text"])))
            .collect();
        let results = answer.map_or(&[][..], |json| list(&json["results"]));
        let mut expected = Vec::new();
        for entry in results {
            let operand = entry["operand"].as_u64();
            match &entry["maps"] {
                Value::Array(maps) if maps.is_empty() => {
                    expected.push((operand, "nothing is read".to_owned()))
                }
                Value::Array(maps) => expected.extend(
                    maps.iter()
                        .map(|map| (operand, map["map"].as_str().unwrap().to_owned())),
                ),
                _ => expected.push((
                    operand,
                    format!("unknown: {}", entry["reason"].as_str().unwrap()),
                )),
            }
        }
        on_page.sort();
        expected.sort();
        assert_eq!(on_page, expected, "{about}");
        // Shares, and every sentence.
        let shares = used_json
            .iter()
            .find(is_it)
            .filter(|_| computation["has_memory"] == true);
        for (array, entry) in list(&card["arrays"])
            .iter()
            .filter(|array| !array["use"].is_null())
            .zip(shares.map_or(&[][..], |json| list(&json["utilisation"])))
        {
            assert_eq!(array["use"][0].as_f64(), entry["share"].as_f64(), "{about}");
        }
        let with_use = list(&card["arrays"])
            .iter()
            .filter(|array| !array["use"].is_null())
            .count();
        assert_eq!(
            with_use,
            shares.map_or(0, |json| list(&json["utilisation"]).len()),
            "{about}"
        );
        let of_module = |line: &str, text: &str| {
            assert!(text.contains(line), "{about}: {line}\nnot in\n{text}")
        };
        let mut lines_of_maps: Vec<String> = list(&card["notes"]).iter().map(&word).collect();
        for array in list(&card["arrays"]) {
            if !array["use"].is_null() {
                of_module(&word(&array["use"][1]), &used);
            }
            for map in list(&array["maps"]) {
                lines_of_maps.extend(list(&map["notes"]).iter().map(&word));
            }
        }
        if !card["moves"].is_null() {
            of_module(&word(&card["moves"][0]), &free);
        }
        let (of, path) = (of.as_str().unwrap(), at.as_str().unwrap());
        if !list(&card["tiles"]).is_empty() {
            let (tiles, _) = said(
                name,
                module,
                &format!("hlo {name} --tile suggest --computation {of}"),
            );
            for line in list(&card["tiles"]) {
                of_module(&word(line), &tiles);
            }
        }
        let (access, json) = said(
            name,
            module,
            &format!("coalesce {name} {}/{path} --preset linear", of),
        );
        let counted = json.iter().filter(|json| json["ratio"].is_f64()).count();
        let with_access: Vec<&Value> = list(&card["arrays"])
            .iter()
            .flat_map(|array| list(&array["maps"]))
            .filter(|map| !map["access"].is_null())
            .collect();
        if !with_access.is_empty() {
            assert_eq!(with_access.len(), counted, "{about}");
        }
        for map in with_access {
            for line in list(&map["access"]["lines"]) {
                of_module(&word(line), &access);
            }
            let is_more = map["access"]["is_more"].as_bool().unwrap();
            let ratio = map["access"]["ratio"].as_f64().unwrap();
            assert!(
                json.iter().any(|json| json["ratio"].as_f64() == Some(ratio)
                    && (json["transactions"] != json["ideal"]) == is_more),
                "{about}"
            );
        }
        for line in lines_of_maps {
            match line.strip_prefix("coalesce: ") {
                Some(message) => of_module(message, &access),
                None => of_module(&line, &maps.0),
            }
        }
    }
    for summary in list(&data["summary"]) {
        let text = summary.as_str().unwrap();
        assert!(
            maps.0.contains(text) || free.contains(text),
            "{name}: {text}"
        );
    }
    flags
}

#[test]
fn the_page_says_what_the_commands_say() {
    for (name, module) in MODULES {
        check(name, module);
    }
    let flags = check("many.hlo", MANY);
    for flag in [
        "uncoalesced",
        "partly",
        "moves",
        "free",
        "unknown",
        "reread",
    ] {
        assert!(
            flags.iter().any(|found| found == flag),
            "{flag} in {flags:?}"
        );
    }
}

#[test]
fn names_of_the_module_are_text() {
    let module = MANY.replace(
        "negate(p)",
        r#"negate(p), metadata={op_name="</script><script>alert(1)</script><!--<script>"}"#,
    );
    let name = "<script>alert(2)</script>&.hlo";
    let unnamed = module.replace("HloModule many", "");
    for (module, title) in [
        (&module, "many"),
        (&unnamed, "&lt;script&gt;alert(2)&lt;/script&gt;&amp;.hlo"),
    ] {
        let mut memory = host(name, module);
        let line = format!("report {name} --html page.html");
        assert_eq!(Session::new().run(&line, &mut memory), Ok(Status::Done));
        let page = &memory.written["page.html"];
        // The data, the script, and what ends them; comments would hide what follows.
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--"));
        assert!(page.contains(&format!("<title>{title}</title>")));
        let data = data(page);
        assert_eq!(data["file"], name);
        let words = list(&data["words"]).iter();
        let hostile = "</script><script>alert(1)</script><!--<script>";
        assert_eq!(words.filter(|word| *word == hostile).count(), 1);
    }
}

#[test]
fn the_page_loads_nothing() {
    let mut memory = host("m.hlo", MANY);
    let answered = Session::new().run("report m.hlo --html -", &mut memory);
    assert_eq!(answered, Ok(Status::Done));
    assert!(memory.written.is_empty());
    let page = memory.outputs[0].text.to_string();
    assert!(page.contains("default-src 'none'"));
    for address in ["http:", "https:", "//cdn", "@import", "url(", " src="] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(address), "{address}");
    }
}

#[test]
fn a_wrong_instruction_is_reported_and_on_the_page() {
    let module = "HloModule m\nENTRY e { p = f32[4] parameter(0)\n n = f32[4] negate(p)\n ROOT t = f32[5] transpose(n), dimensions={0} }";
    let mut memory = host("m.hlo", module);
    let status = Session::new().run("report m.hlo --html page.html", &mut memory);
    assert_eq!(status, Ok(Status::Wrong));
    let data = data(&memory.written["page.html"]);
    let message = &memory.reports[0].error.message;
    assert_eq!(
        data["errors"],
        serde_json::json!([format!("line 4: {message}")])
    );
    assert_eq!(memory.reports.len(), 1);
}

#[test]
fn what_is_missing_or_wrong_writes_nothing() {
    for (line, kind) in [
        ("report m.hlo", ErrorKind::Usage),
        ("report --html page.html", ErrorKind::Usage),
        ("report none.hlo --html page.html", ErrorKind::File),
        (
            "report m.hlo --html page.html --tile 2,x",
            ErrorKind::Syntax,
        ),
        (
            "report m.hlo --html page.html --custom none.txt",
            ErrorKind::File,
        ),
    ] {
        let mut memory = host("m.hlo", MANY);
        let failure = Session::new()
            .run(line, &mut memory)
            .map_err(|failure| failure.error.kind);
        assert_eq!(failure, Err(kind), "{line}");
        assert!(memory.written.is_empty(), "{line}");
    }
}

#[test]
fn the_session_stays_as_it_was() {
    let mut session = Session::new();
    let mut memory = host("m.hlo", MANY);
    for line in [
        "simplify (d0) -> (d0 + 0), domain: d0 in [0, 3]",
        "report m.hlo --html page.html",
        "show _",
    ] {
        assert!(session.run(line, &mut memory).is_ok(), "{line}");
    }
    let last = memory.outputs.last().map(|output| output.text.to_string());
    assert!(last.is_some_and(|text| text.contains("(d0) -> (d0)")));
}
