(** The maps of gather, for all sizes, ranks and dimension numbers, and what gather and scatter share: the array that holds
    slices, [moving], and the array that they are slices of, [still]. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves LawsWindow.
Import ListNotations.
Open Scope Z_scope.

Section Vectors.
  Variables (still indices moving : shape) (g : vectors).

  (** The dimensions of the indices that are not the index vector's, and those of [moving] that go with them. *)
  Definition own : list nat := others (length indices) [vector_dim g].
  Definition moving_batch : list nat := others (length moving) (offset g).
  Definition left_out : list nat := collapsed g ++ batching g.

  Definition vectors_fit : bool :=
    Nat.eqb (length (slice_sizes g)) (length still) &&
    all_below (length still) (fun k => (0 <=? (slice_sizes g).[k]) && ((slice_sizes g).[k] <=? still.[k])) &&
    forallb (fun k => (slice_sizes g).[k] =? 1) left_out &&
    all_in (length still) (start_map g) && distinct (start_map g) && distinct (offset g) && all_in (length moving) (offset g) &&
    Nat.eqb (length (kept g still)) (length (offset g)) &&
    all_below (length (offset g)) (fun p => (slice_sizes g).[(kept g still).#p] =? moving.[(offset g).#p]) &&
    Nat.eqb (length own) (length moving_batch) &&
    all_below (length own) (fun p => indices.[own.#p] =? moving.[moving_batch.#p]) &&
    Nat.eqb (length (indices_batching g)) (length (batching g)) &&
    distinct (batching g) && distinct (indices_batching g) && all_in (length still) (batching g) &&
    forallb (fun j => mem j own) (indices_batching g) && forallb (fun k => negb (mem k (start_map g))) (batching g) &&
    all_below (length (batching g)) (fun p => still.[(batching g).#p] =? indices.[(indices_batching g).#p]).

  Record facts : Prop := Facts
    { sizes_length : length (slice_sizes g) = length still;
      slice_in : forall k, (k < length still)%nat -> 0 <= (slice_sizes g).[k] <= still.[k];
      left_one : forall k, In k left_out -> (slice_sizes g).[k] = 1;
      starts_in : forall k, In k (start_map g) -> (k < length still)%nat;
      starts_once : NoDup (start_map g);
      offset_once : NoDup (offset g);
      offset_in : forall k, In k (offset g) -> (k < length moving)%nat;
      kept_length : length (kept g still) = length (offset g);
      kept_sizes : forall p, (p < length (offset g))%nat -> (slice_sizes g).[(kept g still).#p] = moving.[(offset g).#p];
      batch_length : length own = length moving_batch;
      batch_sizes : forall p, (p < length own)%nat -> indices.[own.#p] = moving.[moving_batch.#p];
      batching_length : length (indices_batching g) = length (batching g);
      batching_once : NoDup (batching g);
      indices_once : NoDup (indices_batching g);
      batching_in : forall k, In k (batching g) -> (k < length still)%nat;
      indices_own : forall j, In j (indices_batching g) -> In j own;
      batching_no_start : forall k, In k (batching g) -> mem k (start_map g) = false;
      batching_sizes : forall p, (p < length (batching g))%nat -> still.[(batching g).#p] = indices.[(indices_batching g).#p] }.

  Lemma fit_facts : vectors_fit = true -> facts.
  Proof.
    unfold vectors_fit. intros F. repeat rewrite andb_true_iff in F. repeat rewrite all_below_spec in F.
    repeat rewrite forallb_forall in F. repeat rewrite all_in_spec in F. repeat rewrite distinct_spec in F.
    repeat rewrite Nat.eqb_eq in F.
    destruct F as (((((((((((((((((A & B) & C) & D) & E) & G) & H) & I) & J) & K) & L) & M) & N) & O) & P) & Q) & R) & S).
    constructor; try assumption.
    - intros k Hk. specialize (B k Hk). rewrite andb_true_iff, !Z.leb_le in B. exact B.
    - intros k Hk. apply Z.eqb_eq. auto.
    - intros p Hp. apply Z.eqb_eq. auto.
    - intros p Hp. apply Z.eqb_eq. auto.
    - intros j Hj. apply mem_spec. auto.
    - intros k Hk. specialize (R k Hk). apply negb_true_iff. exact R.
    - intros p Hp. apply Z.eqb_eq. auto.
  Qed.

  Lemma own_place k : (k < length indices)%nat -> k <> vector_dim g ->
    (position k own < length own)%nat /\ own.#(position k own) = k.
  Proof. intros Hk N. apply position_spec. apply others_in. simpl. intuition. Qed.

  Lemma own_in p : (p < length own)%nat -> (own.#p < length indices)%nat /\ own.#p <> vector_dim g.
  Proof. intros Hp. pose proof (nth_In own O Hp) as H. apply others_in in H. simpl in H. intuition. Qed.

  Lemma moving_batch_in p : (p < length moving_batch)%nat -> (moving_batch.#p < length moving)%nat /\ ~ In (moving_batch.#p) (offset g).
  Proof. intros Hp. pose proof (nth_In moving_batch O Hp) as H. apply others_in in H. exact H. Qed.

  Lemma batch_at x p : (p < length moving_batch)%nat -> (batch_index g moving x).[p] = x.[moving_batch.#p].
  Proof. intros Hp. unfold batch_index. apply (nth_map_Z (fun k => x.[k]) moving_batch O). exact Hp. Qed.

  Lemma batch_bounds x p : facts -> inside moving x -> (p < length own)%nat -> 0 <= (batch_index g moving x).[p] < indices.[own.#p].
  Proof.
    intros F X Hp. pose proof (batch_length F) as L. rewrite batch_at by lia. rewrite (batch_sizes F) by exact Hp.
    apply inside_at; [exact X|]. apply moving_batch_in. lia.
  Qed.

  Lemma batch_place_in k : facts -> In k (batching g) ->
    (batch_place g indices k < length own)%nat /\ own.#(batch_place g indices k) = (indices_batching g).#(position k (batching g)).
  Proof.
    intros F K. destruct (position_spec k _ K) as [P _]. unfold batch_place. fold own. apply position_spec.
    apply (indices_own F). apply nth_In. rewrite (batching_length F). exact P.
  Qed.

  Lemma batch_place_size k : facts -> In k (batching g) -> indices.[own.#(batch_place g indices k)] = still.[k].
  Proof.
    intros F K. destruct (batch_place_in k F K) as [_ E]. rewrite E. destruct (position_spec k _ K) as [P Q].
    rewrite <- (batching_sizes F) by exact P. rewrite Q. reflexivity.
  Qed.

  Lemma kept_in k : (k < length still)%nat -> mem k left_out = false ->
    (position k (kept g still) < length (kept g still))%nat /\ (kept g still).#(position k (kept g still)) = k.
  Proof.
    intros Hk M. apply position_spec. unfold kept. apply others_in. split; [exact Hk|].
    apply mem_false in M. exact M.
  Qed.

  Lemma within_bounds x k : facts -> inside moving x -> (k < length still)%nat -> 0 <= within g still x k < (slice_sizes g).[k].
  Proof.
    intros F X Hk. unfold within. fold left_out. destruct (mem k left_out) eqn:M.
    - apply mem_spec in M. pose proof (left_one F k M). lia.
    - destruct (kept_in k Hk M) as [P Q]. rewrite (kept_length F) in P. 
      replace ((slice_sizes g).[k]) with ((slice_sizes g).[(kept g still).#(position k (kept g still))]) by (rewrite Q; reflexivity).
      rewrite (kept_sizes F) by exact P.
      apply inside_at; [exact X|]. apply (offset_in F), nth_In. exact P.
  Qed.

  (** The index of a component of an index vector, where batch index [p] is [be p]. *)
  Definition vector_expr (be : nat -> expr) (c : expr) : list expr :=
    tabulate (length indices) (fun k => if Nat.eqb k (vector_dim g) then c else be (position k own)).

  Lemma eval_vector be c d s r b : (forall p, (p < length own)%nat -> eval d s r (be p) = b.[p]) ->
    map (eval d s r) (vector_expr be c) = component g indices b (eval d s r c).
  Proof.
    intros H. unfold vector_expr, component. rewrite map_tabulate. fold own. apply is_tabulate. rewrite tabulate_length.
    split; [reflexivity|]. intros k Hk. rewrite nth_tabulate by exact Hk.
    destruct (Nat.eqb_spec k (vector_dim g)); [reflexivity|]. apply H. apply own_place; assumption.
  Qed.

  (** The start in dimension [start_map[q]] as a runtime variable; [more] lets it be that far out of bounds. *)
  Definition most (q : nat) : Z := still.[(start_map g).#q] - (slice_sizes g).[(start_map g).#q].
  Definition vector_start (be : nat -> expr) (more : Z) (q : nat) : runtime :=
    {| source := 1; at_index := vector_expr be (Const (Z.of_nat q)); clamped := (- more, most q + more); bounds := (0, most q) |}.
  Definition vector_starts (be : nat -> expr) (more : Z) : list runtime := tabulate (length (start_map g)) (vector_start be more).

  Definition place_expr (be : nat -> expr) (k : nat) : expr :=
    if mem k (start_map g) then Runtime (position k (start_map g))
    else if mem k (batching g) then be (batch_place g indices k) else Const 0.

  (** An index vector's dimension is a range; so is a single value, where there is no such dimension. *)
  Definition vector_size : Z := if Nat.ltb (vector_dim g) (length indices) then indices.[vector_dim g] else 1.
End Vectors.

(** * Gather *)

Section Gather.
  Variables (out operand indices : shape) (g : vectors).
  Definition gather_fits : bool := vectors_fit operand indices out g.
  Hypothesis fits : gather_fits = true.

  Definition gather_batch (p : nat) : expr := Dim ((moving_batch out g).#p).
  Definition within_expr (k : nat) : expr :=
    if mem k (left_out g) then Const 0 else Dim ((offset g).#(position k (kept g operand))).
  Definition gather_maps (n : nat) : list index_map :=
    match n with
    | O => [dynamic_map out [] (vector_starts operand indices g gather_batch 0) []
        (tabulate (length operand) (fun k => Add (place_expr indices g gather_batch k) (within_expr k)))]
    | 1%nat => [map_of out [vector_size indices g] [] (vector_expr indices g gather_batch (Range 0))]
    | _ => []
    end.

  Lemma gather_batch_value d s r p : (p < length (own indices g))%nat ->
    eval d s r (gather_batch p) = (batch_index g out d).[p].
  Proof using fits.
    intros Hp. rewrite batch_at; [reflexivity|]. rewrite <- (batch_length _ _ _ _ (fit_facts _ _ _ _ fits)). exact Hp.
  Qed.

  Theorem gather_law v : exactly v (gather out operand indices g v) gather_maps.
  Proof using fits.
    pose proof (fit_facts _ _ _ _ fits) as F.
    intros d [|[|n]] i; unfold gather, gather_maps; [| |rewrite reads_none; tauto]; rewrite reads_one.
    - rewrite reads_dynamic. set (b := batch_index g out d).
      assert (V : forall q, runtime_value v d [] (vector_start operand indices g gather_batch 0 q) =
        clamp 0 (most operand g q) (v 1%nat (component g indices b (Z.of_nat q)))).
      { intros q. unfold runtime_value, vector_start. cbn [clamped source at_index fst snd].
        rewrite (eval_vector indices g gather_batch _ d [] [] b) by (intros p Hp; apply gather_batch_value; exact Hp).
        cbn [eval]. rewrite Z.add_0_r. reflexivity. }
      set (rs := map (runtime_value v d []) (vector_starts operand indices g gather_batch 0)).
      set (st := fun k => if mem k (start_map g)
        then clamp 0 (operand.[k] - (slice_sizes g).[k]) (v 1%nat (component g indices b (Z.of_nat (position k (start_map g)))))
        else if mem k (batching g) then b.[batch_place g indices k] else 0).
      assert (E : forall k, (k < length operand)%nat ->
        eval d [] rs (Add (place_expr indices g gather_batch k) (within_expr k)) = st k + within g operand d k).
      { intros k Hk. cbn [eval]. f_equal.
        - unfold place_expr, st. destruct (mem k (start_map g)) eqn:M; [|destruct (mem k (batching g)) eqn:N].
          + apply mem_spec in M. destruct (position_spec k _ M) as [P Q]. cbn [eval]. unfold rs, vector_starts.
            rewrite runtime_at by exact P. rewrite V. unfold most. rewrite Q. reflexivity.
          + apply mem_spec in N. apply gather_batch_value. apply (batch_place_in operand indices out g k F N).
          + reflexivity.
        - unfold within_expr, within. fold (left_out g). destruct (mem k (left_out g)); reflexivity. }
      assert (H : Forall (fun r => contains (bounds r) (runtime_value v d [] r)) (vector_starts operand indices g gather_batch 0)).
      { apply Forall_tabulate. intros q Hq. rewrite V. unfold contains, vector_start. cbn [bounds fst snd].
        apply clamp_in. unfold most. pose proof (slice_in _ _ _ _ F ((start_map g).#q) (starts_in _ _ _ _ F _ (nth_In _ O Hq))). lia. }
      split.
      + intros (D & I & K). split; [exact D|]. exists []. split; [apply inside_nil; reflexivity|]. split; [exact H|].
        split; [constructor|]. rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ I)|].
        intros k Hk. rewrite (K k Hk). symmetry. apply (E k Hk).
      + intros (D & s & S & _ & _ & K). apply inside_nil in S. subst s. rewrite map_tabulate in K. apply is_tabulate in K.
        destruct K as [L K]. split; [exact D|].
        assert (K' : forall k, (k < length operand)%nat -> i.[k] = st k + within g operand d k).
        { intros k Hk. rewrite (K k Hk). apply E. exact Hk. }
        split; [|exact K']. split; [exact L|]. intros k Hk. rewrite (K' k Hk).
        pose proof (within_bounds operand indices out g d k F D Hk) as W. pose proof (slice_in _ _ _ _ F k Hk) as Z1.
        unfold st. destruct (mem k (start_map g)) eqn:M; [|destruct (mem k (batching g)) eqn:N].
        * pose proof (clamp_in 0 (operand.[k] - (slice_sizes g).[k]) (v 1%nat (component g indices b (Z.of_nat (position k (start_map g))))) ltac:(lia)). lia.
        * assert (within g operand d k = 0) as ->.
          { unfold within. replace (mem k (collapsed g ++ batching g)) with true; [reflexivity|].
            symmetry. apply mem_spec. apply mem_spec in N. apply in_or_app. auto. }
          apply mem_spec in N. destruct (batch_place_in operand indices out g k F N) as [P _].
          pose proof (batch_bounds operand indices out g d _ F D P) as B. rewrite (batch_place_size operand indices out g k F N) in B.
          fold b in B. lia.
        * lia.
    - rewrite reads_map_of. set (b := batch_index g out d).
      assert (E : forall c, map (eval d [c] []) (vector_expr indices g gather_batch (Range 0)) = component g indices b c).
      { intros c. rewrite (eval_vector indices g gather_batch _ d [c] [] b); [reflexivity|]. intros p Hp. apply gather_batch_value. exact Hp. }
      split.
      + intros (D & I & c & C). split; [exact D|].
        destruct (Nat.ltb_spec (vector_dim g) (length indices)) as [N|N].
        * exists [c]. split; [|split; [constructor|rewrite E; exact C]]. apply inside_one. exists c. split; [reflexivity|].
          unfold vector_size. rewrite (proj2 (Nat.ltb_lt _ _) N). pose proof (inside_at _ _ _ I N) as B. rewrite C in B.
          unfold component in B. rewrite nth_tabulate in B by exact N. rewrite Nat.eqb_refl in B. exact B.
        * exists [0]. split; [|split; [constructor|]].
          -- apply inside_one. exists 0. split; [reflexivity|]. unfold vector_size. rewrite (proj2 (Nat.ltb_ge _ _) N). lia.
          -- rewrite E, C. unfold component. apply is_tabulate. rewrite tabulate_length. split; [reflexivity|].
             intros k Hk. rewrite nth_tabulate by exact Hk. destruct (Nat.eqb_spec k (vector_dim g)); [lia|reflexivity].
      + intros (D & s & S & _ & K). apply inside_one in S. destruct S as [c [-> C]]. rewrite E in K. split; [exact D|].
        split; [|eauto]. subst i. unfold component. split; [apply tabulate_length|]. intros k Hk. rewrite nth_tabulate by exact Hk.
        destruct (Nat.eqb_spec k (vector_dim g)) as [->|N].
        * unfold vector_size in C. rewrite (proj2 (Nat.ltb_lt _ _) Hk) in C. exact C.
        * destruct (own_place indices g k Hk N) as [P Q]. fold (own indices g).
          pose proof (batch_bounds operand indices out g d _ F D P) as B. rewrite Q in B. exact B.
  Qed.
End Gather.
