module @jit_pairs {
  func.func public @main(%arg0: tensor<4x6xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
    %1 = stablehlo.slice %0 [0:4, 0:3, 0:1] : (tensor<4x3x2xf32>) -> tensor<4x3x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x3x1xf32>) -> tensor<4x3xf32>
    %3 = stablehlo.slice %0 [0:4, 0:3, 1:2] : (tensor<4x3x2xf32>) -> tensor<4x3x1xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x3x1xf32>) -> tensor<4x3xf32>
    %5 = stablehlo.subtract %2, %4 : tensor<4x3xf32>
    return %5 : tensor<4x3xf32>
  }
}
