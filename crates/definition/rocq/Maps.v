(** Index maps, as the engine means them: expressions over dimensions, range variables and values known at run time, with
    intervals and constraints; what a map reads; and a list of all it reads, which is proved to be that. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics.
Import ListNotations.
Open Scope Z_scope.

Inductive expr :=
  | Const (c : Z) | Dim (k : nat) | Range (k : nat) | Runtime (k : nat)
  | Add (x y : expr) | Mul (x y : expr) | Div (x y : expr) | Mod (x y : expr) | Min (x y : expr) | Max (x y : expr).

(** [d], [s] and [r] are the values of the dimensions, the range variables and the runtime variables. *)
Fixpoint eval (d s r : list Z) (e : expr) : Z :=
  match e with
  | Const c => c
  | Dim k => d.[k]
  | Range k => s.[k]
  | Runtime k => r.[k]
  | Add x y => eval d s r x + eval d s r y
  | Mul x y => eval d s r x * eval d s r y
  | Div x y => eval d s r x / eval d s r y
  | Mod x y => eval d s r x mod eval d s r y
  | Min x y => Z.min (eval d s r x) (eval d s r y)
  | Max x y => Z.max (eval d s r x) (eval d s r y)
  end.
Definition Sub x y := Add x (Mul (Const (-1)) y).

Definition interval := (Z * Z)%type.
Definition contains (b : interval) (x : Z) : Prop := fst b <= x <= snd b.
Definition box := list interval.
Definition in_box (b : box) (x : list Z) : Prop :=
  length x = length b /\ forall k, (k < length b)%nat -> contains (nth k b (0, 0)) x.[k].
Definition of_size (n : Z) : interval := (0, n - 1).
Definition of_sizes (s : shape) : box := map of_size s.

(** A runtime variable is the element of array [source] at an index over dimensions and range variables, clamped; the map
    reads only where it lies in [bounds]. *)
Record runtime := { source : nat; at_index : list expr; clamped : interval; bounds : interval }.
Record index_map := IndexMap
  { dims : box; ranges : box; runtimes : list runtime; constraints : list (expr * interval); results : list expr }.

Definition runtime_value (v : values) (d s : list Z) (r : runtime) : Z :=
  clamp (fst (clamped r)) (snd (clamped r)) (v (source r) (map (eval d s []) (at_index r))).
Definition runtime_values (v : values) (m : index_map) (d s : list Z) : list Z :=
  map (runtime_value v d s) (runtimes m).

(** With values [s] of the range variables, the map has a point at [d]. *)
Definition holds (v : values) (m : index_map) (d s : list Z) : Prop :=
  let r := runtime_values v m d s in
  Forall2 (fun x y => contains (bounds x) y) (runtimes m) r /\
  Forall (fun c => contains (snd c) (eval d s r (fst c))) (constraints m).
Definition value (v : values) (m : index_map) (d s : list Z) : index :=
  map (eval d s (runtime_values v m d s)) (results m).

(** What a map reads, and a set of maps: all that one of them reads. *)
Definition map_reads (v : values) (m : index_map) (d i : index) : Prop :=
  in_box (dims m) d /\ exists s, in_box (ranges m) s /\ holds v m d s /\ i = value v m d s.
Definition maps_read (v : values) (ms : list index_map) (d i : index) : Prop :=
  exists m, In m ms /\ map_reads v m d i.

(** The claim about an op: for each operand, its maps read exactly what the op reads. *)
Definition exactly (v : values) (reads : reading) (maps : nat -> list index_map) : Prop :=
  forall d n i, reads d n i <-> maps_read v (maps n) d i.

(** * The list of all that is read *)

Definition interval_list (b : interval) : list Z :=
  map (fun k => fst b + Z.of_nat k) (seq 0 (Z.to_nat (snd b - fst b + 1))).
Fixpoint box_list (b : box) : list (list Z) :=
  match b with [] => [[]] | x :: b => flat_map (fun y => map (cons y) (box_list b)) (interval_list x) end.
Definition containsb (b : interval) (x : Z) : bool := (fst b <=? x) && (x <=? snd b).
Fixpoint in_boxb (b : box) (x : list Z) : bool :=
  match b, x with [], [] => true | b :: bs, x :: xs => containsb b x && in_boxb bs xs | _, _ => false end.
Definition holdsb (v : values) (m : index_map) (d s : list Z) : bool :=
  let r := runtime_values v m d s in
  in_boxb (map bounds (runtimes m)) r && forallb (fun c => containsb (snd c) (eval d s r (fst c))) (constraints m).
Definition elements (v : values) (m : index_map) (d : index) : list index :=
  if in_boxb (dims m) d then map (value v m d) (filter (holdsb v m d) (box_list (ranges m))) else [].

Lemma containsb_spec b x : containsb b x = true <-> contains b x.
Proof. unfold containsb, contains. rewrite andb_true_iff, !Z.leb_le. tauto. Qed.

Lemma in_interval_list b x : In x (interval_list b) <-> contains b x.
Proof.
  unfold interval_list, contains. rewrite in_map_iff. split.
  - intros [k [<- H]]. apply in_seq in H. lia.
  - intros H. exists (Z.to_nat (x - fst b)). rewrite in_seq. lia.
Qed.

Lemma in_box_nil x : in_box [] x <-> x = [].
Proof. unfold in_box. destruct x; simpl; split; try tauto; intuition; try discriminate; lia. Qed.

Lemma in_box_cons b bs x : in_box (b :: bs) x <-> exists y ys, x = y :: ys /\ contains b y /\ in_box bs ys.
Proof.
  unfold in_box. split.
  - intros [H K]. destruct x as [|y ys]; [discriminate|]. exists y, ys. simpl in H. injection H as H.
    split; [reflexivity|]. split; [apply (K 0%nat); simpl; lia|]. split; [exact H|].
    intros k Hk. apply (K (S k)). simpl; lia.
  - intros (y & ys & -> & H & L & K). simpl. split; [lia|]. intros [|k] Hk; [exact H|apply K; lia].
Qed.

Lemma in_box_list b : forall x, In x (box_list b) <-> in_box b x.
Proof.
  induction b as [|a b IH]; intros x; cbn [box_list].
  - rewrite in_box_nil. simpl. intuition.
  - rewrite in_box_cons, in_flat_map. split.
    + intros [y [Hy H]]. apply in_map_iff in H. destruct H as [ys [<- H]].
      exists y, ys. rewrite <- in_interval_list, <- IH. auto.
    + intros (y & ys & -> & H & K). exists y. rewrite in_interval_list. split; [exact H|].
      apply in_map. apply IH. exact K.
Qed.

Lemma in_boxb_spec b : forall x, in_boxb b x = true <-> in_box b x.
Proof.
  induction b as [|a b IH]; intros x.
  - rewrite in_box_nil. destruct x; simpl; split; congruence.
  - rewrite in_box_cons. destruct x as [|y ys]; simpl.
    + split; [discriminate|]. intros (? & ? & H & _). discriminate.
    + rewrite andb_true_iff, containsb_spec, IH. split.
      * intros [H K]. exists y, ys. auto.
      * intros (? & ? & H & K). injection H as <- <-. exact K.
Qed.

Lemma in_box_forall2 (l : list runtime) : forall r,
  in_boxb (map bounds l) r = true <-> Forall2 (fun x y => contains (bounds x) y) l r.
Proof.
  induction l as [|a l IH]; intros [|y r]; simpl.
  - split; auto.
  - split; [discriminate|]. intros H; inversion H.
  - split; [discriminate|]. intros H; inversion H.
  - rewrite andb_true_iff, containsb_spec, IH. split.
    + intros [H K]. constructor; assumption.
    + intros H; inversion H; auto.
Qed.

Lemma holdsb_spec v m d s : holdsb v m d s = true <-> holds v m d s.
Proof.
  unfold holdsb, holds. rewrite andb_true_iff, in_box_forall2, forallb_forall, Forall_forall.
  split; intros [H K]; (split; [exact H|]); intros c Hc; apply containsb_spec; auto.
Qed.

Theorem elements_spec v m d i : In i (elements v m d) <-> map_reads v m d i.
Proof.
  unfold elements, map_reads. rewrite <- in_boxb_spec.
  destruct (in_boxb (dims m) d); [|simpl; intuition congruence].
  rewrite in_map_iff. split.
  - intros [s [<- H]]. apply filter_In in H. rewrite in_box_list, holdsb_spec in H. split; [reflexivity|].
    exists s. intuition.
  - intros [_ [s [H [K ->]]]]. exists s. split; [reflexivity|].
    apply filter_In. rewrite in_box_list, holdsb_spec. auto.
Qed.
