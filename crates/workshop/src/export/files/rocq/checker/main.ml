(* affinor-check: reads certificates, one JSON object a line, and has the extracted checker judge them.

   affinor-check FILE          one verdict a line: valid, rejected, missing or unread with the reason; exit status 1 unless all are valid
   affinor-check --term FILE   each certificate as a term of Rocq, with the theorem that it is accepted; one that repeats, once

   Trusted: that the maps read here are those of the text. Whatever is not understood is unread, and never valid. *)

open Checker

exception Unread of string

let unread format = Printf.ksprintf (fun text -> raise (Unread text)) format

(* JSON *)

type json = Text of string | Number of string | List of json list | Object of (string * json) list | Null | Other

let parse_json text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else '\000' in
  let next () = let c = peek () in if !at >= String.length text then unread "JSON: ends early" else (incr at; c) in
  let rec space () = match peek () with ' ' | '\t' | '\n' | '\r' -> incr at; space () | _ -> () in
  let expect c = if next () <> c then unread "JSON: expected %c at %d" c !at in
  let word w value = String.iter expect w; value in
  let string () =
    expect '"';
    let out = Buffer.create 64 in
    let rec go () = match next () with
      | '"' -> Buffer.contents out
      | '\\' ->
        (match next () with
         | ('"' | '\\' | '/') as c -> Buffer.add_char out c
         | 'n' -> Buffer.add_char out '\n'
         | 't' -> Buffer.add_char out '\t'
         | _ -> unread "JSON: an escape that is not read");
        go ()
      | c when c < ' ' -> unread "JSON: a control character in a string"
      | c -> Buffer.add_char out c; go () in
    go () in
  let rec value depth =
    if depth > 50 then unread "JSON: nested too deep";
    space ();
    let result = match peek () with
      | '"' -> Text (string ())
      | '{' ->
        incr at; space ();
        if peek () = '}' then (incr at; Object [])
        else
          let rec members done_ =
            space ();
            let key = string () in
            if List.mem_assoc key done_ then unread "JSON: %s is there twice" key;
            space (); expect ':';
            let done_ = (key, value (depth + 1)) :: done_ in
            (match next () with ',' -> members done_ | '}' -> Object (List.rev done_) | _ -> unread "JSON: expected , or }") in
          members []
      | '[' ->
        incr at; space ();
        if peek () = ']' then (incr at; List [])
        else
          let rec items done_ =
            let done_ = value (depth + 1) :: done_ in
            (match next () with ',' -> items done_ | ']' -> List (List.rev done_) | _ -> unread "JSON: expected , or ]") in
          items []
      | 't' -> word "true" Other
      | 'f' -> word "false" Other
      | 'n' -> word "null" Null
      | '-' | '0' .. '9' ->
        let start = !at in
        let rec go () = match peek () with '-' | '+' | '.' | 'e' | 'E' | '0' .. '9' -> incr at; go () | _ -> () in
        go ();
        Number (String.sub text start (!at - start))
      | _ -> unread "JSON: expected a value at %d" !at in
    space ();
    result in
  let result = value 0 in
  if !at < String.length text then unread "JSON: more text after the value";
  result

(* Integers: decimal digits, by the checker's own arithmetic. *)

let digits = [| Z0; Zpos XH; Zpos (XO XH); Zpos (XI XH); Zpos (XO (XO XH)); Zpos (XI (XO XH)); Zpos (XO (XI XH));
                Zpos (XI (XI XH)); Zpos (XO (XO (XO XH))); Zpos (XI (XO (XO XH))) |]
let ten = Zpos (XO (XI (XO XH)))

let natural_of_text text =
  if text = "" || String.length text > 40 then unread "an integer that is not read: %s" text;
  let digit z c = match c with
    | '0' .. '9' -> Z.add (Z.mul z ten) digits.(Char.code c - Char.code '0')
    | _ -> unread "not an integer: %s" text in
  let z = ref Z0 in
  String.iter (fun c -> z := digit !z c) text;
  !z

let most = natural_of_text "9223372036854775807"

(* An integer of 64 bits. *)
let integer_of_text text =
  let length = String.length text in
  let z =
    if length > 0 && text.[0] = '-' then Z.opp (natural_of_text (String.sub text 1 (length - 1)))
    else natural_of_text text in
  if Z.ltb most z || Z.ltb z (Z.sub (Z.opp most) (Zpos XH)) then unread "beyond 64 bits: %s" text;
  z

(* The text of maps: tokens, then expressions by precedence. *)

type token = Name of string | Digits of string | Sign of char | Arrow | End

let is_digit c = c >= '0' && c <= '9'
let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '_'

let tokens_of text =
  let length = String.length text in
  let while_ test start =
    let rec go i = if i < length && test text.[i] then go (i + 1) else i in
    go start in
  let rec go at done_ =
    if at >= length then List.rev (End :: done_)
    else
      let c = text.[at] in
      if c = ' ' then go (at + 1) done_
      else if is_letter c then
        let stop = while_ (fun c -> is_letter c || is_digit c) at in
        go stop (Name (String.sub text at (stop - at)) :: done_)
      else if is_digit c then
        let stop = while_ is_digit at in
        go stop (Digits (String.sub text at (stop - at)) :: done_)
      else if c = '-' && at + 1 < length && text.[at + 1] = '>' then go (at + 2) (Arrow :: done_)
      else if String.contains "+-*(),[]{}<>:" c then go (at + 1) (Sign c :: done_)
      else unread "a character that is not read: %c" c in
  go 0 []

type reader = { mutable left : token list; names : (string, int) Hashtbl.t }

let peek r = match r.left with t :: _ -> t | [] -> End
let advance r = match r.left with _ :: l -> r.left <- l | [] -> ()
let eat r t = if peek r = t then (advance r; true) else false
let expect r t what = if not (eat r t) then unread "expected %s" what

let minus_one = Zneg XH
let is_positive = function Const c -> Z.ltb Z0 c | _ -> true

let rec sum r depth =
  if depth > 200 then unread "an expression that is nested too deep";
  let rec more x =
    if eat r (Sign '+') then more (Add (x, product r depth))
    else if eat r (Sign '-') then more (Add (x, Mul (Const minus_one, product r depth)))
    else x in
  more (product r depth)

and product r depth =
  let divide make x =
    let by = unary r depth in
    if not (is_positive by) then unread "a divisor below 1";
    make x by in
  let rec more x =
    match peek r with
    | Sign '*' -> advance r; more (Mul (x, unary r depth))
    | Name "floordiv" -> advance r; more (divide (fun x y -> Div (x, y)) x)
    | Name "ceildiv" -> advance r; more (divide (fun x y -> Ceil (x, y)) x)
    | Name "mod" -> advance r; more (divide (fun x y -> Mod (x, y)) x)
    | _ -> x in
  more (unary r depth)

and unary r depth =
  if depth > 200 then unread "an expression that is nested too deep";
  match peek r with
  | Sign '-' ->
    advance r;
    (match peek r with
     | Digits d -> advance r; Const (integer_of_text ("-" ^ d))
     | _ -> Mul (Const minus_one, unary r (depth + 1)))
  | Digits d -> advance r; Const (integer_of_text d)
  | Sign '(' ->
    advance r;
    let x = sum r (depth + 1) in
    expect r (Sign ')') ")";
    x
  | Name (("min" | "max") as name) when not (Hashtbl.mem r.names name) ->
    advance r;
    expect r (Sign '(') "(";
    let make x y = if name = "min" then Min (x, y) else Max (x, y) in
    let rec operands x = if eat r (Sign ',') then operands (make x (sum r (depth + 1))) else x in
    let x = operands (sum r (depth + 1)) in
    expect r (Sign ')') ")";
    x
  | Name name ->
    advance r;
    (match Hashtbl.find_opt r.names name with
     | Some i -> Var i
     | None -> unread "a name that is not a variable: %s" name)
  | _ -> unread "expected an expression"

(* An end of an interval: an integer, infinite, or an expression. *)
type bound = Infinite | Finite of z | Of of expr

let bound r =
  let infinite ahead = match ahead with
    | Name "inf" :: _ when not (Hashtbl.mem r.names "inf") -> true
    | _ -> false in
  match r.left with
  | Sign '-' :: rest when infinite rest -> advance r; advance r; Infinite
  | left when infinite left -> advance r; Infinite
  | _ ->
    (match sum r 0 with
     | Const c -> Finite c
     | x -> Of x)

let finite = function Finite c -> Some c | Infinite | Of _ -> None

let map_of text =
  let names = Hashtbl.create 16 in
  let is_mlir = String.length text > 11 && String.sub text 0 11 = "affine_map<" in
  let r = { left = tokens_of text; names } in
  if is_mlir then (advance r; expect r (Sign '<') "<");
  let kinds = ref [] in
  let list kind opening closing =
    if eat r (Sign opening) then begin
      let rec go () = match peek r with
        | Name name ->
          advance r;
          if Hashtbl.mem names name then unread "a variable that is there twice: %s" name;
          Hashtbl.add names name (List.length !kinds);
          kinds := kind :: !kinds;
          if eat r (Sign ',') then go ()
        | _ -> () in
      go ();
      expect r (Sign closing) "the end of a list of variables"
    end in
  list 0 '<' '>';
  list 1 '(' ')';
  list 2 '[' ']';
  list 3 '{' '}';
  let count = List.length !kinds in
  expect r Arrow "->";
  expect r (Sign '(') "(";
  let rec expressions done_ =
    let done_ = sum r 0 :: done_ in
    if eat r (Sign ',') then expressions done_ else List.rev done_ in
  let results = if peek r = Sign ')' then [] else expressions [] in
  expect r (Sign ')') ")";
  let box = Array.make count (None, None) in
  let given = Array.make count false in
  let constraints = ref [] in
  let add x i = constraints := (x, i) :: !constraints in
  if is_mlir then expect r (Sign '>') ">"
  else if eat r (Sign ',') then begin
    expect r (Name "domain") "domain";
    expect r (Sign ':') ":";
    if eat r (Name "empty") then begin
      Array.fill box 0 count (Some (Zpos XH), Some Z0);
      add (Const Z0) (Some (Zpos XH), Some Z0)
    end
    else
      let rec bounds () =
        let x = sum r 0 in
        expect r (Name "in") "in";
        expect r (Sign '[') "[";
        let lo = bound r in
        expect r (Sign ',') ",";
        let hi = bound r in
        expect r (Sign ']') "]";
        (match x with
         | Var i when not given.(i) -> given.(i) <- true; box.(i) <- (finite lo, finite hi)
         | x -> if finite lo <> None || finite hi <> None then add x (finite lo, finite hi));
        let difference y = Add (x, Mul (Const minus_one, y)) in
        (match lo with Of y -> add (difference y) (Some Z0, None) | _ -> ());
        (match hi with Of y -> add (difference y) (None, Some Z0) | _ -> ());
        if eat r (Sign ',') then bounds () in
      bounds ()
  end;
  if peek r <> End then unread "more text after a map";
  let map = { kinds = List.rev !kinds; box = Array.to_list box; constraints = List.rev !constraints; results } in
  (map, names)

(* Certificates. *)

let rules = Hashtbl.create 256
let () = List.iteri (fun i (name, variables) -> Hashtbl.add rules name (i, variables)) rule_names

let field name fields = match List.assoc_opt name fields with Some value -> value | None -> unread "no %s" name
let text_of = function Text t -> t | _ -> unread "expected a text"

let expression names text =
  let r = { left = tokens_of text; names } in
  let x = sum r 0 in
  if peek r <> End then unread "more text after an expression";
  x

let step names json = match json with
  | Object fields ->
    let name = text_of (field "rule" fields) in
    let (rule_of, (constants, expressions)) = match Hashtbl.find_opt rules name with
      | Some rule -> rule
      | None -> unread "unknown rule: %s" name in
    let bound = match List.assoc_opt "bindings" fields with
      | Some (Object bound) -> bound
      | None -> []
      | Some _ -> unread "bindings that are not an object" in
    if List.length bound <> List.length constants + List.length expressions then
      unread "a step does not bind each variable of %s" name;
    let constant variable = match field variable bound with
      | Number n -> Const (integer_of_text n)
      | Text t ->
        (match expression names t with Const _ -> unread "an integer as a text" | x -> x)
      | _ -> unread "expected an integer" in
    let value variable = expression names (text_of (field variable bound)) in
    { rule_of; bindings = List.map constant constants @ List.map value expressions }
  | _ -> unread "a step that is not an object"

let steps name names fields = match List.assoc_opt name fields with
  | Some (List steps) -> List.map (step names) steps
  | None -> []
  | Some _ -> unread "%s is not a list" name

(* A line that says why there is no certificate. *)
exception Missing of string

let certificate_of json =
  let fields = match json with
    | Object fields ->
      (match List.assoc_opt "certificate" fields with
       | Some (Object fields) -> fields
       | Some Null ->
         (match List.assoc_opt "missing" fields with
          | Some (Text reason) -> raise (Missing reason)
          | _ -> unread "no certificate")
       | Some _ -> unread "a certificate that is not an object"
       | None -> fields)
    | _ -> unread "no object" in
  let (before, names) = map_of (text_of (field "before" fields)) in
  let (after, after_names) = map_of (text_of (field "after" fields)) in
  let proof = { before; after; domain_steps = steps "domain_steps" names fields; result_steps = steps "result_steps" names fields } in
  let composed_of = match List.assoc_opt "composition" fields with
    | Some (List [ first; second ]) -> Some (fst (map_of (text_of first)), fst (map_of (text_of second)))
    | None -> None
    | Some _ -> unread "a composition that is not a list of two maps" in
  let left_over = match List.assoc_opt "variables" fields, List.assoc_opt "reads" fields with
    | None, None -> None
    | Some (Object images), Some (Text text) ->
      let (left, left_names) = map_of text in
      List.iter (fun (name, _) -> if not (Hashtbl.mem after_names name) then unread "a variable that is not there: %s" name) images;
      let image name = match field name images with
        | Null -> None
        | Text other ->
          (match Hashtbl.find_opt left_names other with
           | Some place -> Some place
           | None -> unread "a variable that is not there: %s" other)
        | _ -> unread "expected the name of a variable, or null" in
      let names = Array.make (Hashtbl.length after_names) "" in
      Hashtbl.iter (fun name place -> names.(place) <- name) after_names;
      Some (List.map image (Array.to_list names), left)
    | _ -> unread "`variables` and `reads` go together" in
  let also = match List.assoc_opt "equal" fields with
    | None -> None
    | Some (Object own) ->
      let (other, names) = map_of (text_of (field "before" own)) in
      let has name = List.mem_assoc name own in
      if (has "there" || has "back") && (has "domain_steps" || has "result_steps") then unread "two ways to show an equal map";
      Some (other,
        if has "there" || has "back" then Both_ways (steps "there" names own, steps "back" names own)
        else Leading (steps "domain_steps" names own, steps "result_steps" names own))
    | Some _ -> unread "an equal map that is not an object" in
  { proof; composed_of; left_over; also }

(* As a term of Rocq. *)

let text_of_z z =
  let rec positive = function
    | XH -> "1"
    | XO p -> double (positive p) 0
    | XI p -> double (positive p) 1
  and double text carry =
    let out = Bytes.of_string text in
    let carry = ref carry in
    for i = Bytes.length out - 1 downto 0 do
      let d = (2 * (Char.code (Bytes.get out i) - 48)) + !carry in
      Bytes.set out i (Char.chr (48 + (d mod 10)));
      carry := d / 10
    done;
    (if !carry > 0 then string_of_int !carry else "") ^ Bytes.to_string out in
  match z with Z0 -> "0" | Zpos p -> positive p | Zneg p -> "(-" ^ positive p ^ ")"

let list_term item items = "[" ^ String.concat "; " (List.map item items) ^ "]"
let rec expr_term = function
  | Const c -> "(Const " ^ text_of_z c ^ ")"
  | Var i -> Printf.sprintf "(Var %d)" i
  | Add (x, y) -> pair_term "Add" x y
  | Mul (x, y) -> pair_term "Mul" x y
  | Div (x, y) -> pair_term "Div" x y
  | Ceil (x, y) -> pair_term "Ceil" x y
  | Mod (x, y) -> pair_term "Mod" x y
  | Min (x, y) -> pair_term "Min" x y
  | Max (x, y) -> pair_term "Max" x y
and pair_term name x y = Printf.sprintf "(%s %s %s)" name (expr_term x) (expr_term y)
let end_term = function None -> "None" | Some c -> "Some " ^ text_of_z c
let interval_term (lo, hi) = Printf.sprintf "(%s, %s)" (end_term lo) (end_term hi)
let map_term m =
  Printf.sprintf "(Map %s%%nat %s\n    %s\n    %s)" (list_term string_of_int m.kinds) (list_term interval_term m.box)
    (list_term (fun (x, i) -> Printf.sprintf "(%s, %s)" (expr_term x) (interval_term i)) m.constraints)
    (list_term expr_term m.results)
let step_term s = Printf.sprintf "Step %d %s" s.rule_of (list_term expr_term s.bindings)
let theorem number { proof = c; composed_of; left_over; also } =
  let n = string_of_int number in
  let definition name m = Printf.sprintf "Definition %s_%s := %s.\n" name n (map_term m) in
  let steps d r = list_term step_term d ^ "\n  " ^ list_term step_term r in
  (* Per part of a claim: definitions, the part as a term, what it says, and the name of its proof. *)
  let nothing = ("", "None", None) in
  let composition = match composed_of with
    | None -> nothing
    | Some (a, b) ->
      (definition "first" a ^ definition "second" b, Printf.sprintf "(Some (first_%s, second_%s))" n n,
       Some (Printf.sprintf "composition_of first_%s second_%s before_%s" n n n, "composed")) in
  let rest = match left_over with
    | None -> nothing
    | Some (images, m) ->
      let image = function None -> "None" | Some place -> "Some " ^ string_of_int place ^ "%nat" in
      (definition "reads" m ^ Printf.sprintf "Definition images_%s : list (option nat) := %s.\n" n (list_term image images),
       Printf.sprintf "(Some (images_%s, reads_%s))" n n,
       Some (Printf.sprintf "reads_the_same after_%s images_%s reads_%s" n n n, "left")) in
  let other = match also with
    | None -> nothing
    | Some (m, how) ->
      let how = match how with
        | Leading (d, r) -> "Leading " ^ steps d r
        | Both_ways (d, r) -> "Both_ways " ^ steps d r in
      (definition "equal" m, Printf.sprintf "(Some (equal_%s, %s))" n how,
       Some (Printf.sprintf "same_function before_%s equal_%s" n n, "equal")) in
  let parts = [ composition; rest; other ] in
  let said = (Printf.sprintf "same_function before_%s after_%s" n n, "same") :: List.filter_map (fun (_, _, said) -> said) parts in
  let rec conjunction = function [] -> "I" | [ (_, proof) ] -> proof | (_, proof) :: l -> Printf.sprintf "(conj %s %s)" proof (conjunction l) in
  Printf.sprintf
    "%s%s%sDefinition claim_%s := Claim (Certificate before_%s after_%s\n  %s) %s.\nTheorem holds_%s : %s.\nProof.\n  \
     assert (h : claimed claim_%s) by (apply accepted_claim; vm_cast_no_check (eq_refl true)).\n  \
     destruct h as (same & composed & left & equal). exact %s.\nQed.\n"
    (definition "before" c.before) (definition "after" c.after) (String.concat "" (List.map (fun (text, _, _) -> text) parts))
    n n n (steps c.domain_steps c.result_steps) (String.concat " " (List.map (fun (_, term, _) -> term) parts))
    n (String.concat " /\\ " (List.map fst said)) n (conjunction said)

let () =
  let (as_term, path) = match Array.to_list Sys.argv with
    | [ _; "--term"; path ] -> (true, path)
    | [ _; path ] -> (false, path)
    | _ -> prerr_endline "usage: affinor-check [--term] FILE"; exit 2 in
  let file = open_in_bin path in
  let all_valid = ref true in
  if as_term then
    print_string "From Coq Require Import ZArith List.\nFrom Affinor Require Import Maps Claims Accepted.\n\
                  Import ListNotations.\nOpen Scope Z_scope.\n";
  (try
     let number = ref 0 in
     (* Maps of a module repeat: each claim is one theorem. *)
     let stated = Hashtbl.create 1000 in
     let once certificate =
       match Hashtbl.find_opt stated certificate with
       | Some first -> Printf.sprintf "(* %d is holds_%d *)" !number first
       | None -> Hashtbl.add stated certificate !number; theorem !number certificate in
     while true do
       let line = input_line file in
       incr number;
       let verdict =
         try
           let certificate = certificate_of (parse_json line) in
           if as_term then once certificate
           else if check_certificate certificate then "valid"
           else (all_valid := false; "rejected")
         with
         | Missing reason -> all_valid := false; (if as_term then "(* missing: " ^ reason ^ " *)" else "missing: " ^ reason)
         | Unread reason -> all_valid := false; (if as_term then "(* unread: " ^ reason ^ " *)" else "unread: " ^ reason)
         | Stack_overflow -> all_valid := false; "unread: too large" in
       print_endline verdict
     done
   with End_of_file -> ());
  exit (if !all_valid then 0 else 1)
