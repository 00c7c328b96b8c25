(* What an accepted certificate means, and what that rests on: Rocq must answer `Closed under the global context`. *)
From Coq Require Import List String.
From Affinor Require Import Maps Checker Claims Table.

Lemma rules_valid : holds_all valid (List.map snd table).
Proof.
  pose proof table_valid as h. revert h. generalize table as rows.
  induction rows as [|row rows IH]; [exact (fun h => h)|]. intros [v vs]. exact (conj v (IH vs)).
Qed.

Theorem accepted c : check (List.map snd table) c = true -> same_function (before c) (after c).
Proof. exact (check_sound _ _ rules_valid). Qed.

(* The same of a composition, of variables that may go, and of a third map. *)
Theorem accepted_claim c : check_claim (List.map snd table) c = true -> claimed c.
Proof. exact (claim_sound _ _ rules_valid). Qed.

(* The place of a rule in the table, for steps that are written with its name; beyond its end if there is none. *)
Definition rule_named (name : string) : nat :=
  (fix place (rows : list (string * (list string * list string) * rule)) (from : nat) : nat :=
    match rows with
    | nil => from
    | cons row rows => if String.eqb name (fst (fst row)) then from else place rows (S from)
    end) table O.

Print Assumptions accepted_claim.
