//! Which firings connect what was given with what was extracted.
//!
//! Every union that a rule made is an edge between two nodes of the e-graph. The steps of a result
//! are the edges on paths from the node that stands for the given expression to the nodes that
//! were extracted, class by class; where two nodes are equal because their children are, the
//! children are followed.

use super::engine::Engine;
use super::form::FormRef;
use super::record::{Node, Reason};
use egg::{Id, Language};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Collects the firings that connect nodes.
pub struct Used {
    /// By node: the node at the other end, and the position of the edge.
    edges: BTreeMap<Id, Vec<(Id, usize)>>,
    /// Nodes that are equal because their children are: one group for each canonical node.
    congruent: BTreeMap<Node, Vec<Id>>,
    members: BTreeMap<Id, Vec<Id>>,
    visited_pairs: BTreeSet<(Id, Id)>,
    visited_classes: BTreeSet<Id>,
    /// Positions among the firings.
    pub firings: BTreeSet<usize>,
}

/// How one node of a path was reached from the one before.
#[derive(Clone, Copy)]
enum Hop {
    Edge(usize),
    Congruence,
}

impl Used {
    /// Nothing yet, of this e-graph.
    pub fn new(engine: &Engine<'_>) -> Used {
        let egraph = &engine.record.egraph;
        let mut edges: BTreeMap<Id, Vec<(Id, usize)>> = BTreeMap::new();
        for (position, (x, y, _)) in engine.record.edges.iter().enumerate() {
            edges.entry(*x).or_default().push((*y, position));
            edges.entry(*y).or_default().push((*x, position));
        }
        let mut congruent: BTreeMap<Node, Vec<Id>> = BTreeMap::new();
        let mut members: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for (index, node) in egraph.nodes().iter().enumerate() {
            let id = Id::from(index);
            members.entry(egraph.find(id)).or_default().push(id);
            congruent
                .entry(node.clone().map_children(|child| egraph.find(child)))
                .or_default()
                .push(id);
        }
        Used {
            edges,
            congruent,
            members,
            visited_pairs: BTreeSet::new(),
            visited_classes: BTreeSet::new(),
            firings: BTreeSet::new(),
        }
    }

    /// Adds the firings on a path between two nodes of one class. Paths over rules are preferred to
    /// those over cancelled quotients, which tell less.
    pub fn path(&mut self, engine: &Engine<'_>, from: Id, to: Id) {
        let egraph = &engine.record.egraph;
        if from == to
            || !self.visited_pairs.insert((from, to))
            || egraph.find(from) != egraph.find(to)
        {
            return;
        }
        let hops = self
            .hops(engine, from, to, false)
            .or_else(|| self.hops(engine, from, to, true));
        for (before, after, hop) in hops.unwrap_or_default() {
            match hop {
                Hop::Congruence => {
                    let nodes = egraph.nodes();
                    let (x, y) = (&nodes[usize::from(before)], &nodes[usize::from(after)]);
                    for (x, y) in x.children().iter().zip(y.children()) {
                        self.path(engine, *x, *y);
                    }
                }
                Hop::Edge(position) => match &engine.record.edges[position].2 {
                    Reason::Rule(firing) => {
                        self.firings.insert(*firing);
                    }
                    Reason::Sum(pairs) => pairs.iter().for_each(|(x, y)| self.path(engine, *x, *y)),
                    Reason::Rules(firings, pairs) => {
                        self.firings.extend(firings);
                        pairs.iter().for_each(|(x, y)| self.path(engine, *x, *y));
                    }
                    Reason::Cancellation => {}
                },
            }
        }
    }

    /// A shortest path, with or without edges that stand for cancelled quotients.
    fn hops(
        &self,
        engine: &Engine<'_>,
        from: Id,
        to: Id,
        cancellations: bool,
    ) -> Option<Vec<(Id, Id, Hop)>> {
        let egraph = &engine.record.egraph;
        let mut previous: BTreeMap<Id, (Id, Hop)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            if id == to {
                break;
            }
            let edges = self.edges.get(&id).map_or(&[][..], Vec::as_slice).iter();
            let edges = edges
                .filter(|(_, position)| {
                    cancellations || engine.record.edges[*position].2 != Reason::Cancellation
                })
                .map(|(next, position)| (*next, Hop::Edge(*position)));
            let node = egraph.nodes()[usize::from(id)]
                .clone()
                .map_children(|child| egraph.find(child));
            let equal = self
                .congruent
                .get(&node)
                .map_or(&[][..], Vec::as_slice)
                .iter();
            for (next, hop) in edges.chain(equal.map(|next| (*next, Hop::Congruence))) {
                if next != from && !previous.contains_key(&next) {
                    previous.insert(next, (id, hop));
                    queue.push_back(next);
                }
            }
        }
        let mut hops = Vec::new();
        let mut at = to;
        while at != from {
            let (before, hop) = previous.get(&at).copied()?;
            hops.push((before, at, hop));
            at = before;
        }
        hops.reverse();
        Some(hops)
    }

    /// Adds the firings that connect a node to the node that was extracted for its class, the one of
    /// `form` if it has it, and so on below that.
    pub fn extraction(&mut self, engine: &Engine<'_>, entry: Id, form: Option<&FormRef>) {
        let egraph = &engine.record.egraph;
        let class = egraph.find(entry);
        let member_with = |form: &FormRef| {
            let members = self.members.get(&class)?;
            members.iter().copied().find(|id| {
                let node = &egraph.nodes()[usize::from(*id)];
                engine.record.form_of_node(node).as_ref() == Some(form)
            })
        };
        let chosen = form
            .and_then(member_with)
            .or_else(|| egraph[class].data.as_ref().and_then(member_with));
        let Some(chosen) = chosen else { return };
        self.path(engine, entry, chosen);
        if self.visited_classes.insert(class) {
            for child in egraph.nodes()[usize::from(chosen)].children().to_vec() {
                self.extraction(engine, child, None);
            }
        }
    }
}
