//! Communication between devices.

use crate::body::{OrUnknown, Stop, unknown};
use crate::control;
use crate::lower::Site;
use crate::site::braced;
use std::fmt::Write as _;

type Done = Result<(), Stop>;

/// Prints `{{0,1},{2,3}}`, without the -1 that pad rows.
fn groups(site: &Site<'_, '_, '_>, key: &str) -> Result<String, Stop> {
    let range = site.attribute(&[key])?;
    match site.lowering.text.rows(&range) {
        Some(rows) => {
            let rows: Vec<String> = rows
                .into_iter()
                .map(|mut row| {
                    row.retain(|device| *device >= 0);
                    braced(&row)
                })
                .collect();
            Ok(format!("{{{}}}", rows.join(",")))
        }
        None => unknown(format!("`{key}` is not read")),
    }
}

/// Prints `, channel_id=1, replica_groups=.., use_global_device_ids=true`.
fn among(site: &Site<'_, '_, '_>) -> Result<String, Stop> {
    let mut attributes = channel(site);
    let _ = write!(attributes, ", replica_groups={}", groups(site, "replica_groups")?);
    if site.truth(&["use_global_device_ids"]) && site.op.named(&["use_global_device_ids"]).is_some()
    {
        attributes.push_str(", use_global_device_ids=true");
    }
    Ok(attributes)
}

fn channel(site: &Site<'_, '_, '_>) -> String {
    let text = site.lowering.text;
    let handle = site.op.named(&["channel_handle", "channel_id"]);
    let number = handle.and_then(|range| match text.entry(&range, "handle") {
        Some(entry) => text.integer(&entry),
        None => text.integer(&range),
    });
    match number {
        Some(number) if number > 0 => format!(", channel_id={number}"),
        _ => String::new(),
    }
}

pub(crate) fn all_gather(site: &mut Site<'_, '_, '_>) -> Done {
    let dimension = site.integer(&["all_gather_dim"])?;
    let attributes = format!("{}, dimensions={{{dimension}}}", among(site)?);
    Ok(site.results("all-gather", &site.lines(), &attributes)?)
}

pub(crate) fn all_reduce(site: &mut Site<'_, '_, '_>) -> Done {
    let mut attributes = among(site)?;
    let computation = site.computation(0, "combiner")?;
    let _ = write!(attributes, ", to_apply=%{computation}");
    Ok(site.results("all-reduce", &site.lines(), &attributes)?)
}

pub(crate) fn reduce_scatter(site: &mut Site<'_, '_, '_>) -> Done {
    let dimension = site.integer(&["scatter_dimension"])?;
    let mut attributes = among(site)?;
    let computation = site.computation(0, "combiner")?;
    let _ = write!(attributes, ", dimensions={{{dimension}}}, to_apply=%{computation}");
    Ok(site.results("reduce-scatter", &site.lines(), &attributes)?)
}

pub(crate) fn collective_permute(site: &mut Site<'_, '_, '_>) -> Done {
    let pairs = groups(site, "source_target_pairs")?;
    let attributes = format!("{}, source_target_pairs={pairs}", channel(site));
    Ok(site.results("collective-permute", &site.lines(), &attributes)?)
}

pub(crate) fn collective_broadcast(site: &mut Site<'_, '_, '_>) -> Done {
    let attributes = among(site)?;
    Ok(site.results("collective-broadcast", &site.lines(), &attributes)?)
}

/// Lowers an exchange that splits one dimension and concatenates along another to an exchange and a reshape, like XLA's
/// builder.
pub(crate) fn all_to_all(site: &mut Site<'_, '_, '_>) -> Done {
    let attributes = among(site)?;
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
