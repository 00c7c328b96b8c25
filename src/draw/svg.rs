//! A picture as SVG 1.1: one file, no script, no font of its own. Units are pixels.

use super::grid::{Content, Grid, Line};
use std::fmt::Write;

const HEIGHT: usize = 28;
const MARGIN: usize = 12;
/// Room for the words above and below the cells.
const WORDS: usize = 44;

/// Fills that print and colour-blind readers can distinguish (after Okabe and Ito, lightened).
const FILLS: [&str; Grid::COLORS] = [
    "#cfe8f7", "#fde3b5", "#cfeee2", "#f6d5e5", "#fbf6b8", "#e3ddf5",
];

/// The picture as the text of an SVG file.
#[must_use]
pub fn svg(grid: &Grid) -> String {
    let labels = grid.cells.iter().flatten().map(|cell| cell.label.len());
    let letters = labels.max().unwrap_or(1);
    let width = (letters * 9 + 14).max(HEIGHT);
    let (rows, columns) = (grid.cells.len(), grid.cells.first().map_or(0, Vec::len));
    let below = if grid.left_out.is_some() { 24 } else { 0 };
    let left_out = grid.left_out.as_ref().map_or(0, String::len);
    let words = grid.title.len().max(left_out) * 8;
    let total_width = (columns * width).max(words) + 2 * MARGIN;
    let total_height = rows * HEIGHT + WORDS + below + MARGIN;
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = out.write_fmt(text);
        out.push('\n');
    };
    put(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{total_height}" viewBox="0 0 {total_width} {total_height}" font-family="monospace" font-size="14">"#
    ));
    put(format_args!("<title>{}</title>", escaped(&grid.title)));
    put(format_args!(
        r##"<rect width="100%" height="100%" fill="#ffffff"/>"##
    ));
    put(format_args!(
        r#"<text x="{MARGIN}" y="18">{}</text>"#,
        escaped(&grid.title)
    ));
    put(format_args!(
        r##"<text x="{MARGIN}" y="36" font-size="12" fill="#555555">columns: {} ({}), rows: {} ({})</text>"##,
        escaped(&grid.columns.name),
        grid.columns.size,
        escaped(&grid.rows.name),
        grid.rows.size
    ));
    for (row, cells) in grid.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let (x, y) = (MARGIN + column * width, WORDS + row * HEIGHT);
            let (fill, ink) = match cell.content {
                Content::Element(color) => (FILLS[color % Grid::COLORS], "#000000"),
                Content::Read => ("#0072b2", "#ffffff"),
                Content::Padding => ("#ffffff", "#b0b0b0"),
            };
            put(format_args!(
                r##"<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" fill="{fill}" stroke="#d8d8d8"/>"##
            ));
            if !cell.label.is_empty() {
                let (x, y) = (x + width / 2, y + 19);
                put(format_args!(
                    r#"<text x="{x}" y="{y}" text-anchor="middle" fill="{ink}">{}</text>"#,
                    escaped(&cell.label)
                ));
            }
        }
    }
    for weight in [Line::Light, Line::Heavy] {
        let (stroke, thick) = match weight {
            Line::Heavy => ("#000000", 3),
            _ => ("#d55e00", 2),
        };
        for (lines, way) in [(&grid.upright, 'V'), (&grid.level, 'H')] {
            for (row, lines) in lines.iter().enumerate() {
                let lines = lines.iter().enumerate();
                for (column, _) in lines.filter(|(_, line)| **line == weight) {
                    let (x, y) = (MARGIN + column * width, WORDS + row * HEIGHT);
                    let end = if way == 'V' { y + HEIGHT } else { x + width };
                    put(format_args!(
                        r#"<path d="M{x} {y}{way}{end}" stroke="{stroke}" stroke-width="{thick}" stroke-linecap="square"/>"#
                    ));
                }
            }
        }
    }
    if let Some(left_out) = &grid.left_out {
        let y = WORDS + rows * HEIGHT + 22;
        put(format_args!(
            r##"<text x="{MARGIN}" y="{y}" font-size="12" fill="#555555">{}</text>"##,
            escaped(left_out)
        ));
    }
    put(format_args!("</svg>"));
    out
}

/// Text as XML has it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
