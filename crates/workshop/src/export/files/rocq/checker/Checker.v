(* The checker of certificates, and the theorem that it accepts only maps that are the same function.
   Steps of the domain lead from the bounds of the one to those of the other, and may use the box only; steps of the results may
   use the domain; at the end the results must be equal under the equations. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known Close Steps Domains.
Import ListNotations.
Open Scope Z_scope.

(* Takes the bounds that a step replaces from the open ones; what is not there must follow. *)
Fixpoint without (f : facts) (x : lin) (l : list lin) : option (list lin) :=
  match l with
  | [] => None
  | o :: l =>
      match integer f (plus x (-1) o) with
      | Some 0 => Some l
      | _ => match without f x l with Some l => Some (o :: l) | None => None end
      end
  end.
Fixpoint take (f : facts) (e : effort) (all lhs rest : list lin) : option (list lin) :=
  match lhs with
  | [] => Some rest
  | x :: lhs =>
      match without f x rest with
      | Some rest => take f e all lhs rest
      | None => if follows f e all x then take f e all lhs rest else None
      end
  end.

Definition domain_step (table : list rule) (e : effort) (s : state) (t : step) : option state :=
  match nth_error table (rule_of t) with
  | None => None
  | Some r =>
      let f := known s in
      match states r with
      | Equivalence lhs rhs =>
          let b := sum_at (bound_sums t) in
          if forallb (establishes f e b) (conditions r) then
            match take f e (open s) (all_differences b lhs) (open s) with
            | Some rest =>
                let stated := all_differences b rhs in
                Some (State (fold_left see stated f) (rest ++ stated) (dead s))
            | None => None
            end
          else None
      | _ => match apply f e r t with
             | Some g => Some (State (with_bounds g (bounds f)) (open s) (dead s))
             | None => None
             end
      end
  end.
(* The bounds that a step replaces may be congruent to open ones: their parts are taken note of. *)
Definition noted (table : list rule) (s : state) (t : step) : state :=
  match nth_error table (rule_of t) with
  | Some r =>
      match states r with
      | Equivalence lhs _ => State (fold_left see (all_differences (sum_at (bound_sums t)) lhs) (known s)) (open s) (dead s)
      | _ => s
      end
  | None => s
  end.
Definition domain_step_trying (table : list rule) (target : list interval) (s : state) (t : step) : option state :=
  match domain_step table Little s t with
  | Some s => Some (narrow 200 target s)
  | None =>
      let s := narrow_closed target (noted table s t) in
      match domain_step table More s t with
      | Some s => Some (narrow 200 target s)
      | None => match domain_step table Most s t with Some s => Some (narrow 200 target s) | None => None end
      end
  end.
Fixpoint steps_of_domain (table : list rule) (target : list interval) (s : state) (l : list step) : option state :=
  match l with
  | [] => Some s
  | t :: l =>
      if dead s then Some s
      else match domain_step_trying table target s t with Some s => steps_of_domain table target s l | None => None end
  end.

Definition result_step (table : list rule) (f : facts) (t : step) : option facts :=
  match nth_error table (rule_of t) with
  | None => None
  | Some r =>
      match apply f Little r t with
      | Some g => Some g
      | None =>
          let f := close 20 false f in
          match apply f More r t with
          | Some g => Some g
          | None => apply (close 20 true f) Most r t
          end
      end
  end.
Fixpoint steps_of_results (table : list rule) (f : facts) (l : list step) : option facts :=
  match l with
  | [] => Some f
  | t :: l => match result_step table f t with Some g => steps_of_results table g l | None => None end
  end.

Definition is_zero (f : facts) (x : lin) : bool := match integer f x with Some 0 => true | _ => false end.
Definition same_value (f : facts) (x y : expr) : bool :=
  let x := sum_of x in
  let y := sum_of y in
  let difference := plus x (-1) y in
  is_zero f difference ||
  let f := close 20 false (see (see f x) y) in
  is_zero f difference || is_zero (close 20 true f) difference.
Fixpoint same_results (f : facts) (l m : list expr) : bool :=
  match l, m with
  | [], [] => true
  | x :: l, y :: m => same_value f x y && same_results f l m
  | _, _ => false
  end.

(* A domain that has no points on its face. *)
Definition is_empty (m : map) : bool :=
  existsb empty_interval (box m) ||
  existsb (fun c => match c with (Const v, i) => empty_interval (meet (point v) i) | _ => false end) (constraints m).

Fixpoint know_points (f : facts) (i : nat) (l : list interval) : facts :=
  match l with
  | [] => f
  | b :: l =>
      let f := match b with
        | (Some lo, Some hi) => if lo =? hi then know f (plus_int (of_atom (AVar i)) (- lo)) else f
        | _ => f
        end in
      know_points f (S i) l
  end.
Fixpoint know_constraints (f : facts) (l : list (expr * interval)) : facts :=
  match l with
  | [] => f
  | (x, b) :: l =>
      let f := see f (sum_of x) in
      let f := match b with
        | (Some lo, Some hi) => if lo =? hi then know f (plus_int (sum_of x) (- lo)) else f
        | _ => f
        end in
      know_constraints f l
  end.
(* The facts of a box, and of constraints that hold; the atoms of others may be congruent. *)
Definition start (l : list interval) (stated others : list (expr * interval)) : facts :=
  let f := fold_left see (flat_map half_spaces others) (Facts [] l [] (flat_map half_spaces stated) []) in
  know_constraints (know_points f 0 l) stated.

Fixpoint same_expr (x y : expr) : bool :=
  match x, y with
  | Const c, Const d => c =? d
  | Var i, Var j => Nat.eqb i j
  | Add a b, Add c d | Mul a b, Mul c d | Div a b, Div c d | Ceil a b, Ceil c d | Mod a b, Mod c d
  | Min a b, Min c d | Max a b, Max c d => same_expr a c && same_expr b d
  | _, _ => false
  end.
Definition hull_of (i j : interval) : interval := (both Z.min (fst i) (fst j), both Z.max (snd i) (snd j)).
(* With named sizes, which have kind 0: the constraints that both domains state, up to their ends. *)
Definition stated_by_both (m n : map) : list (expr * interval) :=
  if existsb (Nat.eqb 0) (kinds m) then
    flat_map (fun c => match find (fun d => same_expr (fst c) (fst d)) (constraints n) with
      | Some d => [(fst c, hull_of (snd c) (snd d))]
      | None => []
      end) (constraints m)
  else [].

Definition same_end (x y : option Z) : bool :=
  match x, y with Some x, Some y => x =? y | None, None => true | _, _ => false end.
Fixpoint same_box (l m : list interval) : bool :=
  match l, m with
  | [], [] => true
  | i :: l, j :: m => same_end (fst i) (fst j) && same_end (snd i) (snd j) && same_box l m
  | _, _ => false
  end.

(* Whether the bounds that were reached are those of the domain. *)
Definition reaches (s : state) (target : map) : bool :=
  let f := known s in
  if is_empty target then
    dead s || existsb (fun b => follows f Most (open s) (plus_int (scale (-1) b) (-1))) (open s)
  else
    let stated := flat_map half_spaces (constraints target) in
    negb (dead s) && same_box (bounds f) (box target) &&
    forallb (follows f Most stated) (open s) && forallb (follows f Most (open s)) stated.

Definition check (table : list rule) (c : certificate) : bool :=
  let m := before c in
  let n := after c in
  let target := box n in
  (if list_eq_dec PeanoNat.Nat.eq_dec (kinds m) (kinds n) then true else false) &&
  Nat.eqb (length (results m)) (length (results n)) &&
  let common := if is_empty n then [] else stated_by_both m n in
  let s := State (start (box m) common (constraints m ++ constraints n)) (flat_map half_spaces (constraints m)) (is_empty m) in
  match steps_of_domain table target (narrow 200 target s) (domain_steps c) with
  | None => false
  | Some s =>
      let s := narrow_closed target s in
      reaches s n &&
      if is_empty n then true else
      let f := known s in
      let f := know_constraints (Facts (rows f) (bounds f) (shown f) (flat_map half_spaces (constraints n)) (seen f)) (constraints n) in
      match steps_of_results table f (result_steps c) with
      | None => false
      | Some f => same_results f (results m) (results n)
      end
  end.

(* Soundness. *)
Lemma some_eq {A} (x y : A) : Some x = Some y -> x = y.
Proof. congruence. Qed.
Local Opaque narrow narrow_closed close.
Lemma without_value env f x : true_at env f -> forall l m, without f x l = Some m -> (all_natural env l <-> 0 <= vl env x /\ all_natural env m).
Proof.
  intro h. induction l as [|o l IH]; cbn [without]; intros m e; [discriminate|].
  destruct (integer f (plus x (-1) o)) as [[| |]|] eqn:E.
  { injection e as <-. apply (integer_value env f h) in E. rewrite plus_value in E. unfold all_natural. cbn.
    replace (vl env o) with (vl env x) by lia. tauto. }
  all: destruct (without f x l) as [m'|]; [|discriminate]; injection e as <-; specialize (IH _ eq_refl);
    unfold all_natural in *; cbn; rewrite IH; tauto.
Qed.
Lemma take_value env f e all lhs : true_at env f -> all_natural env all -> forall rest left, take f e all lhs rest = Some left ->
  all_natural env rest -> all_natural env lhs /\ all_natural env left.
Proof.
  intros h a. induction lhs as [|x lhs IH]; cbn [take]; intros rest left t n.
  - injection t as <-. split; [exact I | exact n].
  - destruct (without f x rest) as [r|] eqn:W.
    + apply (without_value env f x h) in W. apply W in n. destruct n as [x0 n]. destruct (IH _ _ t n). split; [split|]; assumption.
    + destruct (follows _ _ _ _) eqn:F; [|discriminate]. apply (follows_true _ _ _ _ _ h a) in F.
      destruct (IH _ _ t n). split; [split|]; assumption.
Qed.
Lemma take_back env f e all lhs : true_at env f -> forall rest left, take f e all lhs rest = Some left ->
  all_natural env lhs -> all_natural env left -> all_natural env rest.
Proof.
  intros h. induction lhs as [|x lhs IH]; cbn [take]; intros rest left t nl n; [injection t as <-; exact n|].
  destruct nl as [x0 nl]. destruct (without f x rest) as [r|] eqn:W.
  - apply (without_value env f x h) in W. apply W. split; [exact x0|]. exact (IH _ _ t nl n).
  - destruct (follows _ _ _ _); [|discriminate]. exact (IH _ _ t nl n).
Qed.
Lemma fold_see_bounds l : forall f, bounds (fold_left see l f) = bounds f.
Proof. induction l as [|x l IH]; intro f; cbn [fold_left]; [reflexivity|]. rewrite IH. reflexivity. Qed.

Section at_a_point.
Variable env : nat -> Z.
Variable table : list rule.
Hypothesis table_true : holds_all valid table.
Lemma rule_true r i : nth_error table i = Some r -> valid r.
Proof.
  clear - table_true. revert i. induction table as [|x l IH]; intros [|i]; cbn; try discriminate; destruct table_true as [v vl'].
  - intro e. injection e as <-. exact v.
  - apply IH. exact vl'.
Qed.

Lemma domain_step_sound given e s t s' : sound env given s -> domain_step table e s t = Some s' -> sound env given s'.
Proof.
  intros (ht & hi & hd). unfold domain_step. destruct (nth_error table _) as [r|] eqn:R; [|discriminate].
  apply rule_true in R.
  assert (plain : match apply (known s) e r t with Some g => Some (State (with_bounds g (bounds (known s))) (open s) (dead s)) | None => None end = Some s' ->
    sound env given s').
  { destruct (apply _ _ _ _) as [g|] eqn:A; [|discriminate]. intro E. injection E as <-. unfold sound. cbn [known open dead with_bounds bounds].
    split; [|auto]. intro b. pose proof (apply_true env _ _ _ _ _ R (ht b) A) as (a1 & _ & a3 & a4). exact (conj a1 (conj b (conj a3 a4))). }
  destruct (states r) as [x y|lhs rhs|l] eqn:S; try exact plain. clear plain.
  destruct (forallb _ _) eqn:C; [|discriminate]. destruct (take _ _ _ _ _) as [rest|] eqn:T; [|discriminate].
  intro E. injection E as <-. unfold sound. cbn [known open dead]. rewrite fold_see_bounds.
  split; [intro b; apply fold_see_true; auto|]. split; [|exact hd]. rewrite hi.
  assert (eqv : in_box env 0 (bounds (known s)) ->
    (all_natural env (all_differences (sum_at (bound_sums t)) lhs) <-> all_natural env (all_differences (sum_at (bound_sums t)) rhs))).
  { intro b. specialize (R (fun i => vl env (sum_at (bound_sums t) i))). apply (implied_true _ _ _ _ _ _ (ht b) C) in R.
    rewrite S in R. cbn [statement_holds] in R. unfold all_natural. rewrite !all_differences_value. exact R. }
  split.
  - intros [b o]. split; [exact b|]. destruct (take_value env _ _ _ _ (ht b) o _ _ T o) as [l n].
    apply all_natural_app. split; [exact n|]. apply eqv; assumption.
  - intros [b o]. split; [exact b|]. apply all_natural_app in o. destruct o as [n r']. apply (take_back env _ _ _ _ (ht b) _ _ T); [|exact n].
    apply eqv; assumption.
Qed.
Lemma noted_sound given s t : sound env given s -> sound env given (noted table s t).
Proof.
  intros (ht & hi & hd). unfold noted. destruct (nth_error table _) as [r|]; [destruct (states r)|]; try exact (conj ht (conj hi hd)).
  unfold sound. cbn [known open dead]. rewrite fold_see_bounds. split; [intro b; apply fold_see_true; auto | exact (conj hi hd)].
Qed.
Lemma domain_step_trying_sound given target s t s' : sound env given s -> domain_step_trying table target s t = Some s' -> sound env given s'.
Proof.
  intros h. unfold domain_step_trying.
  destruct (domain_step table Little s t) as [a|] eqn:A.
  { intro e. apply some_eq in e; subst. apply narrow_sound. exact (domain_step_sound _ _ _ _ _ h A). }
  pose proof (narrow_closed_sound env given target _ (noted_sound _ _ t h)) as h'. clear A.
  destruct (domain_step table More _ t) as [a|] eqn:A.
  { intro e. apply some_eq in e; subst. apply narrow_sound. exact (domain_step_sound _ _ _ _ _ h' A). }
  clear A. destruct (domain_step table Most _ t) as [a|] eqn:A; [|discriminate].
  intro e. apply some_eq in e; subst. apply narrow_sound. exact (domain_step_sound _ _ _ _ _ h' A).
Qed.
Lemma steps_of_domain_sound given target l : forall s s', sound env given s -> steps_of_domain table target s l = Some s' -> sound env given s'.
Proof.
  induction l as [|t l IH]; cbn [steps_of_domain]; intros s s' h e; [apply some_eq in e; subst; exact h|].
  destruct (dead s); [apply some_eq in e; subst; exact h|].
  destruct (domain_step_trying _ _ _ _) as [a|] eqn:A; [|discriminate]. exact (IH _ _ (domain_step_trying_sound _ _ _ _ _ h A) e).
Qed.

Lemma result_step_true f t g : true_at env f -> result_step table f t = Some g -> true_at env g.
Proof.
  intros h. unfold result_step. destruct (nth_error table _) as [r|] eqn:R; [|discriminate]. apply rule_true in R.
  destruct (apply f Little r t) as [a|] eqn:A; [intro e; apply some_eq in e; subst; exact (apply_true _ _ _ _ _ _ R h A)|].
  pose proof (close_true env false 20 f h) as h'. clear A.
  destruct (apply _ More r t) as [a|] eqn:A; [intro e; apply some_eq in e; subst; exact (apply_true _ _ _ _ _ _ R h' A)|].
  intro e. exact (apply_true _ _ _ _ _ _ R (close_true env true 20 _ h') e).
Qed.
Lemma steps_of_results_true l : forall f g, true_at env f -> steps_of_results table f l = Some g -> true_at env g.
Proof.
  induction l as [|t l IH]; cbn [steps_of_results]; intros f g h e; [apply some_eq in e; subst; exact h|].
  destruct (result_step _ _ _) as [a|] eqn:A; [|discriminate]. exact (IH _ _ (result_step_true _ _ _ h A) e).
Qed.
Lemma is_zero_true f x : true_at env f -> is_zero f x = true -> vl env x = 0.
Proof.
  intros h. unfold is_zero. destruct (integer f x) as [[| |]|] eqn:E; try discriminate. intros _. exact (integer_value env f h _ _ E).
Qed.
Lemma same_value_true f x y : true_at env f -> same_value f x y = true -> value env x = value env y.
Proof.
  intros h. unfold same_value. rewrite <- (sum_of_value env x), <- (sum_of_value env y).
  assert (z : forall g, true_at env g -> is_zero g (plus (sum_of x) (-1) (sum_of y)) = true -> vl env (sum_of x) = vl env (sum_of y)).
  { intros g hg e. apply (is_zero_true _ _ hg) in e. rewrite plus_value in e. lia. }
  pose proof (close_true env false 20 _ (see_true env _ (sum_of y) (see_true env _ (sum_of x) h))) as h'.
  rewrite !orb_true_iff. intros [e|[e|e]]; [exact (z _ h e) | exact (z _ h' e) | exact (z _ (close_true env true 20 _ h') e)].
Qed.
Lemma same_results_true f : true_at env f -> forall l m, same_results f l m = true -> List.map (value env) l = List.map (value env) m.
Proof.
  intro h. induction l as [|x l IH]; intros [|y m]; cbn [same_results List.map]; try discriminate; [reflexivity|].
  rewrite andb_true_iff. intros [e el]. rewrite (same_value_true _ _ _ h e), (IH _ el). reflexivity.
Qed.

Lemma is_empty_true m : is_empty m = true -> ~ inside m env.
Proof.
  unfold is_empty. rewrite orb_true_iff. intros [e|e] [b c].
  - clear c. revert b. generalize 0%nat as from. induction (box m) as [|i l IH]; cbn in *; [discriminate|]. intros from [w ws].
    rewrite orb_true_iff in e. destruct e as [e|e]; [exact (empty_interval_value _ _ e w) | exact (IH e _ ws)].
  - clear b. induction (constraints m) as [|[x i] l IH]; cbn in *; [discriminate|]. destruct c as [w ws].
    rewrite orb_true_iff in e. destruct e as [e|e]; [|exact (IH e ws)].
    destruct x; try discriminate. apply (empty_interval_value (meet (point c) i) c e). apply meet_within; [apply within_point | exact w].
Qed.

Lemma know_points_true l : forall f i, true_at env f -> in_box env i l -> true_at env (know_points f i l).
Proof.
  induction l as [|b l IH]; cbn [know_points in_box]; intros f i h w; [exact h|]. destruct w as [w ws]. apply IH; [|exact ws].
  destruct b as [[lo|] [hi|]]; try exact h. destruct (Z.eqb_spec lo hi); [|exact h]. apply know_true; [exact h|].
  rewrite plus_int_value, of_atom_value, va_var. ends. lia.
Qed.
Definition all_within (l : list (expr * interval)) : Prop := holds_all (fun c => within (snd c) (value env (fst c))) l.
Lemma know_constraints_true l : forall f, true_at env f -> all_within l -> true_at env (know_constraints f l).
Proof.
  induction l as [|[x b] l IH]; cbn [know_constraints]; intros f h w; [exact h|]. destruct w as [w ws]. apply IH; [|exact ws].
  apply (see_true env f (sum_of x)) in h. set (g := see f (sum_of x)) in *. cbn [fst snd] in w.
  destruct b as [[lo|] [hi|]]; try exact h. destruct (Z.eqb_spec lo hi); [|exact h]. apply know_true; [exact h|].
  rewrite plus_int_value, sum_of_value. ends. lia.
Qed.
Lemma know_points_bounds l : forall f i, bounds (know_points f i l) = bounds f.
Proof.
  induction l as [|b l IH]; intros f i; cbn [know_points]; [reflexivity|]. rewrite IH.
  destruct b as [[|] [|]]; try reflexivity. destruct (_ =? _); [apply know_bounds | reflexivity].
Qed.
Lemma know_constraints_bounds l : forall f, bounds (know_constraints f l) = bounds f.
Proof.
  induction l as [|[x b] l IH]; intros f; cbn [know_constraints]; [reflexivity|]. rewrite IH.
  destruct b as [[|] [|]]; try reflexivity. destruct (_ =? _); [rewrite know_bounds|]; reflexivity.
Qed.
Lemma start_true l stated others : in_box env 0 l -> all_within stated -> true_at env (start l stated others).
Proof.
  intros b w. apply know_constraints_true; [|exact w]. apply know_points_true; [|exact b]. apply fold_see_true.
  refine (conj I (conj b (conj I _))). apply all_half_spaces_value. exact w.
Qed.

Lemma same_expr_value x : forall y, same_expr x y = true -> value env x = value env y.
Proof.
  induction x as [c|i|a ha b hb|a ha b hb|a ha b hb|a ha b hb|a ha b hb|a ha b hb|a ha b hb]; intros []; cbn [same_expr value];
    try discriminate; rewrite ?andb_true_iff; intro e;
    [exact (proj1 (Z.eqb_eq _ _) e) | rewrite (proj1 (PeanoNat.Nat.eqb_eq _ _) e); reflexivity | ..];
    rewrite (ha _ (proj1 e)), (hb _ (proj2 e)); reflexivity.
Qed.
Lemma hull_left i j x : within i x -> within (hull_of i j) x.
Proof. destruct i as [[|] [|]], j as [[|] [|]]; unfold hull_of; ends; lia. Qed.
Lemma hull_right i j x : within j x -> within (hull_of i j) x.
Proof. destruct i as [[|] [|]], j as [[|] [|]]; unfold hull_of; ends; lia. Qed.
Lemma stated_by_both_true m n : inside m env \/ inside n env -> all_within (stated_by_both m n).
Proof.
  intros h. unfold stated_by_both. destruct (existsb _ _); [|exact I].
  assert (h' : all_within (constraints m) \/ all_within (constraints n)) by (destruct h as [[_ h]|[_ h]]; auto). clear h.
  unfold all_within in *. induction (constraints m) as [|[x i] l IH]; cbn [flat_map]; [exact I|].
  apply holds_all_app. split; [|apply IH; cbn in h'; tauto].
  destruct (find _ _) as [[y j]|] eqn:F; [|exact I]. cbn [fst snd holds_all]. split; [|exact I].
  destruct h' as [[w _]|h']; [exact (hull_left _ _ _ w)|]. apply hull_right.
  pose proof (find_some _ _ F) as [i' e]. cbn [fst] in e. rewrite (same_expr_value _ _ e). clear F IH.
  induction (constraints n) as [|d k IHk]; [contradiction|]. destruct h' as [w ws]. destruct i' as [->|i']; [exact w | exact (IHk ws i')].
Qed.

Lemma same_end_eq x y : same_end x y = true -> x = y.
Proof. destruct x, y; cbn; try discriminate; [rewrite Z.eqb_eq; congruence | reflexivity]. Qed.
Lemma same_box_eq : forall l m, same_box l m = true -> l = m.
Proof.
  induction l as [|[a b] l IH]; intros [|[c d] m]; cbn [same_box fst snd]; try discriminate; [reflexivity|].
  rewrite !andb_true_iff. intros [[x y] e]. rewrite (same_end_eq _ _ x), (same_end_eq _ _ y), (IH _ e). reflexivity.
Qed.

Lemma reaches_true s m n : sound env m s -> reaches s n = true ->
  (inside m env <-> inside n env) /\ (is_empty n = false -> bounds (known s) = box n).
Proof.
  intros (ht & hi & hd). unfold reaches. destruct (is_empty n) eqn:E.
  - intro r. split; [|discriminate]. pose proof (is_empty_true _ E) as ne.
    assert (~ inside m env); [|tauto]. rewrite orb_true_iff in r. destruct r as [r|r]; [exact (hd r)|].
    rewrite hi. intros [b o]. apply existsb_exists in r. destruct r as [x [i r]].
    apply (follows_true _ _ _ _ _ (ht b) o) in r. rewrite plus_int_value, scale_value in r.
    assert (0 <= vl env x); [|lia]. unfold all_natural in o. clear - i o. induction (open s) as [|y l IH]; [contradiction|].
    destruct o as [y0 o]. destruct i as [->|i]; [exact y0 | exact (IH i o)].
  - rewrite !andb_true_iff. intros [[[_ sb] fo] so]. apply same_box_eq in sb. split; [|auto].
    rewrite hi. unfold inside. rewrite <- sb. change (holds_all _ (constraints n)) with (all_within (constraints n)).
    unfold all_within. rewrite <- all_half_spaces_value. split; intros [b o]; (split; [exact b|]).
    + exact (all_follow_true _ _ _ _ _ (ht b) o so).
    + exact (all_follow_true _ _ _ _ _ (ht b) o fo).
Qed.

Lemma check_at_a_point c : check table c = true ->
  (inside (before c) env <-> inside (after c) env) /\
  (inside (before c) env -> List.map (value env) (results (before c)) = List.map (value env) (results (after c))).
Proof.
  unfold check. set (m := before c). set (n := after c). rewrite !andb_true_iff. intros [[_ _] h].
  set (common := if is_empty n then [] else stated_by_both m n) in h.
  set (s := State _ _ (is_empty m)) in h.
  assert (cases : all_within common \/ ~ inside m env /\ ~ inside n env).
  { subst common. destruct (is_empty n); [left; exact I|].
    destruct (existsb (Nat.eqb 0) (kinds m)) eqn:K; [|left; unfold stated_by_both; rewrite K; exact I].
    (* the claim is only needed at points of one of the domains *)
    assert (d : all_within (stated_by_both m n) \/ ~ all_within (stated_by_both m n)).
    { unfold all_within. generalize (stated_by_both m n) as l. induction l as [|[x [lo hi]] l [IH|IH]]; cbn [holds_all].
      - left. exact I.
      - assert (within (lo, hi) (value env x) \/ ~ within (lo, hi) (value env x)) by (destruct lo, hi; ends; lia). cbn [fst snd]. tauto.
      - right. tauto. }
    destruct d as [d|d]; [left; exact d|]. right. split; intro p; apply d, stated_by_both_true; auto. }
  destruct cases as [w|[nm nn]]; [|tauto].
  assert (h0 : sound env m s).
  { refine (conj _ (conj _ _)); subst s; cbn [known open dead]; unfold start; rewrite ?know_constraints_bounds, ?know_points_bounds, ?fold_see_bounds; cbn [bounds].
    - intro b. apply start_true; assumption.
    - unfold inside, all_natural. rewrite <- all_half_spaces_value. reflexivity.
    - apply is_empty_true. }
  destruct (steps_of_domain _ _ _ _) as [s1|] eqn:D; [|discriminate].
  apply (steps_of_domain_sound m _ _ _ _ (narrow_sound env m _ _ _ h0)) in D.
  apply (narrow_closed_sound env m (box n)) in D. set (s2 := narrow_closed (box n) s1) in *.
  rewrite andb_true_iff in h. destruct h as [r h]. destruct (reaches_true _ _ _ D r) as [iff eq]. split; [exact iff|].
  intro im. pose proof (proj1 iff im) as i. destruct (is_empty n) eqn:E; [exfalso; exact (is_empty_true _ E i)|].
  destruct (steps_of_results _ _ _) as [f|] eqn:S; [|discriminate].
  destruct D as (ht & _ & _). rewrite (eq eq_refl) in ht. destruct i as [b cs]. destruct (ht b) as (a1 & a2 & a3 & _).
  apply steps_of_results_true in S; [exact (same_results_true _ S _ _ h)|].
  apply know_constraints_true; [|exact cs]. refine (conj a1 (conj a2 (conj a3 _))). apply all_half_spaces_value. exact cs.
Qed.
End at_a_point.

Theorem check_sound table c : holds_all valid table -> check table c = true -> same_function (before c) (after c).
Proof.
  intros t h. split.
  - unfold check in h. rewrite !andb_true_iff in h. destruct h as [[k _] _].
    destruct (list_eq_dec _ (kinds (before c)) (kinds (after c))); [assumption | discriminate].
  - intro env. exact (check_at_a_point env table t c h).
Qed.
