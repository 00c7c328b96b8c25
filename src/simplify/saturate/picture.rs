//! A readable view of an e-graph: the classes reachable from the roots, their nodes over classes, and the reasons of
//! unions.
//!
//! Classes are numbered from the roots downwards. A class that is only a variable or an integer has no number and is shown as
//! such; a class beyond the limit is shown as its smallest form. Laws: every term of a class has its value; the same e-graph
//! gives the same picture; nodes that are left out are counted.

use super::form::FormRef;
use super::graph::Graph;
use super::node::{Node, Variables};
use super::noted::Reason;
use super::run::Saturation;
use crate::expr::{Expr, ExprError, VariableId};
use crate::num::{Interval, Sum};
use egg::{Analysis, Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Maximum number of nodes shown per class, so that one class does not use up the limit.
const NODES_OF_CLASS: usize = 6;

/// A view of an e-graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The classes: those of the roots first, each before the classes that its nodes mention first.
    pub classes: Vec<Class>,
    /// The number of the first class, as a variable: smaller numbers are variables of the map.
    pub first_class: u32,
    /// The roots, over classes.
    pub roots: Vec<Expr>,
    /// Number of other reachable classes, which are not shown.
    pub classes_left_out: usize,
    /// The unions, in order.
    pub unions: Vec<Union>,
    /// Number of unions not shown: in classes that are not shown, or beyond the limit.
    pub unions_left_out: usize,
}

/// An e-class.
#[derive(Clone, PartialEq, Debug)]
pub struct Class {
    /// The smallest form, over the variables of the map.
    pub smallest: Expr,
    /// An interval that contains all values.
    pub range: Interval,
    /// `(modulus, residue)` of all values, with a modulus of at least 2; `None` for a constant.
    pub residue: Option<(i64, i64)>,
    /// Nodes, smallest first.
    pub nodes: Vec<Shown>,
    /// Number of nodes not shown.
    pub left_out: usize,
}

/// An e-node: an operation on classes.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The term over variables of the map and classes ([`Picture::first_class`]).
    pub term: Expr,
    /// The indices of its classes.
    pub operands: Vec<usize>,
}

/// The union of two terms.
#[derive(Clone, PartialEq, Debug)]
pub struct Union {
    /// The index of their class.
    pub class: usize,
    /// The reason.
    pub reason: Reason,
    /// The existing term, over the smallest forms of its parts known then.
    pub left: Expr,
    /// The term it was merged with.
    pub right: Expr,
    /// The indices of the nodes of both sides, where shown.
    pub nodes: [Option<usize>; 2],
}

/// A view under construction: the numbering of classes.
struct Numbers {
    first_class: u32,
    positions: FxHashMap<Id, usize>,
    /// Numbered classes whose nodes are not yet shown.
    open: VecDeque<Id>,
    /// Number of nodes that may still be shown, beyond one per numbered class.
    room: usize,
}

impl Numbers {
    /// Returns a class as an expression, and its index if it is numbered.
    fn written(&mut self, graph: &Graph, id: Id) -> Result<(Expr, Option<usize>), ExprError> {
        let id = graph.classes.find(id);
        if let Some(leaf) = leaf(graph, id) {
            return Ok((leaf, None));
        }
        let position = match self.positions.get(&id) {
            Some(position) => *position,
            None if self.room == 0 => {
                return Ok((graph.classes[id].data.smallest.to_expr()?, None));
            }
            None => {
                let next = self.positions.len();
                self.positions.insert(id, next);
                self.open.push_back(id);
                self.room -= 1;
                next
            }
        };
        let number = VariableId(self.first_class + position as u32);
        Ok((Expr::variable(number), Some(position)))
    }

    /// Returns classes as expressions, and the indices of those that are numbered.
    fn parts(
        &mut self,
        graph: &Graph,
        ids: impl Iterator<Item = Id>,
    ) -> Result<(Vec<Expr>, Vec<usize>), ExprError> {
        let (mut parts, mut operands) = (Vec::new(), Vec::new());
        for id in ids {
            let (expr, position) = self.written(graph, id)?;
            operands.extend(position);
            parts.push(expr);
        }
        operands.sort_unstable();
        operands.dedup();
        Ok((parts, operands))
    }

    fn node(&mut self, graph: &Graph, node: &Node) -> Result<Shown, ExprError> {
        if let Node::Sum(constant, coefficients, ids) = node {
            // Two terms of a sum may have been merged, or may have cancelled.
            let ids = ids.iter().map(|id| graph.classes.find(*id));
            let sum = Sum::new(*constant, ids.zip(coefficients.iter().copied()));
            let sum = sum.ok_or(ExprError::Overflow)?;
            let ids = sum.terms().iter().map(|(id, _)| *id);
            let (parts, operands) = self.parts(graph, ids)?;
            let coefficients = sum.terms().iter().map(|(_, coefficient)| *coefficient);
            let term = Expr::sum(sum.constant, coefficients.zip(parts))?;
            return Ok(Shown { term, operands });
        }
        let (parts, operands) = self.parts(graph, node.children().iter().copied())?;
        let term = match (node, parts.as_slice()) {
            (Node::Variable(id), _) => Expr::variable(*id),
            (Node::FloorDiv(c, _), [x]) => x.floordiv(*c)?,
            (Node::Mod(c, _), [x]) => x.modulo(*c)?,
            (Node::Max(_), _) => Expr::max(parts)?,
            _ => Expr::min(parts)?,
        };
        Ok(Shown { term, operands })
    }
}

impl Saturation<'_> {
    /// Builds the view of the classes of `roots`, with at most `most` nodes and unions.
    ///
    /// # Errors
    /// If a term does not fit in an expression.
    pub fn picture(&mut self, roots: &[Id], most: usize) -> Result<Picture, ExprError> {
        let (graph, noted) = self.graph_and_unions();
        let mut numbers = Numbers {
            first_class: graph.classes.analysis.0.len() as u32,
            positions: FxHashMap::default(),
            open: VecDeque::new(),
            room: most.max(roots.len()),
        };
        let mut written = Vec::new();
        for id in roots {
            written.push(numbers.written(graph, *id)?.0);
        }
        let mut picture = Picture {
            roots: written,
            first_class: numbers.first_class,
            classes: Vec::new(),
            classes_left_out: 0,
            unions: Vec::new(),
            unions_left_out: 0,
        };
        // The nodes of each class, with the positions at which they are shown.
        let mut places: Vec<Vec<(Node, usize)>> = Vec::new();
        while let Some(id) = numbers.open.pop_front() {
            let nodes = ordered_nodes(graph, id);
            let mut class = Class {
                smallest: graph.classes[id].data.smallest.to_expr()?,
                range: graph.classes[id].data.range,
                residue: graph.classes[id].data.residue.known(),
                nodes: Vec::new(),
                left_out: 0,
            };
            numbers.room += 1; // the room kept for the first node
            let mut placed = Vec::new();
            for node in nodes {
                if numbers.room == 0 || class.nodes.len() == NODES_OF_CLASS {
                    class.left_out += 1;
                    continue;
                }
                numbers.room -= 1;
                let shown = numbers.node(graph, &node)?;
                // Nodes over different sums may print identically.
                let place = class.nodes.iter().position(|other| *other == shown);
                placed.push((node, place.unwrap_or(class.nodes.len())));
                match place {
                    Some(_) => numbers.room += 1,
                    None => class.nodes.push(shown),
                }
            }
            picture.classes.push(class);
            places.push(placed);
        }
        picture.classes_left_out = reached(graph, roots) - picture.classes.len();
        for union in noted {
            let id = graph.classes.find(union.class);
            let position = numbers.positions.get(&id).copied();
            let Some((class, nodes)) = position.and_then(|p| Some((p, places.get(p)?))) else {
                picture.unions_left_out += 1;
                continue;
            };
            let place = |node: &Option<Node>| {
                let node = node.clone()?.map_children(|id| graph.classes.find(id));
                nodes.iter().find_map(|(shown, place)| (*shown == node).then_some(*place))
            };
            let [left, right] = &union.sides;
            let shown = Union {
                class,
                reason: union.reason,
                left: left.to_expr()?,
                right: right.to_expr()?,
                nodes: [place(&union.nodes[0]), place(&union.nodes[1])],
            };
            // Sums over different classes may print identically; repetitions are omitted.
            let says_same = |other: &Union| {
                (other.class, other.reason, &other.left, &other.right)
                    == (shown.class, shown.reason, &shown.left, &shown.right)
            };
            if shown.left == shown.right || picture.unions.iter().any(says_same) {
                continue;
            }
            if picture.unions.len() == most {
                picture.unions_left_out += 1;
                continue;
            }
            picture.unions.push(shown);
        }
        Ok(picture)
    }
}

/// Returns the variable or integer that a class consists of.
fn leaf(graph: &Graph, id: Id) -> Option<Expr> {
    match graph.classes[id].nodes.as_slice() {
        [Node::Variable(variable)] => Some(Expr::variable(*variable)),
        [Node::Sum(constant, _, ids)] if ids.is_empty() => Some(Expr::constant(*constant)),
        _ => None,
    }
}

/// Counts the classes reachable from the roots, except variables and integers.
fn reached(graph: &Graph, roots: &[Id]) -> usize {
    let mut open = roots.to_vec();
    let mut reached: FxHashSet<Id> = FxHashSet::default();
    while let Some(id) = open.pop() {
        let id = graph.classes.find(id);
        if leaf(graph, id).is_none() && reached.insert(id) {
            let nodes = graph.classes[id].nodes.iter();
            open.extend(nodes.flat_map(Node::children));
        }
    }
    reached.len()
}

/// Returns the nodes of a class, ordered by their forms, then by their classes.
fn ordered_nodes(graph: &mut Graph, id: Id) -> Vec<Node> {
    let nodes = graph.classes[id].nodes.clone();
    let mut formed: Vec<(FormRef, Node)> = nodes
        .into_iter()
        .map(|node| {
            let facts = Variables::make(&mut graph.classes, &node, id);
            (facts.smallest, node.map_children(|id| graph.classes.find(id)))
        })
        .collect();
    formed.sort_by(|(x, first), (y, second)| x.order(y).then_with(|| first.cmp(second)));
    formed.dedup_by(|x, y| x.1 == y.1);
    formed.into_iter().map(|(_, node)| node).collect()
}
