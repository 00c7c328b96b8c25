//! The e-graph of a map's results, for display.
//!
//! It is seeded with the results as given, not with those of the strategy, to show the effect of the rules alone. Limits are
//! small, since a picture of a thousand nodes is unreadable.

use super::domains;
use super::options::{Effort, Options};
use super::simplifier::Simplifier;
use crate::expr::{Domain, IndexingMap};
use crate::simplify::saturate::{Limits, Picture, Saturation};
use crate::text::{Error, ErrorKind};

/// Maximum number of operations in all results of a map.
const MAX_OPERATIONS: u64 = 200;

/// An e-graph after rewriting.
#[derive(Clone, PartialEq, Debug)]
pub struct EGraph {
    /// The simplified domain of the map.
    pub domain: Domain,
    /// The e-classes.
    pub picture: Picture,
    /// Rounds of rewriting.
    pub rounds: usize,
    /// Number of e-nodes at the end, including those not shown.
    pub nodes: usize,
    /// The limit that stopped the rewriting before saturation, if any.
    pub stopped: Option<&'static str>,
}

impl Simplifier {
    /// Rewrites the results of a map in an e-graph, and shows at most `most` nodes and unions. Rewriting stops at saturation,
    /// when all results are as small as possible, or at a limit, which is small for [`Effort::Bounded`].
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
        let domain =
            domains::simplify_domain(&self.program, map.domain(), &[], (&fuel, false), None).domain;
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
        let roots = map.results().iter().map(|result| saturation.add(result));
        let roots: Option<Vec<_>> = roots.collect();
        let roots = roots.ok_or_else(overflow)?;
        saturation.assume(&domain);
        let fuel = options.fuel(map.results().len() * limits(options.effort).rounds);
        let done = saturation.run(limits(options.effort), &fuel, &|_| false, |saturation| {
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
        Effort::Bounded => Limits::of(60, 3, 2).with_all_rules(),
        Effort::Long | Effort::SaturationAlone => Limits::of(4_000, 10, 40).with_all_rules(),
    }
}
