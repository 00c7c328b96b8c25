//! Certificates as JSON, and back.
//!
//! `{"before": MAP, "after": MAP, "domain_steps": [STEP, ..], "result_steps": [STEP, ..]}`, where a step is
//! `{"rule": NAME, "bindings": {VARIABLE: INTEGER or EXPRESSION, ..}}` with the variables of the rule, and
//! expressions use the names of `before`.
//!
//! Law: what is written reads back as the same certificate. Reading judges nothing that the replayer
//! judges: a step of an unknown rule, or with other variables than its rule has, is read as it is.

use super::batch_line::{in_line, not_json, offset, string};
use crate::certificate::{Certificate, Instance, Rejection};
use crate::command::output::Object;
use crate::expr::IndexingMap;
use crate::rule::RuleSet;
use crate::text::{
    Error, ErrorKind, Style, parse_expr, parse_map, print_expr, print_map, variable_names,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A certificate as JSON.
pub fn certificate_object(certificate: &Certificate, rules: &RuleSet) -> Object {
    let names = variable_names(certificate.before.domain());
    let steps = |steps: &[Instance]| -> Value {
        let step = |step: &Instance| -> Value {
            let rule = rules.find(&step.rule).map(|id| rules.rule(id));
            let (constants, expressions) = rule.map_or((&[][..], &[][..]), |rule| {
                (&rule.constants[..], &rule.expressions[..])
            });
            let mut bindings = Object::nested();
            for (name, expr) in expressions.iter().zip(&step.expressions) {
                bindings = bindings.with(name, print_expr(expr, &names, Style::Plain));
            }
            for (name, value) in constants.iter().zip(&step.constants) {
                bindings = bindings.with(name, *value);
            }
            let step = Object::nested().with("rule", step.rule.as_str());
            step.with("bindings", bindings).into()
        };
        steps.iter().map(step).collect()
    };
    Object::nested()
        .with("before", print_map(&certificate.before, Style::Plain))
        .with("after", print_map(&certificate.after, Style::Plain))
        .with("domain_steps", steps(&certificate.domain_steps))
        .with("result_steps", steps(&certificate.result_steps))
}

/// A line: a certificate, or an answer that has one.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    id: Value,
    #[serde(borrow)]
    certificate: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    before: &'a RawValue,
    #[serde(borrow)]
    after: &'a RawValue,
    #[serde(borrow, default)]
    domain_steps: Vec<WrittenStep<'a>>,
    #[serde(borrow, default)]
    result_steps: Vec<WrittenStep<'a>>,
}

#[derive(Deserialize)]
struct WrittenStep<'a> {
    rule: String,
    #[serde(borrow, default)]
    bindings: BTreeMap<String, &'a RawValue>,
}

/// Reads a line that is a certificate, or an object whose `certificate` is one. The id is that of the
/// line, `null` if it has none.
pub fn read_certificate(line: &str, rules: &RuleSet) -> (Value, Result<Certificate, Error>) {
    match serde_json::from_str::<Line<'_>>(line) {
        Err(error) => (Value::Null, Err(not_json(&error, line))),
        Ok(Line { id, certificate }) => {
            let raw = certificate.map_or(line, RawValue::get);
            let start = certificate.map_or(0, |raw| offset(line, raw));
            let written = serde_json::from_str::<Written<'_>>(raw).map_err(|error| {
                let hint = "a certificate is what `simplify --certificate` writes";
                not_json(&error, raw).shifted(start).hint(hint)
            });
            (id, written.and_then(|written| written.read(line, rules)))
        }
    }
}

impl Written<'_> {
    fn read(&self, line: &str, rules: &RuleSet) -> Result<Certificate, Error> {
        let before = map(line, self.before)?;
        let names = variable_names(before.domain());
        let steps = |steps: &[WrittenStep<'_>]| {
            let steps = steps.iter().map(|step| step.read(line, &names, rules));
            steps.collect::<Result<Vec<_>, _>>()
        };
        Ok(Certificate {
            after: map(line, self.after)?,
            domain_steps: steps(&self.domain_steps)?,
            result_steps: steps(&self.result_steps)?,
            before,
        })
    }
}

impl WrittenStep<'_> {
    fn read<N: AsRef<str>>(
        &self,
        line: &str,
        names: &[N],
        rules: &RuleSet,
    ) -> Result<Instance, Error> {
        let mut instance = Instance {
            rule: self.rule.clone(),
            constants: Vec::new(),
            expressions: Vec::new(),
        };
        let Some(rule) = rules.find(&self.rule).map(|id| rules.rule(id)) else {
            return Ok(instance);
        };
        if self.bindings.len() != rule.constants.len() + rule.expressions.len() {
            return Ok(instance);
        }
        for raw in rule
            .constants
            .iter()
            .filter_map(|name| self.bindings.get(name))
        {
            let value = serde_json::from_str(raw.get()).map_err(|_| {
                let start = offset(line, raw);
                let span = start..start + raw.get().len();
                Error::new(ErrorKind::Encoding, span, "expected a 64-bit integer")
            });
            instance.constants.push(value?);
        }
        for raw in rule
            .expressions
            .iter()
            .filter_map(|name| self.bindings.get(name))
        {
            let expr = parse_expr(&string(line, raw)?, names);
            let expr = expr.map_err(|error| in_line(error, line, raw))?;
            instance.expressions.push(expr);
        }
        Ok(instance)
    }
}

fn map(line: &str, raw: &RawValue) -> Result<IndexingMap, Error> {
    parse_map(&string(line, raw)?).map_err(|error| in_line(error, line, raw))
}

/// `{"step": 3, "rule": "div-block", "kind": "condition", "message": ".."}`
pub fn rejection_object(rejection: &Rejection) -> Object {
    Object::nested()
        .with_some("step", rejection.step)
        .with_some("rule", rejection.rule.clone())
        .with("kind", rejection.kind.code())
        .with("message", rejection.message.as_str())
}
