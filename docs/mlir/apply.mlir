#map = affine_map<(d0, d1) -> ((d0 * 8 + d1 mod 8) floordiv 8, d1 + d1 * 0)>  // tiles of eight
func.func @f(%i: index, %j: index) -> index {
  %0 = affine.apply affine_map<(d0)[s0] -> ((d0 * 4 + s0 * 4 + 3) floordiv 4)>(%i)[%j]
  return %0 : index
}
