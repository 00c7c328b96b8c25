(* Values at points of a box, in which some variables have a value. Law: a value that is given is the value at each point that
   agrees. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known.
Import ListNotations.
Open Scope Z_scope.

Definition assignment := nat -> option Z.
Definition nowhere : assignment := fun _ => None.
Definition assign (p : assignment) (i : nat) (x : Z) : assignment := fun j => if Nat.eqb i j then Some x else p j.
Definition agrees (p : assignment) (env : nat -> Z) : Prop := forall i x, p i = Some x -> env i = x.

Section value_of.
Variable va' : atom -> option Z.
Definition terms_at (t : list (Z * atom)) (c : Z) : option Z :=
  fold_right (fun q sum => both Z.add (option_map (Z.mul (fst q)) (va' (snd q))) sum) (Some c) t.
Definition lin_at (x : lin) : option Z := terms_at (terms x) (constant x).
Fixpoint extreme_at (least : bool) (l : list lin) : option (option Z) :=
  match l with
  | [] => Some None
  | x :: l => match lin_at x, extreme_at least l with Some v, Some w => Some (pick_with least v w) | _, _ => None end
  end.
Variable env : nat -> Z.
Hypothesis va'_is : forall a v, va' a = Some v -> va env a = v.
Lemma terms_at_value c t : forall v, terms_at t c = Some v -> c + vt env t = v.
Proof.
  unfold terms_at. induction t as [|[k a] t IH]; cbn [fold_right vt fst snd]; intros v e; [injection e as ->; lia|].
  destruct (va' a) as [u|] eqn:A; [|discriminate]. cbn [option_map] in e. apply va'_is in A.
  destruct (fold_right _ _ t) as [w|]; [|discriminate]. cbn [both] in e. injection e as <-.
  pose proof (IH _ eq_refl). subst u. lia.
Qed.
Lemma lin_at_value x v : lin_at x = Some v -> vl env x = v.
Proof. destruct x. rewrite vl_eq. apply terms_at_value. Qed.
Lemma extreme_at_value least l : forall v, extreme_at least l = Some v -> vext env least l = v.
Proof.
  induction l as [|x l IH]; cbn; intros v e; [injection e as <-; reflexivity|].
  destruct (lin_at x) as [u|] eqn:X; [|discriminate]. apply lin_at_value in X.
  destruct (extreme_at least l) as [w|]; [|discriminate]. injection e as <-. rewrite X, (IH _ eq_refl). reflexivity.
Qed.
End value_of.

Fixpoint atom_at (n : nat) (p : assignment) (a : atom) : option Z :=
  match n with
  | O => None
  | S n =>
      match a with
      | AVar i => p i
      | AProd _ l => fold_right (fun a r => both Z.mul (atom_at n p a) r) (Some 1) l
      | AMax _ l => match extreme_at (atom_at n p) false l with Some v => v | None => None end
      | AMin _ l => match extreme_at (atom_at n p) true l with Some v => v | None => None end
      | AQuot _ x d => both Z.div (lin_at (atom_at n p) x) (lin_at (atom_at n p) d)
      end
  end.

Lemma atom_at_value env p : agrees p env -> forall n a v, atom_at n p a = Some v -> va env a = v.
Proof.
  intros h. induction n as [|n IH]; [discriminate|]. intros [i|w l|w l|w l|w x d] v; cbn [atom_at]; autorewrite with values.
  - apply h.
  - revert v. induction l as [|a l IHl]; cbn [fold_right vprod]; intros v e; [injection e as <-; reflexivity|].
    destruct (atom_at n p a) eqn:A; [|discriminate]. destruct (fold_right _ _ l); [|discriminate]. cbn in e. injection e as <-.
    rewrite (IH _ _ A), (IHl _ eq_refl). reflexivity.
  - destruct (extreme_at _ _ l) eqn:E; [|discriminate]. apply (extreme_at_value _ env IH) in E. intros ->. rewrite E. reflexivity.
  - destruct (extreme_at _ _ l) eqn:E; [|discriminate]. apply (extreme_at_value _ env IH) in E. intros ->. rewrite E. reflexivity.
  - destruct (lin_at _ x) eqn:X; [|discriminate]. destruct (lin_at _ d) eqn:D; [|discriminate].
    apply (lin_at_value _ env IH) in X, D. intro e. cbn in e. injection e as <-. rewrite X, D. reflexivity.
Qed.

Definition value_at (p : assignment) (x : lin) : option Z := lin_at (atom_at depth p) x.
Lemma value_at_value env p x v : agrees p env -> value_at p x = Some v -> vl env x = v.
Proof. intro h. apply lin_at_value. apply atom_at_value. exact h. Qed.

Lemma agrees_nowhere env : agrees nowhere env.
Proof. intros i x. discriminate. Qed.
Lemma agrees_assign env p i x : agrees p env -> env i = x -> agrees (assign p i x) env.
Proof.
  intros h e j y. unfold assign. destruct (Nat.eqb i j) eqn:E; [|apply h].
  apply PeanoNat.Nat.eqb_eq in E. intro s. injection s as <-. subst. reflexivity.
Qed.

(* The variables of an atom. *)
Definition add_variable (i : nat) (l : list nat) : list nat := if existsb (Nat.eqb i) l then l else i :: l.
Fixpoint variables (n : nat) (a : atom) (l : list nat) : list nat :=
  match n with
  | O => l
  | S n =>
      let of_lin l x := fold_left (fun l p => variables n (snd p) l) (terms x) l in
      match a with
      | AVar i => add_variable i l
      | AProd _ m => fold_left (fun l a => variables n a l) m l
      | AMax _ m | AMin _ m => fold_left of_lin m l
      | AQuot _ x d => of_lin (of_lin l x) d
      end
  end.
Definition variables_of (l : list nat) (x : lin) : list nat := fold_left (fun l p => variables depth (snd p) l) (terms x) l.

Definition bound_of (f : facts) (i : nat) : interval := nth i (bounds f) everything.
Lemma bound_of_within env f i : true_at env f -> within (bound_of f i) (env i).
Proof.
  intros (_ & h & _). unfold bound_of. revert h. replace (env i) with (env (0 + i)%nat) by reflexivity.
  generalize 0%nat as from. generalize (bounds f) as l. clear f. revert i.
  induction i as [|i IH]; intros [|b l] from h; try apply within_everything; destruct h as [h hl].
  - replace (from + 0)%nat with from by lia. exact h.
  - replace (from + S i)%nat with (S from + i)%nat by lia. exact (IH _ _ hl).
Qed.

(* At all values of an interval, and at all points of a box. *)
Fixpoint all_values (g : Z -> bool) (count : nat) (x : Z) : bool :=
  match count with O => true | S count => if g x then all_values g count (x + 1) else false end.
Lemma all_values_all g hi : forall count x y, all_values g count x = true -> Z.of_nat count = hi - x + 1 -> x <= y <= hi -> g y = true.
Proof.
  induction count as [|count IH]; intros x y; cbn [all_values]; intros h e b; [lia|].
  destruct (g x) eqn:G; [|discriminate]. destruct (Z.eq_dec x y); [subst; exact G|]. apply (IH (x + 1)); [exact h | lia | lia].
Qed.

Definition axis := (nat * (Z * Z))%type.
Fixpoint all_points (axes : list axis) (p : assignment) (g : assignment -> bool) : bool :=
  match axes with
  | [] => g p
  | (i, (lo, hi)) :: axes => all_values (fun x => all_points axes (assign p i x) g) (Z.to_nat (hi - lo + 1)) lo
  end.
Lemma all_points_all env g axes : forall p,
  all_points axes p g = true -> agrees p env -> holds_all (fun a => fst (snd a) <= env (fst a) <= snd (snd a)) axes ->
  exists q, agrees q env /\ g q = true.
Proof.
  induction axes as [|[i [lo hi]] axes IH]; cbn [all_points holds_all fst snd]; intros p h a b; [exists p; auto|].
  destruct b as [b bs].
  apply (all_values_all _ hi _ _ (env i)) in h; [|lia|exact b].
  apply IH in h; [exact h | | exact bs]. apply agrees_assign; [exact a | reflexivity].
Qed.

(* The axes of variables, if these have at most `most` points together. *)
Fixpoint axes_of (f : facts) (most : Z) (l : list nat) : option (list axis) :=
  match l with
  | [] => Some []
  | i :: l =>
      match bound_of f i with
      | (Some lo, Some hi) =>
          let count := hi - lo + 1 in
          if (1 <=? count) && (count <=? most) then
            match axes_of f (most / count) l with Some axes => Some ((i, (lo, hi)) :: axes) | None => None end
          else None
      | _ => None
      end
  end.
Lemma axes_of_hold env f : true_at env f -> forall l most axes, axes_of f most l = Some axes ->
  holds_all (fun a => fst (snd a) <= env (fst a) <= snd (snd a)) axes.
Proof.
  intro h. induction l as [|i l IH]; cbn [axes_of]; intros most axes e; [injection e as <-; exact I|].
  pose proof (bound_of_within env f i h) as w. destruct (bound_of f i) as [[lo|] [hi|]]; try discriminate.
  destruct (_ && _); [|discriminate]. destruct (axes_of _ _ l) eqn:A; [|discriminate]. injection e as <-.
  split; [exact w|]. exact (IH _ _ A).
Qed.

Definition excluded (f : facts) (p : assignment) : bool :=
  existsb (fun c => match value_at p c with Some v => v <? 0 | None => false end) (natural f).
Definition natural_at_points (f : facts) (most : Z) (x : lin) : bool :=
  match axes_of f most (fold_left variables_of (natural f) (variables_of [] x)) with
  | Some axes =>
      all_points axes nowhere
        (fun p => match value_at p x with Some v => if 0 <=? v then true else excluded f p | None => false end)
  | None => false
  end.
Theorem natural_at_points_true env f most x : true_at env f -> natural_at_points f most x = true -> 0 <= vl env x.
Proof.
  intros h. unfold natural_at_points. destruct (axes_of _ _ _) as [axes|] eqn:A; [|discriminate]. intro e.
  apply (all_points_all env) in e; [|apply agrees_nowhere | exact (axes_of_hold _ _ h _ _ _ A)].
  destruct e as [q [a e]]. destruct (value_at q x) as [v|] eqn:V; [|discriminate].
  apply (value_at_value _ _ _ _ a) in V. destruct (Z.leb_spec 0 v); [lia|].
  unfold excluded in e. apply existsb_exists in e. destruct e as [c [i e]].
  destruct (value_at q c) as [w|] eqn:C; [|discriminate]. apply (value_at_value _ _ _ _ a) in C. apply Z.ltb_lt in e.
  destruct h as (_ & _ & _ & n). exfalso. clear A. revert i n. induction (natural f) as [|y l IH]; cbn; [tauto|].
  intros [->|i] [n ns]; [lia | auto].
Qed.

(* The interval of a sum of terms of one variable, by its values. *)
Fixpoint hull (g : Z -> option Z) (count : nat) (x : Z) (i : option (Z * Z)) : option (Z * Z) :=
  match count with
  | O => i
  | S count =>
      match g x with
      | None => None
      | Some v => hull g count (x + 1) (Some match i with Some (lo, hi) => (Z.min lo v, Z.max hi v) | None => (v, v) end)
      end
  end.
Lemma hull_more g : forall count x lo hi l h, hull g count x (Some (lo, hi)) = Some (l, h) -> l <= lo /\ hi <= h.
Proof.
  induction count as [|count IH]; intros x lo hi l h; cbn [hull]; intro e; [injection e as -> ->; lia|].
  destruct (g x); [|discriminate]. apply IH in e. lia.
Qed.
Lemma hull_within g hi : forall count x i l h y, hull g count x i = Some (l, h) -> Z.of_nat count = hi - x + 1 -> x <= y <= hi ->
  exists v, g y = Some v /\ l <= v <= h.
Proof.
  induction count as [|count IH]; intros x i l h y; cbn [hull]; intros e c b; [lia|].
  destruct (g x) as [v|] eqn:G; [|discriminate]. destruct (Z.eq_dec x y).
  - subst. exists v. split; [exact G|]. destruct i as [[lo hi']|]; apply hull_more in e; lia.
  - apply (IH _ _ _ _ y) in e; [exact e | lia | lia].
Qed.
Definition by_values (f : facts) (most : Z) (i : nat) (t : list (Z * atom)) : interval :=
  match axes_of f most [i] with
  | Some ((_, (lo, hi)) :: _) =>
      match hull (fun x => value_at (assign nowhere i x) (Lin 0 t)) (Z.to_nat (hi - lo + 1)) lo None with
      | Some (l, h) => (Some l, Some h)
      | None => everything
      end
  | _ => everything
  end.
Theorem by_values_within env f most i t : true_at env f -> within (by_values f most i t) (vt env t).
Proof.
  intro h. unfold by_values. destruct (axes_of f most [i]) as [axes|] eqn:A; [|apply within_everything].
  pose proof (axes_of_hold _ _ h _ _ _ A) as b. cbn [axes_of] in A.
  destruct (bound_of f i) as [[lo|] [hi|]]; try discriminate. destruct (_ && _); [|discriminate]. injection A as <-.
  cbn [holds_all fst snd] in b. destruct b as [b _].
  destruct (hull _ _ _ _) as [[l u]|] eqn:H; [|apply within_everything].
  apply (hull_within _ hi _ _ _ _ _ (env i)) in H; [|lia|exact b]. destruct H as [v [e w]].
  apply (value_at_value env) in e; [|apply agrees_assign; [apply agrees_nowhere | reflexivity]].
  rewrite vl_eq in e. ends. lia.
Qed.
