//! The picture of the prompt in the README: the program is run on a terminal, keys are pressed, and the screen is drawn. To
//! redraw it after an intended change: `REGENERATE=1 cargo test -p affinor-repl --test terminal picture`.
use crate::support::screen::{Cell, Look, Screen};
use crate::support::talk::{COLUMNS, ROWS, Talk, state};
use crate::support::{self, golden};
use std::fmt::Write;

/// Width and height of a character, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: usize = 19;

/// The margin around the text, in pixels.
const MARGIN: usize = 14;

/// The eight colours on a dark background.
const COLORS: [&str; 8] =
    ["#6b7280", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"];

/// The keys typed, and the text to wait for after each.
const KEYS: &[(&str, &str)] = &[
    (
        "let back = (i, j) -> ((i * 8 + j) floordiv 8, (i * 8 + j) mod 8), domain: i in [0, 3], j in [0, 7]\r",
        "\x1b[1mback\x1b[0m = ",
    ),
    ("simplify back --check\r", "equal to the input"),
    ("why --tree\r", "from "),
    (
        "equal (i) -> (i mod 8 + 1), domain: i in [0, 9] ; (k) -> (k mod 4 + 1), domain: k in [0, 9]\r",
        "first difference",
    ),
    ("rule zero: x floordiv c => 0*x where c >= 1, 0 <= x, x < c\r", "added"),
    ("simplfy back\r", "did you mean"),
    ("compose back ; _1 --si", "\x1b[2mmplify"), // the rest is a hint
];

fn draw(screen: &Screen) -> String {
    let used = screen.text().lines().count();
    let width = f64::from(COLUMNS) * WIDTH + 2.0 * MARGIN as f64;
    let height = used * HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height}\" width=\"{width:.0}\" \
         height=\"{height}\" font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <title>The prompt of affinor</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (number, row) in screen.rows.iter().take(used).enumerate() {
        let baseline = MARGIN + number * HEIGHT + 14;
        let mut column = 0;
        while column < row.len() {
            let look = row[column].look;
            let same = |cell: &&Cell| cell.look == look && cell.letter.is_some();
            let run: Vec<char> =
                row[column..].iter().take_while(same).filter_map(|cell| cell.letter).collect();
            let text: String = run.iter().collect();
            if !text.trim().is_empty() {
                let x = MARGIN as f64 + column as f64 * WIDTH;
                let length = run.len() as f64 * WIDTH;
                let _ = writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{baseline}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{}>{}</text>",
                    attributes(look),
                    escaped(&text)
                );
            }
            column += run.len().max(1);
        }
    }
    svg + "</svg>\n"
}

fn attributes(look: Look) -> String {
    let color = look.color.map_or("#c9d1d9", |color| COLORS[usize::from(color)]);
    let color = if look.faint { "#7d8590" } else { color };
    let bold = if look.bold { " font-weight=\"bold\"" } else { "" };
    let line = if look.underlined { " text-decoration=\"underline\"" } else { "" };
    format!(" fill=\"{color}\"{bold}{line}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn the_picture_of_the_prompt_is_what_a_terminal_shows() {
    let Some(mut talk) = Talk::start_with(&state("picture"), &["--color", "always"]) else {
        return;
    };
    for (keys, answer) in KEYS {
        talk.keys(keys);
        talk.expect(answer);
        if keys.ends_with('\r') {
            talk.expect("affinor>");
        }
    }
    let screen = Screen::after(&talk.written(), ROWS, COLUMNS);
    let found = draw(&screen);
    talk.keys("\x15quit\r");
    assert!(talk.end().success());
    let path = support::repository().join("docs/terminal.svg");
    golden::check_file(&path, &found);
}
