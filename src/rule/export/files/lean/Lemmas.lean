
namespace Affinor

/-- Division rounds down: a positive divisor times the quotient is at most the dividend, and less than a divisor below it. -/
theorem div_bounds (x d : Int) : d < 1 ∨ (d * (x / d) ≤ x ∧ x < d * (x / d) + d) := by
  by_cases h : d < 1
  · exact Or.inl h
  · have definition : x % d = x - d * (x / d) := Int.emod_def x d
    have lower : 0 ≤ x % d := Int.emod_nonneg x (by omega)
    have upper : x % d < d := Int.emod_lt_of_pos x (by omega)
    exact Or.inr ⟨by omega, by omega⟩

theorem min_cases (x y : Int) : (x ≤ y ∧ min x y = x) ∨ (y < x ∧ min x y = y) := by
  omega

theorem max_cases (x y : Int) : (y ≤ x ∧ max x y = x) ∨ (x < y ∧ max x y = y) := by
  omega

/-- A product of two integers that are not negative is not negative. -/
theorem mul_nonneg (x y : Int) : x < 0 ∨ y < 0 ∨ 0 ≤ x * y := by
  by_cases hx : x < 0
  · exact Or.inl hx
  · by_cases hy : y < 0
    · exact Or.inr (Or.inl hy)
    · exact Or.inr (Or.inr (Int.mul_nonneg (by omega) (by omega)))

/-- A product with zero is zero. -/
theorem mul_zero (x y : Int) : y < 0 ∨ 0 < y ∨ x * y = 0 := by
  by_cases hy : y = 0
  · exact Or.inr (Or.inr (by rw [hy, Int.mul_zero]))
  · by_cases below : y < 0
    · exact Or.inl below
    · exact Or.inr (Or.inl (by omega))

/-- Writes remainders as differences and products as sums of products with their factors in one order. For `omega`, which
does the rest, a product of variables is a name, and so is a quotient by a variable. -/
macro "by_products" : tactic =>
  `(tactic| ((try simp only [Int.emod_def, Int.mul_add, Int.add_mul, Int.mul_sub, Int.sub_mul, Int.mul_neg,
      Int.neg_mul, Int.mul_one, Int.one_mul, Int.mul_zero, Int.zero_mul, Int.mul_assoc, Int.mul_comm,
      Int.mul_left_comm] at *) <;> omega))

end Affinor
