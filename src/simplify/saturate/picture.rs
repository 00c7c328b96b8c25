//! An e-graph as a person reads it: the classes that the roots are made of, their nodes over classes, and
//! what made two terms one.
//!
//! Classes are numbered from the roots downwards. A class that is nothing but a variable or an integer has no
//! number: it is written as what it is. So is one for which there is no room, as its smallest form. Laws: every
//! term of a class has its value; the same e-graph gives the same picture; what is left out is counted.

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

/// Most nodes of one class that are shown, so that one class does not take the room of all others.
const NODES_OF_CLASS: usize = 6;

/// What is shown of an e-graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The classes, those of the roots first, each before the classes that its nodes are the first to name.
    pub classes: Vec<Class>,
    /// The number of the first class, as a variable: what has a smaller one is a variable of the map.
    pub first_class: u32,
    /// The roots over the classes.
    pub roots: Vec<Expr>,
    /// Classes that the roots are made of as well and that have no number.
    pub classes_left_out: usize,
    /// What made terms one, in the order in which it happened.
    pub unions: Vec<Union>,
    /// Unions in classes that are not shown, or beyond the most that are.
    pub unions_left_out: usize,
}

/// Terms of which is known that they are equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Class {
    /// The smallest form, over the variables of the map.
    pub smallest: Expr,
    /// Holds all values.
    pub range: Interval,
    /// All values are the second modulo the first, which is at least 2; not said of a constant.
    pub residue: Option<(i64, i64)>,
    /// The smallest nodes first.
    pub nodes: Vec<Shown>,
    /// Nodes that are not shown.
    pub left_out: usize,
}

/// A node: an operation on classes.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// Over the variables of the map and the classes ([`Picture::first_class`]).
    pub term: Expr,
    /// The positions of the classes in it.
    pub operands: Vec<usize>,
}

/// Two terms that became one.
#[derive(Clone, PartialEq, Debug)]
pub struct Union {
    /// The position of their class.
    pub class: usize,
    /// Why.
    pub reason: Reason,
    /// What was there, over the smallest forms that were known of its parts then.
    pub left: Expr,
    /// What it was made one with.
    pub right: Expr,
    /// The positions of the nodes that the two sides are, where one is shown.
    pub nodes: [Option<usize>; 2],
}

/// A picture in the making: which class has which number.
struct Numbers {
    first_class: u32,
    positions: FxHashMap<Id, usize>,
    /// Classes that have a number, and nodes of which were not shown yet.
    open: VecDeque<Id>,
    /// Nodes that may still be shown, beside one for each class that has a number.
    room: usize,
}

impl Numbers {
    /// What a class is written as, and its position if it has a number.
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

    /// What classes are written as, and the positions of those that have a number.
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
            // Two terms of a sum may have become one, or nothing.
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
    /// What a person sees of the classes of `roots`: so many nodes and so many unions at the most.
    ///
    /// # Errors
    /// If a term cannot be held as an expression.
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
        // Of each class the nodes and where they are shown.
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
            numbers.room += 1; // what was kept for the first node
            let mut placed = Vec::new();
            for node in nodes {
                if numbers.room == 0 || class.nodes.len() == NODES_OF_CLASS {
                    class.left_out += 1;
                    continue;
                }
                numbers.room -= 1;
                let shown = numbers.node(graph, &node)?;
                // Sums are written alike, whatever sums they are over.
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
                nodes
                    .iter()
                    .find_map(|(shown, place)| (*shown == node).then_some(*place))
            };
            let [left, right] = &union.sides;
            let shown = Union {
                class,
                reason: union.reason,
                left: left.to_expr()?,
                right: right.to_expr()?,
                nodes: [place(&union.nodes[0]), place(&union.nodes[1])],
            };
            // The same words say nothing new: sums are written alike whichever classes they are over.
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

/// What a class is if it is nothing else: a variable or an integer.
fn leaf(graph: &Graph, id: Id) -> Option<Expr> {
    match graph.classes[id].nodes.as_slice() {
        [Node::Variable(variable)] => Some(Expr::variable(*variable)),
        [Node::Sum(constant, _, ids)] if ids.is_empty() => Some(Expr::constant(*constant)),
        _ => None,
    }
}

/// How many classes the roots are made of, beside variables and integers.
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

/// The nodes of a class, by the forms that they give, then by the classes in them.
fn ordered_nodes(graph: &mut Graph, id: Id) -> Vec<Node> {
    let nodes = graph.classes[id].nodes.clone();
    let mut formed: Vec<(FormRef, Node)> = nodes
        .into_iter()
        .map(|node| {
            let facts = Variables::make(&mut graph.classes, &node, id);
            (
                facts.smallest,
                node.map_children(|id| graph.classes.find(id)),
            )
        })
        .collect();
    formed.sort_by(|(x, first), (y, second)| x.order(y).then_with(|| first.cmp(second)));
    formed.dedup_by(|x, y| x.1 == y.1);
    formed.into_iter().map(|(_, node)| node).collect()
}
