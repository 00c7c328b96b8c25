//! `docs/upstream.md` has the command's answers for the list. To regenerate it after an intended change:
//! `REGENERATE=1 cargo test -p affinor-commands --test commands upstream_page`.

use crate::support::golden;
use crate::support::memory::Memory;
use affinor_commands::Session;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// The lines from other systems.
const LIST: &str = include_str!("../../../workshop/tests/workshop/upstream/lines.txt");

const START: &str = "<!-- lines -->\n";
const END: &str = "<!-- end -->";

fn lines() -> impl Iterator<Item = &'static str> {
    LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns the answers for the list: one for each line, then the totals.
fn answers() -> Vec<Value> {
    let (mut session, mut host) = (Session::new(), Memory::default());
    host.files.insert("lines.txt", LIST.as_bytes().to_vec());
    let status = session.run("upstream lines.txt", &mut host);
    assert!(status.is_ok(), "{status:?}");
    assert_eq!(host.reports, []);
    let outputs = host.outputs.into_iter();
    outputs.filter_map(|output| output.json.map(Value::Object)).collect()
}

fn point(value: &Value) -> String {
    let fields = value.as_object().expect("a point").iter();
    let fields: Vec<String> = fields.map(|(name, value)| format!("{name} = {value}")).collect();
    match fields.is_empty() {
        true => "everywhere".to_owned(),
        false => format!("at {}", fields.join(", ")),
    }
}

fn verdict(value: &Value, at: &Value) -> String {
    match value.as_str() {
        Some("refuted") => format!("**false** {}", point(at)),
        Some("proved") => "true".to_owned(),
        Some(other) => other.to_owned(),
        None => "-".to_owned(),
    }
}

/// Returns the cells of a case's row, without the rule.
fn cells(case: &Value) -> [String; 5] {
    let floor = verdict(&case["verdict"], &case["counterexample"]["point"]);
    let zero = &case["toward_zero"];
    let toward_zero = verdict(&zero["verdict"], &zero["counterexample"]["point"]);
    let overflow = &case["overflow"];
    let wide = match overflow["fails"].as_bool() {
        None => "-".to_owned(),
        Some(true) => format!("**false** {}", point(&overflow["at"]["point"])),
        Some(false) => format!("overflows {}", point(&overflow["at"]["point"])),
    };
    let below = verdict(&case["below_one"]["verdict"], &case["below_one"]["point"]);
    let known = &case["known"];
    let known = match (known["is"].as_str(), known["rule"].as_str()) {
        (_, Some(rule)) => format!("`{rule}`"),
        (Some("tried"), _) => "derived where tried".to_owned(),
        (Some(word), _) => word.to_owned(),
        (None, _) => "-".to_owned(),
    };
    [floor, toward_zero, wide, below, known]
}

fn code(text: &Value) -> String {
    let text = text.as_str().expect("a text");
    format!("`{}`", text.replace('|', "\\|"))
}

/// Writes the tables, one for each file of the list.
fn tables(answers: &[Value]) -> String {
    let mut numbered: Vec<(u64, &Value)> = Vec::new();
    for answer in answers {
        if let (Some(number), true) = (answer["line"].as_u64(), answer["text"].is_string()) {
            numbered.push((number, answer));
        }
    }
    let totals = answers.last().expect("the totals");
    let count = |key: &str| totals[key].as_u64().expect("a count");
    let mut text = format!(
        "{} lines: {} true, {} false as their system divides, {} unknown, {} not stated. Of the true ones, rules have {}, `simplify` derives {}, and {} are new.\n",
        count("lines"),
        count("proved"),
        count("refuted"),
        count("unknown"),
        count("not_stated"),
        count("by_rule"),
        count("derived"),
        count("new"),
    );
    for (number, line) in (1..).zip(LIST.lines()) {
        if let Some(heading) = line.strip_prefix("## ") {
            let _ = write!(
                text,
                "\n### {heading}\n\n| line | rule here | rounding down | toward zero | in 64 bits | divisors below 1 | known |\n|---|---|---|---|---|---|---|\n"
            );
        }
        for (_, answer) in numbered.iter().filter(|(at, _)| *at == number) {
            let empty = Vec::new();
            let rules = answer["rules"].as_array().unwrap_or(&empty);
            if rules.is_empty() {
                let why = answer["not_stated"]["message"].as_str().expect("a reason");
                let _ =
                    writeln!(text, "| {} | not stated: {why} | | | | | |", code(&answer["text"]));
            }
            for (index, case) in rules.iter().enumerate() {
                let line = if index == 0 { code(&answer["text"]) } else { String::new() };
                let _ = writeln!(
                    text,
                    "| {line} | {} | {} |",
                    code(&case["rule"]),
                    cells(case).join(" | ")
                );
            }
        }
    }
    text
}

#[test]
fn the_page_has_what_the_command_answers() {
    let answers = answers();
    assert_eq!(answers.len(), lines().count() + 1);
    // At least this many of the published or proposed rules are false in some reading.
    let is_false = |answer: &&Value| {
        let text = answer.to_string();
        text.contains("\"refuted\"") || text.contains("\"fails\":true")
    };
    assert!(answers.iter().filter(is_false).count() >= 50);
    let refuted = answers.iter().filter(|answer| answer["verdict"] == "refuted");
    assert!(refuted.count() >= 10);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/upstream.md");
    golden::check_between(&path, [START, END], &tables(&answers));
}
