(** Laws of rules/ops.rules, each from the theorem about its op at rank one (reshape and bitcast: rank two). The laws of the
    file hold for all integers, the theorems for indices of arrays, so an index is bounded here where that is needed. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves LawsPad LawsReshape LawsDynamic LawsWindow LawsConvolution.
Import ListNotations.
Open Scope Z_scope.

Definition no_values : values := fun _ _ => 0.

Lemma one_dimension (P : nat -> Prop) : (forall k, (k < 1)%nat -> P k) <-> P O.
Proof. split; [intros H; apply H; lia|intros H [|k] K; [exact H|lia]]. Qed.

Lemma inside_entry n x : inside [n] [x] <-> 0 <= x < n.
Proof. unfold inside. rewrite one_dimension. simpl. tauto. Qed.

Lemma inside_entries m n x y : inside [m; n] [x; y] <-> 0 <= x < m /\ 0 <= y < n.
Proof. change (inside ([m] ++ [n]) [x; y] <-> 0 <= x < m /\ 0 <= y < n). rewrite inside_app. split.
  - intros (a & b & E & A & B). apply inside_one in A, B. destruct A as [a' [-> A]], B as [b' [-> B]]. injection E as -> ->. auto.
  - intros [A B]. exists [x], [y]. rewrite !inside_entry. auto.
Qed.

(** The parts of what a map reads at one index. *)
Ltac parts :=
  repeat match goal with |- _ /\ _ => split end;
  solve [assumption | reflexivity | lia | constructor | cbn [nth eval Sub mem existsb Nat.eqb orb]; lia].

(** * Mirrors *)

Corollary reverse_in_bounds size x : 0 <= x < size -> 0 <= size - 1 - x < size.
Proof.
  intros X. destruct (proj2 (reverse_law no_values [size] [O] [x] O [size - 1 - x])) as (_ & _ & I & _); [|apply inside_entry; exact I].
  unfold reverse_maps, only. rewrite reads_one, reads_tabulated. cbn [length]. rewrite one_dimension, inside_entry.
  parts.
Qed.

Corollary reverse_agrees size x i : 0 <= x < size -> 0 <= i < size -> (x + i + 1 = size <-> i = size - 1 - x).
Proof.
  intros X I. pose proof (reverse_law no_values [size] [O] [x] O [i]) as H. unfold reverse, reverse_maps, only in H.
  rewrite reads_one, reads_tabulated in H. cbn [length] in H. rewrite !one_dimension, !inside_entry in H.
  cbn [mem existsb Nat.eqb orb nth eval Sub] in H. replace (size - 1 + -1 * x) with (size - 1 - x) in H by ring.
  split; intros E; [apply H|apply H]; parts.
Qed.

(** * Slices *)

Corollary slice_in_bounds count size start stride x : 1 <= stride -> 0 <= start -> start + stride * (count - 1) < size ->
  0 <= x < count -> 0 <= start + stride * x < size.
Proof.
  intros S A L X. assert (F : slice_fits [count] [size] [start] [stride] = true).
  { unfold slice_fits, all_below. cbn. rewrite !andb_true_r, !andb_true_iff, orb_true_iff, !Z.leb_le, Z.ltb_lt. auto. }
  destruct (proj2 (slice_law no_values _ _ _ _ F [x] O [start + stride * x])) as (_ & _ & I & _); [|apply inside_entry; exact I].
  unfold slice_maps, only. rewrite reads_one, reads_tabulated. cbn [length]. rewrite one_dimension, inside_entry.
  parts.
Qed.

(** * Padding and windows: [spread_spec] is what the theorems about pad and windows say of one dimension *)

Corollary pad_agrees size low step x i : 1 <= step -> 0 < size ->
  (x = low + step * i /\ 0 <= i < size <->
   (x - low) mod step = 0 /\ i = (x - low) / step /\ low <= x <= low + (size - 1) * step).
Proof.
  intros S N. pose proof (spread_spec (x - low) size step i S) as H. unfold last in H. destruct (Z.leb_spec size 0); [lia|].
  split; intros E; [apply proj2 in H|apply proj1 in H]; specialize (H ltac:(lia)); lia.
Qed.

Corollary window_agrees stride dilation low step size x y i : 1 <= step -> 0 < size ->
  (stride * x + dilation * y = low + step * i /\ 0 <= i < size <->
   (stride * x + dilation * y - low) mod step = 0 /\ i = (stride * x + dilation * y - low) / step /\
   0 <= stride * x + dilation * y - low <= (size - 1) * step).
Proof. intros S N. rewrite (pad_agrees size low step _ i S N). split; intros E; lia. Qed.

Corollary window_covers stride dilation taps low x i : 1 <= dilation -> 0 < taps ->
  ((exists o, 0 <= o < taps /\ stride * i + dilation * o = x + low) <->
   0 <= x + low - stride * i <= (taps - 1) * dilation /\ (x + low - stride * i) mod dilation = 0).
Proof.
  intros D T. pose proof (covered_spec (Window taps stride low 0 1 dilation false) [i; x] [] [] (Dim 0) (Dim 1)) as H.
  unfold window_fits in H. cbn [base_dilation window_dilation] in H.
  specialize (H ltac:(rewrite andb_true_iff, !Z.leb_le; lia)). rewrite meets_spread in H.
  unfold covered, lies_on, last in H. cbn [Semantics.size Semantics.stride Semantics.low base_dilation window_dilation eval Sub nth] in H.
  destruct (Z.leb_spec taps 0); [lia|]. replace (x * 1 + low + -1 * (i * stride)) with (x + low - stride * i) in H by ring.
  rewrite H. split; intros [o O]; exists o; lia.
Qed.

Corollary window_only stride dilation taps low count x i : 1 <= dilation -> 0 < taps -> (taps - 1) * dilation + 1 <= stride ->
  0 <= i < count ->
  ((exists o, 0 <= o < taps /\ stride * i + dilation * o = x + low) <->
   i = (x + low) / stride /\ exists o, 0 <= o < taps /\ dilation * o = (x + low) mod stride).
Proof.
  intros D T S I. pose proof (only_window (Window taps stride low 0 1 dilation false) count i x) as H.
  unfold window_fits, last, lies_on in H. cbn [Semantics.size Semantics.stride Semantics.low base_dilation window_dilation] in H.
  destruct (Z.leb_spec taps 0); [lia|]. specialize (H ltac:(rewrite andb_true_iff, !Z.leb_le; lia) eq_refl ltac:(lia)). cbv zeta in H.
  pose proof (spread_spec ((x + low) mod stride) taps dilation ((x + low) mod stride / dilation) D) as P.
  unfold last in P. destruct (Z.leb_spec taps 0); [lia|]. split.
  - intros [o O]. destruct (proj1 H) as (E & _ & B & M); [split; [exact I|exists o; lia]|].
    split; [exact E|]. exists ((x + low) mod stride / dilation). destruct (proj1 P); [auto|]. lia.
  - intros [E [o [O K]]]. destruct (proj2 H) as [_ [t [A B]]]; [|exists t; lia].
    split; [exact E|]. split; [exact I|]. rewrite <- K, Z.mul_comm, Z.mod_mul by lia. nia.
Qed.

(** * Concatenation *)

Corollary concatenate_agrees first second last x i : 0 <= first -> 0 <= second -> 0 <= last -> 0 <= x < first + second + last ->
  (x = first + i /\ 0 <= i < second <-> first <= x < first + second /\ i = x - first).
Proof.
  intros A B C X. set (s := first + second + last) in *.
  assert (F : concatenate_fits [s] [first; second; last] O = true).
  { unfold concatenate_fits, before. cbn [length Nat.ltb Nat.leb firstn fold_right forallb nth andb].
    rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le. subst s. lia. }
  pose proof (concatenate_law no_values _ _ _ F [x] 1%nat [i]) as H. unfold concatenate, concatenate_maps in H.
  cbn [length Nat.ltb Nat.leb before firstn fold_right] in H. rewrite reads_one, reads_tabulated in H.
  rewrite !one_dimension, !inside_entry, Forall_cons_iff in H. unfold contains in H.
  cbn [nth Nat.eqb eval Sub fst snd] in H. split; intros E.
  - destruct (proj1 H) as (_ & [K _] & _ & L); [|lia]. parts.
  - destruct (proj2 H) as (_ & _ & _ & K & L); [|lia]. parts.
Qed.

(** * Reshapes *)

Corollary reshape_agrees a b c d x y i j : 0 <= a -> 0 <= b -> a * b = c * d -> 0 <= x < c -> 0 <= y < d ->
  (b * i + j = d * x + y /\ 0 <= i < a /\ 0 <= j < b <-> i = (d * x + y) / b /\ j = (d * x + y) mod b).
Proof.
  intros A B P X Y. assert (F : reshape_fits [c; d] [a; b] = true).
  { unfold reshape_fits. cbn [product fold_right forallb]. rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le. lia. }
  pose proof (reshape_law no_values _ _ F [x; y] O [i; j]) as H. unfold reshape, reshape_maps, only in H.
  rewrite reads_one, reads_function in H. rewrite !inside_entries in H.
  cbn [tabulate seq map length linear linear_expr digit_exprs product fold_right eval nth] in H.
  rewrite Z.div_1_r, !Z.mul_1_r, !Z.add_0_r in H. replace (x * d + y) with (d * x + y) in H by ring.
  assert (Q : 0 < a * b) by nia. assert (Z : 0 <= (d * x + y) / b < a).
  { split; [apply Z.div_pos; nia|apply Z.div_lt_upper_bound; nia]. }
  rewrite (Z.mod_small _ a Z) in H. split.
  - intros (E & I & J). destruct (proj1 H) as (_ & _ & K); [repeat split; lia|]. injection K as -> ->. auto.
  - intros [-> ->]. destruct (proj2 H) as (_ & _ & [I J] & K); [repeat split; (lia || constructor)|]. lia.
Qed.

Corollary bitcast_layout a b x i j : 0 <= a -> 0 <= b -> 0 <= x < a * b ->
  (x = i + a * j /\ 0 <= i < a /\ 0 <= j < b <-> i = x mod a /\ j = x / a).
Proof.
  intros A B X. assert (F : bitcast_fits [a * b] [a; b] [O] [1%nat; O] = true).
  { unfold bitcast_fits, is_permutation_of, arranged. cbn. rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le. lia. }
  pose proof (bitcast_law no_values _ _ _ _ F [x] O [i; j]) as H. unfold bitcast, bitcast_maps, only, arranged in H.
  rewrite reads_one, reads_function in H. rewrite !inside_entries, !inside_entry in H.
  cbn [tabulate seq map length linear linear_expr digit_exprs product fold_right eval nth position Nat.eqb] in H.
  rewrite !Z.div_1_r, !Z.mul_1_r, !Z.add_0_r in H. assert (Q : 0 < a * b) by nia.
  assert (Z : 0 <= x / a < b). { split; [apply Z.div_pos; nia|apply Z.div_lt_upper_bound; nia]. }
  rewrite (Z.mod_small _ b Z) in H. split.
  - intros (E & I & J). destruct (proj1 H) as (_ & _ & K); [repeat split; lia|]. injection K as -> ->. auto.
  - intros [-> ->]. destruct (proj2 H) as (_ & _ & [I J] & K); [repeat split; (lia || constructor)|]. lia.
Qed.

(** * Groups *)

Corollary group_agrees count part width x y o i : 0 < part -> 0 <= x < count * part ->
  ((exists p, x = part * o + p /\ 0 <= p < part /\ 0 <= o < count /\ i = width * o + y) <->
   o = x / part /\ i = width * (x / part) + y).
Proof.
  intros P X. assert (C : 1 <= count) by nia.
  pose proof (in_group_spec (count * part) count x o C ltac:(rewrite Z.mul_comm; apply Z.mod_mul; lia) X) as H.
  replace (count * part / count) with part in H by (rewrite Z.mul_comm, Z.div_mul; lia). split.
  - intros [p (E & B & O & ->)]. assert (K : o = x / part) by (apply H; split; [exact O|exists part, p; lia]). subst o. auto.
  - intros [K ->]. destruct (proj2 H K) as [O (size & r & S & R & E)]. assert (size = part) by nia. subst size o.
    exists r. lia.
Qed.

(** * Windows whose place is known at run time *)

(** Operand 2 is the start, a scalar. *)
Definition given (q : Z) : values := fun _ _ => q.

Corollary clamped_in_bounds size width q x : 0 <= width <= size -> 0 <= x < width ->
  0 <= Z.max 0 (Z.min q (size - width)) + x < size.
Proof.
  intros W X. assert (F : start_fits [size] [width] = true).
  { unfold start_fits, all_below. cbn. rewrite !andb_true_r, andb_true_iff, !Z.leb_le. lia. }
  set (i := Z.max 0 (Z.min q (size - width)) + x).
  destruct (proj2 (dynamic_slice_law (given q) [width] [size] F [x] O [i])) as (_ & I & _); [|apply inside_entry; exact I].
  unfold dynamic_slice_maps. rewrite reads_one, reads_started by exact F. cbn [length].
  rewrite one_dimension, inside_entry. repeat split; try lia; [constructor|]. subst i. cbn. unfold runtime_value, clamp. cbn. unfold given. lia.
Qed.

Corollary update_agrees size width q x i : 0 <= width <= size -> 0 <= x < size ->
  let start := Z.max 0 (Z.min q (size - width)) in
  (x = start + i /\ 0 <= i < width <-> 0 <= x - start <= width - 1 /\ i = x - start).
Proof.
  intros W X start. assert (F : start_fits [size] [width] = true).
  { unfold start_fits, all_below. cbn. rewrite !andb_true_r, andb_true_iff, !Z.leb_le. lia. }
  pose proof (dynamic_update_slice_law [size] [width] F (given q) [x] 1%nat [i]) as H.
  unfold dynamic_update_slice, update_maps, overwrites in H. cbn [length] in H.
  rewrite reads_one, reads_started in H by exact F. unfold in_update in H. rewrite Forall_tabulate in H. cbn [length] in H.
  rewrite !one_dimension, !inside_entry in H. cbn in H. unfold start_at, runtime_value, clamp, contains in H. cbn in H. unfold given in H.
  fold start in H. split; intros E.
  - destruct (proj1 H) as (_ & B & _ & K); lia.
  - destruct (proj2 H) as (_ & B & K); [repeat split; lia|]. lia.
Qed.
