//! A select-and-scatter as a fold over windows that finds the selected elements, and a scatter to these.
//!
//! Law: for each window, the fold carries the selected element and its index; an index of -1 means that no element is selected
//! yet. An empty window scatters to -1, which is outside.

use super::texts::{array, listed};
use affinor_hlo::module::{Computation, Instruction};
use std::fmt::Write;

/// Returns the operation as a computation of its operands.
pub(super) fn text(computation: &Computation, instruction: &Instruction) -> Option<String> {
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let [operand, source, _] = operands[..] else {
        return None;
    };
    let ((of, sizes), (like, windows)) = (array(operand, &[])?, array(source, &[])?);
    let rank = sizes.len();
    let window = instruction.window(rank).ok()?;
    let is_plain = window
        .iter()
        .all(|one| (one.base_dilation, one.window_dilation, one.reversal) == (1, 1, false));
    (is_plain && of == like && rank > 0 && windows.len() == rank).then_some(())?;
    let joined = |parts: Vec<String>| parts.join("x");
    let size = joined(window.iter().map(|one| one.size.to_string()).collect());
    let stride = joined(window.iter().map(|one| one.stride.to_string()).collect());
    let padding = window.iter().map(|one| format!("{}_{}", one.padding_low, one.padding_high));
    let padding = joined(padding.collect());
    let each = |part: &dyn Fn(usize) -> String| listed((0..rank).map(part));
    let scalars = format!("({of}[], {})", each(&|_| "s32[]".to_owned()));
    let mut text = format!("HloModule s\nselect {{\n a = {of}[] parameter(0)\n");
    for k in 0..rank {
        let _ = writeln!(text, " i{k} = s32[] parameter({})", k + 1);
    }
    let _ = writeln!(text, " b = {of}[] parameter({})", rank + 1);
    for k in 0..rank {
        let _ = writeln!(text, " j{k} = s32[] parameter({})", rank + k + 2);
    }
    let _ = write!(
        text,
        " none = s32[] constant(-1)\n stays = pred[] call(a, b), to_apply=given0\n \
         old = pred[] compare(i0, none), direction=NE\n first = pred[] and(stays, old)\n \
         new = pred[] compare(j0, none), direction=NE\n only = pred[] not(new)\n o = pred[] or(first, only)\n \
         v = {of}[] select(o, a, b)\n"
    );
    for k in 0..rank {
        let _ = writeln!(text, " k{k} = s32[] select(o, i{k}, j{k})");
    }
    let (all, windows) = (listed(&sizes), listed(&windows));
    let indices = each(&|k| format!("k{k}"));
    let _ = write!(
        text,
        " ROOT t = {scalars} tuple(v, {indices})\n}}\nENTRY e {{\n x = {of}[{all}] parameter(0)\n \
         u = {of}[{windows}] parameter(1)\n z = {of}[] parameter(2)\n none = s32[] constant(-1)\n"
    );
    for k in 0..rank {
        let _ = writeln!(text, " i{k} = s32[{all}] iota(), iota_dimension={k}");
    }
    let arrays = format!("({of}[{windows}], {})", each(&|_| format!("s32[{windows}]")));
    let _ = writeln!(
        text,
        " w = {arrays} reduce-window(x, {}, z, {}), window={{size={size} stride={stride} pad={padding}}}, to_apply=select",
        each(&|k| format!("i{k}")),
        each(&|_| "none".to_owned()),
    );
    for k in 0..rank {
        let _ = writeln!(
            text,
            " j{k} = s32[{windows}] get-tuple-element(w), index={}\n k{k} = s32[{windows},1] reshape(j{k})",
            k + 1
        );
    }
    let inserted = each(&|k| k.to_string());
    let _ = write!(
        text,
        " at = s32[{windows},{rank}] concatenate({indices}), dimensions={{{rank}}}\n \
         zs = {of}[{all}] broadcast(z), dimensions={{}}\n \
         ROOT r = {of}[{all}] scatter(zs, at, u), update_window_dims={{}}, inserted_window_dims={{{inserted}}}, \
         scatter_dims_to_operand_dims={{{inserted}}}, index_vector_dim={rank}, to_apply=given1\n}}\n"
    );
    Some(text)
}
