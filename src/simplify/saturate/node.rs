//! The e-graph's nodes and its analysis.

use super::form::{Form, FormRef};
use super::residue::Residue;
use crate::expr::VariableId;
use crate::num::Interval;
use crate::rule::matching::Operator;
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// The e-graph.
pub type Classes = EGraph<Node, Variables>;

/// An e-node.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    Variable(VariableId),
    /// `constant + coefficient * child + ..`; an integer if it has no children.
    Sum(i64, SmallVec<[i64; 4]>, SmallVec<[Id; 4]>),
    /// Floor division by a positive integer.
    FloorDiv(i64, [Id; 1]),
    /// Remainder by a positive integer.
    Mod(i64, [Id; 1]),
    Min(SmallVec<[Id; 4]>),
    Max(SmallVec<[Id; 4]>),
}

impl Node {
    /// Returns the operator and its divisor, which is 0 for min and max; `None` for a variable or sum.
    pub fn operator(&self) -> Option<(Operator, i64)> {
        match self {
            Node::Variable(_) | Node::Sum(..) => None,
            Node::FloorDiv(divisor, _) => Some((Operator::FloorDiv, *divisor)),
            Node::Mod(divisor, _) => Some((Operator::Mod, *divisor)),
            Node::Min(_) => Some((Operator::Min, 0)),
            Node::Max(_) => Some((Operator::Max, 0)),
        }
    }
}

impl Language for Node {
    type Discriminant = std::mem::Discriminant<Node>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(self)
    }

    fn matches(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Variable(x), Node::Variable(y)) => x == y,
            (Node::Sum(k, c, x), Node::Sum(l, d, y)) => k == l && c == d && x.len() == y.len(),
            (Node::FloorDiv(c, _), Node::FloorDiv(d, _)) | (Node::Mod(c, _), Node::Mod(d, _)) => {
                c == d
            }
            (Node::Min(x), Node::Min(y)) | (Node::Max(x), Node::Max(y)) => x.len() == y.len(),
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Node::Variable(..) => &[],
            Node::Sum(_, _, ids) | Node::Min(ids) | Node::Max(ids) => ids,
            Node::FloorDiv(_, id) | Node::Mod(_, id) => id,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Node::Variable(..) => &mut [],
            Node::Sum(_, _, ids) | Node::Min(ids) | Node::Max(ids) => ids,
            Node::FloorDiv(_, id) | Node::Mod(_, id) => id,
        }
    }
}

/// The ranges of the variables, by index.
#[derive(Clone, Debug, Default)]
pub struct Variables(pub Vec<Interval>);

/// Analysis data of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// An interval that contains all values.
    pub range: Interval,
    /// The residue of all values.
    pub residue: Residue,
    /// The smallest form.
    pub smallest: FormRef,
    /// The form with the narrowest range computed from it.
    pub narrowest: FormRef,
}

impl Analysis<Node> for Variables {
    type Data = Facts;

    fn make(graph: &mut Classes, node: &Node, _: Id) -> Facts {
        let of = |id: &Id| &graph[*id].data;
        let smallest = |id: &Id| graph[*id].data.smallest.clone();
        let variable = |id: &VariableId| {
            let known = graph.analysis.0.get(id.index());
            known.copied().unwrap_or(Interval::ALL)
        };
        let (range, residue, smallest) = match node {
            Node::Variable(id) => {
                (variable(id), Residue::ANY, Some(Form::variable(*id, variable(id))))
            }
            Node::Sum(constant, coefficients, ids) => {
                let terms = || coefficients.iter().copied().zip(ids);
                (
                    Interval::linear(*constant, terms().map(|(c, id)| (c, of(id).range))),
                    Residue::linear(*constant, terms().map(|(c, id)| (c, of(id).residue))),
                    Form::sum(*constant, terms().map(|(c, id)| (c, smallest(id)))),
                )
            }
            Node::FloorDiv(c, [id]) => (
                of(id).range.floordiv(*c),
                of(id).residue.floordiv(*c),
                Some(Form::floordiv(smallest(id), *c)),
            ),
            Node::Mod(c, [id]) => (
                of(id).range.modulo(*c),
                of(id).residue.modulo(*c),
                Some(Form::modulo(smallest(id), *c)),
            ),
            Node::Min(ids) | Node::Max(ids) => {
                let least = matches!(node, Node::Min(_));
                let join = if least { Interval::min } else { Interval::max };
                let ranges = ids.iter().map(|id| of(id).range);
                (
                    ranges.reduce(join).unwrap_or(Interval::ALL),
                    Residue::ANY,
                    Some(Form::min_max(ids.iter().map(smallest).collect(), least)),
                )
            }
        };
        // A sum whose coefficients overflow is never added; its form would be the largest.
        let smallest = smallest.unwrap_or_else(Form::too_large);
        Facts { range, residue, narrowest: smallest.clone(), smallest }
    }

    fn merge(&mut self, ours: &mut Facts, theirs: Facts) -> DidMerge {
        let before = (ours.range, ours.residue);
        let (range, residue) = (before.0.intersect(theirs.range), before.1.and(theirs.residue));
        let order = ours.smallest.order(&theirs.smallest);
        let change = DidMerge(
            order == Ordering::Greater || before != (range, residue),
            order == Ordering::Less || (theirs.range, theirs.residue) != (range, residue),
        );
        (ours.range, ours.residue) = (range, residue);
        if order == Ordering::Greater {
            ours.smallest = theirs.smallest;
        }
        if ours.narrowest.range.contains_all(theirs.narrowest.range) {
            ours.narrowest = theirs.narrowest;
        }
        change
    }
}
