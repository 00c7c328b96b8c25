(** The maps of ops that combine whole dimensions, for all sizes and ranks: reduce, dot, sort. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves.
Import ListNotations.
Open Scope Z_scope.

(** * A side of a dot: batch dimensions, contracted ones, which are ranges, and free ones *)

Section Side.
  Variables (out s : shape) (batch contracted : list nat) (first : nat).

  Definition side_expr (k : nat) : expr :=
    if mem k batch then Dim (position k batch)
    else if mem k contracted then Range (position k contracted)
    else Dim (first + position k (free s batch contracted)).
  Definition side_map : index_map :=
    map_of out (map (fun k => s.[k]) contracted) [] (tabulate (length s) side_expr).

  (** The dimensions are distinct, and the result has their sizes. *)
  Definition side_fits : bool :=
    distinct (batch ++ contracted) && all_in (length s) (batch ++ contracted) &&
    all_below (length batch) (fun p => (s.[batch.#p] =? out.[p]) && Nat.ltb p (length out)) &&
    all_below (length (free s batch contracted)) (fun p =>
      (s.[(free s batch contracted).#p] =? out.[first + p]) && Nat.ltb (first + p) (length out)).

  Lemma side_law v d i : side_fits = true ->
    (inside out d /\ dot_side s batch contracted first d i) <-> map_reads v side_map d i.
  Proof.
    unfold side_fits. intros F. conditions F. destruct F as [[[N I] B] R].
    destruct (NoDup_parts _ _ N) as (NB & NC & X).
    pose proof (others_NoDup (length s) (batch ++ contracted)) as NF. fold (free s batch contracted) in NF.
    assert (FI : forall k, In k (free s batch contracted) <-> (k < length s)%nat /\ ~ In k batch /\ ~ In k contracted).
    { intros k. unfold free. rewrite others_in, in_app_iff. tauto. }
    unfold side_map, dot_side. rewrite reads_map_of. split.
    - intros (D & J & E & G). split; [exact D|]. exists (map (fun k => i.[k]) contracted). split.
      { split; [rewrite !map_length; reflexivity|]. rewrite map_length. intros p Hp.
        rewrite !(nth_map_Z _ contracted O) by exact Hp. apply inside_at; [exact J|]. apply I, in_or_app. right. apply nth_In. exact Hp. }
      split; [constructor|]. rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ J)|].
      intros k Hk. unfold side_expr. destruct (mem k batch) eqn:MB; [|destruct (mem k contracted) eqn:MC]; cbn [eval].
      + apply mem_spec in MB. destruct (position_spec k batch MB) as [P Q]. rewrite <- (E _ P), Q. reflexivity.
      + apply mem_spec in MC. destruct (position_spec k contracted MC) as [P Q].
        rewrite (nth_map_Z _ contracted O) by exact P. rewrite Q. reflexivity.
      + apply mem_false in MB, MC. destruct (position_spec k (free s batch contracted)) as [P Q]; [apply FI; auto|].
        rewrite <- (G _ P), Q. reflexivity.
    - intros (D & t & T & _ & E). rewrite map_tabulate in E. apply is_tabulate in E. destruct E as [L E].
      assert (EB : forall p, (p < length batch)%nat -> i.[batch.#p] = d.[p]).
      { intros p Hp. rewrite E by (apply I, in_or_app; left; apply nth_In; exact Hp). unfold side_expr.
        rewrite (proj2 (mem_spec _ _)) by (apply nth_In; exact Hp). cbn [eval]. rewrite position_nth by assumption. reflexivity. }
      assert (EF : forall p, (p < length (free s batch contracted))%nat -> i.[(free s batch contracted).#p] = d.[first + p]).
      { intros p Hp. pose proof (nth_In (free s batch contracted) O Hp) as H. pose proof (proj1 (FI _) H) as (H1 & H2 & H3).
        rewrite E by exact H1. unfold side_expr. rewrite (proj2 (mem_false _ _) H2), (proj2 (mem_false _ _) H3). cbn [eval].
        rewrite position_nth by assumption. reflexivity. }
      split; [exact D|]. split; [|split; [exact EB|exact EF]]. split; [exact L|]. intros k Hk.
      destruct (mem k batch) eqn:MB; [|destruct (mem k contracted) eqn:MC].
      + apply mem_spec in MB. destruct (position_spec k batch MB) as [P Q]. pose proof (EB _ P) as V. rewrite Q in V. rewrite V.
        specialize (B _ P). conditions B. destruct B as [B1 B2]. rewrite Q in B1. rewrite B1. apply inside_at; assumption.
      + rewrite (E k Hk). unfold side_expr. rewrite MB, MC. cbn [eval]. apply mem_spec in MC.
        destruct (position_spec k contracted MC) as [P Q]. pose proof (inside_at _ _ (position k contracted) T) as V.
        rewrite map_length in V. specialize (V P). rewrite (nth_map_Z _ contracted O) in V by exact P. rewrite Q in V. exact V.
      + apply mem_false in MB, MC. destruct (position_spec k (free s batch contracted)) as [P Q]; [apply FI; auto|].
        pose proof (EF _ P) as V. rewrite Q in V. rewrite V. specialize (R _ P). conditions R. destruct R as [R1 R2].
        rewrite Q in R1. rewrite R1. apply inside_at; assumption.
  Qed.
End Side.

(** * Dot *)

Definition dot_fits (out lhs rhs : shape) (lb rb lc rc : list nat) : bool :=
  side_fits out lhs lb lc (length lb) && side_fits out rhs rb rc (length lb + length (free lhs lb lc)).
Definition dot_maps (out lhs rhs : shape) (lb rb lc rc : list nat) (n : nat) : list index_map :=
  match n with
  | O => [side_map out lhs lb lc (length lb)]
  | 1%nat => [side_map out rhs rb rc (length lb + length (free lhs lb lc))]
  | _ => []
  end.

Theorem dot_law v out lhs rhs lb rb lc rc : dot_fits out lhs rhs lb rb lc rc = true ->
  exactly v (dot out lhs rhs lb rb lc rc) (dot_maps out lhs rhs lb rb lc rc).
Proof.
  unfold dot_fits. rewrite andb_true_iff. intros [L R] d [|[|n]] i; unfold dot, dot_maps.
  - rewrite reads_one. apply side_law. exact L.
  - rewrite reads_one. apply side_law. exact R.
  - rewrite reads_none. tauto.
Qed.

(** * Reduce *)

Definition reduce_fits (out operand : shape) (reduced : list nat) (inputs part : nat) : bool :=
  side_fits out operand [] reduced 0 && Nat.ltb part inputs.
Definition reduce_maps (out operand : shape) (reduced : list nat) (inputs part n : nat) : list index_map :=
  if product (map (fun k => operand.[k]) reduced) =? 0 then if Nat.eqb n (inputs + part) then [scalar out] else []
  else if Nat.ltb n inputs then [side_map out operand [] reduced 0]
  else if Nat.ltb n (inputs + inputs) then [scalar out] else [].

Theorem reduce_law v out operand reduced inputs part : reduce_fits out operand reduced inputs part = true ->
  exactly v (reduce out operand reduced inputs part) (reduce_maps out operand reduced inputs part).
Proof.
  unfold reduce_fits. rewrite andb_true_iff. intros [F _] d n i. unfold reduce, reduce_maps.
  destruct (product _ =? 0).
  - destruct (Nat.eqb_spec n (inputs + part)) as [E|E]; [rewrite reads_one, reads_scalar|rewrite reads_none]; tauto.
  - destruct (Nat.ltb_spec n inputs) as [N|N].
    + rewrite reads_one, <- side_law by exact F. unfold dot_side, free. simpl. intuition lia.
    + destruct (Nat.ltb_spec n (inputs + inputs)) as [M|M]; [rewrite reads_one, reads_scalar|rewrite reads_none]; intuition lia.
Qed.

(** * Sort *)

Definition sort_fits (s : shape) (along : nat) : bool := Nat.ltb along (length s).
Definition sort_maps (s : shape) (along count part n : nat) : list index_map :=
  if Nat.ltb n count && (Nat.eqb n part || (1 <? s.[along])) then
    [map_of s [s.[along]] [] (tabulate (length s) (fun k => if Nat.eqb k along then Range 0 else Dim k))]
  else [].

Theorem sort_law v s along count part : sort_fits s along = true ->
  exactly v (sort s along count part) (sort_maps s along count part).
Proof.
  unfold sort_fits. intros F. conditions F. intros d n i. unfold sort, sort_maps.
  assert (C : Nat.ltb n count && (Nat.eqb n part || (1 <? s.[along])) = true <-> (n < count)%nat /\ (n = part \/ 1 < s.[along])).
  { rewrite andb_true_iff, orb_true_iff, Nat.ltb_lt, Nat.eqb_eq, Z.ltb_lt. reflexivity. }
  destruct (_ && _); [|rewrite reads_none; intuition discriminate]. destruct (proj1 C eq_refl) as [N P].
  rewrite reads_one, reads_map_of. split.
  - intros (_ & _ & D & I & E). split; [exact D|]. exists [i.[along]]. split.
    + apply in_box_of_sizes. apply in_box_cons. exists i.[along], []. pose proof (inside_at _ _ _ I F). unfold contains, of_size. simpl.
      split; [reflexivity|]. split; [lia|]. apply in_box_nil. reflexivity.
    + split; [constructor|]. rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ I)|]. intros k Hk.
      destruct (Nat.eqb_spec k along) as [->|K]; cbn [eval]; [reflexivity|auto].
  - intros (D & t & T & _ & E). rewrite map_tabulate in E. apply is_tabulate in E. destruct E as [L E].
    split; [exact N|]. split; [exact P|]. split; [exact D|]. split.
    + split; [exact L|]. intros k Hk. rewrite (E k Hk). destruct (Nat.eqb_spec k along) as [->|K]; cbn [eval].
      * exact (inside_at _ _ 0%nat T (Nat.lt_0_succ _)).
      * apply inside_at; assumption.
    + intros k Hk K. rewrite (E k Hk). destruct (Nat.eqb_spec k along); [contradiction|reflexivity].
Qed.
