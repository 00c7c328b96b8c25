//! Pictures as SVG 1.1: a single file without scripts or embedded fonts. Units are pixels.
//!
//! Several pictures are placed side by side, or one below the other if they are wide. Rows and columns are numbered; omitted ones
//! leave a gap.

use super::grid::{Axis, Content, Grid, Line, Shade};
use std::fmt::{self, Write};

const HEIGHT: usize = 28;
const MARGIN: usize = 12;
/// Height of the words above the numbers of the columns.
const WORDS: usize = 44;
/// Height of the numbers of the columns.
const NUMBERS: usize = 18;
/// Width of the gap for omitted rows or columns.
const GAP: usize = 22;
/// Width of the space between two pictures.
const BETWEEN: usize = 36;
/// Maximum total width of pictures side by side.
const PAGE: usize = 1200;
/// Upper bound of the width of a letter of 14, 12 and 11 pixels height in monospaced fonts.
const LETTER: usize = 9;
const SMALL_LETTER: usize = 8;
const NUMBER_LETTER: usize = 7;

/// Fills that print and colour-blind readers can distinguish (after Okabe and Ito, lightened).
const FILLS: [&str; Grid::COLORS] =
    ["#cfe8f7", "#fde3b5", "#cfeee2", "#f6d5e5", "#fbf6b8", "#9fc3e6", "#eeb597", "#d6d6d6"];

/// Draws the pictures, in order, as the text of an SVG file.
#[must_use]
pub fn svg(grids: &[Grid]) -> String {
    let mut frames: Vec<Frame<'_>> = grids.iter().map(Frame::new).collect();
    let across: usize = frames.iter().map(|frame| frame.width + BETWEEN).sum();
    let is_row = across <= PAGE;
    let (mut x, mut y) = (MARGIN, 0);
    for frame in &mut frames {
        (frame.x, frame.y) = (x, y);
        match is_row {
            true => x += frame.width + BETWEEN,
            false => y += frame.height + BETWEEN,
        }
    }
    let ends = |end: fn(&Frame<'_>) -> usize| frames.iter().map(end).max().unwrap_or(0) + MARGIN;
    let width = ends(|frame| frame.x + frame.width);
    let height = ends(|frame| frame.y + frame.height);
    let titles: Vec<&str> = grids.iter().map(|grid| grid.title.as_str()).collect();
    let mut out = Out::default();
    out.line(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="monospace" font-size="14">"#
    ));
    out.line(format_args!("<title>{}</title>", escaped(&titles.join("; "))));
    out.line(format_args!(r##"<rect width="100%" height="100%" fill="#ffffff"/>"##));
    for frame in &frames {
        frame.draw(&mut out);
    }
    out.line(format_args!("</svg>"));
    out.text
}

/// Lines of text.
#[derive(Default)]
struct Out {
    text: String,
}

impl Out {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    fn small(&mut self, x: usize, y: usize, text: &str) {
        let text = escaped(text);
        self.line(format_args!(
            r##"<text x="{x}" y="{y}" font-size="12" fill="#555555">{text}</text>"##
        ));
    }
}

/// A picture with its position.
struct Frame<'a> {
    grid: &'a Grid,
    x: usize,
    y: usize,
    /// Width of the numbers of the rows.
    left: usize,
    /// The width of a cell.
    cell: usize,
    /// The total width.
    width: usize,
    height: usize,
}

impl<'a> Frame<'a> {
    fn new(grid: &'a Grid) -> Frame<'a> {
        let letters = |text: &str| text.chars().count();
        let labels = grid.cells.iter().flatten();
        let label = labels.map(|cell| letters(&cell.label)).max().unwrap_or(1);
        let mut frame = Frame {
            grid,
            x: 0,
            y: 0,
            left: digits(&grid.rows) * NUMBER_LETTER + 6,
            cell: (label * LETTER + 14).max(HEIGHT),
            width: 0,
            height: 0,
        };
        let words = grid.words.as_deref().unwrap_or_default();
        let widths = [
            frame.column(grid.columns.drawn.len()),
            letters(&grid.title) * LETTER,
            letters(&grid.axes()) * SMALL_LETTER,
            letters(words) * SMALL_LETTER,
        ];
        frame.width = widths.into_iter().max().unwrap_or(0);
        let below = if words.is_empty() { 0 } else { 24 };
        frame.height = frame.row(grid.rows.drawn.len()) + below;
        frame
    }

    /// Returns the left end of a column, or the right end of the last one.
    fn column(&self, place: usize) -> usize {
        self.x + self.left + place * self.cell + gap(&self.grid.columns, place)
    }

    /// Returns the upper end of a row, or the lower end of the last one.
    fn row(&self, place: usize) -> usize {
        self.y + WORDS + NUMBERS + place * HEIGHT + gap(&self.grid.rows, place)
    }

    fn draw(&self, out: &mut Out) {
        let (grid, x, y) = (self.grid, self.x, self.y);
        out.line(format_args!(r#"<text x="{x}" y="{}">{}</text>"#, y + 18, escaped(&grid.title)));
        out.small(x, y + 36, &grid.axes());
        self.numbers(out);
        for (row, cells) in grid.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let (x, y, width) = (self.column(column), self.row(row), self.cell);
                let (fill, ink) = match cell.content {
                    Content::Element(color) => (FILLS[color % Grid::COLORS].to_owned(), "#000000"),
                    Content::Shaded(shade) => (color(shade), "#000000"),
                    Content::Read => ("#0072b2".to_owned(), "#ffffff"),
                    Content::Padding => ("#ffffff".to_owned(), "#b0b0b0"),
                };
                out.line(format_args!(
                    r##"<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" fill="{fill}" stroke="#d8d8d8"/>"##
                ));
                if !cell.label.is_empty() {
                    let (x, y, label) = (x + width / 2, y + 19, escaped(&cell.label));
                    out.line(format_args!(
                        r#"<text x="{x}" y="{y}" text-anchor="middle" fill="{ink}">{label}</text>"#
                    ));
                }
            }
        }
        for weight in [Line::Light, Line::Heavy] {
            self.lines(out, weight);
        }
        if let Some(words) = &grid.words {
            out.small(x, self.row(grid.rows.drawn.len()) + 22, words);
        }
    }

    /// Draws the numbers of rows and columns, as many as fit.
    fn numbers(&self, out: &mut Out) {
        let (rows, columns) = (&self.grid.rows, &self.grid.columns);
        let room = digits(columns) * NUMBER_LETTER + 6;
        let steps = [1, 2, 4, 8, 16, 32];
        let step = steps.into_iter().find(|step| step * self.cell >= room);
        for (place, index) in columns.drawn.iter().enumerate() {
            let of_part = match place >= columns.before_gap() {
                true => place - columns.before_gap(),
                false => place,
            };
            if of_part % step.unwrap_or(32) == 0 {
                let (x, y) = (self.column(place) + self.cell / 2, self.row(0) - 6);
                out.line(format_args!(
                    r##"<text x="{x}" y="{y}" font-size="11" fill="#555555" text-anchor="middle">{index}</text>"##
                ));
            }
        }
        for (place, index) in rows.drawn.iter().enumerate() {
            let (x, y) = (self.x + self.left - 6, self.row(place) + 18);
            out.line(format_args!(
                r##"<text x="{x}" y="{y}" font-size="11" fill="#555555" text-anchor="end">{index}</text>"##
            ));
        }
    }

    /// Draws the lines of one weight.
    fn lines(&self, out: &mut Out, weight: Line) {
        let (stroke, thick) = match weight {
            Line::Heavy => ("#000000", 3),
            _ => ("#d55e00", 2),
        };
        let mut path = String::new();
        for (lines, way) in [(&self.grid.upright, 'V'), (&self.grid.level, 'H')] {
            for (row, lines) in lines.iter().enumerate() {
                let lines = lines.iter().enumerate();
                for (column, _) in lines.filter(|(_, line)| **line == weight) {
                    let (x, y) = (self.column(column), self.row(row));
                    let end = if way == 'V' { y + HEIGHT } else { x + self.cell };
                    // Writing to a string cannot fail.
                    let _ = write!(path, "M{x} {y}{way}{end}");
                }
            }
        }
        if !path.is_empty() {
            out.line(format_args!(
                r#"<path d="{path}" stroke="{stroke}" stroke-width="{thick}" stroke-linecap="square"/>"#
            ));
        }
    }
}

/// Returns the total width of the gaps before a row or column.
fn gap(axis: &Axis, place: usize) -> usize {
    let (before, all) = (axis.before_gap(), axis.drawn.len());
    if before < all && place >= before { GAP } else { 0 }
}

/// Returns the number of digits of the largest index of an axis.
fn digits(axis: &Axis) -> usize {
    axis.drawn.last().map_or(1, |last| last.to_string().len())
}

/// Returns a light colour: the hue from the number, the lightness from the level.
fn color(shade: Shade) -> String {
    let part = |number: usize, of: usize, whole: usize| match of {
        0 => 0,
        of => number.min(of) * whole / of,
    };
    // Neighbours on the wheel also differ slightly in lightness.
    let hue = part(shade.number, shade.of, 360);
    let darker = if shade.of > 8 { 5 * (shade.number % 2) } else { 0 };
    let lightness = 88 - part(shade.level, shade.levels, 26) - darker;
    let half = 75 * (100 - lightness) / 100; // half of the range of the colour's components, at 75 % saturation
    let sector = hue % 120;
    let rise = if sector < 60 { sector } else { 120 - sector };
    let middle = lightness - half + 2 * half * rise / 60;
    let (most, least) = (lightness + half, lightness - half);
    let parts = match hue / 60 {
        0 => [most, middle, least],
        1 => [middle, most, least],
        2 => [least, most, middle],
        3 => [least, middle, most],
        4 => [middle, least, most],
        _ => [most, least, middle],
    };
    let [red, green, blue] = parts.map(|part| part.min(100) * 255 / 100);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes text between tags of SVG or HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
