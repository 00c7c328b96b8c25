(* Congruence: quotients of equal sums are equal, and minima and maxima of equal operands.
   Law: each equation that is added is true where the facts are. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Known.
Import ListNotations.
Open Scope Z_scope.

(* Atoms inside sums, the innermost first. *)
Definition see_atom (a : atom) (l : list atom) : list atom :=
  if existsb (fun b => match cmp a b with Eq => true | _ => false end) l then l else a :: l.
Fixpoint see_inside (n : nat) (a : atom) (l : list atom) : list atom :=
  match n with
  | O => l
  | S n =>
      let of_lin l x := fold_left (fun l p => see_inside n (snd p) l) (terms x) l in
      match a with
      | AVar _ => l
      | AProd _ m => see_atom a (fold_left (fun l a => see_inside n a l) m l)
      | AMax _ m | AMin _ m => see_atom a (fold_left of_lin m l)
      | AQuot _ x d => see_atom a (of_lin (of_lin l x) d)
      end
  end.
Definition see (f : facts) (x : lin) : facts :=
  Facts (rows f) (bounds f) (shown f) (natural f) (fold_left (fun l p => see_inside depth (snd p) l) (terms x) (seen f)).
Lemma see_true env f x : true_at env f -> true_at env (see f x).
Proof. exact (fun h => h). Qed.

(* The only minimum, or maximum, among terms. *)
Definition operands_in (least : bool) (a : atom) : list lin :=
  match a, least with AMin _ l, true => l | AMax _ l, false => l | _, _ => [] end.
Fixpoint extremes_in (least : bool) (t : list (Z * atom)) : list atom :=
  match t with
  | [] => []
  | (k, a) :: t =>
      match operands_in least a with
      | [] => extremes_in least t
      | _ => if k =? 1 then a :: extremes_in least t else extremes_in least t
      end
  end.

(* The operands that a sum stands for in a minimum or maximum. *)
Fixpoint expand (f : facts) (n : nat) (least : bool) (x : lin) : list lin :=
  match n with
  | O => [x]
  | S n =>
      let (y, k) := reduce f x in
      if k =? 1 then
        match extremes_in least (terms y) with
        | [a] =>
            match operands_in least a with
            | [] => [y]
            | l => let rest := plus y (-1) (of_atom a) in flat_map (fun z => expand f n least (plus z 1 rest)) l
            end
        | _ => [y]
        end
      else [x]
  end.
Definition operands_of (f : facts) (least : bool) (l : list lin) : list lin := flat least (flat_map (expand f 8 least) l).

(* x is at most y, or at least. *)
Definition dominates (least : bool) (x y : lin) : bool :=
  match compare_terms (terms x) (terms y) with
  | Eq => if least then constant x <=? constant y else constant y <=? constant x
  | _ => false
  end.
Definition some_dominates (least : bool) (l : list lin) (y : lin) : bool := existsb (fun x => dominates least x y) l.
(* A minimum or maximum that equals a sum. *)
Record part := Part { kind : bool; parts : list lin; equals : lin }.
(* The pick of l is at most that of m, or at least, as the part is equal to its operands. *)
Definition covers (p : part) (l m : list lin) : bool :=
  forallb (fun y =>
    some_dominates (kind p) l y
    || (some_dominates (kind p) l (equals p) && some_dominates (kind p) (parts p) y)
    || (dominates (kind p) (equals p) y && forallb (some_dominates (kind p) l) (parts p))) m.

Definition is_in (l : list lin) (x : lin) : bool := existsb (fun y => match compare_lin x y with Eq => true | _ => false end) l.
Definition number_in (l : list lin) : option Z := fold_right (fun x n => match as_int x with Some c => Some c | None => n end) None l.

(* Forms that may be equal: `covers` decides. *)
Definition folded (p : part) (l : list lin) : list lin :=
  let own x := is_in (parts p) x in
  let whole := forallb (fun x => is_number x || is_in l x) (parts p) in
  let l := if whole then insert_operand (kind p) (equals p) (filter (fun x => negb (own x)) l) else l in
  match number_in (parts p), number_in l with
  | Some c, Some d =>
      if (if kind p then c <=? d else d <=? c) && is_in l (equals p) && negb (is_number (equals p))
      then filter (fun x => negb (is_number x)) l else l
  | _, _ => l
  end.
Definition unfolded (p : part) (l : list lin) : list lin :=
  if is_in l (equals p) && negb (is_in (parts p) (equals p)) then
    fold_right (insert_operand (kind p)) (filter (fun x => negb (is_in [equals p] x)) l) (parts p)
  else l.

Definition is_list (l m : list lin) : bool := match compare_list compare_lin l m with Eq => true | _ => false end.
Definition add_way (f : facts) (p : part) (l m : list lin) (ways : list (list lin)) : list (list lin) :=
  if existsb (is_list m) ways then ways
  else match m with
  | [] => ways
  | _ => if covers p l m && covers p m l then
      let m' := operands_of f (kind p) m in
      if existsb (is_list m') ways then ways ++ [m] else ways ++ [m'; m]
    else ways
  end.
(* Folds one part after the other. *)
Fixpoint ways (f : facts) (l : list lin) (ps : list part) (w : list (list lin)) : list (list lin) :=
  match ps with
  | [] => w
  | p :: ps => let m := folded p l in
     let w' := add_way f p l m w in
     ways f (if (Nat.eqb (length w') (length w)) then l else operands_of f (kind p) m) ps w'
  end.
Fixpoint all_ways (f : facts) (n : nat) (ps : list part) (todo w : list (list lin)) : list (list lin) :=
  match n with
  | O => w
  | S n =>
      match todo with
      | [] => w
      | l :: todo =>
          let w' := fold_left (fun w p => add_way f p l (unfolded p l) (add_way f p l (folded p l) w)) ps w in
          all_ways f n ps (todo ++ skipn (length w) w') w'
      end
  end.

Inductive shape :=
| Is (x : lin)
| Quotient (x : lin) (k : Z) (d : lin) (l : Z)
| Extreme (least : bool) (l : list lin).
Definition same_shape (s t : shape) : bool :=
  match s, t with
  | Quotient x k d l, Quotient y m e n =>
      (k =? m) && (l =? n) && match compare_lin d e, compare_lin x y with Eq, Eq => true | _, _ => false end
  | Extreme b l, Extreme c m => Bool.eqb b c && is_list l m
  | _, _ => false
  end.

Definition extreme_shapes (f : facts) (all : bool) (ps : list part) (least : bool) (l : list lin) : list shape :=
  let ps := filter (fun p => Bool.eqb (kind p) least) ps in
  let first := operands_of f least l in
  let w := ways f first ps [first] in
  let w := if all then all_ways f 64 ps w w else w in
  List.map (fun l => match l with [x] => Is x | _ => Extreme least l end) w.

Definition shapes (f : facts) (all : bool) (ps : list part) (a : atom) : list shape :=
  match a with
  | AVar _ | AProd _ _ => []
  | AQuot _ x d =>
      let (y, k) := reduce f x in
      let (e, l) := reduce f d in
      match as_int y, as_int e with
      | Some c, Some d => if (k =? 1) && (l =? 1) then [Is (int (c / d))] else []
      | None, Some 1 => if (k =? 1) && (l =? 1) then [Is y] else [Quotient y k e l]
      | _, _ => [Quotient y k e l]
      end
  | AMax _ [] | AMin _ [] => []
  | AMax _ l => extreme_shapes f all ps false l
  | AMin _ l => extreme_shapes f all ps true l
  end.

Definition part_of (f : facts) (a : atom) : list part :=
  let of least l :=
    let (y, k) := reduce f (of_atom a) in
    let own := operands_of f least l in
    if (k =? 1) && negb (is_list (operands_of f least [y]) own) then [Part least own y] else [] in
  match a with
  | AMin _ (x :: l) => of true (x :: l)
  | AMax _ (x :: l) => of false (x :: l)
  | _ => []
  end.

Fixpoint close_shapes (f : facts) (a : atom) (s : list shape) (known : list (shape * atom)) : facts * list (shape * atom) :=
  match s with
  | [] => (f, known)
  | Is x :: s => close_shapes (know f (plus (of_atom a) (-1) x)) a s known
  | x :: s =>
      match find (fun p => same_shape x (fst p)) known with
      | Some (_, b) => close_shapes (know f (plus (of_atom a) (-1) (of_atom b))) a s known
      | None => close_shapes f a s ((x, a) :: known)
      end
  end.
Fixpoint close_atoms (all : bool) (ps : list part) (f : facts) (l : list atom) (known : list (shape * atom)) : facts :=
  match l with
  | [] => f
  | a :: l => let (g, known) := close_shapes f a (shapes f all ps a) known in close_atoms all ps g l known
  end.
(* Equations that are solved for a factor of a product, times its other factors. *)
Fixpoint without_factor (a : atom) (l : list atom) : option (list atom) :=
  match l with
  | [] => None
  | b :: m =>
      match cmp a b with
      | Eq => Some m
      | _ => match without_factor a m with Some m => Some (b :: m) | None => None end
      end
  end.
Definition product_sum (l : list atom) : lin :=
  match l with [] => int 1 | [a] => of_atom a | _ => of_atom (product_of l) end.
Definition multiply_row (f : facts) (l : list atom) (r : lin) : facts :=
  match terms r with
  | (_, a) :: _ =>
      match without_factor a l with
      | Some rest => let x := times r (product_sum rest) in know (see f x) x
      | None => f
      end
  | [] => f
  end.
Definition multiply (f : facts) : facts :=
  fold_left (fun f a => match a with AProd _ l => fold_left (fun f r => multiply_row f l r) (rows f) f | _ => f end) (seen f) f.

Fixpoint close (n : nat) (all : bool) (f : facts) : facts :=
  match n with
  | O => f
  | S n =>
      let l := rev (seen f) in
      let g := multiply f in
      let g := close_atoms all (flat_map (part_of g) l) g l [] in
      if Nat.eqb (length (rows g)) (length (rows f)) then f else close n all g
  end.

Section at_a_point.
Variable env : nat -> Z.

Lemma vext_app least l m : vext env least (l ++ m) = pick_options least (vext env least l) (vext env least m).
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [app vext]. rewrite IH.
  destruct (vext env least l), (vext env least m), least; cbn; f_equal; lia.
Qed.
Lemma flat_map_value least g l c : (forall x, vext env least (g x) = Some (vl env x + c)) ->
  vext env least (flat_map g l) = option_map (fun v => v + c) (vext env least l).
Proof.
  intro h. induction l as [|x l IH]; [reflexivity|]. cbn [flat_map vext]. rewrite vext_app, h, IH.
  destruct (vext env least l), least; cbn; f_equal; lia.
Qed.
Lemma operands_in_value least a x l : operands_in least a = x :: l -> Some (va env a) = vext env least (x :: l).
Proof.
  destruct a, least; cbn [operands_in]; try discriminate; intros ->; autorewrite with values; symmetry; apply some_nonempty.
Qed.

Variable f : facts.
Hypothesis h : true_at env f.

Lemma expand_value least n : forall x, vext env least (expand f n least x) = Some (vl env x).
Proof.
  induction n as [|n IH]; intro x; cbn [expand]; [reflexivity|].
  pose proof (reduce_value env f h x) as r. destruct (reduce f x) as [y k]. destruct r as [r _].
  destruct (Z.eqb_spec k 1) as [->|]; [|reflexivity].
  assert (y_is : vext env least [y] = Some (vl env x)) by (cbn; f_equal; lia).
  destruct (extremes_in least (terms y)) as [|a [|]]; try exact y_is.
  destruct (operands_in least a) as [|z l] eqn:A; [exact y_is|]. apply operands_in_value in A.
  rewrite (flat_map_value least _ _ (vl env (plus y (-1) (of_atom a)))).
  - rewrite <- A. cbn [option_map]. f_equal. rewrite plus_value, of_atom_value. lia.
  - intro u. rewrite IH, plus_value. f_equal. lia.
Qed.
Lemma operands_of_value least l : vext env least (operands_of f least l) = vext env least l.
Proof.
  unfold operands_of. rewrite flat_value, (flat_map_value least _ _ 0).
  - destruct (vext env least l); cbn; f_equal; lia.
  - intro x. rewrite expand_value. f_equal. lia.
Qed.

Definition no_later (least : bool) (x y : Z) : Prop := if least then x <= y else y <= x.
Lemma dominates_value least x y : dominates least x y = true -> no_later least (vl env x) (vl env y).
Proof.
  unfold dominates. destruct (compare_terms _ _) eqn:E; try discriminate. apply (compare_terms_eq env) in E.
  destruct x, y. cbn [terms constant] in *. rewrite !vl_eq. unfold no_later. destruct least; rewrite Z.leb_le; lia.
Qed.
Lemma some_dominates_value least l y : some_dominates least l y = true ->
  exists v, vext env least l = Some v /\ no_later least v (vl env y).
Proof.
  induction l as [|x l IH]; cbn [some_dominates existsb vext]; [discriminate|]. rewrite orb_true_iff. intros [d|d].
  - apply dominates_value in d. destruct (vext env least l); eexists; (split; [reflexivity|]);
      unfold no_later, pick in *; destruct least; lia.
  - destruct (IH d) as [v [e n]]. rewrite e. eexists; (split; [reflexivity|]). unfold no_later, pick in *; destruct least; lia.
Qed.
Lemma all_dominated_value least l m v : forallb (some_dominates least l) m = true -> vext env least m = Some v ->
  exists u, vext env least l = Some u /\ no_later least u v.
Proof.
  revert v. induction m as [|y m IH]; cbn [forallb vext]; intros v d e; [discriminate|]. rewrite andb_true_iff in d. destruct d as [d dm].
  apply some_dominates_value in d. destruct d as [u [eu n]].
  destruct (vext env least m) as [w|]; cbn in e; injection e as <-; [|exists u; auto].
  destruct (IH _ dm eq_refl) as [u' [eu' n']]. exists u. split; [exact eu|].
  rewrite eu in eu'. injection eu' as <-. unfold no_later, pick in *. destruct least; lia.
Qed.

Definition part_true (p : part) : Prop := vext env (kind p) (parts p) = Some (vl env (equals p)).
Lemma covers_value p l m v : part_true p -> covers p l m = true -> vext env (kind p) m = Some v ->
  exists u, vext env (kind p) l = Some u /\ no_later (kind p) u v.
Proof.
  intros t. unfold covers. revert v. induction m as [|y m IH]; cbn [forallb vext]; intros v d e; [discriminate|].
  rewrite andb_true_iff in d. destruct d as [d dm].
  assert (y_is : exists u, vext env (kind p) l = Some u /\ no_later (kind p) u (vl env y)).
  { rewrite !orb_true_iff, !andb_true_iff in d. destruct d as [[d|[d d']]|[d d']].
    - apply some_dominates_value. exact d.
    - apply some_dominates_value in d, d'. destruct d as [u [eu n]], d' as [u' [eu' n']]. exists u. split; [exact eu|].
      rewrite t in eu'. injection eu' as <-. unfold no_later in *. destruct (kind p); lia.
    - apply dominates_value in d. destruct (all_dominated_value _ _ _ _ d' t) as [u [eu n]]. exists u. split; [exact eu|].
      unfold no_later in *. destruct (kind p); lia. }
  destruct y_is as [u [eu n]].
  destruct (vext env (kind p) m) as [w|]; cbn in e; injection e as <-; [|exists u; auto].
  destruct (IH _ dm eq_refl) as [u' [eu' n']]. exists u. split; [exact eu|].
  rewrite eu in eu'. injection eu' as <-. unfold no_later, pick in *. destruct (kind p); lia.
Qed.

Definition way (least : bool) (v : Z) (l : list lin) : Prop := vext env least l = Some v.
Lemma add_way_true p l m w v : part_true p -> way (kind p) v l -> holds_all (way (kind p) v) w ->
  holds_all (way (kind p) v) (add_way f p l m w).
Proof.
  intros t hl hw. unfold add_way. destruct (existsb _ w); [exact hw|]. destruct m as [|y m]; [exact hw|].
  destruct (_ && _) eqn:E; [|exact hw]. rewrite andb_true_iff in E. destruct E as [c d].
  assert (hm : way (kind p) v (y :: m)).
  { unfold way in *. destruct (covers_value p _ _ _ t d hl) as [u [eu n]]. destruct (covers_value p _ _ _ t c eu) as [u' [eu' n']].
    rewrite hl in eu'. injection eu' as <-. rewrite eu. f_equal. unfold no_later in *. destruct (kind p); lia. }
  destruct (existsb _ w); apply holds_all_app; (split; [exact hw|]); cbn [holds_all]; repeat split; try exact hm.
  unfold way. rewrite operands_of_value. exact hm.
Qed.
Lemma covered_way p l m v w : part_true p -> way (kind p) v l -> Nat.eqb (length (add_way f p l m w)) (length w) = false ->
  way (kind p) v (operands_of f (kind p) m).
Proof.
  intros t hl. unfold add_way. destruct (existsb (is_list m) w); [rewrite PeanoNat.Nat.eqb_refl; discriminate|].
  destruct m as [|y m]; [rewrite PeanoNat.Nat.eqb_refl; discriminate|].
  destruct (_ && _) eqn:E; [|rewrite PeanoNat.Nat.eqb_refl; discriminate]. intros _. rewrite andb_true_iff in E. destruct E as [c d].
  unfold way in *. rewrite operands_of_value.
  destruct (covers_value p _ _ _ t d hl) as [u [eu n]]. destruct (covers_value p _ _ _ t c eu) as [u' [eu' n']].
  rewrite hl in eu'. injection eu' as <-. rewrite eu. f_equal. unfold no_later in *. destruct (kind p); lia.
Qed.
Lemma ways_true least v ps : holds_all (fun p => kind p = least /\ part_true p) ps ->
  forall l w, way least v l -> holds_all (way least v) w -> holds_all (way least v) (ways f l ps w).
Proof.
  induction ps as [|p ps IH]; cbn [ways holds_all]; intros t l w hl hw; [exact hw|]. destruct t as [[<- t] ts].
  apply IH; [exact ts | |].
  - destruct (Nat.eqb _ _) eqn:E; [exact hl|]. exact (covered_way _ _ _ _ _ t hl E).
  - apply add_way_true; assumption.
Qed.
Lemma holds_all_skipn {A} (P : A -> Prop) n : forall l, holds_all P l -> holds_all P (skipn n l).
Proof. induction n as [|n IH]; intros [|x l]; cbn; try tauto. intros [_ hl]. apply IH. exact hl. Qed.
Lemma all_ways_true least v ps n : holds_all (fun p => kind p = least /\ part_true p) ps ->
  forall todo w, holds_all (way least v) todo -> holds_all (way least v) w -> holds_all (way least v) (all_ways f n ps todo w).
Proof.
  intro t. induction n as [|n IH]; cbn [all_ways]; intros todo w ht hw; [exact hw|].
  destruct todo as [|l todo]; [exact hw|]. destruct ht as [hl ht].
  assert (hw' : holds_all (way least v) (fold_left (fun w p => add_way f p l (unfolded p l) (add_way f p l (folded p l) w)) ps w)).
  { clear IH. revert w hw. induction ps as [|p ps IHp]; cbn [fold_left]; intros w hw; [exact hw|]. destruct t as [[<- t] ts].
    apply IHp; [exact ts|]. repeat apply add_way_true; assumption. }
  apply IH; [|exact hw']. apply holds_all_app. split; [exact ht|]. apply holds_all_skipn. exact hw'.
Qed.

Definition shape_true (v : Z) (s : shape) : Prop :=
  match s with
  | Is x => v = vl env x
  | Quotient x k d l => exists n m, v = n / m /\ k * n = vl env x /\ l * m = vl env d /\ 0 < k /\ 0 < l
  | Extreme least l => Some v = vext env least l
  end.
Lemma filter_parts least ps : holds_all part_true ps ->
  holds_all (fun p => kind p = least /\ part_true p) (filter (fun p => Bool.eqb (kind p) least) ps).
Proof.
  induction ps as [|p ps IH]; cbn [filter holds_all]; [tauto|]. intros [t ts]. destruct (Bool.eqb _ _) eqn:E; cbn [holds_all]; [|auto].
  apply Bool.eqb_prop in E. auto.
Qed.
Lemma extreme_shapes_true all ps least l v : holds_all part_true ps -> Some v = vext env least l ->
  holds_all (shape_true v) (extreme_shapes f all ps least l).
Proof.
  intros t e. unfold extreme_shapes. apply (filter_parts least) in t. set (qs := filter _ ps) in *.
  set (first := operands_of f least l). assert (hf : way least v first) by (unfold way, first; rewrite operands_of_value; auto).
  assert (hw : holds_all (way least v) (ways f first qs [first])) by (apply ways_true; cbn; auto).
  set (w := if all then _ else _). assert (holds_all (way least v) w) by (subst w; destruct all; [apply all_ways_true|]; assumption).
  clear hw. induction w as [|m w' IHw] in H |- *; cbn [List.map holds_all]; [exact I|]. destruct H as [hm H]. split; [|apply IHw; exact H].
  unfold way in hm. destruct m as [|x [|]]; cbn [shape_true]; auto. cbn in hm. congruence.
Qed.
Lemma shapes_true all ps a : holds_all part_true ps -> holds_all (shape_true (va env a)) (shapes f all ps a).
Proof.
  intros t. destruct a as [i|w l|w l|w l|w x d]; cbn [shapes].
  - exact I.
  - exact I.
  - destruct l as [|y l]; [exact I | apply extreme_shapes_true; [exact t | rewrite va_max; symmetry; apply some_nonempty]].
  - destruct l as [|y l]; [exact I | apply extreme_shapes_true; [exact t | rewrite va_min; symmetry; apply some_nonempty]].
  - pose proof (reduce_value env f h x) as rx. destruct (reduce f x) as [y k]. destruct rx as [rx kx].
    pose proof (reduce_value env f h d) as rd. destruct (reduce f d) as [e l]. destruct rd as [rd ld].
    rewrite va_quot.
    assert (q : shape_true (vl env x / vl env d) (Quotient y k e l)).
    { exists (vl env x), (vl env d). auto. }
    destruct (as_int y) as [c|] eqn:Y, (as_int e) as [b|] eqn:B; try (cbn [holds_all]; auto; fail).
    + destruct (_ && _) eqn:E; [|exact I]. rewrite andb_true_iff, !Z.eqb_eq in E. destruct E as [-> ->].
      apply (as_int_value env) in Y, B. cbn [holds_all shape_true]. rewrite int_value. split; [|exact I]. f_equal; lia.
    + apply (as_int_value env) in B. destruct b as [|[b|b|]|b]; try (cbn [holds_all]; auto; fail).
      destruct (_ && _) eqn:E; [|cbn [holds_all]; auto]. rewrite andb_true_iff, !Z.eqb_eq in E. destruct E as [-> ->].
      cbn [holds_all shape_true]. split; [|exact I]. replace (vl env d) with 1 by lia. rewrite Z.div_1_r. lia.
Qed.
Lemma part_of_true a : holds_all part_true (part_of f a).
Proof.
  assert (of : forall least l, Some (va env a) = vext env least l -> holds_all part_true
    (let (y, k) := reduce f (of_atom a) in
     if (k =? 1) && negb (is_list (operands_of f least [y]) (operands_of f least l)) then [Part least (operands_of f least l) y] else [])).
  { intros least l e. pose proof (reduce_value env f h (of_atom a)) as r. destruct (reduce f (of_atom a)) as [y k]. destruct r as [r _].
    destruct (_ && _) eqn:E; [|exact I]. rewrite andb_true_iff, Z.eqb_eq in E. destruct E as [-> _].
    cbn [holds_all]. split; [|exact I]. unfold part_true. cbn [kind parts equals]. rewrite operands_of_value, <- e, <- r, of_atom_value.
    f_equal. lia. }
  destruct a as [i|w l|w l|w l|w x d]; try exact I; cbn [part_of]; destruct l as [|x l]; try exact I.
  - apply of. rewrite va_max. symmetry. apply some_nonempty.
  - apply of. rewrite va_min. symmetry. apply some_nonempty.
Qed.
Lemma same_shape_value s t u v : same_shape s t = true -> shape_true u s -> shape_true v t -> u = v.
Proof.
  destruct s as [x|x k d l|b l], t as [y|y m e n|c m]; cbn [same_shape]; try discriminate.
  - rewrite !andb_true_iff, !Z.eqb_eq. intros [[-> ->] s]. destruct (compare_lin d e) eqn:D; [|discriminate|discriminate].
    destruct (compare_lin x y) eqn:X; [|discriminate|discriminate]. apply (compare_lin_eq env) in D, X.
    intros (a & b & -> & ea & eb & pk & pl) (a' & b' & -> & ea' & eb' & _ & _). f_equal; nia.
  - rewrite andb_true_iff. intros [e s]. apply Bool.eqb_prop in e. subst c. unfold is_list in s.
    destruct (compare_list _ _ _) eqn:E; try discriminate. intros hu hv. cbn in hu, hv.
    assert (vext env b l = vext env b m) by (apply vext_map; exact (compare_list_eq _ _ _ _ (compare_lin_eq env) E)). congruence.
Qed.
End at_a_point.

Lemma close_shapes_true env a s : forall f known, true_at env f -> holds_all (shape_true env (va env a)) s ->
  holds_all (fun p => shape_true env (va env (snd p)) (fst p)) known ->
  let (g, known) := close_shapes f a s known in true_at env g /\ holds_all (fun p => shape_true env (va env (snd p)) (fst p)) known.
Proof.
  induction s as [|x s IH]; cbn [close_shapes]; intros f known h hs hk; [auto|]. destruct hs as [hx hs].
  assert (step : forall b, va env a = va env b -> true_at env (know f (plus (of_atom a) (-1) (of_atom b)))).
  { intros b e. apply know_true; [exact h|]. rewrite plus_value, !of_atom_value. lia. }
  assert (other : match find (fun p => same_shape x (fst p)) known with
      | Some (_, b) => True -> true_at env (know f (plus (of_atom a) (-1) (of_atom b))) | None => True end).
  { destruct (find _ known) as [[t b]|] eqn:F; [|exact I]. intros _. apply step.
    assert (shape_true env (va env b) t /\ same_shape x t = true) as [ht same].
    { clear IH. induction known as [|[t' b'] known IHk]; cbn [find] in F; [discriminate|]. destruct hk as [h1 hk]. cbn [fst snd] in *.
      destruct (same_shape x t') eqn:S; [injection F as <- <-; auto | auto]. }
    exact (same_shape_value env _ _ _ _ same hx ht). }
  destruct x as [x|x k d l|least l].
  - apply IH; try assumption. apply know_true; [exact h|]. rewrite plus_value, of_atom_value. cbn in hx. lia.
  - destruct (find _ known) as [[t b]|]; apply IH; try assumption; [auto | split; assumption].
  - destruct (find _ known) as [[t b]|]; apply IH; try assumption; [auto | split; assumption].
Qed.
Lemma close_atoms_true env all ps l : holds_all (part_true env) ps -> forall f known, true_at env f ->
  holds_all (fun p => shape_true env (va env (snd p)) (fst p)) known -> true_at env (close_atoms all ps f l known).
Proof.
  intro t. induction l as [|a l IH]; cbn [close_atoms]; intros f known h hk; [exact h|].
  pose proof (close_shapes_true env a (shapes f all ps a) f known h (shapes_true env f h all ps a t) hk) as c.
  destruct (close_shapes _ _ _ _) as [g known']. destruct c as [hg hk']. apply IH; assumption.
Qed.
Lemma multiply_true env f : true_at env f -> true_at env (multiply f).
Proof.
  unfold multiply. generalize (seen f) as l. intro l. revert f. induction l as [|a l IH]; cbn [fold_left]; intros f h; [exact h|].
  apply IH. destruct a as [|w m| | |]; try exact h.
  assert (zero : holds_all (fun r => vl env r = 0) (rows f)) by exact (proj1 h).
  revert zero. generalize (rows f) as k. intro k. revert f h. induction k as [|r k IHk]; cbn [fold_left holds_all]; intros f h z; [exact h|].
  destruct z as [r0 z]. apply IHk; [|exact z]. unfold multiply_row. destruct (terms r) as [|[c b] t]; [exact h|].
  destruct (without_factor b m); [|exact h]. apply know_true; [apply see_true; exact h|]. rewrite times_value, r0. reflexivity.
Qed.
Theorem close_true env all n : forall f, true_at env f -> true_at env (close n all f).
Proof.
  induction n as [|n IH]; intros f h; cbn [close]; [exact h|].
  destruct (Nat.eqb _ _); [exact h|]. apply IH. apply multiply_true in h. apply close_atoms_true; [|exact h|exact I].
  induction (rev (seen f)) as [|a l IHl]; cbn [flat_map]; [exact I|]. apply holds_all_app. split; [|exact IHl].
  apply part_of_true. exact h.
Qed.
