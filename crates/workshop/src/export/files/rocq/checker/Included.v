(* That two maps are the same function since the domain of each lies in that of the other: all that the one domain states is a fact,
   and steps add more, until each bound of the other follows. An equivalence may be read in either direction. *)
From Coq Require Import ZArith List Lia Bool PeanoNat.
From Affinor Require Import Maps Sums Intervals Known Points Ranges Close Signs Steps Domains Checker.
Import ListNotations.
Open Scope Z_scope.

(* Bounds of variables as constraints over other expressions. *)
Fixpoint numbered (s : nat -> expr) (from : nat) (l : list interval) : list (expr * interval) :=
  match l with [] => [] | i :: l => (s from, i) :: numbered s (S from) l end.
Definition hold env (l : list (expr * interval)) : Prop := holds_all (fun c => within (snd c) (value env (fst c))) l.
Lemma numbered_value s env l : forall from, hold env (numbered s from l) <-> in_box (fun i => value env (s i)) from l.
Proof. unfold hold. induction l as [|i l IH]; intro from; cbn; [tauto|]. rewrite IH. tauto. Qed.

(* A fact about one variable narrows the box. *)
Definition into_box (f : facts) (x : lin) : facts :=
  match lone (fst (reduce f x)) with
  | Some (i, j) => if (i <? length (bounds f))%nat then with_bounds f (set_bound i j (bounds f)) else f
  | None => f
  end.
Definition boxed (f : facts) : facts := fold_left into_box (natural f) f.
Definition learnt (f : facts) (l : list lin) : facts :=
  let f := fold_left see l f in
  boxed (Facts (rows f) (bounds f) (shown f) (l ++ natural f) (seen f)).

Definition either (f : facts) (e : effort) (r : rule) (s : step) : option facts :=
  match states r with
  | Equivalence l m =>
      let b := sum_at (bound_sums s) in
      let given := all_differences b l in
      let other := all_differences b m in
      if forallb (establishes f e b) (conditions r) then
        if forallb (is_natural f e) given then Some (learnt f other)
        else if forallb (is_natural f e) other then Some (learnt f given) else None
      else None
  | _ => apply f e r s
  end.
Definition either_step (table : list rule) (f : facts) (t : step) : option facts :=
  match nth_error table (rule_of t) with
  | None => None
  | Some r =>
      match either f Little r t with
      | Some g => Some g
      | None => either (close 20 true f) Most r t
      end
  end.
Fixpoint either_steps (table : list rule) (f : facts) (l : list step) : option facts :=
  match l with
  | [] => Some f
  | t :: l => match either_step table f t with Some g => either_steps table g l | None => None end
  end.

Definition included (table : list rule) (m n : map) (l : list step) : option facts :=
  match either_steps table (boxed (boxed (start (box m) (constraints m) (constraints m ++ constraints n)))) l with
  | None => None
  | Some f =>
      let goals := flat_map half_spaces (numbered Var 0 (box n) ++ constraints n) in
      let f := boxed (close 20 true (fold_left see goals f)) in
      if forallb (is_natural f Most) goals then Some f else None
  end.
Definition check_both_ways (table : list rule) (m n : map) (there back : list step) : bool :=
  (if list_eq_dec Nat.eq_dec (kinds m) (kinds n) then true else false) &&
  (is_empty m || match included table m n there with Some f => same_results f (results m) (results n) | None => false end) &&
  (is_empty n || match included table n m back with Some _ => true | None => false end).

(* Soundness. *)
Local Opaque close is_natural start range reduce.
Lemma into_box_true env f x : true_at env f -> 0 <= vl env x -> true_at env (into_box f x).
Proof.
  intros h n. unfold into_box. pose proof (reduce_value env f h x) as r. destruct (reduce f x) as [y k]. cbn [fst]. destruct r as [r pos].
  destruct (lone y) as [[i j]|] eqn:L; [|exact h]. destruct (Nat.ltb_spec i (length (bounds f))) as [lt|]; [|exact h].
  apply (lone_value env) in L. assert (w : within j (env i)) by (apply L; nia).
  destruct h as (a1 & a2 & a3 & a4). refine (conj a1 (conj _ (conj a3 a4))). unfold with_bounds. cbn [bounds].
  apply (set_bound_value env i j (bounds f) 0 lt). exact (conj a2 w).
Qed.
Lemma boxed_true env f : true_at env f -> true_at env (boxed f).
Proof.
  intro h. unfold boxed. assert (n : all_natural env (natural f)) by apply h. revert n. generalize (natural f) as l. intro l. revert f h.
  induction l as [|x l IH]; intros f h n; cbn [fold_left]; [exact h|]. destruct n as [x0 n].
  apply IH; [exact (into_box_true _ _ _ h x0) | exact n].
Qed.
Local Opaque boxed.
Lemma learnt_true env f l : true_at env f -> all_natural env l -> true_at env (learnt f l).
Proof.
  intros h n. apply boxed_true. apply (fold_see_true env l) in h. destruct h as (a1 & a2 & a3 & a4).
  refine (conj a1 (conj a2 (conj a3 _))). cbn [natural]. apply all_natural_app. exact (conj n a4).
Qed.
Lemma either_true env f e r s g : valid r -> true_at env f -> either f e r s = Some g -> true_at env g.
Proof.
  intros v h. unfold either. destruct (states r) as [x y|l m|l] eqn:S; try exact (apply_true _ _ _ _ _ _ v h).
  destruct (forallb (establishes _ _ _) _) eqn:C; [|discriminate].
  specialize (v (fun i => vl env (sum_at (bound_sums s) i))). apply (implied_true _ _ _ _ _ _ h C) in v. rewrite S in v. cbn [statement_holds] in v.
  rewrite <- !all_differences_value in v.
  destruct (forallb (is_natural f e) (all_differences _ l)) eqn:L.
  - intro E. apply some_eq in E. subst g. apply learnt_true; [exact h|]. apply v. exact (all_natural_true _ _ _ _ h L).
  - destruct (forallb (is_natural f e) (all_differences _ m)) eqn:M; [|discriminate].
    intro E. apply some_eq in E. subst g. apply learnt_true; [exact h|]. apply v. exact (all_natural_true _ _ _ _ h M).
Qed.
Lemma nth_valid table : holds_all valid table -> forall n r, nth_error table n = Some r -> valid r.
Proof.
  induction table as [|x table IH]; intros t [|n] r; cbn [nth_error]; try discriminate.
  - intro e. injection e as <-. apply t.
  - apply IH, t.
Qed.
Lemma either_steps_true env table l : holds_all valid table -> forall f g, true_at env f -> either_steps table f l = Some g -> true_at env g.
Proof.
  intro t. induction l as [|s l IH]; cbn [either_steps]; intros f g h; [intro e; apply some_eq in e; subst g; exact h|].
  destruct (either_step table f s) as [a|] eqn:A; [|discriminate]. apply IH. unfold either_step in A.
  destruct (nth_error table _) as [r|] eqn:R; [|discriminate]. apply (nth_valid _ t) in R.
  destruct (either f Little r s) as [b|] eqn:B.
  - apply some_eq in A. subst a. exact (either_true _ _ _ _ _ _ R h B).
  - exact (either_true _ _ _ _ _ _ R (close_true env true 20 f h) A).
Qed.
Lemma included_true env table m n l f : holds_all valid table -> included table m n l = Some f -> inside m env -> true_at env f /\ inside n env.
Proof.
  intros t. unfold included. destruct (either_steps _ _ _) as [g|] eqn:E; [|discriminate]. set (goals := flat_map _ _).
  destruct (forallb _ _) eqn:F; [|discriminate]. intro e. apply some_eq in e. subst f. intros [b c].
  assert (h : true_at env g).
  { refine (either_steps_true _ _ _ t _ _ _ E). apply boxed_true, boxed_true, start_true; assumption. }
  assert (h' : true_at env (boxed (close 20 true (fold_left see goals g)))) by (apply boxed_true, close_true, fold_see_true; exact h).
  split; [exact h'|]. apply (all_natural_true _ _ _ _ h') in F. apply all_half_spaces_value in F.
  apply holds_all_app in F. destruct F as [x y]. split; [|exact y]. apply (numbered_value Var env) in x. exact x.
Qed.
Theorem both_ways_sound table m n there back : holds_all valid table -> check_both_ways table m n there back = true -> same_function m n.
Proof.
  intros t. unfold check_both_ways. rewrite !andb_true_iff, !orb_true_iff. intros [[k x] y].
  destruct (list_eq_dec _ (kinds m) (kinds n)) as [e|]; [|discriminate]. split; [exact e|]. intro env.
  assert (a : inside m env -> inside n env /\ List.map (value env) (results m) = List.map (value env) (results n)).
  { intro h. destruct x as [x|x]; [destruct (is_empty_true env m x h)|].
    destruct (included table m n there) as [f|] eqn:I; [|discriminate]. destruct (included_true _ _ _ _ _ _ t I h) as [hf hn].
    split; [exact hn | exact (same_results_true _ _ hf _ _ x)]. }
  assert (b : inside n env -> inside m env).
  { intro h. destruct y as [y|y]; [destruct (is_empty_true env n y h)|].
    destruct (included table n m back) as [f|] eqn:I; [|discriminate]. exact (proj2 (included_true _ _ _ _ _ _ t I h)). }
  split; [split; [intro h; exact (proj1 (a h)) | exact b] | intro h; exact (proj2 (a h))].
Qed.
