//! Results with certificates.

use super::options::Options;
use super::simplifier::{Instances, Outcome, Simplifier};
use crate::certificate::{Certificate, Rejection, Step, chain, sliced, unchecked};
use crate::expr::IndexingMap;

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
    pub fn certify(&self, map: &IndexingMap, options: &Options) -> Certified {
        let mut instances = Some(Instances::default());
        let outcome = self.run(map, options, &mut instances);
        let instances = instances.unwrap_or_default();
        let whole = Certificate {
            before: map.clone(),
            after: outcome.map.clone(),
            domain_steps: instances.of_domain,
            result_steps: instances.of_results,
        };
        let fuel = whole.fuel(&options.interrupt);
        let (certificate, verdict) = match sliced(&whole, self.rules(), &fuel) {
            Ok(certificate) => (certificate, Ok(())),
            Err(rejection) => (whole, Err(rejection)),
        };
        Certified {
            outcome,
            certificate,
            verdict,
        }
    }

    /// The steps from the given map to the result, reconstructed from the certificate: a chain in which each
    /// line equals the one before ([`chain`]). Where the certificate does not hold, or to tell it is too much
    /// work, they are the claim of the certificate and the rules it names.
    #[must_use]
    pub fn steps(&self, certified: &Certified, options: &Options) -> Vec<Step> {
        let Certified {
            certificate,
            verdict,
            ..
        } = certified;
        let fuel = certificate.fuel(&options.interrupt);
        let told = verdict
            .as_ref()
            .ok()
            .and_then(|()| chain(certificate, self.rules(), &fuel));
        told.unwrap_or_else(|| unchecked(certificate, self.rules()))
    }
}
