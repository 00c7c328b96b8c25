(** The maps of pad, for all sizes and ranks, with negative and interior padding: one to the operand, and for each way to
    miss it first one to the padding value. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists.
Import ListNotations.
Open Scope Z_scope.

Section Axis.
  (** The sizes of result and operand, the padding, and the distance of the elements. *)
  Variables out size low step : Z.
  Hypothesis step_pos : 1 <= step.

  (** The first and the last index of the result that hold an element, if any does. *)
  Definition span : interval :=
    let first := Z.max low 0 in
    let last := Z.min (if size <=? 0 then low - 1 else low + (size - 1) * step) (out - 1) in
    (first + (low - first) mod step, last - (last - low) mod step).

  Definition heldb (x : Z) : bool := containsb span x && ((x - low) mod step =? 0).

  Lemma round_down m x : low + step * x <= m -> low + step * x <= m - (m - low) mod step.
  Proof.
    intros H. pose proof (Z.div_mod (m - low) step ltac:(lia)).
    assert (x <= (m - low) / step) by (apply Z.div_le_lower_bound; lia). nia.
  Qed.

  Lemma round_up m x : m <= low + step * x -> m + (low - m) mod step <= low + step * x.
  Proof.
    intros H. pose proof (Z.div_mod (low - m) step ltac:(lia)).
    assert (- x <= (low - m) / step) by (apply Z.div_le_lower_bound; lia). nia.
  Qed.

  Lemma held_spec d x : 0 <= d < out -> (heldb d = true /\ x = (d - low) / step) <-> (0 <= x < size /\ d = low + step * x).
  Proof.
    intros D. unfold heldb. rewrite andb_true_iff, containsb_spec, Z.eqb_eq. unfold contains, span. cbn [fst snd]. split.
    - intros [[[A B] M] E].
      pose proof (Z.div_mod (d - low) step ltac:(lia)) as Q. rewrite M, <- E in Q.
      pose proof (Z.mod_pos_bound (low - Z.max low 0) step ltac:(lia)).
      set (last := Z.min (if size <=? 0 then low - 1 else low + (size - 1) * step) (out - 1)) in *.
      pose proof (Z.mod_pos_bound (last - low) step ltac:(lia)).
      assert (L : d <= if size <=? 0 then low - 1 else low + (size - 1) * step) by (subst last; lia).
      destruct (Z.leb_spec size 0); split; nia.
    - intros [X ->]. split; [split|].
      + split.
        * apply round_up. nia.
        * apply round_down. destruct (Z.leb_spec size 0); nia.
      + replace (low + step * x - low) with (x * step) by ring. apply Z.mod_mul. lia.
      + replace (low + step * x - low) with (x * step) by ring. symmetry. apply Z.div_mul. lia.
  Qed.

  (** The conditions that index [x] holds an element, and those of each way that it holds none: before the first, between
      two, behind the last. *)
  Definition held (x : expr) : list (expr * interval) := [(x, span); (Mod (Sub x (Const low)) (Const step), (0, 0))].
  Definition gaps (x : expr) : list (list (expr * interval)) :=
    if fst span <=? snd span then
      [[(x, (0, fst span - 1))]; [(x, span); (Mod (Sub x (Const low)) (Const step), (1, step - 1))]; [(x, (snd span + 1, out - 1))]]
    else [[(x, (0, out - 1))]].

  Definition satisfied (d : index) (cs : list (expr * interval)) : Prop :=
    Forall (fun c => contains (snd c) (eval d [] [] (fst c))) cs.

  Lemma sub_low d x : eval d [] [] (Sub x (Const low)) = eval d [] [] x - low.
  Proof. cbn [eval Sub]. lia. Qed.

  Lemma held_conditions d x : satisfied d (held x) <-> heldb (eval d [] [] x) = true.
  Proof.
    unfold satisfied, held, heldb. rewrite andb_true_iff, containsb_spec, Z.eqb_eq. split.
    - intros H. apply Forall_cons_iff in H. destruct H as [A H]. apply Forall_cons_iff in H. destruct H as [C _]. unfold contains in C.
      cbn [fst snd eval] in *. rewrite sub_low in C. split; [exact A|lia].
    - intros [A B]. repeat constructor; cbn [fst snd eval]; try apply A; rewrite sub_low, B; lia.
  Qed.

  Lemma gap_conditions d x : 0 <= eval d [] [] x < out ->
    (exists g, In g (gaps x) /\ satisfied d g) <-> heldb (eval d [] [] x) = false.
  Proof.
    set (y := eval d [] [] x). intros Y. unfold gaps, satisfied, heldb. rewrite andb_false_iff.
    pose proof (Z.mod_pos_bound (y - low) step ltac:(lia)) as M.
    assert (N : containsb span y = false <-> ~ contains span y).
    { rewrite <- (containsb_spec span y). destruct (containsb span y); intuition congruence. }
    rewrite N, Z.eqb_neq. unfold contains. destruct (Z.leb_spec (fst span) (snd span)) as [S|S]; split.
    - intros [g [[<-|[<-|[<-|[]]]] G]]; apply Forall_cons_iff in G; destruct G as [A B]; unfold contains in *; cbn [fst snd] in *; fold y in A; [lia| |lia].
      apply Forall_cons_iff in B. destruct B as [C _]. cbn [fst snd eval] in C. rewrite sub_low in C. fold y in C. lia.
    - intros H. destruct (Z.ltb_spec y (fst span)); [|destruct (Z.ltb_spec (snd span) y)].
      + eexists. split; [left; reflexivity|]. repeat constructor; cbn [fst snd]; fold y; lia.
      + eexists. split; [right; right; left; reflexivity|]. repeat constructor; cbn [fst snd]; fold y; lia.
      + eexists. split; [right; left; reflexivity|]. repeat constructor; cbn [fst snd eval]; try rewrite sub_low; fold y; lia.
    - intros _. lia.
    - intros _. eexists. split; [left; reflexivity|]. repeat constructor; cbn [fst snd]; fold y; lia.
  Qed.
End Axis.

Definition pad_fits (out operand low interior : list Z) : bool :=
  Nat.eqb (length operand) (length out) && all_below (length out) (fun k => 0 <=? interior.[k]).

Section Pad.
  Variables out operand low interior : list Z.
  Hypothesis fits : pad_fits out operand low interior = true.

  Definition axis {A} (f : Z -> Z -> Z -> Z -> A) (k : nat) : A := f out.[k] operand.[k] low.[k] (interior.[k] + 1).
  Definition held_below (n : nat) : list (expr * interval) := flat_map (fun k => axis held k (Dim k)) (seq 0 n).
  Definition pad_maps (n : nat) : list index_map :=
    match n with
    | O => [function_of out (held_below (length out))
        (tabulate (length out) (fun k => Div (Sub (Dim k) (Const low.[k])) (Const (interior.[k] + 1))))]
    | 1%nat => flat_map (fun k =>
        map (fun gap => function_of out (held_below k ++ gap) []) (axis gaps k (Dim k))) (seq 0 (length out))
    | _ => []
    end.

  Lemma pad_step k : (k < length out)%nat -> 1 <= interior.[k] + 1.
  Proof using fits.
    pose proof fits as F. unfold pad_fits in F. conditions F. destruct F as [_ I]. intros Hk. specialize (I k Hk). conditions I. lia.
  Qed.

  Lemma pad_rank : length operand = length out.
  Proof using fits. pose proof fits as F. unfold pad_fits in F. conditions F. apply F. Qed.

  Lemma held_below_spec d n : satisfied d (held_below n) <-> forall k, (k < n)%nat -> axis heldb k d.[k] = true.
  Proof.
    unfold satisfied, held_below. rewrite Forall_flat. split; intros H k Hk; specialize (H k Hk).
    - apply (held_conditions _ _ _ _ d (Dim k)) in H. exact H.
    - apply (held_conditions _ _ _ _ d (Dim k)). exact H.
  Qed.

  Lemma pad_from_spec d i : inside out d ->
    pad_from operand low interior d i <->
    (forall k, (k < length out)%nat -> axis heldb k d.[k] = true) /\ length i = length out /\
    (forall k, (k < length out)%nat -> i.[k] = (d.[k] - low.[k]) / (interior.[k] + 1)).
  Proof using fits.
    intros D. pose proof pad_rank as R. unfold pad_from, inside. rewrite R. split.
    - intros [[L K] E]. assert (B : forall k, (k < length out)%nat ->
        axis heldb k d.[k] = true /\ i.[k] = (d.[k] - low.[k]) / (interior.[k] + 1)).
      { intros k Hk. unfold axis. apply held_spec; [apply pad_step; exact Hk|apply inside_at; assumption|]. auto. }
      split; [|split; [exact L|]]; intros k Hk; apply B; exact Hk.
    - intros [B [L E]]. assert (C : forall k, (k < length out)%nat ->
        0 <= i.[k] < operand.[k] /\ d.[k] = low.[k] + (interior.[k] + 1) * i.[k]).
      { intros k Hk. apply (held_spec out.[k]); [apply pad_step; exact Hk|apply inside_at; assumption|].
        split; [apply (B k Hk)|apply E; exact Hk]. }
      split; [split; [exact L|]|]; intros k Hk; apply C; exact Hk.
  Qed.

  Theorem pad_law v : exactly v (pad out operand low interior) pad_maps.
  Proof using fits.
    intros d [|[|n]] i; unfold pad, pad_maps; [| |rewrite reads_none; tauto].
    - rewrite reads_one, reads_tabulated. split.
      + intros [D P]. apply (pad_from_spec d i D) in P. destruct P as [B [L E]].
        split; [exact D|]. split; [apply held_below_spec; exact B|]. split; [exact L|].
        intros k Hk. cbn [eval]. rewrite sub_low. apply E. exact Hk.
      + intros (D & B & L & E). split; [exact D|]. apply (pad_from_spec d i D).
        split; [apply held_below_spec; exact B|]. split; [exact L|].
        intros k Hk. rewrite (E k Hk). cbn [eval]. rewrite sub_low. reflexivity.
    - unfold maps_read. split.
      + intros [D [-> N]]. assert (F : ~ forall k, (k < length out)%nat -> axis heldb k d.[k] = true).
        { intros B. apply N. exists (tabulate (length out) (fun k => (d.[k] - low.[k]) / (interior.[k] + 1))).
          apply pad_from_spec; [exact D|]. split; [exact B|]. apply is_tabulate. reflexivity. }
        apply (first_failure (fun k => axis heldb k d.[k])) in F. destruct F as [k [Hk [G B]]].
        apply (gap_conditions out.[k] operand.[k] low.[k] (interior.[k] + 1) (pad_step k Hk) d (Dim k)) in G;
          [|apply inside_at; assumption].
        destruct G as [g [G S]]. exists (function_of out (held_below k ++ g) []). split.
        * apply in_flat_tabulate. exists k. split; [exact Hk|]. apply in_map_iff. eauto.
        * apply reads_function. split; [exact D|]. split; [|reflexivity]. apply Forall_app. split; [|exact S].
          apply held_below_spec. exact B.
      + intros [m [M H]]. apply in_flat_tabulate in M. destruct M as [k [Hk M]]. apply in_map_iff in M.
        destruct M as [g [<- G]]. apply reads_function in H. destruct H as [D [S ->]].
        split; [exact D|]. split; [reflexivity|]. intros [j J]. apply (pad_from_spec d j D) in J. destruct J as [B _].
        apply Forall_app in S. destruct S as [_ S]. specialize (B k Hk).
        enough (axis heldb k d.[k] = false) by congruence.
        apply (gap_conditions out.[k] operand.[k] low.[k] (interior.[k] + 1) (pad_step k Hk) d (Dim k));
          [apply inside_at; assumption|eauto].
  Qed.
End Pad.
