(* Intervals of sums. Law: at each point at which the facts are true, a sum lies in the interval that is found. More ways are tried
   the greater `m` is. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known Points.
Import ListNotations.
Open Scope Z_scope.

(* What is shown of a sum, of its negation, or of one that differs by an integer. *)
Fixpoint shown_for (l : list (lin * interval)) (x minus : lin) : interval :=
  match l with
  | [] => everything
  | (y, i) :: l =>
      match compare_terms (terms x) (terms y), compare_terms (terms minus) (terms y) with
      | Eq, _ => meet (iadd i (point (constant x - constant y))) (shown_for l x minus)
      | _, Eq => meet (iadd (iscale (-1) i) (point (constant x + constant y))) (shown_for l x minus)
      | _, _ => shown_for l x minus
      end
  end.
Definition what_is_shown (f : facts) (x : lin) : interval :=
  match shown f with [] => everything | l => shown_for l x (scale (-1) x) end.

Lemma shown_for_within env l x minus :
  vt env (terms minus) = - vt env (terms x) -> holds_all (fun p => within (snd p) (vl env (fst p))) l ->
  within (shown_for l x minus) (vl env x).
Proof.
  intro m. induction l as [|[y i] l IH]; cbn [shown_for holds_all fst snd]; [intros; apply within_everything|].
  intros [h hl]. specialize (IH hl). destruct x as [c t], y as [d u]. cbn [terms constant] in *. rewrite vl_eq in *.
  destruct (compare_terms t u) eqn:E; [apply (compare_terms_eq env) in E | |].
  2, 3: destruct (compare_terms (terms minus) u) eqn:F; [apply (compare_terms_eq env) in F | exact IH | exact IH].
  - apply meet_within; [|exact IH]. replace (c + vt env t) with ((d + vt env u) + (c - d)) by lia.
    apply iadd_within; [exact h | apply within_point].
  - apply meet_within; [|exact IH]. replace (c + vt env t) with (-1 * (d + vt env u) + (c + d)) by lia.
    apply iadd_within; [apply iscale_within; exact h | apply within_point].
  - apply meet_within; [|exact IH]. replace (c + vt env t) with (-1 * (d + vt env u) + (c + d)) by lia.
    apply iadd_within; [apply iscale_within; exact h | apply within_point].
Qed.
Lemma what_is_shown_within env f x : true_at env f -> within (what_is_shown f x) (vl env x).
Proof.
  intros (_ & _ & h & _). unfold what_is_shown. destruct (shown f) as [|p l]; [apply within_everything|].
  apply shown_for_within; [|exact h]. destruct x as [c t]. cbn [scale terms Z.eqb]. rewrite scale_terms_value. lia.
Qed.

(* Quotients by integers. *)
Definition by_integer (a : atom) : option (lin * Z) :=
  match a with
  | AQuot _ x d => match as_int d with Some c => if 0 <? c then Some (x, c) else None | None => None end
  | _ => None
  end.
Lemma by_integer_value env a x c : by_integer a = Some (x, c) -> va env a = vl env x / c /\ 0 < c.
Proof.
  destruct a; try discriminate. cbn [by_integer]. destruct (as_int d) as [b|] eqn:D; [|discriminate].
  destruct (Z.ltb_spec 0 b); [|discriminate]. intro e. injection e as -> ->. apply (as_int_value env) in D.
  rewrite va_quot, D. auto.
Qed.

(* A quotient as that of a finer one, or of its numerator. *)
Fixpoint finer (x : lin) (d : Z) (l : list atom) : lin * Z :=
  match l with
  | [] => (x, d)
  | b :: l =>
      match by_integer b with
      | Some (y, c) =>
          match compare_lin x y with
          | Eq => if (c <? d) && (d mod c =? 0) then (of_atom b, d / c) else finer x d l
          | _ => finer x d l
          end
      | None => finer x d l
      end
  end.
Lemma finer_value env x d l : 0 < d -> let (part, e) := finer x d l in vl env x / d = vl env part / e /\ 0 < e.
Proof.
  intro pos. induction l as [|b l IH]; cbn [finer]; [auto|].
  destruct (by_integer b) as [[y c]|] eqn:B; [|exact IH]. apply (by_integer_value env) in B. destruct B as [B c0].
  destruct (compare_lin x y) eqn:E; try exact IH. apply (compare_lin_eq env) in E.
  destruct (_ && _) eqn:D; [|exact IH]. rewrite andb_true_iff, Z.ltb_lt, Z.eqb_eq in D. destruct D as [less D].
  rewrite of_atom_value, B, E. pose proof (Z_div_mod_eq_full d c) as w. rewrite D, Z.add_0_r in w.
  assert (0 < d / c) by nia. split; [|assumption].
  rewrite Z.div_div by lia. rewrite <- w. reflexivity.
Qed.

Section ranges.
Variable f : facts.
Variable r : lin -> interval.

(* Combines quotients and their numerators to remainders, one by one. *)
Fixpoint gathered (before quotients : list atom) (rest : lin) (total : interval) : lin * interval :=
  match quotients with
  | [] => (rest, total)
  | a :: quotients =>
      match by_integer a with
      | None => gathered before quotients rest total
      | Some (x, d) =>
          let (part, modulus) := finer x d before in
          let times := multiplicity (terms rest) (terms part) in
          if times =? 0 then gathered (a :: before) quotients rest total
          else
            let next := plus (plus rest (- times) part) (times * modulus) (of_atom a) in
            let rem := meet (imod (r part) modulus) (what_is_shown f (plus part (- modulus) (of_atom a))) in
            gathered (a :: before) quotients next (iadd total (iscale times rem))
      end
  end.

Fixpoint extreme_range (least : bool) (l : list lin) : option interval :=
  match l with
  | [] => None
  | x :: l => Some match extreme_range least l with Some i => ipick least (r x) i | None => r x end
  end.

Definition atom_range (a : atom) : interval :=
  let i :=
    match a with
    | AVar i => bound_of f i
    | AProd _ l => fold_right (fun a i => imul (r (of_atom a)) i) (point 1) l
    | AMax _ l => match extreme_range false l with Some i => i | None => everything end
    | AMin _ l => match extreme_range true l with Some i => i | None => everything end
    | AQuot _ x d =>
        match as_int d with
        | Some c => if 0 <? c then idiv (r x) c else everything
        | None => idiv_by (r x) (r d)
        end
    end in
  match shown f with [] => i | _ => meet i (what_is_shown f (of_atom a)) end.

Definition terms_range (t : list (Z * atom)) (c : Z) : interval :=
  fold_right (fun p i => iadd (iscale (fst p) (atom_range (snd p))) i) (point c) t.

(* The sum with each operand of a minimum or maximum in its place. *)
Fixpoint each_operand (over : bool) (rest : lin) (k : Z) (l : list lin) : option interval :=
  match l with
  | [] => None
  | y :: l =>
      let i := r (plus rest k y) in
      Some match each_operand over rest k l with Some j => ipick over i j | None => i end
  end.
Definition operands_range (x : lin) (p : Z * atom) : interval :=
  let (k, a) := p in
  let rest := plus x (- k) (of_atom a) in
  let range_of least l := match each_operand (if 0 <? k then least else negb least) rest k l with Some i => i | None => everything end in
  match a with
  | AMin _ l => range_of true l
  | AMax _ l => range_of false l
  | _ => everything
  end.

(* Terms by the variable on which alone they depend. *)
Fixpoint add_term (i : nat) (p : Z * atom) (l : list (nat * list (Z * atom))) : list (nat * list (Z * atom)) :=
  match l with
  | [] => [(i, [p])]
  | (j, t) :: l => if Nat.eqb i j then (j, p :: t) :: l else (j, t) :: add_term i p l
  end.
Fixpoint grouped (t : list (Z * atom)) : list (nat * list (Z * atom)) * list (Z * atom) :=
  match t with
  | [] => ([], [])
  | p :: t =>
      let (l, others) := grouped t in
      match variables depth (snd p) [] with
      | [i] => (add_term i p l, others)
      | _ => (l, p :: others)
      end
  end.
Definition group_range (g : nat * list (Z * atom)) : interval :=
  let (i, t) := g in
  let plain := terms_range t 0 in
  match t with [(_, AVar _)] => plain | _ => meet plain (by_values f 64 i t) end.
Definition values_range (x : lin) : interval :=
  let (l, others) := grouped (terms x) in
  fold_right (fun g i => iadd (group_range g) i) (terms_range others (constant x)) l.

Definition constraints_range (x : lin) : interval :=
  fold_right (fun c i =>
    let i := match integer f (plus x (-1) c) with Some v => meet i (Some v, None) | None => i end in
    match integer f (plus x 1 c) with Some v => meet i (None, Some v) | None => i end) everything (natural f).

Variable env : nat -> Z.
Hypothesis h : true_at env f.
Hypothesis r_within : forall x, within (r x) (vl env x).

Lemma gathered_within quotients : forall before rest total t, within total t ->
  let (x, i) := gathered before quotients rest total in exists u, within i u /\ vl env x + u = vl env rest + t.
Proof.
  induction quotients as [|a q IH]; intros before rest total t w; cbn [gathered]; [exists t; auto|].
  destruct (by_integer a) as [[x d]|] eqn:A; [|apply IH; exact w].
  apply (by_integer_value env) in A. destruct A as [A pos].
  pose proof (finer_value env x d before pos) as F. destruct (finer x d before) as [part e]. destruct F as [F pe].
  destruct (_ =? 0); [apply IH; exact w|].
  set (k := multiplicity _ _).
  assert (vl env part mod e = vl env (plus part (- e) (of_atom a))).
  { rewrite plus_value, of_atom_value, A, F. rewrite Z.mod_eq by lia. ring. }
  specialize (IH (a :: before) (plus (plus rest (- k) part) (k * e) (of_atom a))
    (iadd total (iscale k (meet (imod (r part) e) (what_is_shown f (plus part (- e) (of_atom a))))))
    (t + k * (vl env part mod e))).
  destruct (gathered _ _ _ _) as [y i].
  destruct IH as [u [wu eu]].
  - apply iadd_within; [exact w|]. apply iscale_within. apply meet_within.
    + apply imod_within; [exact pe | apply r_within].
    + rewrite H. apply what_is_shown_within. exact h.
  - exists u. split; [exact wu|]. rewrite eu, H, !plus_value, of_atom_value. ring.
Qed.

Lemma extreme_range_within least l : forall i v, extreme_range least l = Some i -> vext env least l = Some v -> within i v.
Proof.
  induction l as [|x l IH]; cbn [extreme_range vext]; intros i v e w; [discriminate|]. injection e as <-.
  destruct l as [|y m]; [cbn in *; injection w as <-; apply r_within|].
  rewrite some_nonempty in w. cbn [pick_with] in w. injection w as <-.
  destruct (extreme_range least (y :: m)) as [i|] eqn:E; [|discriminate].
  apply ipick_within; [apply r_within|]. apply IH; [reflexivity | apply some_nonempty].
Qed.
Lemma extreme_range_or least l v : or_zero (vext env least l) = v ->
  within match extreme_range least l with Some i => i | None => everything end v.
Proof.
  intros <-. destruct l as [|x l]; [apply within_everything|].
  destruct (extreme_range least (x :: l)) as [i|] eqn:E; [|apply within_everything].
  exact (extreme_range_within _ _ _ _ E (some_nonempty _ _ _ _)).
Qed.

Lemma atom_range_within a : within (atom_range a) (va env a).
Proof.
  unfold atom_range. set (i := match a with AVar _ => _ | _ => _ end).
  assert (within i (va env a)).
  { subst i. destruct a as [j|w l|w l|w l|w x d]; autorewrite with values.
    - rewrite va_var. apply bound_of_within. exact h.
    - induction l as [|a l IH]; cbn [fold_right vprod]; [apply within_point|].
      apply imul_within; [rewrite <- of_atom_value; apply r_within | exact IH].
    - apply extreme_range_or. reflexivity.
    - apply extreme_range_or. reflexivity.
    - destruct (as_int d) as [c|] eqn:D; [|apply idiv_by_within; apply r_within].
      apply (as_int_value env) in D. destruct (Z.ltb_spec 0 c); [|apply within_everything].
      rewrite D. apply idiv_within; [assumption | apply r_within]. }
  destruct (shown f) eqn:S; [assumption|]. apply meet_within; [assumption|].
  rewrite <- of_atom_value. apply what_is_shown_within. exact h.
Qed.

Lemma terms_range_within t c : within (terms_range t c) (c + vt env t).
Proof.
  unfold terms_range. induction t as [|[k a] t IH]; cbn [fold_right vt fst snd].
  - rewrite Z.add_0_r. apply within_point.
  - replace (c + (k * va env a + vt env t)) with (k * va env a + (c + vt env t)) by ring.
    apply iadd_within; [apply iscale_within; apply atom_range_within | exact IH].
Qed.

Lemma each_operand_within least rest k l : forall i v,
  each_operand (if 0 <? k then least else negb least) rest k l = Some i -> vext env least l = Some v -> within i (vl env rest + k * v).
Proof.
  induction l as [|y l IH]; cbn [each_operand vext]; intros i v E V; [discriminate|]. injection E as <-.
  pose proof (r_within (plus rest k y)) as w. rewrite plus_value in w.
  destruct l as [|z m]; [cbn in *; injection V as <-; exact w|].
  rewrite some_nonempty in V. cbn [pick_with] in V. injection V as <-.
  destruct (each_operand _ rest k (z :: m)) as [j|] eqn:E; [|discriminate].
  specialize (IH _ _ eq_refl (some_nonempty _ _ _ _)). set (u := or_zero _) in *.
  replace (vl env rest + k * pick least (vl env y) u) with
    (pick (if 0 <? k then least else negb least) (vl env rest + k * vl env y) (vl env rest + k * u)).
  - apply ipick_within; assumption.
  - destruct (Z.ltb_spec 0 k), least; cbn [negb pick]; nia.
Qed.
Lemma operands_range_within x p : within (operands_range x p) (vl env x).
Proof.
  destruct p as [k a]. unfold operands_range. set (rest := plus x (- k) (of_atom a)).
  assert (x_is : vl env x = vl env rest + k * va env a) by (unfold rest; rewrite plus_value, of_atom_value; ring).
  assert (of : forall least l, va env a = or_zero (vext env least l) -> within
    match each_operand (if 0 <? k then least else negb least) rest k l with Some i => i | None => everything end (vl env x)).
  { intros least l e. rewrite x_is, e. destruct l as [|y l]; [apply within_everything|].
    destruct (each_operand _ rest k (y :: l)) as [i|] eqn:E; [|apply within_everything].
    exact (each_operand_within _ _ _ _ _ _ E (some_nonempty _ _ _ _)). }
  destruct a; try apply within_everything; apply of; autorewrite with values; reflexivity.
Qed.

Definition groups_value (l : list (nat * list (Z * atom))) : Z := fold_right (fun g s => vt env (snd g) + s) 0 l.
Lemma add_term_value i p l : groups_value (add_term i p l) = fst p * va env (snd p) + groups_value l.
Proof.
  unfold groups_value. induction l as [|[j t] l IH]; cbn [add_term fold_right snd]; destruct p as [k a].
  - cbn. lia.
  - destruct (Nat.eqb i j); cbn [fold_right snd vt fst] in *; [lia|]. rewrite IH. lia.
Qed.
Lemma grouped_value t : let (l, others) := grouped t in vt env t = groups_value l + vt env others.
Proof.
  induction t as [|[k a] t IH]; cbn [grouped]; [reflexivity|]. destruct (grouped t) as [l others]. cbn [snd vt].
  destruct (variables depth a []) as [|i [|]]; rewrite ?add_term_value; cbn [vt fst snd]; lia.
Qed.
Lemma group_range_within g : within (group_range g) (vt env (snd g)).
Proof.
  destruct g as [i t]. cbn [snd]. unfold group_range.
  pose proof (terms_range_within t 0) as plain. cbn [Z.add] in plain.
  assert (within (meet (terms_range t 0) (by_values f 64 i t)) (vt env t)) by (apply meet_within; [exact plain | apply by_values_within; exact h]).
  destruct t as [|[k [| | | |]] [|]]; assumption.
Qed.
Lemma values_range_within x : within (values_range x) (vl env x).
Proof.
  unfold values_range. destruct x as [c t]. cbn [terms constant]. rewrite vl_eq. pose proof (grouped_value t) as e.
  destruct (grouped t) as [l others]. rewrite e. clear e. unfold groups_value.
  induction l as [|g l IH]; cbn [fold_right].
  - apply terms_range_within.
  - replace (c + (vt env (snd g) + fold_right (fun g s => vt env (snd g) + s) 0 l + vt env others)) with
      (vt env (snd g) + (c + (fold_right (fun g s => vt env (snd g) + s) 0 l + vt env others))) by ring.
    apply iadd_within; [apply group_range_within | exact IH].
Qed.

Lemma constraints_range_within x : within (constraints_range x) (vl env x).
Proof.
  unfold constraints_range. pose proof h as (_ & _ & _ & n). revert n.
  induction (natural f) as [|c l IH]; cbn [fold_right holds_all]; [intros; apply within_everything|].
  intros [c0 n]. specialize (IH n). set (i := fold_right _ _ l) in *.
  assert (one : within match integer f (plus x (-1) c) with Some v => meet i (Some v, None) | None => i end (vl env x)).
  { destruct (integer f (plus x (-1) c)) as [v|] eqn:E; [|exact IH].
    apply (integer_value env f h) in E. rewrite plus_value in E. apply meet_within; [exact IH|]. ends. lia. }
  destruct (integer f (plus x 1 c)) as [v|] eqn:E; [|exact one].
  apply (integer_value env f h) in E. rewrite plus_value in E. apply meet_within; [exact one|]. ends. lia.
Qed.
End ranges.

Fixpoint insert_quotient (p : atom * Z) (l : list (atom * Z)) : list (atom * Z) :=
  match l with
  | [] => [p]
  | q :: m => if snd p <=? snd q then p :: l else q :: insert_quotient p m
  end.
(* The quotients of a sum by integers, with smaller divisors first. *)
Definition quotients_of (t : list (Z * atom)) : list atom :=
  List.map fst (fold_right (fun p l => match by_integer (snd p) with Some (_, d) => insert_quotient (snd p, d) l | None => l end) [] t).

Definition remainders_range (f : facts) (r : lin -> interval) (x : lin) (quotients : list atom) : interval :=
  let (rest, total) := gathered f r [] quotients x (point 0) in
  iadd (terms_range f r (terms rest) (constant rest)) total.

Fixpoint range (f : facts) (n m : nat) (x : lin) {struct n} : interval :=
  match n with
  | O => everything
  | S n =>
      let r := range f n m in
      let i := meet (terms_range f r (terms x) (constant x)) (what_is_shown f x) in
      match m with
      | O => i
      | S less =>
          let remainders := remainders_range f r x in
          let i :=
            match quotients_of (terms x) with
            | [] => i
            | [q] => meet i (remainders [q])
            | q => meet i (meet (remainders q) (remainders (quotients_of (rev (terms x)))))
            end in
          match less with
          | O => i
          | S _ =>
              let i :=
                match terms x with
                | _ :: _ :: _ => fold_right (fun p i => match snd p with
                    | AMin _ _ | AMax _ _ => meet i (operands_range (range f n less) x p)
                    | _ => i end) i (terms x)
                | _ => i
                end in
              let i := match terms x with [(_, AVar _)] => i | _ => meet i (values_range f r x) end in
              match natural f with [] => i | _ => meet i (constraints_range f x) end
          end
      end
  end.

Theorem range_within env f : true_at env f -> forall n m x, within (range f n m x) (vl env x).
Proof.
  intro h. induction n as [|n IH]; intros m x; cbn [range]; [apply within_everything|].
  set (r := range f n m). assert (hr : forall x, within (r x) (vl env x)) by (intro; apply IH).
  assert (base : within (meet (terms_range f r (terms x) (constant x)) (what_is_shown f x)) (vl env x)).
  { apply meet_within; [|apply what_is_shown_within; exact h]. destruct x. rewrite vl_eq.
    apply (terms_range_within f r env h hr). }
  destruct m as [|less]; [exact base|].
  assert (rem : forall q, within (remainders_range f r x q) (vl env x)).
  { intro q. unfold remainders_range. pose proof (gathered_within f r env h hr q [] x (point 0) 0 (within_point 0)) as g.
    destruct (gathered f r [] q x (point 0)) as [rest total]. destruct g as [u [w e]].
    replace (vl env x) with (vl env rest + u) by lia. apply iadd_within; [|exact w].
    destruct rest. rewrite vl_eq. apply (terms_range_within f r env h hr). }
  set (i := match quotients_of (terms x) with [] => _ | _ => _ end).
  assert (second : within i (vl env x)).
  { subst i. destruct (quotients_of (terms x)) as [|q [|]]; repeat first [exact base | apply rem | apply meet_within]. }
  destruct less as [|less]; [exact second|].
  set (j := match terms x with _ :: _ :: _ => _ | _ => i end).
  assert (third : within j (vl env x)).
  { subst j. destruct (terms x) as [|p [|q t]]; [exact second | exact second |].
    generalize (p :: q :: t) as l. induction l as [|[k a] l IHl]; cbn [fold_right snd]; [exact second|].
    destruct a; try exact IHl; apply meet_within; try exact IHl;
      apply operands_range_within; intro; apply IH. }
  set (l := match terms x with [(_, AVar _)] => j | _ => _ end).
  assert (fourth : within l (vl env x)).
  { assert (within (meet j (values_range f r x)) (vl env x)).
    { apply meet_within; [exact third|]. apply values_range_within; assumption. }
    subst l. destruct (terms x) as [|[k [| | | |]] [|]]; assumption. }
  destruct (natural f); [exact fourth|]. apply meet_within; [exact fourth|]. apply constraints_range_within. exact h.
Qed.
