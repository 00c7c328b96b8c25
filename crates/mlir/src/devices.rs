//! Communication between devices.

use crate::body::{OrUnknown, Stop, unknown};
use crate::control;
use crate::lower::Site;
use crate::row::{Attribute, Form};
use crate::types::Type;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// The devices that take part.
pub(crate) const AMONG: [Attribute; 3] = [
    ("channel_id", &["channel_handle", "channel_id"], Form::Channel),
    ("replica_groups", &["replica_groups"], Form::Groups),
    ("use_global_device_ids", &["use_global_device_ids"], Form::Flag),
];

/// Lowers an exchange that splits one dimension and concatenates along another to an exchange and a reshape, like XLA's
/// builder.
pub(crate) fn all_to_all(site: &mut Site<'_, '_, '_>) -> Done {
    let attributes = site.attributes(&AMONG)?;
    let split = site.integer(&["split_dimension"])?;
    let concatenated = site.integer(&["concat_dimension"])?;
    let count = site.integer(&["split_count"])?;
    let operand = site.operand(0)?;
    if site.operands.len() > 1 {
        return unknown("it exchanges several arrays");
    }
    let sizes = crate::site::fixed(&operand.ty)?;
    let here = format!("{attributes}, dimensions={{{split}}}");
    if split == concatenated {
        return Ok(site.results("all-to-all", &[operand.line], &here)?);
    }
    let at = |dimension: i64| usize::try_from(dimension).ok().filter(|d| *d < sizes.len());
    let (Some(split), Some(concatenated)) = (at(split), at(concatenated)) else {
        return unknown("its dimensions are not those of the operand");
    };
    if count < 1 || sizes[split] % count != 0 {
        return unknown("its parts are not of equal size");
    }
    let exchanged = site.push("exchanged", &operand.ty.shape, "all-to-all", &[operand.line], &here);
    let mut parted = sizes.clone();
    parted.splice(split..=split, [count, sizes[split] / count]);
    let shape = operand.ty.with_sizes(&parted);
    let parts = site.push("parts", &shape, "reshape", &[exchanged], "");
    let mut order = Vec::new();
    for dimension in 0..sizes.len() {
        if dimension == concatenated {
            order.push(split);
        }
        order.push(dimension + usize::from(dimension >= split));
    }
    let turned: Vec<i64> = order.iter().map(|dimension| parted[*dimension]).collect();
    let order: Vec<String> = order.iter().map(usize::to_string).collect();
    let shape = operand.ty.with_sizes(&turned);
    let permutation = format!(", dimensions={{{}}}", order.join(","));
    let joined = site.push("joined", &shape, "transpose", &[parts], &permutation);
    Ok(site.results("reshape", &[joined], "")?)
}

/// Lowers a region that runs on each device on the local shards: a call between changes of shape, as in XLA.
pub(crate) fn manual_computation(site: &mut Site<'_, '_, '_>) -> Done {
    let region = site.region(0)?;
    if region.arguments.len() != site.operands.len() {
        return unknown("it does not have an argument for each operand");
    }
    let (types, mut locals) = (site.op.result_types()?, Vec::new());
    for argument in &region.arguments {
        locals.push(argument.ty.clone().or_unknown(|| "an argument has no type")?);
    }
    let name = control::called(site, region)?;
    let shapes = control::returned(site, region)?;
    if shapes.len() != types.len() {
        return unknown("it does not return a value for each result");
    }
    let target = shape_change(site, "GlobalToLocalShape", "in_shardings");
    let joined = crate::types::joined;
    let operands = site.lines();
    let operands = match &*operands {
        [] => operands,
        _ => {
            let line = site.push("local", &joined(&locals), "custom-call", &operands, &target);
            elements_of(site, line, &locals)
        }
    };
    let call =
        site.push("call", &joined(&shapes), "call", &operands, &format!(", to_apply=%{name}"));
    let parts = elements_of(site, call, &shapes);
    let target = shape_change(site, "LocalToGlobalShape", "out_shardings");
    site.body.results_of(site.op, &types, "custom-call", &parts, &target);
    Ok(())
}

/// Returns the elements of a tuple of arrays of these types; one array is not a tuple.
fn elements_of(site: &mut Site<'_, '_, '_>, line: usize, types: &[Rc<Type>]) -> Vec<usize> {
    match types {
        [_] => vec![line],
        _ => (0..)
            .zip(types)
            .map(|(k, ty)| {
                let index = format!(", index={k}");
                site.push("part", &ty.shape, "get-tuple-element", &[line], &index)
            })
            .collect(),
    }
}

/// Prints the attributes of a call that changes global shapes to local ones or back, with the shardings that it states.
fn shape_change(site: &Site<'_, '_, '_>, target: &str, shardings: &str) -> String {
    let text = site.lowering.text;
    let entry = |key: &str, (open, close): (&str, &str)| {
        let written = text.tokens.slice(&text.meant(&site.op.named(&[key])?));
        let (open, close) = if written.starts_with('#') { ("", "") } else { (open, close) };
        let quoted = written.replace('\\', "\\\\").replace('"', "\\\"");
        Some(format!("xla.sdy.{key}=\"{open}{quoted}{close}\""))
    };
    let mut entries = vec![
        entry(shardings, ("#sdy.sharding_per_value<", ">")),
        entry("manual_axes", ("#sdy<manual_axes", ">")),
    ];
    entries.sort();
    let entries: Vec<String> = entries.into_iter().flatten().collect();
    let attributes =
        format!(", custom_call_target=\"xla.sdy.{target}\", custom_call_has_side_effect=true");
    match &*entries {
        [] => attributes,
        _ => format!("{attributes}, frontend_attributes={{{}}}", entries.join(",")),
    }
}
