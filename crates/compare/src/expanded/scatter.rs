//! A scatter of one array as a loop that updates window after window.
//!
//! Law: windows that are not entirely inside are skipped, and the order of windows does not matter, as XLA specifies.

use super::texts::{array, listed};
use affinor::num::product;
use affinor_hlo::module::{Computation, Instruction};
use std::fmt::Write;

/// Returns the operation as a computation of its operands.
pub(super) fn text(computation: &Computation, instruction: &Instruction) -> Option<String> {
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let [operand, indices, updates] = operands[..] else {
        return None;
    };
    let ((of, sizes), (index, at), (like, from)) =
        (array(operand, &[])?, array(indices, &[])?, array(updates, &[])?);
    let numbers = instruction.scatter_dimensions(sizes.len(), at.len(), from.len()).ok()?;
    let is_plain = of == like && numbers.operand_batching.is_empty() && !sizes.is_empty();
    // The sizes are representable in the type of the indices.
    let holds_sizes = indices.shape().as_array()?.element_type().bits() >= 32;
    (is_plain && holds_sizes).then_some(())?;
    // Index vectors come last, after all other dimensions in a single one.
    let vector = numbers.index_vector;
    let counted: Vec<usize> = (0..at.len()).filter(|k| *k != vector).collect();
    let length = at.get(vector).copied().unwrap_or(1);
    (usize::try_from(length).ok()? == numbers.scatter_to_operand.len()).then_some(())?;
    let count = product(counted.iter().map(|k| at[*k]))?;
    let mut order = counted.clone();
    order.extend((vector < at.len()).then_some(vector));
    let moved: Vec<i64> = order.iter().map(|k| at[*k]).collect();
    // Windows: first the dimensions of the updates that enumerate them; omitted dimensions have size 1.
    let window_dims = &numbers.update_window;
    let mut places: Vec<usize> = (0..from.len()).filter(|k| !window_dims.contains(k)).collect();
    places.extend(window_dims);
    let ordered: Vec<i64> = places.iter().map(|k| from[*k]).collect();
    let mut kept = window_dims.iter();
    let mut window = Vec::new();
    for k in 0..sizes.len() {
        window.push(match numbers.inserted_window.contains(&k) {
            true => 1,
            false => *from.get(*kept.next()?)?,
        });
    }
    let w = listed(&window);
    let (o, i, u) = (listed(&sizes), listed(&at), listed(&from));
    let state = format!("(s32[], {of}[{o}], {index}[{count},{length}], {of}[{count},{w}])");
    let body = step(of, index, &sizes, &window, &numbers.scatter_to_operand, count)?;
    let mut text = "HloModule s\n".to_owned();
    if count > 1 {
        let _ = write!(
            text,
            "less {{\n s = {state} parameter(0)\n k = s32[] get-tuple-element(s), index=0\n n = s32[] constant({count})\n \
             ROOT r = pred[] compare(k, n), direction=LT\n}}\nbody {{\n s = {state} parameter(0)\n \
             k = s32[] get-tuple-element(s), index=0\n x = {of}[{o}] get-tuple-element(s), index=1\n \
             j = {index}[{count},{length}] get-tuple-element(s), index=2\n v = {of}[{count},{w}] get-tuple-element(s), index=3\n{body} \
             one = s32[] constant(1)\n l = s32[] add(k, one)\n ROOT t = {state} tuple(l, y, j, v)\n}}\n"
        );
    }
    let _ = write!(
        text,
        "ENTRY e {{\n x = {of}[{o}] parameter(0)\n i = {index}[{i}] parameter(1)\n u = {of}[{u}] parameter(2)\n \
         k = s32[] constant(0)\n i.t = {index}[{}] transpose(i), dimensions={{{}}}\n j = {index}[{count},{length}] reshape(i.t)\n \
         u.t = {of}[{}] transpose(u), dimensions={{{}}}\n v = {of}[{count},{w}] reshape(u.t)\n",
        listed(moved),
        listed(order),
        listed(ordered),
        listed(places),
    );
    let _ = match count {
        1 => write!(text, "{body} ROOT r = {of}[{o}] copy(y)\n}}\n"),
        _ => write!(
            text,
            " s = {state} tuple(k, x, j, v)\n w = {state} while(s), condition=less, body=body\n \
             ROOT r = {of}[{o}] get-tuple-element(w), index=1\n}}\n"
        ),
    };
    (count > 0).then_some(text)
}

/// Returns the text of `y`, the array `x` with window `k` updated, from index vectors `j` and windows `v`.
fn step(
    of: &str,
    index: &str,
    sizes: &[i64],
    window: &[i64],
    scatter_to_operand: &[usize],
    count: i64,
) -> Option<String> {
    let (rank, length) = (sizes.len(), scatter_to_operand.len());
    let (o, w) = (listed(sizes), listed(window));
    let mut text = format!(
        " k.0 = s32[] constant(0)\n j.k = {index}[1,{length}] dynamic-slice(j, k, k.0), dynamic_slice_sizes={{1,{length}}}\n \
         zero = {index}[1] constant({{0}})\n j.1 = {index}[{length}] reshape(j.k)\n"
    );
    let mut parts = Vec::new();
    for k in 0..rank {
        parts.push(match scatter_to_operand.iter().position(|to| *to == k) {
            None => "zero".to_owned(),
            Some(from) => {
                let to = from + 1;
                let _ = writeln!(text, " at{k} = {index}[1] slice(j.1), slice={{[{from}:{to}]}}");
                format!("at{k}")
            }
        });
    }
    let last = sizes.iter().zip(window).map(|(size, window)| size - window);
    let last: Vec<i64> = last.collect();
    last.iter().all(|last| *last >= 0).then_some(())?;
    let _ = write!(
        text,
        " at = {index}[{rank}] concatenate({}), dimensions={{0}}\n zero.s = {index}[] constant(0)\n \
         zeros = {index}[{rank}] broadcast(zero.s), dimensions={{}}\n \
         b.l = pred[{rank}] compare(zeros, at), direction=LE\n last = {index}[{rank}] constant({{{}}})\n \
         b.h = pred[{rank}] compare(last, at), direction=GE\n b = pred[{rank}] and(b.l, b.h)\n",
        listed(&parts),
        listed(&last),
    );
    for k in 0..rank {
        let to = k + 1;
        let both = match k {
            0 => "copy(b.0)".to_owned(),
            _ => format!("and(in.{}, b.{k})", k - 1),
        };
        let _ = write!(
            text,
            " b.{k}.1 = pred[1] slice(b), slice={{[{k}:{to}]}}\n b.{k} = pred[] reshape(b.{k}.1)\n in.{k} = pred[] {both}\n"
        );
    }
    let _ = writeln!(text, " inside = pred[] copy(in.{})", rank - 1);
    for k in 0..rank {
        let to = k + 1;
        let _ = writeln!(
            text,
            " o{k}.1 = {index}[1] slice(at), slice={{[{k}:{to}]}}\n o{k} = {index}[] reshape(o{k}.1)"
        );
    }
    let offsets = listed((0..rank).map(|k| format!("o{k}")));
    let zeros = listed((0..rank).map(|_| "k.0"));
    let _ = write!(
        text,
        " old = {of}[{w}] dynamic-slice(x, {offsets}), dynamic_slice_sizes={{{w}}}\n \
         new.1 = {of}[1,{w}] dynamic-slice(v, k, {zeros}), dynamic_slice_sizes={{1,{w}}}\n new = {of}[{w}] reshape(new.1)\n \
         both = {of}[{w}] map(old, new), dimensions={{{}}}, to_apply=given0\n \
         is.in = pred[{w}] broadcast(inside), dimensions={{}}\n put = {of}[{w}] select(is.in, both, old)\n \
         y = {of}[{o}] dynamic-update-slice(x, put, {offsets})\n",
        listed(0..rank)
    );
    (count > 0).then_some(text)
}
