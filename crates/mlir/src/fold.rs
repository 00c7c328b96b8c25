//! Ops that combine elements: reductions, windows, products, sorts.

use crate::body::{Body, OrUnknown, Stop, unknown};
use crate::lower::Site;
use crate::row::{Attribute, Form};
use crate::site::{braced, fixed};
use crate::token::{Range, Token};
use std::fmt::Write as _;

type Done = Result<(), Stop>;

/// Returns the groups `[..]` of `range`, including those within angle brackets.
fn lists(site: &Site<'_, '_, '_>, range: &Range) -> Vec<Range> {
    let tokens = &site.lowering.text.tokens;
    let range = site.lowering.text.meant(range);
    let (mut at, mut found) = (range.start, Vec::new());
    while at < range.end {
        match tokens.get(at) {
            Some(Token::OpenBracket) => {
                found.push(at..tokens.behind(at));
                at = tokens.behind(at);
            }
            _ => at += 1,
        }
    }
    found
}

/// Reorders operands: the pretty form pairs each operand with its initial value, HLO and the generic form list all operands
/// first.
fn apart<T: Clone>(pairs: &[T]) -> Vec<T> {
    let firsts = pairs.iter().step_by(2);
    firsts.chain(pairs.iter().skip(1).step_by(2)).cloned().collect()
}

pub(crate) fn reduce(site: &mut Site<'_, '_, '_>) -> Done {
    let dimensions = site.needed_list(&["dimensions"])?;
    let is_pretty = site.op.words.contains(&"across");
    let mut lines = site.lines();
    if lines.is_empty() || lines.len() % 2 == 1 {
        return unknown(format!("it has {} operands", lines.len()));
    }
    if is_pretty {
        lines = apart(&lines);
    }
    let reducer = match site.op.words.iter().position(|word| *word == "applies") {
        Some(at) => {
            let name = site.op.words.get(at + 1).copied().unwrap_or_default();
            applied(site, name)?
        }
        None => {
            let region = site.region(0)?;
            match is_pretty {
                true => site.computation_of(region, "reducer", &apart(&region.arguments))?,
                false => site.computation(0, "reducer")?,
            }
        }
    };
    let attributes = format!(", dimensions={}, to_apply=%{reducer}", braced(&dimensions));
    Ok(site.results("reduce", &lines, &attributes)?)
}

/// The ops on two scalars that a reduction may name instead of having a region.
const BINARY: [&str; 10] =
    ["add", "and", "divide", "maximum", "minimum", "multiply", "or", "power", "subtract", "xor"];

/// Returns the computation of an op on two scalars.
fn applied(site: &mut Site<'_, '_, '_>, name: &str) -> Result<String, Stop> {
    let short = name.split_once('.').map_or(name, |(_, short)| short);
    let opcode = short.replace('_', "-");
    if !BINARY.contains(&&*opcode) {
        return unknown(format!("it applies `{name}`"));
    }
    let scalar = site.operand(1)?.ty.scalar();
    let key = (opcode.clone(), scalar.clone());
    if let Some(known) = site.lowering.reducers.get(&key) {
        return Ok(known.clone());
    }
    let element = scalar.trim_end_matches("[]");
    let name = site.lowering.names.take(&format!("{opcode}.{element}"));
    let mut body = Body { name: name.clone(), ..Default::default() };
    for k in 0..2 {
        let span = (site.op.name_span.clone(), site.op.name_span.clone());
        body.push_leaf(["lhs", "rhs"][k], format!("{scalar} parameter({k})"), span);
    }
    let root = body.push("result", &scalar, &opcode, &[0, 1], "", site.op);
    site.lowering.finish(body, root, site.op);
    site.lowering.reducers.insert(key, name.clone());
    Ok(name)
}

/// The window of an op, printed as `, window={..}`; nothing for rank 0. Empty lists mean the defaults.
#[derive(Default)]
pub(crate) struct Window {
    pub(crate) sizes: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) padding: Vec<Vec<i64>>,
    pub(crate) base_dilations: Vec<i64>,
    pub(crate) window_dilations: Vec<i64>,
    pub(crate) reversal: Vec<i64>,
}

impl Window {
    pub(crate) fn text(&self) -> Result<String, Stop> {
        let rank = self.sizes.len();
        if rank == 0 {
            return Ok(String::new());
        }
        let lists = [&self.strides, &self.base_dilations, &self.window_dilations, &self.reversal];
        let is_of_rank = |length: usize| length == 0 || length == rank;
        let pairs = self.padding.iter().all(|pair| pair.len() == 2);
        if !lists.iter().all(|list| is_of_rank(list.len()))
            || !is_of_rank(self.padding.len())
            || !pairs
        {
            return unknown("the lists of its window differ in length");
        }
        let words = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<_>>();
        let mut text = format!(", window={{size={}", words(&self.sizes).join("x"));
        let pads = self.padding.iter().map(|pair| format!("{}_{}", pair[0], pair[1])).collect();
        for (key, list, default) in [
            ("stride", words(&self.strides), "1"),
            ("pad", pads, "0_0"),
            ("lhs_dilate", words(&self.base_dilations), "1"),
            ("rhs_dilate", words(&self.window_dilations), "1"),
            ("rhs_reversal", words(&self.reversal), "0"),
        ] {
            if list.iter().any(|value| value != default) {
                let _ = write!(text, " {key}={}", list.join("x"));
            }
        }
        text.push('}');
        Ok(text)
    }
}

/// Reads pairs of numbers; empty if the attribute is missing.
fn pairs(site: &Site<'_, '_, '_>, names: &[&str]) -> Result<Vec<Vec<i64>>, Stop> {
    let Some(range) = site.op.named(names) else { return Ok(Vec::new()) };
    site.lowering
        .text
        .rows(&range)
        .or_unknown(|| format!("`{}` is not supported", site.lowering.text.tokens.slice(&range)))
}

pub(crate) fn reduce_window(site: &mut Site<'_, '_, '_>) -> Done {
    let window = Window {
        sizes: site.needed_list(&["window_dimensions"])?,
        strides: site.list(&["window_strides"])?,
        padding: pairs(site, &["padding"])?,
        base_dilations: site.list(&["base_dilations"])?,
        window_dilations: site.list(&["window_dilations"])?,
        reversal: Vec::new(),
    };
    let mut attributes = window.text()?;
    let reducer = site.computation(0, "reducer")?;
    let _ = write!(attributes, ", to_apply=%{reducer}");
    Ok(site.results("reduce-window", &site.lines(), &attributes)?)
}

pub(crate) fn select_and_scatter(site: &mut Site<'_, '_, '_>) -> Done {
    let window = Window {
        sizes: site.needed_list(&["window_dimensions"])?,
        strides: site.list(&["window_strides"])?,
        padding: pairs(site, &["padding"])?,
        ..Window::default()
    };
    let mut attributes = window.text()?;
    let select = site.computation(0, "select")?;
    let scatter = site.computation(1, "scatter")?;
    let _ = write!(attributes, ", select=%{select}, scatter=%{scatter}");
    Ok(site.results("select-and-scatter", &site.lines(), &attributes)?)
}

pub(crate) fn convolution(site: &mut Site<'_, '_, '_>) -> Done {
    let numbers = site.attribute(&["dim_numbers", "dimension_numbers"])?;
    let tokens = &site.lowering.text.tokens;
    let labels: Vec<Vec<&str>> = lists(site, &numbers)
        .iter()
        .map(|list| {
            let parts = tokens.list(tokens.inside(list.start));
            parts.iter().map(|part| tokens.slice(part)).collect()
        })
        .collect();
    let [input, kernel, output] = &*labels else {
        return unknown("its dimension numbers are not supported");
    };
    let rhs = fixed(&site.operand(1)?.ty)?;
    let mut sizes = Vec::new();
    for spatial in 0.. {
        let label = spatial.to_string();
        match kernel.iter().position(|of| *of == label) {
            Some(at) => sizes.extend(rhs.get(at)),
            None => break,
        }
    }
    let joined = [input, kernel, output].map(|labels| labels.concat());
    if !joined.iter().all(|labels| labels.chars().all(|c| c.is_ascii_alphanumeric() || c == '?')) {
        return unknown("its dimension numbers are not supported");
    }
    let text = site.lowering.text;
    let stated = site.op.named(&["window"]);
    let list = |key: &str, of_generic: &str| match &stated {
        None => site.list(&[of_generic]),
        Some(range) => {
            let entry = text.entry(range, key);
            let list = entry.map_or(Some(Vec::new()), |entry| text.integers(&entry));
            list.or_unknown(|| format!("`{key}` of its window is not supported"))
        }
    };
    let padding = match &stated {
        None => pairs(site, &["padding"])?,
        Some(range) => {
            let pad = text.entry(range, "pad").map_or(Some(Vec::new()), |pad| text.rows(&pad));
            pad.or_unknown(|| "the padding is not supported")?
        }
    };
    let window = Window {
        sizes,
        strides: list("stride", "window_strides")?,
        padding,
        base_dilations: list("lhs_dilate", "lhs_dilation")?,
        window_dilations: list("rhs_dilate", "rhs_dilation")?,
        reversal: list("reverse", "window_reversal")?,
    };
    let mut attributes = window.text()?;
    let [input, kernel, output] = joined;
    let _ = write!(attributes, ", dim_labels={input}_{kernel}->{output}");
    for key in ["feature_group_count", "batch_group_count"] {
        if site.op.named(&[key]).is_some() {
            let count = site.integer(&[key])?;
            if count != 1 {
                let _ = write!(attributes, ", {key}={count}");
            }
        }
    }
    attributes.push_str(&site.attributes(&[PRECISION])?);
    Ok(site.results("convolution", &site.lines(), &attributes)?)
}

/// The precision of the operands, unless it is the default one.
pub(crate) const PRECISION: Attribute =
    ("operand_precision", &["precision", "precision_config"], Form::Precision);

/// Prints the algorithm of a dot under its name in HLO. Source: XLA, `PrecisionConfig::Algorithm`.
fn algorithm(site: &Site<'_, '_, '_>) -> Result<String, Stop> {
    let Some(range) = site.op.named(&["algorithm"]) else { return Ok(String::new()) };
    let text = site.lowering.text;
    let entry = |key: &str| {
        let word = text.entry(&text.meant(&range), key).map(|range| text.tokens.word(range.start));
        word.or_unknown(|| format!("its algorithm lacks `{key}`"))
    };
    let operand =
        |key: &str| entry(key).map(|word| if word.starts_with("f8") { "any_f8" } else { word });
    let (lhs, rhs) = (operand("lhs_precision_type")?, operand("rhs_precision_type")?);
    let mut name = format!("dot_{lhs}_{rhs}_{}", entry("accumulation_type")?);
    match entry("num_primitive_operations")? {
        "1" => {}
        count => name.push_str(&format!("_x{count}")),
    }
    if entry("allow_imprecise_accumulation")? == "true" {
        name.push_str("_fast_accum");
    }
    Ok(format!(", algorithm={name}"))
}

const DOT: [Attribute; 4] = [
    ("lhs_batch_dims", &["dot_dimension_numbers", "lhs_batching_dimensions"], Form::EntryIfAny),
    ("rhs_batch_dims", &["dot_dimension_numbers", "rhs_batching_dimensions"], Form::EntryIfAny),
    (
        "lhs_contracting_dims",
        &["dot_dimension_numbers", "lhs_contracting_dimensions"],
        Form::EntryIfAny,
    ),
    (
        "rhs_contracting_dims",
        &["dot_dimension_numbers", "rhs_contracting_dimensions"],
        Form::EntryIfAny,
    ),
];

pub(crate) fn dot_general(site: &mut Site<'_, '_, '_>) -> Done {
    let mut attributes = String::new();
    if site.op.named(&["dot_dimension_numbers"]).is_some() {
        attributes = site.attributes(&DOT)?;
    } else {
        let kinds = [("batching_dims", "batch_dims"), ("contracting_dims", "contracting_dims")];
        for (key, hlo) in kinds {
            let Some(range) = site.op.named(&[key]) else { continue };
            let both = lists(site, &range);
            for (side, list) in ["lhs", "rhs"].iter().zip(&both) {
                let list = site
                    .lowering
                    .text
                    .integers(list)
                    .or_unknown(|| format!("`{key}` is not a list"))?;
                if !list.is_empty() {
                    let _ = write!(attributes, ", {side}_{hlo}={}", braced(&list));
                }
            }
            if both.len() != 2 {
                return unknown(format!("`{key}` is not a pair of lists"));
            }
        }
    }
    attributes.push_str(&site.attributes(&[PRECISION])?);
    attributes.push_str(&algorithm(site)?);
    Ok(site.results("dot", &site.lines(), &attributes)?)
}

/// Contracts the last dimension of the left operand with the first dimension of the right operand.
pub(crate) fn dot(site: &mut Site<'_, '_, '_>) -> Done {
    let last = site
        .operand(0)?
        .ty
        .sizes
        .len()
        .checked_sub(1)
        .or_unknown(|| "its left operand has no dimension")?;
    let precision = site.attributes(&[PRECISION])?;
    let attributes =
        format!(", lhs_contracting_dims={{{last}}}, rhs_contracting_dims={{0}}{precision}");
    Ok(site.results("dot", &site.lines(), &attributes)?)
}

pub(crate) fn sort(site: &mut Site<'_, '_, '_>) -> Done {
    let rank = i64::try_from(site.operand(0)?.ty.sizes.len()).unwrap_or(i64::MAX);
    let dimension = match site.op.named(&["dimension"]) {
        Some(_) => site.integer(&["dimension"])?,
        None => -1,
    };
    let dimension = if dimension < 0 { dimension + rank } else { dimension };
    let comparator = site.computation(0, "comparator")?;
    let mut attributes = format!(", dimensions={{{dimension}}}");
    if site.truth(&["is_stable"]) {
        attributes.push_str(", is_stable=true");
    }
    let _ = write!(attributes, ", to_apply=%{comparator}");
    Ok(site.results("sort", &site.lines(), &attributes)?)
}

pub(crate) fn top_k(site: &mut Site<'_, '_, '_>) -> Done {
    let k = site.integer(&["k"])?;
    Ok(site.results("topk", &site.lines(), &format!(", k={k}, largest=true"))?)
}
