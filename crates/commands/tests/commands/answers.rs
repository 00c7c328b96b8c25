//! Commands run through the library: a host in memory, one session, no process.

use crate::support::golden;
use crate::support::lines::{check, check_fails, host, run};
use crate::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Argument, Arguments, COMMANDS, Place, Session, Status, command};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const A: &str = "let a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]";

/// The examples of the help with their answers, as text and as JSON: `REGENERATE=1` and this test write them.
#[test]
fn every_example_in_the_help_has_its_answer() {
    let mut found = String::new();
    for command in COMMANDS.iter() {
        let (mut session, mut host) = (Session::new(), host());
        for line in command.example {
            host.outputs.clear();
            let result = session.run(line, &mut host);
            assert!(result.is_ok(), "{}: {result:?}", command.name);
            writeln!(found, "> {line}").expect("a text");
            for output in host.outputs.iter().filter(|output| !output.text.is_empty()) {
                writeln!(found, "{}", output.text).expect("a text");
            }
        }
        for json in host.outputs.iter().filter_map(|output| output.json.clone()) {
            writeln!(found, "{}", Value::Object(json)).expect("a text");
        }
        found.push('\n');
        assert_eq!(host.reports, [], "{}", command.name);
        let last = command.example.last().copied().unwrap_or_default();
        assert!(last.starts_with(command.name), "{last}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/examples.txt");
    golden::check_file(&path, &found);
}

#[test]
fn commands_are_described() {
    for command in COMMANDS.iter() {
        let words = [command.summary].into_iter().chain(command.options.iter().map(|o| o.summary));
        for text in words {
            assert!(!text.is_empty() && !text.ends_with('.') && !text.contains('\n'), "{text}");
        }
        let last_is_optional = command.parameters.is_sorted_by_key(|p| !p.required);
        assert!(last_is_optional, "{}: a required argument after an optional one", command.name);
    }
}

#[test]
fn maps_get_names() {
    check(&[A], &["a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"]);
    check(&[A, "show _"], &["(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"]);
    check(
        &[A, "let b = a", "show"],
        &["\
        a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]\n\
        b = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"],
    );
    check(
        &[
            "let b = compose (d0) -> (d0), domain: d0 in [0, 9] ; (d0) -> (d0 + 1), domain: d0 in [0, 4]",
        ],
        &["b = (d0) -> (d0 + 1), domain: d0 in [0, 4]"],
    );
    check_fails(&["let mod = () -> ()"], ErrorKind::Name, "mod");
    check_fails(&["let _ = () -> ()"], ErrorKind::Name, "_");
    check_fails(&["let compose = () -> ()"], ErrorKind::Name, "compose");
    check_fails(&["let  2a = () -> ()"], ErrorKind::Name, "2a");
    check_fails(&["let a"], ErrorKind::Usage, "let");
    check_fails(&["let a = help"], ErrorKind::Usage, "help");
    check_fails(&["let a = compose () -> () ; b"], ErrorKind::Name, "b");
    check_fails(&["let a = b"], ErrorKind::Name, "b");
    check_fails(&["show _"], ErrorKind::Name, "_");
    check_fails(&["let a = (d0) -> (d1)"], ErrorKind::Name, "d1");
}

#[test]
fn maps_are_written_as_code() {
    let code = "# (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]\n\
                # Right for integers; the results also for NumPy arrays of int64.\n\
                def a(d0, d1):\n    return d0 * 4 + d1\n\n\n\
                def a_contains(d0, d1):\n    # Whether the point is in the domain.\n    \
                if d0 < 0 or d0 > 3:\n        return False\n    \
                if d1 < 0 or d1 > 3:\n        return False\n    return True";
    check(&[A, "emit a"], &[code]);
    check(&[A, "emit a --as python"], &[code]);
    check(&[A, "emit a --name f"], &[&code.replace("def a", "def f")]);
    check(&[A, "emit _"], &[&code.replace("def a", "def index_map")]);
    check_fails(&[A, "emit a --as rust"], ErrorKind::Usage, "rust");
    check_fails(&[A, "emit a --name 2x"], ErrorKind::Name, "2x");
    check_fails(&[A, "emit b"], ErrorKind::Name, "b");
    check_fails(&["emit"], ErrorKind::Usage, "emit");
    let wide = "emit affine_map<(d0) -> (d0 * 3)> --as triton";
    check_fails(&[wide], ErrorKind::Overflow, "affine_map<(d0) -> (d0 * 3)>");
    let product = "emit <n>(d0) -> (d0 * n), domain: n in [1, 9], d0 in [0, 9] --as isl";
    let marked = "<n>(d0) -> (d0 * n), domain: n in [1, 9], d0 in [0, 9]";
    check_fails(&[product], ErrorKind::Unsupported, marked);
}

#[test]
fn a_link_is_a_command_of_a_shell() {
    check(
        &[A, "eval a 2,3", "link"],
        &["affinor -e 'eval (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3] 2,3'"],
    );
    check(
        &["tile (d0) -> (d0), domain: d0 in [0, 7] 4", "link"],
        &["affinor -e 'tile (d0) -> (d0), domain: d0 in [0, 7] 4'"],
    );
    check(
        &["count model.hlo transpose.3", "link"],
        &["# with the file model.hlo\naffinor -e 'count model.hlo transpose.3'"],
    );
    check_fails(&["link"], ErrorKind::Usage, "link");
    check_fails(&["help maps", "link"], ErrorKind::Usage, "link");
}

#[test]
fn a_table_of_custom_calls_is_a_file() {
    let module =
        b"p = f32[8,4] parameter(0)\nr = f32[8,4] custom-call(p), custom_call_target=\"mine\"";
    let answer = |table: &[u8], line: &str| {
        let mut host = Memory::default();
        host.files.insert("call.hlo", module.to_vec());
        host.files.insert("mine.txt", table.to_vec());
        let done = Session::new().run(line, &mut host);
        let failure = done.err().or_else(|| host.reports.pop());
        let texts: Vec<String> =
            host.outputs.iter().map(|output| output.text.to_string()).collect();
        (texts, failure.map(|failure| failure.error.message))
    };
    let table = b"\"mine\":\n  reads 0: affine_map<(d0, d1)[s0] -> (d0, s0)>\n";
    for (options, expected) in [
        ("", "p: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 3]"),
        (" --entry", "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 3]"),
        (" --tile 2,2", "p: (t0 * 2 + [0, 1]) x [0, 3], 8 elements: exact"),
        (" --utilisation", "32"),
    ] {
        let (texts, error) = answer(table, &format!("hlo call.hlo --custom mine.txt{options}"));
        assert_eq!(error, None, "{options}");
        assert!(texts.iter().any(|text| text.contains(expected)), "{options}: {texts:?}");
    }
    for (table, message) in [
        (&b"\"mine\": twice"[..], "expected the op that it stands for, or a new line and maps"),
        (
            b"\"mine\":\n  reads 0: affine_map<(d0) -> (d0)>",
            "line 2 of the table for `mine`: a map from 1 to 1 dimension(s) for a result of sizes [8, 4] and an operand of sizes [8, 4]",
        ),
    ] {
        let (_, error) = answer(table, "hlo call.hlo --custom mine.txt");
        assert_eq!(error.as_deref(), Some(message));
    }
    let (_, error) = answer(table, "hlo call.hlo --custom none.txt");
    assert!(error.is_some());
}

#[test]
fn a_failed_command_leaves_the_session_as_it_was() {
    let mut session = Session::new();
    let mut host = Memory::default();
    assert!(session.run(A, &mut host).is_ok());
    for bad in ["let a = (d0) -> (d0 / 0)", "compose a ; a", "frobnicate", "show b"] {
        assert!(session.run(bad, &mut host).is_err(), "{bad}");
    }
    assert_eq!(session.names().collect::<Vec<_>>(), ["a"]);
    host.outputs.clear();
    assert!(session.run("show a", &mut host).is_ok());
    assert_eq!(host.outputs[0].text.to_string(), A.replace("let a = ", ""));
}

#[test]
fn points_are_given_after_a_space_or_a_semicolon() {
    check(&[A, "eval a 2,3"], &["(11)"]);
    check(&[A, "eval a ; 2, 3"], &["(11)"]);
    check(&[A, "eval a ; (2, 3)"], &["(11)"]);
    check(&["let a1 = (d0) -> (d0), domain: d0 in [-9, 9]", "eval a1 -7"], &["(-7)"]);
    check(&["eval (d0) -> (d0 mod 4), domain: d0 in [-9, 9] -7"], &["(1)"]);
    check(&["eval () -> (5)"], &["(5)"]);
    check(&["eval () -> ()"], &["()"]);
    check(&[A, "eval a 2,4"], &["outside the domain"]);
    check_fails(&[A, "eval a 2"], ErrorKind::Arity, "2");
    check_fails(&[A, "eval a"], ErrorKind::Arity, "a");
    check_fails(&[A, "eval a ; 2, x"], ErrorKind::Syntax, "x");
    check_fails(
        &[A, "eval a ; 2, 10000000000000000000"],
        ErrorKind::Overflow,
        "10000000000000000000",
    );
    check_fails(&[A, "eval a ; 2 ; 3"], ErrorKind::Usage, "3");
    check_fails(&["eval"], ErrorKind::Usage, "eval");
    let large = "(d0) -> (d0 * 4), domain: d0 in [0, 9000000000000000000]";
    check_fails(&[&format!("eval {large} ; 9000000000000000000")], ErrorKind::Overflow, large);
}

#[test]
fn unknown_commands_get_a_hint() {
    #[track_caller]
    fn hint(line: &str, expected: &str) {
        let failure = run(&[A, line]).expect_err("should fail");
        assert_eq!(failure.error.hint.as_deref(), Some(expected));
    }
    hint("compos a ; a", "did you mean `compose`?");
    check_fails(&["compose = () -> ()"], ErrorKind::Name, "compose");
    hint("zzzzzzz", "type `help` for the commands");
    hint("help compos", "did you mean `compose`?");
    hint("completions tcsh", "it is one of bash, zsh, fish");
}

#[test]
fn separate_arguments_need_no_separators() {
    let mut session = Session::new();
    let mut host = Memory::default();
    let eval = command("eval").expect("a command");
    let mut arguments = Arguments {
        positional: vec![
            Argument::word("(d0) -> (d0 + 1), domain: d0 in [-5, 5]", 1),
            Argument::word("-3", 2),
        ],
        options: Vec::new(),
    };
    assert_eq!(session.call(eval, &arguments, &mut host), Ok(Status::Done));
    assert_eq!(host.outputs[0].text.to_string(), "(-2)");

    arguments.positional[1] = Argument::word("-3,", 2);
    let failure = session.call(eval, &arguments, &mut host).expect_err("no coordinate");
    assert_eq!(failure.place, Place::Argument(2));
    assert_eq!(failure.error.span, Some(3..3));
}

#[test]
fn the_list_of_commands_fits_on_a_screen() {
    let help = run(&["help"]).expect("a list");
    let lines: Vec<&str> = help[0].lines().collect();
    assert!(lines.len() <= 23 && lines.iter().all(|line| line.len() <= 80), "{help:?}");
    for command in COMMANDS.iter() {
        let is_in_a_line = |line: &&str| line.split("  ").any(|word| word.trim() == command.name);
        assert!(lines.iter().any(is_in_a_line), "{}", command.name);
    }
    let all = run(&["help all"]).expect("a list");
    assert_eq!(all[0].lines().count(), COMMANDS.iter().count());
}

#[test]
fn values_that_are_bound_may_make_a_divisor_positive() {
    let quotient =
        |bounds: &str| format!("<n>(i) -> (i floordiv (n - 2)), domain: {bounds}, i in [0, 9]");
    let bound = |value: i64, bounds: &str| format!("bind n = {value} in {}", quotient(bounds));
    check(&[&bound(3, "n in [-inf, inf]")], &["(i) -> (i), domain: i in [0, 9]"]);
    check(&[&bound(4, "n in [1, inf]")], &["(i) -> (i floordiv 2), domain: i in [0, 9]"]);
    check_fails(&[&bound(2, "n in [1, inf]")], ErrorKind::Division, "(n - 2)");
    check_fails(&["bind n = 2 in i // (n - 2)"], ErrorKind::Division, "n = 2 in i // (n - 2)");
    let product = "<n, m>(i) -> (i floordiv (n*m)), domain: n in [-9, 9], m in [1, 9], i in [0, 9]";
    check(
        &[&format!("bind n = 3 in {product}")],
        &["<m>(i) -> (i floordiv (m * 3)), domain: m in [1, 9], i in [0, 9]"],
    );
    check_fails(&[&format!("bind m = 3 in {product}")], ErrorKind::Division, "(n*m)");
    let stated = format!("{product}, n*m in [1, inf]");
    check_fails(
        &[&format!("bind n = -3 in {stated}")],
        ErrorKind::Division,
        &format!("n = -3 in {stated}"),
    );
}

#[test]
fn a_number_of_points_says_for_which_sizes_it_holds() {
    let map = "<n>(i) -> (i), domain: n in [4, inf], i in [0, n - 1], n mod 4 in [0, 0]";
    let text = "points   n (proved)\nelements n (proved)\neach element is read once\nfor n >= 4, n mod 4 = 0";
    check(&[&format!("count {map}")], &[text]);
    let free = "<n>(i) -> (i), domain: n in [-inf, inf], i in [0, 3]";
    check(
        &[&format!("count {free}")],
        &["points   4 (proved)\nelements 4 (proved)\neach element is read once"],
    );
}
