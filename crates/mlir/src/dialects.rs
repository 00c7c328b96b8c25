//! The known ops of linalg, tensor, memref, vector, affine, scf, arith and math.
//!
//! An op of arith or math is lowered to the equivalent op of HLO, given after `=`; an op without equivalent becomes a call with
//! its name.
//! Source: MLIR, the documentation of each dialect.

use crate::access;
use crate::by_points;
use crate::elements;
use crate::formulas;
use crate::inside;
use crate::linalg;
use crate::linalg_named as named;
use crate::loops;
use crate::moved;
use crate::row::Row::{self, By, Destination, Elementwise};
use crate::row::listed;
use crate::scalar;
use crate::slices;
use crate::tensor;

/// Elementwise ops of arith and math.
const ARITH: &str = "addf=add addi=add andi=and bitcast=bitcast-convert divf=divide divsi=divide extf=convert \
    extsi=convert fptosi=convert index_cast=convert maximumf=maximum maxsi=maximum minimumf=minimum minsi=minimum \
    mulf=multiply muli=multiply negf=negate ori=or remf=remainder remsi=remainder shli=shift-left \
    shrsi=shift-right-arithmetic shrui=shift-right-logical sitofp=convert subf=subtract subi=subtract truncf=convert \
    xori=xor";
const MATH: &str = "absf=abs absi=abs atan2=atan2 cbrt=cbrt ceil=ceil cos=cosine ctlz=count-leading-zeros \
    ctpop=popcnt erf=erf exp=exponential expm1=exponential-minus-one floor=floor log=log log1p=log-plus-one \
    powf=power round=round-nearest-afz roundeven=round-nearest-even rsqrt=rsqrt sin=sine sqrt=sqrt tan=tan tanh=tanh";
/// Elementwise ops without equivalent in HLO.
const CALLED: &str = "arith.ceildivsi arith.ceildivui arith.divui arith.extui arith.floordivsi arith.fptoui \
    arith.index_castui arith.maxnumf arith.maxui arith.minnumf arith.minui arith.remui arith.trunci arith.uitofp \
    math.exp2 math.fma math.fpowi math.log10 math.log2 vector.fma";
/// Elementwise ops of linalg.
const LINALG: &str = "abs=abs add=add ceil=ceil div=divide erf=erf exp=exponential floor=floor log=log max=maximum \
    min=minimum mul=multiply negf=negate powf=power round=round-nearest-afz rsqrt=rsqrt select=select sqrt=sqrt \
    sub=subtract tanh=tanh";
const LINALG_CALLED: &str =
    "div_unsigned elementwise elemwise_binary elemwise_unary reciprocal square";

/// The other ops, those with several names first.
#[rustfmt::skip]
const OTHERS: &[(&str, Row)] = &[
    ("affine.apply affine.delinearize_index affine.linearize_index affine.max affine.min xla.apply_indexing", By(formulas::values)),
    ("gpu.block_dim gpu.block_id gpu.grid_dim gpu.thread_id", By(loops::thread)),
    ("memref.alloc memref.alloca tensor.empty", By(tensor::empty)),
    ("memref.cast tensor.cast", By(tensor::cast)),
    ("memref.dealloc", By(elements::nothing)),
    ("memref.copy", By(elements::copy)),
    ("tensor.extract tensor.insert", By(loops::element)),
    ("vector.insert", By(elements::insert)),
    ("tensor.scatter vector.gather", By(elements::at_most)),
    ("vector.deinterleave", By(elements::deinterleave)),
    ("vector.bitcast", By(elements::bitcast)),
    ("vector.interleave", By(elements::interleave)),
    ("vector.outerproduct", By(elements::outer)),
    ("vector.shuffle", By(elements::shuffle)),
    ("tensor.generate", By(inside::generate)),
    ("flow.tensor.reshape memref.collapse_shape memref.expand_shape tensor.collapse_shape tensor.expand_shape tensor.reshape vector.shape_cast", By(tensor::reshape)),
    ("memref.subview tensor.extract_slice vector.extract_strided_slice", By(slices::extract)),
    ("linalg.transpose memref.transpose tosa.transpose vector.transpose", By(tensor::transpose)),
    ("vector.extract", By(slices::element)),
    ("tensor.splat vector.broadcast vector.splat", By(tensor::splat)),
    ("linalg.pack tensor.pack", By(tensor::pack)),
    ("linalg.unpack tensor.unpack", By(tensor::unpack)),
    ("linalg.map linalg.reduce", By(named::by_region)),
    ("linalg.contract vector.contract", By(named::contraction)),
    ("arith.cmpf arith.cmpi", By(scalar::compare)),
    ("arith.constant", By(scalar::constant)),
    ("arith.select", By(moved::select)),
    ("linalg.broadcast", By(named::broadcast)),
    ("linalg.copy", By(named::copy)),
    ("linalg.fill", By(named::fill)),
    ("linalg.generic", By(linalg::generic)),
    ("linalg.softmax", By(named::softmax)),
    ("tensor.bitcast", Elementwise("bitcast-convert")),
    ("tensor.concat", By(tensor::concat)),
    ("memref.dim tensor.dim", By(tensor::dim)),
    ("tensor.from_elements vector.from_elements", By(tensor::from_elements)),
    ("vector.to_elements", By(elements::apart)),
    ("tensor.gather", By(tensor::gather)),
    ("memref.reinterpret_cast", By(by_points::reinterpret)),
    ("xtile.extract", By(slices::tile)),
    ("tensor.insert_slice vector.insert_strided_slice", By(slices::insert)),
    ("vector.multi_reduction vector.reduction", By(by_points::reduced)),
    ("tensor.pad", By(tensor::pad)),
];

/// Returns the row of the op with this name.
pub(crate) fn row(name: &str) -> Option<Row> {
    let (dialect, short) = name.split_once('.')?;
    let hlo = match dialect {
        "arith" => listed(ARITH, short).map(Elementwise),
        "math" => listed(MATH, short).map(Elementwise),
        "linalg" => listed(LINALG, short).map(Destination),
        _ => None,
    };
    let is_in = |list: &str| list.split(' ').any(|known| known == name);
    let others = || OTHERS.iter().find(|(names, _)| is_in(names)).map(|(_, row)| *row);
    hlo.or_else(others).or_else(|| match dialect {
        "linalg" if named::contractions().any(|known| known == short) => {
            Some(By(named::contraction))
        }
        "linalg" if named::is_windowed(short) => Some(By(named::windowed)),
        "linalg" => listed(LINALG_CALLED, short).map(|_| By(named::elementwise_call)),
        _ if loops::LOOPS.contains(&name) || loops::BRANCHES.contains(&name) => {
            Some(By(loops::nest))
        }
        _ if access::ACCESSES.iter().any(|(access, _)| *access == name) => Some(By(loops::single)),
        _ => is_in(CALLED).then_some(By(scalar::called)),
    })
}

/// Returns all names, with `*` for the part of a name that lists dimensions.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let of = |dialect: &'static str, list: &'static str| {
        let names = list.split_whitespace();
        names.map(move |name| format!("{dialect}{}", name.split('=').next().unwrap_or(name)))
    };
    let windowed = named::WINDOWED.iter().map(|start| format!("linalg.{start}*"));
    let loops = loops::LOOPS.iter().chain(&loops::BRANCHES);
    let loops = loops.chain(access::ACCESSES.iter().map(|(name, _)| name));
    let elementwise = of("arith.", ARITH).chain(of("math.", MATH)).chain(of("linalg.", LINALG));
    let others = OTHERS.iter().flat_map(move |(names, _)| of("", names)).chain(of("", CALLED));
    let linalg = of("linalg.", LINALG_CALLED)
        .chain(named::contractions().map(|name| format!("linalg.{name}")))
        .chain(windowed);
    elementwise.chain(others).chain(linalg).chain(loops.map(|name| (*name).to_owned()))
}
