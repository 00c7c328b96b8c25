//! Each op as an instruction of HLO, in its pretty form and in the generic one.

use affinor_mlir::translate;

/// Returns the instructions of the entry computation, from the first one that is not a parameter, joined by ` ; `.
fn instructions(text: &str) -> String {
    let hlo = translate(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let entry = hlo.split("ENTRY").nth(1).unwrap_or_else(|| panic!("{hlo}"));
    let lines = entry.lines().skip(1).take_while(|line| *line != "}");
    let lines = lines.filter(|line| !line.contains(" parameter(")).map(str::trim);
    lines.collect::<Vec<_>>().join(" ; ")
}

#[track_caller]
pub fn check(text: &str, expected: &str) {
    assert_eq!(instructions(text), expected, "{text}");
    let module = affinor_mlir::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(module.notes(), [], "{text}");
}

/// Checks that both forms are lowered to `expected`.
#[track_caller]
fn both(pretty: &str, generic: &str, expected: &str) {
    check(pretty, expected);
    check(generic, expected);
}

#[test]
fn elementwise() {
    both(
        "%0 = stablehlo.add %a, %b : tensor<4xf32>",
        "%0 = \"stablehlo.add\"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        "ROOT %0 = f32[4] add(%a, %b)",
    );
    both(
        "%0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
        "%0 = \"stablehlo.compare\"(%a, %b) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
        "ROOT %0 = pred[4] compare(%a, %b), direction=LT",
    );
    check(
        "%0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf32>",
        "%0.predicate = pred[4] broadcast(%p), dimensions={} ; ROOT %0 = f32[4] select(%0.predicate, %a, %b)",
    );
    check(
        "%0 = stablehlo.convert %a : (tensor<4xi32>) -> tensor<4xbf16>",
        "ROOT %0 = bf16[4] convert(%a)",
    );
    check(
        "%0 = chlo.square %a : tensor<4xf32> -> tensor<4xf32>",
        "ROOT %0 = f32[4] multiply(%a, %a)",
    );
    check(
        "%0 = chlo.lgamma %a : tensor<4xf32> -> tensor<4xf32>",
        "ROOT %0 = f32[4] custom-call(%a), custom_call_target=\"chlo.lgamma\"",
    );
    check(
        "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>",
        "ROOT %0 = f32[4] reduce-precision(%a), exponent_bits=5, mantissa_bits=10",
    );
    check(
        "%0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 3.0e+00>>) -> tensor<4xf32>",
        "ROOT %0 = f32[4] convert(%a)",
    );
}

#[test]
fn moved() {
    both(
        "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>",
        "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>",
        "ROOT %0 = f32[8,4] transpose(%a), dimensions={1,0}",
    );
    check(
        "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<4x1xf32>) -> tensor<4x8x3xf32>",
        "%0.reshape = f32[4] reshape(%a) ; ROOT %0 = f32[4,8,3] broadcast(%0.reshape), dimensions={0}",
    );
    both(
        "%0 = stablehlo.slice %a [1:7:2, 0:3] : (tensor<8x4xf32>) -> tensor<3x3xf32>",
        "%0 = \"stablehlo.slice\"(%a) <{limit_indices = array<i64: 7, 3>, start_indices = array<i64: 1, 0>, strides = array<i64: 2, 1>}> : (tensor<8x4xf32>) -> tensor<3x3xf32>",
        "ROOT %0 = f32[3,3] slice(%a), slice={[1:7:2],[0:3:1]}",
    );
    both(
        "%0 = stablehlo.pad %a, %c, low = [-1, 0], high = [2, 1], interior = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x8xf32>",
        "%0 = \"stablehlo.pad\"(%a, %c) <{edge_padding_high = array<i64: 2, 1>, edge_padding_low = array<i64: -1, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x8xf32>",
        "ROOT %0 = f32[9,8] pad(%a, %c), padding=-1_2_0x0_1_1",
    );
    check(
        "%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>",
        "ROOT %0 = f32[2,7] concatenate(%a, %b), dimensions={1}",
    );
    check(
        "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>",
        "ROOT %0 = f32[1,4] dynamic-slice(%a, %i, %j), dynamic_slice_sizes={1,4}",
    );
    check(
        "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>",
        "ROOT %0 = f32[3,4] gather(%a, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
    );
    check(
        "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
        "ROOT %0 = s32[2,3] iota(), iota_dimension=1",
    );
    check(
        "%c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n%0 = stablehlo.dynamic_reshape %a, %c : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>",
        "%c = s64[2] constant({2,3}) ; ROOT %0 = f32[2,3] reshape(%a)",
    );
}

#[test]
fn constants() {
    let of = |value: &str, ty: &str, expected: &str| {
        check(&format!("%c = stablehlo.constant dense<{value}> : tensor<{ty}>"), expected);
    };
    of("1.5", "f32", "ROOT %c = f32[] constant(1.5)");
    of("0xFF800000", "f32", "ROOT %c = f32[] constant(-inf)");
    of("0x7E00", "f16", "ROOT %c = f16[] constant(nan)");
    of("true", "i1", "ROOT %c = pred[] constant(true)");
    of("[[1, -2], [3, 4]]", "2x2xi8", "ROOT %c = s8[2,2] constant({{1,-2},{3,4}})");
    of("(1.0, -2.0)", "complex<f32>", "ROOT %c = c64[] constant((1, -2))");
    of(
        "7",
        "3xui32",
        "%c.value = u32[] constant(7) ; ROOT %c = u32[3] broadcast(%c.value), dimensions={}",
    );
    of("\"0x0100FFFF\"", "2xi16", "ROOT %c = s16[2] constant({1,-1})");
    of("\"0x0000803F000000C0\"", "2xf32", "ROOT %c = f32[2] constant({1,-2})");
    of("", "0xf32", "ROOT %c = f32[0] constant({})");
    check(
        "%c = stablehlo.constant dense_resource<weights> : tensor<2xf32>",
        "ROOT %c = f32[2] constant({...})",
    );
}

#[test]
fn combined() {
    both(
        "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>",
        "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>",
        "ROOT %0 = f32[2,3,5] dot(%a, %b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
    );
    both(
        "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x4xf32>, tensor<3x2x6xf32>) -> tensor<1x3x6xf32>",
        "%0 = \"stablehlo.convolution\"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64, padding = dense<[[1, 0]]> : tensor<1x2xi64>, rhs_dilation = array<i64: 2>, window_strides = array<i64: 2>}> : (tensor<1x8x4xf32>, tensor<3x2x6xf32>) -> tensor<1x3x6xf32>",
        "ROOT %0 = f32[1,3,6] convolution(%a, %k), window={size=3 stride=2 pad=1_0 rhs_dilate=2}, dim_labels=b0f_0io->b0f, feature_group_count=2",
    );
    check(
        "%0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>",
        "ROOT %0 = f32[4] reduce(%a, %c), dimensions={1}, to_apply=%maximum.f32",
    );
    check(
        "%0:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
         reducer(%w: tensor<f32>, %x: tensor<f32>) (%y: tensor<i32>, %z: tensor<i32>)  {
          %1 = stablehlo.add %w, %x : tensor<f32>
          %2 = stablehlo.minimum %y, %z : tensor<i32>
          stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
        }",
        "%0 = (f32[], s32[]) reduce(%a, %b, %c, %d), dimensions={0}, to_apply=%entry.0.reducer ; %0.0 = f32[] get-tuple-element(%0), index=0 ; ROOT %0.1 = s32[] get-tuple-element(%0), index=1",
    );
    check(
        "%0 = \"stablehlo.reduce_window\"(%a, %c) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %1 = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x8xf32>",
        "ROOT %0 = f32[2,8] reduce-window(%a, %c), window={size=2x1 stride=2x1}, to_apply=%entry.0.reducer",
    );
    check(
        "%values, %indices = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)",
        "%values.all = (f32[4,3], s32[4,3]) topk(%a), k=3, largest=true ; %values = f32[4,3] get-tuple-element(%values.all), index=0 ; ROOT %indices = s32[4,3] get-tuple-element(%values.all), index=1",
    );
}

#[test]
fn devices() {
    check(
        "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>",
        "ROOT %0 = f32[8] all-gather(%a), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}",
    );
    check(
        "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>",
        "ROOT %0 = f32[4] collective-permute(%a), source_target_pairs={{0,1},{1,0}}",
    );
    check(
        "%0 = \"stablehlo.all_to_all\"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>",
        "%0.exchanged = f32[3,4] all-to-all(%a), replica_groups={{0,1}}, dimensions={1} ; %0.parts = f32[3,2,2] reshape(%0.exchanged) ; %0.joined = f32[2,3,2] transpose(%0.parts), dimensions={1,0,2} ; ROOT %0 = f32[6,2] reshape(%0.joined)",
    );
}

#[test]
fn control() {
    let text = "func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
      %c = stablehlo.constant dense<9.0> : tensor<f32>
      %0 = stablehlo.while(%iterArg = %arg0) : tensor<f32>
      cond {
        %1 = stablehlo.compare LT, %iterArg, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %iterArg, %arg1 : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }
      return %0 : tensor<f32>
    }";
    check(
        text,
        "%c = f32[] constant(9) ; %0.operands = (f32[], f32[]) tuple(%arg0, %arg1) ; %0.all = (f32[], f32[]) while(%0.operands), condition=%main.0.condition, body=%main.0.body ; ROOT %0 = f32[] get-tuple-element(%0.all), index=0",
    );
    // The constant is repeated inside, and captured values are passed on.
    let hlo = translate(text).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(
        hlo.contains("%c = f32[] constant(9)\n  ROOT %1 = pred[] compare(%iterArg, %c)"),
        "{hlo}"
    );
    assert!(hlo.contains("ROOT %results = (f32[], f32[]) tuple(%1, %arg1)"), "{hlo}");
    check(
        "%0 = \"stablehlo.case\"(%i) ({
           %1 = stablehlo.sine %x : tensor<4xf32>
           stablehlo.return %1 : tensor<4xf32>
         }, {
           stablehlo.return %x : tensor<4xf32>
         }) : (tensor<i32>) -> tensor<4xf32>"
            .replace("%0 =", "%x = stablehlo.negate %y : tensor<4xf32>\n%0 =")
            .as_str(),
        "%x = f32[4] negate(%y) ; ROOT %0 = f32[4] conditional(%i, %x, %x), branch_computations={%entry.0.branch0, %entry.0.branch1}",
    );
    check(
        "module @m { func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { %0:2 = call @f(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) return %0#1, %0#0 : tensor<4xf32>, tensor<4xf32> }
         func.func private @f(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { %0 = stablehlo.abs %a : tensor<4xf32> return %a, %0 : tensor<4xf32>, tensor<4xf32> } }",
        "%0 = (f32[4], f32[4]) call(%a), to_apply=%f ; %0.0 = f32[4] get-tuple-element(%0), index=0 ; %0.1 = f32[4] get-tuple-element(%0), index=1 ; ROOT %results = (f32[4], f32[4]) tuple(%0.1, %0.0)",
    );
    check(
        "%0 = stablehlo.custom_call @Sharding(%a) {backend_config = \"\", mhlo.sharding = \"{devices=[2,1]<=[2]}\"} : (tensor<4x4xf32>) -> tensor<4x4xf32>",
        "ROOT %0 = f32[4,4] custom-call(%a), custom_call_target=\"Sharding\", sharding={devices=[2,1]<=[2]}",
    );
}

/// An op that is not known, or that contradicts itself, becomes an instruction of unknown operation, with a note at its name.
#[test]
fn unknown() {
    #[track_caller]
    fn check(text: &str, opcode: &str, note: &str) {
        let module = affinor_mlir::read_mlir(text).unwrap_or_else(|e| panic!("{e:?}"));
        let entry = &module[module.entry()];
        assert_eq!(entry[entry.root()].opcode().name(), opcode);
        let notes: Vec<&str> = module.notes().iter().map(|note| &*note.message).collect();
        assert!(notes.iter().any(|found| found.contains(note)), "{notes:?}");
        for note in module.notes() {
            let span = note.span.clone().unwrap_or_else(|| panic!("{note:?}"));
            assert!(
                text[span.clone()].contains(opcode.split('.').nth(1).unwrap_or(opcode)),
                "{note:?}"
            );
        }
    }
    check(
        "%0 = foo.bar %a {k = 1 : i32} : tensor<4xf32>",
        "foo.bar",
        "`foo.bar`: what it reads is not known here",
    );
    // A dialect may print its types in its own syntax, or none: the other types are read normally.
    let text = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
        %0 = foo.bar %a
        %1:2 = foo.two %a, %0 {k = 1 : i32}
        %2 = foo.three %1#1 as tensor<4xf32>
        foo.none %2
        %3 = stablehlo.sine %a : tensor<4xf32>
        return %3 : tensor<4xf32> }";
    let module = affinor_mlir::read_mlir(text).unwrap_or_else(|e| panic!("{e:?}"));
    let entry = &module[module.entry()];
    assert_eq!(entry[entry.root()].opcode().name(), "sine");
    assert_eq!(module.notes().len(), 4, "{:?}", module.notes());
    check(
        "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<5xf32>",
        "stablehlo.broadcast_in_dim",
        "dimension 0 does not fit the result",
    );
    check(
        "%0 = \"stablehlo.reduce\"(%a, %c) <{dimensions = array<i64: 0>}> ({
         ^bb0(%x: tensor<f32>, %y: tensor<f32>):
           %1 = stablehlo.add %x, %s : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>"
            .replace("%0 =", "%s = stablehlo.sine %t : tensor<f32>\n%0 =")
            .as_str(),
        "stablehlo.reduce",
        "its region uses `%s` from around it",
    );
    check(
        "%c = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>",
        "stablehlo.constant",
        "it has 3 values, and is of `tensor<2xi32>`",
    );
}
