(** The maps of reshape and bitcast, for all sizes and ranks: an index is a number written in mixed radix, and the same
    number is written in other places. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves.
Import ListNotations.
Open Scope Z_scope.

(** * Numbers in mixed radix *)

Fixpoint digits (s : shape) (x : Z) : list Z :=
  match s with [] => [] | n :: s => (x / product s) mod n :: digits s x end.

Lemma digits_length s x : length (digits s x) = length s.
Proof. induction s; simpl; congruence. Qed.

Lemma inside_product s d : inside s d -> 0 < product s.
Proof.
  revert d. induction s as [|n s IH]; intros d H; simpl; [lia|].
  apply inside_cons in H. destruct H as (x & y & -> & H & K). specialize (IH y K). nia.
Qed.

Lemma linear_bounds s d : inside s d -> 0 <= linear s d < product s.
Proof.
  revert d. induction s as [|n s IH]; intros d H; simpl.
  - apply inside_nil in H. subst d. lia.
  - apply inside_cons in H. destruct H as (x & y & -> & H & K). specialize (IH y K). nia.
Qed.

Lemma digits_linear s : forall d c, inside s d -> digits s (linear s d + c * product s) = d.
Proof.
  induction s as [|n s IH]; intros d c H.
  - apply inside_nil in H. subst d. reflexivity.
  - apply inside_cons in H. destruct H as (x & y & -> & H & K). cbn [digits linear product fold_right].
    pose proof (linear_bounds s y K) as B. fold (product s). f_equal.
    + replace (x * product s + linear s y + c * (n * product s)) with (linear s y + (x + c * n) * product s) by ring.
      rewrite Z.div_add by lia. rewrite (Z.div_small _ _ B). rewrite Z.add_0_l, Z.add_comm.
      rewrite Z.add_comm, Z.mod_add by lia. apply Z.mod_small. exact H.
    + replace (x * product s + linear s y + c * (n * product s)) with (linear s y + (x + c * n) * product s) by ring.
      apply IH. exact K.
Qed.

Definition positive (s : shape) : Prop := Forall (fun n => 0 < n) s.

Lemma product_positive s : positive s -> 0 < product s.
Proof. induction 1 as [|n s H K IH]; simpl; [lia|]. fold (product s) in *. nia. Qed.

Lemma positive_product s : forallb (Z.leb 0) s = true -> 0 < product s -> positive s.
Proof.
  induction s as [|n s IH]; simpl; intros H K; [constructor|]. rewrite andb_true_iff, Z.leb_le in H.
  destruct H as [N H]. fold (product s) in *. assert (0 < n) by (destruct (Z.eq_dec n 0) as [->|]; lia).
  constructor; [assumption|]. apply IH; [exact H|nia].
Qed.

Lemma digits_inside s x : positive s -> inside s (digits s x).
Proof.
  induction 1 as [|n s H K IH]; [apply inside_nil; reflexivity|]. apply inside_cons. cbn [digits].
  eexists _, _. split; [reflexivity|]. split; [apply Z.mod_pos_bound; exact H|exact IH].
Qed.

Lemma linear_digits s x : positive s -> linear s (digits s x) = x mod product s.
Proof.
  induction 1 as [|n s H K IH].
  - simpl. symmetry. apply Z.mod_1_r.
  - cbn [digits linear product fold_right]. fold (product s). pose proof (product_positive s K). rewrite IH.
    rewrite (Z.mul_comm n (product s)), Z.rem_mul_r by lia. ring.
Qed.

(** The one index that has the position of another. *)
Lemma same_position s s' d i : inside s d -> product s = product s' -> forallb (Z.leb 0) s' = true ->
  (inside s' i /\ linear s d = linear s' i) <-> i = digits s' (linear s d).
Proof.
  intros D P N. pose proof (linear_bounds s d D) as B. assert (Q : positive s') by (apply positive_product; [exact N|lia]).
  split.
  - intros [I ->]. rewrite <- (digits_linear s' i 0 I) at 1. f_equal. lia.
  - intros ->. split; [apply digits_inside; exact Q|]. rewrite linear_digits by exact Q. rewrite Z.mod_small by lia. reflexivity.
Qed.

(** * The same as expressions *)

Fixpoint linear_expr (s : shape) (xs : list expr) : expr :=
  match s, xs with _ :: s, x :: xs => Add (Mul x (Const (product s))) (linear_expr s xs) | _, _ => Const 0 end.
Fixpoint digit_exprs (s : shape) (x : expr) : list expr :=
  match s with [] => [] | n :: s => Mod (Div x (Const (product s))) (Const n) :: digit_exprs s x end.

Lemma eval_linear d s r sizes xs : eval d s r (linear_expr sizes xs) = linear sizes (map (eval d s r) xs).
Proof.
  revert xs. induction sizes as [|n sizes IH]; intros [|x xs]; try reflexivity. cbn [linear_expr eval map linear].
  rewrite IH. reflexivity.
Qed.

Lemma eval_digits d s r sizes x : map (eval d s r) (digit_exprs sizes x) = digits sizes (eval d s r x).
Proof. induction sizes as [|n sizes IH]; [reflexivity|]. cbn [digit_exprs map eval digits]. rewrite IH. reflexivity. Qed.

(** * Reshape *)

Definition reshape_fits (out operand : shape) : bool := (product out =? product operand) && forallb (Z.leb 0) operand.
Definition reshape_maps (out operand : shape) : nat -> list index_map :=
  only [function_of out [] (digit_exprs operand (linear_expr out (tabulate (length out) Dim)))].

Theorem reshape_law v out operand : reshape_fits out operand = true ->
  exactly v (reshape out operand) (reshape_maps out operand).
Proof.
  unfold reshape_fits. intros F. conditions F. destruct F as [P N].
  intros d [|n] i; unfold reshape, reshape_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_function, eval_digits, eval_linear, map_tabulate. cbn [eval].
  assert (E : inside out d -> tabulate (length out) (fun k => d.[k]) = d).
  { intros D. rewrite <- (inside_length _ _ D). symmetry. apply tabulate_own. }
  split.
  - intros (_ & D & K). rewrite (E D). split; [exact D|]. split; [constructor|]. apply same_position; assumption.
  - intros (D & _ & K). rewrite (E D) in K. split; [reflexivity|]. split; [exact D|]. apply same_position; assumption.
Qed.

(** Any map whose results are an index of the operand at the same position is the map of the reshape: also those that move
    digits one by one instead of dividing the position. *)
Theorem reshape_any_form v out operand rs : reshape_fits out operand = true ->
  (forall d, inside out d -> inside operand (map (eval d [] []) rs) /\ linear operand (map (eval d [] []) rs) = linear out d) ->
  exactly v (reshape out operand) (only [function_of out [] rs]).
Proof.
  unfold reshape_fits. intros F R. conditions F. destruct F as [P N].
  intros d [|n] i; unfold reshape, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_function. split.
  - intros (_ & D & K). split; [exact D|]. split; [constructor|]. destruct (R d D) as [I L].
    apply (same_position out operand d i D P N) in K.
    assert (M : inside operand (map (eval d [] []) rs) /\ linear out d = linear operand (map (eval d [] []) rs)) by (split; [exact I|congruence]).
    apply (same_position out operand d _ D P N) in M. congruence.
  - intros (D & _ & ->). destruct (R d D) as [I L]. intuition.
Qed.

Lemma linear_app a b x y : length x = length a -> linear (a ++ b) (x ++ y) = linear a x * product b + linear b y.
Proof.
  assert (M : forall a, product (a ++ b) = product a * product b).
  { induction a0 as [|n a0 IH]; [change (product b = 1 * product b); ring|].
    change (n * product (a0 ++ b) = n * product a0 * product b). rewrite IH. ring. }
  revert x. induction a as [|n a IH]; intros [|u x] H; try discriminate; [reflexivity|].
  injection H as H. cbn [app linear]. rewrite (IH x H), M. ring.
Qed.

(** A reshape falls into the reshapes of its groups of dimensions, where the groups have equally many elements. *)
Theorem reshape_groups a b a' b' x y x' y' : product b = product b' ->
  inside a x -> inside b y -> inside a' x' -> inside b' y' ->
  linear (a ++ b) (x ++ y) = linear (a' ++ b') (x' ++ y') <-> linear a x = linear a' x' /\ linear b y = linear b' y'.
Proof.
  intros P X Y X' Y'. rewrite !linear_app by (apply inside_length; assumption).
  pose proof (linear_bounds _ _ Y). pose proof (linear_bounds _ _ Y'). rewrite P in *. split; [|intros [-> ->]; reflexivity].
  intros E. generalize dependent (linear b y). generalize dependent (linear b' y').
  generalize (linear a x), (linear a' x'). intros m m' r' R' r R E.
  destruct (Z.lt_trichotomy m m') as [L|[->|L]]; [exfalso; nia|split; lia|exfalso; nia].
Qed.

(** * Bitcast *)

Definition bitcast_fits (out operand : shape) (of_out of_operand : list nat) : bool :=
  is_permutation_of (length out) of_out && is_permutation_of (length operand) of_operand &&
  (product (arranged of_out out) =? product (arranged of_operand operand)) && forallb (Z.leb 0) (arranged of_operand operand).
Definition bitcast_maps (out operand : shape) (of_out of_operand : list nat) : nat -> list index_map :=
  let place := linear_expr (arranged of_out out) (map Dim of_out) in
  only [function_of out [] (tabulate (length operand) (fun k =>
    nth (position k of_operand) (digit_exprs (arranged of_operand operand) place) (Const 0)))].

Lemma arranged_inside n l s d : is_permutation_of n l = true -> length s = n -> length d = n ->
  inside (arranged l s) (arranged l d) <-> inside s d.
Proof.
  unfold is_permutation_of, arranged. intros F S D. conditions F. destruct F as [[L I] N].
  unfold inside. rewrite !map_length. split; intros [_ K]; split; try congruence; intros k Hk.
  - destruct (position_spec k l) as [P E]; [apply (permutation_all n); try assumption; lia|].
    specialize (K (position k l) P). rewrite !(nth_map_Z _ l O) in K by lia. rewrite E in K. exact K.
  - rewrite !(nth_map_Z _ l O) by lia. apply K. rewrite S. apply I, nth_In. exact Hk.
Qed.

Theorem bitcast_law v out operand of_out of_operand : bitcast_fits out operand of_out of_operand = true ->
  exactly v (bitcast out operand of_out of_operand) (bitcast_maps out operand of_out of_operand).
Proof.
  unfold bitcast_fits. intros F. repeat rewrite andb_true_iff in F. destruct F as [[[F G] P] N]. apply Z.eqb_eq in P.
  intros d [|n] i; unfold bitcast, bitcast_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_tabulated.
  pose proof G as H. unfold is_permutation_of in H. conditions H. destruct H as [[L I] U].
  assert (E : forall k, (k < length operand)%nat ->
    eval d [] [] (nth (position k of_operand) (digit_exprs (arranged of_operand operand)
      (linear_expr (arranged of_out out) (map Dim of_out))) (Const 0)) =
    (digits (arranged of_operand operand) (linear (arranged of_out out) (arranged of_out d))).[position k of_operand]).
  { intros k Hk. replace (linear (arranged of_out out) (arranged of_out d)) with
      (eval d [] [] (linear_expr (arranged of_out out) (map Dim of_out))) by (rewrite eval_linear, map_map; reflexivity).
    rewrite <- (eval_digits d [] []). symmetry. apply (map_nth (eval d [] []) _ (Const 0)). }
  assert (A : forall d i : index, length i = length operand ->
    arranged of_operand i = digits (arranged of_operand operand) (linear (arranged of_out out) (arranged of_out d)) <->
    forall k, (k < length operand)%nat -> i.[k] =
      (digits (arranged of_operand operand) (linear (arranged of_out out) (arranged of_out d))).[position k of_operand]).
  { intros e j J. split.
    - intros <- k Hk. destruct (position_spec k of_operand) as [Q R]; [apply (permutation_all (length operand)); assumption|].
      unfold arranged. rewrite (nth_map_Z _ of_operand O) by exact Q. rewrite R. reflexivity.
    - intros K. apply list_ext; rewrite digits_length; unfold arranged; rewrite !map_length; [reflexivity|].
      intros k Hk. rewrite (nth_map_Z _ of_operand O) by exact Hk.
      rewrite (K _ (I _ (nth_In _ O Hk))). rewrite position_nth by assumption. reflexivity. }
  split.
  - intros (_ & D & J & K). pose proof (inside_length _ _ J) as LJ. split; [exact D|]. split; [constructor|]. split; [exact LJ|].
    intros k Hk. rewrite (E k Hk). revert k Hk. apply A; [exact LJ|].
    apply same_position; try assumption.
    + apply (arranged_inside (length out)); [exact F|reflexivity|apply inside_length; exact D|exact D].
    + split; [|exact K]. apply (arranged_inside (length operand)); [exact G|reflexivity|exact LJ|exact J].
  - intros (D & _ & LJ & K). assert (K' : arranged of_operand i = digits (arranged of_operand operand) (linear (arranged of_out out) (arranged of_out d))).
    { apply A; [exact LJ|]. intros k Hk. rewrite (K k Hk). apply E. exact Hk. }
    apply same_position in K'; try assumption.
    + destruct K' as [J K']. split; [reflexivity|]. split; [exact D|]. split; [|exact K'].
      apply (arranged_inside (length operand)) in J; [exact J|exact G|reflexivity|exact LJ].
    + apply (arranged_inside (length out)); [exact F|reflexivity|apply inside_length; exact D|exact D].
Qed.
