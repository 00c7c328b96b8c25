module @jit_f {
  func.func public @main(%arg0: tensor<4x6xf32>) -> tensor<6x4xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}
