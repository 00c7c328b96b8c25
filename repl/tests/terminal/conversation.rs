//! The prompt, on a terminal of its own: lines, completion, Ctrl-C, Ctrl-D, history.
use crate::support;
use crate::support::talk::{Talk, state};
use std::fs;

#[test]
fn a_conversation() {
    let state = state("conversation");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("let a = (d0,\r");
    talk.keys("d1) -> (d0 * 2), domain: d0 in [0, 3], d1 in [0, 9]\r");
    talk.expect("\na = (d0, d1) -> (d0 * 2), domain: d0 in [0, 3], d1 in [0, 9]");
    talk.expect("affinor> ");

    talk.keys("simpl\t a\r"); // completes the command
    talk.expect("\n_1 = (d0, d1) -> (d0 * 2), domain: d0 in [0, 3], d1 in [0, 9]");
    talk.expect("affinor> ");

    talk.keys("show (d0\r\r"); // an empty line ends an unbalanced command
    talk.expect("error[syntax]");
    talk.expect("affinor> ");

    talk.keys("show nonsense\x03"); // Ctrl-C drops the line
    talk.expect("affinor> ");
    talk.keys("eval a 3,9\r");
    talk.expect("\n(6)");
    talk.leave();
    let history = fs::read_to_string(state.join("affinor/history")).expect("the history");
    assert!(history.contains("simplify a\n") && history.contains("eval a 3,9\n"), "{history}");
    assert!(!history.contains("nonsense"), "{history}");

    let mut again = Talk::start(&state).expect("there was a terminal before");
    again.keys("\x10\r"); // the previous line, which was kept
    again.expect("eval a 3,9");
    again.expect("error[name]");
    again.keys("quit\r");
    assert!(again.end().success());
}

#[test]
fn pasted_lines_are_one_command_and_one_history_entry() {
    let state = state("paste");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    // A bracketed paste, as terminals send it once the program has enabled it.
    talk.keys("\x1b[200~let wide = (d0,\n  d1)\n  -> (d0 * 8 + d1),\n  domain:\n  d0 in [0, 3],\n  d1 in [0, 7]\x1b[201~\r");
    talk.expect("\nwide = (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
    talk.expect("affinor> ");
    talk.keys("eval wi\t 3,7\r"); // completes the name
    talk.expect("\n(31)");
    // A rule as it is written in a file, with a line that begins like a command.
    talk.keys("\x1b[200~rule low: (c*x + y) floordiv c => x + t\n  where c >= 1, c*t <= y, y < c*t + c\n  split one-variable\n  let t = lo(y) floordiv c\n  \"Low.\"\x1b[201~\r");
    talk.expect("\nrule 'low' added");
    talk.leave();

    let mut again = Talk::start(&state).expect("there was a terminal before");
    again.keys("\x10\x10\x10\r"); // the third item from the end, with all six lines
    again.expect("\nwide = (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
    again.keys("quit\r");
    assert!(again.end().success());
}

#[test]
fn typed_text_is_coloured_and_hinted() {
    let state = state("colour");
    let Some(mut talk) = Talk::start_with(&state, &["--color", "always"]) else {
        return;
    };
    talk.keys("equ");
    talk.expect("\x1b[2mal LEFT ; RIGHT [OPTIONS]\x1b[0m");
    talk.keys("\x1b[C"); // the right arrow accepts the rest of the word
    talk.expect("\x1b[1;36mequal\x1b[0m");
    talk.expect("\x1b[2m LEFT ; RIGHT [OPTIONS]\x1b[0m");
    talk.keys(" nobody");
    talk.expect("\x1b[31mnobody\x1b[0m\x1b[2m ; RIGHT\x1b[0m");
    talk.keys("\x15show (i) -> (i)"); // Ctrl-U deletes the line before the cursor
    talk.expect("\x1b[1;4m(\x1b[0m\x1b[34mi\x1b[0m\x1b[1;4m)\x1b[0m");
    talk.keys("\x15quit\r");
    assert!(talk.end().success());
}

#[test]
fn commands_are_taken_back_and_the_session_is_saved() {
    let state = state("saved");
    fs::create_dir_all(&state).expect("a directory");
    let path = state.join("session.aff");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("let a = (d0) -> (d0 * 2), domain: d0 in [0, 3]\r");
    talk.expect("\na = (d0)");
    talk.keys("simplify (x) -> (x floordiv 9 + x), domain: x in [0, 8]\r");
    talk.expect("\n_1 = (x) -> (x), domain: x in [0, 8]");
    talk.keys("op transp\t f32[2,3] dim\t{1,0}\r"); // completes ops and attributes
    talk.expect("p0: (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]");
    talk.expect("\n_2 is the map");
    talk.keys("undo\r");
    talk.expect("taken back: op transpose f32[2,3] dimensions={1,0}");
    talk.keys("set st\t xl\t\r"); // completes settings and their values
    talk.expect("\nstyle xla");
    talk.keys("let a = _1\r");
    talk.expect("\na = (x) -> (x), domain: x in [0, 8]");
    talk.keys("undo\r");
    talk.expect("taken back: let a = _1");
    talk.keys("save session.aff\r");
    talk.expect("1 name written to ");
    talk.keys("quit\r");
    assert!(talk.end().success());
    let path = path.to_string_lossy();
    let run = support::affinor(&[&*path, "-e", "show", "set style", "show _"], b"");
    let expected = "a = (d0) -> (d0 * 2), domain: d0 in [0, 3]\n(x) -> (x), domain: x in [0, 8]\nstyle xla\n\
                    a = (d0) -> (d0 * 2), domain: d0 in [0, 3]\nstyle xla\n(x) -> (x), domain: x in [0, 8]\n";
    assert_eq!((run.out.as_str(), run.err.as_str()), (expected, ""));
}

#[test]
fn control_c_stops_a_command_and_keeps_the_session() {
    let state = state("interrupt");
    fs::create_dir_all(&state).expect("a directory");
    let path = state.join("many.jsonl");
    let line =
        "{\"id\": 1, \"vars\": {\"x\": [0, 99]}, \"expr\": \"(x * 3 + x mod 7) floordiv 2\"}\n";
    fs::write(&path, line.repeat(200_000)).expect("a file");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("let a = () -> (41 + 1)\r");
    talk.expect("\na = () -> (42)");
    talk.keys("simplify --jsonl many.jsonl\r");
    talk.expect("\"ops\""); // the work has begun
    talk.interrupt();
    talk.expect("error[interrupted]: stopped");
    talk.keys("eval a\r");
    talk.expect("\n(42)");
    talk.leave();
}

#[test]
fn a_history_that_cannot_be_written_is_no_error() {
    let state = state("no_directory");
    fs::write(&state, "a file where a directory is wanted").expect("a file");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("eval () -> (7)\r");
    talk.expect("\n(7)");
    talk.keys("quit\r");
    assert!(talk.end().success());
    fs::remove_file(&state).expect("the file");
}

#[test]
fn control_c_stops_a_long_proof() {
    let state = state("proof");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("let a = () -> (41 + 1)\r");
    talk.expect("\na = () -> (42)");
    // None of them is answered quickly, and there are many: together they take long on any machine.
    let rules = (0..500).map(|number| {
        format!("fermat-{number}: x*x*x + y*y*y = z*z*z <=> 0 = 1\n  where x >= 1, y >= 1, z >= 1\n  \"None.\"\n")
    });
    let file = state.join("many.rules");
    let text = format!("constant x y z\n{}", rules.collect::<String>());
    fs::write(&file, text).expect("written");
    talk.keys("rules prove --file many.rules\r");
    talk.expect("working, 1 s, ");
    talk.expect(" of 500); Ctrl-C stops");
    talk.interrupt();
    talk.expect("\r\u{1b}[K"); // the line is erased
    talk.expect("error[interrupted]: stopped");
    talk.keys("eval a\r");
    talk.expect("\n(42)");
    talk.leave();
}

#[test]
fn the_tour_and_why_at_the_prompt() {
    let state = state("tour");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("tour\r");
    talk.expect("1 of 9");
    talk.expect("_1 = (d0, d1) -> (d1, d0)");
    talk.keys("to\t\r"); // completes the word
    talk.expect("2 of 9");
    talk.expect("\n(3, 2)");
    talk.keys("tour\r");
    talk.expect("_2 = (d0, d1) -> (d0, d1)");
    talk.keys("why\r");
    talk.expect("by div-strip: (c*x + y) floordiv c => x + t");
    talk.expect("since d1 < 8, as d1 in [0, 7]");
    talk.keys("help div-st\t\r"); // completes the name of a rule
    talk.expect("What is left of the numerator");
    talk.keys("undo\r");
    talk.expect("taken back: tour");
    talk.keys("tour all\r");
    for end in ["9 of 9", "That was the tour."] {
        while talk.expect_any(&["-- more --", end]) == 0 {
            talk.keys(" ");
        }
    }
    talk.leave();
}

#[test]
fn maps_of_a_module_are_numbered() {
    let state = state("numbered");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    let path = state.join("m.hlo");
    let module = "ENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] reverse(p), dimensions={0} }";
    fs::write(&path, module).expect("a file");
    talk.keys("hlo m.hlo\r");
    talk.expect("\n    p: _1 = (d0) -> (-d0 + 3), domain: d0 in [0, 3]");
    talk.expect("affinor> ");
    talk.keys("eval _1 1\r");
    talk.expect("\n(2)");
    talk.leave();
}
