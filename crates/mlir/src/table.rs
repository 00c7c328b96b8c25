//! The table of known ops: one row for each, with its counterpart in HLO.
//!
//! An elementwise op becomes the HLO op of the same name, if it exists. Otherwise, an op of `chlo` whose reads are known
//! becomes a custom-call of its own name, and any other op is unknown.
//! Source: StableHLO, *Specification*; CHLO, `ChloOps.td`.

use crate::body::{Stop, unknown};
use crate::control;
use crate::custom_call::custom_call;
use crate::devices::{self, AMONG};
use crate::dialects;
use crate::fold;
use crate::linalg_named;
use crate::loops;
use crate::lower::Site;
use crate::moved;
use crate::row::{Attribute, Form, Row, listed};
use crate::scalar;

use affinor_hlo::opcode::Opcode;

use Form::{
    Computation, Entry, EntryIfAny, EntryNumber, Flag, Groups, Integer, List, Lists, Number, Truth,
    Word,
};
use Row::{By, Call, Destination, Elementwise, Same, With};

/// The dialects of the ops that are in the table without a dialect.
const DIALECTS: [&str; 4] = ["stablehlo", "mhlo", "chlo", "func"];

/// The elementwise ops, with their HLO name if it differs.
const ELEMENTWISE: &str = "abs acos acosh add and asin asinh atan2 atanh cbrt ceil complex convert cosh cosine \
    count_leading_zeros=count-leading-zeros divide erf exponential exponential_minus_one=exponential-minus-one \
    floor imag is_finite=is-finite log log_plus_one=log-plus-one logistic maximum minimum multiply negate not or \
    popcnt power real remainder round_nearest_afz=round-nearest-afz round_nearest_even=round-nearest-even rsqrt \
    shift_left=shift-left shift_right_arithmetic=shift-right-arithmetic shift_right_logical=shift-right-logical \
    sign sine sinh sqrt subtract tan tanh uniform_dequantize=convert uniform_quantize=convert xor";

/// Elementwise ops of `chlo` without equivalent in HLO.
const CALLED: &str = "asin_acos_kernel atan bessel_i1e conj digamma erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma next_after \
    polygamma zeta";

const CHANNEL: Attribute = AMONG[0];
const GROUPS: Attribute = AMONG[1];
const GLOBAL: Attribute = AMONG[2];
const BATCH_NORM: [Attribute; 2] =
    [("epsilon", &["epsilon"], Form::Token), ("feature_index", &["feature_index"], Integer)];

/// The other rows, in alphabetical order, without dialects.
#[rustfmt::skip]
const TABLE: &[(&str, Row)] = &[
    ("after_all", Same("after-all", &[])),
    ("all_gather", With("all-gather", &[CHANNEL, GROUPS, GLOBAL, ("dimensions", &["all_gather_dim"], Number)])),
    ("all_reduce", With("all-reduce", &[CHANNEL, GROUPS, GLOBAL, ("to_apply", &[], Computation("combiner"))])),
    ("all_to_all", By(devices::all_to_all)),
    ("batch_norm_grad", With("batch-norm-grad", &BATCH_NORM)),
    ("batch_norm_inference", With("batch-norm-inference", &BATCH_NORM)),
    ("batch_norm_training", With("batch-norm-training", &BATCH_NORM)),
    ("bitcast_convert", Same("bitcast-convert", &[])),
    ("broadcast_in_dim", By(moved::broadcast_in_dim)),
    ("call", By(control::call)),
    ("case", By(control::case)),
    ("cholesky", Same("cholesky", &[("lower", &["lower"], Truth)])),
    ("clamp", Same("clamp", &[])),
    ("collective_broadcast", With("collective-broadcast", &[CHANNEL, GROUPS, GLOBAL])),
    ("collective_permute", With("collective-permute", &[CHANNEL, ("source_target_pairs", &["source_target_pairs"], Groups)])),
    ("compare", By(moved::compare)),
    ("composite", By(control::composite)),
    ("concatenate", Same("concatenate", &[("dimensions", &["dim", "dimension"], Number)])),
    ("constant", By(moved::constant)),
    ("convolution", By(fold::convolution)),
    ("create_token", Same("after-all", &[])),
    ("custom_call", By(custom_call)),
    ("dot", By(fold::dot)),
    ("dot_general", By(fold::dot_general)),
    ("dynamic_broadcast_in_dim", By(moved::broadcast_in_dim)),
    ("dynamic_gather", By(moved::gather)),
    ("dynamic_iota", By(moved::iota)),
    ("dynamic_pad", By(moved::pad)),
    ("dynamic_reshape", By(moved::reshape)),
    ("dynamic_slice", Same("dynamic-slice", &[("dynamic_slice_sizes", &["sizes", "slice_sizes"], List)])),
    ("dynamic_update_slice", Same("dynamic-update-slice", &[])),
    ("fft", Same("fft", &[("fft_type", &["type", "fft_type"], Word), ("fft_length", &["length", "fft_length"], List)])),
    ("gather", By(moved::gather)),
    ("get_dimension_size", Same("get-dimension-size", &[("dimensions", &["dim", "dimension"], Number)])),
    ("get_tuple_element", By(control::get_tuple_element)),
    ("if", By(control::conditional)),
    ("iota", By(moved::iota)),
    ("map", With("map", &[("dimensions", &["dimensions"], Lists), ("to_apply", &[], Computation("mapped"))])),
    ("optimization_barrier", By(control::barrier)),
    ("pad", By(moved::pad)),
    ("partition_id", Same("partition-id", &[])),
    ("ragged_dot", With("ragged-dot", &[
        ("lhs_batch_dims", &["ragged_dot_dimension_numbers", "lhs_batching_dimensions"], EntryIfAny),
        ("rhs_batch_dims", &["ragged_dot_dimension_numbers", "rhs_batching_dimensions"], EntryIfAny),
        ("lhs_contracting_dims", &["ragged_dot_dimension_numbers", "lhs_contracting_dimensions"], EntryIfAny),
        ("rhs_contracting_dims", &["ragged_dot_dimension_numbers", "rhs_contracting_dimensions"], EntryIfAny),
        ("lhs_ragged_dims", &["ragged_dot_dimension_numbers", "lhs_ragged_dimensions"], EntryIfAny),
        ("rhs_group_dims", &["ragged_dot_dimension_numbers", "rhs_group_dimensions"], EntryIfAny),
        fold::PRECISION,
    ])),
    ("real_dynamic_slice", By(moved::slice)),
    ("reduce", By(fold::reduce)),
    ("reduce_precision", By(moved::reduce_precision)),
    ("reduce_scatter", With("reduce-scatter", &[CHANNEL, GROUPS, GLOBAL, ("dimensions", &["scatter_dimension"], Number), ("to_apply", &[], Computation("combiner"))])),
    ("reduce_window", By(fold::reduce_window)),
    ("replica_id", Same("replica-id", &[])),
    ("reshape", By(moved::reshape)),
    ("reverse", Same("reverse", &[("dimensions", &["dims", "dimensions"], List)])),
    ("rng", By(moved::random)),
    ("rng_bit_generator", By(moved::random_bits)),
    ("scatter", With("scatter", &[
        ("update_window_dims", &["scatter_dimension_numbers"], Entry),
        ("inserted_window_dims", &["scatter_dimension_numbers"], Entry),
        ("scatter_dims_to_operand_dims", &["scatter_dimension_numbers"], Entry),
        ("input_batching_dims", &["scatter_dimension_numbers"], EntryIfAny),
        ("scatter_indices_batching_dims", &["scatter_dimension_numbers"], EntryIfAny),
        ("index_vector_dim", &["scatter_dimension_numbers"], EntryNumber),
        ("indices_are_sorted", &["indices_are_sorted"], Flag),
        ("unique_indices", &["unique_indices"], Flag),
        ("to_apply", &[], Computation("update")),
    ])),
    ("select", By(moved::select)),
    ("select_and_scatter", By(fold::select_and_scatter)),
    ("set_dimension_size", Same("set-dimension-size", &[("dimensions", &["dim", "dimension"], Number)])),
    ("slice", By(moved::slice)),
    ("sort", By(fold::sort)),
    ("square", By(moved::square)),
    ("top_k", By(fold::top_k)),
    ("transpose", Same("transpose", &[("dimensions", &["dims", "permutation"], List)])),
    ("triangular_solve", Same("triangular-solve", &[
        ("left_side", &["left_side"], Truth), ("lower", &["lower"], Truth),
        ("unit_diagonal", &["unit_diagonal"], Truth), ("transpose_a", &["transpose_a"], Word),
    ])),
    ("tuple", By(control::tuple)),
    ("while", By(control::while_loop)),
];

/// The reading of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As the elementwise HLO op.
    Elementwise,
    /// As a custom-call that is known to be elementwise.
    Called,
    /// As an HLO op with the same operands.
    Instruction,
    /// As one or more HLO ops, with computations for its regions.
    Expanded,
}

/// Returns the known ops: those of StableHLO and CHLO without their dialect, others with it.
pub fn known_ops() -> impl Iterator<Item = (String, Reading)> {
    let words = |list: &'static str| list.split_whitespace();
    let name = |word: &str| word.split('=').next().unwrap_or(word).to_owned();
    let elementwise = words(ELEMENTWISE).map(move |word| (name(word), Reading::Elementwise));
    let called = words(CALLED).map(move |word| (name(word), Reading::Called));
    let others = TABLE.iter().map(|(name, row)| (*name, reading(row)));
    let foreign = dialects::names().map(|name| {
        let reading = dialects::row(&name).map_or(Reading::Expanded, |row| reading(&row));
        (name, reading)
    });
    let others = others.map(|(name, reading)| (name.to_owned(), reading));
    elementwise.chain(called).chain(others).chain(foreign)
}

fn reading(row: &Row) -> Reading {
    match row {
        Elementwise(_) | Destination(_) => Reading::Elementwise,
        Call => Reading::Called,
        Same(..) => Reading::Instruction,
        With(..) | By(_) => Reading::Expanded,
    }
}

/// Lowers an op.
pub(crate) fn lower(site: &mut Site<'_, '_, '_>) -> Result<(), Stop> {
    let op = site.op;
    if op.regions.iter().any(|region| region.more_blocks > 0) {
        return unknown("control flow between blocks is not followed");
    }
    match op.name {
        "sdy.all_gather"
        | "sdy.all_slice"
        | "sdy.all_to_all"
        | "sdy.collective_permute"
        | "sdy.reshard"
        | "sdy.sharding_constraint" => return control::identity(site, "Sharding"),
        "sdy.manual_computation" => return devices::manual_computation(site),
        _ => {}
    }
    let is_known = DIALECTS.contains(&op.dialect()) || op.name == "call";
    let mut short = op.short();
    if let (true, Some(elementwise)) = (is_known, short.strip_prefix("broadcast_"))
        && op.dialect() == "chlo"
    {
        moved::operands_broadcast(site)?;
        short = elementwise;
    }
    let row = || {
        let row = TABLE.binary_search_by_key(&short, |(name, _)| *name).ok();
        let row = row.and_then(|at| TABLE.get(at)).map(|(_, row)| *row);
        let elementwise = || listed(ELEMENTWISE, short).map(Elementwise);
        row.or_else(elementwise).or_else(|| listed(CALLED, short).map(|_| Call))
    };
    let row = if is_known { row() } else { dialects::row(op.name) };
    if site.operands.iter().any(|value| site.body.by_thread.contains(&value.line)) {
        match (op.dialect(), row) {
            ("affine" | "arith" | "math" | "xla", Some(_))
                if op.result_count() == 1 && !loops::is_followed(op) =>
            {
                return scalar::by_thread(site);
            }
            _ if loops::is_followed(op) => {}
            _ => return unknown("its results differ by thread"),
        }
    }
    match row {
        Some(row) => by_row(site, row),
        None => unknown("its reads are not known here"),
    }
}

fn by_row(site: &mut Site<'_, '_, '_>, row: Row) -> Result<(), Stop> {
    match row {
        By(lower) => lower(site),
        Elementwise(name) => elementwise(site, name),
        Destination(name) => linalg_named::elementwise(site, name),
        Call => {
            same_sizes(site)?;
            let target = format!(", custom_call_target=\"{}\"", site.op.name);
            Ok(site.results("custom-call", &site.lines(), &target)?)
        }
        Same(name, attributes) => {
            let text = site.attributes(attributes)?;
            with_count(site, name)?;
            Ok(site.results(name, &site.lines(), &text)?)
        }
        With(name, attributes) => {
            let text = site.attributes(attributes)?;
            Ok(site.results(name, &site.lines(), &text)?)
        }
    }
}

fn elementwise(site: &mut Site<'_, '_, '_>, name: &str) -> Result<(), Stop> {
    same_sizes(site)?;
    with_count(site, name)?;
    Ok(site.results(name, &site.lines(), "")?)
}

/// Checks that the HLO op takes this number of operands.
fn with_count(site: &Site<'_, '_, '_>, name: &str) -> Result<(), Stop> {
    let (count, given) = (Opcode::from_name(name).operand_count(), site.operands.len());
    match count.allows(given) {
        true => Ok(()),
        false => unknown(format!("it takes {count}, and has {given}")),
    }
}

/// Checks that all operands have the rank and the sizes of the result: nothing is broadcast.
fn same_sizes(site: &Site<'_, '_, '_>) -> Result<(), Stop> {
    let result = site.result()?;
    if !result.is_array() {
        return unknown(format!("`{}` is not an array of HLO", result.text));
    }
    if let Some(value) = site.operands.iter().find(|value| !value.ty.is_array()) {
        return unknown(format!("`{}` is not an array of HLO", value.ty.text));
    }
    match site.operands.iter().find(|value| value.ty.sizes.len() != result.sizes.len()) {
        None => Ok(()),
        Some(value) => unknown(format!("`{}` and `{}` differ in rank", value.ty.text, result.text)),
    }
}
