(* The checker of certificates, and the theorem that it accepts only maps that are the same function.
   The domain is a box of intervals, and open bounds beside it, none of which is used to show another; steps of the domain replace
   open bounds by equivalent ones until both domains have the same. Then the results must be equal under the equations. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known Ranges Close Steps.
Import ListNotations.
Open Scope Z_scope.

(* Bounds, as sums that are not negative. *)
Definition half_spaces (c : expr * interval) : list lin :=
  let x := sum_of (fst c) in
  match snd c with
  | (lo, hi) =>
      match lo with Some lo => [plus_int x (- lo)] | None => [] end ++
      match hi with Some hi => [plus_int (scale (-1) x) hi] | None => [] end
  end.
Definition all_natural (env : nat -> Z) (l : list lin) : Prop := holds_all (fun x => 0 <= vl env x) l.
Lemma half_spaces_value env c : all_natural env (half_spaces c) <-> within (snd c) (value env (fst c)).
Proof.
  destruct c as [e [lo hi]]. unfold half_spaces, all_natural, within. cbn [fst snd]. rewrite holds_all_app.
  destruct lo, hi; cbn [holds_all above below]; rewrite ?plus_int_value, ?scale_value, ?sum_of_value; lia.
Qed.
Lemma all_half_spaces_value env l :
  all_natural env (flat_map half_spaces l) <-> holds_all (fun c => within (snd c) (value env (fst c))) l.
Proof.
  unfold all_natural. induction l as [|c l IH]; cbn [flat_map holds_all]; [tauto|]. rewrite holds_all_app, IH.
  pose proof (half_spaces_value env c) as h. unfold all_natural in h. rewrite h. tauto.
Qed.

(* The domain on the way. *)
Record state := State { known : facts; open : list lin; dead : bool }.

Section domain.
Variable env : nat -> Z.
Variable given : map.
(* What both domains state: it holds at each point that is looked at. *)
Variable common : list (expr * interval).
Hypothesis common_holds : holds_all (fun c => within (snd c) (value env (fst c))) common.

Definition sound (s : state) : Prop :=
  (in_box env 0 (bounds (known s)) -> true_at env (known s)) /\
  (inside given env <-> in_box env 0 (bounds (known s)) /\ all_natural env (open s)) /\
  (dead s = true -> ~ inside given env).
End domain.

(* Whether `x >= 0` follows from the facts, or from one of the sums. *)
Definition follows (f : facts) (e : effort) (l : list lin) (x : lin) : bool :=
  is_natural f e x || existsb (fun o => match integer f (plus x (-1) o) with Some c => 0 <=? c | None => false end) l.
Lemma follows_true env f e l x : true_at env f -> all_natural env l -> follows f e l x = true -> 0 <= vl env x.
Proof.
  intros h n. unfold follows. rewrite orb_true_iff. intros [a|a]; [exact (is_natural_true _ _ _ _ h a)|].
  unfold all_natural in n. induction l as [|o l IH]; cbn [existsb holds_all] in *; [discriminate|]. destruct n as [o0 n].
  rewrite orb_true_iff in a. destruct a as [a|a]; [|exact (IH n a)].
  destruct (integer f _) as [c|] eqn:E; [|discriminate]. apply (integer_value env f h) in E. rewrite plus_value in E.
  apply Z.leb_le in a. lia.
Qed.
Lemma all_follow_true env f e l m : true_at env f -> all_natural env l -> forallb (follows f e l) m = true -> all_natural env m.
Proof.
  intros h n. induction m as [|x m IH]; cbn [forallb]; [intro; exact I|]. rewrite andb_true_iff. intros [a am].
  split; [exact (follows_true _ _ _ _ _ h n a) | exact (IH am)].
Qed.

(* A bound on one variable, as its interval. *)
Definition lone (x : lin) : option (nat * interval) :=
  match terms x with
  | [(k, AVar i)] =>
      if 0 <? k then Some (i, (Some (- (constant x / k)), None))
      else if k <? 0 then Some (i, (None, Some (constant x / - k))) else None
  | _ => None
  end.
Lemma lone_value env x i j : lone x = Some (i, j) -> (0 <= vl env x <-> within j (env i)).
Proof.
  destruct x as [c [|[k [v| | | |]] [|]]]; try discriminate. unfold lone. cbn [terms constant]. rewrite vl_eq. cbn [vt]. rewrite va_var.
  destruct (Z.ltb_spec 0 k); [|destruct (Z.ltb_spec k 0); [|discriminate]]; intro e; injection e as <- <-; ends.
  - pose proof (Z.mul_div_le c k). pose proof (Z.mul_succ_div_gt c k). split; [intro; split; [|exact I]; nia | intros [? _]; nia].
  - pose proof (Z.mul_div_le c (- k)). pose proof (Z.mul_succ_div_gt c (- k)). split; [intro; split; [exact I|]; nia | intros [_ ?]; nia].
Qed.

Fixpoint set_bound (i : nat) (j : interval) (l : list interval) : list interval :=
  match l, i with
  | [], _ => []
  | b :: l, O => meet b j :: l
  | b :: l, S i => b :: set_bound i j l
  end.
Lemma meet_iff i j x : within (meet i j) x <-> within i x /\ within j x.
Proof. destruct i as [[|] [|]], j as [[|] [|]]; unfold meet; ends; lia. Qed.
Lemma set_bound_value env i j : forall l from, (i < length l)%nat ->
  (in_box env from (set_bound i j l) <-> in_box env from l /\ within j (env (from + i)%nat)).
Proof.
  induction i as [|i IH]; intros [|b l] from n; cbn [length] in n; try lia; cbn [set_bound in_box].
  - rewrite meet_iff. replace (from + 0)%nat with from by lia. tauto.
  - rewrite IH by lia. replace (from + S i)%nat with (S from + i)%nat by lia. tauto.
Qed.

Definition contains_all (i target : interval) : bool :=
  match target with (Some lo, Some hi) => hi <? lo | _ => false end ||
  (match fst i with None => true | Some lo => match fst target with Some t => lo <=? t | None => false end end &&
   match snd i with None => true | Some hi => match snd target with Some t => t <=? hi | None => false end end).

Definition with_bounds (f : facts) (l : list interval) : facts := Facts (rows f) l (shown f) (natural f) (seen f).
Definition empty_interval (i : interval) : bool := match i with (Some lo, Some hi) => hi <? lo | _ => false end.

(* Moves the first open bound that may move into the box, or drops one that is a number. *)
Fixpoint narrow_one (target : list interval) (f : facts) (before l : list lin) (d : bool) : option state :=
  match l with
  | [] => None
  | x :: l =>
      let y := fst (reduce f x) in
      let rest := rev_append before l in
      match as_int y with
      | Some c =>
          if 0 <=? c then Some (State f rest d)
          else if existsb empty_interval target then Some (State f (rev_append before (x :: l)) true)
          else narrow_one target f (x :: before) l d
      | None =>
          match lone y with
          | Some (i, j) =>
              if Nat.ltb i (length (bounds f)) && contains_all j (nth i target everything) then
                let b := set_bound i j (bounds f) in
                let g := with_bounds f b in
                let now := nth i b everything in
                let g := match now with
                  | (Some lo, Some hi) => if lo =? hi then know g (plus_int (of_atom (AVar i)) (- lo)) else g
                  | _ => g
                  end in
                Some (State g rest (d || empty_interval now))
              else narrow_one target f (x :: before) l d
          | None => narrow_one target f (x :: before) l d
          end
      end
  end.
Fixpoint narrow (n : nat) (target : list interval) (s : state) : state :=
  match n with
  | O => s
  | S n =>
      if dead s then s
      else match narrow_one target (known s) [] (open s) (dead s) with Some s => narrow n target s | None => s end
  end.
Definition closed (all : bool) (s : state) : state := State (close 20 all (known s)) (open s) (dead s).
Definition narrow_closed (target : list interval) (s : state) : state :=
  narrow 200 target (closed true (narrow 200 target s)).

Lemma know_bounds f x : bounds (know f x) = bounds f.
Proof. unfold know. destruct (terms _) as [|[k a] t]; reflexivity. Qed.
Lemma close_shapes_bounds a s : forall f known, let (g, _) := close_shapes f a s known in bounds g = bounds f.
Proof.
  induction s as [|x s IH]; cbn [close_shapes]; intros f known; [reflexivity|].
  destruct x; [|destruct (find _ known) as [[? ?]|]..];
    match goal with |- context [close_shapes ?f a s ?k] => specialize (IH f k); destruct (close_shapes f a s k) end;
    rewrite IH; rewrite ?know_bounds; reflexivity.
Qed.
Lemma close_atoms_bounds all ps l : forall f k, bounds (close_atoms all ps f l k) = bounds f.
Proof.
  induction l as [|a l IH]; cbn [close_atoms]; intros f k; [reflexivity|].
  pose proof (close_shapes_bounds a (shapes f all ps a) f k) as e. destruct (close_shapes _ _ _ _) as [g k']. rewrite IH. exact e.
Qed.
Lemma multiply_bounds f : bounds (multiply f) = bounds f.
Proof.
  unfold multiply. generalize (seen f) as l. intro l. revert f. induction l as [|a l IH]; cbn [fold_left]; intro f; [reflexivity|].
  rewrite IH. destruct a as [|w m| | |]; try reflexivity. generalize (rows f) as k. intro k. revert f.
  induction k as [|r k IHk]; cbn [fold_left]; intro f; [reflexivity|]. rewrite IHk. unfold multiply_row.
  destruct (terms r) as [|[c b] t]; [reflexivity|]. destruct (without_factor b m); [rewrite know_bounds; reflexivity | reflexivity].
Qed.
Lemma close_bounds all n : forall f, bounds (close n all f) = bounds f.
Proof.
  induction n as [|n IH]; intro f; cbn [close]; [reflexivity|]. destruct (Nat.eqb _ _); [reflexivity|].
  rewrite IH, close_atoms_bounds. apply multiply_bounds.
Qed.

Lemma all_natural_app env l m : all_natural env (l ++ m) <-> all_natural env l /\ all_natural env m.
Proof. apply holds_all_app. Qed.
Lemma all_natural_rev env l m : all_natural env (rev_append l m) <-> all_natural env l /\ all_natural env m.
Proof.
  revert m. induction l as [|x l IH]; intro m; cbn [rev_append]; [unfold all_natural; cbn; tauto|].
  rewrite IH. unfold all_natural. cbn. tauto.
Qed.
Lemma empty_interval_value i x : empty_interval i = true -> ~ within i x.
Proof. destruct i as [[|] [|]]; cbn; try discriminate. rewrite Z.ltb_lt. ends. lia. Qed.

Section domain_steps.
Variable env : nat -> Z.
Variable given : map.
Notation sound := (sound env given).

(* One bound of the open ones is replaced by a condition on the box that says the same. *)
Lemma narrow_one_sound target : forall l f before d s, narrow_one target f before l d = Some s ->
  sound (State f (rev_append before l) d) -> sound s.
Proof.
  induction l as [|x l IH]; cbn [narrow_one]; intros f before d s e h; [discriminate|].
  destruct h as (ht & hi & hd). cbn [known open dead] in *.
  assert (next : narrow_one target f (x :: before) l d = Some s -> sound s).
  { intro n. apply (IH _ _ _ _ n). exact (conj ht (conj hi hd)). }
  assert (value : in_box env 0 (bounds f) -> (0 <= vl env x <-> 0 <= vl env (fst (reduce f x)))).
  { intro b. pose proof (reduce_value env f (ht b) x) as r. destruct (reduce f x) as [y k]. cbn [fst]. destruct r. split; nia. }
  set (y := fst (reduce f x)) in *.
  assert (parts : all_natural env (rev_append before (x :: l)) <-> 0 <= vl env x /\ all_natural env (rev_append before l)).
  { rewrite !all_natural_rev. unfold all_natural. cbn. tauto. }
  pose proof hi as as_it_was. rewrite parts in hi.
  destruct (as_int y) as [c|] eqn:Y.
  - apply (as_int_value env) in Y. destruct (Z.leb_spec 0 c).
    + injection e as <-. refine (conj ht (conj _ hd)). cbn [known open dead]. rewrite hi. split; [tauto|]. intros [b n]. split; [exact b|].
      split; [apply value; [exact b | lia] | exact n].
    + destruct (existsb _ target); [|exact (next e)]. injection e as <-.
      assert (never : ~ inside given env). { rewrite hi. intros (b & n & _). apply value in n; [lia | exact b]. }
      exact (conj ht (conj as_it_was (fun _ => never))).
  - destruct (lone y) as [[i j]|] eqn:L; [|exact (next e)]. apply (lone_value env) in L.
    destruct (_ && _) eqn:T; [|exact (next e)]. rewrite andb_true_iff in T. destruct T as [T _]. apply PeanoNat.Nat.ltb_lt in T.
    injection e as <-. set (b := set_bound i j (bounds f)) in *. set (now := nth i b everything).
    pose proof (set_bound_value env i j (bounds f) 0 T) as sb. fold b in sb. cbn [Nat.add] in sb.
    assert (now_within : in_box env 0 b -> within now (env i)).
    { intro box. pose proof (Points.bound_of_within env (Facts [] b [] [] []) i) as w. apply w. repeat split; auto. }
    set (g := match now with (Some lo, Some hi) => _ | _ => _ end).
    assert (gb : bounds g = b) by (unfold g; destruct now as [[lo|] [hi'|]]; try reflexivity; destruct (lo =? hi'); [apply know_bounds | reflexivity]).
    assert (gt : in_box env 0 b -> true_at env g).
    { intro box. assert (w : true_at env (with_bounds f b)).
      { destruct (ht (proj1 (proj1 sb box))) as (a1 & _ & a3 & a4). exact (conj a1 (conj box (conj a3 a4))). }
      pose proof (now_within box) as nw. unfold g. destruct now as [[lo|] [hi'|]]; try exact w.
      destruct (Z.eqb_spec lo hi'); [|exact w]. apply know_true; [exact w|]. rewrite vl_eq. cbn [vt]. rewrite va_var. ends. lia. }
    unfold Domains.sound. cbn [known open dead]. rewrite gb. split; [exact gt|].
    assert (iff : inside given env <-> in_box env 0 b /\ all_natural env (rev_append before l)).
    { rewrite hi, sb. split.
      - intros (bx & n & o). split; [split; [exact bx|] | exact o]. apply L. apply value; assumption.
      - intros [[bx w] o]. split; [exact bx|]. split; [|exact o]. apply value; [exact bx|]. apply L. exact w. }
    split; [exact iff|]. rewrite orb_true_iff. intros [dd|em]; [exact (hd dd)|]. rewrite iff. intros [bx _].
    exact (empty_interval_value _ _ em (now_within bx)).
Qed.
Lemma narrow_sound target n : forall s, sound s -> sound (narrow n target s).
Proof.
  induction n as [|n IH]; intros [f o d] h; cbn [narrow known open dead]; [exact h|]. destruct d; [exact h|].
  destruct (narrow_one _ _ _ _ _) eqn:E; [|exact h]. apply IH. exact (narrow_one_sound _ _ _ _ _ _ E h).
Qed.
Lemma closed_sound all s : sound s -> sound (closed all s).
Proof.
  destruct s as [f o d]. intros (ht & hi & hd). unfold closed, Domains.sound in *. cbn [known open dead] in *. rewrite close_bounds.
  split; [|auto]. intro b. apply close_true. exact (ht b).
Qed.
Lemma narrow_closed_sound target s : sound s -> sound (narrow_closed target s).
Proof. intro h. unfold narrow_closed. apply narrow_sound, closed_sound, narrow_sound. exact h. Qed.
End domain_steps.
