(** The maps of scatter, for all sizes, ranks and dimension numbers: an element reads the updates that land on it. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves LawsWindow LawsGather.
Import ListNotations.
Open Scope Z_scope.

Section Scatter.
  Variables (s indices updates : shape) (g : vectors).
  Definition scatter_fits : bool := vectors_fit s indices updates g.
  Hypothesis fits : scatter_fits = true.
  Let own := own indices g.

  (** Batch index [p] is an index of the result in a batching dimension, a range in any other. *)
  Definition ranged : list nat := filter (fun j => negb (mem j (indices_batching g))) own.
  Definition scatter_batch (p : nat) : expr :=
    let j := own.#p in
    if mem j (indices_batching g) then Dim ((batching g).#(position j (indices_batching g))) else Range (position j ranged).
  Definition ranged_sizes : shape := map (fun j => indices.[j]) ranged.
  Definition from_place (k : nat) : expr := Sub (Dim k) (place_expr indices g scatter_batch k).
  Definition update_expr (k : nat) : expr :=
    if mem k (offset g) then from_place ((kept g s).#(position k (offset g)))
    else scatter_batch (position k (moving_batch updates g)).
  Definition scatter_maps (n : nat) : list index_map :=
    match n with
    | O => [same s]
    | 1%nat => if product updates =? 0 then [] else
        [map_of s (ranged_sizes ++ [vector_size indices g]) [] (vector_expr indices g scatter_batch (Range (length ranged)))]
    | 2%nat => [dynamic_map s ranged_sizes (vector_starts s indices g scatter_batch 1)
        (tabulate (length s) (fun k => (from_place k, (0, (slice_sizes g).[k] - 1)))) (tabulate (length updates) update_expr)]
    | _ => []
    end.

  Let F : facts s indices updates g := fit_facts _ _ _ _ fits.

  Lemma ranged_place j : In j own -> mem j (indices_batching g) = false ->
    (position j ranged < length ranged)%nat /\ ranged.#(position j ranged) = j.
  Proof. intros H M. apply position_spec. apply filter_In. rewrite M. auto. Qed.

  (** What the range variables say of batch indices [b]. *)
  Definition chosen (d b t : list Z) : Prop :=
    (forall p, (p < length own)%nat -> eval d t [] (scatter_batch p) = b.[p]).

  (** The batch indices that agree with [d] in batching dimensions are those of some values of the range variables. *)
  Lemma choose d b : (forall p, (p < length own)%nat -> 0 <= b.[p] < indices.[own.#p]) ->
    (forall k, In k (batching g) -> d.[k] = b.[batch_place g indices k]) ->
    exists t, inside ranged_sizes t /\ forall more, chosen d b (t ++ more).
  Proof using fits.
    intros B K. exists (map (fun j => b.[position j own]) ranged).
    assert (R : forall j, In j ranged -> In j own) by (intros j Hj; apply filter_In in Hj; apply Hj).
    split.
    - unfold ranged_sizes. split; rewrite !map_length; [reflexivity|]. intros q Hq.
      rewrite !(nth_map_Z _ ranged O) by exact Hq. destruct (position_spec (ranged.#q) own) as [P Q]; [apply R, nth_In; exact Hq|].
      rewrite <- Q at 3. apply B. exact P.
    - intros more p Hp. pose proof (nth_In own O Hp) as J. unfold scatter_batch. set (j := own.#p) in *.
      assert (PJ : position j own = p) by (apply position_nth; [apply others_NoDup|exact Hp]).
      destruct (mem j (indices_batching g)) eqn:M; cbn [eval].
      + apply mem_spec in M. destruct (position_spec j _ M) as [P Q]. rewrite (batching_length _ _ _ _ F) in P.
        assert (IK : In ((batching g).#(position j (indices_batching g))) (batching g)) by (apply nth_In; exact P).
        rewrite (K _ IK). f_equal. unfold batch_place. rewrite position_nth by (exact (batching_once _ _ _ _ F) || exact P). rewrite Q. exact PJ.
      + destruct (ranged_place j J M) as [P Q]. rewrite app_nth1 by (rewrite map_length; exact P).
        rewrite (nth_map_Z _ ranged O) by exact P. rewrite Q, PJ. reflexivity.
  Qed.

  (** Conversely: values of the range variables are batch indices. *)
  Lemma choice d t : inside s d -> inside ranged_sizes t -> forall more, let b := tabulate (length own) (fun p => eval d t [] (scatter_batch p)) in
    chosen d b (t ++ more) /\ (forall p, (p < length own)%nat -> 0 <= b.[p] < indices.[own.#p]) /\
    forall k, In k (batching g) -> d.[k] = b.[batch_place g indices k].
  Proof using fits.
    intros D T more b. assert (V : forall p, (p < length own)%nat -> b.[p] = eval d t [] (scatter_batch p)).
    { intros p Hp. unfold b. rewrite nth_tabulate by exact Hp. reflexivity. }
    split; [|split].
    - intros p Hp. rewrite (V p Hp). unfold scatter_batch. destruct (mem (own.#p) (indices_batching g)) eqn:M; [reflexivity|]. cbn [eval].
      destruct (ranged_place _ (nth_In own O Hp) M) as [P _]. apply app_nth1. rewrite (inside_length _ _ T).
      unfold ranged_sizes. rewrite map_length. exact P.
    - intros p Hp. rewrite (V p Hp). unfold scatter_batch. destruct (mem (own.#p) (indices_batching g)) eqn:M; cbn [eval].
      + apply mem_spec in M. destruct (position_spec _ _ M) as [P Q]. rewrite (batching_length _ _ _ _ F) in P.
        rewrite <- Q at 3. rewrite <- (batching_sizes _ _ _ _ F) by exact P. apply inside_at; [exact D|].
        apply (batching_in _ _ _ _ F), nth_In. exact P.
      + destruct (ranged_place _ (nth_In own O Hp) M) as [P Q]. pose proof (inside_at _ _ (position own.#p ranged) T) as B.
        unfold ranged_sizes in B. rewrite map_length in B. specialize (B P). rewrite (nth_map_Z _ ranged O) in B by exact P.
        rewrite Q in B. exact B.
    - intros k K. destruct (batch_place_in _ _ _ _ k F K) as [P Q]. fold own in P, Q. rewrite (V _ P).
      unfold scatter_batch. rewrite Q. destruct (position_spec k _ K) as [P2 Q2]. rewrite <- (batching_length _ _ _ _ F) in P2.
      rewrite (proj2 (mem_spec _ _)) by (apply nth_In; exact P2). cbn [eval].
      rewrite position_nth by (exact (indices_once _ _ _ _ F) || exact P2). rewrite Q2. reflexivity.
  Qed.

  Lemma clamped_in lo x m : 0 <= m -> lo = -1 -> (0 <= clamp lo (m + 1) x <= m <-> 0 <= x <= m) /\ (0 <= x <= m -> clamp lo (m + 1) x = x).
  Proof using. unfold clamp. lia. Qed.

  Section At.
    Variables (v : values) (d b t : list Z).
    Hypothesis C : chosen d b t.
    Let rs := map (runtime_value v d t) (vector_starts s indices g scatter_batch 1).
    Definition raw (k : nat) : Z := v 1%nat (component g indices b (Z.of_nat (position k (start_map g)))).
    (** Where the window is placed in dimension [k], and that it is within the array. *)
    Definition placed (k : nat) : Z :=
      if mem k (start_map g) then raw k else if mem k (batching g) then b.[batch_place g indices k] else 0.
    Definition fits_in : Prop := forall k, mem k (start_map g) = true -> 0 <= raw k <= s.[k] - (slice_sizes g).[k].

    Lemma scatter_start q : runtime_value v d t (vector_start s indices g scatter_batch 1 q) =
      clamp (-1) (most s g q + 1) (v 1%nat (component g indices b (Z.of_nat q))).
    Proof using C. 
      unfold runtime_value, vector_start. cbn [clamped source at_index fst snd].
      rewrite (eval_vector indices g scatter_batch _ d t [] b C). reflexivity.
    Qed.

    Lemma bounds_hold : Forall (fun r => contains (bounds r) (runtime_value v d t r)) (vector_starts s indices g scatter_batch 1) <-> fits_in.
    Proof using fits C.
      unfold vector_starts. rewrite Forall_tabulate. unfold contains.
      assert (BD : forall q, bounds (vector_start s indices g scatter_batch 1 q) = (0, most s g q)) by reflexivity.
      assert (M : forall q, (q < length (start_map g))%nat -> 0 <= most s g q).
      { intros q Hq. unfold most. pose proof (slice_in _ _ _ _ F _ (starts_in _ _ _ _ F _ (nth_In _ O Hq))). lia. }
      split.
      - intros H k K. apply mem_spec in K. destruct (position_spec k _ K) as [P Q]. specialize (H _ P). rewrite BD, scatter_start in H. cbn [fst snd] in H.
        apply clamped_in in H; [|apply M; exact P|reflexivity]. unfold most in H. rewrite Q in H. exact H.
      - intros H q Hq. rewrite BD, scatter_start. cbn [fst snd]. apply clamped_in; [apply M; exact Hq|reflexivity|].
        specialize (H ((start_map g).#q) (proj2 (mem_spec _ _) (nth_In _ O Hq))). unfold raw in H.
        rewrite position_nth in H by (exact (starts_once _ _ _ _ F) || exact Hq). exact H.
    Qed.

    Lemma batch_no_runtime p : eval d t rs (scatter_batch p) = eval d t [] (scatter_batch p).
    Proof using. unfold scatter_batch. destruct (mem _ _); reflexivity. Qed.

    Lemma place_value k : fits_in -> (k < length s)%nat -> eval d t rs (from_place k) = d.[k] - placed k.
    Proof using fits C.
      intros H Hk. unfold from_place, Sub. cbn [eval]. unfold place_expr, placed.
      destruct (mem k (start_map g)) eqn:M; [|destruct (mem k (batching g)) eqn:N].
      - specialize (H k M). apply mem_spec in M. destruct (position_spec k _ M) as [P Q]. cbn [eval].
        unfold rs, vector_starts. rewrite runtime_at by exact P. rewrite scatter_start. unfold most. rewrite Q.
        unfold raw in *. assert (X : 0 <= s.[k] - (slice_sizes g).[k]) by lia.
        rewrite (proj2 (clamped_in (-1) _ _ X eq_refl) H). lia.
      - apply mem_spec in N. rewrite batch_no_runtime. rewrite C by (apply (batch_place_in _ _ _ _ k F N)). lia.
      - cbn [eval]. lia.
    Qed.
  End At.

  Theorem scatter_law v : exactly v (scatter s indices updates g v) scatter_maps.
  Proof using fits.
    intros d [|[|[|n]]] i; unfold scatter, scatter_maps.
    - rewrite reads_one, reads_same. tauto.
    - destruct (Z.eqb_spec (product updates) 0) as [Z0|Z0]; [rewrite reads_none; tauto|]. rewrite reads_one, reads_map_of.
      assert (LR : forall t, inside ranged_sizes t -> length t = length ranged).
      { intros t T. rewrite (inside_length _ _ T). unfold ranged_sizes. apply map_length. }
      split.
      + intros (D & I & _ & K). split; [exact D|]. set (b := tabulate (length own) (fun p => i.[own.#p])).
        assert (VB : forall p, (p < length own)%nat -> b.[p] = i.[own.#p]) by (intros p Hp; unfold b; rewrite nth_tabulate by exact Hp; reflexivity).
        destruct (choose d b) as (t & T & CH).
        { intros p Hp. rewrite (VB p Hp). apply inside_at; [exact I|]. apply (own_in indices g). exact Hp. }
        { intros k Hk. destruct (batch_place_in _ _ _ _ k F Hk) as [P Q]. fold own in P, Q. rewrite (VB _ P), Q. symmetry.
          apply K; [exact (batching_in _ _ _ _ F k Hk)|apply mem_spec; exact Hk]. }
        set (c := if Nat.ltb (vector_dim g) (length indices) then i.[vector_dim g] else 0).
        exists (t ++ [c]). split; [|split; [constructor|]].
        * apply inside_app. exists t, [c]. split; [reflexivity|]. split; [exact T|]. apply inside_one. exists c. split; [reflexivity|].
          unfold vector_size, c. destruct (Nat.ltb_spec (vector_dim g) (length indices)) as [N|N]; [apply inside_at; assumption|lia].
        * rewrite (eval_vector indices g scatter_batch _ d (t ++ [c]) [] b (CH [c])). cbn [eval].
          rewrite <- (LR t T), app_nth2, Nat.sub_diag by lia. cbn [nth]. unfold component. apply is_tabulate.
          split; [apply (inside_length _ _ I)|]. intros k Hk. destruct (Nat.eqb_spec k (vector_dim g)) as [->|N].
          -- unfold c. rewrite (proj2 (Nat.ltb_lt _ _) Hk). reflexivity.
          -- destruct (own_place indices g k Hk N) as [P Q]. fold own in P, Q. change (others _ _) with own. rewrite (VB _ P), Q. reflexivity.
      + intros (D & u & U & _ & E). apply inside_app in U. destruct U as (t & y & -> & T & Y). apply inside_one in Y. destruct Y as (c & -> & Y).
        destruct (choice d t D T [c]) as (CH & B & K). set (b := tabulate (length own) (fun p => eval d t [] (scatter_batch p))) in *.
        rewrite (eval_vector indices g scatter_batch _ d (t ++ [c]) [] b CH) in E. cbn [eval] in E.
        rewrite <- (LR t T), app_nth2, Nat.sub_diag in E by lia. cbn [nth] in E.
        assert (V : forall k, (k < length indices)%nat -> i.[k] = if Nat.eqb k (vector_dim g) then c else b.[position k own]).
        { intros k Hk. rewrite E. unfold component. rewrite nth_tabulate by exact Hk. reflexivity. }
        split; [exact D|]. split; [|split; [exact Z0|]].
        * split; [rewrite E; unfold component; apply tabulate_length|]. intros k Hk. rewrite (V k Hk).
          destruct (Nat.eqb_spec k (vector_dim g)) as [->|N].
          -- unfold vector_size in Y. rewrite (proj2 (Nat.ltb_lt _ _) Hk) in Y. exact Y.
          -- destruct (own_place indices g k Hk N) as [P Q]. fold own in P, Q. specialize (B _ P). rewrite Q in B. exact B.
        * intros k Hk M. apply mem_spec in M. destruct (batch_place_in _ _ _ _ k F M) as [P Q]. fold own in P, Q.
          destruct (own_in indices g _ P) as [R N]. fold own in R, N. rewrite <- Q. rewrite (V _ R).
          destruct (Nat.eqb_spec (own.#(batch_place g indices k)) (vector_dim g)) as [X|_]; [contradiction|].
          rewrite (position_nth own) by (apply others_NoDup || exact P). symmetry. apply K. exact M.
    - rewrite reads_one, reads_dynamic. unfold lands.
      assert (KL : forall k, In k (batching g) -> mem k (left_out g) = true).
      { intros k K. apply mem_spec. unfold left_out. apply in_or_app. auto. }
      split.
      + intros (D & I & H). split; [exact D|]. set (b := batch_index g updates i) in *.
        assert (FI : fits_in v b).
        { intros k K. apply (H k); [apply (starts_in _ _ _ _ F), mem_spec; exact K|exact K]. }
        assert (PL : forall k, (k < length s)%nat -> d.[k] = placed v b k + within g s i k) by (intros k Hk; apply (H k Hk)).
        destruct (choose d b) as (t & T & CH).
        { intros p Hp. apply (batch_bounds s indices updates g); assumption. }
        { intros k K. pose proof (batching_in _ _ _ _ F k K) as Hk. rewrite (PL k Hk). unfold placed.
          rewrite (batching_no_start _ _ _ _ F k K), (proj2 (mem_spec _ _) K). unfold within. fold (left_out g). rewrite (KL k K). lia. }
        specialize (CH []). rewrite app_nil_r in CH. exists t. split; [exact T|].
        split; [apply (bounds_hold v d b t CH); exact FI|]. split.
        * apply Forall_tabulate. intros k Hk. cbn [fst snd]. rewrite (place_value v d b t CH k FI Hk).
          pose proof (within_bounds s indices updates g i k F I Hk). rewrite (PL k Hk). unfold contains. simpl. lia.
        * rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ I)|]. intros k Hk. unfold update_expr.
          destruct (mem k (offset g)) eqn:M.
          -- apply mem_spec in M. destruct (position_spec k _ M) as [P Q]. set (q := position k (offset g)) in *.
             assert (P' : (q < length (kept g s))%nat) by (rewrite (kept_length _ _ _ _ F); exact P).
             pose proof (nth_In (kept g s) O P') as KK. unfold kept in KK. apply others_in in KK. destruct KK as [K1 K2]. fold (kept g s) in K1, K2.
             rewrite (place_value v d b t CH _ FI K1), (PL _ K1). unfold within.
             rewrite (proj2 (mem_false _ _) K2). rewrite (position_nth (kept g s)) by (apply others_NoDup || exact P'). rewrite Q. lia.
          -- apply mem_false in M. assert (MB : In k (moving_batch updates g)) by (apply others_in; auto).
             destruct (position_spec k _ MB) as [P Q]. rewrite batch_no_runtime. rewrite CH by (unfold own; rewrite (batch_length _ _ _ _ F); exact P).
             unfold b. rewrite batch_at by exact P. rewrite Q. reflexivity.
      + intros (D & t & T & BH & CS & E). destruct (choice d t D T []) as (CH & B & K). rewrite app_nil_r in CH. set (b := tabulate (length own) (fun p => eval d t [] (scatter_batch p))) in *.
        apply (bounds_hold v d b t CH) in BH. rewrite map_tabulate in E. apply is_tabulate in E. destruct E as [L E].
        rewrite Forall_tabulate in CS.
        assert (W : forall k, (k < length s)%nat -> 0 <= d.[k] - placed v b k < (slice_sizes g).[k]).
        { intros k Hk. specialize (CS k Hk). cbn [fst snd] in CS. rewrite (place_value v d b t CH k BH Hk) in CS. unfold contains in CS. simpl in CS. lia. }
        assert (EB : batch_index g updates i = b).
        { apply list_ext.
          - unfold batch_index, b. rewrite map_length, tabulate_length. symmetry. apply (batch_length _ _ _ _ F).
          - unfold b at 1. rewrite tabulate_length. intros p Hp. pose proof Hp as Hp'. unfold own in Hp'. rewrite (batch_length _ _ _ _ F) in Hp'.
            rewrite batch_at by exact Hp'. destruct (moving_batch_in updates g p Hp') as [R N]. rewrite (E _ R). unfold update_expr.
            rewrite (proj2 (mem_false _ _) N). rewrite batch_no_runtime. rewrite (position_nth (moving_batch updates g)) by (apply others_NoDup || exact Hp').
            apply CH. exact Hp. }
        assert (WI : forall q, (q < length (offset g))%nat -> i.[(offset g).#q] = d.[(kept g s).#q] - placed v b ((kept g s).#q) /\ ((kept g s).#q < length s)%nat).
        { intros q Hq. pose proof Hq as Hq'. rewrite <- (kept_length _ _ _ _ F) in Hq'.
          pose proof (nth_In (kept g s) O Hq') as KK. unfold kept in KK. apply others_in in KK. destruct KK as [K1 K2]. fold (kept g s) in K1.
          split; [|exact K1]. rewrite E by (apply (offset_in _ _ _ _ F), nth_In; exact Hq). unfold update_expr.
          rewrite (proj2 (mem_spec _ _)) by (apply nth_In; exact Hq). rewrite position_nth by (exact (offset_once _ _ _ _ F) || exact Hq).
          apply (place_value v d b t CH); assumption. }
        split; [exact D|]. rewrite EB. split.
        * split; [exact L|]. intros k Hk. destruct (mem k (offset g)) eqn:M.
          -- apply mem_spec in M. destruct (position_spec k _ M) as [P Q]. destruct (WI _ P) as [WE WK]. rewrite Q in WE. rewrite WE.
             replace (updates.[k]) with (updates.[(offset g).#(position k (offset g))]) by (rewrite Q; reflexivity).
             rewrite <- (kept_sizes _ _ _ _ F) by exact P. apply W. exact WK.
          -- apply mem_false in M. assert (MB : In k (moving_batch updates g)) by (apply others_in; auto).
             destruct (position_spec k _ MB) as [P Q]. pose proof P as P'. rewrite <- (batch_length _ _ _ _ F) in P'.
             assert (i.[k] = b.[position k (moving_batch updates g)]) as -> by (rewrite <- EB, batch_at, Q by exact P; reflexivity).
             replace (updates.[k]) with (updates.[(moving_batch updates g).#(position k (moving_batch updates g))]) by (rewrite Q; reflexivity).
             rewrite <- (batch_sizes _ _ _ _ F) by exact P'. apply B. exact P'.
        * intros k Hk. split; [intros M; apply BH; exact M|]. fold (raw v b k) (placed v b k). unfold within. fold (left_out g).
          specialize (W k Hk). destruct (mem k (left_out g)) eqn:M.
          -- apply mem_spec in M. rewrite (left_one _ _ _ _ F k M) in W. lia.
          -- destruct (kept_in s g k Hk M) as [P Q]. pose proof P as P'. rewrite (kept_length _ _ _ _ F) in P'.
             destruct (WI _ P') as [WE _]. rewrite Q in WE. rewrite WE. lia.
    - rewrite reads_none. tauto.
  Qed.
End Scatter.
