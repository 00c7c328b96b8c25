//! The theorem of `rocq/` about the reads of an op, for all sizes.
//!
//! Law: a named theorem is in one of the files of `rocq/`, and is named together with its assumptions. Whether an op satisfies
//! its hypotheses is decided by the opcode, the operands and the layouts; in doubt, no theorem is named.

use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::shape::Shape;

/// A theorem about an op, or the reason why there is no theorem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theorem {
    /// The name of the theorem, and its assumptions, if any.
    Stated(&'static str, Option<&'static str>),
    /// The reason why there is no theorem.
    Missing(&'static str),
}

const ALL_USED: Option<&str> = Some("the function uses all of its arguments");

/// Returns the theorem about an instruction of a computation.
#[must_use]
pub fn theorem(computation: &Computation, instruction: &Instruction) -> Theorem {
    use Theorem::{Missing, Stated};
    let operands = instruction.operands().len();
    match instruction.opcode().name() {
        "broadcast" => Stated("broadcast_law", None),
        "transpose" => Stated("transpose_law", None),
        "reverse" => Stated("reverse_law", None),
        "slice" => Stated("slice_law", None),
        "concatenate" => Stated("concatenate_law", None),
        "reshape" => Stated("reshape_law", None),
        "dot" => Stated("dot_law", None),
        "tuple" => Stated("tuple_law", None),
        "get-tuple-element" => Stated("get_tuple_element_law", None),
        "convolution" => Stated("convolution_law", None),
        "gather" => Stated("gather_law", None),
        "pad" => Stated("pad_law", None),
        "sort" => Stated("sort_law", Some("all that is compared or may be moved is read")),
        "reduce" => Stated("reduce_law", ALL_USED),
        "reduce-window" => Stated("reduce_window_law", ALL_USED),
        "select-and-scatter" => Stated(
            "select_and_scatter_law",
            Some("the elements read for some values of the operands"),
        ),
        "scatter" if operands == 3 => {
            Stated("scatter_law", Some("the function uses the old elements"))
        }
        "scatter" => Missing("there is no theorem about scatters of several inputs"),
        "bitcast" if is_plain(computation, instruction) => Stated("bitcast_law", None),
        "bitcast" => Missing("there is no theorem about bitcasts between tiles or widths"),
        "dynamic-slice" | "dynamic-update-slice"
            if computation
                .operands(instruction)
                .last()
                .is_some_and(|x| rank(x.shape()) != Some(0)) =>
        {
            Missing("there is no theorem about starts that are given as one list")
        }
        "dynamic-slice" => Stated("dynamic_slice_law", None),
        "dynamic-update-slice" => Stated("dynamic_update_slice_law", None),
        "fusion" | "call" => Stated("walk_law", Some("no map inside has runtime variables")),
        name if ELEMENTWISE.contains(&name) => Stated("elementwise_law", ALL_USED),
        _ => Missing("there is no theorem about this op"),
    }
}

/// Ops that compute each element from the operand elements at its index.
const ELEMENTWISE: [&str; 47] = [
    "abs",
    "add",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "clz",
    "compare",
    "complex",
    "convert",
    "copy",
    "cosine",
    "divide",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "imag",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce-precision",
    "remainder",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "select",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
];

fn rank(shape: &Shape) -> Option<usize> {
    match shape.arrays().as_slice() {
        [(path, array)] if path.is_empty() => Some(array.dimensions().len()),
        _ => None,
    }
}

/// Returns whether no shape is tiled, and all have the same element type.
fn is_plain(computation: &Computation, instruction: &Instruction) -> bool {
    let mut types = Vec::new();
    for shape in
        computation.operands(instruction).map(Instruction::shape).chain([instruction.shape()])
    {
        for (_, array) in shape.arrays() {
            if !array.layout().tiles().is_empty() {
                return false;
            }
            types.push(array.element_type());
        }
    }
    types.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(text: &str) -> Theorem {
        let module = affinor_hlo::read(text.as_bytes()).expect("a module");
        let entry = &module[module.entry()];
        theorem(entry, &entry[entry.root()])
    }

    #[test]
    fn a_theorem_that_is_named_is_in_a_file() {
        let rocq = Path::new(env!("CARGO_MANIFEST_DIR")).join("rocq");
        let files = std::fs::read_dir(rocq).expect("a directory");
        let files = files.map(|file| file.expect("a file").path());
        let texts: String = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "v"))
            .map(|path| std::fs::read_to_string(path).expect("a text"))
            .collect();
        let source = include_str!("theorem.rs");
        let names = source.split('"').filter(|word| {
            word.ends_with("_law") && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        });
        let names: Vec<&str> = names.filter(|name| *name != "_law").collect();
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            assert!(texts.contains(&format!("Theorem {name} ")), "{name}");
        }
    }

    #[test]
    fn what_the_hypotheses_describe_and_what_not() {
        let stated = |text, name| match of(text) {
            Theorem::Stated(stated, _) => assert_eq!(stated, name, "{text}"),
            Theorem::Missing(reason) => panic!("{text}: {reason}"),
        };
        let missing = |text| assert!(matches!(of(text), Theorem::Missing(_)), "{text}");
        stated(
            "p = f32[8,4] parameter(0)\nr = f32[4,8] transpose(p), dimensions={1,0}",
            "transpose_law",
        );
        stated("p = f32[8,4]{1,0} parameter(0)\nr = f32[32]{0} bitcast(p)", "bitcast_law");
        missing("p = f32[8,4]{1,0} parameter(0)\nr = bf16[8,4,2]{2,1,0} bitcast(p)");
        missing("p = f32[8,128]{1,0:T(8,128)} parameter(0)\nr = f32[1024]{0} bitcast(p)");
        missing("p = f32[8,4] parameter(0)\nr = f32[8,4] cholesky(p)");
        let slice = "p = f32[8] parameter(0)\nk = s32[1] parameter(1)\nr = f32[4] dynamic-slice(p, k), dynamic_slice_sizes={4}";
        missing(slice);
        stated(&slice.replace("s32[1]", "s32[]"), "dynamic_slice_law");
    }
}
