(** What the theorems rest on: nothing beyond Rocq's kernel, if it prints that each is closed under the global context. *)
From Reads Require Import Semantics Maps LawsReshape LawsWindow LawsCompose LawsForms Compare.

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
