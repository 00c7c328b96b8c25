//! Recognises the kind of a text or a file that is not HLO text, for an error that says how to proceed.
//!
//! This does not affect whether a text is accepted: it runs only after the reader has failed.

use affinor_maps::text::{Error, ErrorKind};

/// Instructions for getting a module as text.
const DUMP: &str = "dump the module as text: XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\", or \
                    `jax.jit(f).lower(x).compile().as_text()`";
const LOWER: &str = "in JAX, `jax.jit(f).lower(x).as_text('hlo')` prints the HLO before optimization, \
                     `jax.jit(f).lower(x).compile().as_text()` the HLO after it";

const OTHERS: &str = "StableHLO, CHLO, linalg, tensor, memref, vector, affine and scf are read; an op is \
                      `%result = dialect.op %operand : type`";

/// Returns a better error than `error` if the format of `bytes` is recognised.
pub(super) fn explained(bytes: &[u8], error: Error) -> Error {
    let found = match std::str::from_utf8(bytes) {
        Ok(text) => text_format(text).or_else(|| {
            let is_binary = |c: char| c.is_control() && !c.is_whitespace();
            text.contains(is_binary).then(|| binary_format(bytes))?
        }),
        Err(_) => binary_format(bytes),
    };
    let Some((what, hint)) = found else {
        return error;
    };
    let kind = match error.kind {
        ErrorKind::Encoding => ErrorKind::Encoding,
        _ => ErrorKind::Hlo,
    };
    Error::new(kind, beginning(bytes), format!("expected HLO text, found {what}")).hint(hint)
}

/// Returns the span of the first word of a text, or of the first byte of anything else.
fn beginning(bytes: &[u8]) -> std::ops::Range<usize> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
    let start = start.unwrap_or(0);
    let word = bytes[start..].iter().take_while(|byte| byte.is_ascii_graphic());
    start..start + word.count().clamp(1, 40).min(bytes.len() - start)
}

/// Dialects of MLIR: a name with one of these prefixes is an op.
const DIALECTS: [&str; 19] = [
    "stablehlo.",
    "mhlo.",
    "chlo.",
    "sdy.",
    "func.",
    "arith.",
    "math.",
    "linalg.",
    "tensor.",
    "memref.",
    "vector.",
    "affine.",
    "scf.",
    "bufferization.",
    "tosa.",
    "xla.",
    "xla_gpu.",
    "gpu.",
    "ub.",
];

/// Returns whether the text after an op's name begins with operands or attributes of MLIR, which code does not have there.
fn begins_operands(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ').map(str::trim_start) else { return false };
    let is_value = |rest: &str| {
        let name = rest.strip_prefix('%').unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c))
    };
    let inside = rest.strip_prefix('(').map_or("", str::trim_start);
    rest.starts_with(['@', '#', '{', '<', '"'])
        || rest.starts_with("ins(")
        || rest.starts_with("indexing_maps")
        || is_value(rest)
        || is_value(inside)
}

/// Returns whether the first line of a text is MLIR: a module or a function, an alias, or an op with its dialect.
#[must_use]
pub fn is_mlir(text: &str) -> bool {
    let lines = text.lines().map(|line| line.trim_matches(['\u{FEFF}', '\u{A0}', ' ', '\t', '\r']));
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    let Some(first) = lines.next() else { return false };
    let begins = |words: &[&str]| words.iter().any(|word| first.starts_with(word));
    if begins(&[
        "module @",
        "module {",
        "module attributes",
        "builtin.module",
        "func.func",
        "func @",
        "gpu.module @",
        "gpu.func @",
        "xtile.entry_func",
    ]) || begins(&["\"builtin.module\"", "\"func.func\""])
    {
        return true;
    }
    if begins(&["#", "!"]) {
        let name = first.split_once('=').map_or("", |(name, _)| name.trim_end());
        return name.len() > 1
            && name[1..].chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
    }
    let op = match first.starts_with('%') {
        // An instruction of HLO has its shape there.
        true => first.split_once(" = ").map_or("", |(_, op)| op.trim_start()),
        false => first,
    };
    if let Some(quoted) = op.strip_prefix('"') {
        let name = quoted.split_once("\"(").map_or("", |(name, _)| name);
        return name.contains('.') && !name.contains(' ');
    }
    let end =
        op.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c)).unwrap_or(op.len());
    let (name, rest) = op.split_at(end);
    // Names in other code contain dots, too: `math.floor(i / 4)`, `vector.x * 2`.
    let is_known = DIALECTS.iter().any(|dialect| name.starts_with(dialect))
        && (first.starts_with('%') || begins_operands(rest));
    let is_value = first.starts_with('%') && name.contains('.');
    (is_known || is_value)
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.ends_with('.')
        && !rest.starts_with('[')
        && !rest.trim_start().starts_with('=')
        || name == "call" && rest.trim_start().starts_with('@') && first.starts_with('%')
}

fn text_format(text: &str) -> Option<(&'static str, &'static str)> {
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    let first = lines.next()?;
    let begins = |words: &[&str]| words.iter().any(|word| first.starts_with(word));
    let is_mlir = is_mlir(text) || begins(&["%", "\"", "#"]) && has_dialect(text);
    if is_mlir {
        let has_hlo = ["stablehlo.", "mhlo.", "chlo.", "vhlo."].iter().any(|d| text.contains(d));
        return Some(if has_hlo { ("StableHLO", LOWER) } else { ("MLIR", OTHERS) });
    }
    if begins(&["{ lambda"]) {
        return Some(("a jaxpr", LOWER));
    }
    let beside = "read the module of the same dump: its name ends in `after_optimizations.txt`";
    if begins(&["BufferAssignment:"]) {
        return Some(("a buffer assignment", beside));
    }
    if begins(&["HloLiveRange", "Memory Space:", "Total bytes used:"])
        || begins(&["xla_"]) && first.contains(": ") && !first.contains('=')
    {
        return Some(("a report or the options of a compilation", beside));
    }
    if begins(&["hlo_module {", "hlo_module{", "hlo {", "entry_computation_name:"])
        || begins(&["name:"]) && text.contains("entry_computation_name:")
    {
        return Some(("a module as text of a protocol buffer", DUMP));
    }
    if begins(&["; ModuleID", "source_filename", "target datalayout"]) {
        return Some(("LLVM IR", DUMP));
    }
    if begins(&["digraph", "<!DOCTYPE", "<html"]) {
        return Some(("a picture of a graph", DUMP));
    }
    None
}

/// Returns whether the text contains a type of MLIR.
fn has_dialect(text: &str) -> bool {
    ["tensor<", "memref<", "vector<", "!llvm.", "!tt.ptr"].iter().any(|word| text.contains(word))
}

fn binary_format(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "unpack it; only gzip is read packed";
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    if begins(b"ML\xefR") {
        return Some(("MLIR bytecode, such as a serialized StableHLO module", LOWER));
    }
    if begins(b"\x28\xb5\x2f\xfd") {
        return Some(("a file packed by zstd", UNPACK));
    }
    if begins(b"\xfd7zXZ") || begins(b"BZh") {
        return Some(("a packed file", UNPACK));
    }
    if begins(b"PK\x03\x04") {
        return Some(("a zip archive", UNPACK));
    }
    if begins(b"\x7fELF") {
        return Some(("machine code", DUMP));
    }
    is_message(bytes).then_some(("a serialized protocol buffer, such as an `HloProto`", DUMP))
}

/// Returns whether this is a protocol buffer message whose first field is a string or a message, as in `HloProto`,
/// `HloModuleProto` and `HloSnapshot`.
fn is_message(bytes: &[u8]) -> bool {
    let mut rest = match bytes {
        [0x0a, rest @ ..] => rest,
        _ => return false,
    };
    // The field extends to the end of the file, or is followed by another one.
    let Some(length) = varint(&mut rest) else {
        return false;
    };
    let Ok(length) = usize::try_from(length) else {
        return false;
    };
    match rest.get(length..) {
        Some([]) => length > 0,
        Some([tag, ..]) => length > 0 && matches!(tag & 7, 0 | 1 | 2 | 5) && tag >> 3 > 0,
        None => false,
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate as hlo;

    #[track_caller]
    fn check(bytes: &[u8], message: &str, hint: &str) {
        let error = hlo::read(bytes).unwrap_err();
        assert_eq!(error.message, message);
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error:?}");
        let span = error.span.unwrap();
        assert!(span.start < span.end && span.end <= bytes.len());
    }

    #[test]
    fn ops_of_mlir_are_told_from_code_and_hlo() {
        for (text, expected) in [
            ("memref.store %v, %m[%i] : memref<4xf32>", true),
            ("affine.for %i = 0 to 4 {", true),
            ("affine.parallel (%i, %j) = (0, 0) to (4, 4) {", true),
            (
                "linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)",
                true,
            ),
            ("linalg.generic {indexing_maps = []} ins(%a : memref<4xf32>)", true),
            ("func.call @f(%a) : (f32) -> ()", true),
            ("%0 = math.floor %x : f32", true),
            ("\"math.floor\"(%x) : (f32) -> f32", true),
            ("%2 = torch.aten.view %0, %1 : !torch.vtensor", true),
            ("x = np.floor(a)", false),
            ("%x = f32[2] negate(%y)", false),
            ("math.floor(i / 4)", false),
            ("math.floor(i % 4)", false),
            ("vector.x * 4 + vector.y", false),
            ("vector.x % 4", false),
            ("tensor.shape[0] // 4", false),
            ("tensor.size = 4", false),
            ("math.pi", false),
        ] {
            assert_eq!(super::is_mlir(text), expected, "{text}");
        }
    }

    #[test]
    fn what_people_have_instead() {
        let stablehlo = b"module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}";
        check(stablehlo, "expected HLO text, found StableHLO", "as_text('hlo')");
        check(
            b"#map = affine_map<(d0) -> (d0)>\nmodule {\n func.func @f(%a: memref<4xf32>) { return }\n}",
            "expected HLO text, found MLIR",
            "linalg, tensor, memref, vector, affine and scf are read",
        );
        check(
            b"// comment\n\n%0 = stablehlo.add %a, %b : tensor<4xf32>",
            "expected HLO text, found StableHLO",
            "as_text('hlo')",
        );
        check(
            b"{ lambda ; a:f32[8]. let b:f32[8] = sin a in (b,) }",
            "expected HLO text, found a jaxpr",
            "as_text('hlo')",
        );
        check(
            b"BufferAssignment:\nallocation 0: size 32, parameter 0:\n value: <1 p @0> (size=32): f32[8]{0}",
            "expected HLO text, found a buffer assignment",
            "after_optimizations.txt",
        );
        check(
            b"\nTotal bytes used: 8 (8B)\n",
            "expected HLO text, found a report or the options of a compilation",
            "after_optimizations.txt",
        );
        check(
            b"xla_cpu_enable_fast_min_max: false",
            "expected HLO text, found a report or the options of a compilation",
            "after_optimizations.txt",
        );
        check(
            b"hlo_module {\n  name: \"jit_f\"\n}",
            "expected HLO text, found a module as text of a protocol buffer",
            "--xla_dump_hlo_as_text",
        );
        check(b"; ModuleID = 'm'", "expected HLO text, found LLVM IR", "--xla_dump_hlo_as_text");
        let proto = b"\x0a\x05jit_f\x12\x06main.4\x1a\x02\x0a\x00";
        let message =
            "expected HLO text, found a serialized protocol buffer, such as an `HloProto`";
        check(proto, message, "--xla_dump_hlo_as_text");
        check(b"\x0a\x80\x01\xff", "the text is not UTF-8", "expected HLO text");
        check(
            b"ML\xefR\x01",
            "expected HLO text, found MLIR bytecode, such as a serialized StableHLO module",
            "as_text('hlo')",
        );
        check(b"\x28\xb5\x2f\xfd\x00", "expected HLO text, found a file packed by zstd", "unpack");
        check(b"PK\x03\x04\x00", "expected HLO text, found a zip archive", "unpack");
    }

    #[test]
    fn errors_of_hlo_stay() {
        for text in [
            "HloModule m\nENTRY e { ROOT p = f32[2] stablehlo.sine(tensor<4>) }",
            "%x = f32[2] negate(%y",
            "",
            "module",
            "\n\nsome text that is not a message of 10 bytes",
            "xla_x = f32[] negate(",
        ] {
            let error = hlo::read_text(text).unwrap_err();
            assert_eq!(hlo::read(text.as_bytes()), Err(error), "{text}");
        }
    }
}
