module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}, tensor<8xf32> {jax.result_info = "result[3]"}, tensor<8xf32> {jax.result_info = "result[4]"}) {
    %0 = chlo.asin %arg0 : tensor<8xf32> -> tensor<8xf32>
    %1 = chlo.atan %arg0 : tensor<8xf32> -> tensor<8xf32>
    %2 = chlo.sinh %arg0 : tensor<8xf32> -> tensor<8xf32>
    %3 = call @arccosh(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.tan %arg0 : tensor<8xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @arccosh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = chlo.acosh %arg0 : tensor<8xf32> -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
