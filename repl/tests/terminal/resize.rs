//! The width of the terminal changes while a line is edited.
use crate::support::screen::Screen;
use crate::support::talk::{COLUMNS, ROWS, Talk, state};
use std::fs;

/// A line longer than two rows of a narrow terminal.
const LINE: &str = "eval (row, column) -> (row * 64 + column floordiv 8 * 8 + (column + row) mod 8), \
                    domain: row in [0, 127], column in [0, 63] ; 3,1";

/// Returns the line at the prompt as a terminal of this width shows it.
fn shown(columns: usize) -> String {
    let letters: Vec<char> = format!("affinor> {LINE}").chars().collect();
    let rows = letters.chunks(columns).map(|row| row.iter().collect::<String>());
    let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n")
}

#[test]
fn a_line_stays_as_it_was_typed() {
    for (name, widths) in [
        ("narrower", &[60][..]),
        ("much-narrower", &[30]),
        ("wider", &[160]),
        ("there-and-back", &[50, 34, COLUMNS]),
    ] {
        let state = state(&format!("resize-{name}"));
        let Some(mut talk) = Talk::start(&state) else {
            return;
        };
        talk.keys(LINE);
        talk.expect("3,1");
        let mut screen = Screen::after(&talk.written(), ROWS, COLUMNS);
        let mut seen = talk.written().len();
        assert!(screen.text().ends_with(&shown(COLUMNS.into())), "{name}");
        for columns in widths {
            talk.resize(*columns);
            talk.expect(&format!("affinor> {LINE}"));
            for key in ["\x01", "\x05"] {
                talk.keys(key); // moves to both ends of the line, so that all earlier output has been written
                talk.expect("\x1b[");
            }
            screen.resize(*columns);
            let written = talk.written();
            screen.write(&written[seen..]);
            seen = written.len();
            let text = screen.text();
            assert!(text.ends_with(&shown((*columns).into())), "{name}: {text}");
            assert_eq!(text.matches("affinor> ").count(), 1, "{name}: {text}");
        }
        talk.keys("\r");
        talk.expect("\n(196)");
        talk.leave();
        let history = fs::read_to_string(state.join("affinor/history")).expect("the history");
        assert!(history.contains(&format!("{LINE}\n")), "{name}: {history}");
    }
}
