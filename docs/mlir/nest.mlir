affine.for %i = 0 to 64 {
  affine.for %j = 0 to 32 {
    %v = affine.load %A[%i + 1, %j floordiv 4] : memref<65x8xf32>
    affine.store %v, %B[%i * 32 + %j] : memref<2048xf32>
  }
}
