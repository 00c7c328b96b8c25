//! The syntax tree, with positions, before names and numbers are resolved.
//!
//! A [`Term`] is a tree in one vector, operands before the operation that uses them. So a pass over it is a loop over
//! [`Term::nodes`] and no text, however deeply nested, can exhaust the stack. It is more general than index maps
//! (products, divisors and conditions of any terms), so that the same parser reads rule files.

use crate::expr::{End, VariableKind};
use crate::num::Interval;
use crate::text::Span;
use rustc_hash::FxHashMap;

/// A parsed expression or condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term<'t> {
    nodes: Vec<Node<'t>>,
    root: NodeId,
}

/// The index of a node in its term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

/// An operation, a name or a number, with its span. Enclosing parentheses belong to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node<'t> {
    /// The kind of the node.
    pub kind: NodeKind<'t>,
    /// The span of the node.
    pub span: Span,
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind<'t> {
    /// Digits; at most 2^63, which fits in 64 bits only if negated.
    Integer(u64),
    /// A variable.
    Name(&'t str),
    /// `-x`
    Negate(NodeId),
    /// `x + y - z`; the sign is the operator before the operand, `+` for the first.
    Sum(Vec<(Sign, NodeId)>),
    /// `x * y`, also written `16x`.
    Multiply(NodeId, NodeId),
    /// `x floordiv y`
    FloorDiv(NodeId, NodeId),
    /// `x ceildiv y`
    CeilDiv(NodeId, NodeId),
    /// `x mod y`
    Mod(NodeId, NodeId),
    /// `min(x, y)` and any `name(x, y)`.
    Call(&'t str, Vec<NodeId>),
    /// `x <= y < z`: one relation fewer than operands.
    Compare(Vec<NodeId>, Vec<Relation>),
    /// `not x`
    Not(NodeId),
    /// `x and y and z`
    And(Vec<NodeId>),
    /// `x or y or z`
    Or(Vec<NodeId>),
    /// `exists a, b : x`, in isl's notation.
    Exists(Vec<(&'t str, Span)>, NodeId),
    /// `i, j` as a side of a comparison that holds for each of its items, in isl's notation.
    List(Vec<NodeId>),
}

/// The operator before an operand of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Relation {
    /// Returns the relation with its sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> Relation {
        match self {
            Relation::Equal => Relation::Equal,
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterEqual => Relation::LessEqual,
        }
    }
}

impl<'t> Term<'t> {
    /// Returns the root of the tree.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Iterates over the nodes with their ids in post-order; the root comes last.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node<'t>)> {
        let numbered = self.nodes.iter().enumerate();
        numbered.map(|(index, node)| (NodeId(index as u32), node))
    }

    /// Returns the node `id` of this term.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node<'t> {
        &self.nodes[id.index()] // only `push` creates ids
    }

    /// Returns whether the term is a condition rather than arithmetic.
    #[must_use]
    pub fn is_formula(&self) -> bool {
        matches!(
            self.node(self.root).kind,
            NodeKind::Compare(..)
                | NodeKind::Not(_)
                | NodeKind::And(_)
                | NodeKind::Or(_)
                | NodeKind::Exists(..)
        )
    }

    /// Returns the span of the whole term.
    #[must_use]
    /// Returns the span of a node.
    pub fn span(&self) -> Span {
        self.node(self.root).span.clone()
    }

    /// Returns the part of the term below `id`.
    #[must_use]
    pub fn part(&self, id: NodeId) -> Term<'t> {
        let mut is_below = vec![false; id.index() + 1];
        is_below[id.index()] = true;
        for (at, node) in self.nodes[..=id.index()].iter().enumerate().rev() {
            if is_below[at] {
                node.kind.operands(|x| is_below[x.index()] = true);
            }
        }
        let (mut builder, mut ids) = (TermBuilder::default(), vec![id; id.index() + 1]);
        for (at, node) in self.nodes[..=id.index()].iter().enumerate() {
            if is_below[at] {
                let kind = node.kind.with_operands(|x| ids[x.index()]);
                ids[at] = builder.push(kind, node.span.clone());
            }
        }
        builder.finish(ids[id.index()])
    }

    /// Returns the integer literal at `id`: digits, with any signs before them.
    #[must_use]
    pub fn literal(&self, id: NodeId) -> Option<i128> {
        let (mut id, mut sign) = (id, 1);
        loop {
            match self.node(id).kind {
                NodeKind::Integer(value) => return Some(sign * i128::from(value)),
                NodeKind::Negate(operand) => (id, sign) = (operand, -sign),
                _ => return None,
            }
        }
    }
}

impl<'t> NodeKind<'t> {
    /// Returns the same operation on other operands.
    pub fn with_operands(&self, new: impl Fn(&NodeId) -> NodeId) -> NodeKind<'t> {
        let all = |operands: &[NodeId]| operands.iter().map(&new).collect();
        match self {
            NodeKind::Integer(value) => NodeKind::Integer(*value),
            NodeKind::Name(name) => NodeKind::Name(name),
            NodeKind::Negate(x) => NodeKind::Negate(new(x)),
            NodeKind::Sum(summands) => {
                let summands = summands.iter().map(|(sign, x)| (*sign, new(x)));
                NodeKind::Sum(summands.collect())
            }
            NodeKind::Multiply(x, y) => NodeKind::Multiply(new(x), new(y)),
            NodeKind::FloorDiv(x, y) => NodeKind::FloorDiv(new(x), new(y)),
            NodeKind::CeilDiv(x, y) => NodeKind::CeilDiv(new(x), new(y)),
            NodeKind::Mod(x, y) => NodeKind::Mod(new(x), new(y)),
            NodeKind::Call(name, operands) => NodeKind::Call(name, all(operands)),
            NodeKind::Compare(operands, relations) => {
                NodeKind::Compare(all(operands), relations.clone())
            }
            NodeKind::Not(x) => NodeKind::Not(new(x)),
            NodeKind::And(operands) => NodeKind::And(all(operands)),
            NodeKind::Or(operands) => NodeKind::Or(all(operands)),
            NodeKind::Exists(names, x) => NodeKind::Exists(names.clone(), new(x)),
            NodeKind::List(operands) => NodeKind::List(all(operands)),
        }
    }

    /// Visits the operands.
    pub fn operands(&self, mut visit: impl FnMut(NodeId)) {
        let seen = std::cell::RefCell::new(&mut visit);
        self.with_operands(|x| {
            (seen.borrow_mut())(*x);
            *x
        });
    }
}

impl NodeId {
    /// Returns the index in [`Term::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term under construction, bottom-up.
#[derive(Debug, Default)]
pub struct TermBuilder<'t> {
    nodes: Vec<Node<'t>>,
}

impl<'t> TermBuilder<'t> {
    /// Appends a node whose operands are already in the term.
    pub fn push(&mut self, kind: NodeKind<'t>, span: Span) -> NodeId {
        let id = NodeId(self.nodes.len() as u32); // the parser stops long before 2^32
        self.nodes.push(Node { kind, span });
        id
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the kind of a node.
    pub fn kind(&self, id: NodeId) -> &NodeKind<'t> {
        &self.nodes[id.index()].kind
    }

    /// Returns a node and all nodes below it, operands first.
    pub fn below(&self, id: NodeId) -> Vec<NodeId> {
        let mut is_below = vec![false; id.index() + 1];
        is_below[id.index()] = true;
        for at in (0..=id.index()).rev() {
            if is_below[at] {
                self.nodes[at].kind.operands(|x| is_below[x.index()] = true);
            }
        }
        let ids = (0u32..).map(NodeId).zip(is_below);
        ids.filter_map(|(id, is_below)| is_below.then_some(id)).collect()
    }

    /// Returns, for each node, the first node that is an equal term, regardless of position.
    pub fn alike(&self) -> Vec<NodeId> {
        let (mut first, mut alike) = (FxHashMap::default(), Vec::with_capacity(self.nodes.len()));
        for node in &self.nodes {
            let kind = node.kind.with_operands(|x| alike[x.index()]);
            let own = NodeId(alike.len() as u32); // as in `push`
            alike.push(*first.entry(kind).or_insert(own));
        }
        alike
    }

    /// Returns the name, if the node is a name.
    pub fn name(&self, id: NodeId) -> Option<&'t str> {
        match self.kind(id) {
            NodeKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns whether the name occurs in the term below `id`.
    pub fn uses(&self, id: NodeId, name: &str) -> bool {
        self.below(id).into_iter().any(|id| *self.kind(id) == NodeKind::Name(name))
    }

    /// Returns the span of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.index()].span.clone()
    }

    /// Extends a node's span to the enclosing parentheses.
    pub fn widen(&mut self, id: NodeId, span: Span) {
        self.nodes[id.index()].span = span;
    }

    /// Builds the term with this root.
    pub fn finish(self, root: NodeId) -> Term<'t> {
        let nodes = self.nodes;
        Term { nodes, root }
    }
}

/// A comparison operator of MLIR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
    /// `==`
    Equal,
}

/// A parsed map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapText<'t> {
    /// Whether it is written as `affine_map<...>`.
    pub is_affine_map: bool,
    /// Whether the map has a list of parameters, which may be empty: such a map need not be quasi-affine.
    pub is_symbolic: bool,
    /// The variable lists, in the order of the text: parameters, dimensions, ranges, runtime variables.
    pub variables: Vec<VariableText<'t>>,
    /// The terms after `->`.
    pub results: Vec<Term<'t>>,
    /// The text after `domain:`.
    pub domain: DomainText<'t>,
    /// The end of the map in the text.
    pub end: usize,
}

/// A declared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableText<'t> {
    /// Its name.
    pub name: &'t str,
    /// The span of the declaration.
    pub span: Span,
    /// The list that it belongs to.
    pub kind: VariableKind,
}

/// The domain of a parsed map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DomainText<'t> {
    /// There is no `domain:`.
    Absent,
    /// `domain: empty`
    Empty,
    /// `domain: x in [0, 3], ...`
    Items(Vec<ItemText<'t>>),
    /// `affine_set<(x) : (x >= 0, ...)>`
    Set(SetText<'t>),
}

/// An MLIR set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetText<'t> {
    /// The set's own names of the map's variables.
    pub variables: Vec<VariableText<'t>>,
    /// The constraints of the set.
    pub constraints: Vec<ComparisonText<'t>>,
    /// The span of the set.
    pub span: Span,
}

/// A condition of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparisonText<'t> {
    /// Left side.
    pub lhs: Term<'t>,
    /// The comparison of both sides.
    pub side: Side,
    /// Right side.
    pub rhs: Term<'t>,
}

/// `term in [lo, hi]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemText<'t> {
    /// The bounded term.
    pub term: Term<'t>,
    /// The bounds, without those that are terms.
    pub bounds: Interval,
    /// The bounds that are terms.
    pub ends: Vec<(End, Term<'t>)>,
}
