(** What the theorems rest on: nothing beyond Rocq's kernel, if it prints that each is closed under the global context. *)
From Reads Require Import Semantics Maps LawsReshape LawsWindow LawsCompose LawsForms Compare Corollaries.

Print Assumptions every_op.
Print Assumptions elements_spec.
Print Assumptions check_spec.
Print Assumptions reshape_any_form.
Print Assumptions reshape_groups.
Print Assumptions only_window.
Print Assumptions compose_law.
Print Assumptions compose_all_law.
Print Assumptions walk_law.
Print Assumptions while_law.
Print Assumptions family_law.
Print Assumptions tuple_law.
Print Assumptions get_tuple_element_law.
Print Assumptions same_points.
Print Assumptions implied_constraint.
Print Assumptions one_value.
Print Assumptions reverse_in_bounds.
Print Assumptions reverse_agrees.
Print Assumptions slice_in_bounds.
Print Assumptions pad_agrees.
Print Assumptions window_agrees.
Print Assumptions window_covers.
Print Assumptions window_only.
Print Assumptions concatenate_agrees.
Print Assumptions reshape_agrees.
Print Assumptions bitcast_layout.
Print Assumptions group_agrees.
Print Assumptions clamped_in_bounds.
Print Assumptions update_agrees.
