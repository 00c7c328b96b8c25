(** Lists by their entries, and what maps of simple forms read. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps.
Import ListNotations.
Open Scope Z_scope.

Lemma list_ext (a b : list Z) :
  length a = length b -> (forall k, (k < length b)%nat -> a.[k] = b.[k]) -> a = b.
Proof. intros H K. apply (nth_ext a b 0 0 H). intros k Hk. apply K. congruence. Qed.

Lemma tabulate_length {A} n (f : nat -> A) : length (tabulate n f) = n.
Proof. unfold tabulate. rewrite map_length. apply seq_length. Qed.

Lemma nth_tabulate {A} n (f : nat -> A) x k : (k < n)%nat -> nth k (tabulate n f) x = f k.
Proof.
  intros H. unfold tabulate. rewrite (nth_indep _ x (f O)) by (rewrite map_length, seq_length; exact H).
  rewrite (map_nth f). rewrite seq_nth by exact H. reflexivity.
Qed.

Lemma map_tabulate {A B} (g : A -> B) n f : map g (tabulate n f) = tabulate n (fun k => g (f k)).
Proof. apply map_map. Qed.

Lemma is_tabulate (i : list Z) n f :
  i = tabulate n f <-> length i = n /\ forall k, (k < n)%nat -> i.[k] = f k.
Proof.
  split.
  - intros ->. rewrite tabulate_length. split; [reflexivity|]. intros k Hk. apply nth_tabulate. exact Hk.
  - intros [H K]. apply list_ext; rewrite tabulate_length; [exact H|].
    intros k Hk. rewrite nth_tabulate by exact Hk. auto.
Qed.

Lemma tabulate_own (i : list Z) : i = tabulate (length i) (fun k => i.[k]).
Proof. apply is_tabulate. auto. Qed.

Lemma Forall_tabulate {A} (P : A -> Prop) n f : Forall P (tabulate n f) <-> forall k, (k < n)%nat -> P (f k).
Proof.
  rewrite Forall_forall. unfold tabulate. split.
  - intros H k Hk. apply H. apply in_map, in_seq. lia.
  - intros H x Hx. apply in_map_iff in Hx. destruct Hx as [k [<- Hk]]. apply H. apply in_seq in Hk. lia.
Qed.

Lemma nth_map_Z {A} (f : A -> Z) (l : list A) x k : (k < length l)%nat -> (map f l).[k] = f (nth k l x).
Proof. intros H. rewrite (nth_indep _ 0 (f x)) by (rewrite map_length; exact H). apply map_nth. Qed.

Lemma in_box_of_sizes s d : in_box (of_sizes s) d <-> inside s d.
Proof.
  unfold in_box, inside, of_sizes, contains. rewrite map_length.
  split; intros [H K]; (split; [exact H|]); intros k Hk; specialize (K k Hk);
    rewrite (nth_indep _ (0, 0) (of_size 0)) in * by (rewrite map_length; exact Hk);
    rewrite map_nth in *; unfold of_size in *; simpl in *; lia.
Qed.

Lemma inside_length s d : inside s d -> length d = length s.
Proof. intros [H _]. exact H. Qed.

Lemma inside_at s d k : inside s d -> (k < length s)%nat -> 0 <= d.[k] < s.[k].
Proof. intros [_ H]. apply H. Qed.

Lemma inside_nil d : inside [] d <-> d = [].
Proof.
  split.
  - intros [H _]. destruct d; [reflexivity|discriminate].
  - intros ->. split; [reflexivity|]. simpl. lia.
Qed.

Lemma inside_cons n s d : inside (n :: s) d <-> exists x y, d = x :: y /\ 0 <= x < n /\ inside s y.
Proof.
  rewrite <- !in_box_of_sizes. unfold of_sizes. simpl. rewrite in_box_cons. unfold contains, of_size. simpl.
  split; intros (x & y & E & H & K); exists x, y; rewrite in_box_of_sizes in *; intuition.
Qed.

Lemma inside_app a b s : inside (a ++ b) s <-> exists x y, s = x ++ y /\ inside a x /\ inside b y.
Proof.
  revert s. induction a as [|n a IH]; intros s; cbn [app].
  - split.
    + intros H. exists [], s. rewrite inside_nil. auto.
    + intros (x & y & -> & H & K). apply inside_nil in H. subst x. exact K.
  - rewrite inside_cons. split.
    + intros (x & y & -> & H & K). apply IH in K. destruct K as (u & w & -> & U & W). exists (x :: u), w.
      split; [reflexivity|]. split; [apply inside_cons; eauto|exact W].
    + intros (u & w & -> & U & W). apply inside_cons in U. destruct U as (x & y & -> & H & K).
      exists x, (y ++ w). split; [reflexivity|]. split; [exact H|]. apply IH. eauto.
Qed.

Lemma inside_one n s : inside [n] s <-> exists x, s = [x] /\ 0 <= x < n.
Proof.
  rewrite inside_cons. split.
  - intros (x & y & -> & H & K). apply inside_nil in K. subst y. eauto.
  - intros (x & -> & H). exists x, []. rewrite inside_nil. auto.
Qed.

(** A list of what exists at each place. *)
Lemma choices (P : nat -> Z -> Prop) n : (forall k, (k < n)%nat -> exists x, P k x) ->
  exists l, length l = n /\ forall k, (k < n)%nat -> P k l.[k].
Proof.
  induction n as [|n IH]; intros H; [exists []; split; [reflexivity|lia]|].
  destruct IH as (l & L & K); [intros k Hk; apply H; lia|]. destruct (H n) as [x X]; [lia|].
  exists (l ++ [x]). split; [rewrite app_length; simpl; lia|]. intros k Hk. destruct (Nat.eq_dec k n) as [->|N].
  - rewrite app_nth2 by lia. rewrite L, Nat.sub_diag. exact X.
  - rewrite app_nth1 by lia. apply K. lia.
Qed.

(** * Positions *)


Lemma mem_spec x l : mem x l = true <-> In x l.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros [y [H K]]. apply Nat.eqb_eq in K. congruence.
  - intros H. exists x. rewrite Nat.eqb_refl. auto.
Qed.

Lemma mem_false x l : mem x l = false <-> ~ In x l.
Proof. rewrite <- mem_spec. destruct (mem x l); intuition congruence. Qed.

Lemma position_spec x l : In x l -> (position x l < length l)%nat /\ l.#(position x l) = x.
Proof.
  induction l as [|y l IH]; [intros []|]. intros H. simpl. destruct (Nat.eqb_spec x y) as [->|N].
  - simpl. split; [lia|reflexivity].
  - destruct H as [->|H]; [congruence|]. destruct (IH H). simpl. split; [lia|assumption].
Qed.

Lemma position_nth l p : NoDup l -> (p < length l)%nat -> position (l.#p) l = p.
Proof.
  revert p. induction l as [|y l IH]; intros p H Hp; [simpl in Hp; lia|]. inversion H; subst.
  destruct p as [|p]; simpl; [rewrite Nat.eqb_refl; reflexivity|]. simpl in Hp.
  destruct (Nat.eqb_spec (nth p l O) y) as [E|N].
  - exfalso. apply H2. rewrite <- E. apply nth_In. lia.
  - f_equal. apply IH; [assumption|lia].
Qed.

Lemma others_in n l k : In k (others n l) <-> (k < n)%nat /\ ~ In k l.
Proof. unfold others. rewrite filter_In, in_seq, negb_true_iff, mem_false. intuition lia. Qed.

Lemma others_NoDup n l : NoDup (others n l).
Proof. apply NoDup_filter, seq_NoDup. Qed.

Lemma NoDup_parts (a b : list nat) :
  NoDup (a ++ b) -> NoDup a /\ NoDup b /\ forall k, In k a -> In k b -> False.
Proof.
  induction a as [|x a IH]; simpl; intros H.
  - split; [constructor|]. split; [exact H|]. intros k [].
  - inversion H as [|? ? N K]; subst. rewrite in_app_iff in N. destruct (IH K) as (A & B & X).
    split; [constructor; tauto|]. split; [exact B|]. intros k [->|Q] R; [tauto|eauto].
Qed.

Lemma nth_in_nat (l : list nat) p : (p < length l)%nat -> In (l.#p) l.
Proof. apply nth_In. Qed.

(** * What maps of simple forms read *)

Lemma reads_none v d i : maps_read v [] d i <-> False.
Proof. unfold maps_read. split; [intros [m [[] _]]|tauto]. Qed.

Lemma reads_one v m d i : maps_read v [m] d i <-> map_reads v m d i.
Proof.
  unfold maps_read. split.
  - intros [m' [[<-|[]] H]]. exact H.
  - intros H. exists m. simpl. auto.
Qed.

(** A map without runtime variables, from an array of shape [out]. *)
Definition map_of (out ranged : shape) (cs : list (expr * interval)) (rs : list expr) : index_map :=
  IndexMap (of_sizes out) (of_sizes ranged) [] cs rs.

Lemma reads_map_of v out ranged cs rs d i :
  map_reads v (map_of out ranged cs rs) d i <->
  inside out d /\ exists s, inside ranged s /\
    Forall (fun c => contains (snd c) (eval d s [] (fst c))) cs /\ i = map (eval d s []) rs.
Proof.
  unfold map_reads, holds, value, map_of, runtime_values. simpl. rewrite in_box_of_sizes.
  split; intros [H [s K]]; (split; [exact H|]); exists s; rewrite in_box_of_sizes in *; intuition.
Qed.

(** One that is a function, with no range variables. *)
Definition function_of (out : shape) (cs : list (expr * interval)) (rs : list expr) : index_map := map_of out [] cs rs.

Lemma reads_function v out cs rs d i :
  map_reads v (function_of out cs rs) d i <->
  inside out d /\ Forall (fun c => contains (snd c) (eval d [] [] (fst c))) cs /\ i = map (eval d [] []) rs.
Proof.
  unfold function_of. rewrite reads_map_of. split.
  - intros [H [s [K L]]]. apply inside_nil in K. subst s. auto.
  - intros [H K]. split; [exact H|]. exists []. rewrite inside_nil. auto.
Qed.

(** [(d0, ..) -> (f 0, f 1, ..)]. *)
Lemma reads_tabulated v out cs n f d i :
  map_reads v (function_of out cs (tabulate n f)) d i <->
  inside out d /\ Forall (fun c => contains (snd c) (eval d [] [] (fst c))) cs /\
  length i = n /\ forall k, (k < n)%nat -> i.[k] = eval d [] [] (f k).
Proof. rewrite reads_function, map_tabulate, is_tabulate. tauto. Qed.

(** Every element of the result reads the one element of a scalar. *)
Definition scalar (out : shape) : index_map := function_of out [] [].
Lemma reads_scalar v out d i : map_reads v (scalar out) d i <-> inside out d /\ i = [].
Proof. unfold scalar. rewrite reads_function. simpl. intuition. Qed.

(** * Conditions that are computed *)

Definition all_below (n : nat) (f : nat -> bool) : bool := forallb f (seq 0 n).
Lemma all_below_spec n f : all_below n f = true <-> forall k, (k < n)%nat -> f k = true.
Proof.
  unfold all_below. rewrite forallb_forall. split.
  - intros H k Hk. apply H, in_seq. lia.
  - intros H k Hk. apply H. apply in_seq in Hk. lia.
Qed.

Fixpoint distinct (l : list nat) : bool := match l with [] => true | x :: l => negb (mem x l) && distinct l end.
Lemma distinct_spec l : distinct l = true <-> NoDup l.
Proof.
  induction l as [|x l IH]; simpl.
  - split; [constructor|reflexivity].
  - rewrite andb_true_iff, negb_true_iff, mem_false, IH. split.
    + intros [H K]. constructor; assumption.
    + intros H. inversion H. auto.
Qed.

Definition all_in (n : nat) (l : list nat) : bool := forallb (fun k => Nat.ltb k n) l.
Lemma all_in_spec n l : all_in n l = true <-> forall k, In k l -> (k < n)%nat.
Proof.
  unfold all_in. rewrite forallb_forall. split; intros H k Hk; specialize (H k Hk); apply Nat.ltb_lt in H || apply Nat.ltb_lt; exact H.
Qed.

Definition is_permutation_of (n : nat) (l : list nat) : bool := Nat.eqb (length l) n && all_in n l && distinct l.

(** Turns a condition that was computed into its meaning. *)
Ltac conditions H :=
  repeat rewrite andb_true_iff in H; repeat rewrite all_below_spec in H; repeat rewrite distinct_spec in H;
  repeat rewrite all_in_spec in H; repeat rewrite Nat.eqb_eq in H; repeat rewrite Nat.ltb_lt in H; repeat rewrite Z.eqb_eq in H;
  repeat rewrite Z.leb_le in H; repeat rewrite Z.ltb_lt in H.

(** * Maps with runtime variables *)

Definition dynamic_map (out ranged : shape) (rts : list runtime) (cs : list (expr * interval)) (rs : list expr) : index_map :=
  IndexMap (of_sizes out) (of_sizes ranged) rts cs rs.

Lemma Forall2_map {A B} (P : A -> B -> Prop) f l : Forall2 P l (map f l) <-> Forall (fun x => P x (f x)) l.
Proof.
  induction l as [|x l IH]; simpl; [split; constructor|]. split; intros H; inversion H; subst; constructor; tauto.
Qed.

Lemma reads_dynamic v out ranged rts cs rs d i :
  map_reads v (dynamic_map out ranged rts cs rs) d i <->
  inside out d /\ exists s, inside ranged s /\
    Forall (fun r => contains (bounds r) (runtime_value v d s r)) rts /\
    Forall (fun c => contains (snd c) (eval d s (map (runtime_value v d s) rts) (fst c))) cs /\
    i = map (eval d s (map (runtime_value v d s) rts)) rs.
Proof.
  unfold map_reads, holds, value, dynamic_map, runtime_values. simpl. rewrite in_box_of_sizes.
  split; intros [H [s K]]; (split; [exact H|]); exists s; rewrite in_box_of_sizes, Forall2_map in *; tauto.
Qed.

Lemma runtime_at v d s n f k : (k < n)%nat ->
  (map (runtime_value v d s) (tabulate n f)).[k] = runtime_value v d s (f k).
Proof. intros H. rewrite map_tabulate, nth_tabulate by exact H. reflexivity. Qed.

Lemma clamp_in lo hi x : lo <= hi -> lo <= clamp lo hi x <= hi.
Proof. unfold clamp. lia. Qed.

(** * The first of several that fails *)

Lemma first_failure (P : nat -> bool) n :
  ~ (forall k, (k < n)%nat -> P k = true) <-> exists k, (k < n)%nat /\ P k = false /\ forall j, (j < k)%nat -> P j = true.
Proof.
  split.
  - induction n as [|n IH]; intros H; [exfalso; apply H; lia|].
    destruct (all_below n P) eqn:E.
    + rewrite all_below_spec in E. exists n. split; [lia|]. split; [|exact E].
      destruct (P n) eqn:F; [|reflexivity]. exfalso. apply H. intros k Hk.
      destruct (Nat.eq_dec k n) as [->|]; [exact F|apply E; lia].
    + destruct IH as [k K].
      * intros K. apply all_below_spec in K. congruence.
      * exists k. intuition.
  - intros [k [K [E _]]] H. specialize (H k K). congruence.
Qed.

Lemma in_flat_tabulate {A} n (f : nat -> list A) x :
  In x (flat_map f (seq 0 n)) <-> exists k, (k < n)%nat /\ In x (f k).
Proof.
  rewrite in_flat_map. split; intros [k [H K]]; exists k; rewrite in_seq in *; (split; [lia|exact K]).
Qed.

Lemma Forall_flat {A} (P : A -> Prop) n (f : nat -> list A) :
  Forall P (flat_map f (seq 0 n)) <-> forall k, (k < n)%nat -> Forall P (f k).
Proof.
  rewrite Forall_forall. split.
  - intros H k Hk. apply Forall_forall. intros x Hx. apply H, in_flat_tabulate. eauto.
  - intros H x Hx. apply in_flat_tabulate in Hx. destruct Hx as [k [Hk Hx]]. specialize (H k Hk).
    rewrite Forall_forall in H. auto.
Qed.

Lemma app_inj_length {A} (x y x' y' : list A) : length x = length x' -> x ++ y = x' ++ y' -> x = x' /\ y = y'.
Proof.
  revert x'. induction x as [|a x IH]; intros [|b x'] L E; try discriminate; [auto|].
  injection L as L. injection E as -> E. destruct (IH x' L E) as [-> ->]. auto.
Qed.
