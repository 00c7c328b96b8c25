//! The e-graph of a map: every rule that fired is a union in it, and the result is read out of it.
//!
//! Core nodes (sums over atoms, quotients) and form nodes (a sum as written, a remainder, a quotient
//! with terms absorbed) live in one [`egg::EGraph`]. The class of a value carries the smallest form
//! found for it as egg analysis data: a union keeps the smaller, `rebuild` carries an improvement to
//! everything above it. Extraction is then a look-up.

use super::engine::Engine;
use super::kernel::Bindings;
use super::linear::{AtomId, Linear};
use super::store::{Definition, Store, SumId};
use crate::expr::VariableId;
use crate::interval::Interval;
use crate::rule::{RuleId, Statement, Term};
use crate::saturate::{Form, FormRef};
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What a rule instance rewrites.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A sum.
    Sum(SumId),
    /// `of floordiv divisor`
    Quotient {
        /// Numerator.
        of: SumId,
        /// Divisor, at least 2.
        divisor: i64,
    },
    /// `of mod modulus`
    Remainder {
        /// What the remainder is taken of.
        of: SumId,
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
///
/// The search notes firings; unions are made when it is over, and only of firings that rewrite something
/// the e-graph holds. A firing on a sum that nothing leads to waits, mostly for ever.
#[derive(Default)]
pub struct Record {
    /// The e-graph.
    pub egraph: EGraph<Node, SmallestForm>,
    atoms: FxHashMap<AtomId, Id>,
    targets: FxHashMap<Target, Id>,
    /// Rule instances in the order in which they fired.
    pub firings: Vec<Firing>,
    /// How many of the firings have been sorted into those below.
    sorted: usize,
    /// Firings whose target is in the e-graph.
    ready: VecDeque<usize>,
    /// Firings whose target is not.
    waiting: FxHashMap<Target, Vec<usize>>,
}

impl Record {
    /// The class of an atom.
    pub fn atom(&mut self, store: &mut Store, atom: AtomId) -> Id {
        if let Some(id) = self.atoms.get(&atom) {
            return *id;
        }
        let id = match store.atom(atom).definition.clone() {
            Definition::Variable(id) => self
                .egraph
                .add_uncanonical(Node::Variable(id, store.atom(atom).range)),
            Definition::Quotient(numerator, divisor) => {
                let of = store.intern(&numerator);
                self.target(store, &Target::Quotient { of, divisor })
            }
            Definition::Least(of) => self.target(store, &Target::Lattice { of, least: true }),
            Definition::Greatest(of) => self.target(store, &Target::Lattice { of, least: false }),
        };
        self.atoms.insert(atom, id);
        id
    }

    /// The class of a sum.
    pub fn sum(&mut self, store: &mut Store, sum: &Linear) -> Id {
        let id = store.intern(sum);
        self.target(store, &Target::Sum(id))
    }

    /// The class of what a rule may rewrite; what is below it comes into the e-graph with it.
    pub fn target(&mut self, store: &mut Store, target: &Target) -> Id {
        if let Some(id) = self.targets.get(target) {
            return *id;
        }
        let id = match target {
            Target::Sum(sum) => {
                let sum = store.sum(*sum).clone();
                match sum.as_atom() {
                    Some(atom) => self.atom(store, atom),
                    None => {
                        let terms = sum.terms().iter();
                        let ids = terms.map(|(atom, _)| self.atom(store, *atom)).collect();
                        let coefficients = sum.terms().iter().map(|(_, c)| *c).collect();
                        self.egraph
                            .add_uncanonical(Node::Sum(sum.constant, coefficients, ids))
                    }
                }
            }
            Target::Quotient { of, divisor } => {
                let of = self.target(store, &Target::Sum(*of));
                self.egraph.add_uncanonical(Node::FloorDiv(*divisor, [of]))
            }
            Target::Remainder { of, modulus } => {
                let of = self.target(store, &Target::Sum(*of));
                self.egraph.add_uncanonical(Node::Mod(*modulus, [of]))
            }
            Target::Lattice { of, least } => {
                let of = of.iter().map(|x| self.sum(store, x)).collect();
                let node = if *least { Node::Min(of) } else { Node::Max(of) };
                self.egraph.add_uncanonical(node)
            }
        };
        self.targets.insert(target.clone(), id);
        self.ready
            .extend(self.waiting.remove(target).into_iter().flatten());
        id
    }

    /// Restores congruence, and with it the smallest forms. egg times this; the first time that a process
    /// asks for the time its clock is calibrated for up to 200 ms, so it is shown one that stands still.
    fn rebuild(&mut self) {
        let (still, _) = quanta::Clock::mock();
        quanta::with_clock(&still, || self.egraph.rebuild());
    }

    /// The next firing that is to become a union.
    fn next_ready(&mut self, store: &mut Store) -> Option<usize> {
        for position in self.sorted..self.firings.len() {
            let firing = &self.firings[position];
            let target = &firing.target;
            if self.targets.contains_key(target) {
                self.ready.push_back(position);
                continue;
            }
            if let Some(result) = &firing.result {
                let result = Target::Sum(store.intern(result));
                if self.targets.contains_key(&result) {
                    self.ready.push_back(position);
                    continue;
                }
                self.waiting.entry(result).or_default().push(position);
            }
            self.waiting
                .entry(target.clone())
                .or_default()
                .push(position);
        }
        self.sorted = self.firings.len();
        self.ready.pop_front()
    }
}

impl Engine<'_> {
    /// Notes that a rule fired: the target equals the normal form `result`.
    pub fn record(&mut self, rule: RuleId, bindings: Bindings, target: Target, result: &Linear) {
        self.note(rule, &bindings);
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
        self.record.firings.push(Firing {
            rule,
            bindings,
            target,
            result: None,
        });
    }

    /// Makes unions of the firings that rewrite what the e-graph holds. Nothing looks into it before the
    /// search is over, and for results with one floordiv or mod at most nothing ever does. Beyond `max_nodes` nodes no more are made, and the outcome says so.
    pub fn make_unions(&mut self, max_nodes: usize) {
        while let Some(position) = self.record.next_ready(&mut self.store) {
            if self.record.egraph.total_size() > max_nodes {
                self.stop("e-graph nodes");
                break;
            }
            let firing = self.record.firings[position].clone();
            let lhs = self.record.target(&mut self.store, &firing.target);
            let rules = self.rules;
            let rhs = match (&firing.result, &rules.rule(firing.rule).statement) {
                (Some(result), _) => Some(self.record.sum(&mut self.store, result)),
                (None, Statement::Rewrite(_, rhs)) => self.written(rhs, &firing.bindings),
                (None, _) => None,
            };
            if let Some(rhs) = rhs {
                self.record.egraph.union(lhs, rhs);
            }
        }
        self.record.rebuild();
    }

    /// The class of a term as it is written: its quotients and remainders are nodes of their own.
    fn written(&mut self, term: &Term, bindings: &Bindings) -> Option<Id> {
        match term {
            Term::FloorDiv(x, c) => {
                let (of, divisor) = (self.linear_of(x, bindings)?, self.constant_of(c, bindings)?);
                let of = self.store.intern(&of);
                let target = Target::Quotient { of, divisor };
                Some(self.record.target(&mut self.store, &target))
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
