//! Ops that move elements, and constants.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::dense::{self, Values};
use crate::lower::Site;
use crate::row::{Attribute, Form};
use crate::site::{braced, dimensions as dimensions_of, fixed, ranges};
use crate::token::Range;
use crate::tree::Op;
use crate::types::Type;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// Lowers a broadcast. Expanded dimensions of size 1 are removed first, since HLO does not broadcast them.
pub(crate) fn broadcast_in_dim(site: &mut Site<'_, '_, '_>) -> Done {
    let dimensions = site.list(&["dims", "broadcast_dimensions"])?;
    let (operand, sizes) = (site.operand(0)?, site.result_sizes()?);
    let (line, dimensions) = squeezed(site, &operand, &dimensions, &sizes)?;
    Ok(site.results("broadcast", &[line], &dimensions_of(&dimensions))?)
}

/// Removes the dimensions of an array that are broadcast from size 1; returns the rest of the list as well.
fn squeezed(
    site: &mut Site<'_, '_, '_>,
    operand: &Value<'_, '_>,
    dimensions: &[i64],
    sizes: &[i64],
) -> Result<(usize, Vec<i64>), Stop> {
    let given = fixed(&operand.ty)?;
    if given.len() != dimensions.len() {
        return unknown(format!("`dims` has {} for rank {}", dimensions.len(), given.len()));
    }
    let mut kept = Vec::new();
    for (&dimension, &size) in dimensions.iter().zip(&given) {
        let of_result = usize::try_from(dimension).ok().and_then(|d| sizes.get(d));
        match of_result {
            Some(&result) if result == size => kept.push((dimension, size)),
            Some(_) if size == 1 => {}
            _ => return unknown(format!("dimension {dimension} does not fit the result")),
        }
    }
    let (dimensions, left): (Vec<i64>, Vec<i64>) = kept.into_iter().unzip();
    let mut line = operand.line;
    if left.len() < given.len() {
        line = site.push("reshape", &operand.ty.with_sizes(&left), "reshape", &[line], "");
    }
    Ok((line, dimensions))
}

/// Broadcasts the operands of an elementwise op of `chlo` to the sizes of its result.
pub(crate) fn operands_broadcast(site: &mut Site<'_, '_, '_>) -> Done {
    let sizes = site.result_sizes()?;
    let stated = site.list(&["broadcast_dimensions"])?;
    for k in 0..site.operands.len() {
        let operand = site.operand(k)?;
        let given = fixed(&operand.ty)?;
        // Without a list, the last dimensions are aligned.
        let first = sizes.len().checked_sub(given.len()).or_unknown(|| "its rank is too small")?;
        let dimensions: Vec<i64> = match stated.len() == given.len() && first > 0 {
            true => stated.clone(),
            false => (0_i64..).zip(&sizes).skip(first).map(|(at, _)| at).collect(),
        };
        if given != sizes {
            let (line, kept) = squeezed(site, &operand, &dimensions, &sizes)?;
            let attributes = dimensions_of(&kept);
            let shape = operand.ty.with_sizes(&sizes);
            let line = site.push("operand", &shape, "broadcast", &[line], &attributes);
            let ty = Rc::new(Type::array_like(&operand.ty, &sizes));
            site.operands[k] = Value { line, ty, source: None };
        }
    }
    Ok(())
}

/// Lowers a reshape. With fixed sizes, the operand that states them is redundant.
pub(crate) fn reshape(site: &mut Site<'_, '_, '_>) -> Done {
    site.result_sizes()?;
    let operand = site.operand(0)?.line;
    Ok(site.results("reshape", &[operand], "")?)
}

pub(crate) fn iota(site: &mut Site<'_, '_, '_>) -> Done {
    let dimension = site.integer(&["dim", "iota_dimension"])?;
    site.result_sizes()?;
    Ok(site.results("iota", &[], &format!(", iota_dimension={dimension}"))?)
}

pub(crate) fn constant(site: &mut Site<'_, '_, '_>) -> Done {
    let text = site.lowering.text;
    let range = match (site.op.named(&["value"]), site.op.groups.first()) {
        (Some(range), _) => text.meant(&range),
        (None, Some(range)) => range.clone(),
        (None, None) => return unknown("its value is missing"),
    };
    let ty = site.result()?;
    fixed(&ty)?;
    let is_dense = text.tokens.is(range.start, "dense") && range.len() > 1;
    let values = match is_dense {
        true => dense::values(&text.tokens, &text.tokens.inside(range.start + 1), &ty.element),
        false => Some(Values::Elided),
    };
    let name = site.name("");
    let spans = |op: &Op<'_>| {
        let named = op.results.first().map_or(&op.name_span, |result| &result.span);
        (named.clone(), op.span.clone())
    };
    let literal = match &values {
        Some(Values::Elided) => "{...}".to_owned(),
        Some(Values::Listed(values)) => match dense::literal(values, &ty) {
            Some(literal) => literal,
            None => {
                return unknown(format!("it has {} values, and is of `{}`", values.len(), ty.text));
            }
        },
        Some(Values::Splat(value)) if ty.sizes.is_empty() => value.clone(),
        Some(Values::Splat(value)) => {
            let code = format!("{} constant({value})", ty.scalar());
            let scalar = site.body.push_leaf(&format!("{name}.value"), code, spans(site.op));
            return Ok(site.results("broadcast", &[scalar], ", dimensions={}")?);
        }
        None => return unknown("its value is not supported"),
    };
    let code = format!("{} constant({literal})", ty.shape);
    let line = site.body.push_leaf(&name, code, spans(site.op));
    site.define(line, ty);
    Ok(())
}

pub(crate) fn compare(site: &mut Site<'_, '_, '_>) -> Done {
    const DIRECTIONS: [&str; 6] = ["EQ", "GE", "GT", "LE", "LT", "NE"];
    let direction = match site.op.named(&["comparison_direction"]) {
        Some(range) => site.lowering.text.word(&range),
        None => site.op.words.first().copied(),
    };
    let direction = direction
        .filter(|word| DIRECTIONS.contains(word))
        .or_unknown(|| "its direction is missing")?;
    let ty = match site.op.named(&["compare_type"]) {
        Some(range) => site.lowering.text.word(&range),
        None => site.op.words.get(1).copied(),
    };
    let mut attributes = format!(", direction={direction}");
    if ty == Some("TOTALORDER") {
        attributes.push_str(", type=TOTALORDER");
    }
    if site.operands.len() != 2 {
        return unknown(format!("it has {} operands", site.operands.len()));
    }
    Ok(site.results("compare", &site.lines(), &attributes)?)
}

/// Lowers a select. A scalar predicate is broadcast to all elements.
pub(crate) fn select(site: &mut Site<'_, '_, '_>) -> Done {
    let (predicate, ty) = (site.operand(0)?, site.result()?);
    if site.operands.len() != 3 {
        return unknown(format!("it has {} operands", site.operands.len()));
    }
    let mut lines = site.lines();
    if predicate.ty.sizes.is_empty() && !ty.sizes.is_empty() && predicate.ty.is_array() {
        let shape = predicate.ty.with_sizes(&fixed(&ty)?);
        let line = site.push("predicate", &shape, "broadcast", &[lines[0]], ", dimensions={}");
        lines[0] = line;
    }
    Ok(site.results("select", &lines, "")?)
}

pub(crate) fn square(site: &mut Site<'_, '_, '_>) -> Done {
    let line = site.operand(0)?.line;
    Ok(site.results("multiply", &[line, line], "")?)
}

pub(crate) fn reduce_precision(site: &mut Site<'_, '_, '_>) -> Done {
    let format = site.op.named(&["format"]).and_then(|range| {
        let word = site.lowering.text.word(&range)?;
        let (exponent, mantissa) = word.strip_prefix('e')?.split_once('m')?;
        Some((exponent.parse().ok()?, mantissa.parse().ok()?))
    });
    let (exponent, mantissa): (i64, i64) = match format {
        Some(bits) => bits,
        None => (site.integer(&["exponent_bits"])?, site.integer(&["mantissa_bits"])?),
    };
    let attributes = format!(", exponent_bits={exponent}, mantissa_bits={mantissa}");
    Ok(site.results("reduce-precision", &site.lines(), &attributes)?)
}

/// Returns the value of operand `k` as integers, if it is a constant.
fn constant_operand(site: &Site<'_, '_, '_>, k: usize) -> Result<Vec<i64>, Stop> {
    let value = site.operand(k)?;
    let constant = value.source.filter(|op| op.short() == "constant");
    let range: Option<Range> = constant.and_then(|op| {
        if let Some(range) = op.named(&["value"]) {
            return Some(range);
        }
        let group = op.groups.first().cloned()?;
        // The range includes the type, which gives the number of elements of a splat.
        Some(group.start..op_end(site, op, group))
    });
    let integers = range.and_then(|range| site.lowering.text.integers(&range));
    integers.or_unknown(|| format!("operand {k} is known only at run time"))
}

/// Returns the end of the type of a constant in its pretty form.
fn op_end(site: &Site<'_, '_, '_>, op: &Op<'_>, group: Range) -> usize {
    let tokens = &site.lowering.text.tokens;
    let mut at = group.end;
    while at < tokens.len() && tokens.span(at).end <= op.span.end && !tokens.is(at, "loc") {
        at = tokens.behind(at);
    }
    at
}

/// Reads starts, limits and strides: `[0:1, 0:8:2]`, three lists, or constant operands.
pub(crate) fn slice(site: &mut Site<'_, '_, '_>) -> Done {
    let is_dynamic = site.op.short() == "real_dynamic_slice";
    let group = site.op.groups.first().cloned();
    let mut attributes = ranges([]);
    let rank = site.operand(0)?.ty.sizes.len();
    if is_dynamic || site.op.named(&["start_indices"]).is_some() {
        let (starts, limits, strides) = match is_dynamic {
            true => {
                (constant_operand(site, 1)?, constant_operand(site, 2)?, constant_operand(site, 3)?)
            }
            false => (
                site.needed_list(&["start_indices"])?,
                site.needed_list(&["limit_indices"])?,
                site.needed_list(&["strides"])?,
            ),
        };
        if [starts.len(), limits.len(), strides.len()] != [rank; 3] {
            return unknown("its lists do not have the rank of the operand");
        }
        let all = starts.iter().zip(&limits).zip(&strides);
        attributes = ranges(all.map(|((start, limit), stride)| (*start, *limit, *stride)));
    } else if let Some(group) = group {
        let tokens = &site.lowering.text.tokens;
        let mut list = Vec::new();
        for part in tokens.list(tokens.inside(group.start)) {
            let text = tokens.slice(&part).replace(' ', "");
            if !text.chars().all(|c| c.is_ascii_digit() || c == ':') {
                return unknown(format!("`{text}` is not a range of indices"));
            }
            let stride = if text.matches(':').count() == 1 { ":1" } else { "" };
            list.push(format!("[{text}{stride}]"));
        }
        attributes = format!(", slice={{{}}}", list.join(","));
    } else if rank > 0 {
        return unknown("its ranges are missing");
    }
    let operand = site.operand(0)?.line;
    Ok(site.results("slice", &[operand], &attributes)?)
}

pub(crate) fn pad(site: &mut Site<'_, '_, '_>) -> Done {
    let [low, high, interior] = match site.op.short() == "dynamic_pad" {
        true => [2, 3, 4].map(|k| constant_operand(site, k)),
        false => [
            site.list(&["low", "edge_padding_low"]),
            site.list(&["high", "edge_padding_high"]),
            site.list(&["interior", "interior_padding"]),
        ],
    };
    let (low, high, interior) = (low?, high?, interior?);
    let rank = site.operand(0)?.ty.sizes.len();
    if [low.len(), high.len(), interior.len()] != [rank; 3] {
        return unknown("its lists do not have the rank of the operand");
    }
    let parts = low.iter().zip(&high).zip(&interior);
    let parts: Vec<String> =
        parts.map(|((low, high), interior)| format!("{low}_{high}_{interior}")).collect();
    let operands = [site.operand(0)?.line, site.operand(1)?.line];
    if parts.is_empty() {
        let operand = site.operand(0)?;
        return site.is(&operand);
    }
    Ok(site.results("pad", &operands, &format!(", padding={}", parts.join("x")))?)
}

/// Prints `, padding=..` without interior padding; nothing for rank 0.
pub(crate) fn interior_free_padding(low: &[i64], high: &[i64]) -> String {
    let parts = low.iter().zip(high).map(|(low, high)| format!("{low}_{high}"));
    match parts.collect::<Vec<_>>() {
        parts if parts.is_empty() => String::new(),
        parts => format!(", padding={}", parts.join("x")),
    }
}

pub(crate) fn gather(site: &mut Site<'_, '_, '_>) -> Done {
    const NUMBERS: [Attribute; 6] = [
        ("offset_dims", &["dimension_numbers"], Form::Entry),
        ("collapsed_slice_dims", &["dimension_numbers"], Form::Entry),
        ("start_index_map", &["dimension_numbers"], Form::Entry),
        ("operand_batching_dims", &["dimension_numbers"], Form::EntryIfAny),
        ("start_indices_batching_dims", &["dimension_numbers"], Form::EntryIfAny),
        ("index_vector_dim", &["dimension_numbers"], Form::EntryNumber),
    ];
    let numbers = site.attributes(&NUMBERS)?;
    let sizes = match site.op.short() == "dynamic_gather" {
        true => constant_operand(site, 2)?,
        false => site.list(&["slice_sizes"])?,
    };
    let sorted = site.attributes(&[("indices_are_sorted", &["indices_are_sorted"], Form::Flag)])?;
    let attributes = format!("{numbers}, slice_sizes={}{sorted}", braced(&sizes));
    let operands = [site.operand(0)?.line, site.operand(1)?.line];
    Ok(site.results("gather", &operands, &attributes)?)
}

pub(crate) fn random(site: &mut Site<'_, '_, '_>) -> Done {
    const KINDS: &[&str] = &["UNIFORM", "NORMAL"];
    let kind = kind_of(site, &["distribution", "rng_distribution"], KINDS)?;
    let operands = [site.operand(0)?.line, site.operand(1)?.line];
    Ok(site.results("rng", &operands, &format!(", distribution={kind}"))?)
}

pub(crate) fn random_bits(site: &mut Site<'_, '_, '_>) -> Done {
    const KINDS: &[&str] = &["DEFAULT", "THREE_FRY", "PHILOX"];
    let kind = kind_of(site, &["algorithm", "rng_algorithm"], KINDS)?;
    Ok(site.results("rng-bit-generator", &site.lines(), &format!(", algorithm={kind}"))?)
}

/// Returns the name in HLO of a kind among these.
fn kind_of(site: &Site<'_, '_, '_>, names: &[&str], kinds: &[&str]) -> Result<String, Stop> {
    match site.word(names)? {
        word if kinds.contains(&word) => Ok(format!("rng_{}", word.to_lowercase())),
        other => unknown(format!("`{other}` is no {} of HLO", names[0])),
    }
}
