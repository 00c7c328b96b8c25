(* The checker as OCaml, with the table of rules. *)
From Coq Require Import List Extraction ExtrOcamlBasic ExtrOcamlNativeString ExtrOcamlNatInt.
From Affinor Require Import Maps Claims Table.

Definition check_certificate : claim -> bool := check_claim (List.map snd table).
Definition rule_names := List.map fst table.
Extraction "checker.ml" check_certificate rule_names.
