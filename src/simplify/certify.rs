//! Results with certificates.

use super::options::Options;
use super::simplifier::{Instances, Outcome, Simplifier};
use crate::certificate::{Certificate, Rejection, Step, chain, sliced, unchecked};
use crate::expr::IndexingMap;

/// A result with its certificate and the verdict of the replayer.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The outcome of [`Simplifier::simplify`].
    pub outcome: Outcome,
    /// The derivation of the result: only the needed steps if it replays, else all.
    pub certificate: Certificate,
    /// Whether the certificate replays.
    pub verdict: Result<(), Rejection>,
}

impl Simplifier {
    /// Simplifies as [`Simplifier::simplify`], with a certificate that the result equals the given map. The certificate
    /// has been replayed; a rejection is not expected, and is reported.
    #[must_use]
    pub fn certify(&self, map: &IndexingMap, options: &Options) -> Certified {
        let mut instances = Some(Instances::default());
        let outcome = self.run(map, options, &mut instances);
        let instances = instances.unwrap_or_default();
        let mut whole = Certificate {
            before: map.clone(),
            after: outcome.map.clone(),
            domain_steps: instances.of_domain,
            result_steps: instances.of_results,
        };
        let fuel = whole.fuel(&options.interrupt);
        let mut found = sliced(&whole, self.rules(), &fuel);
        if found.is_err() {
            // Bounds that follow from several constraints are in no step. With them the values may be seen to be the same.
            let pairs = map.results().iter().zip(outcome.map.results());
            whole.result_steps.extend(pairs.filter_map(|(x, y)| self.equality_of(x, y)));
            let fuel = whole.fuel(&options.interrupt);
            found = sliced(&whole, self.rules(), &fuel);
        }
        let (certificate, verdict) = match found {
            Ok(certificate) => (certificate, Ok(())),
            Err(rejection) => (whole, Err(rejection)),
        };
        Certified { outcome, certificate, verdict }
    }

    /// A certificate that two maps on one domain are equal: the steps of both to their simplified forms. It has been
    /// replayed. `None` if the domains differ as written, the results do not meet, or it does not replay.
    #[must_use]
    pub fn certify_equal(
        &self,
        left: &IndexingMap,
        right: &IndexingMap,
        options: &Options,
    ) -> Option<Certificate> {
        if left.domain() != right.domain() {
            return None;
        }
        let mut of_both = Instances::default();
        let mut met: Option<IndexingMap> = None;
        for map in [left, right] {
            let mut instances = Some(Instances::default());
            let outcome = self.run(map, options, &mut instances);
            of_both.of_results.extend(instances.unwrap_or_default().of_results);
            if met.is_some_and(|met| met.results() != outcome.map.results()) {
                return None;
            }
            met = Some(outcome.map);
        }
        let whole = Certificate {
            before: left.clone(),
            after: right.clone(),
            domain_steps: Vec::new(),
            result_steps: of_both.of_results,
        };
        let fuel = whole.fuel(&options.interrupt);
        sliced(&whole, self.rules(), &fuel).ok()
    }

    /// Reconstructs the steps from the given map to the result as a chain in which each line equals the one before
    /// ([`chain`]). If the certificate does not replay, or the chain takes too much work, returns its claim and the
    /// rules it names.
    #[must_use]
    pub fn steps(&self, certified: &Certified, options: &Options) -> Vec<Step> {
        let Certified { certificate, verdict, .. } = certified;
        let fuel = certificate.fuel(&options.interrupt);
        let told = verdict.as_ref().ok().and_then(|()| chain(certificate, self.rules(), &fuel));
        told.unwrap_or_else(|| unchecked(certificate, self.rules()))
    }
}
