(** The maps of dynamic-slice and dynamic-update-slice, for all sizes and ranks: starts are runtime variables, clamped. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists.
Import ListNotations.
Open Scope Z_scope.

Section Starts.
  (** The first operand that is a start, the array, and the slice of it. *)
  Variables (first : nat) (large small : shape).

  Definition start_fits : bool :=
    Nat.eqb (length small) (length large) && all_below (length large) (fun k => (0 <=? small.[k]) && (small.[k] <=? large.[k])).
  Definition start (k : nat) : runtime :=
    {| source := first + k; at_index := []; clamped := (0, large.[k] - small.[k]); bounds := (0, large.[k] - small.[k]) |}.
  Definition starts : list runtime := tabulate (length large) start.

  Lemma start_value v d s k : runtime_value v d s (start k) = start_at first large small v k.
  Proof. reflexivity. Qed.

  Lemma start_bounds v k : start_fits = true -> (k < length large)%nat ->
    0 <= start_at first large small v k <= large.[k] - small.[k].
  Proof.
    unfold start_fits. intros F Hk. conditions F. destruct F as [_ S]. specialize (S k Hk). conditions S.
    apply clamp_in. lia.
  Qed.

  Lemma starts_hold v d s : start_fits = true ->
    Forall (fun r => contains (bounds r) (runtime_value v d s r)) starts.
  Proof. intros F. apply Forall_tabulate. intros k Hk. rewrite start_value. apply start_bounds; assumption. Qed.

  (** A map with these runtime variables and no range variables. *)
  Lemma reads_started v out cs n f d i : start_fits = true ->
    let r := map (runtime_value v d []) starts in
    map_reads v (dynamic_map out [] starts cs (tabulate n f)) d i <->
    inside out d /\ Forall (fun c => contains (snd c) (eval d [] r (fst c))) cs /\
    length i = n /\ forall k, (k < n)%nat -> i.[k] = eval d [] r (f k).
  Proof.
    intros F r. rewrite reads_dynamic. split.
    - intros [D [s [S (_ & C & E)]]]. apply inside_nil in S. subst s. rewrite map_tabulate, is_tabulate in E. auto.
    - intros (D & C & E). split; [exact D|]. exists []. rewrite inside_nil, map_tabulate, is_tabulate.
      pose proof (starts_hold v d [] F). auto.
  Qed.
End Starts.

(** * DynamicSlice *)

Definition dynamic_slice_maps (out operand : shape) (n : nat) : list index_map :=
  match n with
  | O => [dynamic_map out [] (starts 1 operand out) [] (tabulate (length operand) (fun k => Add (Dim k) (Runtime k)))]
  | S k => if Nat.ltb k (length operand) then [scalar out] else []
  end.

Theorem dynamic_slice_law v out operand : start_fits operand out = true ->
  exactly v (dynamic_slice out operand v) (dynamic_slice_maps out operand).
Proof.
  intros F d [|n] i; unfold dynamic_slice, dynamic_slice_maps.
  - rewrite reads_one, reads_started by exact F. pose proof F as G. unfold start_fits in G. conditions G. destruct G as [L _].
    assert (E : forall k, (k < length operand)%nat ->
      eval d [] (map (runtime_value v d []) (starts 1 operand out)) (Add (Dim k) (Runtime k)) = start_at 1 operand out v k + d.[k]).
    { intros k Hk. cbn [eval]. unfold starts. rewrite runtime_at by exact Hk. rewrite start_value. lia. }
    split.
    + intros (D & I & K). split; [exact D|]. split; [constructor|]. split; [apply (inside_length _ _ I)|].
      intros k Hk. rewrite (E k Hk). auto.
    + intros (D & _ & LI & K). split; [exact D|]. assert (K' : forall k, (k < length operand)%nat -> i.[k] = start_at 1 operand out v k + d.[k]).
      { intros k Hk. rewrite (K k Hk). auto. }
      split; [|exact K']. split; [exact LI|]. intros k Hk. rewrite (K' k Hk).
      pose proof (start_bounds 1 operand out v k F Hk). pose proof (inside_at _ _ k D). lia.
  - destruct (Nat.ltb_spec n (length operand)); [rewrite reads_one, reads_scalar|rewrite reads_none]; intuition lia.
Qed.

(** * DynamicUpdateSlice *)

Section Update.
  Variables s update : shape.
  Hypothesis fits : start_fits s update = true.

  Definition distance (k : nat) : expr := Sub (Dim k) (Runtime k).
  Definition in_update (n : nat) : list (expr * interval) := tabulate n (fun k => (distance k, (0, update.[k] - 1))).
  (** The element is in front of the update or behind it in dimension [k], and within it in those before. *)
  Definition update_maps (n : nat) : list index_map :=
    match n with
    | O => flat_map (fun k => map (fun b => dynamic_map s [] (starts 2 s update) (in_update k ++ [(distance k, b)])
        (tabulate (length s) Dim)) [(- s.[k], -1); (update.[k], s.[k])]) (seq 0 (length s))
    | 1%nat => [dynamic_map s [] (starts 2 s update) (in_update (length s)) (tabulate (length s) distance)]
    | S (S k) => if Nat.ltb k (length s) then [scalar s] else []
    end.

  Section At.
    Variables (v : values) (d : index).
    Definition apart (k : nat) : Z := d.[k] - start_at 2 s update v k.
    Definition withinb (k : nat) : bool := (0 <=? apart k) && (apart k <? update.[k]).

    Lemma distance_value k : (k < length s)%nat ->
      eval d [] (map (runtime_value v d []) (starts 2 s update)) (distance k) = apart k.
    Proof.
      intros Hk. unfold distance, Sub, apart, starts. cbn [eval]. rewrite runtime_at by exact Hk. rewrite start_value. lia.
    Qed.

    Lemma in_update_spec n : (n <= length s)%nat ->
      Forall (fun c => contains (snd c) (eval d [] (map (runtime_value v d []) (starts 2 s update)) (fst c))) (in_update n) <->
      forall k, (k < n)%nat -> withinb k = true.
    Proof.
      intros N. unfold in_update. rewrite Forall_tabulate. unfold contains, withinb. cbn [fst snd].
      split; intros H k Hk; specialize (H k Hk); rewrite distance_value in * by lia; rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in *; lia.
    Qed.

    Lemma overwrites_spec i : overwrites s update v d i <->
      (forall k, (k < length s)%nat -> withinb k = true) /\ length i = length s /\
      forall k, (k < length s)%nat -> i.[k] = apart k.
    Proof using fits.
      pose proof fits as F. unfold start_fits in F. conditions F. destruct F as [L _].
      unfold overwrites, inside, withinb, apart. rewrite L. split.
      - intros [[I B] E]. split; [|split; [exact I|]]; intros k Hk; specialize (B k Hk); specialize (E k Hk);
          rewrite ?andb_true_iff, ?Z.leb_le, ?Z.ltb_lt; lia.
      - intros (W & I & E). split; [split; [exact I|]|]; intros k Hk; specialize (W k Hk); specialize (E k Hk);
          rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in W; lia.
    Qed.
  End At.

  Theorem dynamic_update_slice_law v : exactly v (dynamic_update_slice s update v) update_maps.
  Proof using fits.
    intros d [|[|n]] i; unfold dynamic_update_slice, update_maps.
    - unfold maps_read. split.
      + intros (D & -> & N).
        assert (F : ~ forall k, (k < length s)%nat -> withinb v d k = true).
        { intros W. apply N. exists (tabulate (length s) (apart v d)). apply overwrites_spec. split; [exact W|]. apply is_tabulate. reflexivity. }
        apply first_failure in F. destruct F as [k [Hk [G W]]].
        pose proof (inside_at _ _ _ D Hk). pose proof (start_bounds 2 s update v k fits Hk).
        assert (B : exists b, In b [(- s.[k], -1); (update.[k], s.[k])] /\ contains b (apart v d k)).
        { unfold withinb in G. rewrite andb_false_iff, Z.leb_gt, Z.ltb_ge in G. unfold contains, apart in *.
          destruct G; [exists (- s.[k], -1)|exists (update.[k], s.[k])]; simpl; (split; [tauto|]).
          - pose proof fits as F. unfold start_fits in F. conditions F. destruct F as [_ F]. specialize (F k Hk). conditions F.
            lia.
          - lia. }
        destruct B as [b [B C]]. eexists. split.
        * apply in_flat_tabulate. exists k. split; [exact Hk|]. apply in_map_iff. exists b. split; [reflexivity|exact B].
        * apply reads_started; [exact fits|]. split; [exact D|]. split; [|split; [apply (inside_length _ _ D)|reflexivity]].
          apply Forall_app. split; [apply in_update_spec; [lia|exact W]|]. constructor; [|constructor].
          cbn [fst snd]. rewrite distance_value by exact Hk. exact C.
      + intros [m [M H]]. apply in_flat_tabulate in M. destruct M as [k [Hk M]]. apply in_map_iff in M.
        destruct M as [b [<- B]]. apply reads_started in H; [|exact fits]. destruct H as (D & C & L & E).
        split; [exact D|]. split.
        * apply list_ext; [rewrite (inside_length _ _ D); exact L|]. rewrite (inside_length _ _ D). exact E.
        * intros [j J]. apply overwrites_spec in J. destruct J as [W _]. specialize (W k Hk).
          apply Forall_app in C. destruct C as [_ C]. apply Forall_cons_iff in C. destruct C as [C _]. cbn [fst snd] in C.
          rewrite distance_value in C by exact Hk. unfold withinb in W. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in W.
          unfold contains in C. destruct B as [<-|[<-|[]]]; simpl in C; lia.
    - rewrite reads_one, reads_started by exact fits. rewrite in_update_spec by lia. rewrite overwrites_spec.
      split; intros (D & W & L & E); (split; [exact D|]); (split; [exact W|]); (split; [exact L|]); intros k Hk;
        specialize (E k Hk); rewrite distance_value in * by exact Hk; exact E.
    - destruct (Nat.ltb_spec n (length s)); [rewrite reads_one, reads_scalar|rewrite reads_none]; intuition lia.
  Qed.
End Update.
