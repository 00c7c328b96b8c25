//! A simplifier that keeps its outcomes: the layers of a model have the same maps again and again.
//!
//! Law: the outcomes, and the firings counted, are those of the simplifier.

use super::options::Options;
use super::simplifier::{Outcome, Simplifier};
use crate::expr::IndexingMap;
use rustc_hash::FxHashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Most outcomes that are kept; then all are forgotten.
const KEPT: usize = 20_000;

/// A simplifier with its options, shared by threads.
#[derive(Debug)]
pub struct Memo {
    simplifier: Simplifier,
    options: Options,
    known: RwLock<FxHashMap<IndexingMap, Arc<Outcome>>>,
}

impl Memo {
    /// Creates one that knows no outcome.
    #[must_use]
    pub fn new(simplifier: Simplifier, options: Options) -> Memo {
        Memo { simplifier, options, known: RwLock::default() }
    }

    /// [`Simplifier::simplify`]
    #[must_use]
    pub fn simplify(&self, map: &IndexingMap) -> Arc<Outcome> {
        // A lock that a panic left behind guards a table that is never half changed.
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
