//! Parts of arrays as calls that state their loops: with dynamic sizes, with strides into an array, or with strides of a view.
//!
//! Law: an index of the whole array is `offset + stride * index` for an index of the part; an offset that is a value is a
//! symbol. Source: MLIR, `OffsetSizeAndStrideOpInterface`, `memref.reinterpret_cast`, `vector.multi_reduction`.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::exprs::{counter, map_over};
use crate::geometry::Place;
use crate::index::Index;
use crate::lower::Site;
use crate::points::{Count, Points, dims, identity, map_text, said};
use crate::site::{fixed, sizes};
use crate::types::Type;
use crate::view::View;
use crate::views::{self, ViewOp, kept};
use affinor_maps::expr::Expr;
use std::rc::Rc;

type Done = Result<(), Stop>;
type Places<'p, 't, 'a> = &'p [Place<'t, 'a>];

/// Returns the offsets as terms of a map, with the values that become its symbols.
fn terms<'t, 'a>(offsets: Places<'_, 't, 'a>) -> (Vec<String>, Vec<Value<'t, 'a>>) {
    let mut symbols: Vec<Value<'t, 'a>> = Vec::new();
    let mut term = |offset: &Place<'t, 'a>| match offset {
        Place::Fixed(number) => number.to_string(),
        Place::Value(value) => {
            symbols.push(value.clone());
            format!("s{}", symbols.len() - 1)
        }
    };
    (offsets.iter().map(&mut term).collect(), symbols)
}

/// Prints a map over loops and unbounded symbols, with constraints.
fn map_with(loops: usize, symbols: usize, results: &[String], constraints: &[String]) -> String {
    let loops = dims(0..loops);
    let symbols: Vec<String> = (0..symbols).map(|k| format!("s{k}")).collect();
    let bounds = loops.iter().chain(&symbols).map(|name| format!("{name} in [-inf, inf]"));
    let domain: Vec<String> = bounds.chain(constraints.iter().cloned()).collect();
    format!(
        "({})[{}] -> ({}), domain: {}",
        loops.join(", "),
        symbols.join(", "),
        results.join(", "),
        domain.join(", ")
    )
}

/// Returns the entries that are numbers.
fn numbers(places: Places<'_, '_, '_>) -> Vec<Option<i64>> {
    let number = |place: &Place<'_, '_>| match place {
        Place::Fixed(number) => Some(*number),
        Place::Value(_) => None,
    };
    places.iter().map(number).collect()
}

/// Appends the symbols to the reads of a call, and adds the call.
fn call(
    site: &mut Site<'_, '_, '_>,
    mut points: Points,
    symbols: &[Value<'_, '_>],
    ty: &Rc<Type>,
) -> Done {
    let first = points.reads.len();
    points.reads.extend(symbols.iter().map(|symbol| (symbol.line, None)));
    points.symbols = (first..points.reads.len()).collect();
    site.call_over(&points, ty)
}

/// Extracts a part of operand 0.
pub(crate) fn part(
    site: &mut Site<'_, '_, '_>,
    offsets: Places<'_, '_, '_>,
    lengths: Places<'_, '_, '_>,
    strides: &[i64],
    ty: &Rc<Type>,
) -> Done {
    let source = site.operand(0)?;
    let rank = sizes(&source.ty)?.len();
    if [offsets.len(), lengths.len(), strides.len()] != [rank; 3] {
        return unknown("its lists do not have the rank of the operand");
    }
    let (terms, symbols) = terms(offsets);
    let index =
        |(k, (offset, stride)): (usize, (&String, &i64))| format!("d{k} * {stride} + {offset}");
    let indices: Vec<String> = terms.iter().zip(strides).enumerate().map(index).collect();
    let own = kept(&numbers(lengths), ty)?;
    let counts = lengths.iter().map(|length| match length {
        Place::Fixed(number) => Count::Fixed(*number),
        Place::Value(_) => Count::Open,
    });
    let result: Vec<String> = (0..rank).filter(|k| own[*k]).map(|k| format!("d{k}")).collect();
    let points = Points {
        sizes: counts.collect(),
        result: map_text(rank, &result),
        reads: vec![(source.line, Some(map_with(rank, symbols.len(), &indices, &[])))],
        text: "tensor.extract_slice".to_owned(),
        ..Points::default()
    };
    call(site, points, &symbols, ty)
}

/// Inserts an array as a part of operand 1. The remaining elements of operand 1 are not described by a single map, so its
/// reads are an upper bound.
pub(crate) fn over(
    site: &mut Site<'_, '_, '_>,
    source: &Value<'_, '_>,
    offsets: Places<'_, '_, '_>,
    lengths: Places<'_, '_, '_>,
    strides: &[i64],
) -> Done {
    let whole = site.operand(1)?;
    let rank = offsets.len();
    let (terms, symbols) = terms(offsets);
    let own = kept(&numbers(lengths), &source.ty)?;
    let (mut indices, mut constraints) = (Vec::new(), Vec::new());
    for (k, (offset, stride)) in terms.iter().zip(strides).enumerate() {
        if *stride < 1 {
            return unknown("its strides are not positive");
        }
        let behind = format!("(d{k} - ({offset}))");
        if *stride > 1 {
            constraints.push(format!("{behind} mod {stride} in [0, 0]"));
        }
        match own[k] {
            true => indices.push(format!("{behind} floordiv {stride}")),
            false => constraints.push(format!("{behind} in [0, 0]")),
        }
    }
    let points = Points {
        sizes: Count::of_operand(1, &whole.ty.sizes),
        result: identity(rank),
        reads: vec![
            (source.line, Some(map_with(rank, symbols.len(), &indices, &constraints))),
            (whole.line, Some(identity(rank))),
        ],
        bounds: vec![1],
        text: "tensor.insert_slice".to_owned(),
        ..Points::default()
    };
    call(site, points, &symbols, &whole.ty)
}

/// Lowers `memref.reinterpret_cast`: other sizes and strides over the elements of a buffer in their order.
pub(crate) fn reinterpret(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, ty, mut index) = (site.operand(0)?, site.result_type()?, Index::default());
    let rank = sizes(&ty)?.len();
    let whole = View::whole(source.line, source.ty);
    let op = site.op;
    let view = ViewOp { site, index: &mut index, op, of: &whole, ty: &ty };
    let indices = views::reinterpreted(view)?;
    let at: Vec<Option<Expr>> = (0..rank).map(|k| Some(counter(k))).collect();
    let indices = whole.of(ty.sizes.clone(), &indices)?.at(&at)?;
    let indices: Option<Vec<Expr>> = indices.into_iter().collect();
    let indices = indices.or_unknown(|| "its offset is not known")?;
    let symbols = index.symbols_of(&indices);
    let map = map_over(&vec![None; rank], &indices, &[], &symbols)?;
    let mut reads = vec![(source.line, Some(said(&map)))];
    reads.extend(index.lines(&symbols).into_iter().map(|line| (line, None)));
    let points = Points {
        sizes: Count::of_result(&ty.sizes),
        result: identity(rank),
        symbols: (1..reads.len()).collect(),
        reads,
        text: "memref.reinterpret_cast".to_owned(),
        ..Points::default()
    };
    site.call_over(&points, &ty)
}

/// Lowers `vector.multi_reduction <add>, %v, %acc [1]`, `vector.reduction <add>, %v, %acc`.
pub(crate) fn reduced(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, ty) = (site.operand(0)?, site.result_type()?);
    let of = fixed(&source.ty)?;
    let all: Vec<i64> = (0_i64..).zip(&of).map(|(k, _)| k).collect();
    let folded = match (site.op.named(&["reduction_dims"]), site.op.groups.last().cloned()) {
        _ if site.op.short() == "reduction" => all,
        (Some(_), _) => site.needed_list(&["reduction_dims"])?,
        (None, Some(group)) => {
            let list = site.lowering.text.integers(&group);
            list.or_unknown(|| "its dimensions are not supported")?
        }
        (None, None) => return unknown("its dimensions are missing"),
    };
    let left: Vec<String> = (0_i64..)
        .zip(&of)
        .filter(|(k, _)| !folded.contains(k))
        .map(|(k, _)| format!("d{k}"))
        .collect();
    let result = map_text(of.len(), &left);
    let mut reads = vec![(source.line, Some(identity(of.len())))];
    reads.extend(site.operands.iter().skip(1).map(|value| (value.line, Some(result.clone()))));
    site.call(Count::of_operand(0, &source.ty.sizes), result, reads, site.op.name, &ty)
}
