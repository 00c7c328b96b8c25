//! Prints an e-graph in the language of Graphviz: a dashed cluster for each class, with a box for each node. A node
//! points to its operand classes; dotted lines connect the two sides of a union. If a side is not a node that is shown,
//! the line ends at the class itself.

use super::egraph::Diagram;
use std::fmt::Write;

/// Prints a DOT file.
#[must_use]
pub fn dot(diagram: &Diagram) -> String {
    let mut out = String::from("digraph egraph {\n");
    let mut put = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = out.write_fmt(text);
        out.push('\n');
    };
    put(format_args!(
        "  graph [compound=true, fontname=monospace, labelloc=t, label={}]",
        quoted(&[
            &format!("({})", diagram.results.join(", ")),
            diagram.left_out.as_deref().unwrap_or_default()
        ])
    ));
    put(format_args!("  node [shape=box, fontname=monospace]"));
    put(format_args!("  edge [fontname=monospace]"));
    for (number, class) in (1..).zip(&diagram.classes) {
        put(format_args!("  subgraph cluster_{number} {{"));
        put(format_args!("    style=dashed"));
        put(format_args!("    label=\"\""));
        put(format_args!(
            "    class_{number} [shape=plaintext, label={}]",
            quoted(&[
                &format!("{} = {}", class.name, class.smallest),
                &class.known(),
                class.more().as_deref().unwrap_or_default(),
            ])
        ));
        for (place, node) in (1..).zip(&class.nodes) {
            put(format_args!("    node_{number}_{place} [label={}]", quoted(&[&node.term])));
        }
        put(format_args!("  }}"));
    }
    for (number, class) in (1..).zip(&diagram.classes) {
        for (place, node) in (1..).zip(&class.nodes) {
            for operand in node.operands.iter().map(|operand| operand + 1) {
                // An arrow to its own class cannot end at the border of the cluster that it starts in.
                let head = match operand == number {
                    true => String::new(),
                    false => format!(" [lhead=cluster_{operand}]"),
                };
                put(format_args!("  node_{number}_{place} -> class_{operand}{head}"));
            }
        }
    }
    for union in &diagram.unions {
        let number = union.class + 1;
        let end = |node: Option<usize>| match node {
            Some(place) => format!("node_{number}_{}", place + 1),
            None => format!("class_{number}"),
        };
        put(format_args!(
            "  {} -> {} [style=dotted, constraint=false, label={}, tooltip={}]",
            end(union.nodes[0]),
            end(union.nodes[1]),
            quoted(&[&union.reason]),
            quoted(&[&format!("{} = {}", union.left, union.right)]),
        ));
    }
    put(format_args!("}}"));
    out
}

/// Joins nonempty lines to a quoted string.
fn quoted(lines: &[&str]) -> String {
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines: Vec<String> =
        lines.map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}
