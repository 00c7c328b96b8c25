//! Evaluates lines of other systems' lists according to these systems. Shares nothing with the library's reader: it has its own
//! tokens, trees and arithmetic.

use std::collections::BTreeMap;

/// A tree: an operation and its operands; names and numbers have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub head: String,
    pub parts: Vec<Tree>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum System {
    Halide,
    Tvm,
    Plain,
}

/// A line: its left sides, its right side, its conditions.
#[derive(Clone, Debug)]
pub struct Equation {
    pub system: System,
    pub lefts: Vec<Tree>,
    pub right: Tree,
    pub conditions: Vec<Tree>,
}

/// A point at which a line is evaluated.
pub struct Point<'p> {
    pub system: System,
    pub values: &'p BTreeMap<String, i128>,
    /// Whether a divisor was below 1.
    pub below: std::cell::Cell<bool>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Integer(i128),
    Truth(bool),
}

fn tree(head: &str, parts: Vec<Tree>) -> Tree {
    let head = head.to_owned();
    Tree { head, parts }
}

fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    while at < letters.len() {
        let start = at;
        if letters[at].is_whitespace() {
            at += 1;
            continue;
        }
        if is_word(letters[at]) {
            while at < letters.len() && is_word(letters[at]) {
                at += 1;
            }
        } else {
            let two: String = letters[at..letters.len().min(at + 2)].iter().collect();
            at += if ["&&", "||", "==", "!=", "<=", ">="].contains(&two.as_str()) { 2 } else { 1 };
        }
        found.push(letters[start..at].iter().collect());
    }
    found
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

const LEVELS: [&[&str]; 5] = [
    &["||"],
    &["&&"],
    &["==", "!=", "<", "<=", ">", ">="],
    &["+", "-"],
    &["*", "/", "%", "floordiv", "ceildiv", "mod"],
];

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn level(&mut self, level: usize) -> Tree {
        if level == LEVELS.len() {
            return self.sign();
        }
        let mut left = self.level(level + 1);
        while LEVELS[level].contains(&self.peek()) {
            let operator = self.next();
            left = tree(&operator, vec![left, self.level(level + 1)]);
        }
        left
    }

    fn sign(&mut self) -> Tree {
        match self.peek() {
            "-" => {
                self.at += 1;
                tree("neg", vec![self.sign()])
            }
            "!" => {
                self.at += 1;
                tree("not", vec![self.sign()])
            }
            "(" => {
                self.at += 1;
                let inner = self.level(0);
                assert_eq!(self.next(), ")");
                inner
            }
            _ => {
                let head = self.next();
                let mut parts = Vec::new();
                if self.peek() == "(" {
                    self.at += 1;
                    while self.peek() != ")" {
                        parts.push(self.level(0));
                        if self.peek() == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                }
                tree(&head, parts)
            }
        }
    }
}

fn parsed(text: &str) -> Tree {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let tree = parser.level(0);
    assert_eq!(parser.at, parser.tokens.len(), "{text}");
    tree
}

fn listed(left: Tree) -> Vec<Tree> {
    match left.head.as_str() {
        "matches_one_of" => left.parts,
        _ => vec![left],
    }
}

/// Reads a line of the list.
pub fn equation(line: &str) -> Equation {
    if let Some((left, rest)) = line.split_once(" -> ") {
        let (right, conditions) = rest.split_once(" if ").unwrap_or((rest, ""));
        let conditions = conditions.split(',').filter(|text| !text.trim().is_empty());
        return Equation {
            system: System::Plain,
            lefts: listed(parsed(left)),
            right: parsed(right),
            conditions: conditions.map(parsed).collect(),
        };
    }
    let system = match line.starts_with("TVM_") {
        true => System::Tvm,
        false => System::Halide,
    };
    let line = line.replace(".Eval()", "").replace("->value", "");
    let mut call = parsed(&line).parts.into_iter();
    let left = call.next().expect("a left side");
    let mut right = call.next().expect("a right side");
    if system == System::Halide {
        // `a` and `b` on the right are the operands of the left side's outer operation.
        for (name, part) in ["a", "b"].iter().zip(&left.parts) {
            if right == tree(name, Vec::new()) {
                right = part.clone();
            }
        }
    }
    Equation { system, lefts: listed(left), right, conditions: call.collect() }
}

impl Equation {
    /// Returns the names of the line's variables.
    pub fn names(&self) -> Vec<String> {
        fn collect(tree: &Tree, names: &mut Vec<String>) {
            let is_name = tree.parts.is_empty()
                && tree.head.starts_with(|c: char| c.is_ascii_lowercase())
                && !["true", "false"].contains(&tree.head.as_str());
            if is_name && !names.contains(&tree.head) {
                names.push(tree.head.clone());
            }
            tree.parts.iter().for_each(|part| collect(part, names));
        }
        let mut names = Vec::new();
        self.lefts.iter().for_each(|left| collect(left, &mut names));
        names
    }

    /// Returns whether the line is true at a point, or `None` if the system does not define a value; whether its conditions hold
    /// there; and whether a divisor is below 1.
    pub fn truth(&self, values: &BTreeMap<String, i128>) -> (Option<bool>, bool, bool) {
        let point = Point { system: self.system, values, below: std::cell::Cell::new(false) };
        let mut holds = true;
        for condition in &self.conditions {
            match point.value(condition) {
                Some(Value::Truth(truth)) => holds &= truth,
                _ => return (None, false, point.below.get()),
            }
        }
        if !holds {
            return (Some(true), false, point.below.get());
        }
        let mut all = Some(true);
        for left in &self.lefts {
            all = match (all, point.value(left), point.value(&self.right)) {
                (Some(all), Some(left), Some(right)) => Some(all && left == right),
                _ => None,
            };
        }
        (all, true, point.below.get())
    }
}

impl Point<'_> {
    fn value(&self, tree: &Tree) -> Option<Value> {
        use Value::{Integer, Truth};
        let head = tree.head.as_str();
        if tree.parts.is_empty() {
            return match head {
                "true" => Some(Truth(true)),
                "false" => Some(Truth(false)),
                _ if head.starts_with(|c: char| c.is_ascii_digit()) => {
                    head.parse().ok().map(Integer)
                }
                name => self.values.get(name).copied().map(Integer),
            };
        }
        let head = head.strip_prefix("arith.").unwrap_or(head);
        match head {
            "fold" | "can_prove" | "CanProve" => return self.value(&tree.parts[0]),
            "overflows" => return Some(Truth(false)), // integers are unbounded here
            "ZeroWithTypeLike" => return Some(Integer(0)),
            "OneWithTypeLike" => return Some(Integer(1)),
            _ => {}
        }
        let values: Option<Vec<Value>> = tree.parts.iter().map(|part| self.value(part)).collect();
        match (head, &values?[..]) {
            ("neg", [Integer(x)]) => Some(Integer(-x)),
            ("not", [Truth(x)]) => Some(Truth(!x)),
            ("&&", [Truth(x), Truth(y)]) => Some(Truth(*x && *y)),
            ("||", [Truth(x), Truth(y)]) => Some(Truth(*x || *y)),
            (head, [Integer(x), Integer(y)]) => self.operation(head, *x, *y),
            (head, values) => panic!("{head} of {values:?}"),
        }
    }

    fn operation(&self, head: &str, x: i128, y: i128) -> Option<Value> {
        use Value::{Integer, Truth};
        Some(match head {
            "+" | "addi" => Integer(x + y),
            "-" => Integer(x - y),
            "*" | "muli" => Integer(x * y),
            "min" => Integer(x.min(y)),
            "max" => Integer(x.max(y)),
            "==" | "CanProveEqual" => Truth(x == y),
            "!=" => Truth(x != y),
            "<" => Truth(x < y),
            "<=" => Truth(x <= y),
            ">" => Truth(x > y),
            ">=" | "CanProveGreaterEqual" => Truth(x >= y),
            _ => return self.division(head, x, y).map(Integer),
        })
    }

    fn division(&self, head: &str, x: i128, y: i128) -> Option<i128> {
        if y < 1 {
            self.below.set(true);
        }
        let is_undefined = match self.system {
            System::Halide => false,
            System::Tvm => y == 0,
            System::Plain => y < 1,
        };
        if is_undefined {
            return None;
        }
        if y == 0 {
            return Some(0);
        }
        let floor = (x - x.rem_euclid(y.abs())) / y.abs(); // the quotient by |y|
        let floor = match (y > 0, x.rem_euclid(y.abs())) {
            (true, _) => floor,
            (false, 0) => -floor,
            (false, _) => -floor - 1,
        };
        Some(match (head, self.system) {
            ("/", System::Halide) => (x - x.rem_euclid(y)) / y,
            ("%", System::Halide) => x.rem_euclid(y),
            ("%", System::Tvm) => x % y,
            ("floordiv", _) | ("/", System::Plain) => floor,
            ("floormod" | "mod", _) | ("%", System::Plain) => x - y * floor,
            ("ceildiv", _) => floor + i128::from(x != y * floor),
            ("truncdiv" | "divsi", _) => x / y,
            ("truncmod", _) => x % y,
            (head, _) => panic!("{head} in {:?}", self.system),
        })
    }
}
