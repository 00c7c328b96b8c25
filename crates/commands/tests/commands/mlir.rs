//! JAX programs as StableHLO and as XLA's own HLO: both have the same reads, and the claims about the former are proved.

use super::support::memory::Memory;
use affinor_commands::{Session, Status};

macro_rules! program {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("stablehlo/", $name, ".mlir")),
            include_str!(concat!("stablehlo/", $name, ".hlo")),
        )
    };
}

/// Name, StableHLO, HLO: `jax.jit(f).lower(..).as_text()` and `.as_text("hlo")` of JAX 0.10.2.
const PROGRAMS: [(&str, &str, &str); 21] = [
    program!("addat"),
    program!("cond2"),
    program!("convdil"),
    program!("dynup"),
    program!("fft"),
    program!("foricap"),
    program!("nested"),
    program!("poolgrad"),
    program!("qr"),
    program!("roll"),
    program!("scan"),
    program!("scanrev"),
    program!("shardcon"),
    program!("softmax"),
    program!("special"),
    program!("switch"),
    program!("takeal"),
    program!("tens"),
    program!("trig"),
    program!("vari"),
    program!("vmapdyn"),
];

/// Runs a command on these files, and returns its status and the lines of its answers.
pub fn said(line: &str, files: &[(&'static str, &str)]) -> (Status, Vec<String>) {
    let files = files.iter().map(|(name, text)| (*name, text.as_bytes().to_vec()));
    let mut host = Memory { files: files.collect(), ..Memory::default() };
    let status = Session::new().run(line, &mut host);
    let status = status.unwrap_or_else(|failure| panic!("{line}: {}", failure.error.message));
    let outputs = host.outputs.iter().map(|output| output.text.to_string());
    let reports = host.reports.iter().map(|report| report.error.message.clone());
    (
        status,
        outputs
            .chain(reports)
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect(),
    )
}

#[test]
fn programs_read_the_same_as_the_hlo_that_xla_makes_of_them() {
    for (name, mlir, hlo) in PROGRAMS {
        let files = [("a.mlir", mlir), ("b.hlo", hlo)];
        let (status, lines) = said("diff a.mlir b.hlo --entry", &files);
        assert_eq!(status, Status::Done, "{name}: {lines:?}");
    }
}

#[test]
fn maps_of_stablehlo_are_proved() {
    for (name, mlir, _) in PROGRAMS {
        let (status, lines) = said("hlo a.mlir --check", &[("a.mlir", mlir)]);
        assert_eq!(status, Status::Done, "{name}: {lines:?}");
        let checked = lines.iter().find(|line| line.starts_with("checked:"));
        let checked = checked.unwrap_or_else(|| panic!("{name}: {lines:?}"));
        assert!(checked.ends_with("0 refuted, 0 unknown"), "{name}: {checked}");
    }
}

#[test]
fn values_are_asked_for_by_their_names() {
    let text =
        "func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
";
    for line in ["tile ./a.mlir %0#1 2,2", "tile ./a.mlir 0.1 2,2", "tile ./a.mlir %1 2,2"] {
        let (status, lines) = said(line, &[("a.mlir", text), ("./a.mlir", text)]);
        assert_eq!(status, Status::Done, "{line}: {lines:?}");
    }
}

#[test]
fn lines_that_are_typed() {
    for (line, expected) in [
        (
            "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]",
        ),
        (
            "module @m {\n  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n    %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>\n    return %0 : tensor<8xf32>\n  }\n}",
            "(d0) -> (-d0 + 7), domain: d0 in [0, 7]",
        ),
    ] {
        let (status, lines) = said(line, &[]);
        assert_eq!(status, Status::Done, "{line}: {lines:?}");
        assert!(lines.iter().any(|said| said.contains(expected)), "{line}: {lines:?}");
    }
}

#[test]
fn digits_and_their_names() {
    for (line, expected) in [
        (
            "%0:3 = affine.delinearize_index %i into (4, 8) : index, index, index",
            &[
                "v_0_0 = affine_map<(i) -> (i floordiv 32)>",
                "v_0_1 = affine_map<(i) -> (i floordiv 8 mod 4)>",
            ][..],
        ),
        (
            "%a, %b = affine.delinearize_index %i into (4, 8) : index, index",
            &["a = affine_map<(i) -> (i floordiv 8)>", "b = affine_map<(i) -> (i mod 8)>"],
        ),
        (
            "%r = affine.linearize_index disjoint [%x, %y, %z] by (2, 4, 8) : index",
            &["r = affine_map<(x, y, z) -> (z + (x * 4 + y) * 8)>"],
        ),
        ("%r = index.add %x, %y", &["r = affine_map<(x, y) -> (x + y)>"]),
    ] {
        let (status, lines) = said(line, &[]);
        assert_eq!(status, Status::Done, "{line}: {lines:?}");
        assert!(
            expected.iter().all(|map| lines.iter().any(|said| said == map)),
            "{line}: {lines:?}"
        );
    }
    for (line, message) in [
        ("%r = affine.linearize_index [%x, %y, %z] by (4) : index", "one for each index"),
        ("%r = affine.delinearize_index %i into (4, 8) : index, index", "one for each index"),
        ("%0:2 = affine.delinearize_index %i into (4, 0) : index, index", "positive sizes"),
        ("%0:2 = affine.apply affine_map<(i) -> (i)>(%i)", "1 result cannot have 2 names"),
        ("%0:999999999 = affine.delinearize_index %i into (4) : index", "from 1 to 100"),
        ("%r = affine.linearize_index %x by (4) : index", "expected `[%i, %j] by"),
    ] {
        let failure = Session::new().run(line, &mut Memory::default()).expect_err(line);
        assert!(failure.error.message.contains(message), "{line}: {}", failure.error.message);
    }
}

/// Maps are simplified if that is proved; comments, strings and everything else are preserved byte for byte.
#[test]
fn files_with_their_maps_simplified() {
    for (text, expected) in [
        ("#m = affine_map<(d0) -> ((d0 * 4 + 3) floordiv 4)>\n", "#m = affine_map<(d0) -> (d0)>\n"),
        (
            "  affine.apply   affine_map<(a)[s] -> (a + s * 2 - s)>(%i)[%n]\t// affine_map<(d0) -> (d0 + 0)>",
            "  affine.apply   affine_map<(a)[s] -> (a + s)>(%i)[%n]\t// affine_map<(d0) -> (d0 + 0)>",
        ),
        (
            "{a = \"affine_map<(d0) -> (d0 + 0)>\", b = affine_map<(d0, d1) -> (d0 mod 1, d1)>}\n",
            "{a = \"affine_map<(d0) -> (d0 + 0)>\", b = affine_map<(d0, d1) -> (0, d1)>}\n",
        ),
        (
            "%0 = affine.load %a[(%i floordiv 2) * 2 + %i mod 2, symbol(%n) + %arg_1 - symbol(%n)] : memref<?x?xf32> // %a[%i + 0]\n",
            "%0 = affine.load %a[%i, %arg_1] : memref<?x?xf32> // %a[%i + 0]\n",
        ),
        (
            "affine.store %0#1, %a[%0#1 * 8 mod 4, %12 floordiv 3] : memref<?x?xf32>\n",
            "affine.store %0#1, %a[0, %12 floordiv 3] : memref<?x?xf32>\n",
        ),
        ("memref.load %a[%i + 0] : memref<?xf32>\n", "memref.load %a[%i + 0] : memref<?xf32>\n"),
        ("affine.load %a[%i + 0\n", "affine.load %a[%i + 0\n"),
        ("affine.load %a[% + 0] : memref<?xf32>", "affine.load %a[% + 0] : memref<?xf32>"),
        // Maps that are already minimal, cannot be read, or are unterminated.
        ("affine_map<(d0)  ->  (d0 mod 4)>\r\n", "affine_map<(d0)  ->  (d0 mod 4)>\r\n"),
        ("affine_map<(d0) -> (d0 / 2)>", "affine_map<(d0) -> (d0 / 2)>"),
        ("affine_map<(d0) -> (d0 + 0)", "affine_map<(d0) -> (d0 + 0)"),
    ] {
        let (status, lines) = said("simplify ./a.mlir", &[("./a.mlir", text)]);
        assert_eq!(status, Status::Done, "{text}: {lines:?}");
        let expected: Vec<&str> = expected.trim_end_matches('\n').split('\n').collect();
        assert_eq!(lines, expected, "{text}");
    }
    let (status, lines) =
        said("simplify ./a.mlir --json", &[("./a.mlir", "affine_map<(i) -> (i + 0)>")]);
    assert_eq!(status, Status::Done, "{lines:?}");
}

#[test]
fn an_op_that_is_not_known_is_unknown_with_operands_and_without() {
    let text = "func.func @f(%a: !foo.bar, %b: tensor<4xf32>) -> tensor<4xf32> {\n  \
        %0 = \"foo.baz\"(%a) : (!foo.bar) -> !foo.qux\n  \
        %1 = \"foo.one\"(%b) : (tensor<4xf32>) -> tensor<4xf32>\n  \
        %2 = stablehlo.add %1, %b : tensor<4xf32>\n  return %2 : tensor<4xf32>\n}\n";
    let (status, lines) = said("hlo a.mlir", &[("a.mlir", text)]);
    let summary = "summary: 3 instructions, 1 exact, 0 at most, 2 unknown";
    assert!(lines.iter().any(|line| line == summary), "{lines:?}");
    assert_eq!(status, Status::Undecided, "{lines:?}");
    let warnings = lines.iter().filter(|line| line.contains("warning")).count();
    assert_eq!(warnings, 2, "one for each: {lines:?}");
}
