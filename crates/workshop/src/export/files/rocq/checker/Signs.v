(* Signs of polynomials: a question whether a sum is negative is led back to others that imply the answer.
   With x = a*t + b for an atom t, the ends of t, what a fact says of it, or the definition of a quotient, a minimum or a maximum
   bound x from below. Law: the answer `true` is true; `false` says nothing. *)
From Coq Require Import ZArith List Lia Bool.
From Affinor Require Import Maps Sums Intervals Known Ranges Close.
Import ListNotations.
Open Scope Z_scope.

Fixpoint collect (a : atom) (t : list (Z * atom)) (c : Z) : lin * lin :=
  match t with
  | [] => (int 0, int c)
  | (k, m) :: t =>
      let (x, y) := collect a t c in
      match without_factor a (factors m) with
      | Some rest => (plus x k (product_sum rest), y)
      | None => (x, plus y k (of_atom m))
      end
  end.

(* A multiple of `by`: what is left of x without it is computed, not trusted. *)
Fixpoint multiple (n : nat) (x by_ : lin) : lin :=
  match n with
  | O => int 0
  | S n =>
      match terms by_ with
      | [] =>
          let c := constant by_ in
          if c =? 0 then int 0
          else Lin (constant x / c) (List.map (fun p => (fst p / c, snd p)) (filter (fun p => fst p mod c =? 0) (terms x)))
      | (k, a) :: _ =>
          let fits p := if fst p mod k =? 0 then
              match fold_right (fun f l => match l with Some l => without_factor f l | None => None end) (Some (factors (snd p))) (factors a) with
              | Some rest => Some (scale (fst p / k) (product_sum rest))
              | None => None
              end
            else None in
          match fold_right (fun p found => match fits p with Some y => Some y | None => found end) None (terms x) with
          | Some y => plus y 1 (multiple n (plus x (-1) (times y by_)) by_)
          | None => int 0
          end
      end
  end.

(* Divided by the common factor of its coefficients. *)
Definition content_of_terms (x : lin) : Z := fold_left (fun g p => Z.gcd g (fst p)) (terms x) 0.
Definition primitive (x : lin) : lin :=
  let g := content_of_terms x in
  if (1 <? g) && forallb (fun p => fst p mod g =? 0) (terms x)
  then Lin (constant x / g) (List.map (fun p => (fst p / g, snd p)) (terms x)) else x.

(* A question, and the facts of the case in which it is asked. *)
Definition question := (list lin * lin)%type.
Definition plain (l : list lin) : list question := List.map (fun x => ([], x)) l.

Definition minus (x : lin) : lin := scale (-1) x.
(* x + y * z *)
Definition plus_product (x y z : lin) : lin := plus x 1 (times y z).

(* Ways to show that a*t + b is not negative: in each all questions have to be answered. *)
Definition by_interval (i : interval) (a b : lin) : list (list question) :=
  match fst i with Some lo => [plain [a; plus b lo a]] | None => [] end ++
  match snd i with Some hi => [plain [minus a; plus b hi a]] | None => [] end.
Definition by_fact (t : atom) (a b fact : lin) : list (list question) :=
  let (u, v) := collect t (terms fact) (constant fact) in
  match as_int u with
  | Some 0 => []
  | _ =>
      [plain [plus_int u (-1); a; plus_int (plus (plus (times u b) (-1) (times a v)) 1 u) (-1)];
       plain [plus_int (minus u) (-1); minus a; plus_int (plus (plus (minus (times u b)) 1 (times a v)) (-1) u) (-1)]]
  end.
(* Two sums without a common factor, an integer or an atom of all their terms. *)
Definition without_integer (g : Z) (x : lin) : lin := Lin (constant x / g) (List.map (fun p => (fst p / g, snd p)) (terms x)).
Definition without_atom (a : atom) (x : lin) : option lin :=
  match collect a (terms x) (constant x) with (u, Lin 0 []) => Some u | _ => None end.
Definition without_common (x y : lin) : lin * lin :=
  let content x := Z.gcd (constant x) (content_of_terms x) in
  let g := Z.gcd (content x) (content y) in
  fold_left (fun p a => match without_atom a (fst p), without_atom a (snd p) with Some u, Some v => (u, v) | _, _ => p end)
    (match terms y with (_, m) :: _ => factors m | [] => [] end)
    (without_integer g x, without_integer g y).
Definition is_zero (x : lin) : bool := match x with Lin 0 [] => true | _ => false end.

Definition by_quotient (x d a b : lin) : list (list question) :=
  let w := multiple 20 a d in
  let exact := is_zero (plus a (-1) (times w d)) in
  let (u, k) := without_common a d in
  let is_part := negb exact && is_zero (plus (times k a) (-1) (times u d)) in
  (if exact then
    [plain [plus_int d (-1); w; plus_product b w (plus_int (plus x (-1) d) 1)];
     plain [plus_int d (-1); minus w; plus_product b w x]]
   else []) ++
  (if is_part then
    [plain [plus_int d (-1); plus_int k (-1); u; plus_int (plus (plus_product (times k b) u (plus_int (plus x (-1) d) 1)) 1 k) (-1)];
     plain [plus_int d (-1); plus_int k (-1); minus u; plus_int (plus (plus_product (times k b) u x) 1 k) (-1)]]
   else []) ++
  flat_map (fun j =>
    let whole := plus_int (multiple 20 b a) j in
    let whole' := plus_int (multiple 20 b (minus a)) j in
    [plain [plus_int d (-1); a; plus b (-1) (times a whole); plus_product x d whole];
     plain [plus_int d (-1); minus a; plus_product b a whole'; plus_int (plus (plus_product d d whole') (-1) x) (-1)]]) [0; -1; 1].
Definition by_extreme (least : bool) (l : list lin) (a b : lin) : list (list question) :=
  List.map (fun y => plain [if least then minus a else a; plus_product b a y]) l ++
  [List.map (fun y => (List.map (fun z => if least then plus z (-1) y else plus y (-1) z) l, plus_product b a y)) l].

Definition methods (f : facts) (case : list lin) (x : lin) (t : atom) : list (list question) :=
  let (a, b) := collect t (terms x) (constant x) in
  match t with
  | AQuot _ y d => by_quotient y d a b
  | AMin _ (y :: l) => by_extreme true (y :: l) a b
  | AMax _ (y :: l) => by_extreme false (y :: l) a b
  | _ => []
  end ++
  flat_map (by_fact t a b) (case ++ natural f) ++
  by_interval (range f 12 1 (of_atom t)) a b.

(* The atoms to look at: those of the last variables first, so that sizes come behind the indices that they bound; of these
   first quotients whose divisor divides what they are multiplied by, then other operations. *)
Fixpoint last_variable (n : nat) (a : atom) : nat :=
  match n with
  | O => O
  | S n =>
      let in_sum m x := fold_left (fun m p => Nat.max m (last_variable n (snd p))) (terms x) m in
      match a with
      | AVar i => S i
      | AProd _ l => fold_left (fun m a => Nat.max m (last_variable n a)) l O
      | AMax _ l | AMin _ l => fold_left in_sum l O
      | AQuot _ x d => in_sum (in_sum O x) d
      end
  end.
Definition order_of (x : lin) (a : atom) : nat :=
  match a with
  | AQuot _ _ d =>
      let (a, _) := collect a (terms x) (constant x) in
      if is_zero (plus a (-1) (times (multiple 20 a d) d)) then 0 else 1
  | AMin _ _ | AMax _ _ => 1
  | _ => 2
  end%nat.
Fixpoint insert_atom (p : nat * nat * atom) (l : list (nat * nat * atom)) : list (nat * nat * atom) :=
  match l with
  | [] => [p]
  | q :: m =>
      let '(i, k, a) := p in
      let '(j, n, b) := q in
      match cmp a b with
      | Eq => l
      | _ => if Nat.ltb j i || (Nat.eqb i j && Nat.ltb k n) then p :: l else q :: insert_atom p m
      end
  end.
Definition candidates (x : lin) : list atom :=
  let insert l a := insert_atom (last_variable 8 a, order_of x a, a) l in
  firstn 4 (List.map snd (fold_left (fun l p => fold_left insert (factors (snd p)) l) (terms x) [])).

Fixpoint any {A} (g : nat -> A -> bool * nat) (budget : nat) (l : list A) : bool * nat :=
  match l with
  | [] => (false, budget)
  | x :: l => let (b, budget) := g budget x in if b then (true, budget) else any g budget l
  end.
Fixpoint every {A} (g : nat -> A -> bool * nat) (budget : nat) (l : list A) : bool * nat :=
  match l with
  | [] => (true, budget)
  | x :: l => let (b, budget) := g budget x in if b then every g budget l else (false, budget)
  end.

Fixpoint answer (f : facts) (n : nat) (case : list lin) (budget : nat) (x : lin) : bool * nat :=
  let x := primitive x in
  match as_int x with
  | Some c => (0 <=? c, budget)
  | None =>
      match n, budget with
      | S n, S budget =>
          match fst (range f 12 1 x) with
          | Some lo => if 0 <=? lo then (true, budget) else
              any (fun q t => any (fun q l => every (fun q s => answer f n (fst s ++ case) q (snd s)) q l) q (methods f case x t)) budget (candidates x)
          | None =>
              any (fun q t => any (fun q l => every (fun q s => answer f n (fst s ++ case) q (snd s)) q l) q (methods f case x t)) budget (candidates x)
          end
      | _, _ => (false, budget)
      end
  end.
(* Most questions that are answered need few steps in a row: these are looked for first, since a long way that leads nowhere
   takes up all questions. *)
Definition is_natural_polynomial (f : facts) (x : lin) : bool := fst (answer f 5 [] 400 x) || fst (answer f 10 [] 400 x).

Section at_a_point.
Variable env : nat -> Z.
Definition natural_here (l : list lin) : Prop := holds_all (fun x => 0 <= vl env x) l.
Definition answered (case : list lin) (l : list question) : Prop :=
  holds_all (fun q => natural_here (fst q ++ case) -> 0 <= vl env (snd q)) l.

Lemma without_factor_value a l : forall m, without_factor a l = Some m -> vprod env l = va env a * vprod env m.
Proof.
  induction l as [|b l IH]; cbn [without_factor vprod]; intros m e; [discriminate|].
  destruct (cmp a b) eqn:E.
  - apply (cmp_eq env) in E. injection e as <-. rewrite E. reflexivity.
  - destruct (without_factor a l); [|discriminate]. injection e as <-. rewrite (IH _ eq_refl). cbn [vprod]. ring.
  - destruct (without_factor a l); [|discriminate]. injection e as <-. rewrite (IH _ eq_refl). cbn [vprod]. ring.
Qed.
Lemma product_sum_value l : vl env (product_sum l) = vprod env l.
Proof.
  destruct l as [|a [|b l]]; cbn [product_sum].
  - apply int_value.
  - rewrite of_atom_value. cbn. ring.
  - rewrite of_atom_value. unfold product_of. apply va_prod.
Qed.
Lemma collect_value a t c : let (x, y) := collect a t c in c + vt env t = vl env x * va env a + vl env y.
Proof.
  induction t as [|[k m] t IH]; cbn [collect vt]; [rewrite !int_value; ring|]. destruct (collect a t c) as [x y].
  destruct (without_factor a (factors m)) as [rest|] eqn:W.
  - apply without_factor_value in W. rewrite factors_value in W. rewrite plus_value, product_sum_value, W.
    replace (c + (k * (va env a * vprod env rest) + vt env t)) with ((c + vt env t) + k * (va env a * vprod env rest)) by ring. rewrite IH. ring.
  - rewrite plus_value, of_atom_value.
    replace (c + (k * va env m + vt env t)) with ((c + vt env t) + k * va env m) by ring. rewrite IH. ring.
Qed.
Lemma primitive_value x : 0 <= vl env (primitive x) -> 0 <= vl env x.
Proof.
  unfold primitive. destruct (_ && _) eqn:E; [|auto]. rewrite andb_true_iff, Z.ltb_lt in E. destruct E as [g d].
  set (k := content_of_terms x) in *. destruct x as [c t]. cbn [terms constant] in *. rewrite !vl_eq.
  assert (e : k * vt env (List.map (fun p => (fst p / k, snd p)) t) = vt env t).
  { clearbody k. induction t as [|[u a] t IH]; cbn [List.map vt fst snd forallb] in *; [lia|]. rewrite andb_true_iff, Z.eqb_eq in d. destruct d as [du d].
    rewrite Z.mul_add_distr_l, (IH d). pose proof (Z_div_mod_eq_full u k). replace (k * (u / k * va env a)) with (k * (u / k) * va env a) by ring.
    replace (k * (u / k)) with u by lia. reflexivity. }
  pose proof (Z_div_mod_eq_full c k). pose proof (Z.mod_pos_bound c k). nia.
Qed.
Lemma plain_answered case l : natural_here case -> answered case (plain l) -> natural_here l.
Proof.
  intro h. unfold answered, natural_here, plain. induction l as [|x l IH]; cbn [List.map holds_all fst snd app]; [auto|].
  intros [a al]. split; [exact (a h) | exact (IH al)].
Qed.
Lemma plus_product_value x y z : vl env (plus_product x y z) = vl env x + vl env y * vl env z.
Proof. unfold plus_product. rewrite plus_value, times_value. ring. Qed.
Lemma minus_value x : vl env (minus x) = - vl env x.
Proof. unfold minus. rewrite scale_value. ring. Qed.

(* All ways of a list show the sum. *)
Definition shows (case : list lin) (x : Z) (ways : list (list question)) : Prop := holds_all (fun l => answered case l -> 0 <= x) ways.
Lemma shows_app case x l m : shows case x l -> shows case x m -> shows case x (l ++ m).
Proof. intros a b. apply holds_all_app. auto. Qed.

Ltac asked h := let q := fresh "q" in intro q; apply (plain_answered _ _ h) in q; unfold natural_here in q; cbn [holds_all] in q;
  rewrite ?plus_int_value, ?plus_product_value, ?plus_value, ?minus_value, ?times_value, ?plus_int_value, ?plus_product_value,
    ?plus_value, ?minus_value, ?times_value, ?plus_int_value, ?plus_value, ?minus_value, ?times_value in q.

Variable case : list lin.
Hypothesis h : natural_here case.

Lemma by_interval_shows i a b t : within i t -> shows case (vl env a * t + vl env b) (by_interval i a b).
Proof.
  intros [lo hi]. unfold by_interval. apply shows_app.
  - destruct (fst i); [|exact I]. split; [|exact I]. asked h. cbn [above] in lo. nia.
  - destruct (snd i); [|exact I]. split; [|exact I]. asked h. cbn [below] in hi. nia.
Qed.
Lemma by_fact_shows t a b fact : 0 <= vl env fact -> shows case (vl env a * va env t + vl env b) (by_fact t a b fact).
Proof.
  intro n. unfold by_fact. pose proof (collect_value t (terms fact) (constant fact)) as c. destruct (collect t _ _) as [u v].
  assert (e : vl env fact = vl env u * va env t + vl env v) by (destruct fact; rewrite vl_eq; exact c). rewrite e in n. clear c e.
  set (A := vl env a). set (T := va env t) in *. set (B := vl env b). set (U := vl env u) in *. set (V := vl env v) in *.
  assert (ways : shows case (A * T + B) [plain [plus_int u (-1); a; plus_int (plus (plus (times u b) (-1) (times a v)) 1 u) (-1)];
       plain [plus_int (minus u) (-1); minus a; plus_int (plus (plus (minus (times u b)) 1 (times a v)) (-1) u) (-1)]]).
  { split; [|split; [|exact I]]; asked h; fold A B U V in q; destruct q as (q1 & q2 & q3 & _).
    - assert (0 <= A * (U * T + V)) by nia. assert (- U < U * (A * T + B)) by nia. nia.
    - assert (0 <= - A * (U * T + V)) by nia. assert (U < - U * (A * T + B)) by nia. nia. }
  destruct (as_int u) as [[| |]|]; [exact I | exact ways | exact ways | exact ways].
Qed.
Lemma is_zero_value x : is_zero x = true -> vl env x = 0.
Proof. destruct x as [[| |] [|]]; try discriminate. intros _. rewrite vl_eq. reflexivity. Qed.
Lemma by_quotient_shows x d a b : shows case (vl env a * (vl env x / vl env d) + vl env b) (by_quotient x d a b).
Proof.
  unfold by_quotient. destruct (without_common a d) as [u k]. set (A := vl env a). set (B := vl env b). set (X := vl env x). set (D := vl env d).
  assert (div : 1 <= D -> D * (X / D) <= X < D * (X / D) + D) by (intro; pose proof (Z.mul_div_le X D); pose proof (Z.mul_succ_div_gt X D); lia).
  apply shows_app.
  - destruct (is_zero _) eqn:E; [|exact I]. apply is_zero_value in E.
    set (w := multiple 20 a d) in *. set (W := vl env w).
    assert (exact : A = W * D) by (rewrite plus_value, times_value in E; fold A W D in E; lia).
    split; [|split; [|exact I]]; asked h; fold B X D W in q; destruct q as (q1 & q2 & q3 & _); specialize (div ltac:(lia)); rewrite exact; nia.
  - apply shows_app; [|cbn [flat_map app]].
    { destruct (negb _ && _) eqn:E; [|exact I]. rewrite andb_true_iff in E. destruct E as [_ E]. apply is_zero_value in E.
      set (U := vl env u). set (K := vl env k). assert (e : K * A = U * D).
      { rewrite plus_value, !times_value in E. fold A U D K in E. lia. }
      clear E. split; [|split; [|exact I]]; asked h; fold B X D U K in q; destruct q as (q1 & q2 & q3 & q4 & _);
        assert (pos : 1 <= D) by lia; specialize (div pos).
      - assert (U * (X + -1 * D + 1) <= U * (D * (X / D))) by nia.
        assert (0 <= K * (A * (X / D) + B) + K - 1) by (replace (K * (A * (X / D) + B)) with (K * A * (X / D) + K * B) by ring; rewrite e; lia). nia.
      - assert (U * X <= U * (D * (X / D))) by nia.
        assert (0 <= K * (A * (X / D) + B) + K - 1) by (replace (K * (A * (X / D) + B)) with (K * A * (X / D) + K * B) by ring; rewrite e; lia). nia. }
    assert (one : forall j, shows case (A * (X / D) + B)
      [plain [plus_int d (-1); a; plus b (-1) (times a (plus_int (multiple 20 b a) j)); plus_product x d (plus_int (multiple 20 b a) j)];
       plain [plus_int d (-1); minus a; plus_product b a (plus_int (multiple 20 b (minus a)) j);
              plus_int (plus (plus_product d d (plus_int (multiple 20 b (minus a)) j)) (-1) x) (-1)]]).
    { intro j. set (w := plus_int _ j). set (w' := plus_int (multiple 20 b (minus a)) j). set (W := vl env w). set (W' := vl env w').
      split; [|split; [|exact I]]; asked h.
      - fold A B X D W in q. destruct q as (q1 & q2 & q3 & q4 & _). specialize (div ltac:(lia)).
        assert (0 <= X / D + W) by nia. nia.
      - fold A B X D W' in q. destruct q as (q1 & q2 & q3 & q4 & _). specialize (div ltac:(lia)).
        assert (0 <= W' - X / D) by nia. nia. }
    pose proof (one 0) as (o1 & o2 & _). pose proof (one (-1)) as (o3 & o4 & _). pose proof (one 1) as (o5 & o6 & _).
    repeat (split; [assumption|]). exact I.
Qed.
Lemma vext_attained least l : forall v, vext env least l = Some v ->
  exists y, In y l /\ vl env y = v /\ forall z, In z l -> no_later least v (vl env z).
Proof.
  induction l as [|x l IH]; cbn [vext]; intros v e; [discriminate|].
  destruct (vext env least l) as [w|] eqn:W; cbn [pick_with] in e; injection e as <-.
  - destruct (IH _ eq_refl) as (y & i & ey & all). unfold no_later, pick in *.
    destruct least; [destruct (Z.le_ge_cases (vl env x) w) | destruct (Z.le_ge_cases w (vl env x))].
    1, 3: exists x; (split; [left; reflexivity|]); (split; [lia|]); intros z [<-|iz]; [lia | specialize (all z iz); lia].
    1, 2: exists y; (split; [right; exact i|]); (split; [lia|]); intros z [<-|iz]; [lia | specialize (all z iz); lia].
  - exists x. split; [left; reflexivity|]. split; [reflexivity|]. intros z [<-|iz]; [unfold no_later; destruct least; lia|].
    destruct l as [|u l]; [contradiction|]. rewrite some_nonempty in W. discriminate.
Qed.
Lemma by_extreme_shows least l a b v : vext env least l = Some v -> shows case (vl env a * v + vl env b) (by_extreme least l a b).
Proof.
  intro e. destruct (vext_attained _ _ _ e) as (y & i & ey & all). unfold by_extreme. apply shows_app.
  - assert (bound : forall z, In z l -> shows case (vl env a * v + vl env b) [plain [if least then minus a else a; plus_product b a z]]).
    { intros z iz. split; [|exact I]. specialize (all z iz). unfold no_later in all. destruct least; asked h; nia. }
    clear - bound. induction l as [|z l IH]; cbn [List.map]; [exact I|]. split.
    + exact (proj1 (bound z (or_introl eq_refl))).
    + apply IH. intros u iu. apply bound. right. exact iu.
  - split; [|exact I]. intro q.
    assert (qy : answered case [(List.map (fun z => if least then plus z (-1) y else plus y (-1) z) l, plus_product b a y)]).
    { clear - q i. set (g := fun u => (List.map (fun z => if least then plus z (-1) u else plus u (-1) z) l, plus_product b a u)) in *.
      change (answered case [g y]). clearbody g. unfold answered in *. induction l as [|u l IH]; [contradiction|].
      cbn [List.map holds_all] in q. destruct q as [qu q]. destruct i as [->|i]; [exact (conj qu I) | exact (IH i q)]. }
    destruct qy as [qy _]. cbn [fst snd] in qy. rewrite plus_product_value in qy. rewrite <- ey. enough (0 <= vl env b + vl env a * vl env y) by lia.
    apply qy. apply holds_all_app. split; [|exact h]. clear - all ey.
    assert (sub : forall z, In z l -> 0 <= vl env (if least then plus z (-1) y else plus y (-1) z)).
    { intros z iz. specialize (all z iz). unfold no_later in all. destruct least; rewrite plus_value; lia. }
    clear all. induction l as [|z l IH]; cbn [List.map holds_all]; [exact I|]. split; [exact (sub z (or_introl eq_refl))|].
    apply IH. intros u iu. apply sub. right. exact iu.
Qed.

Variable f : facts.
Hypothesis facts_hold : true_at env f.
Lemma methods_shows x t : shows case (vl env x) (methods f case x t).
Proof.
  unfold methods. pose proof (collect_value t (terms x) (constant x)) as c. destruct (collect t _ _) as [a b].
  assert (e : vl env x = vl env a * va env t + vl env b) by (destruct x; rewrite vl_eq; exact c). rewrite e. clear c e.
  apply shows_app; [|apply shows_app].
  - destruct t as [i|w l|w [|y l]|w [|y l]|w y d]; try exact I.
    + apply by_extreme_shows. rewrite va_max. apply some_nonempty.
    + apply by_extreme_shows. rewrite va_min. apply some_nonempty.
    + rewrite va_quot. apply by_quotient_shows.
  - assert (n : natural_here (case ++ natural f)) by (apply holds_all_app; split; [exact h | apply facts_hold]).
    induction (case ++ natural f) as [|u l IH]; cbn [flat_map]; [exact I|]. destruct n as [u0 n].
    apply shows_app; [apply by_fact_shows; exact u0 | exact (IH n)].
  - apply by_interval_shows. rewrite <- of_atom_value. apply range_within. exact facts_hold.
Qed.
End at_a_point.

Lemma any_true {A} (g : nat -> A -> bool * nat) (P : Prop) l : (forall q x, In x l -> fst (g q x) = true -> P) ->
  forall q, fst (any g q l) = true -> P.
Proof.
  induction l as [|x l IH]; cbn [any]; intros s q e; [discriminate|].
  pose proof (s q x (or_introl eq_refl)) as sx. destruct (g q x) as [[|] r]; [exact (sx eq_refl)|].
  apply (IH (fun q y i => s q y (or_intror i)) r e).
Qed.
Lemma every_true {A} (g : nat -> A -> bool * nat) (P : A -> Prop) l : (forall q x, fst (g q x) = true -> P x) ->
  forall q, fst (every g q l) = true -> holds_all P l.
Proof.
  intro s. induction l as [|x l IH]; cbn [every holds_all]; intros q e; [exact I|].
  pose proof (s q x) as sx. destruct (g q x) as [[|] r]; [|discriminate]. split; [exact (sx eq_refl) | exact (IH r e)].
Qed.
Lemma answer_true env f : true_at env f -> forall n case budget x, natural_here env case ->
  fst (answer f n case budget x) = true -> 0 <= vl env x.
Proof.
  intro hf. induction n as [|n IH]; intros case budget x h e; apply primitive_value; cbn [answer] in e; set (y := primitive x) in *.
  - destruct (as_int y) as [c|] eqn:Y; [|discriminate]. apply (as_int_value env) in Y. cbn [fst] in e. apply Z.leb_le in e. lia.
  - destruct (as_int y) as [c|] eqn:Y; [apply (as_int_value env) in Y; cbn [fst] in e; apply Z.leb_le in e; lia|].
    destruct budget as [|budget]; [discriminate|].
    assert (search : fst (any (fun q t => any (fun q l => every (fun q s => answer f n (fst s ++ case) q (snd s)) q l) q (methods f case y t))
      budget (candidates y)) = true -> 0 <= vl env y).
    { apply any_true. intros q t _. apply any_true. intros q' l i a.
      assert (ans : answered env case l).
      { refine (every_true _ (fun s => natural_here env (fst s ++ case) -> 0 <= vl env (snd s)) _ _ _ a).
        intros q'' s es hs. exact (IH _ _ _ hs es). }
      pose proof (methods_shows env case h f hf y t) as w. unfold shows in w. induction (methods f case y t) as [|m ms IHm]; [contradiction|].
      destruct w as [wm w]. destruct i as [->|i]; [exact (wm ans) | exact (IHm i w)]. }
    pose proof (range_within env f hf 12 1 y) as [w _]. destruct (fst (range f 12 1 y)) as [lo|]; [|exact (search e)].
    cbn [above] in w. destruct (Z.leb_spec 0 lo); [lia | exact (search e)].
Qed.
Theorem is_natural_polynomial_true env f x : true_at env f -> is_natural_polynomial f x = true -> 0 <= vl env x.
Proof.
  intros h. unfold is_natural_polynomial. rewrite orb_true_iff. intros [a|a]; revert a; apply answer_true; solve [exact h | exact I].
Qed.
