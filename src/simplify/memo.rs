//! A simplifier that caches its outcomes: the layers of a model repeat the same maps.
//!
//! Law: the outcomes, and the firings counted, are those of the simplifier.

use super::options::Options;
use super::simplifier::{Outcome, Simplifier};
use crate::expr::IndexingMap;
use rustc_hash::FxHashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Maximum number of cached outcomes; then the cache is cleared.
const KEPT: usize = 20_000;

/// A simplifier with its options, shared by threads.
#[derive(Debug)]
pub struct Memo {
    simplifier: Simplifier,
    options: Options,
    known: RwLock<FxHashMap<IndexingMap, Arc<Outcome>>>,
}

impl Memo {
    /// Creates a simplifier with an empty cache.
    #[must_use]
    pub fn new(simplifier: Simplifier, options: Options) -> Memo {
        Memo { simplifier, options, known: RwLock::default() }
    }

    /// [`Simplifier::simplify`]
    #[must_use]
    pub fn simplify(&self, map: &IndexingMap) -> Arc<Outcome> {
        // A lock poisoned by a panic guards a table that is always consistent.
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(map).cloned();
        drop(known);
        if let Some(outcome) = found {
            self.simplifier.count(&outcome.firings);
            return outcome;
        }
        let outcome = Arc::new(self.simplifier.simplify(map, &self.options));
        if !self.options.interrupt.is_triggered() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= KEPT {
                known.clear();
            }
            known.insert(map.clone(), outcome.clone());
        }
        outcome
    }
}
