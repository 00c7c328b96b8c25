//! Lowers modules: their functions become computations, the entry last.

use crate::body::Body;
use crate::emit::{Emitted, Names};
use crate::lower::{Lowering, sharding_of};
use crate::parse::Text;
use crate::table;
use crate::token::Range;
use crate::tree::Op;
use crate::types::joined;
use affinor_maps::text::{Error, ErrorKind};
use rustc_hash::FxHashMap;

/// Lowers a module to HLO text, with notes for the parts that were not understood.
pub(crate) fn lowered(text: &Text<'_>) -> Result<(Emitted, Vec<Error>), Error> {
    let mut functions = Vec::new();
    let header = find_functions(&text.ops, text, &mut functions);
    let mut lowering = Lowering {
        text,
        rule: table::lower,
        functions: FxHashMap::default(),
        done: Vec::new(),
        names: Names::default(),
        notes: Vec::new(),
        reducers: FxHashMap::default(),
        repeated: 0,
    };
    if functions.is_empty() {
        snippet(&mut lowering, &text.ops)?;
    } else {
        let entry = entry(&functions);
        for (name, op) in &functions {
            let taken = lowering.names.take(name);
            if lowering.functions.insert(name, taken).is_some() {
                let error = op.error(format!("a function named `@{name}` is already defined"));
                return Err(error.hint("rename one of them"));
            }
        }
        let others = functions.iter().enumerate().filter(|(number, _)| *number != entry);
        let ordered = others.map(|(_, function)| function).chain(functions.get(entry));
        for (name, op) in ordered {
            function(&mut lowering, name, op)?;
        }
    }
    let Lowering { done, notes, .. } = lowering;
    Ok((Emitted::of(&header, &done), notes))
}

/// Collects the functions with a body, including those of nested modules (the nesting of regions is bounded); returns the first
/// line of the module in HLO text.
fn find_functions<'t, 'a>(
    ops: &'t [Op<'a>],
    text: &Text<'a>,
    functions: &mut Vec<(&'a str, &'t Op<'a>)>,
) -> String {
    let mut header = "HloModule module".to_owned();
    for op in ops {
        match op.short() {
            "module" => {
                let inner = op.regions.iter().map(|region| &region.ops);
                inner.for_each(|ops| drop(find_functions(ops, text, functions)));
                header = format!(
                    "HloModule {}",
                    Names::default().take(symbol(op, text).unwrap_or("module"))
                );
                for (key, name) in
                    [("num_replicas", "replica_count"), ("num_partitions", "num_partitions")]
                {
                    let keys = [&*format!("mhlo.{key}"), key];
                    let number = op.named(&keys).and_then(|range| text.integer(&range));
                    if let Some(number) = number.filter(|number| *number > 1) {
                        header.push_str(&format!(", {name}={number}"));
                    }
                }
            }
            "func" | "entry_func" if op.regions.iter().any(|region| !region.ops.is_empty()) => {
                functions.extend(symbol(op, text).map(|name| (name, op)));
            }
            _ => {}
        }
    }
    header
}

/// Returns the symbol that `op` defines.
fn symbol<'a>(op: &Op<'a>, text: &Text<'a>) -> Option<&'a str> {
    let named = || op.named(&["sym_name"]).and_then(|range| text.string(&range));
    op.symbols.first().copied().or_else(named)
}

/// Returns the index of the entry: `@main`, or else the first function that is not private.
fn entry(functions: &[(&str, &Op<'_>)]) -> usize {
    let main = functions.iter().position(|(name, _)| *name == "main");
    let is_public = |op: &Op<'_>| !op.words.contains(&"private");
    main.or_else(|| functions.iter().position(|(_, op)| is_public(op))).unwrap_or(0)
}

fn function<'t, 'a>(
    lowering: &mut Lowering<'t, 'a>,
    name: &'a str,
    op: &'t Op<'a>,
) -> Result<(), Error> {
    let name = lowering.functions.get(name).cloned().unwrap_or_else(|| name.to_owned());
    let mut body = Body { name: name.clone(), function: Some(op), ..Body::default() };
    let Some(region) = op.regions.first() else { return Ok(()) };
    for argument in &region.arguments {
        let Some(ty) = &argument.ty else {
            let error = Error::new(ErrorKind::Hlo, argument.span.clone(), "expected a type");
            return Err(error.hint("an argument is `%name: type`"));
        };
        let sharding =
            argument.attributes.as_ref().and_then(|range| sharding(lowering.text, range));
        body.parameter(argument, ty.clone(), &sharding.unwrap_or_default());
    }
    let root = match region.more_blocks {
        0 => lowering.ops(&mut body, &region.ops, op)?,
        _ => {
            let reason = "control flow between blocks is not followed";
            lowering.note(op, reason);
            let types = op.arrow_types.clone().unwrap_or_default();
            let operands: Vec<usize> = (0..body.lines.len()).collect();
            body.push("blocks", &joined(&types), "cf.blocks", &operands, "", op)
        }
    };
    lowering.finish(body, root, op);
    Ok(())
}

fn snippet<'t, 'a>(lowering: &mut Lowering<'t, 'a>, ops: &'t [Op<'a>]) -> Result<(), Error> {
    let Some(last) = ops.last() else {
        let error = lowering.text.tokens.expected(0, "an op");
        return Err(error.hint("an op is `%result = dialect.op %operand : type`"));
    };
    let mut body = Body { name: lowering.names.take("entry"), is_snippet: true, ..Body::default() };
    let root = lowering.ops(&mut body, ops, last)?;
    lowering.finish(body, root, last);
    Ok(())
}

/// Prints `, sharding=..` and the like from attributes.
fn sharding(text: &Text<'_>, range: &Range) -> Option<String> {
    let entries = text.tokens.list(range.clone());
    let entry = entries.into_iter().find(|entry| {
        let key = text.tokens.word(entry.start).trim_matches('"');
        key == "mhlo.sharding"
    })?;
    let sharding = text.string(&(entry.start + 2..entry.end))?;
    sharding_of(sharding)
}
