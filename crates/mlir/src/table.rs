//! One row for each op that is known: its counterpart in HLO.
//!
//! An op that computes each element from those at its index is the op of HLO of the same name, where HLO has it. What has
//! none there is a custom call of its own name if it is one of `chlo` whose reads are known, and unknown otherwise.
//! Source: StableHLO, *Specification*; CHLO, `ChloOps.td`.

use crate::body::{Stop, unknown};
use crate::control;
use crate::devices;
use crate::fold;
use crate::lower::Site;
use crate::moved;

use affinor_hlo::opcode::Opcode;

/// How an op is lowered.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// Each element of the result is computed from those at its index: the op of HLO of this name.
    Elementwise(&'static str),
    /// The op of HLO of this name with the same operands, and attributes: how HLO calls them, their names here, their form.
    Same(&'static str, &'static [(&'static str, &'static [&'static str], Form)]),
    /// An elementwise op of `chlo` that HLO has no name for.
    Call,
    /// By a function.
    By(fn(&mut Site<'_, '_, '_>) -> Result<(), Stop>),
}

/// The form of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    List,
    Number,
    Truth,
    Word,
}

use Form::{List, Number, Truth, Word};
use Row::{By, Call, Elementwise, Same};

/// The dialects whose ops the table has, by the name that the others are known under.
const DIALECTS: [&str; 4] = ["stablehlo", "mhlo", "chlo", "func"];

/// The rows, in alphabetical order, without the dialect.
#[rustfmt::skip]
pub(crate) const TABLE: &[(&str, Row)] = &[
    ("abs", Elementwise("abs")),
    ("acos", Elementwise("acos")),
    ("acosh", Elementwise("acosh")),
    ("add", Elementwise("add")),
    ("after_all", Same("after-all", &[])),
    ("all_gather", By(devices::all_gather)),
    ("all_reduce", By(devices::all_reduce)),
    ("all_to_all", By(devices::all_to_all)),
    ("and", Elementwise("and")),
    ("asin", Elementwise("asin")),
    ("asin_acos_kernel", Call),
    ("asinh", Elementwise("asinh")),
    ("atan", Call),
    ("atan2", Elementwise("atan2")),
    ("atanh", Elementwise("atanh")),
    ("batch_norm_grad", By(fold::batch_norm)),
    ("batch_norm_inference", By(fold::batch_norm)),
    ("batch_norm_training", By(fold::batch_norm)),
    ("bessel_i1e", Call),
    ("bitcast_convert", Same("bitcast-convert", &[])),
    ("broadcast_in_dim", By(moved::broadcast_in_dim)),
    ("call", By(control::call)),
    ("case", By(control::case)),
    ("cbrt", Elementwise("cbrt")),
    ("ceil", Elementwise("ceil")),
    ("cholesky", Same("cholesky", &[("lower", &["lower"], Truth)])),
    ("clamp", Same("clamp", &[])),
    ("collective_broadcast", By(devices::collective_broadcast)),
    ("collective_permute", By(devices::collective_permute)),
    ("compare", By(moved::compare)),
    ("complex", Elementwise("complex")),
    ("composite", By(control::composite)),
    ("concatenate", Same("concatenate", &[("dimensions", &["dim", "dimension"], Number)])),
    ("conj", Call),
    ("constant", By(moved::constant)),
    ("convert", Elementwise("convert")),
    ("convolution", By(fold::convolution)),
    ("cosh", Elementwise("cosh")),
    ("cosine", Elementwise("cosine")),
    ("count_leading_zeros", Elementwise("count-leading-zeros")),
    ("create_token", Same("after-all", &[])),
    ("custom_call", By(control::custom_call)),
    ("digamma", Call),
    ("divide", Elementwise("divide")),
    ("dot", By(fold::dot)),
    ("dot_general", By(fold::dot_general)),
    ("dynamic_broadcast_in_dim", By(moved::broadcast_in_dim)),
    ("dynamic_gather", By(moved::gather)),
    ("dynamic_iota", By(moved::iota)),
    ("dynamic_pad", By(moved::pad)),
    ("dynamic_reshape", By(moved::reshape)),
    ("dynamic_slice", Same("dynamic-slice", &[("dynamic_slice_sizes", &["sizes", "slice_sizes"], List)])),
    ("dynamic_update_slice", Same("dynamic-update-slice", &[])),
    ("erf", Elementwise("erf")),
    ("erf_inv", Call),
    ("erfc", Call),
    ("exponential", Elementwise("exponential")),
    ("exponential_minus_one", Elementwise("exponential-minus-one")),
    ("fft", Same("fft", &[("fft_type", &["type", "fft_type"], Word), ("fft_length", &["length", "fft_length"], List)])),
    ("floor", Elementwise("floor")),
    ("gather", By(moved::gather)),
    ("get_dimension_size", Same("get-dimension-size", &[("dimensions", &["dim", "dimension"], Number)])),
    ("get_tuple_element", By(control::get_tuple_element)),
    ("if", By(control::conditional)),
    ("imag", Elementwise("imag")),
    ("iota", By(moved::iota)),
    ("is_finite", Elementwise("is-finite")),
    ("is_inf", Call),
    ("is_neg_inf", Call),
    ("is_pos_inf", Call),
    ("lgamma", Call),
    ("log", Elementwise("log")),
    ("log_plus_one", Elementwise("log-plus-one")),
    ("logistic", Elementwise("logistic")),
    ("map", By(fold::map)),
    ("maximum", Elementwise("maximum")),
    ("minimum", Elementwise("minimum")),
    ("multiply", Elementwise("multiply")),
    ("negate", Elementwise("negate")),
    ("next_after", Call),
    ("not", Elementwise("not")),
    ("optimization_barrier", By(control::barrier)),
    ("or", Elementwise("or")),
    ("pad", By(moved::pad)),
    ("partition_id", Same("partition-id", &[])),
    ("polygamma", Call),
    ("popcnt", Elementwise("popcnt")),
    ("power", Elementwise("power")),
    ("ragged_dot", By(fold::ragged_dot)),
    ("real", Elementwise("real")),
    ("real_dynamic_slice", By(moved::slice)),
    ("reduce", By(fold::reduce)),
    ("reduce_precision", By(moved::reduce_precision)),
    ("reduce_scatter", By(devices::reduce_scatter)),
    ("reduce_window", By(fold::reduce_window)),
    ("remainder", Elementwise("remainder")),
    ("replica_id", Same("replica-id", &[])),
    ("reshape", By(moved::reshape)),
    ("reverse", Same("reverse", &[("dimensions", &["dims", "dimensions"], List)])),
    ("rng", By(moved::random)),
    ("rng_bit_generator", By(moved::random_bits)),
    ("round_nearest_afz", Elementwise("round-nearest-afz")),
    ("round_nearest_even", Elementwise("round-nearest-even")),
    ("rsqrt", Elementwise("rsqrt")),
    ("scatter", By(moved::scatter)),
    ("select", By(moved::select)),
    ("select_and_scatter", By(fold::select_and_scatter)),
    ("set_dimension_size", Same("set-dimension-size", &[("dimensions", &["dim", "dimension"], Number)])),
    ("shift_left", Elementwise("shift-left")),
    ("shift_right_arithmetic", Elementwise("shift-right-arithmetic")),
    ("shift_right_logical", Elementwise("shift-right-logical")),
    ("sign", Elementwise("sign")),
    ("sine", Elementwise("sine")),
    ("sinh", Elementwise("sinh")),
    ("slice", By(moved::slice)),
    ("sort", By(fold::sort)),
    ("sqrt", Elementwise("sqrt")),
    ("square", By(moved::square)),
    ("subtract", Elementwise("subtract")),
    ("tan", Elementwise("tan")),
    ("tanh", Elementwise("tanh")),
    ("top_k", By(fold::top_k)),
    ("transpose", Same("transpose", &[("dimensions", &["dims", "permutation"], List)])),
    ("triangular_solve", Same("triangular-solve", &[
        ("left_side", &["left_side"], Truth), ("lower", &["lower"], Truth),
        ("unit_diagonal", &["unit_diagonal"], Truth), ("transpose_a", &["transpose_a"], Word),
    ])),
    ("tuple", By(control::tuple)),
    ("uniform_dequantize", Elementwise("convert")),
    ("uniform_quantize", Elementwise("convert")),
    ("while", By(control::while_loop)),
    ("xor", Elementwise("xor")),
    ("zeta", Call),
];

/// The reading of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As the elementwise op of HLO.
    Elementwise,
    /// As a custom call that is known to be elementwise.
    Called,
    /// As an op of HLO with the same operands.
    Instruction,
    /// As one or more ops of HLO, with computations where it has regions.
    Expanded,
}

/// The ops that are known, without their dialect, in alphabetical order.
pub fn known_ops() -> impl Iterator<Item = (&'static str, Reading)> {
    TABLE.iter().map(|(name, row)| {
        let reading = match row {
            Elementwise(_) => Reading::Elementwise,
            Call => Reading::Called,
            Same(..) => Reading::Instruction,
            By(_) => Reading::Expanded,
        };
        (*name, reading)
    })
}

/// Lowers an op.
pub(crate) fn lower(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let op = site.op;
    if op.regions.iter().any(|region| region.more_blocks > 0) {
        return unknown("control flow between blocks is not followed");
    }
    match op.name {
        "sdy.sharding_constraint" => return control::identity(site, "Sharding"),
        "sdy.manual_computation" => return devices::manual_computation(site),
        _ => {}
    }
    let is_known = DIALECTS.contains(&op.dialect()) || op.name == "call";
    let row = TABLE.binary_search_by_key(&op.short(), |(name, _)| *name).ok();
    match row.and_then(|at| TABLE.get(at)).filter(|_| is_known) {
        Some((_, row)) => by_row(site, *row),
        None => unknown("what it reads is not known here"),
    }
}

fn by_row(site: &mut Site<'_, '_, '_>, row: Row) -> Result<(), Stop> {
    match row {
        By(lower) => lower(site),
        Elementwise(name) => elementwise(site, name),
        Call => {
            same_sizes(site)?;
            let target = format!(", custom_call_target=\"{}\"", site.op.name);
            Ok(site.results("custom-call", &site.lines(), &target)?)
        }
        Same(name, attributes) => {
            let mut text = String::new();
            for (hlo, names, form) in attributes {
                let value = match form {
                    List => crate::site::braced(&site.needed_list(names)?),
                    Number => crate::site::braced(&[site.integer(names)?]),
                    Truth => site.truth(names).to_string(),
                    Word => site.word(names)?.to_owned(),
                };
                text.push_str(&format!(", {hlo}={value}"));
            }
            with_count(site, name)?;
            Ok(site.results(name, &site.lines(), &text)?)
        }
    }
}

fn elementwise(site: &mut Site<'_, '_, '_>, name: &str) -> Result<(), Stop> {
    same_sizes(site)?;
    with_count(site, name)?;
    Ok(site.results(name, &site.lines(), "")?)
}

/// An op of HLO takes so many operands, and each is of a known type.
fn with_count(site: &Site<'_, '_, '_>, name: &str) -> Result<(), Stop> {
    let (count, given) = (Opcode::from_name(name).operand_count(), site.operands.len());
    match count.allows(given) {
        true => Ok(()),
        false => unknown(format!("it takes {count}, and has {given}")),
    }
}

/// No operand is broadcast.
fn same_sizes(site: &Site<'_, '_, '_>) -> Result<(), Stop> {
    let result = site.result()?;
    if !result.is_array() {
        return unknown(format!("`{}` is no array of HLO", result.text));
    }
    match site.operands.iter().find(|value| value.ty.sizes.len() != result.sizes.len()) {
        None => Ok(()),
        Some(value) => unknown(format!("`{}` and `{}` differ in rank", value.ty.text, result.text)),
    }
}
