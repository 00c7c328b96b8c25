module @jit_pairs {
  func.func public @main(%arg0: tensor<4x6xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.slice %arg0 [0:4, 0:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.slice %arg0 [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
}
