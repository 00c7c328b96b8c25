(* What is claimed beside that two maps are the same function: that the first is a composition, done again here, that the last
   may do without some variables, and that a third is the same function, too. Laws: `composition_sound`, `reads_sound`. *)
From Coq Require Import ZArith List Lia Bool PeanoNat.
From Affinor Require Import Maps Checker Included.
Import ListNotations.
Open Scope Z_scope.

(* Substitution. *)
Fixpoint substitute (s : nat -> expr) (e : expr) : expr :=
  match e with
  | Const c => Const c
  | Var i => s i
  | Add x y => Add (substitute s x) (substitute s y)
  | Mul x y => Mul (substitute s x) (substitute s y)
  | Div x y => Div (substitute s x) (substitute s y)
  | Ceil x y => Ceil (substitute s x) (substitute s y)
  | Mod x y => Mod (substitute s x) (substitute s y)
  | Min x y => Min (substitute s x) (substitute s y)
  | Max x y => Max (substitute s x) (substitute s y)
  end.
Lemma substitute_value s env e : value env (substitute s e) = value (fun i => value env (s i)) e.
Proof. induction e; cbn [substitute value]; congruence. Qed.

(* The bounds of a map as constraints over other variables. *)
Definition bounds_over (s : nat -> expr) (m : map) : list (expr * interval) :=
  numbered s 0 (box m) ++ List.map (fun c => (substitute s (fst c), snd c)) (constraints m).
Lemma holds_app {A} (P : A -> Prop) l m : holds_all P (l ++ m) <-> holds_all P l /\ holds_all P m.
Proof. induction l as [|x l IH]; cbn; [tauto|]. rewrite IH. tauto. Qed.
Lemma bounds_over_value s m env : hold env (bounds_over s m) <-> inside m (fun i => value env (s i)).
Proof.
  unfold bounds_over, inside, hold. rewrite holds_app. change (holds_all _ (numbered s 0 (box m))) with (hold env (numbered s 0 (box m))).
  rewrite numbered_value. apply and_iff_compat_l. induction (constraints m) as [|[x i] l IH]; cbn; [tauto|].
  rewrite IH, substitute_value. tauto.
Qed.
Lemma results_over_value s env l : List.map (value env) (List.map (substitute s) l) = List.map (value (fun i => value env (s i))) l.
Proof. rewrite map_map. apply map_ext. intro e. apply substitute_value. Qed.
Definition everywhere : interval := (None, None).
Lemma everywhere_value env n : forall from, in_box env from (repeat everywhere n).
Proof. induction n; cbn; [tauto|]. intro from. split; [exact (conj I I) | apply IHn]. Qed.
Lemma inside_free ks n cs rs env : inside (Map ks (repeat everywhere n) cs rs) env <-> hold env cs.
Proof. unfold inside. cbn [box constraints]. pose proof (everywhere_value env n 0). unfold hold. tauto. Qed.

(* Composition. Variables are numbered by kind: 0 named sizes, 1 dimensions, 2 range variables, 3 runtime variables. *)
Definition count (k : nat) (m : map) : nat := length (filter (Nat.eqb k) (kinds m)).
Definition in_order (m : map) : bool :=
  if list_eq_dec Nat.eq_dec (kinds m) (repeat 0 (count 0 m) ++ repeat 1 (count 1 m) ++ repeat 2 (count 2 m) ++ repeat 3 (count 3 m))%nat
  then (length (box m) =? length (kinds m))%nat else false.
(* The variables of the composition: sizes and dimensions of the first; range variables of the second, then of the first; runtime
   variables likewise. *)
Definition first_place (a b : map) (i : nat) : nat :=
  if (i <? count 0 a + count 1 a)%nat then i
  else if (i <? count 0 a + count 1 a + count 2 a)%nat then (i + count 2 b)%nat
  else (i + count 2 b + count 3 b)%nat.
Definition second_place (a b : map) (j : nat) : nat :=
  if (j <? count 1 b + count 2 b)%nat then (j - count 1 b + count 0 a + count 1 a)%nat
  else (j - count 1 b + count 0 a + count 1 a + count 2 a)%nat.
Definition kinds_of (a b : map) : list nat :=
  (repeat 0 (count 0 a) ++ repeat 1 (count 1 a) ++ repeat 2 (count 2 b + count 2 a) ++ repeat 3 (count 3 b + count 3 a))%nat.
(* At a point of the composition: the point of the first, and that of the second, whose dimensions are results of the first. *)
Definition of_first (a b : map) (env : nat -> Z) (i : nat) : Z := env (first_place a b i).
Definition of_second (a b : map) (env : nat -> Z) (j : nat) : Z :=
  if (j <? count 1 b)%nat then value (of_first a b env) (nth j (results a) (Const 0)) else env (second_place a b j).
(* Results of the first beyond the dimensions of the second are behind those of the second. *)
Definition composition_of (a b m : map) : Prop :=
  in_order a = true /\ in_order b = true /\ count 0 b = 0%nat /\ (count 1 b <= length (results a))%nat /\ kinds m = kinds_of a b /\
  forall env,
    (inside m env <-> inside a (of_first a b env) /\ inside b (of_second a b env)) /\
    (inside m env -> List.map (value env) (results m) =
      List.map (value (of_second a b env)) (results b) ++ List.map (value (of_first a b env)) (skipn (count 1 b) (results a))).

Definition first_over (a b : map) (i : nat) : expr := Var (first_place a b i).
Definition second_over (a b : map) (j : nat) : expr :=
  if (j <? count 1 b)%nat then substitute (first_over a b) (nth j (results a) (Const 0)) else Var (second_place a b j).
Definition composed (a b : map) : map :=
  Map (kinds_of a b) (repeat everywhere (length (kinds_of a b)))
    (bounds_over (first_over a b) a ++ bounds_over (second_over a b) b)
    (List.map (substitute (second_over a b)) (results b) ++ List.map (substitute (first_over a b)) (skipn (count 1 b) (results a))).
Definition check_composition (table : list rule) (a b m : map) : bool :=
  in_order a && in_order b && (count 0 b =? 0)%nat && (count 1 b <=? length (results a))%nat &&
  check table (Certificate (composed a b) m [] []).

Lemma inside_ext m u v : (forall i, u i = v i) -> inside m u <-> inside m v.
Proof.
  intro e. assert (ev : forall x, value u x = value v x) by (induction x; cbn [value]; congruence). unfold inside.
  assert (b : forall l from, in_box u from l <-> in_box v from l).
  { induction l as [|i l IH]; intro from; cbn; [tauto|]. rewrite IH, e. tauto. }
  rewrite b. apply and_iff_compat_l. induction (constraints m) as [|c l IH]; cbn; [tauto|]. rewrite IH, ev. tauto.
Qed.
Lemma value_ext u v e : (forall i, u i = v i) -> value u e = value v e.
Proof. intro h. induction e; cbn [value]; congruence. Qed.
Lemma second_over_value a b env j : value env (second_over a b j) = of_second a b env j.
Proof.
  unfold second_over, of_second. destruct (j <? count 1 b)%nat; [|reflexivity]. rewrite substitute_value. reflexivity.
Qed.

Theorem composition_sound table a b m : holds_all valid table -> check_composition table a b m = true -> composition_of a b m.
Proof.
  intros t. unfold check_composition. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le. intros [[[[oa ob] z] n] c].
  apply (check_sound _ _ t) in c. cbn [before after] in c. destruct c as [k c]. repeat (split; [assumption || (symmetry; exact k)|]).
  intro env. destruct (c env) as [i r].
  assert (i' : inside (composed a b) env <-> inside a (of_first a b env) /\ inside b (of_second a b env)).
  { unfold composed. rewrite inside_free. unfold hold. rewrite holds_app.
    change (holds_all _ ?l) with (hold env l). rewrite !bounds_over_value.
    rewrite (inside_ext b (fun j => value env (second_over a b j)) (of_second a b env)) by apply second_over_value. reflexivity. }
  split; [rewrite <- i; exact i'|]. intro h. rewrite <- (r (proj2 i h)). unfold composed. cbn [results].
  rewrite List.map_app, !results_over_value. f_equal. apply map_ext. intro e. apply value_ext. apply second_over_value.
Qed.

(* The composition leaves nothing out: each point of the first map, with a point of the second whose dimensions are its results, is one
   of its points. *)
Theorem composition_has_all a b u v :
  (forall j, (j < count 1 b)%nat -> v j = value u (nth j (results a) (Const 0))) ->
  exists env, (forall i, of_first a b env i = u i) /\
    (forall j, (j < count 1 b + count 2 b + count 3 b)%nat -> of_second a b env j = v j).
Proof.
  intro h.
  set (own := (count 0 a + count 1 a)%nat).
  exists (fun k => if (k <? own)%nat then u k
    else if (k <? own + count 2 b)%nat then v (k - own + count 1 b)%nat
    else if (k <? own + count 2 b + count 2 a)%nat then u (k - count 2 b)%nat
    else if (k <? own + count 2 b + count 2 a + count 3 b)%nat then v (k - own - count 2 a + count 1 b)%nat
    else u (k - count 2 b - count 3 b)%nat).
  match goal with |- (forall i, of_first a b ?e i = _) /\ _ => set (env := e) end.
  assert (first : forall i, of_first a b env i = u i).
  { intro i. unfold of_first, first_place, env. fold own.
    repeat match goal with |- context [(?x <? ?y)%nat] => destruct (Nat.ltb_spec x y) end; try lia; f_equal; lia. }
  split; [exact first|]. intros j lj. unfold of_second. destruct (Nat.ltb_spec j (count 1 b)) as [lt|ge].
  - rewrite (h j lt). apply value_ext. exact first.
  - unfold second_place, env. replace (j - count 1 b + count 0 a + count 1 a)%nat with (j - count 1 b + own)%nat by (unfold own; lia).
    repeat match goal with |- context [(?x <? ?y)%nat] => destruct (Nat.ltb_spec x y) end; try lia; f_equal; lia.
Qed.

(* Variables that may go: `images` has for each variable of the one map that of the other, or none. *)
Definition agree (images : list (option nat)) (env left : nat -> Z) : Prop :=
  forall i k, nth_error images i = Some (Some k) -> env i = left k.
Definition reads_the_same (m : map) (images : list (option nat)) (n : map) : Prop :=
  (forall left, inside n left -> exists env, agree images env left /\ inside m env /\
     List.map (value env) (results m) = List.map (value left) (results n)) /\
  (forall env left, agree images env left -> inside m env -> inside n left /\
     List.map (value env) (results m) = List.map (value left) (results n)).

Fixpoint mentions (i : nat) (e : expr) : bool :=
  match e with
  | Const _ => false
  | Var j => Nat.eqb i j
  | Add x y | Mul x y | Div x y | Ceil x y | Mod x y | Min x y | Max x y => mentions i x || mentions i y
  end.
Fixpoint below_number (n : nat) (e : expr) : bool :=
  match e with
  | Const _ => true
  | Var j => (j <? n)%nat
  | Add x y | Mul x y | Div x y | Ceil x y | Mod x y | Min x y | Max x y => below_number n x && below_number n y
  end.
Definition closed (m : map) (n : nat) : bool :=
  forallb (below_number n) (results m) && forallb (fun c => below_number n (fst c)) (constraints m).
Definition mentioned (m : map) (i : nat) : bool :=
  existsb (mentions i) (results m) || existsb (fun c => mentions i (fst c)) (constraints m).
Definition some_value (i : interval) : Z :=
  match i with (Some lo, _) => lo | (None, Some hi) => hi | _ => 0 end.
Definition in_interval (i : interval) (x : Z) : bool :=
  match fst i with Some lo => lo <=? x | None => true end && match snd i with Some hi => x <=? hi | None => true end.
Definition image_over (m : map) (images : list (option nat)) (i : nat) : expr :=
  match nth_error images i with
  | Some (Some k) => Var k
  | _ => Const (some_value (nth i (box m) everywhere))
  end.
(* A variable that goes is none of a size or a dimension, has a value, and nothing mentions it. *)
Fixpoint may_go (m : map) (images : list (option nat)) (i : nat) (ks : list nat) (l : list interval) : bool :=
  match images, ks, l with
  | [], [], [] => true
  | o :: images, k :: ks, b :: l =>
      match o with
      | Some _ => true
      | None => (1 <? k)%nat && in_interval b (some_value b) && negb (mentioned m i)
      end && may_go m images (S i) ks l
  | _, _, _ => false
  end.
Definition is_image (k : nat) (o : option nat) : bool := match o with Some j => Nat.eqb k j | None => false end.
(* Sizes and dimensions are in their order; range variables stay apart; kinds stay, and none is new. *)
Fixpoint names_well (images : list (option nat)) (i : nat) (ks own : list nat) : bool :=
  match images, ks with
  | [], [] => true
  | o :: images, k :: ks =>
      match o with
      | None => true
      | Some j =>
          match nth_error own j with Some k' => Nat.eqb k k' | None => false end &&
          ((1 <? k)%nat || Nat.eqb i j) && (Nat.eqb k 3 || negb (existsb (is_image j) images))
      end && names_well images (S i) ks own
  | _, _ => false
  end.
Definition check_reads (table : list rule) (m : map) (images : list (option nat)) (n : map) : bool :=
  closed m (length images) && may_go m images 0 (kinds m) (box m) && names_well images 0 (kinds m) (kinds n) &&
  forallb (fun k => existsb (is_image k) images) (seq 0 (length (kinds n))) &&
  check table (Certificate
    (Map (kinds n) (repeat everywhere (length (kinds n))) (bounds_over (image_over m images) m)
       (List.map (substitute (image_over m images)) (results m))) n [] []).

Lemma mentions_value u v e : (forall i, mentions i e = true -> u i = v i) -> value u e = value v e.
Proof.
  induction e as [c|j|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy|x hx y hy]; cbn [value mentions]; intro h; [reflexivity| |..];
    [apply h, Nat.eqb_refl|..];
    rewrite (hx (fun i e => h i (proj2 (orb_true_iff _ _) (or_introl e)))), (hy (fun i e => h i (proj2 (orb_true_iff _ _) (or_intror e)))); reflexivity.
Qed.
Lemma in_interval_value i x : in_interval i x = true -> within i x.
Proof.
  destruct i as [[lo|] [hi|]]; unfold in_interval, within, above, below; cbn [fst snd]; rewrite ?andb_true_iff, ?Z.leb_le; tauto.
Qed.
Lemma may_go_length m images : forall i ks l, may_go m images i ks l = true -> length images = length l.
Proof.
  induction images as [|o images IH]; intros i [|k ks] [|b l]; cbn [may_go length]; try discriminate; [reflexivity|].
  rewrite andb_true_iff. intros [_ h]. rewrite (IH _ _ _ h). reflexivity.
Qed.
Lemma may_go_nth m (images : list (option nat)) : forall i ks l, may_go m images i ks l = true -> forall j, nth_error images j = Some None ->
  within (nth j l everywhere) (some_value (nth j l everywhere)) /\ mentioned m (i + j)%nat = false.
Proof.
  induction images as [|o images IH]; intros i [|k ks] [|b l]; cbn [may_go]; try discriminate; [intros _ [|j]; discriminate|].
  rewrite andb_true_iff. intros [h hs] [|j]; cbn [nth_error nth].
  - intro e. injection e as ->. rewrite !andb_true_iff, negb_true_iff in h. rewrite Nat.add_0_r.
    split; [apply in_interval_value|]; apply h.
  - rewrite <- Nat.add_succ_comm. exact (IH _ _ _ hs j).
Qed.
(* A box with values for the variables that go. *)
Lemma box_agrees (images : list (option nat)) l env v : forall from,
  (forall j, nth_error images (from + j)%nat = None -> (length l <= j)%nat) ->
  (forall j k, nth_error images (from + j)%nat = Some (Some k) -> env (from + j)%nat = v (from + j)%nat) ->
  (forall j, (j < length l)%nat -> nth_error images (from + j)%nat = Some None -> within (nth j l everywhere) (v (from + j)%nat)) ->
  in_box env from l -> in_box v from l.
Proof.
  induction l as [|b l IH]; intros from hl hs hn; cbn [in_box]; [tauto|]. intros [w ws]. split.
  - destruct (nth_error images from) as [[k|]|] eqn:E.
    + specialize (hs 0%nat k). rewrite Nat.add_0_r in hs. rewrite <- (hs E). exact w.
    + specialize (hn 0%nat). rewrite Nat.add_0_r in hn. apply hn; [cbn; lia | exact E].
    + specialize (hl 0%nat). rewrite Nat.add_0_r in hl. specialize (hl E). cbn in hl. lia.
  - apply IH; [| | |exact ws]; intros j; rewrite Nat.add_succ_comm.
    + intro e. specialize (hl (S j) e). cbn in hl. lia.
    + apply hs.
    + intros lt e. apply (hn (S j)); [cbn; lia | exact e].
Qed.

Lemma below_mentions n e i : below_number n e = true -> mentions i e = true -> (i < n)%nat.
Proof.
  induction e; cbn [below_number mentions]; rewrite ?andb_true_iff, ?orb_true_iff, ?Nat.ltb_lt, ?Nat.eqb_eq; try discriminate; [lia|..]; tauto.
Qed.

Theorem reads_sound table m images n : holds_all valid table -> check_reads table m images n = true -> reads_the_same m images n.
Proof.
  intros t. unfold check_reads. rewrite !andb_true_iff. intros [[[[cl g] _] _] c]. apply (check_sound _ _ t) in c. destruct c as [_ c].
  cbn [before after] in c.
  set (s := image_over m images) in *.
  assert (st : forall left, (inside n left <-> inside m (fun i => value left (s i))) /\
    (inside n left -> List.map (value (fun i => value left (s i))) (results m) = List.map (value left) (results n))).
  { intro left. destruct (c left) as [i r]. rewrite inside_free, bounds_over_value in i. cbn [results] in r.
    rewrite results_over_value, inside_free, bounds_over_value in r. split; [symmetry; exact i|]. intro h. apply r, i, h. }
  split.
  - intros left h. exists (fun i => value left (s i)). destruct (st left) as [i r].
    split; [|split; [apply i; exact h | exact (r h)]].
    intros i' k e. unfold s, image_over. rewrite e. reflexivity.
  - intros env left a h. destruct (st left) as [i r]. unfold closed in cl. rewrite andb_true_iff in cl. destruct cl as [cr cc].
    rewrite forallb_forall in cr, cc.
    pose proof (may_go_length _ _ _ _ _ g) as len. pose proof (may_go_nth _ _ _ _ _ g) as gone.
    assert (same : forall e, below_number (length images) e = true -> (forall j, mentions j e = true -> mentioned m j = true) ->
      value env e = value (fun i => value left (s i)) e).
    { intros e b k. apply mentions_value. intros j mj. pose proof (below_mentions _ _ _ b mj) as lj. unfold s, image_over.
      destruct (nth_error images j) as [[x|]|] eqn:E; [exact (a _ _ E) | | apply nth_error_None in E; lia].
      destruct (gone _ E) as [_ x]. rewrite Nat.add_0_l, (k _ mj) in x. discriminate. }
    assert (m' : inside m (fun i => value left (s i))).
    { destruct h as [b cs]. split.
      - apply (box_agrees images (box m) env); [| | |exact b]; cbn [Nat.add].
        + intros j e. rewrite <- len. apply nth_error_None. exact e.
        + intros j k e. unfold s, image_over. rewrite e. exact (a _ _ e).
        + intros j _ e. unfold s, image_over. rewrite e. cbn [value]. exact (proj1 (gone _ e)).
      - assert (forall l, incl l (constraints m) -> holds_all (fun c => within (snd c) (value env (fst c))) l ->
          holds_all (fun c => within (snd c) (value (fun i => value left (s i)) (fst c))) l) as all.
        { induction l as [|x l IH]; cbn; [tauto|]. intros inc [w ws].
          split; [|apply IH; [intros y iy; apply inc; right; exact iy | exact ws]].
          rewrite <- same; [exact w | apply cc, inc; left; reflexivity |].
          intros j mj. unfold mentioned. rewrite orb_true_iff. right. apply existsb_exists. exists x. split; [apply inc; left; reflexivity | exact mj]. }
        apply all; [apply incl_refl | exact cs]. }
    split; [apply i; exact m'|]. rewrite <- (r (proj2 i m')). apply map_ext_in. intros e ie. apply same; [apply cr; exact ie|].
    intros j mj. unfold mentioned. rewrite orb_true_iff. left. apply existsb_exists. exists e. auto.
Qed.

(* Two maps that are the function of a third are the same function. *)
Lemma same_function_both m n o : same_function m o -> same_function n o -> same_function m n.
Proof.
  intros [km m'] [kn n']. split; [congruence|]. intro env. destruct (m' env) as [im rm], (n' env) as [i_n rn].
  split; [rewrite im, i_n; reflexivity|]. intro h. rewrite rm, rn; [reflexivity | apply i_n, im, h | exact h].
Qed.

(* How another map is shown to be the function of the last one: by steps that lead there, or since the domain of each lies in the other. *)
Inductive shown_by := Leading (domain_steps result_steps : list step) | Both_ways (there back : list step).
Definition check_same (table : list rule) (m n : map) (how : shown_by) : bool :=
  match how with
  | Leading d r => check table (Certificate m n d r)
  | Both_ways there back => check_both_ways table m n there back
  end.
Lemma check_same_sound table m n how : holds_all valid table -> check_same table m n how = true -> same_function m n.
Proof. destruct how; [apply (check_sound table (Certificate _ _ _ _)) | apply both_ways_sound]. Qed.

(* A certificate with what it claims beside: `also` is another map, with what shows that it is the function of the last one, too. *)
Record claim := Claim {
  proof : certificate;
  composed_of : option (map * map);
  left_over : option (list (option nat) * map);
  also : option (map * shown_by) }.
Definition check_claim (table : list rule) (c : claim) : bool :=
  check table (proof c) &&
  match composed_of c with Some (a, b) => check_composition table a b (before (proof c)) | None => true end &&
  match left_over c with Some (images, n) => check_reads table (after (proof c)) images n | None => true end &&
  match also c with Some (m, how) => check_same table m (after (proof c)) how | None => true end.
Definition claimed (c : claim) : Prop :=
  same_function (before (proof c)) (after (proof c)) /\
  match composed_of c with Some (a, b) => composition_of a b (before (proof c)) | None => True end /\
  match left_over c with Some (images, n) => reads_the_same (after (proof c)) images n | None => True end /\
  match also c with Some (m, _) => same_function (before (proof c)) m | None => True end.
Theorem claim_sound table c : holds_all valid table -> check_claim table c = true -> claimed c.
Proof.
  intros t. unfold check_claim, claimed. rewrite !andb_true_iff. intros [[[x y] z] w]. pose proof (check_sound _ _ t x) as same.
  split; [exact same|]. split; [|split].
  - destruct (composed_of c) as [[a b]|]; [exact (composition_sound _ _ _ _ t y) | exact I].
  - destruct (left_over c) as [[images n]|]; [exact (reads_sound _ _ _ _ t z) | exact I].
  - destruct (also c) as [[m how]|]; [|exact I]. exact (same_function_both _ _ _ same (check_same_sound _ _ _ _ t w)).
Qed.
