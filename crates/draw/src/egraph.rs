//! The texts of an e-graph's picture, one box for each class.

use affinor::expr::Expr;
use affinor::num::Interval;
use affinor::rule::RuleSet;
use affinor::simplify::{EGraph, Picture, Reason, Union};
use affinor::text::{Style, print_expr, print_interval, variable_names};

/// The name of a union without a rule.
const ARITHMETIC: &str = "arithmetic";

/// An e-graph as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The results of the map, over variables and classes.
    pub results: Vec<String>,
    /// One box for each class, those of results first.
    pub classes: Vec<ClassBox>,
    /// The unions, in order.
    pub unions: Vec<UnionLine>,
    /// A note on the parts that are not shown, if any.
    pub left_out: Option<String>,
}

/// A class of equal terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassBox {
    /// `#1`
    pub name: String,
    /// The smallest form.
    pub smallest: String,
    /// An interval that contains all values.
    pub range: Interval,
    /// `(modulus, residue)` of all values.
    pub residue: Option<(i64, i64)>,
    /// Its nodes, the smallest first.
    pub nodes: Vec<NodeLine>,
    /// Number of nodes not shown.
    pub left_out: usize,
}

/// An operation on classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLine {
    /// `#2 floordiv 8`
    pub term: String,
    /// Indices of its classes.
    pub operands: Vec<usize>,
}

/// A union of two terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnionLine {
    /// The index of their class.
    pub class: usize,
    /// The name of a rule, or `arithmetic`.
    pub reason: String,
    /// The existing term.
    pub left: String,
    /// The term it was merged with.
    pub right: String,
    /// Indices of the nodes of both sides, where shown.
    pub nodes: [Option<usize>; 2],
}

impl ClassBox {
    /// Prints the range and residue of its values: `[1, 9], 1 mod 4`
    #[must_use]
    pub fn known(&self) -> String {
        let range = print_interval(self.range);
        match self.residue {
            Some((modulus, value)) => format!("{range}, {value} mod {modulus}"),
            None => range,
        }
    }

    /// Returns a note on the number of nodes that are not shown, if any.
    #[must_use]
    pub fn more(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("and {} more", self.left_out))
    }
}

impl Diagram {
    /// Creates the texts of an e-graph in which these rules fired.
    #[must_use]
    pub fn of(graph: &EGraph, rules: &RuleSet, style: Style) -> Diagram {
        let picture = &graph.picture;
        let variables = variable_names(&graph.domain);
        let mut names: Vec<String> = variables.iter().map(ToString::to_string).collect();
        names.extend((1..=picture.classes.len()).map(|number| format!("#{number}")));
        let written = |expr: &Expr| print_expr(expr, &names, style);
        let first = picture.first_class as usize;
        let classes = picture.classes.iter().zip(names.iter().skip(first));
        let classes = classes.map(|(class, name)| ClassBox {
            name: name.clone(),
            smallest: written(&class.smallest),
            range: class.range,
            residue: class.residue,
            nodes: class
                .nodes
                .iter()
                .map(|node| NodeLine { term: written(&node.term), operands: node.operands.clone() })
                .collect(),
            left_out: class.left_out,
        });
        let union = |union: &Union| UnionLine {
            class: union.class,
            reason: match union.reason {
                Reason::Rule(rule) => rules.rule(rule).name.clone(),
                Reason::Arithmetic => ARITHMETIC.to_owned(),
            },
            left: written(&union.left),
            right: written(&union.right),
            nodes: union.nodes,
        };
        Diagram {
            results: picture.roots.iter().map(written).collect(),
            classes: classes.collect(),
            unions: picture.unions.iter().map(union).collect(),
            left_out: left_out(picture),
        }
    }
}

fn left_out(picture: &Picture) -> Option<String> {
    let nodes: usize = picture.classes.iter().map(|class| class.left_out).sum();
    let counted = |count: usize, one: &str, several: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {several}")),
    };
    let parts = [
        counted(picture.classes_left_out, "class", "classes"),
        counted(nodes, "node", "nodes"),
        counted(picture.unions_left_out, "union", "unions"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("not shown: {}", parts.join(", ")))
}
