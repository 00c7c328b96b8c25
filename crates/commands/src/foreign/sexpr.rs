//! Prefix terms in brackets, as in SMT-LIB, egg and egglog: parsed, and printed in infix notation.
//!
//! Law: a term is printed with its meaning in SMT-LIB: integers are mathematical; `div` and `mod` by a divisor that is at least 1
//! round down. Other divisors are an error.

use crate::brackets::{Form, forms, list_of};
use affinor::text::{Error, ErrorKind, is_name};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The maximum size of a printed term, in bytes.
const MAX_BYTES: usize = 1 << 14;

/// The maximum number of printed terms, counting a function's body at each call.
const MAX_TERMS: usize = 1 << 14;

/// Translates a bare term, or a rule of egg, to a line of commands.
pub fn line(text: &str) -> Option<Result<String, Error>> {
    let text = text.trim();
    if let Some(rule) = text.strip_prefix("rewrite!(").or_else(|| text.strip_prefix("rw!(")) {
        let mut quoted = rule.split('"').skip(1).step_by(2);
        let (_, left, right) = (quoted.next()?, quoted.next()?, quoted.next()?);
        let line = equation(&forms(left).ok()?, &forms(right).ok()?);
        let condition = rule.rsplit('"').find_map(|part| part.split_once(" if "));
        let name = quoted.next().map_or("a", |name| name.trim_start_matches('?'));
        return Some(line.and_then(|line| {
            match condition {
                None => Ok(line),
                Some(_) => Err(Error::without_span(
                    ErrorKind::Unsupported,
                    "the condition of a rewrite is a function of the program",
                )
                .hint(format!("say it in a line of `prove`: `{line} where {name} >= 1`"))),
            }
        }));
    }
    // `(/ (* ?x 4) 4) => ?x`
    if let Some((left, right)) = text.split_once(" => ").filter(|_| text.starts_with(['(', '"'])) {
        let side = |side: &str| forms(side.trim().trim_matches('"')).ok();
        let (left, right) = (side(left)?, side(right)?);
        let head = left.first().filter(|_| left.len() == 1).and_then(|form| form.call())?;
        return is_operator(head.0, head.1.len()).then(|| equation(&left, &right));
    }
    let mut form = match &forms(text).ok().filter(|_| text.starts_with('('))?[..] {
        [form] => form.clone(),
        _ => return None,
    };
    // In front of a statement, the quantifier is redundant.
    while let Some(("forall", [Form::List(names), body])) = form.call()
        && names.iter().all(is_over_integers)
    {
        form = body.clone();
    }
    let (head, rest) = form.call()?;
    let open = Scope::default();
    match (head, rest) {
        ("rewrite" | "birewrite", [left, right, ..]) => {
            Some(equation(std::slice::from_ref(left), std::slice::from_ref(right)))
        }
        // egglog's `let` names a term.
        ("let", [Form::Word(name), term]) if is_name(name) => {
            Some(open.written(term).map(|(text, _)| format!("let {name} = {text}")))
        }
        ("simplify", [term]) if term.call().is_some() => {
            Some(open.written(term).map(|(text, _)| text))
        }
        (_, [_, ..]) if is_operator(head, rest.len()) => {
            Some(open.written(&form).map(|(text, is_truth)| match is_truth {
                true => format!("prove {text}"),
                false => text,
            }))
        }
        _ => None,
    }
}

/// Returns whether a binder is `(x Int)`.
fn is_over_integers(binder: &Form) -> bool {
    matches!(list_of(binder), [name, of] if is_name(name.word()) && of.word() == "Int")
}

/// Returns whether this is the head of a term, rather than an operand in brackets as in `(x + y) * 2`.
fn is_operator(head: &str, operands: usize) -> bool {
    let is_sign = matches!(head, "+" | "*" | "/" | "%" | "=" | "<" | "<=" | ">" | ">=" | "=>");
    let is_word = matches!(head, "div" | "mod" | "distinct" | "ite" | "and" | "or");
    operands >= 2 && (is_sign || is_word || head == "-") || matches!(head, "forall" | "not")
}

fn equation(left: &[Form], right: &[Form]) -> Result<String, Error> {
    match (left, right) {
        ([left], [right]) => {
            let open = Scope { takes_divisors: true, ..Scope::default() };
            Ok(format!("prove {} = {}", open.written(left)?.0, open.written(right)?.0))
        }
        _ => Err(Error::without_span(ErrorKind::Syntax, "expected one term on each side")),
    }
}

/// A function of a script.
#[derive(Clone, Debug)]
pub struct Function {
    pub parameters: Vec<String>,
    pub body: Form,
    /// The values of the other names in the body.
    pub values: BTreeMap<String, (String, bool)>,
}

/// The meaning of the names in a term.
#[derive(Clone, Default)]
pub struct Scope {
    /// The declared names; `None` if all names are declared.
    pub declared: Option<BTreeSet<String>>,
    /// The names that are at least 1.
    pub positive: BTreeSet<String>,
    /// Whether any name may be a divisor, because the prover of the statement requires it to be positive.
    pub takes_divisors: bool,
    /// The values of names, and whether each is a condition.
    pub values: BTreeMap<String, (String, bool)>,
    /// Functions.
    pub functions: BTreeMap<String, Function>,
    /// The number of terms printed so far, at most [`MAX_TERMS`].
    terms: Rc<Cell<usize>>,
}

impl Scope {
    /// Prints a term in infix notation; returns it and whether it is a condition.
    ///
    /// # Errors
    /// [`ErrorKind::Name`], [`ErrorKind::Division`], [`ErrorKind::Unsupported`] and [`ErrorKind::TooLarge`].
    pub fn written(&self, form: &Form) -> Result<(String, bool), Error> {
        let is_spent = self.terms.replace(self.terms.get() + 1) > MAX_TERMS;
        let (text, is_truth) = match form {
            _ if is_spent => {
                return Err(Error::without_span(ErrorKind::TooLarge, "the terms are too large"));
            }
            Form::Word(word) => self.atom(word)?,
            Form::List(_) => self.list(form)?,
        };
        match text.len() > MAX_BYTES {
            true => Err(Error::without_span(ErrorKind::TooLarge, "the term is too long")),
            false => Ok((text, is_truth)),
        }
    }

    fn atom(&self, word: &str) -> Result<(String, bool), Error> {
        let name = word.trim_start_matches('?').trim_matches('"');
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        match name {
            "true" => Ok(("True".to_owned(), true)),
            "false" => Ok(("False".to_owned(), true)),
            _ if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok((name.to_owned(), false))
            }
            _ if is_name(name) && self.declared.as_ref().is_none_or(|all| all.contains(name)) => {
                Ok((name.to_owned(), false))
            }
            _ => {
                let message = format!("`{word}` is not a declared integer");
                Err(Error::without_span(ErrorKind::Name, message))
            }
        }
    }

    fn list(&self, form: &Form) -> Result<(String, bool), Error> {
        let wrong = || {
            let message =
                format!("`({} ..)` is not supported", form.call().map_or("", |call| call.0));
            let error = Error::without_span(ErrorKind::Unsupported, message);
            error.hint("terms are of Int, with + - * div mod abs ite let, = < <= > >= distinct, and or not =>")
        };
        let (head, rest) = form.call().ok_or_else(wrong)?;
        match (head, rest) {
            ("!", [term, ..]) => return self.written(term),
            ("forall" | "exists", _) => {
                let message = format!("`{head}` is read in front of a statement alone, over Int");
                return Err(Error::without_span(ErrorKind::Unsupported, message));
            }
            ("let", [Form::List(bindings), body]) => {
                let mut inner = self.clone();
                for binding in bindings {
                    let [name, value] = list_of(binding) else { return Err(wrong()) };
                    inner.values.insert(name.word().to_owned(), self.written(value)?);
                }
                return inner.written(body);
            }
            _ => {}
        }
        let operands = rest.iter().map(|operand| self.written(operand));
        let operands: Vec<(String, bool)> = operands.collect::<Result<_, _>>()?;
        if let Some(Function { parameters, body, values }) = self.functions.get(head) {
            if parameters.len() != operands.len() {
                return Err(wrong());
            }
            let mut inner = Scope { values: values.clone(), ..self.clone() };
            inner.values.extend(parameters.iter().cloned().zip(operands));
            return inner.written(body);
        }
        let are = |truths: bool| operands.iter().all(|(_, is_truth)| *is_truth == truths);
        let texts: Vec<&str> = operands.iter().map(|(text, _)| text.as_str()).collect();
        let joined = |operator: &str| format!("({})", texts.join(&format!(" {operator} ")));
        let text = match (head.to_ascii_lowercase().as_str(), &texts[..]) {
            ("-" | "neg", [x]) if are(false) => format!("(-{x})"),
            ("+" | "add", [_, ..]) if are(false) => joined("+"),
            ("-" | "sub", [_, ..]) if are(false) => joined("-"),
            ("*" | "mul", [_, ..]) if are(false) => joined("*"),
            ("num" | "const" | "lit" | "var" | "sym", [x]) if are(false) => (*x).to_owned(),
            ("div" | "/" | "floordiv", [_, d]) if are(false) => {
                self.check_divisor(d)?;
                joined("floordiv")
            }
            ("mod" | "%", [_, d]) if are(false) => {
                self.check_divisor(d)?;
                joined("mod")
            }
            ("abs", [x]) if are(false) => format!("abs({x})"),
            ("min", [_, _]) | ("max", [_, _]) if are(false) => {
                format!("{}({})", head.to_ascii_lowercase(), texts.join(", "))
            }
            ("ite", [c, x, y]) if operands[0].1 && !operands[1].1 && !operands[2].1 => {
                format!("({x} if {c} else {y})")
            }
            ("ite", [c, x, y]) if are(true) => {
                return Ok((format!("(({c} and {x}) or (not {c} and {y}))"), true));
            }
            ("=", [_, _, ..]) if are(false) => return Ok((joined("=="), true)),
            ("=", [x, y]) if are(true) => {
                return Ok((format!("(({x} and {y}) or (not {x} and not {y}))"), true));
            }
            ("<" | "<=" | ">" | ">=", [_, _, ..]) if are(false) => return Ok((joined(head), true)),
            ("distinct", [_, _, ..]) if are(false) => {
                let pairs = (0..texts.len()).flat_map(|y| (0..y).map(move |x| (x, y)));
                let pairs: Vec<String> =
                    pairs.map(|(x, y)| format!("{} != {}", texts[x], texts[y])).collect();
                return Ok((format!("({})", pairs.join(" and ")), true));
            }
            ("and" | "or", [_, ..]) if are(true) => return Ok((joined(head), true)),
            ("not", [x]) if are(true) => return Ok((format!("(not {x})"), true)),
            ("=>", [premises @ .., claim]) if are(true) && !premises.is_empty() => {
                let premises: Vec<String> =
                    premises.iter().map(|premise| format!("not {premise}")).collect();
                return Ok((format!("({} or {claim})", premises.join(" or ")), true));
            }
            _ => return Err(wrong()),
        };
        Ok((text, false))
    }

    fn check_divisor(&self, divisor: &str) -> Result<(), Error> {
        let is_number = divisor.parse::<u64>().is_ok_and(|number| number > 0);
        if is_number || self.takes_divisors || self.positive.contains(divisor) {
            return Ok(());
        }
        let message = format!("the divisor `{divisor}` is not known to be at least 1");
        let error = Error::without_span(ErrorKind::Division, message);
        Err(error.hint(format!("assert it in front: `(assert (> {divisor} 0))`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_lines() {
        for (text, expected) in [
            ("(= (mod (+ x 8) 4) (mod x 4))", "prove (((x + 8) mod 4) == (x mod 4))"),
            ("(simplify (/ (+ (* x 8) 3) 8))", "(((x * 8) + 3) floordiv 8)"),
            ("(=> (> x 1) (> x 0))", "prove (not (x > 1) or (x > 0))"),
            (
                "rewrite!(\"cancel\"; \"(/ (* ?a 2) 2)\" => \"?a\")",
                "prove ((a * 2) floordiv 2) = a",
            ),
            ("(rewrite (Mul a (Num 2)) (Add a a))", "prove (a * 2) = (a + a)"),
            (
                "(forall ((x Int)) (=> (>= x 0) (= (mod (* 2 x) 2) 0)))",
                "prove (not (x >= 0) or (((2 * x) mod 2) == 0))",
            ),
            ("(let e (Add (Mul (Var \"x\") (Num 2)) (Num 0)))", "let e = ((x * 2) + 0)"),
            ("(distinct x (ite (< x 0) 1 (- 1)))", "prove (x != (1 if (x < 0) else (-1)))"),
        ] {
            assert_eq!(line(text), Some(Ok(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "(x + y) * 2",
            "(x)",
            "(i, j) -> (j, i)",
            "(- x) + 3",
            "(4,8):(8,1)",
            "(a * b)",
            "(= x",
            "(f x y)",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
        for text in [
            "(= (div x y) 1)",
            "(= (mod x 0) 1)",
            "(+ x (bvadd y z))",
            "(and x y)",
            "(= (< x 1) 2)",
            "(exists y)",
            "(=> (forall ((x Int)) (> x 0)) (> y 0))",
            "(forall ((x Bool)) (= x x))",
        ] {
            assert!(!matches!(line(text), Some(Ok(_))), "{text}");
        }
    }
}
