//! Calls the simplifier, and prints its steps.

use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use affinor::certificate::{ARITHMETIC, Step};
use affinor::expr::IndexingMap;
use affinor::rule::{Rule, RuleSet};
use affinor::simplify::{Options, Outcome};
use serde_json::Value;

impl Call<'_> {
    /// Simplifies a map, and reconstructs the steps from the certificate.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn explain(
        &self,
        map: &IndexingMap,
        options: &Options,
    ) -> Result<(Outcome, Vec<Step>), Failure> {
        let simplifier = self.simplifier()?;
        let certified = simplifier.certify(map, options);
        let steps = simplifier.steps(&certified, options);
        Ok((certified.outcome, steps))
    }
}

/// Prints the steps of a simplification: a chain for the domain and for each result that changed. With `full`, includes
/// the purpose of each rule.
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
        if rule.is_some_and(|rule| is_of_quotient(step, rule)) {
            text.push(Role::Plain, "\n     as n mod c = n - c * (n floordiv c)");
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

/// Returns whether a rule about a quotient replaced a remainder.
fn is_of_quotient(step: &Step, rule: &Rule) -> bool {
    let remainders = |text: &str| text.matches(" mod ").count();
    let is_replaced = remainders(&step.before) > remainders(&step.after);
    is_replaced && remainders(&rule.write_statement()) == 0
}

/// Returns the steps as JSON, each with its rule.
pub fn steps_json(steps: &[Step], rules: &RuleSet) -> Value {
    let steps = steps.iter().map(|step| -> Value {
        let mut object = Object::nested().and(step);
        if let Some(rule) = rule(rules, step) {
            object = object
                .with("statement", rule.write_statement())
                .with("where", conditions(rule))
                .with("purpose", rule.purpose.as_str());
        }
        object.into()
    });
    steps.collect()
}

/// Returns the rule of a step; `None` for arithmetic, and if no such rule exists.
fn rule<'r>(rules: &'r RuleSet, step: &Step) -> Option<&'r Rule> {
    let name = Some(step.rule.as_str()).filter(|name| *name != ARITHMETIC);
    name.and_then(|name| rules.find(name)).map(|id| rules.rule(id))
}

/// Returns the side conditions of a rule.
fn conditions(rule: &Rule) -> Vec<String> {
    let conditions = rule.conditions.iter();
    conditions.map(|condition| rule.write_condition(condition)).collect()
}

/// Describes the purpose of the rule, its conditions, and its source file.
fn about(rule: &Rule) -> Text {
    let mut text = Text::new();
    let conditions = conditions(rule);
    if !conditions.is_empty() {
        text.push(Role::Faint, format!("\n     the rule holds where {}", conditions.join(", ")));
    }
    let place = match rule.role.is_of_session() {
        true => "added to the session".to_owned(),
        false => format!("{}:{}", rule.file, rule.line),
    };
    let purpose = match rule.purpose.as_str() {
        "" => String::new(),
        purpose => format!("{purpose} "),
    };
    text.push(
        Role::Faint,
        format!("\n     {purpose}({place}; `rules show {}` says more)", rule.name),
    );
    text
}
