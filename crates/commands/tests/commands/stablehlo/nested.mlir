module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<4x4xf32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<4x4xf32>
    }
    return %0#2 : tensor<4x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.compare GT, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %5 = stablehlo.multiply %arg1, %4 : tensor<4x4xf32>
      stablehlo.return %5 : tensor<4x4xf32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %4:3 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_1, %iterArg_3 = %arg1) : tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>
      cond {
        %c_4 = stablehlo.constant dense<2> : tensor<i32>
        %5 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %5 = func.call @closed_call_0(%iterArg, %iterArg_3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        %c_4 = stablehlo.constant dense<1> : tensor<i32>
        %6 = stablehlo.add %iterArg_2, %c_4 : tensor<i32>
        stablehlo.return %iterArg, %6, %5 : tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>
      }
      stablehlo.return %4#2 : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %0, %3 : tensor<i32>, tensor<4x4xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.add %arg1, %arg0 : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
