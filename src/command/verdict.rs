//! How commands ask the prover, and how they show what it says.

use super::certificate::certificate_object;
use super::failure::{Failure, stopped};
use super::output::{Object, Role, Status, Text};
use super::replay::{rejection_object, steps};
use super::session::Call;
use crate::error::Error;
use crate::map::{Domain, IndexingMap};
use crate::prove::{self, Counterexample, Reason, Verdict};
use crate::rule::RuleSet;
use crate::simplify::{Budget, Certified, Simplifier};
use serde_json::Value;
use std::time::Duration;

impl Call<'_> {
    /// A verdict, unless the user asked the command to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`](crate::error::ErrorKind::Interrupted).
    pub fn uninterrupted<W>(&self, verdict: Verdict<W>) -> Result<Verdict<W>, Failure> {
        match verdict {
            Verdict::Unknown(Reason::Interrupted) => Err(self.interrupted()),
            verdict => Ok(verdict),
        }
    }

    /// What checks results need.
    ///
    /// # Errors
    /// When the shipped rules do not load, or `--steps` is no positive integer.
    pub fn checker(&self) -> Result<Checker, Failure> {
        Ok(Checker {
            simplifier: self.simplifier()?,
            search: self.search_budget()?,
            budget: self.proof_budget(),
            clock: self.host.cpu_clock(),
        })
    }

    /// The bounds on a proof that a command asks for.
    #[must_use]
    pub fn proof_budget(&self) -> prove::Budget {
        prove::Budget {
            interrupt: Some(self.host.interrupt()),
            ..prove::Budget::default()
        }
    }
}

/// What checks results: it may be shared between threads.
pub struct Checker {
    simplifier: Simplifier,
    search: Budget,
    budget: prove::Budget,
    clock: fn() -> Duration,
}

/// Is a simplified map the same function as the given one?
pub struct Check {
    verdict: Verdict,
    /// The number of steps of the certificate that proves it, where the prover did not.
    certificate: Option<usize>,
    nanoseconds: u64,
}

impl Check {
    /// Asks the prover. Where it does not know, a certificate for the very same result that replays is a
    /// proof.
    ///
    /// # Errors
    /// When the user stops it.
    pub fn of(
        checker: &Checker,
        given: &IndexingMap,
        result: &IndexingMap,
    ) -> Result<Check, Error> {
        let start = (checker.clock)();
        let mut verdict = prove::equal_functions(given, result, &checker.budget)?;
        if matches!(verdict, Verdict::Unknown(Reason::Interrupted)) {
            return Err(stopped());
        }
        let mut certificate = None;
        if matches!(verdict, Verdict::Unknown(_)) {
            let certified = checker.simplifier.certify(given, &checker.search);
            if certified.verdict.is_ok() && certified.certificate.after == *result {
                verdict = Verdict::Proved;
                certificate = Some(certified.certificate.steps().count());
            }
        }
        let elapsed = (checker.clock)().saturating_sub(start);
        Ok(Check {
            verdict,
            certificate,
            nanoseconds: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        })
    }

    /// What a run with this check reports.
    #[must_use]
    pub fn status(&self) -> Status {
        verdict_status(&self.verdict)
    }
}

/// Adds `check`, `check_ns` and `counterexample` to an answer, and `check_by` if it was no solver.
#[must_use]
pub fn check_object(json: Object, check: &Check, domain: &Domain) -> Object {
    json.with("check", verdict_word(&check.verdict))
        .with("check_ns", check.nanoseconds)
        .with_some("check_by", check.certificate.map(|_| "certificate"))
        .with_some("counterexample", counterexample(&check.verdict, domain))
        .with_some("check_reason", reason(&check.verdict))
}

/// A check in words.
#[must_use]
pub fn check_text(check: &Check, domain: &Domain) -> Text {
    let mut text = verdict_text(&check.verdict, domain);
    if matches!(check.verdict, Verdict::Proved) {
        text.push(Role::Plain, " equal to the input");
        if let Some(count) = check.certificate {
            text.push(
                Role::Plain,
                format!(" by a certificate of {}", steps(count)),
            );
        }
    }
    text
}

/// Adds `certificate` to an answer, and `certificate_rejected` if it does not replay.
#[must_use]
pub fn certified_object(json: Object, certified: &Certified, rules: &RuleSet) -> Object {
    let rejection = certified.verdict.as_ref().err();
    json.with(
        "certificate",
        certificate_object(&certified.certificate, rules),
    )
    .with_some("certificate_rejected", rejection.map(rejection_object))
}

/// A certificate as a line of JSON, below what it is about.
#[must_use]
pub fn certified_text(certified: &Certified, rules: &RuleSet) -> Text {
    let json = Value::from(certificate_object(&certified.certificate, rules));
    let text = Text::new().plain(format!("\n{json}"));
    match &certified.verdict {
        Ok(()) => text,
        Err(rejection) => text.with(
            Role::Doubtful,
            format!("\nthe certificate is rejected: {rejection}"),
        ),
    }
}

/// A certificate that does not replay leaves open whether the result is equal.
#[must_use]
pub fn certified_status(certified: &Certified) -> Status {
    match certified.verdict {
        Ok(()) => Status::Done,
        Err(_) => Status::Undecided,
    }
}

/// What a run with this verdict reports.
#[must_use]
pub fn verdict_status<W>(verdict: &Verdict<W>) -> Status {
    match verdict {
        Verdict::Proved => Status::Done,
        Verdict::Refuted(_) => Status::Wrong,
        Verdict::Unknown(_) => Status::Undecided,
    }
}

/// `proved`, `refuted` or `unknown`.
#[must_use]
pub fn verdict_word<W>(verdict: &Verdict<W>) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted(_) => "refuted",
        Verdict::Unknown(_) => "unknown",
    }
}

/// Why a verdict is unknown.
#[must_use]
pub fn reason<W>(verdict: &Verdict<W>) -> Option<String> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    }
}

/// `{"point": {"d0": 3}, "left": [1], "right": [2]}`; `null` where a map is not defined.
#[must_use]
pub fn counterexample(verdict: &Verdict, domain: &Domain) -> Option<Object> {
    let Verdict::Refuted(Counterexample { point, left, right }) = verdict else {
        return None;
    };
    Some(
        Object::nested()
            .with("point", point_object(point, domain))
            .with("left", left.clone())
            .with("right", right.clone()),
    )
}

/// `{"d0": 3}`
#[must_use]
pub fn point_object(point: &[i64], domain: &Domain) -> Object {
    domain
        .variables()
        .iter()
        .zip(point)
        .fold(Object::nested(), |object, (variable, value)| {
            object.with(&variable.name, *value)
        })
}

/// `at d0 = 3, d1 = 4 `; nothing for a point without coordinates.
#[must_use]
pub fn at(point: &[i64], domain: &Domain) -> String {
    if point.is_empty() {
        return String::new();
    }
    let coordinates: Vec<String> = domain
        .variables()
        .iter()
        .zip(point)
        .map(|(variable, value)| format!("{} = {value}", variable.name))
        .collect();
    format!("at {} ", coordinates.join(", "))
}

/// A verdict on two maps in words; `domain` has the names of the first map's variables.
#[must_use]
pub fn verdict_text(verdict: &Verdict, domain: &Domain) -> Text {
    match verdict {
        Verdict::Proved => Text::of(Role::Good, "proved"),
        Verdict::Unknown(reason) => {
            Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"))
        }
        Verdict::Refuted(Counterexample { point, left, right }) => {
            let side = |values: &Option<Vec<i64>>| match values {
                Some(values) => tuple(values),
                None => "not defined".to_owned(),
            };
            Text::of(Role::Bad, "refuted").plain(format!(
                ": {}the first map is {}, the second {}",
                at(point, domain),
                side(left),
                side(right)
            ))
        }
    }
}

/// `(1, 2)`
#[must_use]
pub fn tuple(values: &[i64]) -> String {
    let list: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("({})", list.join(", "))
}
