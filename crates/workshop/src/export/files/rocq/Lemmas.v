(* What the proofs of the rules use: floor division, products with known signs, and one tactic for each kind of step. *)
From Coq Require Import ZArith Lia.
Open Scope Z_scope.

Lemma remainder a b : a mod b = a - b * (a / b).
Proof. pose proof (Z_div_mod_eq_full a b). lia. Qed.

Lemma quotient_bounds x d : 1 <= d -> d * (x / d) <= x < d * (x / d) + d.
Proof. pose proof (Z.mul_div_le x d). pose proof (Z.mul_succ_div_gt x d). lia. Qed.

Lemma product_nonneg x y : 0 <= x -> 0 <= y -> 0 <= x * y.
Proof. apply Z.mul_nonneg_nonneg. Qed.

Lemma product_zero x y : y = 0 -> x * y = 0.
Proof. intros ->. apply Z.mul_0_r. Qed.

(* Remainders become differences; then `lia` takes products and quotients of variables as names. *)
Ltac linear := rewrite ?remainder; lia.
Ltac start := intros; rewrite ?remainder in *.
Ltac absurdly := intro; rewrite ?remainder in *.

Ltac quotient x d :=
  let known := fresh "known" in
  assert (known : d * (x / d) <= x < d * (x / d) + d) by (apply quotient_bounds; linear);
  rewrite ?remainder in known.

Ltac nonneg x y :=
  let known := fresh "known" in
  assert (known : 0 <= x * y) by (apply product_nonneg; linear);
  rewrite ?remainder in known.

Ltac zero x y :=
  let known := fresh "known" in
  assert (known : x * y = 0) by (apply product_zero; linear);
  rewrite ?remainder in known.

(* Otherwise the product would not be negative. *)
Ltac never x y :=
  let known := fresh "known" in
  assert (known : y < 0) by (apply Z.nle_gt; absurdly; nonneg x y; linear);
  rewrite ?remainder in known.

Ltac both_ways := split; start.
Ltac both_sides := apply Z.le_antisymm; apply Z.nlt_ge; absurdly.
Ltac order x y := destruct (Z_le_gt_dec x y); rewrite ?remainder in *.
Ltac otherwise := first [apply Z.nlt_ge | apply Z.nle_gt]; absurdly.

(* In proofs of answers a quotient has a name: hidden from `lia`, which is to see what bounds it. *)
Definition quotient_of (x d q : Z) : Prop := q = x / d.

Lemma named_quotient x d : 1 <= d -> exists q, quotient_of x d q /\ d * q <= x < d * q + d.
Proof. intro positive. exists (x / d). split; [reflexivity | apply quotient_bounds; exact positive]. Qed.

Lemma same_quotient x d y e q : quotient_of x d q -> x = y -> d = e -> q = y / e.
Proof. intros -> -> ->. reflexivity. Qed.

Lemma same_names x y d q r : quotient_of x d q -> quotient_of y d r -> x = y -> q = r.
Proof. intros -> -> ->. reflexivity. Qed.

(* Two names that seem to stand for one value; if that is not shown, nothing is known. *)
Tactic Notation "same_names" ident(same) constr(q) constr(q_is) constr(r) constr(r_is) tactic3(show) :=
  first
    [ assert (same : q = r) by (apply (same_names _ _ _ _ _ q_is r_is); show)
    | assert (same : True) by exact I ].

(* What has no variables is computed. *)
Ltac closed := vm_compute; first [reflexivity | discriminate].

(* Writes a name for a quotient, a minimum or a maximum, where it occurs. *)
Ltac is_value :=
  lazymatch goal with
  | |- _ = ?x / ?d =>
      first
        [ solve [eapply same_quotient; [eassumption | ring | ring]]
        | pose proof (quotient_bounds x d ltac:(linear)); lia ]
  end.
Tactic Notation "named" constr(form) constr(value) tactic3(show) :=
  lazymatch goal with
  | |- context [form] => replace form with value by show
  | _ => idtac
  end.
Tactic Notation "named_in" ident(known) constr(form) constr(value) tactic3(show) :=
  lazymatch type of known with
  | context [form] => replace form with value in known by show
  | _ => idtac
  end.

(* For a claim at one point, where its sides can be computed. *)
Ltac fails rule := revert rule; vm_compute; intuition discriminate.
