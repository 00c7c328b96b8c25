//! A program for each law of `rules/ops.rules`.
//!
//! The text between `<` and `>` in a program is a term over the law's letters. The elements read are compared with
//! `leads_to`, which are terms of the law, over all indices for which the law's conditions hold.

use super::tie::Says::{Given, Left, Part, Right};
use super::tie::Subject::{Defined, Everywhere, Nowhere, Readers, Reads, Through};
use super::tie::{Tie, tie};

const REVERSE: &str = "p = f32[<size>] parameter(0) \n r = f32[<size>] reverse(p), dimensions={0}";
const TRANSPOSE: &str =
    "p = f32[<A>,<B>,<C>] parameter(0) \n r = f32[<B>,<C>,<A>] transpose(p), dimensions={1,2,0}";
const SLICE: &str = "p = f32[<size>] parameter(0) \n \
    r = f32[<(limit - start + stride - 1) floordiv stride>] slice(p), slice={[<start>:<limit>:<stride>]}";
const SLICE_FITS: &str = "0 <= start, start <= limit, limit <= size, stride >= 1";
const PAD: &str = "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
    r = f32[<low + (size - 1)*step + 1 + high>] pad(p, v), padding=<low>_<high>_<step - 1>";
const CONCATENATE: &str = "p = f32[<first>] parameter(0) \n q = f32[<second>] parameter(1) \n \
    s = f32[<third>] parameter(2) \n r = f32[<first + second + third>] concatenate(p, q, s), dimensions={0}";
const WINDOW: &str = "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
    r = f32[<(size - 1 - (taps - 1)*dilation) floordiv stride + 1>] reduce-window(p, v), \
    window={size=<taps> stride=<stride> rhs_dilate=<dilation>}, to_apply=add";
const WINDOW_FITS: &str = "taps >= 1, dilation >= 1, stride >= 1, size >= 1";
const PADDED: &str = "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
    r = f32[<count>] reduce-window(p, v), \
    window={size=<taps> stride=<stride> pad=<low>_<high> lhs_dilate=<step> rhs_dilate=<dilation>}, to_apply=add";
const CONVOLUTION: &str = "p = f32[1,<size>,1] parameter(0) \n k = f32[<taps>,1,1] parameter(1) \n \
    r = f32[1,<count>,1] convolution(p, k), \
    window={size=<taps> stride=<stride> pad=<low>_<high> lhs_dilate=<step> rhs_dilate=<dilation>}, \
    dim_labels=b0f_0io->b0f";
const PADDED_FITS: &str = "taps >= 1, dilation >= 1, stride >= 1, size >= 1, step >= 1, \
    low + (size - 1)*step + high >= (taps - 1)*dilation, \
    count = (low + (size - 1)*step + high - (taps - 1)*dilation) floordiv stride + 1";
const SELECT: &str = "p = f32[<size>] parameter(0) \n s = f32[<count>] parameter(1) \n v = f32[] parameter(2) \n \
    r = f32[<size>] select-and-scatter(p, s, v), \
    window={size=<taps> stride=<stride> pad=<low>_<high> rhs_dilate=<dilation>}, select=ge, scatter=add";
const UNDILATED: &str = "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
    r = f32[<count>] reduce-window(p, v), \
    window={size=<taps> stride=<stride> pad=<low>_<high> rhs_dilate=<dilation>}, to_apply=add";
const UNDILATED_FITS: &str = "taps >= 1, dilation >= 1, stride >= 1, size >= 1, \
    low + size - 1 + high >= (taps - 1)*dilation, \
    count = (low + size - 1 + high - (taps - 1)*dilation) floordiv stride + 1";
const FEATURE_GROUPS: &str = "p = f32[1,2,<count*width>] parameter(0) \n \
    k = f32[1,<width>,<count*part>] parameter(1) \n r = f32[1,2,<count*part>] convolution(p, k), window={size=1}, \
    dim_labels=b0f_0io->b0f, feature_group_count=<count>";
const BATCH_GROUPS: &str = "p = f32[<count*width>,2,1] parameter(0) \n k = f32[1,1,<count*part>] parameter(1) \n \
    r = f32[<width>,2,<count*part>] convolution(p, k), window={size=1}, dim_labels=b0f_0io->b0f, \
    batch_group_count=<count>";
const GROUPS: &str = "count >= 1, width >= 1, part >= 1, 0 <= y, y < width, 0 <= o, o < count";
const DYNAMIC_SLICE: &str = "p = f32[<size>] parameter(0) \n a = s32[] parameter(1) \n \
    r = f32[<width>] dynamic-slice(p, a), dynamic_slice_sizes={<width>}";
const GATHER: &str = "p = f32[<size>] parameter(0) \n i = s32[1] parameter(1) \n \
    r = f32[<width>] gather(p, i), offset_dims={0}, collapsed_slice_dims={}, start_index_map={0}, \
    index_vector_dim=0, slice_sizes={<width>}";
const BATCHED_GATHER: &str = "p = f32[2,<size>] parameter(0) \n i = s32[2,1] parameter(1) \n \
    r = f32[2,<width>] gather(p, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, \
    operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,<width>}";
const UPDATE: &str = "p = f32[<size>] parameter(0) \n u = f32[<width>] parameter(1) \n a = s32[] parameter(2) \n \
    r = f32[<size>] dynamic-update-slice(p, u, a)";
const SCATTER: &str = "p = f32[<size>] parameter(0) \n i = s32[1] parameter(1) \n u = f32[<width>] parameter(2) \n \
    r = f32[<size>] scatter(p, i, u), update_window_dims={0}, inserted_window_dims={}, \
    scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add";
const ALL_GATHER: &str = "p = f32[<size>] parameter(0) \n \
    r = f32[<count*size>] all-gather(p), replica_groups={{0,1}}, dimensions={0}";
const RESHAPE: &str = "p = f32[<A>,<B>] parameter(0) \n r = f32[<C>,<D>] reshape(p)";

/// The ties, in the order of the laws.
pub const TIES: &[Tie] = &[
    tie("reverse-in-bounds", REVERSE, Reads(0), &["x"], Given, &["size - 1 - x"]),
    tie(
        "reverse-in-bounds",
        "p = f32[1,<size + count - 1>,1] parameter(0) \n k = f32[<size>,1,1] parameter(1) \n \
         r = f32[1,<count>,1] convolution(p, k), window={size=<size> rhs_reversal=1}, dim_labels=b0f_0io->b0f",
        Reads(1),
        &["_", "_", "_"],
        Given,
        &["size - 1 - x"],
    )
    .given("count >= 1, size >= 1"),
    tie("reverse-agrees", REVERSE, Defined(0), &["x"], Left, &["i"]),
    tie("reverse-agrees", REVERSE, Reads(0), &["x"], Right, &["i"]),
    tie(
        "reverse-involution",
        "p = f32[<size>] parameter(0) \n a = f32[<size>] reverse(p), dimensions={0} \n \
         r = f32[<size>] reverse(a), dimensions={0}",
        Through(0),
        &["x"],
        Given,
        &["size - 1 - (size - 1 - x)"],
    ),
    tie("transpose-in-bounds", TRANSPOSE, Reads(0), &["x", "y", "z"], Given, &["z", "x", "y"]),
    tie("transpose-bijective", TRANSPOSE, Defined(0), &["x", "y", "z"], Left, &["i", "j", "k"]),
    tie("transpose-bijective", TRANSPOSE, Reads(0), &["x", "y", "z"], Right, &["i", "j", "k"]),
    tie("transpose-bijective", TRANSPOSE, Readers(0), &["i", "j", "k"], Left, &["x", "y", "z"]),
    tie(
        "broadcast-in-bounds",
        "p = f32[<size>] parameter(0) \n r = f32[<length>,<count>] broadcast(p), dimensions={0}",
        Reads(0),
        &["x", "_"],
        Given,
        &["x"],
    ),
    tie("slice-in-bounds", SLICE, Reads(0), &["x"], Given, &["start + stride*x"]),
    tie("slice-in-bounds", SLICE, Defined(0), &["x"], Given, &["start + stride*x"]),
    tie("slice-maximal", SLICE, Everywhere(&[0]), &["x"], Left, &[]).given(SLICE_FITS).beyond(),
    tie("slice-maximal", SLICE, Everywhere(&[0]), &["x"], Right, &[]).given(SLICE_FITS).beyond(),
    tie("slice-onto", SLICE, Readers(0), &["x"], Given, &["(x - start) floordiv stride"]).given(SLICE_FITS),
    tie(
        "slice-of-slice",
        "p = f32[<size>] parameter(0) \n \
         a = f32[<(limit - start + stride - 1) floordiv stride>] slice(p), slice={[<start>:<limit>:<stride>]} \n \
         r = f32[<(last - low + step - 1) floordiv step>] slice(a), slice={[<low>:<last>:<step>]}",
        Through(0),
        &["x"],
        Given,
        &["start + stride*low + stride*step*x"],
    )
    .given(
        "0 <= start, start <= limit, limit <= size, stride >= 1, step >= 1, 0 <= low, low <= last, \
         last <= (limit - start + stride - 1) floordiv stride",
    )
    .drawn(&[("size", &[8, 10, 12]), ("limit", &[6, 8]), ("start", &[0, 1, 2]), ("low", &[0, 1])]),
    tie(
        "slice-of-reverse",
        "p = f32[<size>] parameter(0) \n a = f32[<size>] reverse(p), dimensions={0} \n \
         r = f32[<(limit - start + stride - 1) floordiv stride>] slice(a), slice={[<start>:<limit>:<stride>]}",
        Through(0),
        &["x"],
        Given,
        &["(size - 1 - start) - stride*x"],
    )
    .given(SLICE_FITS),
    tie("pad-agrees", PAD, Defined(0), &["x"], Left, &["i"]).given("size >= 1"),
    tie("pad-agrees", PAD, Reads(0), &["x"], Right, &["i"]).given("size >= 1"),
    tie("pad-in-bounds", PAD, Reads(0), &["x"], Given, &["(x - low) floordiv step"])
        .given("size >= 1, (x - low) mod step = 0"),
    tie("pad-span", PAD, Everywhere(&[0]), &["x"], Left, &[])
        .given("size >= 1, last = low + (size - 1)*step, count = low + (size - 1)*step + 1 + high").beyond(),
    tie("pad-span", PAD, Defined(0), &["x"], Right, &[])
        .given("size >= 1, last = low + (size - 1)*step, count = low + (size - 1)*step + 1 + high").beyond(),
    tie("pad-disjoint", PAD, Everywhere(&[0]), &["x"], Part(0..1), &[])
        .given("size >= 1, low <= x, x <= low + (size - 1)*step")
        .inside(),
    tie("pad-disjoint", PAD, Everywhere(&[1]), &["x"], Part(1..3), &[])
        .given("size >= 1, low <= x, x <= low + (size - 1)*step")
        .inside(),
    tie("pad-disjoint", PAD, Everywhere(&[0, 1]), &["x"], Left, &[]).given("size >= 1"),
    tie("pad-cover", PAD, Nowhere(&[1]), &["x"], Given, &[]).given("size >= 1"),
    tie("pad-cover", PAD, Reads(0), &["x"], Given, &["(x - low) floordiv step"]).given("size >= 1"),
    tie("pad-readers", PAD, Readers(0), &["x"], Given, &["low + step*x"]).given("size >= 1"),
    tie(
        "pad-of-pad",
        "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
         a = f32[<length>] pad(p, v), padding=<low>_<high>_<step - 1> \n \
         r = f32[<start + (length - 1)*stride + 1 + last>] pad(a, v), padding=<start>_<last>_<stride - 1>",
        Through(0),
        &["x"],
        Given,
        &["((x - start) floordiv stride - low) floordiv step"],
    )
    .given(
        "size >= 1, length = low + (size - 1)*step + 1 + high, length >= 1, \
         (x - start) mod stride = 0, start <= x, x <= start + (length - 1)*stride, \
         ((x - start) floordiv stride - low) mod step = 0, low <= (x - start) floordiv stride, \
         (x - start) floordiv stride <= low + (size - 1)*step",
    ),
    tie(
        "pad-of-pad",
        "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
         a = f32[<size>] pad(p, v), padding=<low>_<-low>_0 \n \
         r = f32[<start + (size - 1)*stride + 1 + last>] pad(a, v), padding=<start>_<last>_<stride - 1>",
        Through(0),
        &["x"],
        Given,
        &["(x - start - stride*low) floordiv (stride*step)"],
    )
    .given(
        "size >= 1, (x - start) mod stride = 0, 0 <= (x - start) floordiv stride, \
         (x - start) floordiv stride < size, 0 <= (x - start) floordiv stride - low, \
         (x - start) floordiv stride - low < size",
    )
    .drawn(&[("step", &[1])]),
    tie(
        "slice-of-pad",
        "p = f32[<size>] parameter(0) \n v = f32[] parameter(1) \n \
         a = f32[<low + (size - 1)*step + 1 + high>] pad(p, v), padding=<low>_<high>_<step - 1> \n \
         r = f32[<size>] slice(a), slice={[<low>:<low + (size - 1)*step + 1>:<step>]}",
        Through(0),
        &["x"],
        Given,
        &["(low + step*x - low) floordiv step"],
    )
    .given("size >= 1, low >= 0, high >= 0"),
    tie(
        "reshape-join",
        "p = f32[<A*B>] parameter(0) \n r = f32[<A>,<B>] reshape(p)",
        Reads(0),
        &["x", "y"],
        Given,
        &["B*x + y"],
    )
    .given("A >= 0, B >= 0"),
    tie(
        "reshape-split",
        "p = f32[<A>,<B>] parameter(0) \n r = f32[<A*B>] reshape(p)",
        Reads(0),
        &["x"],
        Given,
        &["x floordiv B", "x mod B"],
    ),
    tie(
        "reshape-split",
        "p = f32[<A>,<B>,<C>] parameter(0) \n q = f32[<C>] parameter(1) \n \
         a = f32[<A>,<B>] dot(p, q), lhs_contracting_dims={2}, rhs_contracting_dims={0} \n r = f32[<A*B>] reshape(a)",
        Through(0),
        &["x"],
        Given,
        &["x floordiv B", "x mod B"],
    )
    .given("C >= 1"),
    tie(
        "reshape-split-join",
        "p = f32[<A>,<B>] parameter(0) \n a = f32[<A*B>] reshape(p) \n r = f32[<A>,<B>] reshape(a)",
        Through(0),
        &["x", "y"],
        Given,
        &["(B*x + y) floordiv B", "(B*x + y) mod B"],
    ),
    tie("reshape-agrees", RESHAPE, Defined(0), &["x", "y"], Left, &["i", "j"]),
    tie("reshape-agrees", RESHAPE, Reads(0), &["x", "y"], Right, &["i", "j"]),
    tie("reshape-agrees", RESHAPE, Readers(0), &["i", "j"], Left, &["x", "y"]),
    tie(
        "reshape-and-back",
        "p = f32[<C>,<D>] parameter(0) \n a = f32[<A>,<B>] reshape(p) \n r = f32[<C>,<D>] reshape(a)",
        Through(0),
        &["x", "y"],
        Given,
        &[
            "(B*((D*x + y) floordiv B) + (D*x + y) mod B) floordiv D",
            "(B*((D*x + y) floordiv B) + (D*x + y) mod B) mod D",
        ],
    )
    .given("A >= 1, C >= 1, A*B = C*D"),
    tie(
        "reshape-regroup",
        "p = f32[<A>,<B*C>] parameter(0) \n r = f32[<A*B>,<C>] reshape(p)",
        Reads(0),
        &["x", "y"],
        Given,
        &["x floordiv B", "C*(x mod B) + y"],
    ),
    tie(
        "reshape-join-three",
        "p = f32[<A*B*C>] parameter(0) \n r = f32[<A>,<B>,<C>] reshape(p)",
        Reads(0),
        &["x", "y", "z"],
        Given,
        &["B*C*x + C*y + z"],
    )
    .given("A >= 1, B >= 1, C >= 1"),
    tie(
        "reshape-split-three",
        "p = f32[<A>,<B>,<C>] parameter(0) \n r = f32[<A*B*C>] reshape(p)",
        Reads(0),
        &["x"],
        Given,
        &["x floordiv (B*C)", "(x floordiv C) mod B", "x mod C"],
    ),
    tie(
        "reshape-split-join-three",
        "p = f32[<A>,<B>,<C>] parameter(0) \n a = f32[<A*B*C>] reshape(p) \n r = f32[<A>,<B>,<C>] reshape(a)",
        Through(0),
        &["x", "y", "z"],
        Given,
        &[
            "(B*C*x + C*y + z) floordiv (B*C)",
            "((B*C*x + C*y + z) floordiv C) mod B",
            "(B*C*x + C*y + z) mod C",
        ],
    ),
    tie(
        "reshape-middle",
        "p = f32[<A>,<B>,<C>] parameter(0) \n a = f32[<D>,<E>,<F>] reshape(p) \n r = f32[<A*B*C>] reshape(a)",
        Through(0),
        &["x"],
        Given,
        &["_", "((E*F*(x floordiv (E*F)) + F*((x floordiv F) mod E) + x mod F) floordiv C) mod B"],
    )
    .given("A >= 1, D >= 1, A*B*C = D*E*F"),
    tie(
        "bitcast-unit",
        "p = f32[<A*B>]{0} parameter(0) \n r = f32[<A>,1,<B>]{2,1,0} bitcast(p)",
        Reads(0),
        &["x", "z", "y"],
        Given,
        &["B*(1*x + z) + y"],
    )
    .given("A >= 0, B >= 0"),
    tie(
        "bitcast-layout",
        "p = f32[<A>,<B>]{0,1} parameter(0) \n r = f32[<A*B>]{0} bitcast(p)",
        Defined(0),
        &["x"],
        Left,
        &["i", "j"],
    ),
    tie(
        "bitcast-layout",
        "p = f32[<A>,<B>]{0,1} parameter(0) \n r = f32[<A*B>]{0} bitcast(p)",
        Reads(0),
        &["x"],
        Right,
        &["i", "j"],
    ),
    tie(
        "bitcast-convert-parts",
        "p = u<block>[<count>,<width>] parameter(0) \n r = u<width*block>[<count>] bitcast-convert(p)",
        Reads(0),
        &["x"],
        Given,
        &["x", "y"],
    )
    .drawn(&[("block", &[8, 16]), ("width", &[2, 4])]),
    tie(
        "bitcast-convert-parts",
        "p = u<width*block>[<count>] parameter(0) \n r = u<block>[<count>,<width>] bitcast-convert(p)",
        Reads(0),
        &["x", "y"],
        Given,
        &["x"],
    )
    .drawn(&[("block", &[8, 16]), ("width", &[2, 4])]),
    tie("concatenate-agrees", CONCATENATE, Defined(1), &["x"], Left, &["i"]),
    tie("concatenate-agrees", CONCATENATE, Reads(1), &["x"], Right, &["i"]),
    tie("concatenate-disjoint", CONCATENATE, Everywhere(&[1]), &["x"], Part(0..2), &[]),
    tie("concatenate-disjoint", CONCATENATE, Everywhere(&[2]), &["x"], Part(2..4), &[]),
    tie("concatenate-disjoint", CONCATENATE, Everywhere(&[1, 2]), &["x"], Left, &[]),
    tie("concatenate-cover", CONCATENATE, Nowhere(&[0, 1]), &["x"], Given, &[]),
    tie("concatenate-cover", CONCATENATE, Reads(2), &["x"], Given, &["x - (first + second)"]),
    tie("concatenate-readers", CONCATENATE, Readers(1), &["x"], Given, &["first + x"]),
    tie(
        "slice-of-concatenate",
        "p = f32[<first>] parameter(0) \n q = f32[<second>] parameter(1) \n s = f32[<third>] parameter(2) \n \
         a = f32[<first + second + third>] concatenate(p, q, s), dimensions={0} \n \
         r = f32[<limit - start>] slice(a), slice={[<start>:<limit>]}",
        Through(1),
        &["x"],
        Given,
        &["start + x - first"],
    ),
    tie("window-in-bounds", WINDOW, Reads(0), &["x"], Given, &["stride*x + dilation*y"]).given(WINDOW_FITS),
    tie("window-maximal", WINDOW, Everywhere(&[0]), &["x"], Left, &[]).given(WINDOW_FITS).beyond(),
    tie("window-maximal", WINDOW, Everywhere(&[0]), &["x"], Right, &[]).given(WINDOW_FITS).beyond(),
    tie("window-agrees", PADDED, Defined(0), &["x"], Left, &["i"]).given(PADDED_FITS),
    tie("window-agrees", PADDED, Reads(0), &["x"], Right, &["i"]).given(PADDED_FITS),
    tie("window-agrees", CONVOLUTION, Defined(0), &["_", "x", "_"], Left, &["_", "i"]).given(PADDED_FITS),
    tie("window-agrees", CONVOLUTION, Reads(0), &["_", "x", "_"], Right, &["_", "i"]).given(PADDED_FITS),
    tie(
        "window-padded-in-bounds",
        PADDED,
        Reads(0),
        &["x"],
        Given,
        &["(stride*x + dilation*y - low) floordiv step"],
    )
    .given(PADDED_FITS),
    tie("window-covers", SELECT, Defined(1), &["x"], Left, &["i"]).given(UNDILATED_FITS),
    tie("window-covers", SELECT, Reads(1), &["x"], Right, &["i"]).given(UNDILATED_FITS),
    tie("window-covers", UNDILATED, Readers(0), &["x"], Right, &["i"]).given(UNDILATED_FITS),
    tie("window-only", SELECT, Defined(1), &["x"], Left, &["i"]).given(UNDILATED_FITS),
    tie("window-only", SELECT, Reads(1), &["x"], Right, &["i"]).given(UNDILATED_FITS),
    tie("window-neighbours", SELECT, Reads(0), &["x"], Given, &["i"])
        .given(
            "taps >= 2, stride >= 1, size >= 1, low + size - 1 + high >= (taps - 1)*dilation, \
             count = (low + size - 1 + high - (taps - 1)*dilation) floordiv stride + 1, \
             0 <= o, o < count, 0 <= i, i < size",
        ),
    tie(
        "window-of-window",
        "p = f32[<(count - 1)*stride + taps>] parameter(0) \n v = f32[] parameter(1) \n \
         a = f32[<count>] reduce-window(p, v), window={size=<taps> stride=<stride>}, to_apply=add \n \
         r = f32[<(count - length) floordiv step + 1>] reduce-window(a, v), window={size=<length> stride=<step>}, \
         to_apply=add",
        Through(0),
        &["x"],
        Given,
        &["stride*(step*x + y) + z"],
    )
    .given("taps >= 1, stride >= 1, step >= 1, length >= 1, length <= count, 0 <= y, y < length"),
    tie(
        "group-agrees",
        FEATURE_GROUPS,
        Defined(0),
        &["_", "_", "x"],
        Left,
        &["_", "_", "i"],
    )
    .given(GROUPS),
    tie("group-agrees", FEATURE_GROUPS, Reads(0), &["_", "_", "x"], Right, &["_", "_", "i"]).given(GROUPS),
    tie("group-agrees", BATCH_GROUPS, Defined(0), &["y", "_", "x"], Left, &["i"]).given(GROUPS),
    tie("group-agrees", BATCH_GROUPS, Reads(0), &["y", "_", "x"], Right, &["i"]).given(GROUPS),
    tie(
        "group-in-bounds",
        FEATURE_GROUPS,
        Reads(0),
        &["_", "_", "x"],
        Given,
        &["_", "_", "width*(x floordiv part) + y"],
    )
    .given("count >= 1, width >= 1"),
    tie(
        "scale-in-bounds",
        "p = f8e4m3fn[2,<count*block>] parameter(0) \n q = f8e4m3fn[<count*block>,3] parameter(1) \n \
         s = f8e8m0fnu[2,<count>] parameter(2) \n t = f8e8m0fnu[<count>,3] parameter(3) \n \
         r = f32[2,3] scaled-dot(p, q, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        Reads(2),
        &["_", "_"],
        Given,
        &["_", "x floordiv block"],
    )
    .given("count >= 1"),
    tie(
        "clamped-in-bounds",
        DYNAMIC_SLICE,
        Reads(0),
        &["x"],
        Given,
        &["max(0, min(q, size - width)) + x"],
    )
    .with(&[("q", 1)]),
    tie(
        "clamped-in-bounds",
        DYNAMIC_SLICE,
        Defined(0),
        &["x"],
        Given,
        &["max(0, min(q, size - width)) + x"],
    )
    .with(&[("q", 1)]),
    tie("clamped-in-bounds", GATHER, Reads(0), &["x"], Given, &["max(0, min(q, size - width)) + x"])
        .with(&[("q", 1)]),
    tie(
        "clamped-in-bounds",
        BATCHED_GATHER,
        Reads(0),
        &["_", "x"],
        Given,
        &["_", "max(0, min(q, size - width)) + x"],
    )
    .with(&[("q", 1)]),
    tie("clamped-inside", DYNAMIC_SLICE, Reads(0), &["x"], Given, &["q + x"])
        .with(&[("q", 1)])
        .given("0 <= width, width <= size")
        .inside(),
    tie(
        "clamped-twice",
        "p = f32[<size>] parameter(0) \n a = s32[] parameter(1) \n b = s32[] parameter(2) \n \
         s = f32[<width>] dynamic-slice(p, a), dynamic_slice_sizes={<width>} \n \
         r = f32[<length>] dynamic-slice(s, b), dynamic_slice_sizes={<length>}",
        Through(0),
        &["x"],
        Given,
        &["max(0, min(p, size - width)) + (max(0, min(q, width - length)) + x)"],
    )
    .with(&[("p", 1), ("q", 2)]),
    tie("update-agrees", UPDATE, Defined(1), &["x"], Left, &["i"])
        .with(&[("q", 2)])
        .given("0 <= width, width <= size"),
    tie("update-agrees", UPDATE, Reads(1), &["x"], Right, &["i"])
        .with(&[("q", 2)])
        .given("0 <= width, width <= size"),
    tie("update-disjoint", UPDATE, Everywhere(&[1]), &["x"], Part(0..2), &[])
        .with(&[("q", 2)])
        .given("0 <= width, width <= size"),
    tie("update-disjoint", UPDATE, Everywhere(&[0, 1]), &["x"], Left, &[])
        .with(&[("q", 2)])
        .given("0 <= width, width <= size"),
    tie("update-cover", UPDATE, Nowhere(&[0]), &["x"], Given, &[])
        .with(&[("q", 2)])
        .given("0 <= width, width <= size"),
    tie("scatter-skips", SCATTER, Reads(2), &["x"], Left, &[])
        .with(&[("q", 1)])
        .given("0 <= width, width <= size"),
    tie("scatter-skips", SCATTER, Defined(2), &["x"], Right, &[])
        .with(&[("q", 1)])
        .given("0 <= width, width <= size"),
    tie("all-gather-agrees", ALL_GATHER, Defined(0), &["x"], Left, &["i"])
        .given("0 <= o, o < count")
        .drawn(&[("count", &[2])]),
    tie("all-gather-agrees", ALL_GATHER, Reads(0), &["x"], Right, &["i"])
        .given("0 <= o, o < count")
        .drawn(&[("count", &[2])]),
];
