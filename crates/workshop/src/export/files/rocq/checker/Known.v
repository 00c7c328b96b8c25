(* What is known at a point: equations, and the intervals of variables and sums; and intervals of sums that follow.
   Law: all that a function here returns of a sum is true at each point at which the facts are. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals.
Import ListNotations.
Open Scope Z_scope.

Record facts := Facts {
  rows : list lin;                  (* zero *)
  bounds : list interval;           (* of variables *)
  shown : list (lin * interval);    (* of sums *)
  natural : list lin;               (* not negative *)
  seen : list atom }.               (* says nothing: where congruent atoms are looked for *)

Definition true_at (env : nat -> Z) (f : facts) : Prop :=
  holds_all (fun r => vl env r = 0) (rows f) /\
  in_box env 0 (bounds f) /\
  holds_all (fun p => within (snd p) (vl env (fst p))) (shown f) /\
  holds_all (fun s => 0 <= vl env s) (natural f).

(* Equations: each is solved for its first atom. *)
Fixpoint row_for (a : atom) (rows : list lin) : option lin :=
  match rows with
  | [] => None
  | r :: rows =>
      match terms r with
      | (_, b) :: _ => match cmp a b with Eq => Some r | _ => row_for a rows end
      | [] => row_for a rows
      end
  end.
Fixpoint first_solved (rows : list lin) (t : list (Z * atom)) : option (Z * lin) :=
  match t with
  | [] => None
  | (k, a) :: t => match row_for a rows with Some r => Some (k, r) | None => first_solved rows t end
  end.

Definition content (k : Z) (x : lin) : Z := fold_left (fun g p => Z.gcd g (fst p)) (terms x) (Z.gcd k (constant x)).
Definition divided (g : Z) (x : lin) : lin :=
  match x with Lin c t => Lin (c / g) (List.map (fun p => (fst p / g, snd p)) t) end.
Definition divides (g : Z) (x : lin) : bool :=
  (constant x mod g =? 0) && forallb (fun p => fst p mod g =? 0) (terms x).
(* `k` times a value is the sum: in lowest terms. *)
Definition lowest (x : lin) (k : Z) : lin * Z :=
  let g := content k x in
  if (1 <? g) && (k mod g =? 0) && divides g x then (divided g x, k / g) else (x, k).

Definition lead (r : lin) : Z := match terms r with (k, _) :: _ => k | [] => 0 end.

Fixpoint reduce_more (n : nat) (rows : list lin) (x : lin) (k : Z) : lin * Z :=
  match n with
  | O => (x, k)
  | S n =>
      match first_solved rows (terms x) with
      | None => (x, k)
      | Some (here, r) =>
          let there := lead r in
          let g := Z.gcd here there in
          let f := there / g in
          if 0 <? f then
            let (y, l) := lowest (plus (scale f x) (- (here / g)) r) (k * f) in
            reduce_more n rows y l
          else (x, k)
      end
  end.
Definition steps : nat := 300.
(* `(y, k)`: k times the sum is y. *)
Definition reduce (f : facts) (x : lin) : lin * Z := reduce_more steps (rows f) x 1.
Definition integer (f : facts) (x : lin) : option Z :=
  let (y, k) := reduce f x in if k =? 1 then as_int y else None.

Section at_a_point.
Variable env : nat -> Z.

Lemma divided_value g x : 0 < g -> divides g x = true -> g * vl env (divided g x) = vl env x.
Proof.
  intros pos. destruct x as [c t]. unfold divides, divided. cbn [constant terms]. rewrite andb_true_iff, Z.eqb_eq. intros [hc ht].
  rewrite !vl_eq. pose proof (Z_div_mod_eq_full c g).
  assert (g * vt env (List.map (fun p => (fst p / g, snd p)) t) = vt env t).
  { induction t as [|[k a] t IH]; cbn [List.map vt fst snd] in *; [lia|].
    cbn [forallb fst] in ht. rewrite andb_true_iff, Z.eqb_eq in ht. destruct ht as [hk ht].
    rewrite Z.mul_add_distr_l, (IH ht). pose proof (Z_div_mod_eq_full k g).
    replace (g * (k / g * va env a)) with (g * (k / g) * va env a) by ring.
    replace (g * (k / g)) with k by lia. reflexivity. }
  lia.
Qed.

Lemma lowest_value x k v : k * v = vl env x -> 0 < k -> let (y, l) := lowest x k in l * v = vl env y /\ 0 < l.
Proof.
  intros h pos. unfold lowest. destruct (_ && _ && _) eqn:E; [|auto].
  rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq in E. destruct E as [[g1 gk] gx].
  pose proof (divided_value (content k x) x ltac:(lia) gx) as e.
  pose proof (Z_div_mod_eq_full k (content k x)).
  set (g := content k x) in *. split; nia.
Qed.

Lemma row_for_zero l a r : holds_all (fun r => vl env r = 0) l -> row_for a l = Some r -> vl env r = 0.
Proof.
  induction l as [|x l IH]; cbn; [discriminate|]. intros [h hl].
  destruct (terms x) as [|[k b] t]; [auto|]. destruct (cmp a b); auto. intro e. injection e as <-. exact h.
Qed.
Lemma first_solved_zero l t k r : holds_all (fun r => vl env r = 0) l -> first_solved l t = Some (k, r) -> vl env r = 0.
Proof.
  intro h. induction t as [|[k' a] t IH]; cbn; [discriminate|].
  destruct (row_for a l) eqn:E; [|auto]. intro e. injection e as -> ->. exact (row_for_zero _ _ _ h E).
Qed.

Lemma reduce_more_value l v : holds_all (fun r => vl env r = 0) l ->
  forall n x k, k * v = vl env x -> 0 < k -> let (y, m) := reduce_more n l x k in m * v = vl env y /\ 0 < m.
Proof.
  intros h. induction n as [|n IH]; intros x k e pos; cbn [reduce_more]; [auto|].
  destruct (first_solved l (terms x)) as [[here r]|] eqn:E; [|auto].
  apply (first_solved_zero _ _ _ _ h) in E.
  destruct (0 <? _) eqn:F; [|auto]. apply Z.ltb_lt in F.
  match goal with |- context [lowest ?x ?k] => pose proof (lowest_value x k v) as low; destruct (lowest x k) as [y m] end.
  rewrite plus_value, scale_value, E in low.
  destruct low as [e' pos']; [nia | nia |]. apply IH; assumption.
Qed.

Variable f : facts.
Hypothesis facts_hold : true_at env f.

Lemma reduce_value x : let (y, k) := reduce f x in k * vl env x = vl env y /\ 0 < k.
Proof. unfold reduce. apply reduce_more_value; [apply facts_hold | lia | lia]. Qed.
Lemma integer_value x c : integer f x = Some c -> vl env x = c.
Proof.
  unfold integer. pose proof (reduce_value x) as h. destruct (reduce f x) as [y k]. destruct (Z.eqb_spec k 1); [|discriminate].
  intro c_is. apply (as_int_value env) in c_is. lia.
Qed.
End at_a_point.

(* Adds an equation. *)
Definition know (f : facts) (x : lin) : facts :=
  let y := fst (reduce f x) in
  match terms y with
  | [] => f
  | (k, _) :: _ =>
      let y := if k <? 0 then scale (-1) y else y in
      let g := content 0 y in
      let y := if (0 <? g) && divides g y then divided g y else y in
      Facts (rows f ++ [y]) (bounds f) (shown f) (natural f) (seen f)
  end.
Definition show (f : facts) (x : lin) (i : interval) : facts :=
  Facts (rows f) (bounds f) ((x, i) :: shown f) (natural f) (seen f).

Lemma holds_all_app {A} (P : A -> Prop) l m : holds_all P (l ++ m) <-> holds_all P l /\ holds_all P m.
Proof. induction l as [|x l IH]; cbn; [tauto|]. rewrite IH. tauto. Qed.

Lemma know_true env f x : true_at env f -> vl env x = 0 -> true_at env (know f x).
Proof.
  intros h e. unfold know. pose proof (reduce_value env f h x) as r. destruct (reduce f x) as [y k]. cbn [fst].
  destruct r as [r pos]. destruct (terms y) as [|[c a] t]; [exact h|].
  set (z := if c <? 0 then scale (-1) y else y).
  assert (vl env z = 0) by (unfold z; destruct (c <? 0); rewrite ?scale_value; nia).
  destruct h as (hr & hb & hs & hn). refine (conj _ (conj hb (conj hs hn))). cbn [rows].
  apply holds_all_app. split; [exact hr|]. cbn. split; [|exact I].
  destruct (_ && _) eqn:E; [|assumption]. rewrite andb_true_iff, Z.ltb_lt in E. destruct E as [g d].
  pose proof (divided_value env _ _ g d). nia.
Qed.
Lemma show_true env f x i : true_at env f -> within i (vl env x) -> true_at env (show f x i).
Proof. intros (hr & hb & hs & hn) w. exact (conj hr (conj hb (conj (conj w hs) hn))). Qed.
