//! Custom-calls of StableHLO, with the attributes that XLA prints for them.
//!
//! Law: attributes that decide the function of a target are kept: its configuration, side effects, aliases, and the layouts in which
//! it takes its operands and gives its results.

use crate::body::{OrUnknown, Stop};
use crate::lower::Site;
use crate::site::braced;
use crate::token::Range;
use crate::types::Type;
use std::fmt::Write as _;
use std::rc::Rc;

pub(crate) fn custom_call(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let text = site.lowering.text;
    let target = match site.op.named(&["call_target_name"]) {
        Some(range) => text.string(&range),
        None => site.op.symbols.first().copied(),
    };
    let target = target
        .filter(|target| !target.contains(['"', '\n', '\\']))
        .or_unknown(|| "its target is missing")?;
    if let ("mhlo.topk", Some(range)) = (target, site.op.named(&["mhlo.attributes"])) {
        let k = text.entry(&range, "k").and_then(|range| text.integer(&range));
        let largest = text.entry(&range, "largest").and_then(|range| text.truth(&range));
        if let Some(k) = k {
            let attributes = format!(", k={k}, largest={}", largest.unwrap_or(true));
            return Ok(site.results("topk", &site.lines(), &attributes)?);
        }
    }
    if let ("mhlo.erf", [_]) = (target, &*site.operands) {
        return Ok(site.results("erf", &site.lines(), "")?);
    }
    let mut attributes = format!(", custom_call_target=\"{target}\"");
    if let Some(range) = site.op.named(&["called_computations"]) {
        let symbols = text.tokens.list(text.tokens.inside(range.start));
        let called = symbols.iter().filter_map(|symbol| text.symbol(symbol));
        let called = called.filter_map(|symbol| site.lowering.functions.get(symbol));
        let called: Vec<String> = called.map(|name| format!("%{name}")).collect();
        if !called.is_empty() {
            let _ = write!(attributes, ", called_computations={{{}}}", called.join(", "));
        }
    }
    let (laid_out, layouts) = with_layouts(site)?;
    attributes.push_str(&layouts);
    attributes.push_str(&interface(site));
    let lines = site.lines();
    attributes.push_str(&site.sharding());
    site.body.results_of(site.op, &laid_out, "custom-call", &lines, &attributes);
    Ok(())
}

/// Returns the types of the results in the layouts that the call states, and the attribute for those of the operands.
fn with_layouts(site: &Site<'_, '_, '_>) -> Result<(Vec<Rc<Type>>, String), Stop> {
    let operands: Vec<Rc<Type>> = site.operands.iter().map(|value| value.ty.clone()).collect();
    let results = site.op.result_types()?;
    let of = |name: &str, types: &[Rc<Type>]| laid_out(site, site.op.named(&[name])?, types);
    let layouts = of("operand_layouts", &operands).zip(of("result_layouts", &results));
    Ok(match layouts {
        Some((operands, results)) => {
            let shapes: Vec<&str> = operands.iter().map(|ty| &*ty.shape).collect();
            (results, format!(", operand_layout_constraints={{{}}}", shapes.join(", ")))
        }
        None => (results, String::new()),
    })
}

/// Returns the types with layouts such as `[dense<[0, 1]> : tensor<2xindex>]`, from the fastest dimension to the slowest.
fn laid_out(site: &Site<'_, '_, '_>, list: Range, types: &[Rc<Type>]) -> Option<Vec<Rc<Type>>> {
    let text = site.lowering.text;
    let layouts = text.tokens.list(text.tokens.inside(text.meant(&list).start));
    let one = |(layout, ty): (&Range, &Rc<Type>)| -> Option<Rc<Type>> {
        if !ty.is_array() {
            return Some(ty.clone());
        }
        let order = text.integers(layout).filter(|order| order.len() == ty.sizes.len())?;
        // The operand may be the result of a call that states a layout.
        let (bare, _) = ty.shape.split_once('{').unwrap_or((&ty.shape, ""));
        let layout = if order.is_empty() { String::new() } else { braced(&order) };
        let shape = format!("{bare}{layout}");
        Some(Rc::new(Type { shape, ..Type::clone(ty) }))
    };
    (layouts.len() == types.len()).then(|| layouts.iter().zip(types).map(one).collect())?
}

/// Prints the version of the interface, side effects, aliases and the configuration.
fn interface(site: &Site<'_, '_, '_>) -> String {
    let (text, op) = (site.lowering.text, site.op);
    let mut printed = String::new();
    if site.truth(&["has_side_effect"]) {
        printed.push_str(", custom_call_has_side_effect=true");
    }
    if let Some(list) = op.named(&["output_operand_aliases"]) {
        let aliases = text.tokens.list(text.tokens.inside(text.meant(&list).start));
        let aliases = aliases.iter().map(|one| {
            let list = |key: &str| text.entry(one, key).and_then(|range| text.integers(&range));
            let operand =
                text.entry(one, "operand_index").and_then(|range| text.integer(&range))?;
            let [from, to] = [list("output_tuple_indices")?, list("operand_tuple_indices")?];
            Some(format!("{}: ({operand}, {})", braced(&from), braced(&to)))
        });
        if let Some(aliases) = aliases.collect::<Option<Vec<_>>>().filter(|list| !list.is_empty()) {
            let _ = write!(printed, ", output_to_operand_aliasing={{{}}}", aliases.join(", "));
        }
    }
    // JAX hides a configuration of the typed interface from older readers in an attribute of its own.
    let hidden = op.named(&["mhlo.backend_config"]);
    let version = op.named(&["api_version"]).and_then(|range| text.integer(&range));
    let version = match version {
        Some(4) => "TYPED_FFI",
        _ if hidden.is_some() => "TYPED_FFI",
        Some(3) => "STATUS_RETURNING_UNIFIED",
        Some(2) => "STATUS_RETURNING",
        _ => "",
    };
    if !version.is_empty() {
        let _ = write!(printed, ", api_version=API_VERSION_{version}");
    }
    let Some(config) = hidden.or_else(|| op.named(&["backend_config"])) else {
        return printed;
    };
    let _ = match text.string(&config) {
        Some("") => Ok(()),
        Some(config) => {
            // HLO has no hexadecimal escapes. They are escaped once more, so that texts that differ still do.
            let is_plain = !config.replace("\\\"", "").replace("\\\\", "").contains('\\');
            let config = if is_plain { config.to_owned() } else { config.replace('\\', "\\\\") };
            write!(printed, ", backend_config=\"{config}\"")
        }
        None => write!(printed, ", backend_config={}", text.tokens.slice(&text.meant(&config))),
    };
    printed
}
