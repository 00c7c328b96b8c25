(** The maps of convolution, for any number of spatial dimensions, any labels, groups of features and of batches, strides,
    padding, dilations and reversed windows. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves LawsWindow.
Import ListNotations.
Open Scope Z_scope.

(** * Arrays whose dimensions have labels *)

Definition all_dims (l : labels) : list nat := batch l :: feature l :: spatial l.
Definition labels_fit (s : shape) (l : labels) (spatials : nat) : bool :=
  Nat.eqb (length (spatial l)) spatials && is_permutation_of (length s) (all_dims l).
Definition pick {A} (l : labels) (b f : A) (x : nat -> A) (k : nat) : A :=
  if Nat.eqb k (batch l) then b else if Nat.eqb k (feature l) then f else x (position k (spatial l)).

Lemma each_dimension (P : nat -> Prop) s l n : labels_fit s l n = true ->
  (forall k, (k < length s)%nat -> P k) <->
  P (batch l) /\ P (feature l) /\ forall p, (p < n)%nat -> P ((spatial l).#p).
Proof.
  unfold labels_fit, is_permutation_of. intros F. conditions F. destruct F as [LS [[LD I] N]]. split.
  - intros H. split; [apply H, I; left; reflexivity|]. split; [apply H, I; right; left; reflexivity|].
    intros p Hp. apply H, I. right. right. apply nth_In. lia.
  - intros (B & Q & S) k Hk. pose proof (permutation_all (length s) _ LD N I k Hk) as [<-|[<-|K]]; [exact B|exact Q|].
    destruct (position_spec k (spatial l) K) as [R E]. rewrite <- E. apply S. lia.
Qed.

Lemma pick_at {A} s l n (b f : A) x : labels_fit s l n = true ->
  pick l b f x (batch l) = b /\ pick l b f x (feature l) = f /\
  forall p, (p < n)%nat -> pick l b f x ((spatial l).#p) = x p.
Proof.
  unfold labels_fit, is_permutation_of. intros F. conditions F. destruct F as [LS [_ N]]. unfold all_dims in N.
  inversion N as [|? ? N1 N2]; subst. inversion N2 as [|? ? N3 N4]; subst. unfold pick. rewrite !Nat.eqb_refl. split; [reflexivity|].
  split; [destruct (Nat.eqb_spec (feature l) (batch l)) as [E|]; [exfalso; apply N1; left; exact E|reflexivity]|].
  intros p Hp. pose proof (nth_In (spatial l) O Hp) as K.
  destruct (Nat.eqb_spec ((spatial l).#p) (batch l)) as [E|_]; [exfalso; apply N1; right; rewrite <- E; exact K|].
  destruct (Nat.eqb_spec ((spatial l).#p) (feature l)) as [E|_]; [exfalso; apply N3; rewrite <- E; exact K|].
  rewrite position_nth by assumption. reflexivity.
Qed.

(** * Groups *)

Lemma in_group_spec count groups f g : 1 <= groups -> count mod groups = 0 -> 0 <= f < count ->
  in_group count groups f g <-> g = f / (count / groups).
Proof.
  intros G M F. pose proof (Z.div_mod count groups ltac:(lia)) as Q. rewrite M in Q.
  set (z := count / groups) in *. assert (0 < z) by nia. unfold in_group. split.
  - intros [_ (size & r & C & R & E)]. assert (size = z) by nia. subst size.
    apply (Z.div_unique f z g r); [left; lia|lia].
  - intros ->. pose proof (Z.div_mod f z ltac:(lia)). pose proof (Z.mod_pos_bound f z ltac:(lia)).
    split; [split; [apply Z.div_pos; lia|]|].
    + apply Z.div_lt_upper_bound; lia.
    + exists z, (f mod z). split; [lia|]. split; [lia|lia].
Qed.

(** [x] moved to the part that the group of feature [f] sees. *)
Definition moved (count groups part : Z) (f x : expr) : expr :=
  if groups =? 1 then x else Add (Mul (Div f (Const (count / groups))) (Const part)) x.

Lemma moved_value count groups part d s r f x : 1 <= groups -> count mod groups = 0 -> 0 <= eval d s r f < count ->
  eval d s r (moved count groups part f x) = eval d s r f / (count / groups) * part + eval d s r x.
Proof.
  intros G M F. unfold moved. destruct (Z.eqb_spec groups 1) as [->|]; [|reflexivity].
  rewrite Z.div_1_r, Z.div_small by lia. lia.
Qed.

Lemma tap_of_tap_of w t : tap_of w (tap_of w t) = t.
Proof. unfold tap_of. destruct (reversed w); lia. Qed.

Lemma tap_of_bounds w t : 0 <= tap_of w t < size w <-> 0 <= t < size w.
Proof. unfold tap_of. destruct (reversed w); lia. Qed.

(** * The maps *)

Section Convolution.
  Variables (out input kernel : shape) (of_out of_input of_kernel : labels) (windows : list window) (feature_groups batch_groups : Z).
  Let n := length windows.
  Let w (p : nat) : window := nth p windows no_window.
  Let features := out.[feature of_out].
  Let channels := kernel.[feature of_kernel].
  Let bases := map (fun k => input.[k]) (spatial of_input).

  Definition convolution_fits : bool :=
    labels_fit out of_out n && labels_fit input of_input n && labels_fit kernel of_kernel n && forallb window_fits windows &&
    (1 <=? feature_groups) && (1 <=? batch_groups) && (features mod feature_groups =? 0) && (features mod batch_groups =? 0) &&
    (input.[feature of_input] =? feature_groups * channels) &&
    (input.[batch of_input] =? batch_groups * out.[batch of_out]) && (kernel.[batch of_kernel] =? features) &&
    all_below n (fun p => kernel.[(spatial of_kernel).#p] =? size (w p)).

  Definition under (p : nat) : expr := place (w p) (Dim ((spatial of_out).#p)) (Range p).
  Definition seen : list (expr * interval) :=
    flat_map (fun p => spread (under p) bases.[p] (base_dilation (w p))) (seq 0 n).
  Definition of_group (groups part : Z) (x : expr) : expr := moved features groups part (Dim (feature of_out)) x.
  Definition to_input (k : nat) : expr :=
    pick of_input (of_group batch_groups out.[batch of_out] (Dim (batch of_out))) (of_group feature_groups channels (Range n))
      (fun p => Div (under p) (Const (base_dilation (w p)))) k.
  Definition to_kernel (k : nat) : expr :=
    pick of_kernel (Dim (feature of_out)) (Range n)
      (fun p => if reversed (w p) then Sub (Const (size (w p) - 1)) (Range p) else Range p) k.
  Definition convolution_maps (m : nat) : list index_map :=
    let ranged := map size windows ++ [channels] in
    match m with
    | O => [map_of out ranged seen (tabulate (length input) to_input)]
    | 1%nat => [map_of out ranged seen (tabulate (length kernel) to_kernel)]
    | _ => []
    end.

  Hypothesis fits : convolution_fits = true.

  Lemma parts :
    labels_fit out of_out n = true /\ labels_fit input of_input n = true /\ labels_fit kernel of_kernel n = true /\
    (forall p, (p < n)%nat -> window_fits (w p) = true) /\ 1 <= feature_groups /\ 1 <= batch_groups /\
    features mod feature_groups = 0 /\ features mod batch_groups = 0 /\
    input.[feature of_input] = feature_groups * channels /\ input.[batch of_input] = batch_groups * out.[batch of_out] /\
    kernel.[batch of_kernel] = features /\ forall p, (p < n)%nat -> kernel.[(spatial of_kernel).#p] = size (w p).
  Proof using fits.
    pose proof fits as F. unfold convolution_fits in F. repeat rewrite andb_true_iff in F.
    rewrite !Z.eqb_eq, !Z.leb_le, forallb_forall, all_below_spec in F.
    destruct F as (((((((((((A & B) & C) & D) & E) & G) & H) & I) & J) & K) & L) & M). repeat (split; [assumption|]).
    split; [intros p Hp; apply D, nth_In; exact Hp|]. repeat (split; [assumption|]).
    intros p Hp. specialize (M p Hp). apply Z.eqb_eq. exact M.
  Qed.

  Lemma base_at p : (p < n)%nat -> bases.[p] = input.[(spatial of_input).#p].
  Proof using fits.
    intros Hp. destruct parts as (_ & A & _). unfold labels_fit in A. rewrite andb_true_iff, Nat.eqb_eq in A. destruct A as [A _].
    unfold bases. apply (nth_map_Z (fun k => input.[k]) (spatial of_input) O). lia.
  Qed.

  (** Values of the range variables are a tap for each window and an input feature. *)
  Lemma taps_and_channel u : inside (map size windows ++ [channels]) u <->
    exists t c, u = t ++ [c] /\ length t = n /\ (forall p, (p < n)%nat -> 0 <= t.[p] < size (w p)) /\ 0 <= c < channels.
  Proof.
    rewrite inside_app. split.
    - intros (t & y & -> & T & C). apply inside_one in C. destruct C as [c [-> C]]. exists t, c. split; [reflexivity|].
      pose proof (inside_length _ _ T) as LT. rewrite map_length in LT. split; [exact LT|]. split; [|exact C].
      intros p Hp. pose proof (inside_at _ _ p T) as X. rewrite map_length in X. specialize (X Hp).
      rewrite (nth_map_Z size windows no_window) in X by exact Hp. exact X.
    - intros (t & c & -> & LT & T & C). exists t, [c]. split; [reflexivity|]. split; [|apply inside_one; eauto].
      split; rewrite map_length; [exact LT|]. intros p Hp. rewrite (nth_map_Z size windows no_window) by exact Hp. apply T. exact Hp.
  Qed.

  Section At.
    Variables (d : index) (t : list Z) (c : Z).
    Hypothesis inside_out : inside out d.
    Hypothesis taps : length t = n.
    Hypothesis in_window : forall p, (p < n)%nat -> 0 <= t.[p] < size (w p).

    Lemma tap_value p : (p < n)%nat -> (t ++ [c]).[p] = t.[p].
    Proof using taps. intros Hp. apply app_nth1. rewrite taps. exact Hp. Qed.

    Lemma channel_value : (t ++ [c]).[n] = c.
    Proof using taps. rewrite app_nth2 by (rewrite taps; apply le_n). rewrite taps, Nat.sub_diag. reflexivity. Qed.

    Definition element_under (p : nat) : Z := eval d (t ++ [c]) [] (under p) / base_dilation (w p).

    Lemma under_spec p e : (p < n)%nat ->
      (meets d (t ++ [c]) [] (spread (under p) bases.[p] (base_dilation (w p))) /\ e = element_under p) <->
      (lies_on (w p) d.[(spatial of_out).#p] t.[p] e /\ 0 <= e < bases.[p]).
    Proof using fits taps in_window.
      intros Hp. destruct parts as (_ & _ & _ & W & _).
      pose proof (tap_spec (w p) bases.[p] d (t ++ [c]) [] (Dim ((spatial of_out).#p)) (Range p) e (W p Hp)) as S.
      cbn [eval] in S. rewrite tap_value in S by exact Hp. apply S. apply in_window. exact Hp.
    Qed.

    Lemma feature_bounds : 0 <= d.[feature of_out] < features.
    Proof using fits inside_out.
      destruct parts as (A & _). apply inside_at; [exact inside_out|].
      apply (proj1 (each_dimension (fun k => (k < length out)%nat) out of_out n A)). intros k Hk. exact Hk.
    Qed.

    Lemma batch_bounds : 0 <= d.[batch of_out] < out.[batch of_out].
    Proof using fits inside_out.
      destruct parts as (A & _). apply inside_at; [exact inside_out|].
      apply (proj1 (each_dimension (fun k => (k < length out)%nat) out of_out n A)). intros k Hk. exact Hk.
    Qed.

    Lemma input_index i : length i = length input ->
      i = map (eval d (t ++ [c]) []) (tabulate (length input) to_input) <->
      i.[batch of_input] = d.[feature of_out] / (features / batch_groups) * out.[batch of_out] + d.[batch of_out] /\
      i.[feature of_input] = d.[feature of_out] / (features / feature_groups) * channels + c /\
      forall p, (p < n)%nat -> i.[(spatial of_input).#p] = element_under p.
    Proof using fits inside_out taps.
      intros LI. destruct parts as (_ & A & _ & _ & G1 & G2 & M1 & M2 & _). rewrite map_tabulate, is_tabulate.
      rewrite (each_dimension (fun k => i.[k] = eval d (t ++ [c]) [] (to_input k)) input of_input n A).
      destruct (pick_at input of_input n (of_group batch_groups out.[batch of_out] (Dim (batch of_out))) (of_group feature_groups channels (Range n))
        (fun p => Div (under p) (Const (base_dilation (w p)))) A) as (PB & PF & PS).
      unfold to_input. rewrite PB, PF. pose proof feature_bounds as FB. unfold of_group in *.
      rewrite !moved_value by assumption. cbn [eval]. rewrite channel_value. split.
      - intros (_ & B & F & S). split; [exact B|]. split; [exact F|]. intros p Hp. rewrite (S p Hp), (PS p Hp). reflexivity.
      - intros (B & F & S). split; [exact LI|]. split; [exact B|]. split; [exact F|]. intros p Hp. rewrite (S p Hp), (PS p Hp). reflexivity.
    Qed.

    Lemma kernel_index i : length i = length kernel ->
      i = map (eval d (t ++ [c]) []) (tabulate (length kernel) to_kernel) <->
      i.[batch of_kernel] = d.[feature of_out] /\ i.[feature of_kernel] = c /\
      forall p, (p < n)%nat -> i.[(spatial of_kernel).#p] = tap_of (w p) t.[p].
    Proof using fits taps.
      intros LI. destruct parts as (_ & _ & A & _). rewrite map_tabulate, is_tabulate.
      rewrite (each_dimension (fun k => i.[k] = eval d (t ++ [c]) [] (to_kernel k)) kernel of_kernel n A).
      destruct (pick_at kernel of_kernel n (Dim (feature of_out)) (Range n)
        (fun p => if reversed (w p) then Sub (Const (size (w p) - 1)) (Range p) else Range p) A) as (PB & PF & PS).
      unfold to_kernel. rewrite PB, PF. cbn [eval]. rewrite channel_value.
      assert (V : forall p, (p < n)%nat -> eval d (t ++ [c]) [] (if reversed (w p) then Sub (Const (size (w p) - 1)) (Range p) else Range p) = tap_of (w p) t.[p]).
      { intros p Hp. unfold tap_of. destruct (reversed (w p)); unfold Sub; cbn [eval]; rewrite tap_value by exact Hp; lia. }
      split.
      - intros (_ & B & F & S). split; [exact B|]. split; [exact F|]. intros p Hp. rewrite (S p Hp), (PS p Hp). apply V. exact Hp.
      - intros (B & F & S). split; [exact LI|]. split; [exact B|]. split; [exact F|]. intros p Hp. rewrite (S p Hp), (PS p Hp).
        symmetry. apply V. exact Hp.
    Qed.

    Lemma seen_spec : meets d (t ++ [c]) [] seen <->
      forall p, (p < n)%nat -> exists e, 0 <= e < bases.[p] /\ lies_on (w p) d.[(spatial of_out).#p] t.[p] e.
    Proof using fits taps in_window.
      unfold meets, seen. rewrite Forall_flat. split; intros H p Hp; specialize (H p Hp).
      - exists (element_under p). destruct (proj1 (under_spec p (element_under p) Hp)); [split; [exact H|reflexivity]|]. auto.
      - destruct H as [e [B L]]. apply (under_spec p e Hp). auto.
    Qed.
  End At.

  Theorem convolution_law v :
    exactly v (convolution out input kernel of_out of_input of_kernel windows feature_groups batch_groups) convolution_maps.
  Proof using fits.
    destruct parts as (AO & AI & AK & W & G1 & G2 & M1 & M2 & FI & BI & BK & SK).
    intros d [|[|m]] i; unfold convolution, convolution_maps; [| |rewrite reads_none; tauto]; rewrite reads_one, reads_map_of.
    - split.
      + intros (D & I & (g & c & GF & C & EF) & (h & HB & EB) & T). split; [exact D|].
        pose proof (feature_bounds d D) as FB.
        apply in_group_spec in GF; [|exact G1|exact M1|exact FB]. apply in_group_spec in HB; [|exact G2|exact M2|exact FB].
        apply choices in T. destruct T as (st & LT & T). set (t := tabulate n (fun p => tap_of (w p) st.[p])).
        assert (Lt : length t = n) by apply tabulate_length.
        assert (TT : forall p, (p < n)%nat -> lies_on (w p) d.[(spatial of_out).#p] t.[p] i.[(spatial of_input).#p]).
        { intros p Hp. unfold t. rewrite nth_tabulate by exact Hp. apply T. exact Hp. }
        assert (TW : forall p, (p < n)%nat -> 0 <= t.[p] < size (w p)) by (intros p Hp; apply (TT p Hp)).
        assert (IB : forall p, (p < n)%nat -> 0 <= i.[(spatial of_input).#p] < bases.[p]).
        { intros p Hp. rewrite base_at by exact Hp. apply inside_at; [exact I|]. revert p Hp.
          apply (proj1 (each_dimension (fun k => (k < length input)%nat) input of_input n AI)). intros k Hk. exact Hk. }
        exists (t ++ [c]). split; [apply taps_and_channel; exists t, c; auto|]. split.
        * apply (seen_spec d t c Lt TW). intros p Hp. eauto.
        * apply (input_index d t c D Lt); [apply (inside_length _ _ I)|]. unfold features, channels. rewrite EB, EF, GF, HB.
          split; [reflexivity|]. split; [reflexivity|]. intros p Hp. apply (under_spec d t c Lt TW p _ Hp). auto.
      + intros (D & u & U & S & E). apply taps_and_channel in U. destruct U as (t & c & -> & Lt & TW & C).
        pose proof (feature_bounds d D) as FB. pose proof (batch_bounds d D) as BB.
        assert (LI : length i = length input) by (rewrite E, map_length, tabulate_length; reflexivity).
        apply (input_index d t c D Lt i LI) in E. destruct E as (EB & EF & ES).
        assert (X : forall p, (p < n)%nat -> lies_on (w p) d.[(spatial of_out).#p] t.[p] i.[(spatial of_input).#p] /\
          0 <= i.[(spatial of_input).#p] < bases.[p]).
        { intros p Hp. apply (under_spec d t c Lt TW p _ Hp). split; [|apply ES; exact Hp].
          exact (proj1 (Forall_flat _ _ _) S p Hp). }
        pose proof (proj2 (in_group_spec features feature_groups _ _ G1 M1 FB) eq_refl) as GF.
        pose proof (proj2 (in_group_spec features batch_groups _ _ G2 M2 FB) eq_refl) as HB.
        split; [exact D|]. split; [|split; [|split]].
        * split; [exact LI|]. apply (each_dimension (fun k => 0 <= i.[k] < input.[k]) input of_input n AI).
          rewrite EB, EF, BI, FI. destruct GF as [GF _]. destruct HB as [HB _].
          split; [nia|]. split; [nia|]. intros p Hp. rewrite <- base_at by exact Hp. apply X. exact Hp.
        * eexists _, c. split; [exact GF|]. split; [exact C|exact EF].
        * eexists. split; [exact HB|exact EB].
        * intros p Hp. exists (tap_of (w p) t.[p]). fold (w p). rewrite tap_of_tap_of. apply X. exact Hp.
    - split.
      + intros (D & I & EB & T). split; [exact D|].
        set (t := tabulate n (fun p => tap_of (w p) i.[(spatial of_kernel).#p])). set (c := i.[feature of_kernel]).
        assert (Lt : length t = n) by apply tabulate_length.
        assert (KD : (feature of_kernel < length kernel)%nat).
        { apply (proj1 (each_dimension (fun k => (k < length kernel)%nat) kernel of_kernel n AK)). intros k Hk. exact Hk. }
        assert (TW : forall p, (p < n)%nat -> 0 <= t.[p] < size (w p)).
        { intros p Hp. destruct (T p Hp) as (e & _ & L & _). unfold t. rewrite nth_tabulate by exact Hp. exact L. }
        exists (t ++ [c]). split; [|split].
        * apply taps_and_channel. exists t, c. split; [reflexivity|]. split; [exact Lt|]. split; [exact TW|].
          unfold c, channels. apply inside_at; assumption.
        * apply (seen_spec d t c Lt TW). intros p Hp. destruct (T p Hp) as (e & B & L). exists e.
          rewrite base_at by exact Hp. split; [exact B|]. unfold t. rewrite nth_tabulate by exact Hp. exact L.
        * apply (kernel_index d t c Lt i (inside_length _ _ I)). split; [exact EB|]. split; [reflexivity|].
          intros p Hp. unfold t. rewrite nth_tabulate by exact Hp. rewrite tap_of_tap_of. reflexivity.
      + intros (D & u & U & S & E). apply taps_and_channel in U. destruct U as (t & c & -> & Lt & TW & C).
        assert (LI : length i = length kernel) by (rewrite E, map_length, tabulate_length; reflexivity).
        apply (kernel_index d t c Lt i LI) in E. destruct E as (EB & EC & ES).
        split; [exact D|]. split; [|split; [exact EB|]].
        * split; [exact LI|]. apply (each_dimension (fun k => 0 <= i.[k] < kernel.[k]) kernel of_kernel n AK).
          rewrite EB, EC, BK. pose proof (feature_bounds d D). split; [assumption|]. split; [exact C|].
          intros p Hp. rewrite (SK p Hp), (ES p Hp). apply tap_of_bounds. apply TW. exact Hp.
        * intros p Hp. destruct (proj1 (seen_spec d t c Lt TW) S p Hp) as (e & B & L). exists e.
          rewrite base_at in B by exact Hp. split; [exact B|]. fold (w p). rewrite (ES p Hp), tap_of_tap_of. exact L.
  Qed.
End Convolution.
