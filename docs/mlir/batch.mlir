func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<8x?xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<?x8xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>
  return %2 : tensor<8x?xf32>
}
