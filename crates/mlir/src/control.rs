//! Ops that run other code, and tuple ops.
//!
//! Law: a loop or a branch of HLO has a single operand. For a loop it is the tuple of its loop-carried values and the captured
//! values, which its body passes on; for a branch, of the captured values.

use crate::body::{Body, OrUnknown, Stop, Value, unknown};
use crate::lower::Site;

use crate::tree::{Binding, Region};
use crate::types::{Type, joined};
use std::rc::Rc;

type Done = Result<(), Stop>;

pub(crate) fn tuple(site: &mut Site<'_, '_, '_>) -> Done {
    Ok(site.results("tuple", &site.lines(), "")?)
}

pub(crate) fn get_tuple_element(site: &mut Site<'_, '_, '_>) -> Done {
    let tokens = &site.lowering.text.tokens;
    let index = match (site.op.named(&["index"]), site.op.groups.first()) {
        (Some(range), _) => site.lowering.text.integer(&range),
        (None, Some(group)) => tokens.word(group.start + 1).parse().ok(),
        (None, None) => None,
    };
    let index = index.or_unknown(|| "its index is missing")?;
    Ok(site.results("get-tuple-element", &site.lines(), &format!(", index={index}"))?)
}

/// Passes on a single value unchanged, several values as a tuple.
pub(crate) fn barrier(site: &mut Site<'_, '_, '_>) -> Done {
    let lines = site.lines();
    if let [line] = *lines {
        return Ok(site.results("opt-barrier", &[line], "")?);
    }
    let types: Vec<Rc<Type>> = site.operands.iter().map(|value| value.ty.clone()).collect();
    if site.op.result_types()?.len() != types.len() {
        return unknown("it does not have a result for each operand");
    }
    let tuple = site.push("operands", &joined(&types), "tuple", &lines, "");
    Ok(site.results("opt-barrier", &[tuple], "")?)
}

/// Adds a custom-call whose result is its operand.
pub(crate) fn identity(site: &mut Site<'_, '_, '_>, target: &str) -> Done {
    let attributes = format!(", custom_call_target=\"{target}\"");
    Ok(site.results("custom-call", &site.lines(), &attributes)?)
}

fn call_of(site: &mut Site<'_, '_, '_>, callee: &str) -> Done {
    let computation = site
        .lowering
        .functions
        .get(callee)
        .cloned()
        .or_unknown(|| format!("the function `@{callee}` has no body in the text"))?;
    Ok(site.results("call", &site.lines(), &format!(", to_apply=%{computation}"))?)
}

pub(crate) fn call(site: &mut Site<'_, '_, '_>) -> Done {
    let callee = match site.op.named(&["callee"]) {
        Some(range) => site.lowering.text.symbol(&range),
        None => site.op.symbols.first().copied(),
    };
    match callee {
        Some(callee) => call_of(site, callee),
        None => unknown("the function that it calls is not named"),
    }
}

/// A composite has the reads of its decomposition.
pub(crate) fn composite(site: &mut Site<'_, '_, '_>) -> Done {
    let range = site.attribute(&["decomposition"])?;
    match site.lowering.text.symbol(&range) {
        Some(callee) => call_of(site, callee),
        None => unknown("its decomposition is not named"),
    }
}

/// The inputs of a region: names with spans, and values.
struct Carried<'t, 'a> {
    bindings: Vec<Binding<'a>>,
    values: Vec<Value<'t, 'a>>,
}

impl<'t, 'a> Carried<'t, 'a> {
    /// Returns the arguments of a region with their operands, followed by the captured values.
    fn by(
        arguments: &[Binding<'a>],
        operands: &[Value<'t, 'a>],
        captured: &[(&'a str, Value<'t, 'a>)],
    ) -> Carried<'t, 'a> {
        let around = captured.iter().map(|(name, _)| Binding {
            name,
            span: 0..0,
            ty: None,
            attributes: None,
        });
        Carried {
            bindings: arguments.iter().cloned().chain(around).collect(),
            values: operands
                .iter()
                .cloned()
                .chain(captured.iter().map(|(_, value)| value.clone()))
                .collect(),
        }
    }

    fn types(&self) -> Vec<Rc<Type>> {
        self.values.iter().map(|value| value.ty.clone()).collect()
    }

    /// Makes a tuple of the values the only parameter of a computation.
    fn enter(&self, body: &mut Body<'t, 'a>, region: &Region<'a>) {
        let whole = region.span.start..region.span.start + 1;
        let place = |binding: &Binding<'a>| match binding.span.is_empty() {
            true => whole.clone(),
            false => binding.span.clone(),
        };
        if let ([binding], [value]) = (&*self.bindings, &*self.values) {
            let binding = Binding { span: place(binding), ..binding.clone() };
            body.parameter(&binding, value.ty.clone(), "");
            return;
        }
        let code = format!("{} parameter(0)", joined(&self.types()));
        body.parameters = 1;
        let line = body.push_leaf("carried", code, (whole.clone(), whole.clone()));
        let tuple = body.lines.get(line).map_or(String::new(), |line| line.name.clone());
        for (k, (binding, value)) in self.bindings.iter().zip(&self.values).enumerate() {
            let code = format!("{} get-tuple-element(%{tuple}), index={k}", value.ty.shape);
            let span = place(binding);
            let line = body.push_leaf(binding.name, code, (span.clone(), span));
            body.define(binding.name, line, value.ty.clone());
        }
    }
}

pub(crate) fn while_loop(site: &mut Site<'_, '_, '_>) -> Done {
    let (condition, step) = (site.region(0)?, site.region(1)?);
    let count = site.operands.len();
    // The pretty form names the carried values only once, before both regions.
    let of_step = if step.arguments.is_empty() { condition } else { step };
    let types = site.op.result_types()?;
    let counts = [condition.arguments.len(), of_step.arguments.len(), types.len()];
    if counts != [count; 3] {
        return unknown("it does not carry as many values as it has operands");
    }
    let captured = site.lowering.captured(site.body, &site.op.regions);
    let conditions = Carried::by(&condition.arguments, &site.operands, &captured);
    let steps = Carried::by(&of_step.arguments, &site.operands, &captured);
    let test = site.lowering.region(site.body, site.op, condition, "condition", |body| {
        conditions.enter(body, condition);
    })?;
    let next = site.lowering.region(site.body, site.op, step, "body", |body| {
        steps.enter(body, step);
        body.handed_on = captured.iter().map(|(name, _)| (*name).to_owned()).collect();
    })?;
    let operand = site.body.joined(&steps.values, site.op);
    let attributes = format!(", condition=%{test}, body=%{next}");
    match steps.values.len() {
        1 => Ok(site.results("while", &[operand], &attributes)?),
        _ => {
            let part = if site.op.results.len() == 1 { "" } else { "all" };
            let part = if count == 1 { "all" } else { part };
            let shape = joined(&steps.types());
            let line = site.push(part, &shape, "while", &[operand], &attributes);
            site.parts(line, &types);
            Ok(())
        }
    }
}

/// Lowers the branches of `case` and `if`: returns their computations, and the inputs of each.
fn branches(
    site: &mut Site<'_, '_, '_>,
    roles: &[String],
) -> Result<(Vec<String>, Vec<usize>), Stop> {
    let (mut names, mut operands) = (Vec::new(), vec![site.operand(0)?.line]);
    for (k, role) in roles.iter().enumerate() {
        let region = site.region(k)?;
        let captured = site.lowering.captured(site.body, std::slice::from_ref(region));
        let carried = Carried::by(&[], &[], &captured);
        let name = site
            .lowering
            .region(site.body, site.op, region, role, |body| carried.enter(body, region))?;
        names.push(format!("%{name}"));
        operands.push(site.body.joined(&carried.values, site.op));
    }
    Ok((names, operands))
}

pub(crate) fn case(site: &mut Site<'_, '_, '_>) -> Done {
    let roles: Vec<String> = (0..site.op.regions.len()).map(|k| format!("branch{k}")).collect();
    let (names, operands) = branches(site, &roles)?;
    let attributes = format!(", branch_computations={{{}}}", names.join(", "));
    Ok(site.results("conditional", &operands, &attributes)?)
}

pub(crate) fn conditional(site: &mut Site<'_, '_, '_>) -> Done {
    let (names, operands) = branches(site, &["true".to_owned(), "false".to_owned()])?;
    let [yes, no] = &*names else { return unknown("it does not have two branches") };
    let attributes = format!(", true_computation={yes}, false_computation={no}");
    Ok(site.results("conditional", &operands, &attributes)?)
}

/// Returns the computation of a region that captures at most constants.
pub(crate) fn called<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    region: &'t Region<'a>,
) -> Result<String, Stop> {
    site.computation_of(region, "body", &region.arguments)
}

/// Returns the types of the values that a region returns.
pub(crate) fn returned<'a>(
    site: &Site<'_, '_, 'a>,
    region: &Region<'a>,
) -> Result<Vec<Rc<Type>>, Stop> {
    match region.ops.last() {
        Some(last) if last.is_return() && last.operand_types.len() == last.operands.len() => {
            Ok(last.operand_types.clone())
        }
        _ => unknown(format!("`{}` does not end in a return", site.op.name)),
    }
}
