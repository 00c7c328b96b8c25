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
fn a_module_is_printed_as_hlo_that_reads_the_same() {
    let text = "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<2xi32>\n%1 = stablehlo.negate %0#1 : tensor<2xi32>";
    let module = affinor_mlir::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    let printed = module.to_string();
    let again = affinor_hlo::read_text(&printed).unwrap_or_else(|e| panic!("{printed}: {e:?}"));
    assert_eq!(again.to_string(), printed);
}

#[test]
fn types() {
    for (ty, shape) in [
        ("tensor<4x?xf32>", "f32[4,?]"),
        ("tensor<?x8xf32, #stablehlo.bounds<4, ?>>", "f32[<=4,8]"),
        ("tensor<2xcomplex<f64>>", "c128[2]"),
        ("tensor<2xf8E4M3FN>", "f8e4m3fn[2]"),
        ("tensor<i1>", "pred[]"),
        ("tuple<tensor<f32>, tuple<tensor<2xui8>>>", "(f32[], (u8[2]))"),
        ("!stablehlo.token", "token[]"),
        ("tensor<0x4xindex>", "s64[0,4]"),
        ("memref<4xf32>", "f32[4]{0}"),
        ("memref<*xf32>", "opaque[]"),
        ("tensor<4x!foo.bar>", "opaque[]"),
        ("tensor<*xf32>", "opaque[]"),
        ("!foo.bar<4 x i8>", "opaque[]"),
        ("(i32) -> tensor<4xf32>", "opaque[]"),
    ] {
        let text = format!("func.func @main(%a: {ty}) -> {ty} {{ return %a : {ty} }}");
        let module = affinor_mlir::read(text.as_bytes()).unwrap_or_else(|e| panic!("{ty}: {e:?}"));
        let entry = &module[module.entry()];
        let layouts = affinor_hlo::read_shape(shape).unwrap_or_else(|e| panic!("{shape}: {e:?}"));
        assert_eq!(entry[entry.root()].shape().to_string(), layouts.to_string(), "{ty}");
    }
}
