//! Calls the prover, and prints verdicts.

use super::arguments::Argument;
use super::failure::Failure;
use super::option::Setting;
use super::output::{Object, Role, Status, Text};
use super::table::Call;
use super::words::tuple;
use affinor::expr::Domain;
use affinor::prove::{self, Counterexample, Reason, Verdict};
use affinor::text::ErrorKind;
use affinor_ops::footprint::image::Stop;

/// The budget of a proof in solver steps, which are independent of the machine.
pub(super) const SOLVER_STEPS: Setting<u32> = Setting::new(
    "solver-steps",
    "COUNT",
    "Z3's budget for each of its questions, in its steps; 0 asks it nothing",
    |_, given| {
        let steps = given.text.trim().parse::<u32>();
        steps.map_err(|_| given.wrong(ErrorKind::Usage, "expected a number of steps, below 2^32"))
    },
);

impl Call<'_> {
    /// Returns a verdict, unless the command was interrupted.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`](affinor::text::ErrorKind::Interrupted).
    pub fn uninterrupted<W>(&self, verdict: Verdict<W>) -> Result<Verdict<W>, Failure> {
        match verdict {
            Verdict::Unknown(Reason::Interrupted) => Err(self.interrupted()),
            verdict => Ok(verdict),
        }
    }

    /// Checks whether all of these domains are proved to be empty, so that a verdict on them is vacuous.
    #[must_use]
    pub fn are_empty<'d>(&self, mut domains: impl Iterator<Item = &'d Domain>) -> bool {
        let budget = self.proof_budget();
        domains.all(|domain| prove::is_empty(domain, &budget) == Verdict::Proved)
    }

    /// Returns the budget for a proof.
    #[must_use]
    pub fn proof_budget(&self) -> prove::Budget {
        let usual = prove::Budget { interrupt: Some(self.host.interrupt()), ..Default::default() };
        self.with_own_steps(usual)
    }

    /// Returns the budget with the solver steps given in the call.
    pub(super) fn with_own_steps(&self, budget: prove::Budget) -> prove::Budget {
        let steps = self.value(&SOLVER_STEPS).ok().flatten();
        prove::Budget { solver_steps: steps.unwrap_or(budget.solver_steps), ..budget }
    }

    /// Creates the failure for a [`Stop`], about `argument`.
    pub(super) fn stop(&self, argument: &Argument, stop: &Stop) -> Failure {
        match stop {
            Stop::Interrupted => self.interrupted(),
            Stop::Eval(error) => argument.wrong(ErrorKind::Overflow, error.to_string()),
            Stop::TooMany | Stop::Steps => argument
                .wrong(ErrorKind::TooLarge, stop.to_string())
                .hint("bind some variables first, as in `bind d0 = 0 in MAP`"),
        }
    }
}

/// Returns the status of a run with this verdict.
pub fn verdict_status<W, R>(verdict: &Verdict<W, R>) -> Status {
    match verdict {
        Verdict::Proved => Status::Done,
        Verdict::Refuted(_) => Status::Wrong,
        Verdict::Unknown(_) => Status::Undecided,
    }
}

/// Returns the verdict on a statement that holds vacuously.
pub fn vacuous() -> Text {
    Text::of(Role::Good, "proved").with(Role::Doubtful, ", but no values meet the conditions")
}

/// Formats totals: `checked: 3 proved, 0 refuted, 1 unknown`.
pub fn totals_text(what: &str, [proved, refuted, unknown]: [usize; 3]) -> Text {
    let role = |count: usize, role| if count > 0 { role } else { Role::Plain };
    Text::of(Role::Name, what)
        .plain(": ")
        .with(role(proved, Role::Good), format!("{proved} proved"))
        .plain(", ")
        .with(role(refuted, Role::Bad), format!("{refuted} refuted"))
        .plain(", ")
        .with(role(unknown, Role::Doubtful), format!("{unknown} unknown"))
}

/// Returns the reason why a verdict is unknown.
pub fn reason<W>(verdict: &Verdict<W>) -> Option<String> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    }
}

/// Returns `{"point": {"d0": 3}, "left": [1], "right": [2]}`; `null` where a map is not defined.
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

/// Returns `{"d0": 3}`.
pub fn point_object(point: &[i64], domain: &Domain) -> Object {
    domain
        .variables()
        .iter()
        .zip(point)
        .fold(Object::nested(), |object, (variable, value)| object.with(&variable.name, *value))
}

/// Formats a point, `at d0 = 3, d1 = 4 `; the text is empty for a point without coordinates.
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

/// Describes a verdict on two maps; `domain` has the names of the first map's variables.
pub fn verdict_text(verdict: &Verdict, domain: &Domain) -> Text {
    told(verdict, "", |Counterexample { point, left, right }| {
        let side = |values: &Option<Vec<i64>>| match values {
            Some(values) => tuple(values),
            None => "not defined".to_owned(),
        };
        let at = at(point, domain);
        format!(": {at}the first map is {}, the second {}", side(left), side(right))
    })
}

/// Describes a verdict: with the text `proved` after that word, the text of a counterexample after `refuted`, or the reason.
pub fn told<W>(verdict: &Verdict<W>, proved: &str, refuted: impl FnOnce(&W) -> String) -> Text {
    match verdict {
        Verdict::Proved if proved.is_empty() => Text::of(Role::Good, "proved"),
        Verdict::Proved => Text::of(Role::Good, "proved").plain(proved),
        Verdict::Refuted(found) => Text::of(Role::Bad, "refuted").plain(refuted(found)),
        Verdict::Unknown(reason) => {
            Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"))
        }
    }
}
