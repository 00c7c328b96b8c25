(** The maps of ops that move elements, for all sizes and ranks: element-wise, iota, broadcast, transpose, reverse, slice,
    concatenate, pad. [X_fits] is computed from shapes and attributes; [X_maps] is the map of each operand. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists.
Import ListNotations.
Open Scope Z_scope.

(** Only operand 0 has maps. *)
Definition only (ms : list index_map) (n : nat) : list index_map := match n with O => ms | _ => [] end.

Definition same (s : shape) : index_map := function_of s [] (tabulate (length s) Dim).

Lemma reads_same v s d i : map_reads v (same s) d i <-> inside s d /\ i = d.
Proof.
  unfold same. rewrite reads_tabulated. simpl. split.
  - intros [H [_ [L K]]]. split; [exact H|]. apply list_ext; [rewrite (inside_length s d H); exact L|].
    rewrite (inside_length s d H). exact K.
  - intros [H ->]. pose proof (inside_length s d H). auto.
Qed.

Definition elementwise_maps (s : shape) (count n : nat) : list index_map := if Nat.ltb n count then [same s] else [].

Theorem elementwise_law v s count : exactly v (elementwise s count) (elementwise_maps s count).
Proof.
  intros d n i. unfold elementwise, elementwise_maps.
  destruct (Nat.ltb_spec n count); [rewrite reads_one, reads_same|rewrite reads_none]; intuition lia.
Qed.

Theorem iota_law v : exactly v iota (fun _ => []).
Proof. intros d n i. rewrite reads_none. reflexivity. Qed.

(** * Broadcast *)

Definition broadcast_fits (out operand : shape) (dims : list nat) : bool :=
  Nat.eqb (length dims) (length operand) && all_in (length out) dims &&
  all_below (length operand) (fun k => operand.[k] =? out.[dims.#k]).
Definition broadcast_maps (out operand : shape) (dims : list nat) : nat -> list index_map :=
  only [function_of out [] (tabulate (length operand) (fun k => Dim (dims.#k)))].

Theorem broadcast_law v out operand dims : broadcast_fits out operand dims = true ->
  exactly v (broadcast out operand dims) (broadcast_maps out operand dims).
Proof.
  unfold broadcast_fits. intros F. conditions F. destruct F as [[L I] S].
  intros d [|n] i; unfold broadcast, broadcast_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_tabulated. simpl. split.
  - intros (_ & H & K & E). pose proof (inside_length _ _ K). auto.
  - intros (H & _ & K & E). split; [reflexivity|]. split; [exact H|]. split; [|exact E].
    split; [exact K|]. intros k Hk. rewrite (E k Hk). specialize (S k Hk). conditions S. rewrite S.
    apply inside_at; [exact H|]. apply I, nth_In. lia.
Qed.

(** * Transpose *)

Definition transpose_fits (out operand : shape) (permutation : list nat) : bool :=
  Nat.eqb (length permutation) (length out) && Nat.eqb (length operand) (length out) &&
  all_in (length out) permutation && distinct permutation &&
  all_below (length out) (fun k => out.[k] =? operand.[permutation.#k]).
Definition transpose_maps (out : shape) (permutation : list nat) : nat -> list index_map :=
  only [function_of out [] (tabulate (length out) (fun k => Dim (position k permutation)))].

Lemma permutation_all n l : length l = n -> NoDup l -> (forall k, In k l -> (k < n)%nat) ->
  forall k, (k < n)%nat -> In k l.
Proof.
  intros L D I k Hk. apply (NoDup_length_incl (l := l) (l' := seq 0 n) D).
  - rewrite seq_length. lia.
  - intros x Hx. apply in_seq. specialize (I x Hx). lia.
  - apply in_seq. lia.
Qed.

(** An index, by the entries of another that a permutation takes. *)
Lemma permuted n l (d i : list Z) : length l = n -> NoDup l -> (forall k, In k l -> (k < n)%nat) ->
  (forall k, (k < n)%nat -> d.[k] = i.[l.#k]) <-> (forall k, (k < n)%nat -> i.[k] = d.[position k l]).
Proof.
  intros L D I. split; intros H k Hk.
  - destruct (position_spec k l) as [P E]; [apply (permutation_all n); assumption|].
    rewrite (H (position k l)) by lia. rewrite E. reflexivity.
  - rewrite (H (l.#k)) by (apply I, nth_In; lia). rewrite position_nth by (assumption || lia). reflexivity.
Qed.

Theorem transpose_law v out operand permutation : transpose_fits out operand permutation = true ->
  exactly v (transpose out operand permutation) (transpose_maps out permutation).
Proof.
  unfold transpose_fits. intros F. conditions F. destruct F as [[[[L R] I] D] S].
  intros d [|n] i; unfold transpose, transpose_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_tabulated. cbn [eval]. rewrite <- (permuted (length out) permutation d i L D I). split.
  - intros (_ & H & K & E). pose proof (inside_length _ _ K).
    split; [exact H|]. split; [constructor|]. split; [congruence|exact E].
  - intros (H & _ & K & E). split; [reflexivity|]. split; [exact H|]. split; [|exact E].
    split; [congruence|]. rewrite R. intros k Hk.
    destruct (position_spec k permutation) as [P Q]; [apply (permutation_all (length out)); assumption|].
    rewrite L in P. specialize (S _ P). conditions S. rewrite Q in S. rewrite <- S.
    pose proof (E _ P) as T. rewrite Q in T. rewrite <- T. apply inside_at; assumption.
Qed.

(** * Reverse *)

Definition reverse_maps (s : shape) (dims : list nat) : nat -> list index_map :=
  only [function_of s [] (tabulate (length s) (fun k => if mem k dims then Sub (Const (s.[k] - 1)) (Dim k) else Dim k))].

Theorem reverse_law v s dims : exactly v (reverse s dims) (reverse_maps s dims).
Proof.
  intros d [|n] i; unfold reverse, reverse_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_tabulated. split.
  - intros (_ & H & K & E). split; [exact H|]. split; [constructor|]. split; [apply (inside_length _ _ K)|].
    intros k Hk. specialize (E k Hk). destruct (mem k dims); cbn [eval Sub]; lia.
  - intros (H & _ & K & E). split; [reflexivity|]. split; [exact H|]. split.
    + split; [exact K|]. intros k Hk. rewrite (E k Hk). pose proof (inside_at _ _ _ H Hk).
      destruct (mem k dims); cbn [eval Sub]; lia.
    + intros k Hk. specialize (E k Hk). destruct (mem k dims); cbn [eval Sub] in E; lia.
Qed.

(** * Slice *)

(** The last element of the slice is one of the operand. *)
Definition slice_fits (out operand start stride : list Z) : bool :=
  Nat.eqb (length operand) (length out) &&
  all_below (length out) (fun k =>
    (0 <=? start.[k]) && (1 <=? stride.[k]) && ((out.[k] <=? 0) || (start.[k] + stride.[k] * (out.[k] - 1) <? operand.[k]))).
Definition slice_maps (out start stride : list Z) : nat -> list index_map :=
  only [function_of out [] (tabulate (length out) (fun k => Add (Const start.[k]) (Mul (Const stride.[k]) (Dim k))))].

Theorem slice_law v out operand start stride : slice_fits out operand start stride = true ->
  exactly v (slice out operand start stride) (slice_maps out start stride).
Proof.
  unfold slice_fits. intros F. conditions F. destruct F as [R S].
  intros d [|n] i; unfold slice, slice_maps, only; [|rewrite reads_none; intuition discriminate].
  rewrite reads_one, reads_tabulated. cbn [eval]. rewrite R. split.
  - intros (_ & H & K & E). pose proof (inside_length _ _ K).
    split; [exact H|]. split; [constructor|]. split; [congruence|exact E].
  - intros (H & _ & K & E). split; [reflexivity|]. split; [exact H|]. split; [|exact E].
    split; [congruence|]. rewrite R. intros k Hk. rewrite (E k Hk).
    pose proof (inside_at _ _ _ H Hk). specialize (S k Hk). conditions S.
    destruct S as [[A B] C]. rewrite orb_true_iff in C. conditions C. nia.
Qed.

(** * Concatenate *)

Definition concatenate_fits (s : shape) (sizes : list Z) (along : nat) : bool :=
  Nat.ltb along (length s) && (before sizes (length sizes) =? s.[along]) && forallb (Z.leb 0) sizes.
Definition concatenate_maps (s : shape) (sizes : list Z) (along n : nat) : list index_map :=
  if Nat.ltb n (length sizes) then
    let first := before sizes n in
    [function_of s [(Dim along, (first, first + sizes.[n] - 1))]
      (tabulate (length s) (fun k => if Nat.eqb k along then Sub (Dim k) (Const first) else Dim k))]
  else [].

Theorem concatenate_law v s sizes along : concatenate_fits s sizes along = true ->
  exactly v (concatenate s sizes along) (concatenate_maps s sizes along).
Proof.
  unfold concatenate_fits. intros F. conditions F. destruct F as [[A _] _].
  intros d n i. unfold concatenate, concatenate_maps.
  destruct (Nat.ltb_spec n (length sizes)) as [N|N]; [|rewrite reads_none; intuition lia].
  rewrite reads_one, reads_tabulated. split.
  - intros (_ & H & L & K & E). split; [exact H|]. split.
    + constructor; [|constructor]. unfold contains. simpl. specialize (E along A). rewrite Nat.eqb_refl in E. lia.
    + split; [exact L|]. intros k Hk. specialize (E k Hk). destruct (Nat.eqb k along); cbn [eval Sub]; lia.
  - intros (H & C & L & E). inversion C as [|? ? B _]; subst. unfold contains in B. cbn [eval fst snd] in B.
    split; [exact N|]. split; [exact H|]. split; [exact L|]. split.
    + rewrite (E along A), Nat.eqb_refl. cbn [eval Sub]. lia.
    + intros k Hk. rewrite (E k Hk). destruct (Nat.eqb k along); cbn [eval Sub]; lia.
Qed.
