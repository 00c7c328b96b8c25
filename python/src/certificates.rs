//! Certificates of simplified maps, and their replay.

use crate::errors::{about, undecided, wrong};
use crate::map::IndexMap;
use crate::means::simplifier;
use crate::work::run;
use affinor::certificate::{Certificate, RejectionKind, replay_within};
use affinor::simplify::Certified;
use affinor::text::ErrorKind;
use pyo3::prelude::*;

/// Implements `IndexMap.certificate`.
pub fn certificate(certified: &Certified) -> PyResult<String> {
    certified.verdict.clone().map_err(undecided)?;
    let rules = simplifier()?.rules();
    let json = serde_json::to_string(&certified.certificate.with_rules(rules));
    json.map_err(|error| wrong(ErrorKind::Internal, error.to_string()))
}

/// Returns the two maps that a certificate proves to be the same function; an invalid certificate is an Error.
#[pyfunction]
pub fn replay(py: Python<'_>, certificate: &str) -> PyResult<(IndexMap, IndexMap)> {
    let rules = simplifier()?.rules();
    let read =
        Certificate::from_json(certificate, rules).map_err(|error| about(certificate, error))?;
    let verdict = run(py, |interrupt| replay_within(&read, rules, &read.fuel(interrupt)))?;
    match verdict {
        Ok(()) => Ok((IndexMap(read.before), IndexMap(read.after))),
        Err(rejection) if rejection.kind == RejectionKind::Stopped => Err(undecided(rejection)),
        Err(rejection) => Err(wrong(ErrorKind::Rule, rejection.to_string())),
    }
}
