//! Certificates as JSON.
//!
//! `{"before": MAP, "after": MAP, "domain_steps": [STEP, ..], "result_steps": [STEP, ..]}`, where a step is `{"rule": NAME,
//! "bindings": {VARIABLE: INTEGER or EXPRESSION, ..}}` with the variables of the rule, and expressions use the names of `before`.
//! A constant of a rule that is not an integer is also an expression. `"bits": N` of a step says that all integers of its
//! statement fit in N bits, with a sign; it may be absent, or null if that is not known.
//!
//! A claim ([`Claim`]) has further keys: `"composition": [MAP, MAP]`, and `"variables": {VARIABLE: VARIABLE or null, ..}` from
//! those of `after` to those of `"reads": MAP`; and `"equal": {"before": MAP, ..}` with the steps of a certificate with the same
//! `after`, or with `"there"` and `"back"`, from each of the two domains to the other.
//!
//! Law: a certificate that is written reads back as the same. Reading checks the bits of steps, and nothing that the
//! replayer checks: a step of an unknown rule, or with other variables than its rule has, is accepted.

use super::width::Widths;
use super::{BothWays, Certificate, Claim, Equal, Instance, Reads};
use crate::expr::{Domain, Expr, IndexingMap, VariableId};
use crate::rule::RuleSet;
use crate::text::json::{check_keys, in_line, not_json, offset, string};
use crate::text::{
    Error, ErrorKind, Style, parse_map, parse_symbolic_expr, print_expr, variable_names,
};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Certificate {
    /// Returns a serializable view; `rules` supply the names of variables.
    #[must_use]
    pub fn with_rules<'a>(&'a self, rules: &'a RuleSet) -> impl Serialize + 'a {
        let names = variable_names(self.before.domain());
        let domain = self.before.domain();
        let steps = |steps| Steps { steps, domain, names: names.clone(), rules };
        Written {
            before: &self.before,
            composition: None,
            after: &self.after,
            domain_steps: steps(&self.domain_steps),
            result_steps: steps(&self.result_steps),
            variables: None,
            reads: None,
            equal: None,
        }
    }

    /// Reads a certificate from JSON, or from an object whose `certificate` is one. Steps refer to `rules`.
    ///
    /// # Errors [`ErrorKind::Encoding`] if it is not a certificate, or is a [`Claim`] with further parts, or the errors of a
    /// map or an expression; both with the position in `json`.
    pub fn from_json(json: &str, rules: &RuleSet) -> Result<Certificate, Error> {
        let claim = read_line(json, rules).1?;
        match (&claim.composition, &claim.reads, &claim.equal) {
            (None, None, None) => Ok(claim.certificate),
            _ => Err(Error::new(
                ErrorKind::Encoding,
                0..json.len(),
                "this claims more than a certificate",
            )
            .hint("`replay` checks all that it claims")),
        }
    }
}

impl Claim {
    /// Returns a serializable view; `rules` supply the names of variables.
    #[must_use]
    pub fn with_rules<'a>(&'a self, rules: &'a RuleSet) -> impl Serialize + 'a {
        let Certificate { before, after, domain_steps, result_steps } = &self.certificate;
        let steps_over = |map: &'a IndexingMap, steps: &'a [Instance]| Steps {
            steps,
            domain: map.domain(),
            names: variable_names(map.domain()),
            rules,
        };
        let steps = |steps| steps_over(before, steps);
        let variables = self.reads.as_ref().map(|reads| {
            let own = variable_names(reads.map.domain());
            let name = |image: &VariableId| own.get(image.index()).cloned();
            let images = reads.variables.iter().map(|image| image.as_ref().and_then(name));
            Variables(variable_names(after.domain()).into_iter().zip(images).collect())
        });
        Written {
            before,
            composition: self.composition.as_ref(),
            after,
            domain_steps: steps(domain_steps),
            result_steps: steps(result_steps),
            variables,
            reads: self.reads.as_ref().map(|reads| &reads.map),
            equal: self.equal.as_ref().map(|other| {
                let steps = other.lists().map(|steps| Some(steps_over(other.map(), steps)));
                let none = || [None, None];
                let ([domain_steps, result_steps], [there, back]) = match other {
                    Equal::Leading(_) => (steps, none()),
                    Equal::BothWays(_) => (none(), steps),
                };
                WrittenEqual { before: other.map(), domain_steps, result_steps, there, back }
            }),
        }
    }
}

#[derive(Serialize)]
struct Written<'a> {
    before: &'a IndexingMap,
    #[serde(skip_serializing_if = "Option::is_none")]
    composition: Option<&'a [IndexingMap; 2]>,
    after: &'a IndexingMap,
    domain_steps: Steps<'a>,
    result_steps: Steps<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Variables>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<&'a IndexingMap>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equal: Option<WrittenEqual<'a>>,
}

#[derive(Serialize)]
struct WrittenEqual<'a> {
    before: &'a IndexingMap,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain_steps: Option<Steps<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_steps: Option<Steps<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    there: Option<Steps<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<Steps<'a>>,
}

/// In the order of the variables.
struct Variables(Vec<(Arc<str>, Option<Arc<str>>)>);

impl Serialize for Variables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, image)| (&**name, image.as_deref())))
    }
}

struct Steps<'a> {
    steps: &'a [Instance],
    domain: &'a Domain,
    names: Vec<Arc<str>>,
    rules: &'a RuleSet,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Step<'a> {
            rule: &'a str,
            bindings: Bindings<'a>,
            bits: Option<u32>,
        }
        let mut widths = Widths::new(self.domain);
        let mut written = serializer.serialize_seq(Some(self.steps.len()))?;
        for instance in self.steps {
            let rule = &instance.rule;
            let bindings = Bindings(self, instance);
            let bits = self.rules.find(rule);
            let bits = bits.and_then(|id| widths.of_step(self.rules.rule(id), instance));
            written.serialize_element(&Step { rule, bindings, bits })?;
        }
        written.end()
    }
}

struct Bindings<'a>(&'a Steps<'a>, &'a Instance);

impl Serialize for Bindings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Bindings(steps, step) = self;
        let mut written = serializer.serialize_map(None)?;
        if let Some(rule) = steps.rules.find(&step.rule).map(|id| steps.rules.rule(id)) {
            for (name, expr) in rule.expressions.iter().zip(&step.expressions) {
                written.serialize_entry(name, &print_expr(expr, &steps.names, Style::Plain))?;
            }
            for (name, value) in rule.constants.iter().zip(&step.constants) {
                match value.as_constant() {
                    Some(value) => written.serialize_entry(name, &value)?,
                    None => {
                        let text = print_expr(value, &steps.names, Style::Plain);
                        written.serialize_entry(name, &text)?;
                    }
                }
            }
        }
        written.end()
    }
}

/// A line: a certificate, or an answer that contains one.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    id: Value,
    #[serde(borrow)]
    certificate: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    before: &'a RawValue,
    #[serde(borrow)]
    after: &'a RawValue,
    #[serde(borrow, default)]
    domain_steps: Vec<ReadStep<'a>>,
    #[serde(borrow, default)]
    result_steps: Vec<ReadStep<'a>>,
    #[serde(borrow, default)]
    composition: Option<[&'a RawValue; 2]>,
    #[serde(borrow, default)]
    reads: Option<&'a RawValue>,
    #[serde(default)]
    variables: Option<BTreeMap<String, Option<String>>>,
    #[serde(borrow, default)]
    equal: Option<ReadEqual<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadEqual<'a> {
    #[serde(borrow)]
    before: &'a RawValue,
    #[serde(borrow, default)]
    domain_steps: Option<Vec<ReadStep<'a>>>,
    #[serde(borrow, default)]
    result_steps: Option<Vec<ReadStep<'a>>>,
    #[serde(borrow, default)]
    there: Option<Vec<ReadStep<'a>>>,
    #[serde(borrow, default)]
    back: Option<Vec<ReadStep<'a>>>,
}

#[derive(Deserialize)]
struct ReadStep<'a> {
    rule: String,
    #[serde(borrow, default)]
    bindings: BTreeMap<String, &'a RawValue>,
    #[serde(borrow, default)]
    bits: Option<&'a RawValue>,
}

/// Reads a line that is a certificate, or an object whose `certificate` is one. The id is that of the line, or `null`.
pub fn read_line(line: &str, rules: &RuleSet) -> (Value, Result<Claim, Error>) {
    if let Err(error) = check_keys(line) {
        return (Value::Null, Err(error));
    }
    match serde_json::from_str::<Line<'_>>(line) {
        Err(error) => (Value::Null, Err(not_json(&error, line))),
        Ok(Line { id, certificate }) => {
            let raw = certificate.map_or(line, RawValue::get);
            let start = certificate.map_or(0, |raw| offset(line, raw));
            let written = serde_json::from_str::<Read<'_>>(raw).map_err(|error| {
                let hint = "`simplify --certificate` writes certificates";
                not_json(&error, raw).shifted(start).hint(hint)
            });
            (id, written.and_then(|written| written.read(line, rules)))
        }
    }
}

impl Read<'_> {
    fn read(&self, line: &str, rules: &RuleSet) -> Result<Claim, Error> {
        let certificate = self.certificate(line, rules)?;
        let composition = match &self.composition {
            None => None,
            Some([first, second]) => Some([map(line, first)?, map(line, second)?]),
        };
        let reads = match (self.reads, &self.variables) {
            (None, None) => None,
            (Some(raw), Some(images)) => Some(reads(line, raw, images, &certificate.after)?),
            (raw, _) => {
                let span = raw.map_or(0..line.len(), |raw| spanned(line, raw));
                let message = "`reads` and `variables` go together";
                return Err(Error::new(ErrorKind::Encoding, span, message));
            }
        };
        let equal = self.equal.as_ref().map(|other| other.read(line, &certificate.after, rules));
        let equal = equal.transpose()?;
        Ok(Claim { certificate, composition, reads, equal })
    }

    fn certificate(&self, line: &str, rules: &RuleSet) -> Result<Certificate, Error> {
        let (before, [domain_steps, result_steps]) =
            started(line, self.before, [&self.domain_steps, &self.result_steps], rules)?;
        Ok(Certificate { before, after: map(line, self.after)?, domain_steps, result_steps })
    }
}

impl ReadEqual<'_> {
    fn read(&self, line: &str, after: &IndexingMap, rules: &RuleSet) -> Result<Equal, Error> {
        let is_leading = self.domain_steps.is_some() || self.result_steps.is_some();
        let both_ways = self.there.is_some() || self.back.is_some();
        if is_leading && both_ways {
            let span = spanned(line, self.before);
            let message = "an equal map has either steps of a certificate, or `there` and `back`";
            return Err(Error::new(ErrorKind::Encoding, span, message));
        }
        let lists = match both_ways {
            true => [&self.there, &self.back],
            false => [&self.domain_steps, &self.result_steps],
        };
        let lists = lists.map(|steps| steps.as_deref().unwrap_or_default());
        let (map, [first, second]) = started(line, self.before, lists, rules)?;
        Ok(match both_ways {
            true => Equal::BothWays(BothWays { map, there: first, back: second }),
            false => Equal::Leading(Certificate {
                before: map,
                after: after.clone(),
                domain_steps: first,
                result_steps: second,
            }),
        })
    }
}

/// Reads the map that steps begin with, and these steps, which use its names.
fn started(
    line: &str,
    before: &RawValue,
    steps: [&[ReadStep<'_>]; 2],
    rules: &RuleSet,
) -> Result<(IndexingMap, [Vec<Instance>; 2]), Error> {
    let before = map(line, before)?;
    let names = variable_names(before.domain());
    let read = |steps: &[ReadStep<'_>]| {
        let steps = steps.iter().map(|step| step.read(line, &names, rules));
        steps.collect::<Result<Vec<_>, _>>()
    };
    let read = [read(steps[0])?, read(steps[1])?];
    let mut widths = Widths::new(before.domain());
    for (step, instance) in steps.into_iter().flatten().zip(read.iter().flatten()) {
        if let Some(said) = step.bits {
            let rule = rules.find(&instance.rule).map(|id| rules.rule(id));
            let needed = rule.and_then(|rule| widths.of_step(rule, instance));
            check_bits(line, said, needed)?;
        }
    }
    Ok((before, read))
}

/// Checks the stated number of bits of a step; `needed` is `None` if it is not known.
fn check_bits(line: &str, said: &RawValue, needed: Option<u32>) -> Result<(), Error> {
    let wrong = |message: String| Error::new(ErrorKind::Encoding, spanned(line, said), message);
    let bits = serde_json::from_str::<u32>(said.get());
    let bits = bits.map_err(|_| wrong("expected a number of bits".to_owned()))?;
    match needed {
        Some(needed) if needed <= bits => Ok(()),
        Some(needed) => Err(wrong(format!("the integers of this step need {needed} bits"))),
        None => Err(wrong("the integers of this step are not known to fit in 64 bits".to_owned())),
    }
}

impl ReadStep<'_> {
    fn read<N: AsRef<str>>(
        &self,
        line: &str,
        names: &[N],
        rules: &RuleSet,
    ) -> Result<Instance, Error> {
        let mut instance =
            Instance { rule: self.rule.clone(), constants: Vec::new(), expressions: Vec::new() };
        let Some(rule) = rules.find(&self.rule).map(|id| rules.rule(id)) else {
            return Ok(instance);
        };
        if self.bindings.len() != rule.constants.len() + rule.expressions.len() {
            return Ok(instance);
        }
        for raw in rule.constants.iter().filter_map(|name| self.bindings.get(name)) {
            // An integer must be a number, not a string.
            let value = match raw.get().starts_with('"') {
                true => Some(expression(line, raw, names)?).filter(|x| x.as_constant().is_none()),
                false => serde_json::from_str(raw.get()).ok().map(Expr::constant),
            };
            let value = value.ok_or_else(|| {
                Error::new(ErrorKind::Encoding, spanned(line, raw), "expected a 64-bit integer")
            })?;
            instance.constants.push(value);
        }
        for raw in rule.expressions.iter().filter_map(|name| self.bindings.get(name)) {
            instance.expressions.push(expression(line, raw, names)?);
        }
        Ok(instance)
    }
}

fn expression<N: AsRef<str>>(line: &str, raw: &RawValue, names: &[N]) -> Result<Expr, Error> {
    let expr = parse_symbolic_expr(&string(line, raw)?, names);
    expr.map_err(|error| in_line(error, line, raw))
}

fn map(line: &str, raw: &RawValue) -> Result<IndexingMap, Error> {
    parse_map(&string(line, raw)?).map_err(|error| in_line(error, line, raw))
}

/// Reads the map that `whole` becomes without some variables, and the image of each variable of `whole`.
fn reads(
    line: &str,
    raw: &RawValue,
    images: &BTreeMap<String, Option<String>>,
    whole: &IndexingMap,
) -> Result<Reads, Error> {
    let map = map(line, raw)?;
    let (names, own) = (variable_names(whole.domain()), variable_names(map.domain()));
    let wrong = |message: String| Error::new(ErrorKind::Encoding, spanned(line, raw), message);
    if let Some(name) = images.keys().find(|name| names.iter().all(|other| **other != ***name)) {
        return Err(wrong(format!("`variables` names `{name}`, which `after` does not have")));
    }
    let image = |name: &Arc<str>| match images.get(&**name) {
        None => Err(wrong(format!("`variables` does not name `{name}`"))),
        Some(None) => Ok(None),
        Some(Some(image)) => {
            let place = own.iter().position(|other| **other == **image);
            let place = place.and_then(|place| u32::try_from(place).ok());
            let place =
                place.ok_or_else(|| wrong(format!("`{image}` is not a variable of `reads`")));
            place.map(|place| Some(VariableId(place)))
        }
    };
    let variables = names.iter().map(image).collect::<Result<_, _>>()?;
    Ok(Reads { map, variables })
}

fn spanned(line: &str, raw: &RawValue) -> std::ops::Range<usize> {
    let start = offset(line, raw);
    start..start + raw.get().len()
}
