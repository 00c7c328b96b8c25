//! `report`: the page agrees with the answers of the commands, and nothing in the module becomes markup.

use super::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Session, Status};
use serde_json::Value;

/// Modules with fusions of several results, loops, branches, values known at run time, collectives, custom-calls and unknown ops.
const MODULES: [(&str, &str); 8] = [
    ("attention.hlo", include_str!("../../../../docs/tiles/attention.hlo")),
    ("tiled.hlo", include_str!("../../../../docs/layouts/tiled.hlo")),
    ("scan.hlo", include_str!("../../../../docs/diff/scan.hlo")),
    ("model.hlo", include_str!("../../../../tests/sessions/model.hlo")),
    ("explain.hlo", include_str!("../../../../tests/sessions/explain.hlo")),
    ("devices.hlo", include_str!("../../../../tests/sessions/devices.hlo")),
    ("placed.hlo", include_str!("../../../../tests/sessions/placed.hlo")),
    ("unknown.hlo", include_str!("../../../../tests/sessions/unknown.hlo")),
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
    Memory { files: [(name, text.as_bytes().to_vec())].into(), ..Memory::default() }
}

/// Returns the data embedded in the page.
fn data(page: &str) -> Value {
    let start = r#"<script type="application/json" id="data">"#;
    let (_, rest) = page.split_once(start).expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The answers of a command about a module or an instruction, as text and as JSON.
struct Said {
    text: String,
    json: Vec<Value>,
}

fn said(name: &'static str, module: &str, line: &str) -> Said {
    let mut host = host(name, module);
    let done = Session::new().run(line, &mut host);
    let mut text = String::new();
    for output in &host.outputs {
        text += &format!("{}\n", output.text);
    }
    for failure in host.reports.iter().chain(done.as_ref().err()) {
        text += &format!("{}\n", failure.error.message);
    }
    let json = host.outputs.into_iter().filter_map(|output| output.json);
    Said { text, json: json.map(Value::Object).collect() }
}

impl Said {
    /// Returns the answer about an instruction.
    fn of(&self, computation: &str, instruction: &str) -> Option<&Value> {
        let mut answers = self.json.iter();
        answers
            .find(|json| json["computation"] == computation && json["instruction"] == instruction)
    }

    #[track_caller]
    fn holds(&self, line: &str, about: &str) {
        assert!(self.text.contains(line), "{about}: {line}\nnot in\n{}", self.text);
    }
}

/// A page, with the answers that it was generated from.
struct Compared {
    name: &'static str,
    module: String,
    data: Value,
    maps: Said,
    used: Said,
    free: Said,
}

impl Compared {
    #[track_caller]
    fn new(name: &'static str, module: &str) -> Compared {
        let mut memory = host(name, module);
        let line = format!("report {name} --html page.html");
        let status = Session::new().run(&line, &mut memory);
        assert!(status.is_ok(), "{name}: {status:?}");
        Compared {
            name,
            module: module.to_owned(),
            data: data(&memory.written["page.html"]),
            maps: said(name, module, &format!("hlo {name}")),
            used: said(name, module, &format!("hlo {name} --utilisation")),
            free: said(name, module, &format!("hlo {name} --free")),
        }
    }

    fn said(&self, line: &str) -> Said {
        said(self.name, &self.module, line)
    }

    /// Returns a text of the page by its number.
    fn word(&self, number: &Value) -> &str {
        let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
        text(&self.data["words"][number.expect("a number")])
    }

    fn words(&self, numbers: &Value) -> Vec<&str> {
        list(numbers).iter().map(|number| self.word(number)).collect()
    }

    /// Compares all cards, and returns the flags on them.
    fn check(&self) -> Vec<String> {
        let mut flags = Vec::new();
        for card in list(&self.data["cards"]) {
            let number = card["computation"].as_u64().and_then(|n| usize::try_from(n).ok());
            let computation = &self.data["computations"][number.expect("a number")];
            let place = (text(&computation["name"]), text(&card["name"]));
            let has_memory = computation["has_memory"] == true;
            self.check_maps(card, place);
            self.check_use(card, place, has_memory);
            self.check_lines(card, place);
            flags.extend(list(&card["flags"]).iter().map(|flag| text(flag).to_owned()));
        }
        for summary in list(&self.data["summary"]) {
            let line = text(summary);
            let is_said = [&self.maps, &self.free].iter().any(|said| said.text.contains(line));
            assert!(is_said, "{}: {line}", self.name);
        }
        flags
    }

    /// Checks that the page shows exactly the maps of the instruction.
    fn check_maps(&self, card: &Value, (of, at): (&str, &str)) {
        let mut shown = Vec::new();
        for array in list(&card["arrays"]) {
            for map in list(&array["maps"]) {
                shown.push((array["operand"].as_u64(), self.word(&map["text"]).to_owned()));
            }
        }
        let answer = self.maps.of(of, at);
        let mut expected = Vec::new();
        for entry in answer.map_or(&[][..], |json| list(&json["results"])) {
            let texts = match &entry["maps"] {
                Value::Array(maps) if maps.is_empty() => vec!["nothing is read".to_owned()],
                Value::Array(maps) => maps.iter().map(|map| text(&map["map"]).to_owned()).collect(),
                _ => vec![format!("unknown: {}", text(&entry["reason"]))],
            };
            let operand = entry["operand"].as_u64();
            expected.extend(texts.into_iter().map(|text| (operand, text)));
        }
        shown.sort();
        expected.sort();
        assert_eq!(shown, expected, "{}: {of}/{at}", self.name);
    }

    /// Checks that the page shows each share of utilisation, with its sentence, if the instruction has memory.
    fn check_use(&self, card: &Value, (of, at): (&str, &str), has_memory: bool) {
        let about = format!("{}: {of}/{at}", self.name);
        let arrays = list(&card["arrays"]).iter();
        let used: Vec<&Value> = arrays.filter(|array| !array["use"].is_null()).collect();
        let answer = self.used.of(of, at).filter(|_| has_memory);
        let expected = answer.map_or(&[][..], |json| list(&json["utilisation"]));
        assert_eq!(used.len(), expected.len(), "{about}");
        for array in used {
            let path = &expected.iter().find(|entry| {
                let steps: Vec<String> =
                    list(&entry["operand_path"]).iter().map(Value::to_string).collect();
                let path = if steps.is_empty() {
                    String::new()
                } else {
                    format!("{{{}}}", steps.join(","))
                };
                entry["operand"] == array["operand"] && array["path"].as_str().unwrap_or("") == path
            });
            let entry = path.expect("an answer about this array");
            assert_eq!(array["use"][0].as_f64(), entry["share"].as_f64(), "{about}");
            self.used.holds(self.word(&array["use"][1]), &about);
        }
    }

    /// Checks that every other line is in the answer of a command.
    fn check_lines(&self, card: &Value, (of, at): (&str, &str)) {
        let (name, about) = (self.name, format!("{}: {of}/{at}", self.name));
        if !card["moves"].is_null() {
            self.free.holds(self.word(&card["moves"][0]), &about);
        }
        if !list(&card["tiles"]).is_empty() {
            let tiles = self.said(&format!("hlo {name} --tile suggest --computation {of}"));
            for line in self.words(&card["tiles"]) {
                tiles.holds(line, &about);
            }
        }
        let access = self.said(&format!("coalesce {name} {of}/{at} --preset linear"));
        let maps = list(&card["arrays"]).iter().flat_map(|array| list(&array["maps"]));
        let counted: Vec<&Value> = maps.clone().filter(|map| !map["access"].is_null()).collect();
        if !counted.is_empty() {
            let all = access.json.iter().filter(|json| json["ratio"].is_f64()).count();
            assert_eq!(counted.len(), all, "{about}");
        }
        for found in counted.iter().map(|map| &map["access"]) {
            for line in self.words(&found["lines"]) {
                access.holds(line, &about);
            }
            let is_it = |json: &Value| {
                let is_more = json["transactions"] != json["ideal"];
                json["ratio"] == found["ratio"] && found["is_more"] == is_more
            };
            assert!(access.json.iter().any(is_it), "{about}");
        }
        let notes = maps.flat_map(|map| self.words(&map["notes"]));
        for line in notes.chain(self.words(&card["notes"])) {
            match line.strip_prefix("coalesce: ") {
                Some(message) => access.holds(message, &about),
                None => self.maps.holds(line, &about),
            }
        }
    }
}

#[test]
fn the_page_says_what_the_commands_say() {
    for (name, module) in MODULES {
        Compared::new(name, module).check();
    }
    let flags = Compared::new("many.hlo", MANY).check();
    for flag in ["uncoalesced", "partly", "moves", "free", "unknown", "reread"] {
        assert!(flags.iter().any(|found| found == flag), "{flag} in {flags:?}");
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
    for (module, title) in
        [(&module, "many"), (&unnamed, "&lt;script&gt;alert(2)&lt;/script&gt;&amp;.hlo")]
    {
        let mut memory = host(name, module);
        let line = format!("report {name} --html page.html");
        assert_eq!(Session::new().run(&line, &mut memory), Ok(Status::Done));
        let page = &memory.written["page.html"];
        // The page has only its data and its script, each with one end tag; comments would hide the rest.
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
    assert_eq!(data["errors"], serde_json::json!([format!("line 4: {message}")]));
    assert_eq!(memory.reports.len(), 1);
}

#[test]
fn what_is_missing_or_wrong_writes_nothing() {
    for (line, kind) in [
        ("report m.hlo", ErrorKind::Usage),
        ("report --html page.html", ErrorKind::Usage),
        ("report none.hlo --html page.html", ErrorKind::File),
        ("report m.hlo --html page.html --tile 2,x", ErrorKind::Syntax),
        ("report m.hlo --html page.html --custom none.txt", ErrorKind::File),
    ] {
        let mut memory = host("m.hlo", MANY);
        let failure = Session::new().run(line, &mut memory).map_err(|failure| failure.error.kind);
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
