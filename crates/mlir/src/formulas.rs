//! Index arithmetic outside of loops.

use crate::body::{OrUnknown, Stop, Value};
use crate::exprs::map_over;
use crate::index::Index;
use crate::lower::Site;
use crate::points::{Points, identity, said};
use crate::types;
use std::rc::Rc;

/// Lowers index arithmetic outside of loops: each result is a call with its formula as text.
pub(crate) fn values(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let (mut index, op) = (Index::default(), site.op);
    let computed = index.computed(site, op)?;
    let ty = types::of("index").map(Rc::new).or_unknown(|| "it has no type")?;
    let names: Vec<_> = op.result_names().collect();
    for ((name, key, span), value) in names.into_iter().zip(computed) {
        let line = match value.as_constant() {
            Some(number) => {
                let code = format!("s64[] constant({number})");
                site.body.push_leaf(&name, code, (span, op.span.clone()))
            }
            None => {
                let symbols = index.symbols_of([&value]);
                let map = map_over(&[], &[value], &[], &symbols)?;
                let lines = index.lines(&symbols).into_iter();
                let reads = lines.map(|line| (line, Some(identity(0))));
                let points = Points {
                    result: identity(0),
                    reads: reads.collect(),
                    text: said(&map),
                    ..Points::default()
                };
                let (attributes, operands) =
                    (points.attributes("linalg.generic"), points.operands());
                site.body.push(&name, &ty.shape, "custom-call", &operands, &attributes, op)
            }
        };
        let value = Value { line, ty: ty.clone(), source: Some(op) };
        site.body.values.insert(key, value);
    }
    Ok(())
}
