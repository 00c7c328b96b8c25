(* One step of a certificate: its side conditions must follow from the facts; then they hold of its rule as well. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known Points Ranges Close Signs.
Import ListNotations.
Open Scope Z_scope.

(* How much is tried. *)
Inductive effort := Little | More | Most.

Definition at_least_zero (i : interval) : bool := match fst i with Some lo => 0 <=? lo | None => false end.
Definition by_range (f : facts) (m : nat) (x y : lin) : bool :=
  at_least_zero (range f 40 m x) || at_least_zero (range f 40 m y).
(* Without named sizes every variable has both ends. *)
Definition is_unbounded (i : interval) : bool := match i with (Some _, Some _) => false | _ => true end.
Definition by_sign (f : facts) (x y : lin) : bool :=
  if existsb is_unbounded (bounds f) then is_natural_polynomial f x || is_natural_polynomial f y else false.
Definition is_natural (f : facts) (e : effort) (x : lin) : bool :=
  match as_int x with
  | Some c => 0 <=? c
  | None =>
      let y := fst (reduce f x) in
      by_range f 0 x y || by_range f 1 x y || by_sign f x y || by_range f 4 x y
      || match e with Most => natural_at_points f 20000 x | _ => false end
  end.

Lemma at_least_zero_value i v : at_least_zero i = true -> within i v -> 0 <= v.
Proof. destruct i as [[lo|] hi]; cbn; [|discriminate]. rewrite Z.leb_le. intros ? [? _]. cbn in *. lia. Qed.
Lemma by_range_true env f m x y k : true_at env f -> k * vl env x = vl env y -> 0 < k -> by_range f m x y = true -> 0 <= vl env x.
Proof.
  intros h e pos. unfold by_range. rewrite orb_true_iff. intros [a|a].
  - exact (at_least_zero_value _ _ a (range_within env f h _ _ _)).
  - pose proof (at_least_zero_value _ _ a (range_within env f h _ _ _)). nia.
Qed.
Theorem is_natural_true env f e x : true_at env f -> is_natural f e x = true -> 0 <= vl env x.
Proof.
  intro h. unfold is_natural. destruct (as_int x) as [c|] eqn:X.
  - apply (as_int_value env) in X. rewrite Z.leb_le. lia.
  - pose proof (reduce_value env f h x) as r. destruct (reduce f x) as [y k]. destruct r as [r pos]. cbn [fst].
    rewrite !orb_true_iff. intros [[[[a|a]|a]|a]|a]; try exact (by_range_true _ _ _ _ _ _ h r pos a).
    { unfold by_sign in a. destruct (existsb _ _); [|discriminate]. rewrite orb_true_iff in a.
      destruct a as [a|a]; apply (is_natural_polynomial_true env) in a; try exact h; nia. }
    destruct e; try discriminate. exact (natural_at_points_true _ _ _ _ h a).
Qed.

(* The sums that are not negative iff a comparison holds. *)
Definition differences (b : nat -> lin) (c : condition) : list lin :=
  let l := term_sum b (left c) in
  let r := term_sum b (right c) in
  match rel c with
  | Eq_ => [plus r (-1) l; plus l (-1) r]
  | Le_ => [plus r (-1) l]
  | Lt_ => [plus_int (plus r (-1) l) (-1)]
  end.
Lemma differences_value env b c :
  holds_all (fun x => 0 <= vl env x) (differences b c) <-> condition_holds (fun i => vl env (b i)) c.
Proof.
  unfold differences, condition_holds. destruct (rel c); cbn [holds_all];
    rewrite ?plus_int_value, ?plus_value, ?term_sum_value; lia.
Qed.
Definition all_differences (b : nat -> lin) (l : list condition) : list lin := flat_map (differences b) l.
Lemma all_differences_value env b l :
  holds_all (fun x => 0 <= vl env x) (all_differences b l) <-> conjunction (fun i => vl env (b i)) l.
Proof.
  unfold all_differences. induction l as [|c [|d l] IH]; cbn [flat_map conjunction].
  - cbn. tauto.
  - rewrite app_nil_r. apply differences_value.
  - rewrite holds_all_app, differences_value. rewrite <- IH. reflexivity.
Qed.

Definition establishes (f : facts) (e : effort) (b : nat -> lin) (c : condition) : bool :=
  match rel c with
  | Eq_ =>
      match integer f (plus (term_sum b (right c)) (-1) (term_sum b (left c))) with
      | Some 0 => true
      | _ => forallb (is_natural f e) (differences b c)
      end
  | _ => forallb (is_natural f e) (differences b c)
  end.
Lemma all_natural_true env f e l : true_at env f -> forallb (is_natural f e) l = true -> holds_all (fun x => 0 <= vl env x) l.
Proof.
  intro h. induction l as [|x l IH]; cbn [forallb holds_all]; [tauto|]. rewrite andb_true_iff. intros [a al].
  split; [exact (is_natural_true _ _ _ _ h a) | exact (IH al)].
Qed.
Lemma establishes_true env f e b c : true_at env f -> establishes f e b c = true -> condition_holds (fun i => vl env (b i)) c.
Proof.
  intros h s. unfold establishes in s. destruct (rel c) eqn:R.
  2, 3: apply differences_value; exact (all_natural_true _ _ _ _ h s).
  destruct (integer f _) as [[| |]|] eqn:E; try (apply differences_value; exact (all_natural_true _ _ _ _ h s)).
  apply (integer_value env f h) in E. unfold condition_holds. rewrite R. rewrite plus_value, !term_sum_value in E. lia.
Qed.
Lemma implied_true env f e b l P : true_at env f -> forallb (establishes f e b) l = true -> implied (fun i => vl env (b i)) l P -> P.
Proof.
  intro h. induction l as [|c l IH]; cbn [forallb implied]; [auto|]. rewrite andb_true_iff. intros [a al] i.
  apply (IH al). apply i. exact (establishes_true _ _ _ _ _ h a).
Qed.

(* The interval of an expression, as it is written. *)
Fixpoint expr_range (f : facts) (e : expr) : interval :=
  let quotient i d := match d with Const c => if 0 <? c then idiv i c else everything | _ => idiv_by i (expr_range f d) end in
  match e with
  | Const c => point c
  | Var i => bound_of f i
  | Add x y => iadd (expr_range f x) (expr_range f y)
  | Mul (Const k) x | Mul x (Const k) => iscale k (expr_range f x)
  | Mul x y => imul (expr_range f x) (expr_range f y)
  | Div x y => quotient (expr_range f x) y
  | Ceil x y => iscale (-1) (quotient (iscale (-1) (expr_range f x)) y)
  | Mod x (Const c) => if 0 <? c then imod (expr_range f x) c else everything
  | Mod _ _ => everything
  | Min x y => ipick true (expr_range f x) (expr_range f y)
  | Max x y => ipick false (expr_range f x) (expr_range f y)
  end.
Lemma expr_range_within env f e : true_at env f -> within (expr_range f e) (value env e).
Proof.
  intro h.
  assert (q : forall i v y, within i v -> within (expr_range f y) (value env y) ->
    within match y with Const c => if 0 <? c then idiv i c else everything | _ => idiv_by i (expr_range f y) end (v / value env y)).
  { intros i v y hi hy. destruct y; try (apply idiv_by_within; assumption). cbn [value].
    destruct (Z.ltb_spec 0 c); [apply idiv_within; assumption | apply within_everything]. }
  induction e as [c|i|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy].
  - apply within_point.
  - exact (bound_of_within env f i h).
  - apply iadd_within; assumption.
  - assert (m : within (imul (expr_range f x) (expr_range f y)) (value env x * value env y)) by (apply imul_within; assumption).
    assert (k : forall c, y = Const c -> within (iscale c (expr_range f x)) (value env x * value env y)).
    { intros c ->. cbn [value]. rewrite Z.mul_comm. apply iscale_within. exact hx. }
    cbn [value]. destruct x; destruct y; try exact m; try (apply k; reflexivity); apply iscale_within; exact hy.
  - exact (q _ _ _ hx hy).
  - cbn [value]. replace (- (- value env x / value env y)) with (-1 * (- value env x / value env y)) by ring.
    apply iscale_within. apply q; [|exact hy]. replace (- value env x) with (-1 * value env x) by ring. apply iscale_within. exact hx.
  - cbn [expr_range]. destruct y; try apply within_everything. cbn [value].
    destruct (Z.ltb_spec 0 c); [apply imod_within; assumption | apply within_everything].
  - exact (ipick_within true _ _ _ _ hx hy).
  - exact (ipick_within false _ _ _ _ hx hy).
Qed.

(* The values that a step binds; a variable without one is 0. *)
Definition bound_sums (s : step) : list lin := List.map sum_of (bindings s).
Definition sum_at (l : list lin) (i : nat) : lin := nth i l (int 0).

(* An interval of either of two forms of a value holds of both. *)
Definition share (f : facts) (s : step) (l r : term) : facts :=
  match l, r with
  | TVar i, TVar j =>
      let x := sum_at (bound_sums s) i in
      let y := sum_at (bound_sums s) j in
      let written i := match nth_error (bindings s) i with Some e => expr_range f e | None => everything end in
      let both := meet (meet (range f 40 4 x) (range f 40 4 y)) (meet (written i) (written j)) in
      show (show f x both) y both
  | _, _ => f
  end.
Fixpoint learn (f : facts) (b : nat -> lin) (l : list condition) : facts :=
  match l with
  | [] => f
  | c :: l =>
      let g :=
        match rel c with
        | Eq_ => know f (plus (term_sum b (right c)) (-1) (term_sum b (left c)))
        | _ => fold_left (fun f x => show f x (Some 0, None)) (differences b c) f
        end in
      learn (fold_left see (differences b c) g) b l
  end.

(* What a rewrite or a fact adds. *)
Definition apply (f : facts) (e : effort) (r : rule) (s : step) : option facts :=
  let l := bound_sums s in
  let b := sum_at l in
  if forallb (establishes f e b) (conditions r) then
    match states r with
    | Rewrite x y =>
        let u := term_sum b x in
        let v := term_sum b y in
        let f := see (see f u) v in
        Some (know (share f s x y) (plus u (-1) v))
    | Fact l => Some (learn f b l)
    | Equivalence _ _ => None
    end
  else None.

Lemma sum_at_value env s i e : nth_error (bindings s) i = Some e -> vl env (sum_at (bound_sums s) i) = value env e.
Proof.
  unfold sum_at, bound_sums. rewrite <- sum_of_value. revert i. induction (bindings s) as [|x l IH]; intros [|i]; cbn; try discriminate.
  - intro E. injection E as ->. reflexivity.
  - apply IH.
Qed.
Lemma share_true env f s l r : true_at env f ->
  term_value (fun i => vl env (sum_at (bound_sums s) i)) l = term_value (fun i => vl env (sum_at (bound_sums s) i)) r ->
  true_at env (share f s l r).
Proof.
  intros h e. unfold share. destruct l; try exact h. destruct r; try exact h. cbn [term_value] in e.
  assert (w : forall i, within match nth_error (bindings s) i with Some e => expr_range f e | None => everything end (vl env (sum_at (bound_sums s) i))).
  { intro k. destruct (nth_error (bindings s) k) as [x|] eqn:E; [|apply within_everything].
    rewrite (sum_at_value env _ _ _ E). apply expr_range_within. exact h. }
  pose proof (w i) as wi. pose proof (w i0) as wj.
  pose proof (range_within env f h 40 4 (sum_at (bound_sums s) i)) as ri.
  pose proof (range_within env f h 40 4 (sum_at (bound_sums s) i0)) as rj.
  rewrite <- e in wj, rj.
  pose proof (meet_within _ _ _ (meet_within _ _ _ ri rj) (meet_within _ _ _ wi wj)) as m.
  apply show_true; [apply show_true; [exact h | exact m] | rewrite <- e; exact m].
Qed.
Lemma fold_see_true env l : forall f, true_at env f -> true_at env (fold_left see l f).
Proof. induction l as [|x l IH]; cbn; intros f h; [exact h|]. apply IH. exact h. Qed.
Lemma learn_true env b l : forall f, true_at env f -> conjunction (fun i => vl env (b i)) l -> true_at env (learn f b l).
Proof.
  induction l as [|c l IH]; intros f h w; cbn [learn]; [exact h|].
  assert (hc : condition_holds (fun i => vl env (b i)) c /\ conjunction (fun i => vl env (b i)) l).
  { destruct l; cbn in w |- *; tauto. }
  destruct hc as [hc hl]. apply IH; [|exact hl]. apply fold_see_true.
  assert (by_intervals : true_at env (fold_left (fun f x => show f x (Some 0, None)) (differences b c) f)).
  { apply differences_value in hc. revert f h. induction (differences b c) as [|x m IHm]; cbn [fold_left]; intros f h; [exact h|].
    destruct hc as [hx hc]. apply (IHm hc). apply show_true; [exact h|]. split; [exact hx | exact I]. }
  destruct (rel c) eqn:R; try exact by_intervals.
  apply know_true; [exact h|]. unfold condition_holds in hc. rewrite R in hc. rewrite plus_value, !term_sum_value. lia.
Qed.
Theorem apply_true env f e r s g : valid r -> true_at env f -> apply f e r s = Some g -> true_at env g.
Proof.
  intros v h. unfold apply. destruct (forallb _ _) eqn:C; [|discriminate].
  specialize (v (fun i => vl env (sum_at (bound_sums s) i))). apply (implied_true _ _ _ _ _ _ h C) in v.
  destruct (states r) as [x y|l m|l]; [|discriminate|]; intro E; injection E as <-.
  - apply know_true; [apply share_true; [exact h | exact v]|]. rewrite plus_value, !term_sum_value. cbn [statement_holds] in v. lia.
  - apply learn_true; [exact h | exact v].
Qed.
