//! Communication between devices.

use crate::body::{OrUnknown, Stop, unknown};
use crate::control;
use crate::lower::Site;
use crate::row::{Attribute, Form};

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

/// Lowers a region that runs on each device on the local shards.
pub(crate) fn manual_computation(site: &mut Site<'_, '_, '_>) -> Done {
    let region = site.region(0)?;
    if region.arguments.len() != site.operands.len() {
        return unknown("it does not have an argument for each operand");
    }
    let types = site.op.result_types()?;
    let name = control::called(site, region)?;
    let mut operands = Vec::new();
    for (argument, value) in region.arguments.iter().zip(site.operands.clone()) {
        let ty = argument.ty.as_ref().or_unknown(|| "an argument has no type")?;
        let target = ", custom_call_target=\"xla.sdy.GlobalToLocalShape\"";
        operands.push(site.push("local", &ty.shape, "custom-call", &[value.line], target));
    }
    let shapes = control::returned(site, region)?;
    if shapes.len() != types.len() {
        return unknown("it does not return a value for each result");
    }
    let shape = crate::types::joined(&shapes);
    let call = site.push("call", &shape, "call", &operands, &format!(", to_apply=%{name}"));
    let target = ", custom_call_target=\"xla.sdy.LocalToGlobalShape\"";
    for ((k, (name, key, _)), ty) in site.op.result_names().enumerate().zip(&types) {
        let line = match &*shapes {
            [_] => call,
            _ => {
                let shape = shapes.get(k).map_or("", |local| &*local.shape);
                site.push("part", shape, "get-tuple-element", &[call], &format!(", index={k}"))
            }
        };
        let line = site.body.push(&name, &ty.shape, "custom-call", &[line], target, site.op);
        site.body.define(&key, line, ty.clone());
    }
    Ok(())
}
