//! Draws an e-graph as SVG 1.1: a box for each class, those of the results on top, and below them their operands, in
//! rows (`rows`). A box has the smallest form and the range, then the nodes, then the unions. Units are pixels.

use super::egraph::{ClassBox, Diagram};
use super::rows::{Pointing, rows};
use super::svg::escaped;
use std::fmt::Write;

const LINE: usize = 18;
const LETTER: usize = 8;
const PADDING: usize = 10;
const MARGIN: usize = 16;
/// Gap between boxes, in both directions.
const GAP: usize = 28;
const STEP: usize = 48;
/// Height of the heading.
const HEAD: usize = 44;
/// Maximum width of a row of boxes.
const PAGE: usize = 1500;
/// Maximum number of letters in a line; the tooltip of the box shows the whole text.
const MOST_LETTERS: usize = 56;

/// A line of a box, with its style.
struct Line {
    text: String,
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// The smallest form.
    Strong,
    /// A fact about the class, or the number of nodes not shown.
    Faint,
    /// A node.
    Plain,
    /// A union.
    Union,
}

/// A box with its position.
struct Placed {
    lines: Vec<Line>,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// Draws the picture as the text of an SVG file.
#[must_use]
pub fn boxes(diagram: &Diagram) -> String {
    let title = format!("({})", diagram.results.join(", "));
    let (placed, width, height) = placed(diagram);
    let below = diagram.left_out.as_ref().map_or(0, |_| LINE);
    let words = [&title, diagram.left_out.as_ref().unwrap_or(&title)];
    let words = words.map(|text| text.chars().count() * LETTER + 2 * MARGIN);
    let width = words.into_iter().fold(width, usize::max);
    let height = height + below;
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = out.write_fmt(text);
        out.push('\n');
    };
    put(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="monospace" font-size="13">"#
    ));
    put(format_args!("<title>{}</title>", escaped(&title)));
    put(format_args!(
        r##"<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#7a7a7a"/></marker></defs>"##
    ));
    put(format_args!(r##"<rect width="100%" height="100%" fill="#ffffff"/>"##));
    put(format_args!(r#"<text x="{MARGIN}" y="24" font-size="14">{}</text>"#, escaped(&title)));
    for (class, from) in diagram.classes.iter().zip(&placed) {
        let below = operands(class).into_iter();
        for to in below.filter_map(|place| placed.get(place)) {
            put(format_args!(
                r##"<path d="{}" fill="none" stroke="#7a7a7a" marker-end="url(#head)"/>"##,
                line_between(from, to)
            ));
        }
    }
    for (place, one) in placed.iter().enumerate() {
        let Placed { x, y, width, height, .. } = one;
        put(format_args!("<g>"));
        put(format_args!("<title>{}</title>", escaped(&whole(diagram, place))));
        put(format_args!(
            r##"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="#fafafa" stroke="#404040" stroke-dasharray="5 3"/>"##
        ));
        for (number, line) in (1..).zip(&one.lines) {
            let (x, y) = (x + PADDING, y + number * LINE);
            let look = match line.look {
                Look::Strong => r##" font-weight="bold""##,
                Look::Faint => r##" fill="#606060""##,
                Look::Plain => "",
                Look::Union => r##" fill="#0072b2""##,
            };
            put(format_args!(r#"<text x="{x}" y="{y}"{look}>{}</text>"#, escaped(&line.text)));
        }
        put(format_args!("</g>"));
    }
    if let Some(left_out) = &diagram.left_out {
        let y = height - MARGIN;
        put(format_args!(
            r##"<text x="{MARGIN}" y="{y}" fill="#606060">{}</text>"##,
            escaped(left_out)
        ));
    }
    put(format_args!("</svg>"));
    out
}

/// Places the boxes; returns them with their total width and height.
fn placed(diagram: &Diagram) -> (Vec<Placed>, usize, usize) {
    let mut placed: Vec<Placed> = Vec::new();
    for (place, class) in diagram.classes.iter().enumerate() {
        let lines = lines(diagram, place, class);
        let letters = lines.iter().map(|line| line.text.chars().count()).max();
        placed.push(Placed {
            x: 0,
            y: 0,
            width: letters.unwrap_or(0) * LETTER + 2 * PADDING,
            height: lines.len() * LINE + PADDING,
            lines,
        });
    }
    let pointing = diagram.classes.iter().zip(&placed);
    let pointing = pointing.map(|(class, one)| Pointing { width: one.width, to: operands(class) });
    let pointing: Vec<Pointing> = pointing.collect();
    let rows = rows(&pointing, GAP, PAGE);
    let widths = rows.iter().map(|row| {
        let boxes = row.iter().map(|place| placed[*place].width + GAP);
        boxes.sum::<usize>() - GAP
    });
    let widths: Vec<usize> = widths.collect();
    let widest = widths.iter().copied().max().unwrap_or(0);
    let mut y = HEAD;
    for (row, width) in rows.iter().zip(widths) {
        let (mut x, mut highest) = (MARGIN + (widest - width) / 2, 0);
        for place in row {
            let one = &mut placed[*place];
            (one.x, one.y) = (x, y);
            x += one.width + GAP;
            highest = highest.max(one.height);
        }
        y += highest + STEP;
    }
    (placed, widest + 2 * MARGIN, y - STEP.min(y) + MARGIN)
}

/// Returns the operand classes of a class's nodes, without repetition.
fn operands(class: &ClassBox) -> Vec<usize> {
    let nodes = class.nodes.iter();
    let mut operands: Vec<usize> = nodes.flat_map(|node| node.operands.iter().copied()).collect();
    operands.sort_unstable();
    operands.dedup();
    operands
}

/// Draws a line from the lower side of a box to the upper side of a box below it, otherwise along the right sides.
fn line_between(from: &Placed, to: &Placed) -> String {
    let middle = |one: &Placed| one.x + one.width / 2;
    if to.y > from.y {
        let (start, end) = (from.y + from.height, to.y);
        let half = start + end.saturating_sub(start) / 2;
        let (left, right) = (middle(from), middle(to));
        return format!("M{left} {start}C{left} {half} {right} {half} {right} {end}");
    }
    let (start, end) = (from.x + from.width, to.x + to.width);
    let out = start.max(end) + GAP;
    let (upper, lower) = (from.y + from.height / 2, to.y + LINE);
    format!("M{start} {upper}C{out} {upper} {out} {lower} {end} {lower}")
}

fn lines(diagram: &Diagram, place: usize, class: &ClassBox) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut put = |look: Look, text: String| {
        let text = match text.char_indices().nth(MOST_LETTERS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        lines.push(Line { text, look });
    };
    put(Look::Strong, format!("{} = {}", class.name, class.smallest));
    put(Look::Faint, class.known());
    for node in &class.nodes {
        put(Look::Plain, node.term.clone());
    }
    if let Some(more) = class.more() {
        put(Look::Faint, more);
    }
    for union in diagram.unions.iter().filter(|union| union.class == place) {
        put(Look::Union, format!("{} = {}", union.left, union.right));
        put(Look::Union, format!("by {}", union.reason));
    }
    lines
}

/// Returns the full text of a box, for its tooltip.
fn whole(diagram: &Diagram, place: usize) -> String {
    let class = diagram.classes.get(place);
    let mut text =
        class.map_or(String::new(), |class| format!("{} = {}", class.name, class.smallest));
    for union in diagram.unions.iter().filter(|union| union.class == place) {
        text += &format!("\n{} = {} by {}", union.left, union.right, union.reason);
    }
    text
}
