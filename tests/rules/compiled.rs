//! `rules/compiled.bin` is the result of compiling the rules; a program that does not match the rules' text does not fire.

use affinor::rule::verify::Source;
use affinor::simplify::Program;
use std::fs;
use std::path::Path;

const RENEW: &str =
    "rules/compiled.bin is not what the rules are compiled to; renew it: cargo run -- rules lock";

fn data() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/compiled.bin");
    fs::read(path).expect("the data is there")
}

/// Prints all of a program.
fn shown(program: &Program) -> String {
    format!("{program:?}")
}

#[test]
fn the_data_is_what_the_rules_are_compiled_to() {
    let source = Source::SHIPPED;
    let made = Program::encoded(&source).expect("the rules compile");
    assert!(made == data(), "{RENEW}");
    let read = Program::decoded(&source, &data()).expect(RENEW);
    let compiled = Program::of_text(&source).expect("the rules compile");
    assert!(shown(&read) == shown(&compiled), "{RENEW}");
}

#[test]
fn verdicts_of_later_judges_do_not_matter() {
    let lock = Source::SHIPPED.lock;
    let lock = lock.replace("cvc5=proved rocq=proved", "cvc5=pending rocq=none");
    assert_ne!(lock, Source::SHIPPED.lock);
    let source = Source { lock: &lock, ..Source::SHIPPED };
    assert!(Program::decoded(&source, &data()).is_some());
}

#[test]
fn data_of_other_texts_and_altered_data_are_not_used() {
    let shipped = Source::SHIPPED;
    let data = data();
    let mut fewer = shipped.files.to_vec();
    fewer.pop();
    let mut renamed = shipped.files.to_vec();
    (renamed[0].0, renamed[2].0) = (renamed[2].0, renamed[0].0);
    let longer = format!("{}# A comment.\n", shipped.files[0].1);
    let mut commented = shipped.files.to_vec();
    commented[0].1 = &longer;
    let refuted = shipped.lock.replacen("z3=proved", "z3=refuted", 1);
    let files = |files| Source { files, ..shipped };
    let texts = [
        ("a file is gone", files(&fewer)),
        ("the names of files are exchanged", files(&renamed)),
        ("a line is added", files(&commented)),
        ("a rule is not proved", Source { lock: &refuted, ..shipped }),
    ];
    for (what, source) in &texts {
        assert!(Program::decoded(source, &data).is_none(), "{what}");
    }
    let mut altered: Vec<(String, Vec<u8>)> = Vec::new();
    for length in [0, 7, 8, 9, data.len() / 2, data.len() - 1] {
        altered.push((format!("cut off at {length}"), data[..length].to_vec()));
    }
    for place in (0..data.len()).step_by(97) {
        let mut other = data.clone();
        other[place] ^= 1 << (place % 8);
        altered.push((format!("another bit at {place}"), other));
    }
    altered.push(("a byte more".to_owned(), [&data[..], &[0]].concat()));
    for (what, other) in &altered {
        assert!(Program::decoded(&shipped, other).is_none(), "{what}");
    }
}

#[test]
fn the_text_fires_where_the_data_is_not_of_it() {
    let shipped = Source::SHIPPED;
    let compiled = shown(&Program::of_text(&shipped).expect("the rules compile"));
    for data in [Vec::new(), data()[..1000].to_vec(), data()] {
        let program = Program::of(&shipped, &data).expect("the rules compile");
        assert!(shown(&program) == compiled, "{} bytes", data.len());
    }
    // One rule alone, with its entry in the lock.
    let text = "div-one: x floordiv 1 => x \"A quotient by one.\"\n";
    let mut files: Vec<(&str, &str)> = shipped.files.iter().map(|(name, _)| (*name, "")).collect();
    files[0].1 = text;
    let source = Source { files: &files, lock: "" };
    let refused = Program::of(&source, &data()).expect_err("it is not proved");
    assert!(refused.message.contains("is not the one that was proved"), "{refused:?}");
}
