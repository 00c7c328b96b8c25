(* Arithmetic of intervals with ends that may be infinite. Law: the result contains the result of the operation on any values
   in the intervals. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums.
Import ListNotations.
Open Scope Z_scope.

Definition everything : interval := (None, None).
Definition point (c : Z) : interval := (Some c, Some c).

Definition both (g : Z -> Z -> Z) (x y : option Z) : option Z :=
  match x, y with Some x, Some y => Some (g x y) | _, _ => None end.
Definition either (g : Z -> Z -> Z) (x y : option Z) : option Z :=
  match x, y with Some x, Some y => Some (g x y) | Some x, None => Some x | None, y => y end.

Definition iadd (i j : interval) : interval := (both Z.add (fst i) (fst j), both Z.add (snd i) (snd j)).
Definition iscale (k : Z) (i : interval) : interval :=
  if k =? 0 then point 0
  else if 0 <? k then (option_map (Z.mul k) (fst i), option_map (Z.mul k) (snd i))
  else (option_map (Z.mul k) (snd i), option_map (Z.mul k) (fst i)).
Definition idiv (i : interval) (d : Z) : interval :=
  (option_map (fun x => x / d) (fst i), option_map (fun x => x / d) (snd i)).
Definition imod (i : interval) (d : Z) : interval :=
  match i with
  | (Some lo, Some hi) => if lo / d =? hi / d then (Some (lo mod d), Some (hi mod d)) else (Some 0, Some (d - 1))
  | _ => (Some 0, Some (d - 1))
  end.
Definition ipick (least : bool) (i j : interval) : interval :=
  if least then (both Z.min (fst i) (fst j), either Z.min (snd i) (snd j))
  else (either Z.max (fst i) (fst j), both Z.max (snd i) (snd j)).
Definition meet (i j : interval) : interval := (either Z.max (fst i) (fst j), either Z.min (snd i) (snd j)).
(* By corners, or of values that are not negative. *)
Definition imul (i j : interval) : interval :=
  match i, j with
  | (Some a, Some b), (Some c, Some d) =>
      (Some (Z.min (Z.min (a * c) (a * d)) (Z.min (b * c) (b * d))),
       Some (Z.max (Z.max (a * c) (a * d)) (Z.max (b * c) (b * d))))
  | (Some a, b), (Some c, d) => if (0 <=? a) && (0 <=? c) then (Some (a * c), both Z.mul b d) else everything
  | _, _ => everything
  end.
(* By a divisor of at least 1. *)
Definition idiv_by (i j : interval) : interval :=
  match fst j with
  | Some l =>
      if 1 <=? l then
        (match fst i with
         | Some a => if 0 <=? a then match snd j with Some h => Some (a / h) | None => Some 0 end else Some (a / l)
         | None => None
         end,
         match snd i with
         | Some b => if 0 <=? b then Some (b / l) else match snd j with Some h => Some (b / h) | None => Some (-1) end
         | None => None
         end)
      else everything
  | None => everything
  end.

Ltac ends := unfold within, above, below in *; cbn [fst snd option_map both either] in *.

Lemma within_everything x : within everything x.
Proof. split; exact I. Qed.
Lemma within_point c : within (point c) c.
Proof. split; cbn; lia. Qed.
Lemma iadd_within i j x y : within i x -> within j y -> within (iadd i j) (x + y).
Proof. destruct i as [[|] [|]], j as [[|] [|]]; unfold iadd; ends; lia. Qed.
Lemma iscale_within k i x : within i x -> within (iscale k i) (k * x).
Proof.
  unfold iscale. destruct (Z.eqb_spec k 0); [intros; subst; apply within_point|].
  destruct (Z.ltb_spec 0 k); destruct i as [[|] [|]]; ends; nia.
Qed.
Lemma idiv_within i d x : 0 < d -> within i x -> within (idiv i d) (x / d).
Proof.
  intro pos. destruct i as [lo hi]. unfold idiv. ends. destruct lo as [lo|], hi as [hi|]; cbn; intros [h h'];
    repeat split; try exact I; apply Z.div_le_mono; lia.
Qed.
Lemma imod_within i d x : 0 < d -> within i x -> within (imod i d) (x mod d).
Proof.
  intros pos h. pose proof (Z.mod_pos_bound x d pos) as b.
  destruct i as [[lo|] [hi|]]; unfold imod; try (ends; lia).
  destruct (Z.eqb_spec (lo / d) (hi / d)) as [e|]; [|ends; lia].
  ends. destruct h as [h h']. pose proof (Z.div_le_mono _ _ d pos h). pose proof (Z.div_le_mono _ _ d pos h').
  rewrite !Z.mod_eq by lia. assert (x / d = lo / d) by lia. assert (x / d = hi / d) by lia. nia.
Qed.
Lemma ipick_within least i j x y : within i x -> within j y -> within (ipick least i j) (pick least x y).
Proof. destruct least, i as [[|] [|]], j as [[|] [|]]; unfold ipick, pick; ends; lia. Qed.
Lemma meet_within i j x : within i x -> within j x -> within (meet i j) x.
Proof. destruct i as [[|] [|]], j as [[|] [|]]; unfold meet; ends; lia. Qed.
Lemma imul_within i j x y : within i x -> within j y -> within (imul i j) (x * y).
Proof.
  destruct i as [[a|] [b|]], j as [[c|] [d|]]; unfold imul; try (intros; apply within_everything).
  - ends. intros [? ?] [? ?].
    assert (Z.min (a * y) (b * y) <= x * y <= Z.max (a * y) (b * y)) by (destruct (Z.le_ge_cases 0 y); nia).
    assert (Z.min (a * c) (a * d) <= a * y <= Z.max (a * c) (a * d)) by (destruct (Z.le_ge_cases 0 a); nia).
    assert (Z.min (b * c) (b * d) <= b * y <= Z.max (b * c) (b * d)) by (destruct (Z.le_ge_cases 0 b); nia).
    lia.
  - destruct (_ && _) eqn:E; [|intros; apply within_everything]. rewrite andb_true_iff, !Z.leb_le in E. ends. nia.
  - destruct (_ && _) eqn:E; [|intros; apply within_everything]. rewrite andb_true_iff, !Z.leb_le in E. ends. nia.
  - destruct (_ && _) eqn:E; [|intros; apply within_everything]. rewrite andb_true_iff, !Z.leb_le in E. ends. nia.
Qed.
Lemma idiv_by_within i j x y : within i x -> within j y -> within (idiv_by i j) (x / y).
Proof.
  unfold idiv_by. destruct j as [[l|] h]; cbn [fst snd]; [|intros; apply within_everything].
  destruct (Z.leb_spec 1 l); [|intros; apply within_everything].
  intros [hx hx'] [hy hy']. cbn [fst snd] in *. unfold above in hy. split; cbn [fst snd].
  - destruct (fst i) as [a|]; [|exact I]. cbn [above] in hx. destruct (Z.leb_spec 0 a).
    + destruct h as [h|]; cbn [above below] in *.
      * apply Z.le_trans with (a / y); [apply Z.div_le_compat_l; lia | apply Z.div_le_mono; lia].
      * apply Z.div_pos; lia.
    + cbn [above]. apply Z.le_trans with (a / y); [|apply Z.div_le_mono; lia].
      apply Z.div_le_lower_bound; [lia|]. pose proof (Z.mul_div_le a l). pose proof (Z.div_lt_upper_bound a l 0). nia.
  - destruct (snd i) as [b|]; [|exact I]. cbn [below] in hx'. destruct (Z.leb_spec 0 b).
    + cbn [below]. apply Z.le_trans with (b / y); [apply Z.div_le_mono; lia | apply Z.div_le_compat_l; lia].
    + assert (x / y < 0) by (apply Z.div_lt_upper_bound; lia).
      destruct h as [h|]; cbn [below] in *; [|lia].
      apply Z.le_trans with (b / y); [apply Z.div_le_mono; lia|].
      apply Z.div_le_lower_bound; [lia|]. pose proof (Z.mul_div_le b y). assert (b / y < 0) by (apply Z.div_lt_upper_bound; lia). nia.
Qed.
