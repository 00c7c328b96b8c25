//! How commands call the simplifier, and how they show its steps.

use super::failure::Failure;
use super::output::{Object, Role, Text};
use super::session::Call;
use super::table::Switch;
use crate::error::Error;
use crate::map::IndexingMap;
use crate::simplify::{Budget, Outcome, Simplifier, Step};
use crate::verify::proved_rules;
use serde_json::Value;
use std::sync::OnceLock;

/// The simplifier with the shipped rules, compiled once per process. Their proofs are trusted by hash.
///
/// # Errors
/// If a shipped rule file does not load, or has a rule that is not the one that was proved.
fn shipped_simplifier() -> Result<Simplifier, Error> {
    static SHIPPED: OnceLock<Result<Simplifier, Error>> = OnceLock::new();
    SHIPPED
        .get_or_init(|| Simplifier::new(proved_rules()?))
        .clone()
}

/// How far the search for simpler forms may go.
pub(super) const STEPS: Switch = Switch {
    name: "steps",
    value: Some("COUNT"),
    summary: "how far the search may go for each result of a map (600)",
};

impl Call<'_> {
    /// Simplifies a map, and tells the steps.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn explain(
        &self,
        map: &IndexingMap,
        budget: &Budget,
    ) -> Result<(Outcome, Vec<Step>), Failure> {
        let simplifier = self.simplifier()?;
        let (outcome, explanation) = simplifier.explain(map, budget);
        Ok((outcome, explanation.steps()))
    }

    /// How far the search of this command may go.
    ///
    /// # Errors
    /// If `--steps` is no positive integer.
    pub fn search_budget(&self) -> Result<Budget, Failure> {
        let default = Budget::default();
        Ok(Budget {
            steps: self.positive("steps", default.steps)?,
            interrupt: self.host.interrupt(),
            ..default
        })
    }

    /// The simplifier with the shipped rules and those that the session added.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn simplifier(&self) -> Result<Simplifier, Failure> {
        if let Some(simplifier) = &self.session.simplifier {
            return Ok(simplifier.clone());
        }
        shipped_simplifier().map_err(|error| self.failed(error))
    }
}

/// The steps of a simplification as JSON.
#[must_use]
pub fn steps_array(steps: &[Step]) -> Value {
    let objects = steps.iter().map(step_object);
    objects.map(Value::from).collect()
}

/// `{"rule": .., "bindings": {..}, "facts": [..], "before": .., "after": ..}`
#[must_use]
pub fn step_object(step: &Step) -> Object {
    let bindings = step.bindings.iter();
    let bindings = bindings.fold(Object::nested(), |object, (name, value)| {
        object.with(name, value.as_str())
    });
    Object::nested()
        .with("rule", step.rule.as_str())
        .with("bindings", bindings)
        .with("facts", step.facts.clone())
        .with("before", step.before.as_str())
        .with("after", step.after.as_str())
}

/// The steps of a simplification for reading, one below the other.
#[must_use]
pub fn steps_text(steps: &[Step]) -> Text {
    if steps.is_empty() {
        return Text::of(Role::Faint, "no rule was needed");
    }
    let mut text = Text::new();
    for (index, step) in steps.iter().enumerate() {
        text.new_line();
        text.push(Role::Faint, format!("{:>3}. ", index + 1));
        text.push(Role::Name, step.rule.as_str());
        text.push(Role::Formula, format!("\n       {}", step.before));
        text.push(Role::Formula, format!("\n     → {}", step.after));
        if !step.bindings.is_empty() {
            let bindings: Vec<String> = step
                .bindings
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            text.push(
                Role::Faint,
                format!("\n       with {}", bindings.join(", ")),
            );
        }
        if !step.facts.is_empty() {
            text.push(
                Role::Faint,
                format!("\n       since {}", step.facts.join("; ")),
            );
        }
    }
    text
}
