//! Distinguishing HLO from MLIR; names and spans of the module, locations and aliases.

use affinor_hlo::is_mlir;

#[test]
fn told_apart() {
    for text in [
        "module {\n}",
        "// a comment\n\nmodule @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n}",
        "builtin.module {}",
        "\"builtin.module\"() ({}) : () -> ()",
        "#loc = loc(unknown)\nmodule {}",
        "#map = affine_map<(d0) -> (d0)>",
        "!t = tensor<4xf32>",
        "func.func @f() { return }",
        "%0 = stablehlo.add %a, %b : tensor<4xf32>",
        "%0:2 = \"stablehlo.sort\"(%a, %b) ({}) : () -> ()",
        "stablehlo.return %0 : tensor<4xf32>",
        "%0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>",
    ] {
        assert!(is_mlir(text), "{text}");
    }
    for text in [
        "HloModule m, backend_config=\"module {tensor<4xf32>}\"\nENTRY e { ROOT p = f32[2] parameter(0) }",
        "%0 = f32[4] add(%a, %b)",
        "%x = (f32[4], s32[]) tuple(%a, %b), metadata={op_name=\"stablehlo.add\"}",
        "module.1 { ROOT p = f32[2] parameter(0) }",
        "call.1 = f32[4] call(a), to_apply=f",
        "ROOT stablehlo.add = f32[4] add(a, b)",
        "stablehlo.add = f32[4] add(a, b)",
        "",
        "# module",
    ] {
        assert!(!is_mlir(text), "{text}");
    }
}

#[test]
fn names_and_places() {
    let text = "#loc1 = loc(\"x\")
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32> loc(\"x\"), %arg1: tensor<4xf32> {mhlo.sharding = \"{replicated}\"}) -> (tensor<4xf32> {jax.result_info = \"r\"}) {
    %cst = stablehlo.constant dense<1.0> : tensor<4xf32> loc(#loc)
    %0:2 = \"stablehlo.sort\"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32> loc(#loc1), %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %2 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1> loc(#loc)
      stablehlo.return %2 : tensor<i1> loc(#loc1)
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(#loc)
    %1 = stablehlo.add %0#1, %cst : tensor<4xf32> loc(#loc)
    return %1 : tensor<4xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
";
    let module = affinor_mlir::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!((module.name(), module.notes()), (Some("jit_f"), &[][..]));
    let entry = &module[module.entry()];
    assert_eq!((entry.name(), &text[entry.span()]), ("main", "func.func"));
    let places: Vec<(&str, &str)> =
        entry.instructions().map(|(_, found)| (found.name(), &text[found.name_span()])).collect();
    let expected = [
        ("arg0", "%arg0"),
        ("arg1", "%arg1"),
        ("cst.value", "%cst"),
        ("cst", "%cst"),
        ("0", "%0"),
        ("0.0", "%0"),
        ("0.1", "%0"),
        ("1", "%1"),
    ];
    assert_eq!(places, expected);
    let root = &entry[entry.root()];
    assert_eq!(&text[root.span()], "%1 = stablehlo.add %0#1, %cst : tensor<4xf32> loc(#loc)");
    let comparator = module.computation_named("main.0.comparator").map(|id| &module[id]);
    assert_eq!(comparator.map(|found| found.parameters().len()), Some(4));
}

#[test]
fn nesting() {
    let text = |depth: usize| {
        let open = "\"foo.bar\"() ({\n".repeat(depth);
        let close = "}) : () -> ()\n".repeat(depth);
        format!("func.func @f() {{\n{open}{close}return }}")
    };
    assert!(affinor_mlir::read_mlir(&text(60)).is_ok());
    let error = affinor_mlir::read_mlir(&text(100)).expect_err("too deep");
    assert_eq!(error.message, "regions are nested more than 64 deep");
    assert!(affinor_mlir::read_mlir(&text(100_000)).is_err());
    let brackets = format!("%0 = foo.bar {}{} : i32", "[".repeat(100_000), "]".repeat(100_000));
    assert!(affinor_mlir::read_mlir(&brackets).is_ok());
    let types = format!("%0 = foo.bar : {}{}", "tensor<".repeat(100_000), ">".repeat(100_000));
    assert!(affinor_mlir::read_mlir(&types).is_ok());
    let error = affinor_mlir::read_mlir(&types[..types.len() - 1]).expect_err("one `>` less");
    assert_eq!(error.message, "this bracket is never closed");
    assert!(affinor_mlir::read_mlir("%0:99999999999 = foo.bar : i32").is_err());
    assert!(affinor_mlir::read_mlir("%0:9999999 = foo.bar : i32").is_err());
}

/// The time to read a chain of products is not exponential in its length.
#[test]
fn long_chains_of_index_arithmetic() {
    let ops = (0..400).map(|k| format!("  %i{} = arith.muli %i{k}, %i{k} : index\n", k + 1));
    let text = format!(
        "func.func @f(%m: memref<8xf32>, %i0: index) {{\n{}  %v = memref.load %m[%i400] : memref<8xf32>\n  return\n}}",
        ops.collect::<String>()
    );
    let module = affinor_mlir::read_mlir(&text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(module.notes(), []);
}
