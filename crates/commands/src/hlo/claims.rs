//! Turns the derivation of a map into a claim with a certificate, which has been replayed.
//!
//! Law: results of the maps of a claim beyond the indices of the element read are the indices of the remaining runtime variables:
//! for a composition, first those of the second map, then those of the first.

use affinor::certificate::{Certificate, Claim, Reads};
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::num::Interrupt;
use affinor::simplify::{Certified, Options, Simplifier};
use affinor_ops::indexing::{Derivation, OperandMap, RuntimeVariable, with_indices};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The maximal number of maps whose certificates are cached; the cache is cleared when it is full.
const KEPT: usize = 20_000;

/// A search for certificates that caches them by map.
pub struct Claims {
    simplifier: Simplifier,
    options: Options,
    known: FxHashMap<IndexingMap, Arc<Certified>>,
}

impl Claims {
    /// Creates a search with an empty cache.
    pub fn new(simplifier: Simplifier, options: Options) -> Claims {
        Claims { simplifier, options, known: FxHashMap::default() }
    }

    /// Returns the simplifier, whose rules the steps name.
    pub fn simplifier(&self) -> &Simplifier {
        &self.simplifier
    }

    /// Returns the interrupt of the search.
    pub fn interrupt(&self) -> &Interrupt {
        &self.options.interrupt
    }

    /// Returns the claim that a map follows, or why it has no certificate.
    pub fn of(&mut self, derivation: &Derivation) -> Result<Claim, String> {
        let whole = with_indices(&derivation.whole);
        let certified = self.certified(&whole);
        if let Err(rejection) = &certified.verdict {
            return Err(format!("the steps of the simplifier do not replay: {rejection}"));
        }
        let found = &certified.certificate;
        if found.after != derivation.simplified {
            return Err("with a certificate, the map is simplified to another one".to_owned());
        }
        let claim = match &derivation.left {
            None => nowhere(found, derivation),
            Some(left) => leading_to(left, found, derivation),
        };
        let claim = claim.ok_or("its parts cannot be written")?;
        match claim.replay(self.simplifier.rules(), &claim.fuel(&self.options.interrupt)) {
            Ok(_) => Ok(claim),
            Err(rejection) => Err(format!("the certificate does not replay: {rejection}")),
        }
    }

    fn certified(&mut self, map: &IndexingMap) -> Arc<Certified> {
        if let Some(known) = self.known.get(map) {
            return known.clone();
        }
        let certified = Arc::new(self.simplifier.certify(map, &self.options));
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(map.clone(), certified.clone());
        certified
    }
}

/// Returns the claim that a map is defined nowhere.
fn nowhere(found: &Certificate, derivation: &Derivation) -> Option<Claim> {
    let count = derivation.whole.map.results().len();
    let only = |map: &IndexingMap| with_results(map, |results| results.take(count).collect());
    let (domain, results) = only(&found.after).into_parts();
    let mut empty: Domain = domain;
    empty.make_empty();
    let after = IndexingMap::new(empty, results);
    let certificate = Certificate { before: only(&found.before), after, ..found.clone() };
    let composition = derivation.composition.as_ref();
    let composition = composition.map(|parts| parts.clone().map(|part| part.map));
    Some(Claim { composition, ..certificate.into() })
}

/// Returns the claim that `left`, the map that remains after simplification, follows.
fn leading_to(left: &OperandMap, found: &Certificate, derivation: &Derivation) -> Option<Claim> {
    let whole = &derivation.whole;
    // Of the variables that are merged into one of `left`, the first one provides its index.
    let stays = |runtime: &RuntimeVariable| -> bool {
        let image = |variable: &RuntimeVariable| {
            derivation.variables.get(variable.variable.index()).copied().flatten()
        };
        let own = image(runtime);
        let first = whole.runtime.iter().find(|other| image(other) == own);
        own.is_some() && first.is_some_and(|first| first.variable == runtime.variable)
    };
    let stay: Vec<bool> = whole.runtime.iter().map(stays).collect();
    let of_first = derivation.composition.as_ref().map_or(0, |[first, _]| first.runtime.len());
    // The variables of the second map come first.
    let order: Vec<usize> = (of_first..stay.len()).chain(0..of_first).collect();
    let kept = order.iter().copied().filter(|number| stay.get(*number) == Some(&true));
    let kept: Vec<usize> = kept.collect();
    let count = whole.map.results().len();
    let places: Vec<usize> = {
        let mut ends = vec![count];
        for runtime in &whole.runtime {
            ends.push(ends.last()? + runtime.index.len());
        }
        let of_kept = kept.iter().flat_map(|number| ends[*number]..ends[*number + 1]);
        (0..count).chain(of_kept).collect()
    };
    let chosen = |map: &IndexingMap| -> Option<IndexingMap> {
        let results: Option<Vec<Expr>> =
            places.iter().map(|place| map.results().get(*place).cloned()).collect();
        Some(IndexingMap::new(map.domain().clone(), results?))
    };
    let indices = |map: &OperandMap, numbers: &[usize]| -> IndexingMap {
        let indices = numbers.iter().filter_map(|number| map.runtime.get(*number));
        let indices: Vec<Expr> = indices.flat_map(|x| x.index.iter().cloned()).collect();
        with_results(&map.map, |results| results.chain(indices).collect())
    };
    let composition = derivation.composition.as_ref().map(|[first, second]| {
        let (of_second, rest): (Vec<usize>, Vec<usize>) =
            kept.iter().partition(|number| **number >= of_first);
        let of_second: Vec<usize> = of_second.iter().map(|number| number - of_first).collect();
        [indices(first, &rest), indices(second, &of_second)]
    });
    let is_left = |number: &usize| {
        let variable = whole.runtime.get(*number)?.variable;
        let image = derivation.variables.get(variable.index()).copied().flatten()?;
        left.runtime.iter().position(|runtime| runtime.variable == image)
    };
    let of_left = kept.iter().map(is_left).collect::<Option<Vec<usize>>>()?;
    let certificate = Certificate {
        before: chosen(&found.before)?,
        after: chosen(&found.after)?,
        ..found.clone()
    };
    let reads = Reads { map: indices(left, &of_left), variables: derivation.variables.clone() };
    let is_all = reads.map == certificate.after;
    Some(Claim { composition, reads: (!is_all).then_some(reads), ..certificate.into() })
}

fn with_results(
    map: &IndexingMap,
    make: impl FnOnce(std::iter::Cloned<std::slice::Iter<'_, Expr>>) -> Vec<Expr>,
) -> IndexingMap {
    IndexingMap::new(map.domain().clone(), make(map.results().iter().cloned()))
}
