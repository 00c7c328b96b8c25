(** All ops as data, one theorem for all of them, and the comparison with pairs of elements that another definition reads:
    where [check] computes [true], the relation holds exactly the pairs whose bit is set. *)
From Coq Require Import ZArith List Bool Lia.
From Reads Require Import Semantics Maps Lists LawsMoves LawsPad LawsReshape LawsDynamic LawsReduce LawsWindow LawsConvolution
  LawsGather LawsScatter LawsCompose.
Import ListNotations.
Open Scope Z_scope.

Inductive op :=
  | Elementwise (s : shape) (count : nat)
  | Iota
  | Broadcast (out operand : shape) (dims : list nat)
  | Transpose (out operand : shape) (permutation : list nat)
  | Reverse (s : shape) (dims : list nat)
  | Reshape (out operand : shape)
  | Bitcast (out operand : shape) (of_out of_operand : list nat)
  | Slice (out operand start stride : list Z)
  | DynamicSlice (out operand : shape)
  | DynamicUpdateSlice (s update : shape)
  | Concatenate (s : shape) (sizes : list Z) (along : nat)
  | Pad (out operand low interior : list Z)
  | Reduce (out operand : shape) (reduced : list nat) (inputs part : nat)
  | Dot (out lhs rhs : shape) (lhs_batch rhs_batch lhs_contracted rhs_contracted : list nat)
  | ReduceWindow (out operand : shape) (windows : list window) (inputs : nat)
  | SelectAndScatter (s source : shape) (windows : list window)
  | Convolution (out input kernel : shape) (of_out of_input of_kernel : labels) (windows : list window)
      (feature_groups batch_groups : Z)
  | Sort (s : shape) (along count : nat)
  | Gather (out operand indices : shape) (g : vectors)
  | Scatter (s indices updates : shape) (g : vectors).

(** Shapes and attributes belong together. *)
Definition fits (o : op) : bool :=
  match o with
  | Elementwise _ _ | Iota | Reverse _ _ => true
  | Broadcast out operand dims => broadcast_fits out operand dims
  | Transpose out operand permutation => transpose_fits out operand permutation
  | Reshape out operand => reshape_fits out operand
  | Bitcast out operand a b => bitcast_fits out operand a b
  | Slice out operand start stride => slice_fits out operand start stride
  | DynamicSlice out operand => start_fits operand out
  | DynamicUpdateSlice s update => start_fits s update
  | Concatenate s sizes along => concatenate_fits s sizes along
  | Pad out operand low interior => pad_fits out operand low interior
  | Reduce out operand reduced inputs part => reduce_fits out operand reduced inputs part
  | Dot out lhs rhs lb rb lc rc => dot_fits out lhs rhs lb rb lc rc
  | ReduceWindow _ operand windows _ => windows_fit operand windows
  | SelectAndScatter s source windows => select_fits s source windows
  | Convolution out input kernel a b c windows f g => convolution_fits out input kernel a b c windows f g
  | Sort s along _ => sort_fits s along
  | Gather out operand indices g => gather_fits out operand indices g
  | Scatter s indices updates g => scatter_fits s indices updates g
  end.

Definition reads (v : values) (o : op) : reading :=
  match o with
  | Elementwise s count => elementwise s count
  | Iota => iota
  | Broadcast out operand dims => broadcast out operand dims
  | Transpose out operand permutation => transpose out operand permutation
  | Reverse s dims => reverse s dims
  | Reshape out operand => reshape out operand
  | Bitcast out operand a b => bitcast out operand a b
  | Slice out operand start stride => slice out operand start stride
  | DynamicSlice out operand => dynamic_slice out operand v
  | DynamicUpdateSlice s update => dynamic_update_slice s update v
  | Concatenate s sizes along => concatenate s sizes along
  | Pad out operand low interior => pad out operand low interior
  | Reduce out operand reduced inputs part => reduce out operand reduced inputs part
  | Dot out lhs rhs lb rb lc rc => dot out lhs rhs lb rb lc rc
  | ReduceWindow out operand windows inputs => reduce_window out operand windows inputs
  | SelectAndScatter s source windows => select_and_scatter s source windows
  | Convolution out input kernel a b c windows f g => convolution out input kernel a b c windows f g
  | Sort s along count => sort s along count
  | Gather out operand indices g => gather out operand indices g v
  | Scatter s indices updates g => scatter s indices updates g v
  end.

Definition maps (o : op) : nat -> list index_map :=
  match o with
  | Elementwise s count => elementwise_maps s count
  | Iota => fun _ => []
  | Broadcast out operand dims => broadcast_maps out operand dims
  | Transpose out _ permutation => transpose_maps out permutation
  | Reverse s dims => reverse_maps s dims
  | Reshape out operand => reshape_maps out operand
  | Bitcast out operand a b => bitcast_maps out operand a b
  | Slice out _ start stride => slice_maps out start stride
  | DynamicSlice out operand => dynamic_slice_maps out operand
  | DynamicUpdateSlice s update => update_maps s update
  | Concatenate s sizes along => concatenate_maps s sizes along
  | Pad out operand low interior => pad_maps out operand low interior
  | Reduce out operand reduced inputs part => reduce_maps out operand reduced inputs part
  | Dot out lhs rhs lb rb lc rc => dot_maps out lhs rhs lb rb lc rc
  | ReduceWindow out operand windows inputs => reduce_window_maps out operand windows inputs
  | SelectAndScatter s source windows => select_and_scatter_maps s source windows
  | Convolution out input kernel a b c windows f g => convolution_maps out input kernel a b c windows f g
  | Sort s along count => sort_maps s along count
  | Gather out operand indices g => gather_maps out operand indices g
  | Scatter s indices updates g => scatter_maps s indices updates g
  end.

Theorem every_op v o : fits o = true -> exactly v (reads v o) (maps o).
Proof.
  destruct o; cbn [fits reads maps]; intros F.
  - apply elementwise_law.
  - apply iota_law.
  - apply broadcast_law; exact F.
  - apply (transpose_law _ _ operand); exact F.
  - apply reverse_law.
  - apply reshape_law; exact F.
  - apply bitcast_law; exact F.
  - apply (slice_law _ _ operand); exact F.
  - apply dynamic_slice_law; exact F.
  - apply dynamic_update_slice_law; exact F.
  - apply concatenate_law; exact F.
  - apply pad_law; exact F.
  - apply reduce_law; exact F.
  - apply dot_law; exact F.
  - apply reduce_window_law; exact F.
  - apply select_and_scatter_law; exact F.
  - apply convolution_law; exact F.
  - apply sort_law; exact F.
  - apply gather_law; exact F.
  - apply scatter_law; exact F.
Qed.

(** * The comparison *)

(** An op on arrays: of each operand the shape, the integers that its elements are in row-major order (none where they do
    not matter), and a number whose bit [linear out d * elements + linear operand i] says that [d] reads [i]. *)
Record operand := Operand { of_shape : shape; integers : list Z; pairs : Z }.
Record case := Case { the_op : op; result : shape; operands : list operand }.
Definition none := Operand [] [] 0.

Definition given (c : case) : values := fun n i =>
  let a := nth n (operands c) none in (integers a).[Z.to_nat (linear (of_shape a) i)].
Definition bit (c : case) (n : nat) (d i : index) : bool :=
  let a := nth n (operands c) none in
  Z.testbit (pairs a) (linear (result c) d * product (of_shape a) + linear (of_shape a) i).
Fixpoint equal (x y : list Z) : bool :=
  match x, y with [], [] => true | x :: xs, y :: ys => (x =? y) && equal xs ys | _, _ => false end.
Definition indices (s : shape) : list index := box_list (of_sizes s).

Definition check (c : case) : bool :=
  fits (the_op c) &&
  forallb (fun n => forallb (fun d =>
    let read := flat_map (fun m => elements (given c) m d) (maps (the_op c) n) in
    forallb (fun i => Bool.eqb (existsb (equal i) read) (bit c n d i)) (indices (of_shape (nth n (operands c) none))))
    (indices (result c))) (seq 0 (length (operands c))).

(** The pairs of a case, to be counted. *)
Definition count (c : case) : Z := fold_left Z.add
  (map (fun n => fold_left Z.add (map (fun d => Z.of_nat (length (filter (bit c n d)
    (indices (of_shape (nth n (operands c) none)))))) (indices (result c))) 0) (seq 0 (length (operands c)))) 0.

Lemma equal_spec x y : equal x y = true <-> x = y.
Proof.
  revert y. induction x as [|a x IH]; intros [|b y]; cbn [equal]; try (split; [discriminate|discriminate]).
  - split; reflexivity.
  - rewrite andb_true_iff, Z.eqb_eq, IH. split; [intros [-> ->]; reflexivity|intros E; injection E; auto].
Qed.

Theorem check_spec c : check c = true -> forall n d i,
  (n < length (operands c))%nat -> inside (result c) d -> inside (of_shape (nth n (operands c) none)) i ->
  reads (given c) (the_op c) d n i <-> bit c n d i = true.
Proof.
  unfold check. rewrite andb_true_iff. intros [F H] n d i N D I. rewrite (every_op _ _ F d n i).
  rewrite forallb_forall in H. specialize (H n). rewrite forallb_forall in H.
  specialize (H ltac:(apply in_seq; lia) d). rewrite forallb_forall in H.
  specialize (H ltac:(apply in_box_list, in_box_of_sizes; exact D) i ltac:(apply in_box_list, in_box_of_sizes; exact I)).
  apply eqb_prop in H. rewrite <- H, existsb_exists. unfold maps_read. split.
  - intros [m [M R]]. exists i. split; [|apply equal_spec; reflexivity]. apply in_flat_map. exists m. split; [exact M|].
    apply elements_spec. exact R.
  - intros [j [J E]]. apply equal_spec in E. subst j. apply in_flat_map in J. destruct J as [m [M R]]. exists m.
    split; [exact M|]. apply elements_spec. exact R.
Qed.

(** The numbers of cases that do not agree, and the number of pairs in all. *)
Definition failures (first : nat) (cs : list case) : list nat :=
  map fst (filter (fun c => negb (check (snd c))) (combine (seq first (length cs)) cs)).
Definition total (cs : list case) : Z := fold_left (fun n c => n + count c) cs 0.
