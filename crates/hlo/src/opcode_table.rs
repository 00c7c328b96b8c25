//! One row for each operation of HLO, with everything that depends on the operation alone.
//!
//! The columns are, in this order:
//!
//! * its variant and its name in HLO text, in alphabetical order;
//! * the number of operands;
//! * its index maps: the function of `ops::indexing` that derives them;
//! * its definition, which judges the maps and shares nothing with them;
//! * `shape`: the rule for the shape of its result, if operands and attributes determine it;
//! * `values`: `Moved` if each element of the result has the value of one element of an operand; `Picked` if it has the value of
//!   an element of one of the operands, selected by its index and by offsets or indices; if missing, values are computed;
//! * `typed`: an example of how it is typed after `op`, with its required and optional attributes.
//!
//! [`opcode_table`] passes the rows on as they are written here. A module that needs a column expands it where the names in it
//! are known: `opcode`, `implied_shape`, `ops::indexing`, `ops::definition` and `command::op`; so this module uses none of them.
//! Source: XLA, `hlo_opcode.h` and *Operation semantics*.

/// Expands `$callback! { (op, callee) rows }`. The two names denote the operation as a column sees it, and the reads of its
/// computations.
#[macro_export]
macro_rules! opcode_table { ($callback:ident) => { $callback! { (op, callee)
    Abs = "abs",                     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape By(component);
    Acos = "acos",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Acosh = "acosh",                 exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Add = "add",                     exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    AddDependency = "add-dependency", exactly(2),  forward::pass_on(op), passing::operand(op, 0), shape By(first);
    AfterAll = "after-all",          any(),       nothing(), nothing(), shape By(token);
    AllGather = "all-gather",        at_least(1), collective::entries(op), collective::all_gather(op),
        typed as_in("f32[4] {0} -> f32[8]").word(&["dimensions"]);
    AllGatherDone = "all-gather-done", exactly(1),  forward::done(op, 1), passing::done(op, 1);
    AllGatherStart = "all-gather-start", at_least(1), collective::start_entries(op), collective::start(op, collective::all_gather);
    AllReduce = "all-reduce",        at_least(1), collective::entries(op), collective::all_reduce(op);
    AllReduceDone = "all-reduce-done", exactly(1),  forward::pass_on(op), passing::operand(op, 0);
    AllReduceStart = "all-reduce-start", at_least(1), collective::entries(op), collective::all_reduce(op);
    AllToAll = "all-to-all",         at_least(1), collective::entries(op), collective::all_to_all(op);
    And = "and",                     exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Asin = "asin",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Asinh = "asinh",                 exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    AsyncDone = "async-done",        exactly(1),  forward::done(op, 1), passing::done(op, 1);
    AsyncStart = "async-start",      any(),       called::async_start(op, callee), composed(op);
    AsyncUpdate = "async-update",    at_least(1), forward::update(op),  passing::update(op);
    Atan2 = "atan2",                 exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Atanh = "atanh",                 exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    BatchNormGrad = "batch-norm-grad", exactly(5),  batch_norm::entries(op), elementwise::batch_norm(op), shape By(batch_norm);
    BatchNormInference = "batch-norm-inference", exactly(5),  batch_norm::entries(op), elementwise::batch_norm(op), shape By(first);
    BatchNormTraining = "batch-norm-training", exactly(3),  batch_norm::entries(op), elementwise::batch_norm(op), shape By(batch_norm);
    Bitcast = "bitcast",             exactly(1),  bitcast::entries(op), position::bitcast(op),
        typed as_in("f32[4,8] -> f32[32]");
    BitcastConvert = "bitcast-convert", exactly(1),  bitcast::convert_entries(op), elementwise::bitcast_convert(op);
    Broadcast = "broadcast",         exactly(1),  broadcast::entries(op), movement::broadcast(op), shape By(broadcast),
        values Moved, typed as_in("f32[8] {1} -> f32[4,8]").word(&["dimensions"]);
    Call = "call",                   any(),       called::inside(op, "to_apply", callee), composed(op), shape By(called);
    Cbrt = "cbrt",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Ceil = "ceil",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Cholesky = "cholesky",           exactly(1),  triangular::cholesky_entries(op), triangle::cholesky(op), shape By(first);
    Clamp = "clamp",                 exactly(3),  pointwise::with_scalars(op, &[0, 2]), elementwise::with_scalars(op, &[0, 2]),
        shape By(second);
    CollectiveBroadcast = "collective-broadcast", at_least(1), collective::entries(op), collective::permute(op);
    CollectivePermute = "collective-permute", at_least(1), collective::permute_entries(op), collective::collective_permute(op);
    CollectivePermuteDone = "collective-permute-done", exactly(1),  forward::done(op, 1), passing::done(op, 1);
    CollectivePermuteStart = "collective-permute-start", at_least(1), collective::permute_start_entries(op), collective::collective_permute_start(op);
    CollectiveReduce = "collective-reduce", at_least(1), collective::entries(op), collective::permute(op);
    Compare = "compare",             exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape By(truth);
    Complex = "complex",             exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape By(complex);
    Concatenate = "concatenate",     at_least(1), concatenate::entries(op), movement::concatenate(op),
        shape By(concatenated), values Picked, typed as_in("f32[4,8] f32[6,8] {0}").word(&["dimensions"]);
    Conditional = "conditional",     at_least(1), called::conditional(op, callee), composed(op), shape By(of_branch);
    Constant = "constant",           exactly(0),  nothing(), nothing();
    Convert = "convert",             exactly(1),  pointwise::entries(op), elementwise::pointwise(op),
        typed as_in("f32[4,8] -> bf16[4,8]");
    Convolution = "convolution",     at_least(2), convolution::entries(op), window::convolution(op),
        shape By(convolution),
        typed as_in("f32[1,8,8,3] f32[3,3,3,16] window={size=3x3 pad=1_1x1_1} dim_labels=b01f_01io->b01f")
            .needs(&["window", "dim_labels"])
            .may_have(&["batch_group_count", "feature_group_count"]);
    Copy = "copy",                   exactly(1),  forward::pass_on(op), passing::operand(op, 0), shape Same, values Moved;
    CopyDone = "copy-done",          exactly(1),  forward::done(op, 0), passing::done(op, 0);
    CopyStart = "copy-start",        exactly(1),  forward::copy_start(op), passing::start(op, &[0, 1]);
    Cosh = "cosh",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Cosine = "cosine",               exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    CountLeadingZeros = "count-leading-zeros", exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    CustomCall = "custom-call",      any(),       unseen::unknown("the reads of a custom-call are known to its target alone"),
        custom::custom_call(op);
    Divide = "divide",               exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Domain = "domain",               exactly(1),  forward::pass_on(op), passing::operand(op, 0), shape By(first);
    Dot = "dot",                     at_least(2), dot::entries(op), contraction::dot(op),
        shape By(dot), typed as_in("f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}")
            .needs(&["lhs_contracting_dims", "rhs_contracting_dims"])
            .may_have(&["lhs_batch_dims", "rhs_batch_dims"]);
    DynamicReshape = "dynamic-reshape", at_least(1), unseen::anything(op, "where its elements lie depends on sizes known only at run time"),
        unstated(op);
    DynamicSlice = "dynamic-slice",  at_least(1), slice::dynamic_entries(op), offsets::dynamic_slice(op),
        shape By(dynamic_sliced), values Picked, typed as_in("f32[8,8] {2,2}").word(&["dynamic_slice_sizes"]).starts_after(1);
    DynamicUpdateSlice = "dynamic-update-slice", at_least(2), update_slice::entries(op), offsets::dynamic_update_slice(op),
        shape By(first), values Picked, typed as_in("f32[8,8] f32[2,2]").starts_after(2);
    Erf = "erf",                     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Exponential = "exponential",     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    ExponentialMinusOne = "exponential-minus-one", exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Fft = "fft",                     exactly(1),  fft::entries(op), fiber::fft(op), shape By(fft),
        typed as_in("c64[4,8] fft_type=FFT fft_length={8} -> c64[4,8]").needs(&["fft_type", "fft_length"]);
    Floor = "floor",                 exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Fusion = "fusion",               any(),       called::inside(op, "calls", callee), composed(op);
    Gather = "gather",               exactly(2),  gather::entries(op), offsets::gather(op),
        shape By(gathered), values Picked,
        typed as_in("f32[33,76,70] s32[18,2] offset_dims={1,2,3} start_index_map={0,1} index_vector_dim=1 slice_sizes={7,8,70}")
            .needs(&["start_index_map", "index_vector_dim", "slice_sizes"])
            .may_have(&["collapsed_slice_dims", "offset_dims", "operand_batching_dims", "start_indices_batching_dims"]);
    GetDimensionSize = "get-dimension-size", exactly(1),  unseen::dimension_size(op), opaque::dimension_size(op), shape By(dimension_size);
    GetTupleElement = "get-tuple-element", exactly(1),  forward::get_tuple_element(op), passing::get_tuple_element(op),
        shape By(part), values Moved, typed as_in("(f32[4], s32[8]) 1").word(&["index"]);
    Imag = "imag",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape By(component);
    Infeed = "infeed",               any(),       unseen::unknown("it brings in data from outside the module"), unstated(op);
    Iota = "iota",                   exactly(0),  nothing(), nothing();
    IsFinite = "is-finite",          exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape By(truth);
    Log = "log",                     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    LogPlusOne = "log-plus-one",     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Logistic = "logistic",           exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Map = "map",                     at_least(1), pointwise::map_entries(op, callee), elementwise::map(op), shape By(mapped);
    Maximum = "maximum",             exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Minimum = "minimum",             exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Mulhi = "mulhi",                 exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Multiply = "multiply",           exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Negate = "negate",               exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Not = "not",                     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    OptBarrier = "opt-barrier",      any(),       forward::pass_on(op), passing::barrier(op), values Moved;
    Or = "or",                       exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Outfeed = "outfeed",             at_least(1), nothing(), nothing();
    Pad = "pad",                     exactly(2),  pad::entries(op), movement::pad(op),
        shape By(padded), values Picked, typed as_in("f32[4,4] 1_4_1x4_8_0").word(&["padding"]).scalar_after(1);
    Parameter = "parameter",         exactly(0),  nothing(), nothing();
    PartitionId = "partition-id",    exactly(0),  nothing(), nothing(), shape By(number_of_device);
    Popcnt = "popcnt",               exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Power = "power",                 exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    RaggedAllToAll = "ragged-all-to-all", any(),       collective::ragged_entries(op), opaque::ragged_all_to_all(op);
    RaggedDot = "ragged-dot",        at_least(2), dot_variants::ragged_entries(op), contraction::ragged_dot(op), shape By(ragged_dot);
    Real = "real",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape By(component);
    Recv = "recv",                   any(),       unseen::unknown("it brings in data from outside the module"), unstated(op);
    RecvDone = "recv-done",          exactly(1),  unseen::unknown("it brings in data from outside the module"), unstated(op);
    Reduce = "reduce",               at_least(2), reduce::entries(op, callee), contraction::reduce(op),
        shape By(reduced), typed as_in("f32[8,16] {1}").word(&["dimensions"]).scalar_after(1).calls(&["to_apply"]);
    ReducePrecision = "reduce-precision", exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    ReduceScatter = "reduce-scatter", at_least(1), collective::entries(op), collective::reduce_scatter(op);
    ReduceWindow = "reduce-window",  at_least(2), reduce_window::entries(op, callee), window::reduce_window(op),
        shape By(windowed),
        typed as_in("f32[8,16] window={size=2x2 stride=2x2}").needs(&["window"]).scalar_after(1).calls(&["to_apply"]);
    Remainder = "remainder",         exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    ReplicaId = "replica-id",        exactly(0),  nothing(), nothing(), shape By(number_of_device);
    Reshape = "reshape",             exactly(1),  reshape::entries(op), position::reshape(op),
        values Moved, typed as_in("f32[4,8] -> f32[32]");
    Reverse = "reverse",             exactly(1),  transpose::reverse_entries(op), movement::reverse(op),
        shape Same, values Moved, typed as_in("f32[4,8] {1}").word(&["dimensions"]);
    Rng = "rng",                     any(),       unseen::random(op), opaque::random(op);
    RngBitGenerator = "rng-bit-generator", exactly(1),  unseen::anything(op, "the reads of the generator's state depend on the algorithm"),
        opaque::all(op, "it depends on the algorithm");
    RngGetAndUpdateState = "rng-get-and-update-state", exactly(0),  nothing(), nothing();
    RoundNearestAfz = "round-nearest-afz", exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    RoundNearestEven = "round-nearest-even", exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Rsqrt = "rsqrt",                 exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    ScaledDot = "scaled-dot",        at_least(2), dot_variants::scaled_entries(op), contraction::scaled_dot(op), shape By(dot);
    Scan = "scan",                   any(),       scan::entries(op, callee), scan::scan(op), shape By(scanned);
    Scatter = "scatter",             at_least(3), scatter::entries(op, callee), offsets::scatter(op),
        shape By(scattered),
        typed as_in("f32[8,4] s32[3,1] f32[3,4] update_window_dims={1} inserted_window_dims={0} scatter_dims_to_operand_dims={0} index_vector_dim=1")
            .needs(&["scatter_dims_to_operand_dims", "index_vector_dim"])
            .may_have(&["inserted_window_dims", "update_window_dims"])
            .calls(&["to_apply"]);
    Select = "select",               exactly(3),  pointwise::with_scalars(op, &[0]), elementwise::with_scalars(op, &[0]),
        shape By(selected);
    SelectAndScatter = "select-and-scatter", exactly(3),  select_and_scatter::entries(op, callee), window::select_and_scatter(op),
        shape By(first),
        typed as_in("f32[6] f32[3] window={size=2 stride=2} -> f32[6]").needs(&["window"]).scalar_after(2).calls(&["select", "scatter"]);
    Send = "send",                   at_least(1), forward::send(op), passing::start(op, &[0]);
    SendDone = "send-done",          exactly(1),  nothing(), nothing();
    SetDimensionSize = "set-dimension-size", exactly(2),  unseen::set_dimension_size(op), unstated(op), shape By(of_unknown_size);
    ShiftLeft = "shift-left",        exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    ShiftRightArithmetic = "shift-right-arithmetic", exactly(2),  pointwise::entries(op), elementwise::pointwise(op),
        shape Same;
    ShiftRightLogical = "shift-right-logical", exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Sign = "sign",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Sine = "sine",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Sinh = "sinh",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Slice = "slice",                 exactly(1),  slice::entries(op), movement::slice(op),
        shape By(sliced), values Moved, typed as_in("f32[10,20] [0:10:2],[5:15]").word(&["slice"]);
    Sort = "sort",                   at_least(1), sort::entries(op, callee), fiber::sort(op),
        shape By(each), typed as_in("f32[4,8] {1}").word(&["dimensions"]).calls(&["to_apply"]);
    Sqrt = "sqrt",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    StochasticConvert = "stochastic-convert", exactly(2),  pointwise::entries(op), elementwise::pointwise(op);
    Subtract = "subtract",           exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Tan = "tan",                     exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Tanh = "tanh",                   exactly(1),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
    Topk = "topk",                   exactly(1),  sort::top_entries(op), fiber::topk(op), shape By(top);
    Transpose = "transpose",         exactly(1),  transpose::transpose_entries(op), movement::transpose(op),
        shape By(transposed), values Moved, typed as_in("f32[2,3,4] {2,0,1}").word(&["dimensions"]);
    TriangularSolve = "triangular-solve", exactly(2),  triangular::solve_entries(op), triangle::triangular_solve(op), shape By(second);
    Tuple = "tuple",                 any(),       forward::tuple(op), passing::tuple(op), shape By(tuple), values Moved;
    While = "while",                 exactly(1),  while_loop::entries(op, callee), composed(op), shape By(first);
    Xor = "xor",                     exactly(2),  pointwise::entries(op), elementwise::pointwise(op), shape Same;
} } }

pub use opcode_table;
