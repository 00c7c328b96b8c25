
namespace Affinor

/-- Division rounds down: a positive divisor times the quotient is at most the dividend, and less than a divisor below it. -/
theorem quotient (x d : Int) (h : 1 ≤ d) : d * (x / d) ≤ x ∧ x < d * (x / d) + d := by
  have definition : x % d = x - d * (x / d) := Int.emod_def x d
  have lower : 0 ≤ x % d := Int.emod_nonneg x (by omega)
  have upper : x % d < d := Int.emod_lt_of_pos x (by omega)
  exact ⟨by omega, by omega⟩

/-- A product of two integers that are not negative is not negative. -/
theorem nonneg (x y : Int) (hx : 0 ≤ x) (hy : 0 ≤ y) : 0 ≤ x * y :=
  Int.mul_nonneg hx hy

/-- A product with zero is zero. -/
theorem zero (x y : Int) (h : y = 0) : x * y = 0 := by
  rw [h, Int.mul_zero]

/-- A factor is negative if the product, not being negative otherwise, would contradict what is known. -/
theorem never (x y : Int) (hx : 0 ≤ x) (no : 0 ≤ y → 0 ≤ x * y → False) : y < 0 :=
  Int.not_le.mp (fun hy => no hy (Int.mul_nonneg hx hy))

/-- Writes remainders as differences and products as sums of products with their factors in one order. For `omega`, which
does the rest, a product of variables is a name, and so is a quotient by a variable. -/
macro "linear" : tactic =>
  `(tactic| ((try simp only [Int.emod_def, Int.mul_add, Int.add_mul, Int.mul_sub, Int.sub_mul, Int.mul_neg,
      Int.neg_mul, Int.mul_one, Int.one_mul, Int.mul_zero, Int.zero_mul, Int.mul_assoc, Int.mul_comm,
      Int.mul_left_comm] at *) <;> omega))

end Affinor
