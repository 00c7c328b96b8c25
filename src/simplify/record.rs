//! The e-graph of a map: every rule that fired is a union in it, and the result is read out of it.
//!
//! Core nodes (sums over atoms, quotients) and form nodes (a sum as written, a remainder, a quotient
//! with terms absorbed) live in one [`egg::EGraph`]. The class of a value carries the smallest form
//! found for it as egg analysis data: a union keeps the smaller, `rebuild` carries an improvement to
//! everything above it. Extraction is then a look-up.

use super::engine::Engine;
use super::form::{Form, FormRef};
use super::kernel::Bindings;
use super::linear::{AtomId, Linear};
use super::store::{Definition, Store, SumId};
use crate::expr::VariableId;
use crate::interval::Interval;
use crate::rule::{RuleId, Statement, Term};
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a rule instance rewrites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A sum.
    Sum(Linear),
    /// `of floordiv divisor`
    Quotient {
        /// Numerator.
        of: Linear,
        /// Divisor, at least 2.
        divisor: i64,
    },
    /// `of mod modulus`
    Remainder {
        /// What the remainder is taken of.
        of: Linear,
        /// Modulus, at least 2.
        modulus: i64,
    },
    /// The least (or greatest) of sums.
    Lattice {
        /// The sums.
        of: Vec<Linear>,
        /// Least, not greatest?
        least: bool,
    },
}

/// A rule that fired.
#[derive(Clone, Debug)]
pub struct Firing {
    /// The rule.
    pub rule: RuleId,
    /// The instance.
    pub bindings: Bindings,
    /// What it rewrote.
    pub target: Target,
    /// What took its place: a normal form, or `None` for the right side of the rule as written.
    pub result: Option<Linear>,
}

/// Why two nodes are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The rule instance with this position among the firings.
    Rule(usize),
    /// The laws of sums, given that these pairs of operands are equal.
    Sum(Vec<(Id, Id)>),
    /// These rule instances in order, given that these pairs of operands are equal.
    Rules(Vec<usize>, Vec<(Id, Id)>),
    /// The laws of sums and `div-div` on quotients that were cancelled before they were normalised.
    Cancellation,
}

/// A node of the e-graph.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A variable of the map, with its range.
    Variable(VariableId, Interval),
    /// `constant + coefficient * child + ..`
    Sum(i64, SmallVec<[i64; 4]>, SmallVec<[Id; 4]>),
    /// Quotient by a positive integer.
    FloorDiv(i64, [Id; 1]),
    /// Remainder by a positive integer.
    Mod(i64, [Id; 1]),
    /// Least of several.
    Min(SmallVec<[Id; 4]>),
    /// Greatest of several.
    Max(SmallVec<[Id; 4]>),
}

impl Language for Node {
    type Discriminant = std::mem::Discriminant<Node>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(self)
    }

    fn matches(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Variable(x, _), Node::Variable(y, _)) => x == y,
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

/// Keeps the smallest form of each class.
#[derive(Default)]
pub struct SmallestForm;

impl Analysis<Node> for SmallestForm {
    type Data = Option<FormRef>;

    fn make(egraph: &mut EGraph<Node, Self>, node: &Node, _: Id) -> Self::Data {
        smallest_form(egraph, node)
    }

    fn merge(&mut self, ours: &mut Self::Data, theirs: Self::Data) -> DidMerge {
        match (&*ours, &theirs) {
            (_, None) => DidMerge(false, ours.is_some()),
            (None, Some(_)) => {
                *ours = theirs;
                DidMerge(true, false)
            }
            (Some(x), Some(y)) => match x.order(y) {
                std::cmp::Ordering::Equal => DidMerge(false, false),
                std::cmp::Ordering::Less => DidMerge(false, true),
                std::cmp::Ordering::Greater => {
                    *ours = theirs;
                    DidMerge(true, false)
                }
            },
        }
    }
}

/// The form of a node over the smallest forms of its children.
fn smallest_form(egraph: &EGraph<Node, SmallestForm>, node: &Node) -> Option<FormRef> {
    let form = |id: &Id| egraph[*id].data.clone();
    match node {
        Node::Variable(id, range) => Some(Form::variable(*id, *range)),
        Node::Sum(constant, coefficients, ids) => {
            let parts: Option<Vec<_>> = coefficients
                .iter()
                .zip(ids)
                .map(|(c, id)| Some((*c, form(id)?)))
                .collect();
            Form::sum(*constant, parts?)
        }
        Node::FloorDiv(divisor, [id]) => Some(Form::floordiv(form(id)?, *divisor)),
        Node::Mod(modulus, [id]) => Some(Form::modulo(form(id)?, *modulus)),
        Node::Min(ids) => Some(Form::lattice(
            ids.iter().map(form).collect::<Option<_>>()?,
            true,
        )),
        Node::Max(ids) => Some(Form::lattice(
            ids.iter().map(form).collect::<Option<_>>()?,
            false,
        )),
    }
}

/// The e-graph and the list of firings.
#[derive(Default)]
pub struct Record {
    /// The e-graph.
    pub egraph: EGraph<Node, SmallestForm>,
    atoms: Vec<Id>,
    sums: FxHashMap<SumId, Id>,
    /// Rule instances in the order in which they fired.
    pub firings: Vec<Firing>,
    /// The unions that were made: two nodes, and why they are equal.
    pub edges: Vec<(Id, Id, Reason)>,
    /// Whether unions are made; the list of firings is kept in any case.
    pub unions: bool,
}

impl Record {
    /// The class of an atom.
    pub fn atom(&mut self, store: &mut Store, atom: AtomId) -> Id {
        while self.atoms.len() <= atom.index() {
            let next = AtomId(self.atoms.len() as u32);
            let node = match store.atom(next).definition.clone() {
                Definition::Variable(id) => Node::Variable(id, store.atom(next).range),
                Definition::Quotient(numerator, divisor) => {
                    Node::FloorDiv(divisor, [self.sum(store, &numerator)])
                }
                Definition::Least(list) => {
                    Node::Min(list.iter().map(|x| self.sum(store, x)).collect())
                }
                Definition::Greatest(list) => {
                    Node::Max(list.iter().map(|x| self.sum(store, x)).collect())
                }
            };
            let id = self.egraph.add_uncanonical(node);
            self.atoms.push(id);
        }
        self.atoms[atom.index()]
    }

    /// The class of a sum.
    pub fn sum(&mut self, store: &mut Store, sum: &Linear) -> Id {
        if let Some(atom) = sum.as_atom() {
            return self.atom(store, atom);
        }
        let key = store.intern(sum);
        if let Some(id) = self.sums.get(&key) {
            return *id;
        }
        let ids = sum
            .terms()
            .iter()
            .map(|(atom, _)| self.atom(store, *atom))
            .collect();
        let coefficients = sum.terms().iter().map(|(_, c)| *c).collect();
        let id = self
            .egraph
            .add_uncanonical(Node::Sum(sum.constant, coefficients, ids));
        self.sums.insert(key, id);
        id
    }

    /// Makes two nodes equal; returns whether that is new.
    pub fn union(&mut self, x: Id, y: Id, reason: Reason) -> bool {
        self.edges.push((x, y, reason));
        self.egraph.union(x, y)
    }

    /// The form of a node over the smallest forms of its children.
    pub fn form_of_node(&self, node: &Node) -> Option<FormRef> {
        smallest_form(&self.egraph, node)
    }

    pub(super) fn target(&mut self, store: &mut Store, target: &Target) -> Id {
        match target {
            Target::Sum(sum) => self.sum(store, sum),
            Target::Quotient { of, divisor } => {
                let of = self.sum(store, of);
                self.egraph.add_uncanonical(Node::FloorDiv(*divisor, [of]))
            }
            Target::Remainder { of, modulus } => {
                let of = self.sum(store, of);
                self.egraph.add_uncanonical(Node::Mod(*modulus, [of]))
            }
            Target::Lattice { of, least } => {
                let of = of.iter().map(|x| self.sum(store, x)).collect();
                let node = if *least { Node::Min(of) } else { Node::Max(of) };
                self.egraph.add_uncanonical(node)
            }
        }
    }
}

impl Engine<'_> {
    /// Notes that a rule fired: the target equals the normal form `result`.
    pub fn record(&mut self, rule: RuleId, bindings: Bindings, target: Target, result: &Linear) {
        self.note(rule, &bindings);
        let firing = self.record.firings.len();
        if self.record.unions {
            let lhs = self.record.target(&mut self.store, &target);
            let rhs = self.record.sum(&mut self.store, result);
            self.record.union(lhs, rhs, Reason::Rule(firing));
        }
        self.record.firings.push(Firing {
            rule,
            bindings,
            target,
            result: Some(result.clone()),
        });
    }

    /// Notes that a form was chosen: the target equals the rule's right side as written.
    pub fn record_form(&mut self, rule: RuleId, bindings: Bindings, target: Target) {
        self.note(rule, &bindings);
        let firing = self.record.firings.len();
        if self.record.unions {
            let lhs = self.record.target(&mut self.store, &target);
            let rules = self.rules;
            if let Statement::Rewrite(_, rhs) = &rules.rule(rule).statement
                && let Some(rhs) = self.written(rhs, &bindings)
            {
                self.record.union(lhs, rhs, Reason::Rule(firing));
            }
        }
        self.record.firings.push(Firing {
            rule,
            bindings,
            target,
            result: None,
        });
    }

    /// The class of a term as it is written: its quotients and remainders are nodes of their own.
    fn written(&mut self, term: &Term, bindings: &Bindings) -> Option<Id> {
        match term {
            Term::FloorDiv(x, c) => {
                let (of, divisor) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                let of = self.record.sum(&mut self.store, &of);
                Some(
                    self.record
                        .egraph
                        .add_uncanonical(Node::FloorDiv(divisor, [of])),
                )
            }
            Term::Mod(x, c) => {
                let (of, modulus) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                let of = self.record.sum(&mut self.store, &of);
                Some(self.record.egraph.add_uncanonical(Node::Mod(modulus, [of])))
            }
            Term::Sum(terms) => {
                let (mut constant, mut coefficients, mut ids) =
                    (0i64, SmallVec::new(), SmallVec::new());
                for term in terms {
                    let (factor, body) = self.factor_of(term, bindings)?;
                    match body {
                        None => constant = constant.checked_add(factor)?,
                        Some(body) => {
                            coefficients.push(factor);
                            ids.push(self.written(body, bindings)?);
                        }
                    }
                }
                Some(
                    self.record
                        .egraph
                        .add_uncanonical(Node::Sum(constant, coefficients, ids)),
                )
            }
            Term::Product(..) => {
                let (factor, body) = self.factor_of(term, bindings)?;
                let body = self.written(body?, bindings)?;
                let node = Node::Sum(
                    0,
                    SmallVec::from_slice(&[factor]),
                    SmallVec::from_slice(&[body]),
                );
                Some(self.record.egraph.add_uncanonical(node))
            }
            Term::Min(x, y) | Term::Max(x, y) => {
                let mut ids = SmallVec::new();
                for operand in [x, y] {
                    let sum = self.linear_of(operand, bindings)?;
                    ids.push(self.record.sum(&mut self.store, &sum));
                }
                let node = match term {
                    Term::Min(..) => Node::Min(ids),
                    _ => Node::Max(ids),
                };
                Some(self.record.egraph.add_uncanonical(node))
            }
            _ => {
                let sum = self.linear_of(term, bindings)?;
                Some(self.record.sum(&mut self.store, &sum))
            }
        }
    }

    /// `(factor, body)` of a summand; a body of `None` means that the summand is the integer
    /// `factor`.
    pub fn factor_of<'t>(
        &mut self,
        term: &'t Term,
        bindings: &Bindings,
    ) -> Option<(i64, Option<&'t Term>)> {
        if let Term::Product(x, y) = term {
            if let Some(factor) = self.constant_of(x, bindings) {
                let (inner, body) = self.factor_of(y, bindings)?;
                return Some((factor.checked_mul(inner)?, body));
            }
            let factor = self.constant_of(y, bindings)?;
            let (inner, body) = self.factor_of(x, bindings)?;
            return Some((factor.checked_mul(inner)?, body));
        }
        match term {
            Term::Integer(_) | Term::Constant(_) => Some((self.constant_of(term, bindings)?, None)),
            _ => Some((1, Some(term))),
        }
    }
}
