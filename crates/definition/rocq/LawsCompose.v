(** Composition of maps, and what rests on it: calls and fusions, loops with a known count, tuples. A map that is composed
    with another is well formed, and at most one of both has runtime variables. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves.
Import ListNotations.
Open Scope Z_scope.

(** [e] names range and runtime variables below these numbers. *)
Fixpoint closed (ranges runtimes : nat) (e : expr) : bool :=
  match e with
  | Const _ | Dim _ => true
  | Range k => Nat.ltb k ranges
  | Runtime k => Nat.ltb k runtimes
  | Add x y | Mul x y | Div x y | Mod x y | Min x y | Max x y => closed ranges runtimes x && closed ranges runtimes y
  end.
Definition well_formed (m : index_map) : bool :=
  forallb (closed (length (ranges m)) (length (runtimes m))) (results m) &&
  forallb (fun c => closed (length (ranges m)) (length (runtimes m)) (fst c)) (constraints m) &&
  forallb (fun r => forallb (closed (length (ranges m)) 0) (at_index r)) (runtimes m).

(** The results of the first map in the place of dimensions; the other variables are numbered behind its own. *)
Fixpoint substituted (xs : list expr) (n r : nat) (e : expr) : expr :=
  match e with
  | Const c => Const c
  | Dim k => nth k xs (Const 0)
  | Range k => Range (n + k)
  | Runtime k => Runtime (r + k)
  | Add x y => Add (substituted xs n r x) (substituted xs n r y)
  | Mul x y => Mul (substituted xs n r x) (substituted xs n r y)
  | Div x y => Div (substituted xs n r x) (substituted xs n r y)
  | Mod x y => Mod (substituted xs n r x) (substituted xs n r y)
  | Min x y => Min (substituted xs n r x) (substituted xs n r y)
  | Max x y => Max (substituted xs n r x) (substituted xs n r y)
  end.

Definition compose (m1 m2 : index_map) : index_map :=
  let into := substituted (results m1) (length (ranges m1)) (length (runtimes m1)) in
  IndexMap (dims m1) (ranges m1 ++ ranges m2)
    (runtimes m1 ++ map (fun r => {| source := source r; at_index := map into (at_index r); clamped := clamped r; bounds := bounds r |})
      (runtimes m2))
    (constraints m1 ++ combine (results m1) (dims m2) ++ map (fun c => (into (fst c), snd c)) (constraints m2))
    (map into (results m2)).
Definition compose_all (ms1 ms2 : list index_map) : list index_map := flat_map (fun m1 => map (compose m1) ms2) ms1.

Definition composable (m1 m2 : index_map) : Prop :=
  well_formed m1 = true /\ length (results m1) = length (dims m2) /\ (runtimes m1 = [] \/ runtimes m2 = []).

Lemma eval_closed d s1 s2 r1 r2 e : closed (length s1) (length r1) e = true -> eval d (s1 ++ s2) (r1 ++ r2) e = eval d s1 r1 e.
Proof.
  induction e; cbn [closed eval]; intros H; try reflexivity;
    try (apply andb_true_iff in H; destruct H as [H1 H2]; rewrite IHe1, IHe2 by assumption; reflexivity).
  - apply app_nth1. apply Nat.ltb_lt. exact H.
  - apply app_nth1. apply Nat.ltb_lt. exact H.
Qed.

Lemma eval_substituted d s1 s2 r1 r2 xs e : forallb (closed (length s1) (length r1)) xs = true ->
  eval d (s1 ++ s2) (r1 ++ r2) (substituted xs (length s1) (length r1) e) = eval (map (eval d s1 r1) xs) s2 r2 e.
Proof.
  intros F. rewrite forallb_forall in F. induction e; cbn [substituted eval]; try congruence.
  - destruct (Nat.lt_ge_cases k (length xs)) as [H|H].
    + rewrite eval_closed by (apply F, nth_In; exact H). rewrite (nth_indep _ 0 (eval d s1 r1 (Const 0))) by (rewrite map_length; exact H).
      symmetry. apply map_nth.
    + rewrite !nth_overflow; try rewrite map_length; try exact H. reflexivity.
  - rewrite app_nth2 by lia. f_equal. lia.
  - rewrite app_nth2 by lia. f_equal. lia.
Qed.

Lemma in_box_app a b s : in_box (a ++ b) s <-> exists x y, s = x ++ y /\ in_box a x /\ in_box b y.
Proof.
  revert s. induction a as [|n a IH]; intros s; cbn [app].
  - split.
    + intros H. exists [], s. rewrite in_box_nil. auto.
    + intros (x & y & -> & H & K). apply in_box_nil in H. subst x. exact K.
  - rewrite in_box_cons. split.
    + intros (x & y & -> & H & K). apply IH in K. destruct K as (u & w & -> & U & W). exists (x :: u), w.
      split; [reflexivity|]. split; [apply in_box_cons; eauto|exact W].
    + intros (u & w & -> & U & W). apply in_box_cons in U. destruct U as (x & y & -> & H & K).
      exists x, (y ++ w). split; [reflexivity|]. split; [exact H|]. apply IH. eauto.
Qed.

Lemma in_box_combine d s r xs b : length xs = length b ->
  Forall (fun c => contains (snd c) (eval d s r (fst c))) (combine xs b) <-> in_box b (map (eval d s r) xs).
Proof.
  revert b. induction xs as [|x xs IH]; intros [|y b] H; try discriminate; cbn [combine map].
  - rewrite in_box_nil. split; constructor.
  - injection H as H. rewrite Forall_cons_iff, in_box_cons, (IH b H). cbn [fst snd]. split.
    + intros [A B]. eauto.
    + intros (u & w & E & A & B). injection E as <- <-. auto.
Qed.

Section Two.
  Variables (v : values) (m1 m2 : index_map) (d s1 s2 : list Z).
  Hypothesis fit : composable m1 m2.
  Hypothesis ranges1 : length s1 = length (ranges m1).
  Let r1 := runtime_values v m1 d s1.
  Let mid := value v m1 d s1.
  Let r2 := runtime_values v m2 mid s2.

  Lemma runtimes1 : length r1 = length (runtimes m1).
  Proof using. apply map_length. Qed.

  Lemma closed_parts :
    forallb (closed (length s1) (length r1)) (results m1) = true /\
    forallb (fun c => closed (length s1) (length r1) (fst c)) (constraints m1) = true /\
    forallb (fun r => forallb (closed (length s1) 0) (at_index r)) (runtimes m1) = true.
  Proof using fit ranges1.
    destruct fit as [W _]. unfold well_formed in W. rewrite !andb_true_iff in W. rewrite runtimes1, ranges1. tauto.
  Qed.

  Lemma composed_runtimes : runtime_values v (compose m1 m2) d (s1 ++ s2) = r1 ++ r2.
  Proof using fit ranges1.
    unfold runtime_values, compose. cbn [runtimes]. rewrite map_app, map_map. f_equal.
    - apply map_ext_in. intros r R. unfold runtime_value. do 2 f_equal. apply map_ext_in. intros e E.
      destruct closed_parts as (_ & _ & C). rewrite forallb_forall in C. specialize (C r R). rewrite forallb_forall in C.
      exact (eval_closed d s1 s2 [] [] e (C e E)).
    - destruct fit as (_ & _ & [N|N]); [|unfold r2, runtime_values; rewrite N; reflexivity]. apply map_ext. intros r. unfold runtime_value. cbn [clamped source at_index].
      do 2 f_equal. rewrite map_map. apply map_ext. intros e. destruct closed_parts as (C & _).
      rewrite <- ranges1. unfold mid, value, r1, runtime_values in *. rewrite N in *. cbn [map length] in *.
      exact (eval_substituted d s1 s2 [] [] (results m1) e C).
  Qed.

  Lemma composed_holds : holds v (compose m1 m2) d (s1 ++ s2) <->
    holds v m1 d s1 /\ in_box (dims m2) mid /\ holds v m2 mid s2.
  Proof using fit ranges1.
    destruct closed_parts as (C1 & C2 & _). unfold holds. rewrite composed_runtimes. fold r1 r2. unfold compose. cbn [runtimes constraints].
    rewrite !Forall_app. rewrite <- ranges1, <- runtimes1.
    assert (A : Forall2 (fun x y => contains (bounds x) y) (runtimes m1 ++ map (fun r => {| source := source r;
        at_index := map (substituted (results m1) (length s1) (length r1)) (at_index r); clamped := clamped r; bounds := bounds r |}) (runtimes m2)) (r1 ++ r2) <->
      Forall2 (fun x y => contains (bounds x) y) (runtimes m1) r1 /\ Forall2 (fun x y => contains (bounds x) y) (runtimes m2) r2).
    { rewrite <- !in_box_forall2. rewrite map_app, map_map. cbn [bounds]. rewrite !in_boxb_spec, in_box_app. split.
      - intros (x & y & E & X & Y). assert (L : length x = length r1).
        { destruct X as [X _]. rewrite map_length in X. rewrite runtimes1. exact X. }
        destruct (app_inj_length _ _ _ _ (eq_sym L) E) as [<- <-]. auto.
      - intros [X Y]. eauto. }
    rewrite A.
    assert (B : Forall (fun c => contains (snd c) (eval d (s1 ++ s2) (r1 ++ r2) (fst c))) (constraints m1) <->
      Forall (fun c => contains (snd c) (eval d s1 r1 (fst c))) (constraints m1)).
    { rewrite !Forall_forall. rewrite forallb_forall in C2. split; intros H c K; specialize (H c K); rewrite eval_closed in * by (apply C2; exact K); exact H. }
    rewrite B. rewrite in_box_combine by apply fit.
    assert (M : map (eval d (s1 ++ s2) (r1 ++ r2)) (results m1) = mid).
    { unfold mid, value. fold r1. apply map_ext_in. intros e E. rewrite forallb_forall in C1. apply eval_closed. apply C1. exact E. }
    rewrite M.
    assert (D : Forall (fun c => contains (snd c) (eval d (s1 ++ s2) (r1 ++ r2) (fst c)))
        (map (fun c => (substituted (results m1) (length s1) (length r1) (fst c), snd c)) (constraints m2)) <->
      Forall (fun c => contains (snd c) (eval mid s2 r2 (fst c))) (constraints m2)).
    { rewrite Forall_map. cbn [fst snd]. unfold mid at 1, value. fold r1.
      rewrite !Forall_forall. split; intros H c K; specialize (H c K); rewrite eval_substituted in * by exact C1; exact H. }
    rewrite D. tauto.
  Qed.

  Lemma composed_value : value v (compose m1 m2) d (s1 ++ s2) = value v m2 mid s2.
  Proof using fit ranges1.
    destruct closed_parts as (C1 & _). unfold value. rewrite composed_runtimes. unfold compose. cbn [results].
    rewrite map_map. apply map_ext. intros e. rewrite <- ranges1, <- runtimes1. exact (eval_substituted d s1 s2 r1 r2 (results m1) e C1).
  Qed.
End Two.

Theorem compose_law v m1 m2 d i : composable m1 m2 ->
  map_reads v (compose m1 m2) d i <-> exists j, map_reads v m1 d j /\ map_reads v m2 j i.
Proof.
  intros F. unfold map_reads. split.
  - intros [D [s [S [H E]]]]. unfold compose in S. cbn [ranges] in S. apply in_box_app in S. destruct S as (s1 & s2 & -> & S1 & S2).
    assert (L : length s1 = length (ranges m1)) by apply S1.
    apply (composed_holds v m1 m2 d s1 s2 F L) in H. rewrite (composed_value v m1 m2 d s1 s2 F L) in E.
    destruct H as (H1 & J & H2). exists (value v m1 d s1). split.
    + split; [exact D|]. exists s1. auto.
    + split; [exact J|]. exists s2. auto.
  - intros [j [[D [s1 [S1 [H1 ->]]]] [J [s2 [S2 [H2 ->]]]]]]. assert (L : length s1 = length (ranges m1)) by apply S1.
    split; [exact D|]. exists (s1 ++ s2). split; [apply in_box_app; eauto|].
    rewrite (composed_holds v m1 m2 d s1 s2 F L), (composed_value v m1 m2 d s1 s2 F L). auto.
Qed.

Theorem compose_all_law v ms1 ms2 d i : (forall m1 m2, In m1 ms1 -> In m2 ms2 -> composable m1 m2) ->
  maps_read v (compose_all ms1 ms2) d i <-> exists j, maps_read v ms1 d j /\ maps_read v ms2 j i.
Proof.
  intros F. unfold maps_read, compose_all. split.
  - intros [m [M H]]. apply in_flat_map in M. destruct M as [m1 [M1 M]]. apply in_map_iff in M. destruct M as [m2 [<- M2]].
    apply compose_law in H; [|apply F; assumption]. destruct H as [j [A B]]. exists j. split; [exists m1|exists m2]; auto.
  - intros [j [[m1 [M1 A]] [m2 [M2 B]]]]. exists (compose m1 m2). split; [apply in_flat_map; exists m1; split; [exact M1|apply in_map; exact M2]|].
    apply compose_law; [apply F; assumption|eauto].
Qed.

(** * Call and fusion *)

(** A map that may stand anywhere in a composition, from shape [s] to shape [s']. *)
Definition steady (s s' : shape) (m : index_map) : Prop :=
  well_formed m = true /\ runtimes m = [] /\ length (dims m) = length s /\ length (results m) = length s'.

Lemma steady_same s : steady s s (same s).
Proof.
  unfold same, function_of, map_of. split; [|split; [reflexivity|split; simpl; [apply map_length|apply tabulate_length]]].
  unfold well_formed. cbn [results constraints runtimes ranges forallb]. rewrite !andb_true_r. apply forallb_forall.
  intros e E. unfold tabulate in E. apply in_map_iff in E. destruct E as [k [<- _]]. reflexivity.
Qed.

Lemma closed_more n n' r e : (n <= n')%nat -> closed n r e = true -> closed n' r e = true.
Proof. intros N. induction e; cbn [closed]; rewrite ?andb_true_iff, ?Nat.ltb_lt; intuition lia. Qed.

Lemma closed_substituted xs n n2 e : forallb (closed n 0) xs = true -> closed n2 0 e = true ->
  closed (n + n2) 0 (substituted xs n 0 e) = true.
Proof.
  intros X. rewrite forallb_forall in X. induction e; cbn [closed substituted]; rewrite ?andb_true_iff, ?Nat.ltb_lt; intuition try lia.
  destruct (Nat.lt_ge_cases k (length xs)) as [K|K]; [|rewrite nth_overflow by exact K; reflexivity].
  apply (closed_more n); [lia|]. apply X, nth_In. exact K.
Qed.

Lemma steady_compose s s' s'' m1 m2 : steady s s' m1 -> steady s' s'' m2 -> steady s s'' (compose m1 m2).
Proof.
  intros (W1 & R1 & D1 & L1) (W2 & R2 & D2 & L2). unfold steady, compose. rewrite R1, R2. cbn [runtimes dims results app map length].
  split; [|split; [reflexivity|split; [exact D1|rewrite map_length; exact L2]]].
  unfold well_formed in *. rewrite R1 in W1. rewrite R2 in W2. cbn [runtimes ranges constraints results forallb length] in *.
  rewrite !andb_true_r in *. rewrite andb_true_iff in *. destruct W1 as [A1 B1]. destruct W2 as [A2 B2]. rewrite app_length.
  split; [|rewrite !forallb_app, !andb_true_iff; split; [|split]]; apply forallb_forall.
  - intros e E. apply in_map_iff in E. destruct E as [e2 [<- E]]. rewrite forallb_forall in A2. apply closed_substituted; auto.
  - intros c K. rewrite forallb_forall in B1. apply (closed_more (length (ranges m1))); [lia|]. auto.
  - intros [e b] K. apply in_combine_l in K. rewrite forallb_forall in A1. apply (closed_more (length (ranges m1))); [lia|]. auto.
  - intros c K. apply in_map_iff in K. destruct K as [c2 [<- K]]. cbn [fst]. rewrite forallb_forall in B2. apply closed_substituted; auto.
Qed.

Lemma steady_composable s s' s'' m1 m2 : steady s s' m1 -> steady s' s'' m2 -> composable m1 m2.
Proof. intros (W1 & R1 & D1 & L1) (W2 & R2 & D2 & L2). split; [exact W1|]. split; [congruence|]. left. exact R1. Qed.

Section Program.
  (** Instructions by number, each after its operands; what they read, and maps that are exact. *)
  Variables (operand : nat -> nat -> nat) (reads : nat -> reading) (shapes : nat -> shape) (arity : nat -> nat)
    (maps : nat -> nat -> list index_map) (v : values).
  Hypothesis exact : forall a, exactly v (reads a) (maps a).
  Hypothesis operands : forall a d n j, reads a d n j -> (n < arity a)%nat /\ inside (shapes (operand a n)) j.
  Hypothesis order : forall a n, (n < arity a)%nat -> (operand a n < a)%nat.
  Hypothesis steadily : forall a n m, (n < arity a)%nat -> In m (maps a n) -> steady (shapes a) (shapes (operand a n)) m.

  (** The maps from instruction [a] to instruction [b], by walking back through all operands. *)
  Fixpoint walk (fuel a b : nat) : list index_map :=
    match fuel with
    | O => []
    | S fuel => (if Nat.eqb a b then [same (shapes a)] else []) ++
        flat_map (fun n => compose_all (maps a n) (walk fuel (operand a n) b)) (seq 0 (arity a))
    end.

  Lemma walk_steady fuel : forall a b m, In m (walk fuel a b) -> steady (shapes a) (shapes b) m.
  Proof using steadily.
    induction fuel as [|fuel IH]; intros a b m M; [destruct M|]. cbn [walk] in M. apply in_app_or in M. destruct M as [M|M].
    - destruct (Nat.eqb_spec a b) as [->|]; [|destruct M]. destruct M as [<-|[]]. apply steady_same.
    - apply in_flat_tabulate in M. destruct M as [n [N M]]. unfold compose_all in M. apply in_flat_map in M. destruct M as [m1 [M1 M]].
      apply in_map_iff in M. destruct M as [m2 [<- M2]]. eapply steady_compose; [apply steadily; eassumption|apply IH; exact M2].
  Qed.

  Theorem walk_law fuel : forall a b d i, (a < fuel)%nat -> inside (shapes a) d ->
    maps_read v (walk fuel a b) d i <-> flows operand reads a d b i.
  Proof using exact operands order steadily.
    induction fuel as [|fuel IH]; intros a b d i A D; [lia|].
    assert (C : forall n m1 m2, (n < arity a)%nat -> In m1 (maps a n) -> In m2 (walk fuel (operand a n) b) -> composable m1 m2).
    { intros n m1 m2 N M1 M2. eapply steady_composable; [apply steadily; eassumption|eapply walk_steady; exact M2]. }
    split.
    - intros [m [M H]]. cbn [walk] in M. apply in_app_or in M. destruct M as [M|M].
      + destruct (Nat.eqb_spec a b) as [->|]; [|destruct M]. destruct M as [<-|[]]. apply reads_same in H. destruct H as [_ ->]. constructor.
      + apply in_flat_tabulate in M. destruct M as [n [N M]].
        assert (X : maps_read v (compose_all (maps a n) (walk fuel (operand a n) b)) d i) by (exists m; auto).
        apply compose_all_law in X; [|intros m1 m2; apply C; exact N]. destruct X as [j [R T]]. apply exact in R.
        destruct (operands _ _ _ _ R) as [_ J]. apply IH in T; [|pose proof (order a n N); lia|exact J]. econstructor; eassumption.
    - intros H. inversion H as [|? ? n j ? ? R T]; subst.
      + exists (same (shapes b)). split; [cbn [walk]; rewrite Nat.eqb_refl; left; reflexivity|]. apply reads_same. auto.
      + destruct (operands _ _ _ _ R) as [N J].
        assert (X : maps_read v (compose_all (maps a n) (walk fuel (operand a n) b)) d i).
        { apply compose_all_law; [intros m1 m2; apply C; exact N|]. exists j. split; [apply exact; exact R|].
          apply IH; [pose proof (order a n N); lia|exact J|exact T]. }
        destruct X as [m [M X]]. exists m. split; [|exact X]. cbn [walk]. apply in_or_app. right. apply in_flat_tabulate. eauto.
  Qed.
End Program.

(** * While with a known count *)

Fixpoint repeated (s : shape) (count : nat) (body : list index_map) : list index_map :=
  match count with O => [same s] | S count => compose_all body (repeated s count body) end.

Theorem while_law v s body (reads : index -> index -> Prop) :
  (forall d i, reads d i <-> maps_read v body d i) -> (forall d i, reads d i -> inside s d /\ inside s i) ->
  (forall m, In m body -> steady s s m) ->
  forall count d i, maps_read v (repeated s count body) d i <-> inside s d /\ iterated count reads d i.
Proof.
  intros R I B. assert (T : forall count m, In m (repeated s count body) -> steady s s m).
  { induction count as [|count IH]; intros m M.
    - destruct M as [<-|[]]. apply steady_same.
    - unfold repeated in M. fold repeated in M. unfold compose_all in M. apply in_flat_map in M. destruct M as [m1 [M1 M]].
      apply in_map_iff in M. destruct M as [m2 [<- M2]]. eapply steady_compose; eauto. }
  induction count as [|count IH]; intros d i; cbn [repeated iterated].
  - rewrite reads_one, reads_same. intuition.
  - rewrite compose_all_law by (intros m1 m2 M1 M2; eapply steady_composable; eauto). unfold composed. split.
    + intros [j [A C]]. apply R in A. apply IH in C. destruct (I _ _ A) as [D _]. split; [exact D|]. exists j. tauto.
    + intros [D [j [A C]]]. exists j. rewrite <- R, IH. destruct (I _ _ A). auto.
Qed.

(** A family of relations by time, as a loop's maps are given: the state itself after no iteration, and after one more what
    the body reads of that. *)
Theorem family_law {A} (family : nat -> A -> A -> Prop) body :
  (forall d i, family O d i <-> d = i) -> (forall n d i, family (S n) d i <-> exists j, body d j /\ family n j i) ->
  forall n d i, family n d i <-> iterated n body d i.
Proof.
  intros Z0 S. induction n as [|n IH]; intros d i; [apply Z0|]. rewrite S. cbn [iterated]. unfold composed.
  split; intros [j [B F]]; exists j; (split; [exact B|]); apply IH; exact F.
Qed.

(** * Tuples: each array is passed on as it is *)

Theorem tuple_law v s part path x n other y : inside s x ->
  tuple (part :: path, x) n (other, y) <-> n = part /\ other = path /\ map_reads v (same s) x y.
Proof. intros X. unfold tuple. rewrite reads_same. cbn [fst snd]. split; [intros E; injection E; intuition|]. intros (-> & -> & _ & ->). reflexivity. Qed.

Theorem get_tuple_element_law v s part path x n other y : inside s x ->
  get_tuple_element part (path, x) n (other, y) <-> n = O /\ other = part :: path /\ map_reads v (same s) x y.
Proof. intros X. unfold get_tuple_element. rewrite reads_same. cbn [fst snd]. split; [intros [-> E]; injection E; intuition|]. intros (-> & -> & _ & ->). auto. Qed.
