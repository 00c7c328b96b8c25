//! Ops of arith and math: constants, comparisons, and functions without equivalent in HLO.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::dense::scalar;
use crate::lower::Site;
use crate::moved;
use crate::points::{Count, identity, map_text};
use crate::site::sizes;
use crate::token::Token;
use crate::types::{self, Type};
use std::rc::Rc;

type Done = Result<(), Stop>;

/// Lowers `arith.constant 4 : index`, `1.0 : f32`, `true`, `dense<..> : tensor<..>`.
pub(crate) fn constant(site: &mut Site<'_, '_, '_>) -> Done {
    let text = site.lowering.text;
    let range = match (site.op.named(&["value"]), site.op.groups.first()) {
        (Some(range), _) => text.meant(&range),
        (None, Some(range)) => range.clone(),
        // A truth value is a word of the op.
        (None, None) => site.op.tokens.clone(),
    };
    let word = text.tokens.word(range.start);
    let is_number = matches!(text.tokens.get(range.start), Some(Token::Integer | Token::Float));
    if !is_number && !matches!(word, "true" | "false") {
        return moved::constant(site);
    }
    let ty = match site.op.operand_types.last().or(site.op.arrow_types.iter().flatten().last()) {
        Some(ty) => ty.clone(),
        None => match types::of("i1") {
            Some(ty) => Rc::new(ty),
            None => return unknown("its type is not stated"),
        },
    };
    let value = scalar(word, &ty.element)
        .filter(|_| ty.sizes.is_empty())
        .or_unknown(|| "its value is not supported")?;
    let spans = (site.op.name_span.clone(), site.op.span.clone());
    let code = format!("{} constant({value})", ty.shape);
    let line = site.body.push_leaf(&site.name(""), code, spans);
    site.define(line, ty);
    Ok(())
}

/// Lowers `arith.cmpi slt, %a, %b : index`; comparisons that hold for unordered floats become calls with their names.
pub(crate) fn compare(site: &mut Site<'_, '_, '_>) -> Done {
    let words = site.op.words.first().copied();
    let predicate = words.or_else(|| {
        let range = site.op.named(&["predicate"])?;
        site.lowering.text.word(&range)
    });
    let is_float = site.op.short() == "cmpf";
    let direction = predicate.and_then(|predicate| {
        let (kind, direction) = match predicate {
            "eq" | "ne" if !is_float => ("SIGNED", predicate),
            _ => (predicate.get(..1)?, predicate.get(1..)?),
        };
        let kind = match (kind, is_float, direction) {
            ("SIGNED" | "s", false, _) => "SIGNED",
            ("u", false, _) => "UNSIGNED",
            ("o", true, "ne") => return None,
            ("o", true, _) => "FLOAT",
            ("u", true, "ne") => "FLOAT",
            _ => return None,
        };
        let known = ["eq", "ne", "lt", "le", "gt", "ge"].contains(&direction);
        known.then(|| format!(", direction={}, type={kind}", direction.to_uppercase()))
    });
    let of = site.operand(0)?.ty;
    let ty = Rc::new(Type::truths(&of));
    match direction {
        Some(attributes) => {
            let lines = site.lines();
            site.made(ty, "compare", &lines, &attributes)
        }
        None => of_elements(site, &ty, predicate.unwrap_or_default()),
    }
}

/// Lowers a function of the elements at one index to a call.
pub(crate) fn called(site: &mut Site<'_, '_, '_>) -> Done {
    let ty = site.op.result_types()?.first().cloned().or_unknown(|| "it has no result")?;
    of_elements(site, &ty, "")
}

/// Lowers a function of scalars to a call for all threads.
pub(crate) fn by_thread(site: &mut Site<'_, '_, '_>) -> Done {
    let own = |value: &&Value<'_, '_>| site.body.by_thread.contains(&value.line);
    let of = site.operands.iter().find(own).or_unknown(|| "it has no operand")?.ty.clone();
    let ty = match (site.op.dialect(), site.op.short()) {
        (_, "cmpf" | "cmpi") => Type::truths(&of),
        ("affine" | "xla", _) => {
            let ty = types::of("index").or_unknown(|| "it has no type")?;
            Type::array_like(&ty, &of.sizes)
        }
        _ => {
            let types = site.op.result_types()?;
            Type::array_like(types.first().or_unknown(|| "it has no result")?, &of.sizes)
        }
    };
    // Equal calls compute the same, so the text has all that is stated besides the operands.
    let text = site.lowering.text;
    let stated = site.op.named.iter().map(|(_, range)| range).chain(&site.op.groups);
    let stated = stated.map(|range| text.tokens.slice(&text.meant(range)));
    let stated: Vec<&str> = site.op.words.iter().copied().chain(stated).collect();
    of_elements(site, &Rc::new(ty), &stated.join(" "))?;
    let result = site.op.results.first().and_then(|result| site.body.values.get(result.name));
    site.body.by_thread.extend(result.map(|value| value.line));
    Ok(())
}

fn of_elements(site: &mut Site<'_, '_, '_>, ty: &Rc<Type>, kind: &str) -> Done {
    let rank = sizes(ty)?.len();
    let mut reads = Vec::new();
    let full = site.operands.iter().position(|operand| operand.ty.sizes.len() == rank);
    let sizes = Count::of_operand(full.unwrap_or(0), &ty.sizes);
    for operand in &site.operands {
        let map = match operand.ty.sizes.len() {
            0 => map_text(rank, &[]),
            of if of == rank => identity(rank),
            _ => return unknown("its operands differ in rank"),
        };
        reads.push((operand.line, Some(map)));
    }
    let text =
        format!("{} {kind} {}", site.op.name, site.operands.first().map_or("", |x| &x.ty.element));
    site.call(sizes, identity(rank), reads, &text, ty)
}
