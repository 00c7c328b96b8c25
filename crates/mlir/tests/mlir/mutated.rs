//! No text makes the reader panic: bytes of valid texts are changed at random, and tokens are put in any order.

use proptest::prelude::*;

const TEXTS: [&str; 7] = [
    "module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%arg0: tensor<4x?xf32>, %arg1: tensor<4x8xf32> {mhlo.sharding = \"{replicated}\"}) -> (tensor<4xf32> {r = \"x\"}) {
    %cst = stablehlo.constant dense<[[1.0, 0xFF800000], [2.5, 3.0]]> : tensor<2x2xf32>
    %c = stablehlo.constant dense<\"0x01000000\"> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %x = %arg1) : tensor<i32>, tensor<4x8xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.slice %x [0:1, 0:8:2] : (tensor<4x8xf32>) -> tensor<1x4xf32>
      stablehlo.return %i, %x : tensor<i32>, tensor<4x8xf32>
    }
    %1 = stablehlo.reduce(%0#1 init: %f) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}",
    "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], rhs_dilate = [2]} {batch_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x2x6xf32>) -> tensor<1x3x6xf32>
%1 = \"stablehlo.gather\"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
%2 = \"stablehlo.all_to_all\"(%d) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>",
    "#map = affine_map<(d0) -> (d0)>
func.func @f(%s: tensor<f32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = \"stablehlo.sort\"(%a, %a) <{dimension = 0 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>):
    %2 = stablehlo.compare LT, %b, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%g: tensor<2xf32>) {
    sdy.return %g : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0#1 : tensor<4xf32>
}",
    "#map = affine_map<(d0, d1) -> (d1 * 2 + 1, d0 floordiv 4)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<17x1xf32>, %y: tensor<4x8xf32>, %m: memref<8x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : tensor<17x1xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  affine.for %i = 0 to 8 step 2 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 2, 7)>(%i) {
      %2:2 = affine.delinearize_index %j into (2, 4) : index, index
      %3 = affine.load %m[%i, %2#1 * 2 + symbol(%2#0)] : memref<8x8xf32>
    }
  }
  return %0 : tensor<4x8xf32>
}",
    "%0 = tensor.extract_slice %x[%i, 2] [2, 3] [2, 1] : tensor<8x9xf32> to tensor<2x3xf32>
%1 = linalg.pack %y padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4] into %o : tensor<2x6xf32> -> tensor<2x2x4xf32>
%2 = tensor.pad %0 low[1, 0] high[0, 2] {
^bb0(%a: index, %b: index):
  tensor.yield %p : f32
} : tensor<2x3xf32> to tensor<3x5xf32>
%3 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%c, %w : tensor<2x9x2xf32>, tensor<2x2x3xf32>) outs(%z : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>",
    "#m = #xla.indexing_map<\"(th)[s0] -> (th * 2 + s0, 3), domain: th in [0, 3], s0 in [0, 1]\">
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
gpu.func @k(%a: memref<8x9xf32>, %t: tensor<8x4xf32>, %n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<8x9xf32>
  %tx = gpu.thread_id x
  %r = xla.loop (%tx)[%i] -> (%x, %y) in #m iter_args(%acc = %t) -> (tensor<8x4xf32>) {
    %e = tensor.extract %t[%x, %y] : tensor<8x4xf32>
    %f = tensor.insert %e into %acc[%x, %y] : tensor<8x4xf32>
    xla.yield %f : tensor<8x4xf32>
  }
  affine.for %i = 0 to 8 step 2 {
    %s = memref.subview %a[%i, 1] [2, 4] [1, 2] : memref<8x9xf32> to memref<2x4xf32, strided<[9, 2], offset: ?>>
    %p = memref.transpose %s (i, j) -> (j, i) : memref<2x4xf32, strided<[9, 2], offset: ?>> to memref<4x2xf32, strided<[2, 9], offset: ?>>
    affine.if #set(%i)[%n] {
      %v = affine.load %p[3, %i floordiv 8] : memref<4x2xf32, strided<[2, 9], offset: ?>>
    } else {
      memref.store %c0, %p[%d, %tx] : memref<4x2xf32, strided<[2, 9], offset: ?>>
    }
  }
  gpu.return
}",
    "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>], iterator_types = [\"parallel\", \"parallel\"]} outs(%e : tensor<5x3xf32>) {
^bb0(%o: f32):
  %j = linalg.index 1 : index
  %v = tensor.extract %x[%k, %j] : tensor<7x3xf32>
  linalg.yield %v : f32
} -> tensor<5x3xf32>
%g = tensor.generate {
^bb0(%i: index):
  %w = tensor.extract %y[%i] : tensor<4xf32>
  tensor.yield %w : f32
} : tensor<4xf32>
%f = memref.reinterpret_cast %m to offset: [%q], sizes: [2, 3], strides: [3, 1] : memref<4x4xf32> to memref<2x3xf32, strided<[3, 1], offset: ?>>
memref.store %u, %f[%q, 2] : memref<2x3xf32, strided<[3, 1], offset: ?>>
%s = vector.shuffle %a, %b [0, 5, 2] : vector<4x8xf32>, vector<4x8xf32>
%h = vector.interleave %a, %b : vector<4x8xf32> -> vector<4x16xf32>
%l, %z = vector.deinterleave %h : vector<4x16xf32> -> vector<4x8xf32>
%w = vector.transfer_write %a, %t[%q, 0] : vector<4x8xf32>, tensor<9x9xf32>
%o = chlo.broadcast_add %c, %d : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>",
];

const TOKENS: [&str; 34] = [
    "%0",
    "%a",
    "%a#1",
    "=",
    ":",
    ",",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "->",
    "^bb0",
    "@f",
    "#map",
    "!t",
    "module",
    "func.func",
    "return",
    "stablehlo.add",
    "stablehlo.while",
    "\"stablehlo.case\"",
    "stablehlo.constant",
    "dense",
    "tensor<4xf32>",
    "cond",
    "do",
    "x",
    "12",
    "loc",
    "\n",
];

/// Reads a text; an error must have a span within the text.
fn read(text: &str) {
    if let Err(error) = affinor_mlir::read_mlir(text) {
        let span = error.span.unwrap_or_else(|| panic!("{text}: no place"));
        assert!(text.get(span.clone()).is_some(), "{text}: {span:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes(number in 0..TEXTS.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..128, 0..3), 1..6)) {
        let mut bytes = TEXTS[number].as_bytes().to_vec();
        for (at, byte, kind) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn moved_pieces(number in 0..TEXTS.len(), from in any::<prop::sample::Index>(), length in 1_usize..40, to in any::<prop::sample::Index>()) {
        let text = TEXTS[number];
        let start = from.index(text.len());
        let piece = &text[start..(start + length).min(text.len())];
        let to = to.index(text.len());
        read(&format!("{}{piece}{}", &text[..to], &text[to..]));
    }

    #[test]
    fn any_tokens(numbers in prop::collection::vec(0..TOKENS.len(), 0..40)) {
        let words: Vec<&str> = numbers.into_iter().map(|number| TOKENS[number]).collect();
        read(&words.join(" "));
    }
}

#[test]
fn every_beginning_and_every_text_without_a_byte() {
    for text in TEXTS {
        for end in 0..text.len() {
            read(&text[..end]);
            read(&format!("{}{}", &text[..end], &text[end + 1..]));
        }
        read(text);
    }
}
