//! Results with certificates.

use super::{Budget, Instances, Outcome, Simplifier, Wanted};
use crate::certificate::{Certificate, Rejection, sliced};
use crate::map::IndexingMap;

/// A result, its certificate, and what the replayer says of it.
#[derive(Clone, Debug)]
pub struct Certified {
    /// As [`Simplifier::simplify`] gives it.
    pub outcome: Outcome,
    /// The steps that lead to the result: those that are needed, if it holds, and otherwise all.
    pub certificate: Certificate,
    /// Does the certificate hold?
    pub verdict: Result<(), Rejection>,
}

impl Simplifier {
    /// As [`Simplifier::simplify`], with a certificate that the result equals the given map. It has been
    /// replayed; that it should be rejected is not expected, and no secret.
    #[must_use]
    pub fn certify(&self, map: &IndexingMap, budget: &Budget) -> Certified {
        let mut wanted = Wanted {
            instances: Some(Instances::default()),
            ..Wanted::default()
        };
        let outcome = self.run(map, budget, &mut wanted);
        let instances = wanted.instances.unwrap_or_default();
        let whole = Certificate {
            before: map.clone(),
            after: outcome.map.clone(),
            domain_steps: instances.of_domain,
            result_steps: instances.of_results,
        };
        let (certificate, verdict) = match sliced(&whole, self.rules()) {
            Ok(certificate) => (certificate, Ok(())),
            Err(rejection) => (whole, Err(rejection)),
        };
        Certified {
            outcome,
            certificate,
            verdict,
        }
    }
}
