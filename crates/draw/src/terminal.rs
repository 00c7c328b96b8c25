//! A picture in characters.

use super::grid::{Content, Grid, Line};

/// The kind of a piece of a picture, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Lines and words.
    Plain,
    /// An element in the colour with this number.
    Element(usize),
    /// An element that is read.
    Read,
    /// Padding.
    Padding,
}

/// Draws the picture, line by line, each in pieces. With `ascii`, lines are drawn with `-`, `|`, `+`, and heavy ones with `=`,
/// `#`.
#[must_use]
pub fn terminal(grid: &Grid, ascii: bool) -> Vec<Vec<(Ink, String)>> {
    let labels = grid.cells.iter().flatten().map(|cell| cell.label.len());
    let width = labels.max().unwrap_or(0).max(1);
    let plain = |text: String| vec![(Ink::Plain, text)];
    let mut lines = vec![plain(grid.title.clone())];
    lines.push(plain(grid.axes()));
    for row in 0..=grid.cells.len() {
        if let Some(line) = between(grid, row, width, ascii) {
            lines.push(plain(line));
        }
        if let Some(cells) = grid.cells.get(row) {
            let mut line = Vec::new();
            for (column, cell) in cells.iter().enumerate() {
                let before = upright(grid.upright[row][column], ascii);
                line.push((Ink::Plain, before.to_owned()));
                let (ink, label) = match cell.content {
                    Content::Element(color) => (Ink::Element(color), cell.label.as_str()),
                    Content::Shaded(shade) => {
                        (Ink::Element(shade.number % Grid::COLORS), cell.label.as_str())
                    }
                    Content::Read => (Ink::Read, cell.label.as_str()),
                    Content::Padding if ascii => (Ink::Padding, "."),
                    Content::Padding => (Ink::Padding, "·"),
                };
                let fill = " ".repeat(width - label.chars().count().min(width));
                line.push((ink, format!(" {fill}{label} ")));
            }
            let last = grid.upright[row].last().copied().unwrap_or(Line::None);
            line.push((Ink::Plain, upright(last, ascii).to_owned()));
            lines.push(line);
        }
    }
    if let Some(words) = &grid.words {
        lines.push(plain(words.clone()));
    }
    lines
}

fn upright(line: Line, ascii: bool) -> &'static str {
    match (line, ascii) {
        (Line::None, _) => " ",
        (Line::Light, true) => "|",
        (Line::Heavy, true) => "#",
        (Line::Light, false) => "│",
        (Line::Heavy, false) => "┃",
    }
}

/// Returns the line above row number `row`; `None` if nothing is drawn there.
fn between(grid: &Grid, row: usize, width: usize, ascii: bool) -> Option<String> {
    let level = &grid.level[row];
    if level.iter().all(|line| *line == Line::None) {
        return None;
    }
    let upright = |row: Option<usize>, column: usize| {
        row.and_then(|row| grid.upright.get(row)?.get(column).copied()).unwrap_or(Line::None)
    };
    let mut text = String::new();
    for column in 0..=level.len() {
        let left = column.checked_sub(1).map_or(Line::None, |column| level[column]);
        let right = level.get(column).copied().unwrap_or(Line::None);
        let up = upright(row.checked_sub(1), column);
        let down = upright(Some(row), column);
        text.push(match ascii {
            true => ascii_joint(up, right, down, left),
            false => joint(up, right, down, left),
        });
        if column < level.len() {
            let dash = match (level[column], ascii) {
                (Line::None, _) => " ",
                (Line::Light, true) => "-",
                (Line::Heavy, true) => "=",
                (Line::Light, false) => "─",
                (Line::Heavy, false) => "━",
            };
            text += &dash.repeat(width + 2);
        }
    }
    Some(text)
}

fn ascii_joint(up: Line, right: Line, down: Line, left: Line) -> char {
    let (along, across) = (right.max(left), up.max(down));
    match (along, across) {
        (Line::None, Line::None) => ' ',
        (Line::None, Line::Light) => '|',
        (Line::None, Line::Heavy) => '#',
        (Line::Light, Line::None) => '-',
        (Line::Heavy, Line::None) => '=',
        _ => '+',
    }
}

/// Returns the character in which these four lines meet. Source: Unicode, *Box Drawing* (2500 to 257F).
fn joint(up: Line, right: Line, down: Line, left: Line) -> char {
    // The characters, indexed by the weights upwards, rightwards, downwards and leftwards as base-3 digits.
    const JOINTS: &str = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳\
                          ╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈\
                          ╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋";
    let digit = |line: Line| line as usize;
    let number = ((digit(up) * 3 + digit(right)) * 3 + digit(down)) * 3 + digit(left);
    JOINTS.chars().nth(number).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_have_the_lines_that_meet_in_them() {
        let (o, l, h) = (Line::None, Line::Light, Line::Heavy);
        for (up, right, down, left, expected) in [
            (o, o, o, o, ' '),
            (o, h, h, o, '┏'),
            (o, o, h, h, '┓'),
            (h, h, o, o, '┗'),
            (h, o, o, h, '┛'),
            (h, h, h, h, '╋'),
            (l, l, l, l, '┼'),
            (h, o, h, h, '┫'),
            (h, h, h, o, '┣'),
            (o, h, h, h, '┳'),
            (h, h, o, h, '┻'),
            (h, l, h, l, '╂'),
            (l, h, l, h, '┿'),
            (h, l, h, o, '┠'),
            (h, o, h, l, '┨'),
            (o, h, l, h, '┯'),
            (l, h, o, h, '┷'),
            (l, o, l, o, '│'),
            (o, l, o, l, '─'),
            (l, h, h, h, '╈'),
            (h, h, h, l, '╊'),
        ] {
            let found = joint(up, right, down, left);
            assert_eq!(found, expected, "{up:?} {right:?} {down:?} {left:?}");
        }
    }
}
