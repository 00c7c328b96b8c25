//! The e-graph of a map's results, to be looked at.
//!
//! It is seeded with the results as they are given, not with what the strategy finds, so that what is seen is
//! what the rules do alone. Bounds are small: a picture of a thousand nodes is not read.

use super::domains;
use super::options::{Effort, Options};
use super::simplifier::Simplifier;
use crate::expr::{Domain, IndexingMap};
use crate::simplify::saturate::{Limits, Picture, Saturation};
use crate::text::{Error, ErrorKind};

/// Most operations of the results of a map together.
const MAX_OPERATIONS: u64 = 200;

/// An e-graph in which rules fired.
#[derive(Clone, PartialEq, Debug)]
pub struct EGraph {
    /// What the variables range over: the domain of the map, simplified.
    pub domain: Domain,
    /// The classes.
    pub picture: Picture,
    /// Rounds of rewriting.
    pub rounds: usize,
    /// Nodes at the end, also those that are not shown.
    pub nodes: usize,
    /// The bound that ended the rewriting, if there was more to do.
    pub stopped: Option<&'static str>,
}

impl Simplifier {
    /// The e-graph in which the rules make the results of a map small, with so many nodes and unions at the most.
    /// They fire until nothing is new, all results are as small as can be, or a bound is met, which is the small
    /// one for [`Effort::Bounded`].
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if the map is, [`ErrorKind::Domain`] if it has no points, and
    /// [`ErrorKind::Overflow`] if 64 bits do not hold a coefficient.
    pub fn egraph(
        &self,
        map: &IndexingMap,
        options: &Options,
        most: usize,
    ) -> Result<EGraph, Error> {
        let operations = map.cost().ops;
        if operations > MAX_OPERATIONS {
            let message = format!(
                "the results have {operations} operations, more than the {MAX_OPERATIONS} of an e-graph"
            );
            return Err(Error::without_span(ErrorKind::TooLarge, message));
        }
        let fuel = options.fuel(map.domain().constraints().len());
        let domain = domains::simplify_domain(&self.program, map.domain(), &fuel, None).domain;
        if domain.is_known_empty() {
            let message = "the domain is empty: any two results are equal on it";
            return Err(Error::without_span(ErrorKind::Domain, message));
        }
        let overflow = || {
            let message = "a coefficient does not fit in 64 bits";
            Error::without_span(ErrorKind::Overflow, message)
        };
        let (rules, rewritings) = (self.program.rules(), self.program.rewritings());
        let bounds = domain.intervals().collect();
        let mut saturation = Saturation::new(rules, rewritings, bounds);
        saturation.note_unions();
        saturation.seeds_are_raw();
        let roots = map.results().iter().map(|result| saturation.add(result));
        let roots: Option<Vec<_>> = roots.collect();
        let roots = roots.ok_or_else(overflow)?;
        saturation.assume(&domain);
        let fuel = options.fuel(map.results().len() * limits(options.effort).rounds);
        let done = saturation.run(limits(options.effort), &fuel, |saturation| {
            roots.iter().all(|root| saturation.is_simplest(*root))
        });
        let picture = saturation.picture(&roots, most);
        Ok(EGraph {
            domain,
            picture: picture.map_err(|_| overflow())?,
            rounds: done.rounds,
            nodes: done.nodes,
            stopped: done.stopped,
        })
    }
}

fn limits(effort: Effort) -> Limits {
    match effort {
        Effort::Strategy => Limits::NONE,
        Effort::Bounded => Limits::of(60, 3, 2),
        Effort::Long | Effort::SaturationAlone => Limits::of(4_000, 10, 40),
    }
}
