//! Checks that a simplified map is the same function as the given one, by the prover or by a certificate.

use crate::failure::{Failure, stopped};
use crate::output::{Object, Role, Status, Text};
use crate::table::Call;
use crate::verdict::{counterexample, reason, verdict_status, verdict_text};
use crate::words::count as counted;
use crate::words::nanoseconds;
use affinor::certificate::RejectionKind;
use affinor::expr::{Domain, IndexingMap, VariableKind};
use affinor::prove::{self, Reason, Verdict};
use affinor::rule::RuleSet;
use affinor::simplify::{Certified, Options, Simplifier};
use affinor::text::Error;
use serde_json::Value;
use std::time::Duration;

impl Call<'_> {
    /// Returns the checker for results.
    ///
    /// # Errors
    /// If the shipped rules do not load.
    pub fn checker(&self) -> Result<Checker, Failure> {
        Ok(Checker {
            simplifier: self.simplifier()?,
            budget: self.proof_budget(),
            clock: self.host.cpu_clock(),
        })
    }
}

/// A checker for results, which may be shared between threads.
pub struct Checker {
    simplifier: Simplifier,
    budget: prove::Budget,
    clock: fn() -> Duration,
}

impl Checker {
    /// Returns the number of steps of a certificate for exactly this result, if it replays.
    fn steps_of_certificate(
        &self,
        options: &Options,
        given: &IndexingMap,
        result: &IndexingMap,
    ) -> Option<usize> {
        let certified = self.simplifier.certify(given, options);
        let holds = certified.verdict.is_ok() && certified.certificate.after == *result;
        holds.then(|| certified.certificate.steps().count())
    }
}

/// The result of a check.
pub struct Check {
    verdict: Verdict,
    /// The number of steps of the certificate that proves it, if the prover did not.
    certificate: Option<usize>,
    nanoseconds: u64,
}

impl Check {
    /// Runs the prover. If that is inconclusive, a certificate for the same result that replays is a proof. For a map with
    /// parameters the certificate is tried first, since the prover is slower there and decides less. The options are those of the
    /// simplification, since others may produce another result.
    ///
    /// # Errors
    /// Interruption.
    pub fn of(
        checker: &Checker,
        options: &Options,
        given: &IndexingMap,
        result: &IndexingMap,
    ) -> Result<Check, Error> {
        let start = (checker.clock)();
        let has_parameters = given.domain().count(VariableKind::Parameter) > 0;
        let mut certificate = match has_parameters {
            true => checker.steps_of_certificate(options, given, result),
            false => None,
        };
        let mut verdict = match certificate {
            Some(_) => Verdict::Proved,
            None => prove::equal_functions(given, result, &checker.budget)?,
        };
        if matches!(verdict, Verdict::Unknown(Reason::Interrupted)) {
            return Err(stopped());
        }
        if matches!(verdict, Verdict::Unknown(_)) && !has_parameters {
            certificate = checker.steps_of_certificate(options, given, result);
            if certificate.is_some() {
                verdict = Verdict::Proved;
            }
        }
        let elapsed = (checker.clock)().saturating_sub(start);
        Ok(Check { verdict, certificate, nanoseconds: nanoseconds(elapsed) })
    }

    /// Returns the exit status of a run with this check.
    #[must_use]
    pub fn status(&self) -> Status {
        verdict_status(&self.verdict)
    }
}

/// Adds `check`, `check_ns` and `counterexample` to an answer, and `check_by` if the proof is a certificate.
pub fn check_object(json: Object, check: &Check, domain: &Domain) -> Object {
    json.with("check", check.verdict.word())
        .with("check_ns", check.nanoseconds)
        .with_some("check_by", check.certificate.map(|_| "certificate"))
        .with_some("counterexample", counterexample(&check.verdict, domain))
        .with_some("check_reason", reason(&check.verdict))
}

/// Describes a check in words.
pub fn check_text(check: &Check, domain: &Domain) -> Text {
    let mut text = verdict_text(&check.verdict, domain);
    if matches!(check.verdict, Verdict::Proved) {
        text.push(Role::Plain, " equal to the input");
        if let Some(count) = check.certificate {
            text.push(Role::Plain, format!(" by a certificate of {}", counted(count, "step")));
        }
    }
    text
}

/// Adds `certificate` to an answer, and `certificate_rejected` if it does not replay.
pub fn certified_object(json: Object, certified: &Certified, rules: &RuleSet) -> Object {
    let rejection = certified.verdict.as_ref().err();
    json.with("certificate", certified.certificate.with_rules(rules))
        .with_some("certificate_rejected", rejection)
}

/// Returns a certificate as a line of JSON, below the map that it is about.
pub fn certified_text(certified: &Certified, rules: &RuleSet) -> Text {
    let json = Value::from(Object::nested().and(certified.certificate.with_rules(rules)));
    let text = Text::new().plain(format!("\n{json}"));
    match &certified.verdict {
        Ok(()) => text,
        Err(rejection) => {
            let what = match rejection.kind {
                RejectionKind::Stopped => "not checked",
                _ => "rejected",
            };
            let remark = format!("\nthe certificate is {what}: {rejection}");
            text.with(Role::Doubtful, remark)
        }
    }
}

/// Returns the exit status: a certificate that does not replay leaves equality undecided.
pub fn certified_status(certified: &Certified) -> Status {
    match certified.verdict {
        Ok(()) => Status::Done,
        Err(_) => Status::Undecided,
    }
}
