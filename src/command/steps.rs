//! How commands call the simplifier, and how they show its steps.

use super::failure::Failure;
use super::output::{Object, Role, Text};
use super::session::Call;
use super::table::Switch;
use crate::certificate::{ARITHMETIC, Step};
use crate::error::{Error, ErrorKind};
use crate::map::IndexingMap;
use crate::rule::{Rule, RuleSet, SESSION, SESSION_LAWS};
use crate::simplify::{Budget, Effort, Outcome, Simplifier};
use crate::verify::proved_rules;
use serde_json::Value;
use std::sync::OnceLock;

/// The simplifier with the shipped rules, compiled once per process. Their proofs are trusted by hash.
///
/// # Errors
/// If a shipped rule file does not load, or has a rule that is not the one that was proved.
pub(super) fn shipped_simplifier() -> Result<Simplifier, Error> {
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

/// How much is done for a small result.
pub(super) const EFFORT: Switch = Switch {
    name: "effort",
    value: Some("0|1|2"),
    summary: "0: the strategy alone; 1: a bounded saturation after it (default); 2: a long one",
};

impl Call<'_> {
    /// Simplifies a map, and tells the steps from the certificate.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn explain(
        &self,
        map: &IndexingMap,
        budget: &Budget,
    ) -> Result<(Outcome, Vec<Step>), Failure> {
        let simplifier = self.simplifier()?;
        let certified = simplifier.certify(map, budget);
        let steps = simplifier.steps(&certified, budget);
        Ok((certified.outcome, steps))
    }

    /// How far the search of this command may go.
    ///
    /// # Errors
    /// If `--steps` is no positive integer.
    pub fn search_budget(&self) -> Result<Budget, Failure> {
        Ok(Budget {
            steps: self.positive("steps", Budget::default().steps)?,
            effort: self.effort()?,
            interrupt: self.host.interrupt(),
        })
    }

    fn effort(&self) -> Result<Effort, Failure> {
        match self
            .arguments
            .value("effort")
            .map(|given| (given, given.text.as_str()))
        {
            None | Some((_, "1")) => Ok(Effort::Bounded),
            Some((_, "0")) => Ok(Effort::Strategy),
            Some((_, "2")) => Ok(Effort::Long),
            Some((given, _)) => Err(given.wrong(ErrorKind::Usage, "--effort takes 0, 1 or 2")),
        }
    }

    /// The simplifier with the shipped rules and those that the session added, without those that it switched off.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn simplifier(&self) -> Result<Simplifier, Failure> {
        let simplifier = self.uncounted_simplifier()?;
        Ok(simplifier.counting(&self.session.tally))
    }

    /// The same, whose firings are not counted as those of the session.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub(super) fn uncounted_simplifier(&self) -> Result<Simplifier, Failure> {
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

/// `{"rule": .., "bindings": {..}, "facts": [..], "before": .., "after": ..}` and more of the step.
#[must_use]
pub fn step_object(step: &Step) -> Object {
    let bindings = step.bindings.iter();
    let bindings = bindings.fold(Object::nested(), |object, (name, value)| {
        object.with(name, value.as_str())
    });
    let mut object = Object::nested()
        .with("rule", step.rule.as_str())
        .with("bindings", bindings)
        .with("facts", step.facts.clone())
        .with("before", step.before.as_str())
        .with("after", step.after.as_str())
        .with_some("result", step.result);
    if !step.states.is_empty() {
        object = object.with("states", step.states.as_str());
    }
    if step.reversed {
        object = object.with("reversed", true);
    }
    if !step.rests_on.is_empty() {
        object = object.with("rests_on", step.rests_on.clone());
    }
    object
}

/// The steps of a simplification for reading: a chain for the domain and for each result that changed.
/// `full` says also what each rule is for.
#[must_use]
pub fn steps_text(steps: &[Step], rules: &RuleSet, full: bool) -> Text {
    if steps.is_empty() {
        return Text::of(Role::Faint, "nothing changed");
    }
    let mut text = Text::new();
    let mut line = None;
    for (index, step) in steps.iter().enumerate() {
        text.new_line();
        text.push(Role::Faint, format!("{:>3}. ", index + 1));
        if line != Some((step.result, step.before.as_str())) {
            text.push(Role::Formula, format!("{}\n     ", step.before));
        }
        line = Some((step.result, step.after.as_str()));
        match step.before == step.after {
            true => text.push(Role::Formula, format!("note that {}", step.states)),
            false => text.push(Role::Formula, format!("→ {}", step.after)),
        }
        text.push(Role::Plain, "\n     by ");
        text.push(Role::Name, step.rule.as_str());
        if step.reversed {
            text.push(Role::Plain, ", from right to left");
        }
        let rule = rule(rules, step);
        if let Some(rule) = rule {
            text.push(Role::Plain, format!(": {}", rule.write_statement()));
        }
        if !step.bindings.is_empty() {
            let bindings = step.bindings.iter();
            let bindings: Vec<String> = bindings.map(|(x, y)| format!("{x} = {y}")).collect();
            text.push(Role::Plain, format!("\n     with {}", bindings.join(", ")));
        }
        for fact in &step.facts {
            text.push(Role::Plain, format!("\n     since {fact}"));
        }
        if !step.rests_on.is_empty() {
            let numbers = step.rests_on.iter().map(|index| (index + 1).to_string());
            let numbers: Vec<String> = numbers.collect();
            text.push(Role::Plain, format!("\n     see {}", numbers.join(", ")));
        }
        if let (Some(rule), true) = (rule, full) {
            text.append(about(rule));
        }
    }
    text
}

/// The rule of a step, if there is one.
#[must_use]
pub fn rule<'r>(rules: &'r RuleSet, step: &Step) -> Option<&'r Rule> {
    let name = Some(step.rule.as_str()).filter(|name| *name != ARITHMETIC);
    name.and_then(|name| rules.find(name))
        .map(|id| rules.rule(id))
}

/// The side conditions of a rule.
#[must_use]
pub fn conditions(rule: &Rule) -> Vec<String> {
    let conditions = rule.conditions.iter();
    conditions
        .map(|condition| rule.write_condition(condition))
        .collect()
}

/// What the rule is for, its conditions, and where it is written.
fn about(rule: &Rule) -> Text {
    let mut text = Text::new();
    let conditions = conditions(rule);
    if !conditions.is_empty() {
        text.push(
            Role::Faint,
            format!("\n     the rule holds where {}", conditions.join(", ")),
        );
    }
    let place = match rule.file.as_str() {
        SESSION | SESSION_LAWS => "added to the session".to_owned(),
        file => format!("{file}:{}", rule.line),
    };
    let purpose = match rule.purpose.as_str() {
        "" => String::new(),
        purpose => format!("{purpose} "),
    };
    text.push(
        Role::Faint,
        format!(
            "\n     {purpose}({place}; `rules show {}` says more)",
            rule.name
        ),
    );
    text
}
