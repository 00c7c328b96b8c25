(** Which elements of its operands an element of an op's result may read: to be read beside XLA's
    Operation Semantics. An array is a function of indices, an index a list of integers, a shape a list of
    sizes. Each definition holds for any rank, and is stated in the direction that needs no division. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

Definition index := list Z.
Definition shape := list Z.

(** Entry [k] of a list of integers, and of a list of dimension numbers; 0 beyond its end. *)
Notation "l .[ k ]" := (nth k l 0) (at level 2, left associativity, format "l .[ k ]").
Notation "l .# k" := (nth k l O) (at level 2, k at level 1, left associativity, format "l .# k").

(** [d] is an index of an array of shape [s]. *)
Definition inside (s : shape) (d : index) : Prop :=
  length d = length s /\ forall k, (k < length s)%nat -> 0 <= d.[k] < s.[k].

(** [reads d n i]: element [d] of the result reads element [i] of operand [n], for some values of the operands that are
    not given. [values n i], where an op is given it, is the integer that element [i] of operand [n] is. *)
Definition reading := index -> nat -> index -> Prop.
Definition values := nat -> index -> Z.

(** * Lists of dimensions *)

Fixpoint position (x : nat) (l : list nat) : nat :=
  match l with [] => O | y :: l => if Nat.eqb x y then O else S (position x l) end.
Definition mem (x : nat) (l : list nat) : bool := existsb (Nat.eqb x) l.
(** The dimensions below [n] that [l] does not list, in order. *)
Definition others (n : nat) (l : list nat) : list nat := filter (fun k => negb (mem k l)) (seq 0 n).
Definition tabulate {A} (n : nat) (f : nat -> A) : list A := map f (seq 0 n).
Definition clamp (lo hi x : Z) : Z := Z.max lo (Z.min x hi).
Definition product (s : shape) : Z := fold_right Z.mul 1 s.

(** * Element-wise operations: operand [n] of [count] is read at the same index *)
Definition elementwise (s : shape) (count : nat) : reading := fun d n i =>
  (n < count)%nat /\ inside s d /\ i = d.

(** * Iota: there is no operand *)
Definition iota : reading := fun _ _ _ => False.

(** * Broadcast: "dimension [dims[k]] of the result corresponds to dimension [k] of the operand" *)
Definition broadcast (out operand : shape) (dims : list nat) : reading := fun d n i =>
  n = O /\ inside out d /\ inside operand i /\
  forall k, (k < length operand)%nat -> i.[k] = d.[dims.#k].

(** * Transpose: "permutes the operand dimensions with the given permutation" *)
Definition transpose (out operand : shape) (permutation : list nat) : reading := fun d n i =>
  n = O /\ inside out d /\ inside operand i /\
  forall k, (k < length out)%nat -> d.[k] = i.[permutation.#k].

(** * Rev: "each element at index i is moved to N - 1 - i" in the listed dimensions *)
Definition reverse (s : shape) (dims : list nat) : reading := fun d n i =>
  n = O /\ inside s d /\ inside s i /\
  forall k, (k < length s)%nat -> if mem k dims then d.[k] + i.[k] + 1 = s.[k] else d.[k] = i.[k].

(** * Reshape: elements keep their position in row-major order *)
Fixpoint linear (s : shape) (d : index) : Z :=
  match s, d with _ :: s, x :: d => x * product s + linear s d | _, _ => 0 end.
Definition reshape (out operand : shape) : reading := fun d n i =>
  n = O /\ inside out d /\ inside operand i /\ linear out d = linear operand i.

(** * Bitcast between elements of one width: the position in memory stays, where a layout lists the dimensions from the
    most major to the most minor *)
Definition arranged (order : list nat) (l : list Z) : list Z := map (fun k => l.[k]) order.
Definition bitcast (out operand : shape) (of_out of_operand : list nat) : reading := fun d n i =>
  n = O /\ inside out d /\ inside operand i /\
  linear (arranged of_out out) (arranged of_out d) = linear (arranged of_operand operand) (arranged of_operand i).

(** * Slice: from [start], in steps of [stride] *)
Definition slice (out operand start stride : list Z) : reading := fun d n i =>
  n = O /\ inside out d /\ inside operand i /\
  forall k, (k < length operand)%nat -> i.[k] = start.[k] + stride.[k] * d.[k].

(** * DynamicSlice: "at dynamic start indices", scalars, which are "clamped so that the slice is in bounds" *)
Definition start_at (first : nat) (large small : shape) (v : values) (k : nat) : Z :=
  clamp 0 (large.[k] - small.[k]) (v (first + k)%nat []).
Definition dynamic_slice (out operand : shape) (v : values) : reading := fun d n i =>
  match n with
  | O => inside out d /\ inside operand i /\
      forall k, (k < length operand)%nat -> i.[k] = start_at 1 operand out v k + d.[k]
  | S k => (k < length operand)%nat /\ inside out d /\ i = []
  end.

(** * DynamicUpdateSlice: the operand "with a slice overwritten at start indices", which are clamped *)
Definition overwrites (s update : shape) (v : values) (d i : index) : Prop :=
  inside update i /\ forall k, (k < length s)%nat -> d.[k] = start_at 2 s update v k + i.[k].
Definition dynamic_update_slice (s update : shape) (v : values) : reading := fun d n i =>
  inside s d /\
  match n with
  | O => i = d /\ ~ exists j, overwrites s update v d j
  | 1%nat => overwrites s update v d i
  | S (S k) => (k < length s)%nat /\ i = []
  end.

(** * Concatenate: the operands in sequence along dimension [along] *)
Definition before (sizes : list Z) (n : nat) : Z := fold_right Z.add 0 (firstn n sizes).
(** [sizes]: the size of each operand along it; [s]: the shape of the result. *)
Definition concatenate (s : shape) (sizes : list Z) (along : nat) : reading := fun d n i =>
  (n < length sizes)%nat /\ inside s d /\ length i = length s /\ 0 <= i.[along] < sizes.[n] /\
  forall k, (k < length s)%nat -> d.[k] = i.[k] + (if Nat.eqb k along then before sizes n else 0).

(** * Pad: [low] in front, [interior] between the elements; the padding value where there is no element *)
Definition pad_from (operand low interior : list Z) (d i : index) : Prop :=
  inside operand i /\ forall k, (k < length operand)%nat -> d.[k] = low.[k] + (interior.[k] + 1) * i.[k].
Definition pad (out operand low interior : list Z) : reading := fun d n i =>
  inside out d /\
  match n with
  | O => pad_from operand low interior d i
  | 1%nat => i = [] /\ ~ exists j, pad_from operand low interior d j
  | _ => False
  end.

(** * Reduce: every element along the dimensions [reduced]; the others keep their order. [inputs] arrays, then their
    initial values; the computation uses all of them. With nothing to reduce only the initial value of the [part] of
    the result is read. *)
Definition reduce (out operand : shape) (reduced : list nat) (inputs part : nat) : reading := fun d n i =>
  inside out d /\
  if product (map (fun k => operand.[k]) reduced) =? 0 then n = (inputs + part)%nat /\ i = [] else
  if Nat.ltb n inputs
  then inside operand i /\
    let kept := others (length operand) reduced in
    forall p, (p < length kept)%nat -> i.[kept.#p] = d.[p]
  else (n < inputs + inputs)%nat /\ i = [].

(** * Dot: "the dimensions of the result are the batch dimensions, then the free dimensions of the left and of the right
    operand"; every index of the contracted dimensions is read *)
Definition free (s : shape) (batch contracted : list nat) : list nat := others (length s) (batch ++ contracted).
Definition dot_side (s : shape) (batch contracted : list nat) (first : nat) (d i : index) : Prop :=
  inside s i /\
  (forall p, (p < length batch)%nat -> i.[batch.#p] = d.[p]) /\
  (forall p, (p < length (free s batch contracted))%nat -> i.[(free s batch contracted).#p] = d.[first + p]).
Definition dot (out lhs rhs : shape) (lhs_batch rhs_batch lhs_contracted rhs_contracted : list nat) : reading :=
  fun d n i =>
  let batches := length lhs_batch in
  inside out d /\
  match n with
  | O => dot_side lhs lhs_batch lhs_contracted batches d i
  | 1%nat => dot_side rhs rhs_batch rhs_contracted (batches + length (free lhs lhs_batch lhs_contracted)) d i
  | _ => False
  end.

(** * Windows: tap [t] of the window at position [x] lies on element [e] of the base, which is dilated, then padded *)
Record window := Window { size : Z; stride : Z; low : Z; high : Z; base_dilation : Z; window_dilation : Z; reversed : bool }.
Definition no_window := Window 0 0 0 0 0 0 false.
Definition lies_on (w : window) (x t e : Z) : Prop :=
  0 <= t < size w /\ x * stride w + t * window_dilation w = low w + e * base_dilation w.

(** * ReduceWindow: the elements in each window, as [reduce] *)
Definition reduce_window (out operand : shape) (windows : list window) (inputs : nat) : reading := fun d n i =>
  inside out d /\
  if Nat.ltb n inputs
  then inside operand i /\
    forall k, (k < length operand)%nat -> exists t, lies_on (nth k windows no_window) d.[k] t i.[k]
  else (n < inputs + inputs)%nat /\ i = [].

(** * SelectAndScatter: of each window one element is selected, by comparing those in the window (operand 0); the element
    of the source at that window goes there (operand 1), combined with an initial value (operand 2). One element alone is
    not compared. *)
Definition compares (windows : list window) : bool := existsb (fun w => 1 <? size w) windows.
Definition select_and_scatter (s source : shape) (windows : list window) : reading := fun d n i =>
  inside s d /\
  match n with
  | O => compares windows = true /\ inside s i /\ exists x, inside source x /\ forall k, (k < length s)%nat ->
      let w := nth k windows no_window in
      (exists t, lies_on w x.[k] t d.[k]) /\ (exists t, lies_on w x.[k] t i.[k])
  | 1%nat => inside source i /\
      forall k, (k < length s)%nat -> exists t, lies_on (nth k windows no_window) i.[k] t d.[k]
  | 2%nat => i = []
  | _ => False
  end.

(** * Conv: products of input and kernel elements, over the taps of a window and the input features. With
    [feature_groups], an output feature sees the features of its own group; with [batch_groups], the batch of its own
    group. A kernel's [batch] is its output feature, its [feature] its input feature. *)
Record labels := Labels { batch : nat; feature : nat; spatial : list nat }.
Definition tap_of (w : window) (stored : Z) : Z := if reversed w then size w - 1 - stored else stored.
(** Of [count] features in [groups] groups, feature [f] is in group [g]. *)
Definition in_group (count groups f g : Z) : Prop :=
  0 <= g < groups /\ exists size r, count = groups * size /\ 0 <= r < size /\ f = g * size + r.
Definition convolution (out input kernel : shape) (of_out of_input of_kernel : labels) (windows : list window)
  (feature_groups batch_groups : Z) : reading := fun d n i =>
  let features := out.[feature of_out] in
  let f := d.[feature of_out] in
  let on := fun p stored e =>
    let w := nth p windows no_window in lies_on w d.[(spatial of_out).#p] (tap_of w stored) e in
  inside out d /\
  match n with
  | O => inside input i /\
      (exists g c, in_group features feature_groups f g /\ 0 <= c < kernel.[feature of_kernel] /\
        i.[feature of_input] = g * kernel.[feature of_kernel] + c) /\
      (exists g, in_group features batch_groups f g /\
        i.[batch of_input] = g * out.[batch of_out] + d.[batch of_out]) /\
      forall p, (p < length windows)%nat -> exists stored, on p stored i.[(spatial of_input).#p]
  | 1%nat => inside kernel i /\ i.[batch of_kernel] = f /\
      forall p, (p < length windows)%nat -> exists e,
        0 <= e < input.[(spatial of_input).#p] /\ on p i.[(spatial of_kernel).#p] e
  | _ => False
  end.

(** * Sort: what comes where is decided by comparing the whole row, of each operand. In a row of one element nothing is
    compared, and each [part] of the result is its own operand. *)
Definition sort (s : shape) (along count part : nat) : reading := fun d n i =>
  (n < count)%nat /\ (n = part \/ 1 < s.[along]) /\ inside s d /\ inside s i /\
  forall k, (k < length s)%nat -> k <> along -> i.[k] = d.[k].

(** * Gather: "stitches together several slices (each at a different runtime offset)". The dimensions of the result that
    [offset] does not list choose an index vector; its elements, clamped so that the slice is in bounds, are the start
    of the slice in the dimensions of [start_map]. In batching dimensions the slice stands at the batch's index. *)
Record vectors := Vectors
  { offset : list nat; collapsed : list nat; start_map : list nat; batching : list nat; indices_batching : list nat;
    vector_dim : nat; slice_sizes : list Z }.
(** The index of component [c] of the index vector at batch index [b]. *)
Definition component (g : vectors) (indices : shape) (b : list Z) (c : Z) : index :=
  tabulate (length indices) (fun k =>
    if Nat.eqb k (vector_dim g) then c else b.[position k (others (length indices) [vector_dim g])]).
(** The place among batch indices of the batch dimension that goes with batching dimension [k]. *)
Definition batch_place (g : vectors) (indices : shape) (k : nat) : nat :=
  position ((indices_batching g).#(position k (batching g))) (others (length indices) [vector_dim g]).
(** The dimensions that the slice keeps. *)
Definition kept (g : vectors) (s : shape) : list nat := others (length s) (collapsed g ++ batching g).
(** The place in the slice: the element [x] of the array that holds slices counts it in [offset]. *)
Definition within (g : vectors) (s : shape) (x : index) (k : nat) : Z :=
  if mem k (collapsed g ++ batching g) then 0 else x.[(offset g).#(position k (kept g s))].
Definition batch_index (g : vectors) (held : shape) (x : index) : list Z :=
  map (fun k => x.[k]) (others (length held) (offset g)).

Definition gather (out operand indices : shape) (g : vectors) (v : values) : reading := fun d n i =>
  let b := batch_index g out d in
  let start := fun k =>
    if mem k (start_map g)
    then clamp 0 (operand.[k] - (slice_sizes g).[k]) (v 1%nat (component g indices b (Z.of_nat (position k (start_map g)))))
    else if mem k (batching g) then b.[batch_place g indices k] else 0 in
  inside out d /\
  match n with
  | O => inside operand i /\ forall k, (k < length operand)%nat -> i.[k] = start k + within g operand d k
  | 1%nat => inside indices i /\ exists c, i = component g indices b c
  | _ => False
  end.

(** * Scatter: "the input array, with several slices (at indices specified by the indices array) updated with the values
    in updates", combined with what was there. A window "that is out of bounds is skipped" as a whole. [offset] are the
    update window dimensions, [collapsed] the inserted ones. *)
Definition lands (s indices updates : shape) (g : vectors) (v : values) (d i : index) : Prop :=
  let b := batch_index g updates i in
  let start := fun k => v 1%nat (component g indices b (Z.of_nat (position k (start_map g)))) in
  inside updates i /\ forall k, (k < length s)%nat ->
    (mem k (start_map g) = true -> 0 <= start k <= s.[k] - (slice_sizes g).[k]) /\
    d.[k] = (if mem k (start_map g) then start k
             else if mem k (batching g) then b.[batch_place g indices k] else 0) + within g s i k.
Definition scatter (s indices updates : shape) (g : vectors) (v : values) : reading := fun d n i =>
  inside s d /\
  match n with
  | O => i = d
  | 1%nat => inside indices i /\ product updates <> 0 /\
      forall k, (k < length s)%nat -> mem k (batching g) = true ->
        i.[(indices_batching g).#(position k (batching g))] = d.[k]
  | 2%nat => lands s indices updates g v d i
  | _ => False
  end.

(** * Tuples: an element of a nested tuple is an element of the array at a path *)
Definition element := (list nat * index)%type.
Definition tuple (d : element) (n : nat) (i : element) : Prop := d = (n :: fst i, snd i).
Definition get_tuple_element (part : nat) (d : element) (n : nat) (i : element) : Prop :=
  n = O /\ i = (part :: fst d, snd d).

(** * Call and fusion: what the called computation's result reads of its parameters. Instruction [a] reads through its
    operand number [n], which is instruction [operand a n]; an instruction without operands is a parameter. *)
Section Composition.
  Variable operand : nat -> nat -> nat.
  Variable reads : nat -> reading.
  Inductive flows : nat -> index -> nat -> index -> Prop :=
    | itself a d : flows a d a d
    | through a d n j b i : reads a d n j -> flows (operand a n) j b i -> flows a d b i.
End Composition.

(** * While, where the body runs [count] times: its state after the last iteration *)
Definition composed {A} (r1 r2 : A -> A -> Prop) (d i : A) : Prop := exists j, r1 d j /\ r2 j i.
Fixpoint iterated {A} (count : nat) (body : A -> A -> Prop) : A -> A -> Prop :=
  match count with O => eq | S count => composed body (iterated count body) end.
