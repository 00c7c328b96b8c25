(** Other forms of a map: what may be written differently, and left out, without a change of what is read. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists.
Import ListNotations.
Open Scope Z_scope.

(** Maps over the same variables read the same if at each point of their intervals both hold or neither does, and where
    they hold their results are equal. *)
Theorem same_points v m1 m2 : dims m1 = dims m2 -> ranges m1 = ranges m2 ->
  (forall d s, in_box (dims m1) d -> in_box (ranges m1) s ->
    (holds v m1 d s <-> holds v m2 d s) /\ (holds v m1 d s -> value v m1 d s = value v m2 d s)) ->
  forall d i, map_reads v m1 d i <-> map_reads v m2 d i.
Proof.
  intros ED ER H d i. unfold map_reads. rewrite <- ED, <- ER.
  split; intros [D [s [S [K E]]]]; (split; [exact D|]); exists s; destruct (H d s D S) as [A B]; (split; [exact S|]); rewrite E.
  - split; [apply A; exact K|apply B; exact K].
  - apply A in K. split; [exact K|symmetry; apply B; exact K].
Qed.

(** A constraint that the intervals of the variables imply may be left out. *)
Theorem implied_constraint v b rs cs xs e bound :
  (forall d s, in_box b d -> in_box rs s -> contains bound (eval d s [] e)) ->
  forall d i, map_reads v (IndexMap b rs [] ((e, bound) :: cs) xs) d i <-> map_reads v (IndexMap b rs [] cs xs) d i.
Proof.
  intros H. apply same_points; try reflexivity. intros d s D S. specialize (H d s D S). unfold holds, runtime_values. cbn [runtimes constraints map].
  rewrite Forall_cons_iff. cbn [fst snd]. split; [tauto|reflexivity].
Qed.

(** A range variable with one value may be written as that value. *)
Lemma one_value (b : box) s k x : in_box b s -> (k < length b)%nat -> nth k b (0, 0) = (x, x) -> s.[k] = x.
Proof. intros [_ H] K E. specialize (H k K). rewrite E in H. unfold contains in H. simpl in H. lia. Qed.
