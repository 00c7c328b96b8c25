(* Index maps, the laws of rules, and certificates as data, with their meaning: all that a reader of `check_sound` has to read.
   Division rounds down (`Z.div`); a divisor of a map is positive on its domain. *)
From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

(* Expressions over variables, which are numbered. *)
Inductive expr :=
| Const (c : Z)
| Var (i : nat)
| Add (x y : expr)
| Mul (x y : expr)
| Div (x y : expr)
| Ceil (x y : expr)
| Mod (x y : expr)
| Min (x y : expr)
| Max (x y : expr).

Fixpoint value (env : nat -> Z) (e : expr) : Z :=
  match e with
  | Const c => c
  | Var i => env i
  | Add x y => value env x + value env y
  | Mul x y => value env x * value env y
  | Div x y => value env x / value env y
  | Ceil x y => - ((- value env x) / value env y)
  | Mod x y => (value env x) mod (value env y)
  | Min x y => Z.min (value env x) (value env y)
  | Max x y => Z.max (value env x) (value env y)
  end.

(* Closed intervals; `None` is an end at infinity. *)
Definition interval := (option Z * option Z)%type.

Definition above (lo : option Z) (x : Z) : Prop := match lo with Some lo => lo <= x | None => True end.
Definition below (hi : option Z) (x : Z) : Prop := match hi with Some hi => x <= hi | None => True end.
Definition within (i : interval) (x : Z) : Prop := above (fst i) x /\ below (snd i) x.

(* A map: per variable its kind and its interval, constraints, and results. *)
Record map := Map {
  kinds : list nat;
  box : list interval;
  constraints : list (expr * interval);
  results : list expr }.

Fixpoint in_box (env : nat -> Z) (from : nat) (box : list interval) : Prop :=
  match box with
  | [] => True
  | i :: box => within i (env from) /\ in_box env (S from) box
  end.

Fixpoint holds_all {A} (P : A -> Prop) (l : list A) : Prop :=
  match l with [] => True | x :: l => P x /\ holds_all P l end.

Definition inside (m : map) (env : nat -> Z) : Prop :=
  in_box env 0 (box m) /\ holds_all (fun c => within (snd c) (value env (fst c))) (constraints m).

(* The claim of a certificate: both maps have the same variables, the same domain, and the same values there. *)
Definition same_function (m n : map) : Prop :=
  kinds m = kinds n /\
  forall env, (inside m env <-> inside n env) /\
    (inside m env -> List.map (value env) (results m) = List.map (value env) (results n)).

(* A step names a rule by its place in the table, and binds its variables: constants first, then expressions. *)
Record step := Step { rule_of : nat; bindings : list expr }.

Record certificate := Certificate {
  before : map;
  after : map;
  domain_steps : list step;
  result_steps : list step }.

(* Rules: terms over numbered variables, conditions, and a statement. *)
Inductive term :=
| TInt (c : Z)
| TVar (i : nat)
| TNeg (x : term)
| TAdd (x y : term)
| TSub (x y : term)
| TMul (x y : term)
| TDiv (x y : term)
| TMod (x y : term)
| TMin (x y : term)
| TMax (x y : term).

Inductive relation := Eq_ | Le_ | Lt_.
Record condition := Condition { left : term; rel : relation; right : term }.

Inductive statement :=
| Rewrite (x y : term)
| Equivalence (l r : list condition)
| Fact (l : list condition).

Record rule := Rule { conditions : list condition; states : statement }.

Fixpoint term_value (v : nat -> Z) (t : term) : Z :=
  match t with
  | TInt c => c
  | TVar i => v i
  | TNeg x => - term_value v x
  | TAdd x y => term_value v x + term_value v y
  | TSub x y => term_value v x - term_value v y
  | TMul x y => term_value v x * term_value v y
  | TDiv x y => term_value v x / term_value v y
  | TMod x y => (term_value v x) mod (term_value v y)
  | TMin x y => Z.min (term_value v x) (term_value v y)
  | TMax x y => Z.max (term_value v x) (term_value v y)
  end.

Definition condition_holds (v : nat -> Z) (c : condition) : Prop :=
  match rel c with
  | Eq_ => term_value v (left c) = term_value v (right c)
  | Le_ => term_value v (left c) <= term_value v (right c)
  | Lt_ => term_value v (left c) < term_value v (right c)
  end.

Fixpoint conjunction (v : nat -> Z) (l : list condition) : Prop :=
  match l with
  | [] => True
  | [c] => condition_holds v c
  | c :: l => condition_holds v c /\ conjunction v l
  end.

Definition statement_holds (v : nat -> Z) (s : statement) : Prop :=
  match s with
  | Rewrite x y => term_value v x = term_value v y
  | Equivalence l r => conjunction v l <-> conjunction v r
  | Fact l => conjunction v l
  end.

Fixpoint implied (v : nat -> Z) (l : list condition) (P : Prop) : Prop :=
  match l with [] => P | c :: l => condition_holds v c -> implied v l P end.

(* A rule is true: what its theorem says. *)
Definition valid (r : rule) : Prop := forall v, implied v (conditions r) (statement_holds v (states r)).
