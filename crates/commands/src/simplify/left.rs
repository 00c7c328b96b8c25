//! The remaining operations of a simplified map, and points at which the conditions of further rewrites fail.
//!
//! Law: a condition is reported to fail only with a point of the domain at which both of its sides are evaluated, and to hold
//! only if the prover proves it. All others are reported as undecided.

use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use crate::verdict::point_object;
use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, VariableKind};
use affinor::prove::{Verdict, equal_functions};
use affinor::rule::{Relation, RuleSet};
use affinor::simplify::{Left, Near, Open, Options};
use affinor::text::{Style, print_constraint, print_expr, variable_names};
use serde_json::Value;
use std::sync::Arc;

/// The maximal number of candidate rules for one operation.
const MAX_ASKED: usize = 6;

/// The number of rules shown with `--full`.
const MORE: usize = 3;

/// The maximal number of constraints examined.
const MAX_CONSTRAINTS: usize = 6;

/// The remaining operations and constraints of a map, with reasons.
pub struct Remainder {
    operations: Vec<(Left, Vec<Judged>, Option<Differs>)>,
    /// Each constraint, with a point that only this constraint excludes.
    constraints: Vec<(String, Vec<i64>)>,
    map: IndexingMap,
    names: Vec<Arc<str>>,
    style: Style,
}

/// A rule that nearly applies, with the verdict on one of its conditions.
struct Judged {
    near: Near,
    /// The reported condition: a failing one, if any condition fails.
    open: Open,
    verdict: Verdict<Failed>,
}

/// A value that an operation does not have everywhere, with a point where it differs, and both values there.
struct Differs {
    from: Expr,
    failed: Failed,
}

/// A point where a condition fails, and the values of both sides.
struct Failed {
    point: Vec<i64>,
    sides: [i64; 2],
}

impl Remainder {
    /// Analyses a map that has been simplified.
    ///
    /// # Errors
    /// If the shipped rules do not load, or the command is interrupted.
    pub fn of(
        call: &Call<'_>,
        map: &IndexingMap,
        options: &Options,
        full: bool,
    ) -> Result<Remainder, Failure> {
        let mut operations = Vec::new();
        if !map.domain().is_known_empty() {
            for left in call.uncounted_simplifier()?.left(map, options) {
                let judged = judged(call, map, &left, if full { MORE } else { 1 })?;
                let fails = |judged: &Judged| matches!(judged.verdict, Verdict::Refuted(_));
                let differs = match judged.iter().any(fails) {
                    true => None,
                    false => differs(call, map, &left.part)?,
                };
                operations.push((left, judged, differs));
            }
        }
        Ok(Remainder {
            operations,
            constraints: kept(call, map)?,
            map: map.clone(),
            names: variable_names(map.domain()),
            style: call.session.style,
        })
    }

    /// Returns the lines of text.
    pub fn text(&self, rules: &RuleSet, full: bool, is_unchanged: bool) -> Text {
        let mut text = Text::new();
        for (left, judged, differs) in &self.operations {
            text.push(Role::Plain, "\nleft: ");
            text.push(Role::Formula, self.written(&left.part));
            if let Some(Differs { from, failed }) = differs {
                let (from, [value, other]) = (self.written(from), failed.sides);
                let point = self.point(&failed.point);
                let is_value = from == other.to_string();
                let and = if is_value { String::new() } else { format!(", {from} is {other}") };
                let said = format!("\n  it is not {from}: at {point} it is {value}{and}");
                text.push(Role::Plain, said);
            } else if judged.is_empty() {
                let none =
                    "\n  no rule was found that a condition alone keeps from making it smaller";
                text.push(Role::Plain, none);
            }
            for judged in judged {
                text.append(self.judged_text(judged, rules, full));
            }
        }
        for (constraint, point) in &self.constraints {
            text.push(Role::Plain, "\nleft: ");
            text.push(Role::Formula, constraint.as_str());
            let point = self.point(point);
            text.push(Role::Plain, format!("\n  it alone keeps {point} out"));
        }
        if is_unchanged && self.operations.is_empty() && self.constraints.is_empty() {
            let none = "\nno floordiv, mod, min or max is left";
            let empty = "\nthe domain is empty, so no value matters";
            let is_empty = self.map.domain().is_known_empty();
            text.push(Role::Plain, if is_empty { empty } else { none });
        }
        text
    }

    fn judged_text(&self, judged: &Judged, rules: &RuleSet, full: bool) -> Text {
        let Judged { near, open, verdict } = judged;
        let mut text = Text::of(Role::Plain, "\n  ");
        text.push(Role::Name, near.rule.as_str());
        let (from, to) = (self.written(&near.from), self.written(&near.to));
        let means = self.condition(open);
        let others = near.open.iter().filter(|other| *other != open);
        let others: Vec<String> = others.map(|other| self.condition(other)).collect();
        let others = match others.is_empty() {
            true => String::new(),
            false => format!(" (and {})", others.join(", ")),
        };
        text.push(Role::Plain, format!(": {from} would be {to} if {means}{others}, which "));
        match verdict {
            Verdict::Refuted(Failed { point, sides: [lhs, rhs] }) => {
                text.push(Role::Bad, "fails");
                let symbol = open.relation.symbol();
                let point = self.point(point);
                text.push(Role::Plain, format!(" at {point}: {lhs} {symbol} {rhs} is false"));
            }
            Verdict::Proved => {
                text.push(Role::Good, "holds");
                text.push(
                    Role::Plain,
                    ", but does not follow from the ranges that the simplifier knows",
                );
            }
            Verdict::Unknown(reason) => {
                text.push(Role::Doubtful, "is not decided");
                text.push(Role::Plain, format!(": {reason}"));
            }
        }
        if let (true, Some(id)) = (full, rules.find(&near.rule)) {
            let bindings = near.bindings.iter();
            let bindings: Vec<String> =
                bindings.map(|(name, x)| format!("{name} = {}", self.written(x))).collect();
            let statement = rules.rule(id).write_statement();
            text.push(
                Role::Faint,
                format!("\n    {statement} with {}, where {}", bindings.join(", "), open.text),
            );
        }
        text
    }

    /// Adds the operations and the constraints as JSON.
    pub fn json(&self, object: Object) -> Object {
        let domain = self.map.domain();
        let operations = self.operations.iter().map(|(left, judged, differs)| -> Value {
            let rules = judged.iter().map(|judged| -> Value {
                let Judged { near, open, verdict } = judged;
                let bindings = near.bindings.iter();
                let bindings = bindings
                    .fold(Object::nested(), |object, (name, x)| object.with(name, self.written(x)));
                let object = Object::nested()
                    .with("rule", near.rule.as_str())
                    .with("bindings", bindings)
                    .with("from", self.written(&near.from))
                    .with("to", self.written(&near.to))
                    .with("condition", open.text.as_str())
                    .with("means", self.condition(open))
                    .with("conditions_open", near.open.len())
                    .with("verdict", verdict.word());
                match verdict {
                    Verdict::Refuted(failed) => object
                        .with("point", point_object(&failed.point, domain))
                        .with("sides", failed.sides),
                    Verdict::Unknown(reason) => object.with("reason", reason.to_string()),
                    Verdict::Proved => object,
                }
                .into()
            });
            let object = Object::nested()
                .with("part", self.written(&left.part))
                .with("result", left.result)
                .with("rules", rules.collect::<Value>());
            let differs = differs.as_ref().map(|Differs { from, failed }| {
                Object::nested()
                    .with("from", self.written(from))
                    .with("point", point_object(&failed.point, domain))
                    .with("values", failed.sides)
            });
            object.with_some("differs", differs).into()
        });
        let constraints = self.constraints.iter().map(|(text, point)| -> Value {
            let object = Object::nested().with("constraint", text.as_str());
            object.with("point", point_object(point, domain)).into()
        });
        object
            .with("left", operations.collect::<Value>())
            .with("constraints_left", constraints.collect::<Value>())
    }

    fn written(&self, expr: &Expr) -> String {
        print_expr(expr, &self.names, self.style)
    }

    fn condition(&self, open: &Open) -> String {
        let symbol = open.relation.symbol();
        let (lhs, rhs) = (self.written(&open.lhs), self.written(&open.rhs));
        format!("{lhs} {symbol} {rhs}")
    }

    /// Returns a point as text: `d0 = 8, d1 = 0`
    fn point(&self, point: &[i64]) -> String {
        let coordinates = self.names.iter().zip(point);
        let coordinates: Vec<String> =
            coordinates.map(|(name, value)| format!("{name} = {value}")).collect();
        coordinates.join(", ")
    }
}

/// Returns up to `most` of the nearest rules that have a condition that fails at a point; if there are none, the nearest rule.
fn judged(
    call: &Call<'_>,
    map: &IndexingMap,
    left: &Left,
    most: usize,
) -> Result<Vec<Judged>, Failure> {
    let (mut failed, mut others): (Vec<Judged>, Vec<Judged>) = (Vec::new(), Vec::new());
    for near in left.near.iter().take(MAX_ASKED) {
        if failed.len() == most {
            break;
        }
        if failed.iter().any(|judged| judged.near.rule == near.rule) {
            continue;
        }
        let mut best: Option<(Open, Verdict<Failed>)> = None;
        for open in &near.open {
            let verdict = call.uninterrupted(judge(call, map, open))?;
            let is_better = matches!(
                (&best, &verdict),
                (None, _)
                    | (_, Verdict::Refuted(_))
                    | (Some((_, Verdict::Proved)), Verdict::Unknown(_))
            );
            let is_refuted = matches!(verdict, Verdict::Refuted(_));
            if is_better {
                best = Some((open.clone(), verdict));
            }
            if is_refuted {
                break;
            }
        }
        let Some((open, verdict)) = best else {
            continue;
        };
        let list = match verdict {
            Verdict::Refuted(_) => &mut failed,
            _ => &mut others,
        };
        list.push(Judged { near: near.clone(), open, verdict });
    }
    others.truncate(1);
    Ok(if failed.is_empty() { others } else { failed })
}

/// Looks for a point at which an operation and the operand that it acts on have different values; `None` if none is found.
fn differs(call: &Call<'_>, map: &IndexingMap, part: &Expr) -> Result<Option<Differs>, Failure> {
    let from = match part.kind() {
        ExprKind::Mod(x, _) => x.clone(),
        ExprKind::Min(list) | ExprKind::Max(list) => match list.first() {
            Some(x) => x.clone(),
            None => return Ok(None),
        },
        _ => Expr::constant(0),
    };
    let open = Open {
        text: String::new(),
        lhs: part.clone(),
        relation: Relation::Equal,
        rhs: from.clone(),
    };
    Ok(match call.uninterrupted(judge(call, map, &open))? {
        Verdict::Refuted(failed) => Some(Differs { from, failed }),
        _ => None,
    })
}

/// Decides whether a condition holds at all points of the domain.
fn judge(call: &Call<'_>, map: &IndexingMap, open: &Open) -> Verdict<Failed> {
    use affinor::prove::Reason::Overflow;
    // `lhs <= rhs` is equivalent to `lhs = min(lhs, rhs)`.
    let sides = || {
        let lhs = match open.relation {
            Relation::Less => open.lhs.add(&Expr::constant(1)).ok()?,
            _ => open.lhs.clone(),
        };
        let rhs = match open.relation {
            Relation::Equal => open.rhs.clone(),
            _ => Expr::min([lhs.clone(), open.rhs.clone()]).ok()?,
        };
        Some([lhs, rhs].map(|side| IndexingMap::new(map.domain().clone(), vec![side])))
    };
    let Some([lhs, rhs]) = sides() else {
        return Verdict::Unknown(Overflow);
    };
    match equal_functions(&lhs, &rhs, &call.proof_budget()) {
        Ok(Verdict::Proved) => Verdict::Proved,
        Ok(Verdict::Unknown(reason)) => Verdict::Unknown(reason),
        Ok(Verdict::Refuted(found)) => {
            let side = |side: &Expr| side.eval(&found.point).ok();
            let failed = side(&open.lhs).zip(side(&open.rhs));
            let failed = failed.filter(|(lhs, rhs)| !open.relation.holds(lhs, rhs));
            match failed {
                Some((lhs, rhs)) => {
                    Verdict::Refuted(Failed { point: found.point, sides: [lhs, rhs] })
                }
                None => Verdict::Unknown(Overflow),
            }
        }
        Err(_) => Verdict::Unknown(Overflow),
    }
}

/// Returns the constraints that exclude a point on their own, each with such a point.
fn kept(call: &Call<'_>, map: &IndexingMap) -> Result<Vec<(String, Vec<i64>)>, Failure> {
    let domain = map.domain();
    let (names, style) = (variable_names(domain), call.session.style);
    let whole = IndexingMap::new(domain.clone(), Vec::new());
    let mut kept = Vec::new();
    // Without its bound, a size might not be positive, and a division by it would have no value.
    let is_symbolic = domain.count(VariableKind::Parameter) > 0;
    let asked = if is_symbolic { 0 } else { MAX_CONSTRAINTS };
    for index in 0..domain.constraints().len().min(asked) {
        let mut others = Domain::new(domain.variables().to_vec());
        for (other, constraint) in domain.constraints().iter().enumerate() {
            if other != index {
                others.constrain(&constraint.expr, constraint.bounds);
            }
        }
        let others = IndexingMap::new(others, Vec::new());
        let verdict = equal_functions(&others, &whole, &call.proof_budget());
        let Ok(verdict) = verdict else { continue };
        if let Verdict::Refuted(found) = call.uninterrupted(verdict)? {
            let constraint = &domain.constraints()[index];
            let text = print_constraint(constraint, &names, style);
            kept.push((text, found.point));
        }
    }
    Ok(kept)
}
