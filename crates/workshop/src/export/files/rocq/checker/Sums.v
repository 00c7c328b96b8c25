(* Sums over atoms: what the checker computes with, and that each operation has the value that it says.
   Atoms are variables, quotients, products, minima and maxima; equal ones are found by comparing their structure. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps.
Import ListNotations.
Open Scope Z_scope.

(* How large an atom is: only the order of atoms depends on it. *)
Record weight := Weight { level : Z; size : Z; numbers : Z }.

Inductive atom :=
| AVar (i : nat)
| AProd (w : weight) (l : list atom)
| AMax (w : weight) (l : list lin)
| AMin (w : weight) (l : list lin)
| AQuot (w : weight) (x d : lin)
with lin := Lin (c : Z) (t : list (Z * atom)).

Definition pick (least : bool) : Z -> Z -> Z := if least then Z.min else Z.max.

Definition pick_with (least : bool) (x : Z) (y : option Z) : option Z :=
  match y with None => Some x | Some y => Some (pick least x y) end.

Definition or_zero (x : option Z) : Z := match x with Some x => x | None => 0 end.

Fixpoint va (env : nat -> Z) (a : atom) : Z :=
  match a with
  | AVar i => env i
  | AProd _ l => (fix go l := match l with [] => 1 | a :: l => va env a * go l end) l
  | AMax _ l => or_zero ((fix go l := match l with [] => None | x :: l => pick_with false (vl env x) (go l) end) l)
  | AMin _ l => or_zero ((fix go l := match l with [] => None | x :: l => pick_with true (vl env x) (go l) end) l)
  | AQuot _ x d => vl env x / vl env d
  end
with vl (env : nat -> Z) (s : lin) : Z :=
  match s with
  | Lin c t => c + (fix go t := match t with [] => 0 | (k, a) :: t => k * va env a + go t end) t
  end.

Fixpoint vt (env : nat -> Z) (t : list (Z * atom)) : Z :=
  match t with [] => 0 | (k, a) :: t => k * va env a + vt env t end.
Fixpoint vprod (env : nat -> Z) (l : list atom) : Z :=
  match l with [] => 1 | a :: l => va env a * vprod env l end.
Fixpoint vext (env : nat -> Z) (least : bool) (l : list lin) : option Z :=
  match l with [] => None | x :: l => pick_with least (vl env x) (vext env least l) end.

Lemma vl_eq env c t : vl env (Lin c t) = c + vt env t.
Proof. cbn [vl]. f_equal. induction t as [|[k a] t IH]; cbn [vt]; [reflexivity | rewrite <- IH; reflexivity]. Qed.
Lemma va_prod env w l : va env (AProd w l) = vprod env l.
Proof. cbn [va]. induction l as [|a l IH]; cbn [vprod]; [reflexivity | rewrite <- IH; reflexivity]. Qed.
Lemma va_max env w l : va env (AMax w l) = or_zero (vext env false l).
Proof. cbn [va]. f_equal. induction l as [|a l IH]; cbn [vext]; [reflexivity | rewrite <- IH; reflexivity]. Qed.
Lemma va_min env w l : va env (AMin w l) = or_zero (vext env true l).
Proof. cbn [va]. f_equal. induction l as [|a l IH]; cbn [vext]; [reflexivity | rewrite <- IH; reflexivity]. Qed.
Lemma va_quot env w x d : va env (AQuot w x d) = vl env x / vl env d.
Proof. reflexivity. Qed.
Global Opaque va vl.
Global Hint Rewrite vl_eq va_prod va_max va_min va_quot : values.

(* Comparison. *)
Notation "x ;; y" := (match x with Eq => y | other => other end) (at level 91, right associativity).

Fixpoint compare_list {A} (c : A -> A -> comparison) (l m : list A) : comparison :=
  match l, m with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: l, y :: m => c x y ;; compare_list c l m
  end.

Definition weight_of (a : atom) : weight :=
  match a with
  | AVar _ => Weight 0 1 0
  | AProd w _ | AMax w _ | AMin w _ | AQuot w _ _ => w
  end.

Definition compare_weight (v w : weight) : comparison :=
  Z.compare (level v) (level w) ;; Z.compare (size v) (size w) ;; Z.compare (numbers v) (numbers w).

Definition rank (a : atom) : nat :=
  match a with AVar _ => 0 | AMin _ _ => 1 | AMax _ _ => 2 | AQuot _ _ _ => 3 | AProd _ _ => 4 end%nat.

Fixpoint compare_atom (n : nat) (a b : atom) {struct n} : comparison :=
  match n with
  | O => Lt
  | S n =>
      let lin x y :=
        match x, y with
        | Lin c t, Lin d u =>
            compare_list (fun p q => compare_atom n (snd p) (snd q) ;; Z.compare (fst p) (fst q)) t u
              ;; Z.compare c d
        end in
      compare_weight (weight_of a) (weight_of b) ;;
      match a, b with
      | AVar i, AVar j => Nat.compare i j
      | AProd _ l, AProd _ m => compare_list (compare_atom n) l m
      | AMax _ l, AMax _ m => compare_list lin l m
      | AMin _ l, AMin _ m => compare_list lin l m
      | AQuot _ x d, AQuot _ y e => lin d e ;; lin x y
      | _, _ => match Nat.compare (rank a) (rank b) with Eq => Lt | other => other end
      end
  end.

(* Deeper than any expression that is worth a check. *)
Definition depth : nat := 100.
Definition cmp : atom -> atom -> comparison := compare_atom depth.

Definition compare_terms : list (Z * atom) -> list (Z * atom) -> comparison :=
  compare_list (fun p q => cmp (snd p) (snd q) ;; Z.compare (fst p) (fst q)).
Definition compare_lin (x y : lin) : comparison :=
  match x, y with Lin c t, Lin d u => compare_terms t u ;; Z.compare c d end.

Lemma compare_list_eq {A} (c : A -> A -> comparison) (P : A -> Z) :
  forall l m, (forall x y, c x y = Eq -> P x = P y) -> compare_list c l m = Eq -> List.map P l = List.map P m.
Proof.
  induction l as [|x l IH]; destruct m as [|y m]; cbn; intros h e; try discriminate; [reflexivity|].
  destruct (c x y) eqn:E; try discriminate. rewrite (h _ _ E), (IH _ h e). reflexivity.
Qed.

Lemma vt_map env t u :
  List.map (fun p => fst p * va env (snd p)) t = List.map (fun p => fst p * va env (snd p)) u -> vt env t = vt env u.
Proof.
  revert u. induction t as [|[k a] t IH]; destruct u as [|[k' b] u]; cbn; intro e; try discriminate; [reflexivity|].
  injection e as e e'. rewrite e, (IH _ e'). reflexivity.
Qed.
Lemma vprod_map env l m : List.map (va env) l = List.map (va env) m -> vprod env l = vprod env m.
Proof.
  revert m. induction l as [|a l IH]; destruct m as [|b m]; cbn; intro e; try discriminate; [reflexivity|].
  injection e as e e'. rewrite e, (IH _ e'). reflexivity.
Qed.
Lemma vext_map env least l m : List.map (vl env) l = List.map (vl env) m -> vext env least l = vext env least m.
Proof.
  revert m. induction l as [|a l IH]; destruct m as [|b m]; cbn; intro e; try discriminate; [reflexivity|].
  injection e as e e'. rewrite e, (IH _ e'). reflexivity.
Qed.

Ltac then_ := repeat match goal with
  | h : (match ?x with Eq => _ | Lt => _ | Gt => _ end) = Eq |- _ => let E := fresh "E" in destruct x eqn:E; try discriminate h
  end.

Lemma terms_eq env c t u :
  (forall a b, c a b = Eq -> va env a = va env b) ->
  compare_list (fun p q => c (snd p) (snd q) ;; Z.compare (fst p) (fst q)) t u = Eq -> vt env t = vt env u.
Proof.
  intros h e. apply vt_map. refine (compare_list_eq _ _ _ _ _ e).
  intros [k a] [k' b]; cbn. intro E. then_. apply h in E0. apply Z.compare_eq in E. rewrite E0, E. reflexivity.
Qed.

Lemma compare_atom_eq env n : forall a b, compare_atom n a b = Eq -> va env a = va env b.
Proof.
  induction n as [|n IH]; intros a b e; [discriminate|]. cbn [compare_atom] in e.
  then_. clear E.
  assert (lin : forall x y, match x, y with Lin c t, Lin d u =>
     compare_list (fun p q => compare_atom n (snd p) (snd q) ;; Z.compare (fst p) (fst q)) t u ;; Z.compare c d end = Eq
     -> vl env x = vl env y).
  { intros [c t] [d u] h. then_. apply Z.compare_eq in h. rewrite !vl_eq, h. f_equal. exact (terms_eq _ _ _ _ IH E). }
  destruct a, b; cbn in e; try discriminate; autorewrite with values.
  - apply PeanoNat.Nat.compare_eq in e. rewrite e. reflexivity.
  - apply vprod_map. exact (compare_list_eq _ _ _ _ IH e).
  - f_equal. apply vext_map. exact (compare_list_eq _ _ _ _ lin e).
  - f_equal. apply vext_map. exact (compare_list_eq _ _ _ _ lin e).
  - then_. rewrite (lin _ _ E), (lin _ _ e). reflexivity.
Qed.

Lemma cmp_eq env a b : cmp a b = Eq -> va env a = va env b.
Proof. apply compare_atom_eq. Qed.
Lemma compare_terms_eq env t u : compare_terms t u = Eq -> vt env t = vt env u.
Proof. apply terms_eq. apply cmp_eq. Qed.
Lemma compare_lin_eq env x y : compare_lin x y = Eq -> vl env x = vl env y.
Proof.
  destruct x as [c t], y as [d u]. unfold compare_lin. intro h. then_. apply Z.compare_eq in h.
  rewrite !vl_eq, h, (compare_terms_eq env _ _ E). reflexivity.
Qed.
Global Opaque cmp compare_terms compare_lin.

(* Linear arithmetic; terms are kept in order, the largest first. *)
Definition int (c : Z) : lin := Lin c [].
Definition of_atom (a : atom) : lin := Lin 0 [(1, a)].
Definition as_int (x : lin) : option Z := match x with Lin c [] => Some c | _ => None end.
Definition as_atom (x : lin) : option atom := match x with Lin 0 [(1, a)] => Some a | _ => None end.
Definition constant (x : lin) : Z := match x with Lin c _ => c end.
Definition terms (x : lin) : list (Z * atom) := match x with Lin _ t => t end.

Fixpoint merge (t : list (Z * atom)) : list (Z * atom) -> list (Z * atom) :=
  match t with
  | [] => fun u => u
  | (k, a) :: t' =>
      fix inner (u : list (Z * atom)) :=
        match u with
        | [] => t
        | (k', b) :: u' =>
            match cmp a b with
            | Eq => if k + k' =? 0 then merge t' u' else (k + k', a) :: merge t' u'
            | Gt => (k, a) :: merge t' u
            | Lt => (k', b) :: inner u'
            end
        end
  end.

Definition scale_terms (k : Z) (t : list (Z * atom)) : list (Z * atom) := List.map (fun p => (k * fst p, snd p)) t.
Definition scale (k : Z) (x : lin) : lin := match x with Lin c t => if k =? 0 then int 0 else Lin (k * c) (scale_terms k t) end.

(* x + k * y *)
Definition plus (x : lin) (k : Z) (y : lin) : lin :=
  if k =? 0 then x else
  match x, y with Lin c t, Lin d u => Lin (c + k * d) (merge t (if k =? 1 then u else scale_terms k u)) end.
Definition plus_int (x : lin) (c : Z) : lin := match x with Lin d t => Lin (d + c) t end.

Lemma merge_value env t u : vt env (merge t u) = vt env t + vt env u.
Proof.
  revert u. induction t as [|[k a] t IH]; [reflexivity|].
  induction u as [|[k' b] u IHu]; [cbn; lia|]. cbn [merge].
  destruct (cmp a b) eqn:E.
  - apply (cmp_eq env) in E. destruct (k + k' =? 0) eqn:Z0.
    + rewrite IH. cbn. apply Z.eqb_eq in Z0. rewrite E. nia.
    + cbn [vt]. rewrite IH. rewrite E. lia.
  - cbn [vt merge] in *. rewrite IHu. lia.
  - cbn [vt]. rewrite IH. cbn [vt]. lia.
Qed.
Lemma scale_terms_value env k t : vt env (scale_terms k t) = k * vt env t.
Proof. unfold scale_terms. induction t as [|[k' a] t IH]; cbn [List.map vt fst snd]; [lia|]. rewrite IH. lia. Qed.
Lemma int_value env c : vl env (int c) = c.
Proof. unfold int. rewrite vl_eq. cbn. lia. Qed.
Lemma of_atom_value env a : vl env (of_atom a) = va env a.
Proof. unfold of_atom. rewrite vl_eq. cbn [vt]. lia. Qed.
Lemma scale_value env k x : vl env (scale k x) = k * vl env x.
Proof.
  destruct x as [c t]. unfold scale. destruct (Z.eqb_spec k 0).
  - rewrite int_value. lia.
  - rewrite !vl_eq, scale_terms_value. lia.
Qed.
Lemma plus_value env x k y : vl env (plus x k y) = vl env x + k * vl env y.
Proof.
  unfold plus. destruct (Z.eqb_spec k 0); [lia|]. destruct x as [c t], y as [d u]. rewrite !vl_eq, merge_value.
  destruct (Z.eqb_spec k 1); rewrite ?scale_terms_value; subst; lia.
Qed.
Lemma plus_int_value env x c : vl env (plus_int x c) = vl env x + c.
Proof. destruct x. cbn. rewrite !vl_eq. lia. Qed.
Lemma as_int_value env x c : as_int x = Some c -> vl env x = c.
Proof. destruct x as [d [|]]; cbn; intro e; [|discriminate]. injection e as ->. apply int_value. Qed.
Lemma as_atom_value env x a : as_atom x = Some a -> vl env x = va env a.
Proof.
  destruct x as [[| |] [|[[|[| |]|] b] [|]]]; cbn; intro e; try discriminate. injection e as ->. apply of_atom_value.
Qed.
Global Hint Rewrite int_value of_atom_value scale_value plus_value plus_int_value : lins.
Global Opaque merge.

Fixpoint coefficient (a : atom) (t : list (Z * atom)) : Z :=
  match t with
  | [] => 0
  | (k, b) :: t => match cmp a b with Eq => k | _ => coefficient a t end
  end.

(* The k such that each term of `part` occurs k times in `whole`, or 0. *)
Definition multiplicity (whole part : list (Z * atom)) : Z :=
  match part with
  | [] => 0
  | (k, a) :: _ =>
      let times := Z.quot (coefficient a whole) k in
      if forallb (fun p => fst p * times =? coefficient (snd p) whole) part then times else 0
  end.

(* The weights of compound atoms. *)
Definition number_weight (c : Z) : Z := 2 * Z.abs c + (if c <? 0 then 1 else 0).
Definition terms_size (t : list (Z * atom)) : Z :=
  fold_left (fun s p => s + size (weight_of (snd p)) + (if Z.abs (fst p) =? 1 then 0 else 1)) t 0.
Definition size_of (x : lin) : Z := terms_size (terms x) + (if constant x =? 0 then 0 else 1).
Definition numbers_of (x : lin) : Z :=
  fold_left (fun s p => s + numbers (weight_of (snd p)) + number_weight (fst p)) (terms x) (number_weight (constant x)).
Definition level_of (x : lin) : Z := fold_left (fun s p => Z.max s (level (weight_of (snd p)))) (terms x) 0.
Definition has_extreme (x : lin) : bool :=
  existsb (fun p => match snd p with AMax _ _ | AMin _ _ => true | _ => false end) (terms x).

(* Quotients. *)
Definition quotient (x d : lin) : lin :=
  let plain :=
    of_atom (AQuot (Weight (level_of x + if has_extreme x then 1 else 0) (size_of x + size_of d + 1)
                           (numbers_of x + numbers_of d)) x d) in
  match as_int d with
  | Some c =>
      if c =? 1 then x else
      match as_int x with Some b => int (b / c) | None => plain end
  | None => plain
  end.

Lemma quotient_value env x d : vl env (quotient x d) = vl env x / vl env d.
Proof.
  unfold quotient. destruct (as_int d) as [c|] eqn:D.
  - apply (as_int_value env) in D. destruct (Z.eqb_spec c 1) as [one|].
    + rewrite D, one. symmetry. apply Z.div_1_r.
    + destruct (as_int x) as [b|] eqn:X.
      * apply (as_int_value env) in X. rewrite X, D. apply int_value.
      * autorewrite with lins values. reflexivity.
  - autorewrite with lins values. reflexivity.
Qed.

(* Products. *)
Definition factors (a : atom) : list atom := match a with AProd _ l => l | _ => [a] end.
Fixpoint insert_factor (a : atom) (l : list atom) : list atom :=
  match l with
  | [] => [a]
  | b :: m => match cmp a b with Gt => b :: insert_factor a m | _ => a :: l end
  end.
Definition product_of (l : list atom) : atom :=
  AProd (Weight (fold_left (fun s a => s + level (weight_of a)) l 0) (fold_left (fun s a => s + size (weight_of a)) l 1)
                (fold_left (fun s a => s + numbers (weight_of a)) l 0)) l.
Definition times_atom (a b : atom) : atom := product_of (fold_right insert_factor (factors b) (factors a)).

Definition times_terms (x : lin) (t : list (Z * atom)) : lin :=
  fold_right (fun p total =>
    plus total (fst p)
      (fold_right (fun q part => plus part (fst q) (of_atom (times_atom (snd p) (snd q))))
         (scale (constant x) (of_atom (snd p))) (terms x)))
    (int 0) t.
Definition times (x y : lin) : lin :=
  match as_int x, as_int y with
  | Some c, _ => scale c y
  | _, Some c => scale c x
  | None, None => plus (scale (constant y) x) 1 (times_terms x (terms y))
  end.

Lemma insert_factor_value env a l : vprod env (insert_factor a l) = va env a * vprod env l.
Proof. induction l as [|b l IH]; cbn; [reflexivity|]. destruct (cmp a b); cbn [vprod]; rewrite ?IH; ring. Qed.
Lemma factors_value env a : vprod env (factors a) = va env a.
Proof. destruct a; cbn [factors vprod]; autorewrite with values; ring. Qed.
Lemma times_atom_value env a b : va env (times_atom a b) = va env a * va env b.
Proof.
  unfold times_atom, product_of. rewrite va_prod, <- (factors_value env a), <- (factors_value env b).
  induction (factors a) as [|f l IH]; cbn [fold_right vprod]; [ring|]. rewrite insert_factor_value, IH. ring.
Qed.
Lemma times_terms_value env x t : vl env (times_terms x t) = vl env x * vt env t.
Proof.
  unfold times_terms. induction t as [|[k a] t IH]; cbn [fold_right vt fst snd]; [rewrite int_value; lia|].
  rewrite plus_value, IH.
  assert (part : vl env (fold_right (fun q part => plus part (fst q) (of_atom (times_atom a (snd q))))
         (scale (constant x) (of_atom a)) (terms x)) = vl env x * va env a).
  { clear IH. destruct x as [c u]. rewrite vl_eq. cbn [constant terms].
    induction u as [|[k' b] u IHu]; cbn [fold_right vt fst snd].
    - autorewrite with lins. ring.
    - rewrite plus_value, IHu, of_atom_value, times_atom_value. ring. }
  rewrite part. ring.
Qed.
Lemma times_value env x y : vl env (times x y) = vl env x * vl env y.
Proof.
  unfold times. destruct (as_int x) as [c|] eqn:X.
  - apply (as_int_value env) in X. rewrite scale_value, X. ring.
  - destruct (as_int y) as [c|] eqn:Y.
    + apply (as_int_value env) in Y. rewrite scale_value, Y. ring.
    + rewrite plus_value, scale_value, times_terms_value. destruct y as [d u]. rewrite (vl_eq env d u). cbn [constant terms]. ring.
Qed.

(* Minima and maxima: sorted, of integers one is kept, and of equal operands. *)
Definition is_number (x : lin) : bool := match as_int x with Some _ => true | None => false end.
Fixpoint insert_operand (least : bool) (x : lin) (l : list lin) : list lin :=
  match l with
  | [] => [x]
  | y :: m =>
      match compare_terms (terms x) (terms y) with
      | Eq =>
          if (constant x =? constant y) || is_number x then Lin (pick least (constant x) (constant y)) (terms x) :: m
          else if constant x <? constant y then x :: l else y :: insert_operand least x m
      | Gt => y :: insert_operand least x m
      | Lt => x :: l
      end
  end.
Definition operands (least : bool) (x : lin) : list lin :=
  match as_atom x, least with
  | Some (AMin _ (y :: l)), true => y :: l
  | Some (AMax _ (y :: l)), false => y :: l
  | _, _ => [x]
  end.
Definition flat (least : bool) (l : list lin) : list lin :=
  fold_right (fun x all => fold_right (insert_operand least) all (operands least x)) [] l.
Definition extreme (least : bool) (l : list lin) : lin :=
  match flat least l with
  | [x] => x
  | l =>
      let w := Weight (fold_left (fun s x => Z.max s (level_of x)) l 0)
                      (fold_left (fun s x => s + Z.max 1 (size_of x)) l 2)
                      (fold_left (fun s x => s + numbers_of x) l 0) in
      of_atom (if least then AMin w l else AMax w l)
  end.

Lemma pick_with_insert env least x l :
  vext env least (insert_operand least x l) = pick_with least (vl env x) (vext env least l).
Proof.
  induction l as [|y l IH]; [reflexivity|]. cbn [insert_operand].
  destruct (compare_terms (terms x) (terms y)) eqn:E.
  - apply (compare_terms_eq env) in E. destruct (_ || _); [|destruct (_ <? _)].
    + destruct x as [c t], y as [d u]. cbn [terms constant vext] in *.
      rewrite !vl_eq, E. destruct (vext env least l), least; cbn [pick_with pick]; f_equal; lia.
    + reflexivity.
    + cbn [vext]. rewrite IH. destruct (vext env least l), least; cbn [pick_with pick]; f_equal; lia.
  - reflexivity.
  - cbn [vext]. rewrite IH. destruct (vext env least l), least; cbn [pick_with pick]; f_equal; lia.
Qed.
Definition pick_options (least : bool) (x y : option Z) : option Z :=
  match x with None => y | Some x => pick_with least x y end.
Lemma insert_all_value env least l m :
  vext env least (fold_right (insert_operand least) m l) = pick_options least (vext env least l) (vext env least m).
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [fold_right]. rewrite pick_with_insert, IH. cbn [vext].
  destruct (vext env least l), (vext env least m), least; cbn; f_equal; lia.
Qed.
Lemma some_nonempty env least x l : vext env least (x :: l) = Some (or_zero (vext env least (x :: l))).
Proof. cbn. destruct (vext env least l); reflexivity. Qed.
Lemma operands_value env least x : vext env least (operands least x) = Some (vl env x).
Proof.
  unfold operands. destruct (as_atom x) as [a|] eqn:E; [|reflexivity].
  apply (as_atom_value env) in E. rewrite E.
  destruct a as [| |w [|y l]|w [|y l]|], least; cbn [vext pick_with]; try (rewrite E; reflexivity);
    autorewrite with values; exact (some_nonempty env _ y l).
Qed.
Lemma flat_value env least l : vext env least (flat least l) = vext env least l.
Proof.
  unfold flat. induction l as [|x l IH]; [reflexivity|]. cbn [fold_right vext].
  rewrite insert_all_value, operands_value, IH. reflexivity.
Qed.
Lemma extreme_value env least l : vl env (extreme least l) = or_zero (vext env least l).
Proof.
  unfold extreme. rewrite <- (flat_value env least l).
  destruct (flat least l) as [|x [|y m]]; [| reflexivity |]; destruct least; autorewrite with lins values; reflexivity.
Qed.
Lemma extreme_pair env least x y : vl env (extreme least [x; y]) = pick least (vl env x) (vl env y).
Proof. rewrite extreme_value. reflexivity. Qed.

(* Expressions, and terms of rules, as sums. *)
Definition remainder_of (x d : lin) : lin := plus x (-1) (times d (quotient x d)).
Lemma remainder_value env x d : vl env (remainder_of x d) = (vl env x) mod (vl env d).
Proof.
  unfold remainder_of. rewrite plus_value, times_value, quotient_value.
  pose proof (Z_div_mod_eq_full (vl env x) (vl env d)). lia.
Qed.

Fixpoint sum_of (e : expr) : lin :=
  match e with
  | Const c => int c
  | Var i => of_atom (AVar i)
  | Add x y => plus (sum_of x) 1 (sum_of y)
  | Mul x y => times (sum_of x) (sum_of y)
  | Div x y => quotient (sum_of x) (sum_of y)
  | Ceil x y => scale (-1) (quotient (scale (-1) (sum_of x)) (sum_of y))
  | Mod x y => remainder_of (sum_of x) (sum_of y)
  | Min x y => extreme true [sum_of x; sum_of y]
  | Max x y => extreme false [sum_of x; sum_of y]
  end.
Lemma va_var env i : va env (AVar i) = env i.
Proof. reflexivity. Qed.
Theorem sum_of_value env e : vl env (sum_of e) = value env e.
Proof.
  induction e; cbn [sum_of value];
    rewrite ?plus_value, ?times_value, ?remainder_value, ?extreme_pair, ?scale_value, ?quotient_value, ?scale_value,
      ?int_value, ?of_atom_value, ?va_var; try (rewrite IHe1, IHe2); cbn [pick]; try lia; reflexivity.
Qed.

Fixpoint term_sum (b : nat -> lin) (t : term) : lin :=
  match t with
  | TInt c => int c
  | TVar i => b i
  | TNeg x => scale (-1) (term_sum b x)
  | TAdd x y => plus (term_sum b x) 1 (term_sum b y)
  | TSub x y => plus (term_sum b x) (-1) (term_sum b y)
  | TMul x y => times (term_sum b x) (term_sum b y)
  | TDiv x y => quotient (term_sum b x) (term_sum b y)
  | TMod x y => remainder_of (term_sum b x) (term_sum b y)
  | TMin x y => extreme true [term_sum b x; term_sum b y]
  | TMax x y => extreme false [term_sum b x; term_sum b y]
  end.
Theorem term_sum_value env b t : vl env (term_sum b t) = term_value (fun i => vl env (b i)) t.
Proof.
  induction t; cbn [term_sum term_value];
    rewrite ?plus_value, ?times_value, ?remainder_value, ?extreme_pair, ?scale_value, ?quotient_value, ?int_value;
    try (rewrite IHt1, IHt2); try rewrite IHt; cbn [pick]; try lia; reflexivity.
Qed.
