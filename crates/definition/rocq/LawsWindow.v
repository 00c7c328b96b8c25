(** The maps of ops that slide a window, for all sizes and ranks, with strides, padding and both dilations: reduce-window,
    and select-and-scatter, whose map to the operand holds all that may be compared. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists.
Import ListNotations.
Open Scope Z_scope.

Definition window_fits (w : window) : bool := (1 <=? base_dilation w) && (1 <=? window_dilation w).

(** * The element under a tap, and the tap over an element *)

Definition place (w : window) (x t : expr) : expr :=
  Add (Add (Mul x (Const (stride w))) (Mul t (Const (window_dilation w)))) (Const (- low w)).
Definition last (count step : Z) : Z := if count <=? 0 then -1 else (count - 1) * step.
(** That a position holds one of [count] elements that are [step] apart. *)
Definition spread (e : expr) (count step : Z) : list (expr * interval) :=
  [(e, (0, last count step)); (Mod e (Const step), (0, 0))].

Lemma spread_spec x count step e : 1 <= step ->
  (0 <= x <= last count step /\ x mod step = 0 /\ e = x / step) <-> (x = e * step /\ 0 <= e < count).
Proof.
  intros S. unfold last. split.
  - intros (B & M & ->). pose proof (Z.div_mod x step ltac:(lia)) as Q. rewrite M in Q.
    destruct (Z.leb_spec count 0); split; nia.
  - intros [-> B]. rewrite Z.mod_mul, Z.div_mul by lia. destruct (Z.leb_spec count 0); split; nia.
Qed.

Definition meets (d s r : list Z) (cs : list (expr * interval)) : Prop :=
  Forall (fun c => contains (snd c) (eval d s r (fst c))) cs.

Lemma meets_spread d s r e count step :
  meets d s r (spread e count step) <-> 0 <= eval d s r e <= last count step /\ eval d s r e mod step = 0.
Proof.
  unfold meets, spread. rewrite !Forall_cons_iff. unfold contains. cbn [fst snd eval]. split.
  - intros [A [B _]]. split; [exact A|lia].
  - intros [A B]. split; [exact A|]. split; [lia|constructor].
Qed.

(** Tap [t] of the window at [x] lies on element [e] of [base]. *)
Lemma tap_spec w base d s r x t e : window_fits w = true ->
  let y := eval d s r (place w x t) in
  0 <= eval d s r t < size w ->
  (meets d s r (spread (place w x t) base (base_dilation w)) /\ e = y / base_dilation w) <->
  (lies_on w (eval d s r x) (eval d s r t) e /\ 0 <= e < base).
Proof.
  intros F y T. unfold window_fits in F. conditions F. rewrite meets_spread. fold y.
  rewrite and_assoc, spread_spec by lia. unfold lies_on. subst y. unfold place. cbn [eval]. split; intros; lia.
Qed.

(** Some tap of the window at [x] lies on element [e]. *)
Definition covered (w : window) (x e : expr) : expr :=
  Sub (Add (Mul e (Const (base_dilation w))) (Const (low w))) (Mul x (Const (stride w))).
Lemma covered_spec w d s r x e : window_fits w = true ->
  meets d s r (spread (covered w x e) (size w) (window_dilation w)) <->
  exists t, lies_on w (eval d s r x) t (eval d s r e).
Proof.
  unfold window_fits. intros F. conditions F. rewrite meets_spread. set (y := eval d s r (covered w x e)).
  assert (Y : y = low w + eval d s r e * base_dilation w - eval d s r x * stride w).
  { subst y. unfold covered, Sub. cbn [eval]. lia. }
  unfold lies_on. split.
  - intros [A B]. exists (y / window_dilation w).
    destruct (proj1 (spread_spec y (size w) (window_dilation w) (y / window_dilation w) ltac:(lia))) as [C D]; [tauto|]. lia.
  - intros [t [T E]]. destruct (proj2 (spread_spec y (size w) (window_dilation w) t ltac:(lia))) as (C & D & _); [|tauto]. lia.
Qed.

(** * ReduceWindow *)

Section Windows.
  Variables (out operand : shape) (windows : list window).
  Definition at_ (k : nat) : window := nth k windows no_window.
  Definition windows_fit : bool :=
    Nat.eqb (length windows) (length operand) && forallb window_fits windows.

  Lemma window_fits_at k : windows_fit = true -> (k < length operand)%nat -> window_fits (at_ k) = true.
  Proof.
    unfold windows_fit. intros F Hk. rewrite andb_true_iff, Nat.eqb_eq, forallb_forall in F. destruct F as [L F].
    apply F, nth_In. lia.
  Qed.

  Lemma taps_at k : windows_fit = true -> (k < length operand)%nat -> (map size windows).[k] = size (at_ k).
  Proof.
    unfold windows_fit. intros F Hk. rewrite andb_true_iff, Nat.eqb_eq in F. destruct F as [L _].
    apply (nth_map_Z size windows no_window). lia.
  Qed.

  Definition tap_place (k : nat) : expr := place (at_ k) (Dim k) (Range k).
  Definition reduce_window_maps (inputs n : nat) : list index_map :=
    if Nat.ltb n inputs then
      [map_of out (map size windows)
        (flat_map (fun k => spread (tap_place k) operand.[k] (base_dilation (at_ k))) (seq 0 (length operand)))
        (tabulate (length operand) (fun k => Div (tap_place k) (Const (base_dilation (at_ k)))))]
    else if Nat.ltb n (inputs + inputs) then [scalar out] else [].

  Theorem reduce_window_law v inputs : windows_fit = true ->
    exactly v (reduce_window out operand windows inputs) (reduce_window_maps inputs).
  Proof.
    intros F d n i. unfold reduce_window, reduce_window_maps. pose proof F as G. unfold windows_fit in G.
    rewrite andb_true_iff, Nat.eqb_eq in G. destruct G as [L _].
    destruct (Nat.ltb_spec n inputs) as [N|N].
    - rewrite reads_one, reads_map_of. split.
      + intros (D & I & T). split; [exact D|]. apply choices in T. destruct T as (t & LT & T). exists t. split; [|split].
        * split; rewrite map_length; [congruence|]. intros k Hk. rewrite taps_at by (assumption || lia). apply T. lia.
        * apply Forall_flat. intros k Hk.
          apply (tap_spec (at_ k) operand.[k] d t [] (Dim k) (Range k) i.[k]); [apply window_fits_at; assumption|apply T; exact Hk|].
          split; [apply T; exact Hk|apply inside_at; assumption].
        * rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ I)|]. intros k Hk.
          apply (tap_spec (at_ k) operand.[k] d t [] (Dim k) (Range k) i.[k]); [apply window_fits_at; assumption|apply T; exact Hk|].
          split; [apply T; exact Hk|apply inside_at; assumption].
      + intros (D & t & T & C & E). split; [exact D|]. rewrite map_tabulate in E. apply is_tabulate in E. destruct E as [LI E].
        assert (X : forall k, (k < length operand)%nat -> lies_on (at_ k) d.[k] t.[k] i.[k] /\ 0 <= i.[k] < operand.[k]).
        { intros k Hk. apply (tap_spec (at_ k) operand.[k] d t [] (Dim k) (Range k)).
          - apply window_fits_at; assumption.
          - cbn [eval]. rewrite <- taps_at by assumption. apply inside_at; [exact T|rewrite map_length; lia].
          - split; [|apply E; exact Hk]. exact (proj1 (Forall_flat _ _ _) C k Hk). }
        split; [split; [exact LI|]|]; intros k Hk; specialize (X k Hk); [tauto|]. exists t.[k]. tauto.
    - destruct (Nat.ltb_spec n (inputs + inputs)); [rewrite reads_one, reads_scalar|rewrite reads_none]; intuition lia.
  Qed.
End Windows.

(** * SelectAndScatter *)

Section Select.
  Variables (s source : shape) (windows : list window).
  Let w (k : nat) : window := at_ windows k.
  Let rank := length s.

  Definition holding (n : nat) : list (expr * interval) :=
    flat_map (fun k => spread (covered (w k) (Range k) (Dim k)) (size (w k)) (window_dilation (w k))) (seq 0 n).
  Definition other (k : nat) : expr := place (w k) (Range k) (Range (length source + k)).
  Definition select_and_scatter_maps (n : nat) : list index_map :=
    match n with
    | O => if compares windows then [map_of s (source ++ map size windows)
        (holding rank ++ flat_map (fun k => spread (other k) s.[k] (base_dilation (w k))) (seq 0 rank))
        (tabulate rank (fun k => Div (other k) (Const (base_dilation (w k)))))] else []
    | 1%nat => [map_of s source (holding rank) (tabulate rank Range)]
    | 2%nat => [scalar s]
    | _ => []
    end.
  Definition select_fits : bool := windows_fit s windows && Nat.eqb (length source) rank.

  Lemma holding_spec d x : select_fits = true ->
    meets d x [] (holding rank) <-> forall k, (k < rank)%nat -> exists t, lies_on (w k) x.[k] t d.[k].
  Proof.
    unfold select_fits. rewrite andb_true_iff. intros [F _]. unfold meets, holding. rewrite Forall_flat.
    split; intros H k Hk; specialize (H k Hk).
    - apply (covered_spec (w k) d x [] (Range k) (Dim k)); [apply (window_fits_at s); assumption|exact H].
    - apply (covered_spec (w k) d x [] (Range k) (Dim k)) in H; [exact H|apply (window_fits_at s); assumption].
  Qed.

  (** What is said about the places is not changed by further range variables. *)
  Lemma holding_more d x t : select_fits = true -> length x = length source ->
    meets d (x ++ t) [] (holding rank) <-> meets d x [] (holding rank).
  Proof.
    intros F LX. rewrite !holding_spec by exact F. unfold select_fits in F. rewrite andb_true_iff, Nat.eqb_eq in F.
    split; intros H k Hk; specialize (H k Hk); rewrite app_nth1 in * by lia; exact H.
  Qed.

  Theorem select_and_scatter_law v : select_fits = true ->
    exactly v (select_and_scatter s source windows) select_and_scatter_maps.
  Proof.
    intros F d n i. pose proof F as G. unfold select_fits in G. rewrite andb_true_iff, Nat.eqb_eq in G. destruct G as [W LS].
    pose proof W as LW. unfold windows_fit in LW. rewrite andb_true_iff, Nat.eqb_eq in LW. destruct LW as [LW _].
    destruct n as [|[|[|n]]]; unfold select_and_scatter, select_and_scatter_maps.
    - destruct (compares windows); [|rewrite reads_none; intuition discriminate]. rewrite reads_one, reads_map_of. split.
      + intros (D & _ & I & x & X & T). split; [exact D|].
        assert (T1 : forall k, (k < rank)%nat -> exists t, lies_on (w k) x.[k] t d.[k]) by (intros k Hk; apply (T k Hk)).
        assert (T2 : forall k, (k < rank)%nat -> exists t, lies_on (w k) x.[k] t i.[k]) by (intros k Hk; apply (T k Hk)).
        apply choices in T2. destruct T2 as (t & LT & T2).
        pose proof (inside_length _ _ X) as LX.
        assert (P : forall k, (k < rank)%nat -> meets d (x ++ t) [] (spread (other k) s.[k] (base_dilation (w k))) /\
          i.[k] = eval d (x ++ t) [] (other k) / base_dilation (w k)).
        { intros k Hk. assert (EX : (x ++ t).[k] = x.[k]) by (apply app_nth1; lia).
          assert (ET : (x ++ t).[length source + k] = t.[k]).
          { rewrite app_nth2 by lia. f_equal. lia. }
          apply tap_spec; [apply (window_fits_at s); assumption|cbn [eval]; rewrite ET; apply T2; exact Hk|].
          cbn [eval]. rewrite EX, ET. split; [apply T2; exact Hk|apply inside_at; assumption]. }
        exists (x ++ t). split; [|split].
        * apply inside_app. exists x, t. split; [reflexivity|]. split; [exact X|]. split; rewrite map_length; [unfold rank in LT; congruence|].
          intros k Hk. rewrite (taps_at s) by (assumption || lia). apply T2. unfold rank. lia.
        * apply Forall_app. split; [apply holding_more, holding_spec; assumption|]. apply Forall_flat. intros k Hk. apply P. exact Hk.
        * rewrite map_tabulate. apply is_tabulate. split; [apply (inside_length _ _ I)|]. intros k Hk. apply P. exact Hk.
      + intros (D & u & U & C & E). apply inside_app in U. destruct U as (x & t & -> & X & T). split; [exact D|].
        pose proof (inside_length _ _ X) as LX. apply Forall_app in C. destruct C as [C1 C2].
        apply holding_more in C1; try assumption. rewrite holding_spec in C1 by exact F.
        rewrite map_tabulate in E. apply is_tabulate in E. destruct E as [LI E].
        assert (P : forall k, (k < rank)%nat -> lies_on (w k) x.[k] t.[k] i.[k] /\ 0 <= i.[k] < s.[k]).
        { intros k Hk. assert (EX : (x ++ t).[k] = x.[k]) by (apply app_nth1; lia).
          assert (ET : (x ++ t).[length source + k] = t.[k]).
          { rewrite app_nth2 by lia. f_equal. lia. }
          pose proof (tap_spec (w k) s.[k] d (x ++ t) [] (Range k) (Range (length source + k)) i.[k]) as S. cbn [eval] in S.
          rewrite EX, ET in S. apply S; [apply (window_fits_at s); assumption| |].
          - unfold w. rewrite <- (taps_at s windows k W Hk). apply inside_at; [exact T|]. rewrite map_length. unfold rank in Hk. lia.
          - split; [exact (proj1 (Forall_flat _ _ _) C2 k Hk)|exact (E k Hk)]. }
        split; [reflexivity|]. split; [split; [exact LI|intros k Hk; apply P; exact Hk]|]. exists x. split; [exact X|]. intros k Hk.
        split; [apply C1; exact Hk|]. exists t.[k]. apply P. exact Hk.
    - rewrite reads_one, reads_map_of. split.
      + intros (D & I & T). split; [exact D|]. exists i. split; [exact I|]. split; [apply holding_spec; assumption|].
        rewrite map_tabulate. cbn [eval]. rewrite <- LS, <- (inside_length _ _ I). apply tabulate_own.
      + intros (D & x & X & C & E). rewrite map_tabulate in E. cbn [eval] in E.
        assert (Y : i = x). { rewrite E. rewrite <- LS, <- (inside_length _ _ X). symmetry. apply tabulate_own. }
        subst x. split; [exact D|]. split; [exact X|]. apply holding_spec; assumption.
    - rewrite reads_one, reads_scalar. tauto.
    - rewrite reads_none. tauto.
  Qed.
End Select.

(** Where windows do not overlap, an element is in at most one of them, at its position divided by the stride. *)
Theorem only_window w count x d : window_fits w = true -> base_dilation w = 1 -> last (size w) (window_dilation w) < stride w ->
  let p := d + low w in
  (0 <= x < count /\ exists t, lies_on w x t d) <->
  (x = p / stride w /\ 0 <= x < count /\ 0 <= p mod stride w <= last (size w) (window_dilation w) /\
   (p mod stride w) mod window_dilation w = 0).
Proof.
  intros F B S p. unfold window_fits in F. conditions F. unfold lies_on. rewrite B. split.
  - intros [X [t [T E]]]. assert (L : 0 <= t * window_dilation w <= last (size w) (window_dilation w)).
    { unfold last. destruct (Z.leb_spec (size w) 0); nia. }
    assert (P : p = stride w * x + t * window_dilation w) by (subst p; lia).
    assert (Q : p / stride w = x) by (symmetry; apply (Z.div_unique p (stride w) x (t * window_dilation w)); [left; lia|exact P]).
    assert (R : p mod stride w = t * window_dilation w) by (symmetry; apply (Z.mod_unique p (stride w) x (t * window_dilation w)); [left; lia|exact P]).
    rewrite R. split; [congruence|]. split; [exact X|]. split; [exact L|]. apply Z.mod_mul. lia.
  - intros (-> & X & R & M). split; [exact X|].
    destruct (proj1 (spread_spec (p mod stride w) (size w) (window_dilation w) (p mod stride w / window_dilation w) ltac:(lia))) as [T U]; [auto|].
    exists (p mod stride w / window_dilation w). split; [exact U|]. rewrite <- T.
    assert (0 < stride w) by lia. pose proof (Z.div_mod p (stride w) ltac:(lia)). subst p. lia.
Qed.
