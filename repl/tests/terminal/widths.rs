//! No word is broken at the edge of the terminal, whatever its width; and a continued line is marked as such.
use crate::support::talk::{Talk, state};

/// Lines with long answers, pages and errors.
const LINES: [&str; 14] = [
    "help layout",
    "help maps",
    "help code",
    "help simplify",
    "help floordiv",
    "help fllordiv",
    "help me",
    "rules div-strip",
    "(x, y) -> (x // y)",
    "simplify (d0) -> (d0 mod 8), domain: d0 in [0, 99] --no-such-option",
    "pad(f32[5], f32[]), padding=1_2_1",
    "equal (d0) -> (d0 mod 4), domain: d0 in [0, 60] ; (d0) -> (d0 mod 8), domain: d0 in [0, 60]",
    "prove -x // 2 == -((x + 1) // 2)",
    "hlo no_such_directory_anywhere/module.hlo --instruction transpose",
];

#[test]
fn words_stay_whole_at_any_width() {
    for width in [60, 80, 100, 140] {
        let state = state(&format!("width-{width}"));
        let Some(mut talk) = Talk::start(&state) else {
            return;
        };
        talk.resize(width);
        let width = usize::from(width);
        for line in LINES {
            let before = talk.written().len();
            talk.keys(&format!("{line}\r"));
            talk.expect("\x1b[?2004l\r\n"); // after the typed line
            // A long page pauses after each screenful.
            while talk.expect_any(&["-- more --", "\x1b[?2004h"]) == 0 {
                talk.keys(" ");
            }
            let written = talk.written();
            let (_, answer) = written[before..].split_once("\x1b[?2004l\r\n").expect("an answer");
            let answer = answer.split("\x1b[?2004h").next().unwrap_or("");
            let shown = answer.replace("-- more --", "").replace("\r\x1b[K", "");
            for row in shown.lines().map(str::trim_end) {
                let columns = row.chars().count();
                let is_one_word = !row.trim().contains(' ');
                assert!(columns <= width || is_one_word, "{line} at {width}: {columns} in {row:?}");
            }
        }
        talk.expect("affinor> ");
        talk.keys("\x04");
        assert!(talk.end().success());
    }
}

#[test]
fn tab_offers_the_names_in_a_module() {
    let state = state("names");
    std::fs::create_dir_all(&state).expect("a directory");
    let path = state.join("m.hlo");
    let text = "ENTRY main {\n  source = f32[4,8]{1,0} parameter(0)\n  ROOT turned = f32[8,4]{1,0} transpose(source), dimensions={1,0}\n}\n";
    std::fs::write(&path, text).expect("a file");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("injective m.hlo tu\t --operand so\t\r");
    talk.expect("turned reads source = f32[4,8]{1,0}");
    talk.expect("proved");
    talk.expect("affinor> ");
    talk.keys("hlo m.hlo --computation ma\t --instruction t\t\r");
    talk.expect("source: _1 = (d0, d1) -> (d1, d0)");
    talk.leave();
}

#[test]
fn a_line_that_goes_on_is_marked_and_left() {
    let state = state("goes-on");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    for (line, mark) in [
        ("simplify (d0,", "... `(` is open; Enter ends the command as it is, Esc drops it"),
        ("i * 4 +", "... the line above goes on; Enter ends the command as it is, Esc drops it"),
        ("def f(i):", "... the line above goes on"),
    ] {
        for way_out in ["\x1b", "\x03"] {
            talk.keys(&format!("{line}\r"));
            talk.expect(mark);
            talk.keys(way_out);
            talk.expect("affinor> ");
        }
    }
    // Esc leaves a complete line alone, and an arrow key is not Esc.
    talk.keys("range (d0) -> (d0), domain: d0 in [0, 4\x1b");
    std::thread::sleep(std::time::Duration::from_millis(400));
    talk.keys("7]\x1b[D\x1b[C\r");
    talk.expect("\n[0, 47]");
    talk.expect("affinor> ");
    talk.keys("help floordiv\r"); // an operator as an argument of `help` does not wait for an operand
    talk.expect("Division rounds down");
    talk.leave();
}
