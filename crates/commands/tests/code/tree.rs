//! Expressions of code as trees, and their texts: only with the brackets that precedence requires, and sometimes more.

use crate::pieces::Dialect;

#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    Number(i64),
    /// `4u`
    Unsigned(i64),
    /// An index, a size or a named value, as written in the code.
    Name(String),
    Negate(Box<Tree>),
    Invert(Box<Tree>),
    Not(Box<Tree>),
    /// A binary operator; `/` is floor division in Python, and `&&` is `and` there.
    Two(&'static str, Box<Tree>, Box<Tree>),
    /// `x if test else y`
    Choose(Box<Tree>, Box<Tree>, Box<Tree>),
    /// A function with its arguments, some by name.
    Call(&'static str, Vec<(&'static str, Tree)>),
    /// `(char)x`, or `static_cast<char>(x)`.
    Cast(&'static str, Box<Tree>, bool),
}

pub fn two(operator: &'static str, x: Tree, y: Tree) -> Tree {
    Tree::Two(operator, Box::new(x), Box::new(y))
}

pub fn number(number: i64) -> Tree {
    match number < 0 {
        true => Tree::Negate(Box::new(Tree::Number(-number))),
        false => Tree::Number(number),
    }
}

pub fn call(name: &'static str, arguments: impl IntoIterator<Item = Tree>) -> Tree {
    let arguments = arguments.into_iter().map(|argument| ("", argument));
    Tree::Call(name, arguments.collect())
}

const CHOICE: u32 = 0;
const UNARY: u32 = 11;
const ATOM: u32 = 12;

/// Returns the precedence of an operator.
fn level(operator: &str, dialect: Dialect) -> u32 {
    match (operator, dialect.is_c()) {
        ("||", _) => 1,
        ("&&", _) => 2,
        ("|", true) => 3,
        ("^", true) => 4,
        ("&", true) => 5,
        ("==" | "!=", true) => 6,
        ("<" | "<=" | ">" | ">=", true) => 7,
        ("==" | "!=" | "<" | "<=" | ">" | ">=", false) => 4,
        ("|", false) => 5,
        ("^", false) => 6,
        ("&", false) => 7,
        ("<<" | ">>", _) => 8,
        ("+" | "-", _) => 9,
        _ => 10,
    }
}

pub fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=")
}

fn is_of_bits(operator: &str) -> bool {
    matches!(operator, "&" | "|" | "^" | "<<" | ">>")
}

impl Tree {
    pub fn text(&self, dialect: Dialect) -> String {
        self.written(dialect).0
    }

    fn written(&self, dialect: Dialect) -> (String, u32) {
        let prefix = |sign: &str, x: &Tree| {
            let text = x.at(UNARY, dialect);
            // `--i` is another operator.
            match text.starts_with(['-', '+']) {
                true => format!("{sign}({text})"),
                false => format!("{sign}{text}"),
            }
        };
        match self {
            Tree::Number(number) => (number.to_string(), ATOM),
            Tree::Unsigned(number) => (format!("{number}u"), ATOM),
            Tree::Name(name) => (name.clone(), ATOM),
            Tree::Negate(x) => (prefix("-", x), UNARY),
            Tree::Invert(x) => (prefix("~", x), UNARY),
            Tree::Not(x) if dialect.is_c() => (prefix("!", x), UNARY),
            Tree::Not(x) => (format!("not {}", x.at(4, dialect)), 3),
            Tree::Two(operator, x, y) => {
                let level = level(operator, dialect);
                let side = |side: &Tree, least: u32| match side {
                    // Operators whose precedence differs between C and Python are bracketed, and comparisons are not chained.
                    Tree::Two(inner, ..)
                        if is_of_bits(operator) && (is_of_bits(inner) || is_comparison(inner))
                            || is_comparison(operator)
                                && (is_of_bits(inner) || is_comparison(inner))
                            || (*operator == "||" && *inner == "&&") =>
                    {
                        format!("({})", side.text(dialect))
                    }
                    side => side.at(least, dialect),
                };
                let (x, y) = (side(x, level), side(y, level + 1));
                let operator = match (*operator, dialect.is_c()) {
                    ("/", false) => "//",
                    ("&&", false) => "and",
                    ("||", false) => "or",
                    (operator, _) => operator,
                };
                (format!("{x} {operator} {y}"), level)
            }
            Tree::Choose(test, x, y) => {
                let [test, x, y] = [test, x, y].map(|part| part.at(CHOICE + 1, dialect));
                let text = match dialect.is_c() {
                    true => format!("{test} ? {x} : {y}"),
                    false => format!("{x} if {test} else {y}"),
                };
                (text, CHOICE)
            }
            Tree::Call(name, arguments) => {
                let arguments = arguments.iter().map(|(name, argument)| {
                    let text = argument.text(dialect);
                    match name.is_empty() {
                        true => text,
                        false => format!("{name}={text}"),
                    }
                });
                let arguments = arguments.collect::<Vec<_>>().join(", ");
                (format!("{name}({arguments})"), ATOM)
            }
            Tree::Cast(to, x, true) => (format!("static_cast<{to}>({})", x.text(dialect)), ATOM),
            Tree::Cast(to, x, false) => (format!("({to}){}", x.at(UNARY, dialect)), UNARY),
        }
    }

    /// Writes the expression, in brackets if its precedence is lower than `least`.
    fn at(&self, least: u32, dialect: Dialect) -> String {
        let (text, level) = self.written(dialect);
        match level < least {
            true => format!("({text})"),
            false => text,
        }
    }

    /// Renames all names.
    pub fn renamed(&self, new: &dyn Fn(&str) -> String) -> Tree {
        self.changed(&|tree| match tree {
            Tree::Name(name) => Tree::Name(new(&name)),
            other => other,
        })
    }

    /// Applies `change` to each subtree, innermost first.
    pub fn changed(&self, change: &dyn Fn(Tree) -> Tree) -> Tree {
        let of = |tree: &Tree| Box::new(tree.changed(change));
        change(match self {
            Tree::Number(_) | Tree::Unsigned(_) | Tree::Name(_) => self.clone(),
            Tree::Negate(x) => Tree::Negate(of(x)),
            Tree::Invert(x) => Tree::Invert(of(x)),
            Tree::Not(x) => Tree::Not(of(x)),
            Tree::Two(operator, x, y) => Tree::Two(operator, of(x), of(y)),
            Tree::Choose(test, x, y) => Tree::Choose(of(test), of(x), of(y)),
            Tree::Call(name, arguments) => {
                let arguments = arguments.iter();
                let arguments = arguments.map(|(name, x)| (*name, x.changed(change)));
                Tree::Call(name, arguments.collect())
            }
            Tree::Cast(to, x, is_static) => Tree::Cast(to, of(x), *is_static),
        })
    }

    /// Checks whether the name occurs in the tree.
    pub fn names(&self, sought: &str) -> bool {
        match self {
            Tree::Number(_) | Tree::Unsigned(_) => false,
            Tree::Name(name) => name == sought,
            Tree::Negate(x) | Tree::Invert(x) | Tree::Not(x) | Tree::Cast(_, x, _) => {
                x.names(sought)
            }
            Tree::Two(_, x, y) => x.names(sought) || y.names(sought),
            Tree::Choose(x, y, z) => [x, y, z].into_iter().any(|x| x.names(sought)),
            Tree::Call(_, arguments) => arguments.iter().any(|(_, x)| x.names(sought)),
        }
    }
}
