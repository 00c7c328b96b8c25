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
  | Sort (s : shape) (along count part : nat)
  | Gather (out operand indices : shape) (g : vectors)
  | Scatter (s indices updates : shape) (g : vectors)
  | Chain (outer inner : op)      (* the operand of [outer] is the result of [inner] *)
  | Repeat (s : shape) (count : nat) (body : op).

Fixpoint equal (x y : list Z) : bool :=
  match x, y with [], [] => true | x :: xs, y :: ys => (x =? y) && equal xs ys | _, _ => false end.

Lemma equal_spec x y : equal x y = true <-> x = y.
Proof.
  revert y. induction x as [|a x IH]; intros [|b y]; cbn [equal]; try (split; [discriminate|discriminate]).
  - split; reflexivity.
  - rewrite andb_true_iff, Z.eqb_eq, IH. split; [intros [-> ->]; reflexivity|intros E; injection E; auto].
Qed.

(** Operands that a composition may ask for. *)
Fixpoint arity (o : op) : nat :=
  match o with
  | Elementwise _ n | Sort _ _ n _ => n
  | Iota => 0
  | Concatenate _ sizes _ => length sizes
  | DynamicSlice _ operand => 1 + length operand
  | DynamicUpdateSlice s _ => 2 + length s
  | Reduce _ _ _ n _ | ReduceWindow _ _ _ n => n + n
  | Broadcast _ _ _ | Transpose _ _ _ | Reverse _ _ | Reshape _ _ | Bitcast _ _ _ _ | Slice _ _ _ _ | Repeat _ _ _ => 1
  | Pad _ _ _ _ | Dot _ _ _ _ _ _ _ | Convolution _ _ _ _ _ _ _ _ _ | Gather _ _ _ _ => 2
  | SelectAndScatter _ _ _ | Scatter _ _ _ _ => 3
  | Chain _ inner => arity inner
  end.

Fixpoint maps (o : op) : nat -> list index_map :=
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
  | Sort s along count part => sort_maps s along count part
  | Gather out operand indices g => gather_maps out operand indices g
  | Scatter s indices updates g => scatter_maps s indices updates g
  | Chain outer inner => fun n => if Nat.ltb n (arity inner) then compose_all (maps outer O) (maps inner n) else []
  | Repeat s count body => only (repeated s count (maps body O))
  end.

Definition no_runtime (m : index_map) : bool := match runtimes m with [] => true | _ => false end.
Definition composableb (m1 m2 : index_map) : bool :=
  well_formed m1 && Nat.eqb (length (results m1)) (length (dims m2)) && (no_runtime m1 || no_runtime m2).
Definition steadyb (s : shape) (m : index_map) : bool :=
  well_formed m && no_runtime m && Nat.eqb (length (dims m)) (length s) && Nat.eqb (length (results m)) (length s).
(** An iteration leads from an array of shape [s] to one of shape [s]. *)
Definition stays (s : shape) (body : op) : bool :=
  match body with
  | Transpose out operand _ | Slice out operand _ _ | Pad out operand _ _ => equal out s && equal operand s
  | Reverse s' _ => equal s' s
  | _ => false
  end.

Lemma no_runtime_spec m : no_runtime m = true <-> runtimes m = [].
Proof. unfold no_runtime. destruct (runtimes m); split; congruence. Qed.

Lemma composableb_spec m1 m2 : composableb m1 m2 = true -> composable m1 m2.
Proof. unfold composableb, composable. rewrite !andb_true_iff, orb_true_iff, Nat.eqb_eq, !no_runtime_spec. tauto. Qed.

Lemma steadyb_spec s m : steadyb s m = true -> steady s s m.
Proof. unfold steadyb, steady. rewrite !andb_true_iff, !Nat.eqb_eq, no_runtime_spec. tauto. Qed.

(** Shapes and attributes belong together. *)
Fixpoint fits (o : op) : bool :=
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
  | Sort s along _ _ => sort_fits s along
  | Gather out operand indices g => gather_fits out operand indices g
  | Scatter s indices updates g => scatter_fits s indices updates g
  | Chain outer inner => fits outer && fits inner &&
      forallb (fun n => forallb (fun m1 => forallb (composableb m1) (maps inner n)) (maps outer O)) (seq 0 (arity inner))
  | Repeat s _ body => fits body && forallb (steadyb s) (maps body O) && stays s body
  end.

Fixpoint reads (v : values) (o : op) : reading :=
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
  | Sort s along count part => sort s along count part
  | Gather out operand indices g => gather out operand indices g v
  | Scatter s indices updates g => scatter s indices updates g v
  | Chain outer inner => fun d n i => (n < arity inner)%nat /\ exists j, reads v outer d O j /\ reads v inner j n i
  | Repeat s count body => fun d n i => n = O /\ inside s d /\ iterated count (fun d i => reads v body d O i) d i
  end.

Theorem every_op v o : fits o = true -> exactly v (reads v o) (maps o).
Proof.
  induction o; cbn [fits reads maps]; intros F.
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
  - rewrite !andb_true_iff, forallb_forall in F. destruct F as [[F1 F2] F]. intros d n i.
    destruct (Nat.ltb_spec n (arity o2)) as [N|N]; [|rewrite reads_none; intuition lia].
    rewrite compose_all_law.
    + split; [intros [_ [j [A B]]]|intros [j [A B]]; split; [exact N|]]; exists j;
        (split; [apply (IHo1 F1); exact A|apply (IHo2 F2); exact B]).
    + intros m1 m2 M1 M2. apply composableb_spec. specialize (F n ltac:(apply in_seq; lia)).
      rewrite forallb_forall in F. specialize (F m1 M1). rewrite forallb_forall in F. exact (F m2 M2).
  - rewrite !andb_true_iff, forallb_forall in F. destruct F as [[F1 F2] F3]. intros d [|n] i; unfold only; [|rewrite reads_none; intuition discriminate].
    rewrite (while_law v s (maps o O) (fun d i => reads v o d O i)).
    + tauto.
    + intros x y. apply (IHo F1).
    + intros x y R. unfold stays in F3. destruct o; try discriminate;
        rewrite ?andb_true_iff, ?equal_spec in F3; cbn [reads] in R.
      * destruct F3 as [-> ->]. split; apply R.
      * subst s0. split; apply R.
      * destruct F3 as [-> ->]. split; apply R.
      * destruct F3 as [-> ->]. split; [apply R|]. apply R.
    + intros m M. apply steadyb_spec. apply F2. exact M.
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
