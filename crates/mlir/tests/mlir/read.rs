//! `read.txt`: texts, and the HLO that they are read as: the instructions of each computation, notes and errors with their places.
//! `REGENERATE=1` rewrites the answers. Variants of a text, such as its generic form, follow each other and share an answer.

use super::golden;
use affinor_mlir::{read_mlir, translate};
use std::fmt::Write as _;
use std::path::Path;

/// Returns the HLO without parameters, one computation a line, with the notes; or the error.
fn answer(text: &str) -> String {
    let of_place = |span: Option<std::ops::Range<usize>>| match span {
        Some(span) => format!("at {}: `{}`", span.start, text[span.clone()].replace('\n', "\\n")),
        None => panic!("{text}: no place"),
    };
    let (hlo, module) = match (translate(text), read_mlir(text)) {
        (Ok(hlo), Ok(module)) => (hlo, module),
        (_, Err(error)) => {
            return format!("=> error {}: {}\n", of_place(error.span), error.message);
        }
        (Err(error), _) => panic!("{text}: {error:?}"),
    };
    let mut found = String::new();
    let computations = hlo.split("\n\n").skip(1).map(|computation| {
        let mut lines = computation.lines();
        let name = lines.next().unwrap_or_default().trim_end_matches(" {");
        let lines =
            lines.map(str::trim).filter(|line| *line != "}" && !line.contains(" parameter("));
        (name.strip_prefix("ENTRY").is_some(), name, lines.collect::<Vec<_>>().join(" ; "))
    });
    for (is_entry, name, lines) in computations {
        let name = if is_entry { String::new() } else { format!("{name}: ") };
        let _ = writeln!(found, "=> {name}{lines}");
    }
    for note in module.notes() {
        let _ = writeln!(found, "=> note {}: {}", of_place(note.span.clone()), note.message);
    }
    // The printed module is read as itself.
    let printed = module.to_string();
    let again = affinor_hlo::read_text(&printed).unwrap_or_else(|e| panic!("{printed}: {e:?}"));
    assert_eq!(again.to_string(), printed);
    found
}

#[test]
fn texts_are_read_as_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mlir/read.txt");
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut found = Vec::new();
    for case in kept.trim_end().split("\n\n") {
        let text: Vec<&str> = case.lines().filter(|line| !line.starts_with("=> ")).collect();
        let variants: Vec<String> =
            text.split(|line| *line == "==").map(|v| v.join("\n")).collect();
        let answers: Vec<String> = variants.iter().map(|variant| answer(variant)).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
        found.push(format!("{}\n{}", text.join("\n"), answers[0]));
    }
    golden::check_file(&path, &found.join("\n"));
}
