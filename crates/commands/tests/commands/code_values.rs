//! Random code has the values that its language defines: trees are printed as Python and as C, read as maps, and the maps are
//! compared at random points with a small evaluator of the trees, which shares nothing with the reader. The types of C are
//! tested in `tests/code`, where the code is run.

use affinor::expr::{IndexingMap, VariableKind};
use affinor_code::read;

/// An expression of a kernel.
enum Tree {
    Number(i64),
    Variable(usize),
    Negate(Box<Tree>),
    Invert(Box<Tree>),
    Two(&'static str, Box<Tree>, Box<Tree>),
    Choose(Box<Test>, Box<Tree>, Box<Tree>),
}

enum Test {
    Compare(&'static str, Tree, Tree),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Not(Box<Test>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Language {
    Python,
    C,
}

const NAMES: [&str; 3] = ["i", "j", "lane"];

/// The bounds of the variables, which some programs state.
const BOUNDS: [(i64, i64); 3] = [(-20, 40), (0, 15), (0, 31)];

impl Tree {
    /// Evaluates the tree by the rules of the language; `None` if it has no value.
    fn value(&self, language: Language, point: &[i64]) -> Option<i64> {
        Some(match self {
            Tree::Number(number) => *number,
            Tree::Variable(number) => point[*number],
            Tree::Negate(x) => -x.value(language, point)?,
            Tree::Invert(x) => !x.value(language, point)?,
            Tree::Choose(test, x, y) => match test.holds(language, point)? {
                true => x.value(language, point)?,
                false => y.value(language, point)?,
            },
            Tree::Two(operator, x, y) => {
                let (x, y) = (x.value(language, point)?, y.value(language, point)?);
                let toward_zero = language == Language::C;
                match *operator {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x * y,
                    "/" if toward_zero => x / y,
                    "%" if toward_zero => x % y,
                    "/" => x.div_euclid(y), // for a positive divisor
                    "%" => x.rem_euclid(y),
                    "cdiv" => -(-x).div_euclid(y),
                    "FloorDiv" => x.div_euclid(y),
                    "PythonMod" => x.rem_euclid(y),
                    "ModularIndexing" => x.div_euclid(3).rem_euclid(y),
                    "min" => x.min(y),
                    "max" => x.max(y),
                    ">>" => x >> y,
                    "<<" => x << y,
                    "&" => x & y,
                    "|" => x | y,
                    "^" => x ^ y,
                    other => panic!("{other}"),
                }
            }
        })
    }

    fn text(&self, language: Language) -> String {
        match self {
            Tree::Number(number) if *number > 9 => format!("0x{number:x}"),
            Tree::Number(number) => format!("{number}"),
            Tree::Variable(number) => NAMES[*number].to_owned(),
            Tree::Negate(x) => format!("-({})", x.text(language)),
            Tree::Invert(x) => format!("~({})", x.text(language)),
            Tree::Choose(test, x, y) => {
                let (test, x, y) = (test.text(language), x.text(language), y.text(language));
                match language {
                    Language::Python => format!("({x} if {test} else {y})"),
                    Language::C => format!("({test} ? {x} : {y})"),
                }
            }
            Tree::Two(operator, x, y) => {
                let (x, y) = (x.text(language), y.text(language));
                match (*operator, language) {
                    ("cdiv", Language::Python) => format!("tl.cdiv({x}, {y})"),
                    ("min" | "max", Language::C) => format!("std::{operator}({x}, {y})"),
                    ("cdiv" | "min" | "max" | "FloorDiv" | "PythonMod", _) => {
                        format!("{operator}({x}, {y})")
                    }
                    ("ModularIndexing", _) => format!("{operator}({x}, 3, {y})"),
                    ("/", Language::Python) => format!("(({x}) // ({y}))"),
                    _ => format!("(({x}) {operator}\n ({y}))"),
                }
            }
        }
    }
}

impl Test {
    fn holds(&self, language: Language, point: &[i64]) -> Option<bool> {
        Some(match self {
            Test::Compare(relation, x, y) => {
                let (x, y) = (x.value(language, point)?, y.value(language, point)?);
                match *relation {
                    "==" => x == y,
                    "!=" => x != y,
                    "<" => x < y,
                    "<=" => x <= y,
                    ">" => x > y,
                    _ => x >= y,
                }
            }
            Test::And(x, y) => x.holds(language, point)? && y.holds(language, point)?,
            Test::Or(x, y) => x.holds(language, point)? || y.holds(language, point)?,
            Test::Not(x) => !x.holds(language, point)?,
        })
    }

    fn text(&self, language: Language) -> String {
        let is_python = language == Language::Python;
        match self {
            Test::Compare(relation, x, y) => {
                format!("({} {relation} {})", x.text(language), y.text(language))
            }
            Test::And(x, y) => {
                let and = if is_python { "and" } else { "&&" };
                format!("({} {and} {})", x.text(language), y.text(language))
            }
            Test::Or(x, y) => {
                let or = if is_python { "or" } else { "||" };
                format!("({} {or} {})", x.text(language), y.text(language))
            }
            Test::Not(x) => {
                let not = if is_python { "not " } else { "!" };
                format!("({not}{})", x.text(language))
            }
        }
    }
}

/// A generator of pseudorandom numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }

    fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }

    fn tree(&mut self, depth: u64) -> Tree {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(3) {
                0 => Tree::Number(self.between(0, 20)),
                _ => Tree::Variable(self.below(3) as usize),
            };
        }
        let two = |operator, x, y| Tree::Two(operator, Box::new(x), Box::new(y));
        let x = self.tree(depth - 1);
        let constant = |number| Tree::Number(number);
        match self.below(13) {
            0 | 1 => two("+", x, self.tree(depth - 1)),
            2 => two("-", x, self.tree(depth - 1)),
            3 => two("*", x, constant(self.between(0, 9))),
            4 => two("/", x, constant(self.between(1, 9))),
            5 => two("%", x, constant(self.between(1, 9))),
            6 => two(
                ["cdiv", "min", "max", "FloorDiv", "PythonMod", "ModularIndexing"]
                    [self.below(6) as usize],
                x,
                constant(self.between(1, 9)),
            ),
            7 => two([">>", "<<"][self.below(2) as usize], x, constant(self.between(0, 4))),
            8 => {
                let ones = (1 << self.below(5)) - 1;
                two(["&", "|", "^"][self.below(3) as usize], x, constant(ones))
            }
            9 => {
                let bits = two("&", self.tree(depth - 1), constant(7));
                two(["&", "|", "^"][self.below(3) as usize], x, bits)
            }
            10 => Tree::Negate(Box::new(x)),
            11 => Tree::Invert(Box::new(x)),
            _ => Tree::Choose(
                Box::new(self.test(depth - 1)),
                Box::new(x),
                Box::new(self.tree(depth - 1)),
            ),
        }
    }

    fn test(&mut self, depth: u64) -> Test {
        let relation = ["==", "!=", "<", "<=", ">", ">="][self.below(6) as usize];
        if depth == 0 || self.below(2) == 0 {
            return Test::Compare(relation, self.tree(depth.min(1)), self.tree(0));
        }
        let inner = |random: &mut Random| Box::new(random.test(depth - 1));
        match self.below(3) {
            0 => Test::And(inner(self), inner(self)),
            1 => Test::Or(inner(self), inner(self)),
            _ => Test::Not(inner(self)),
        }
    }
}

/// Returns the point in the order of a map's variables, which are matched by name.
fn point_of(map: &IndexingMap, point: &[i64]) -> Vec<i64> {
    let variables = map.domain().variables().iter();
    variables
        .map(|variable| {
            assert_eq!(variable.kind, VariableKind::Dimension);
            let place = NAMES.iter().position(|name| **name == *variable.name);
            point[place.expect("a variable of the program")]
        })
        .collect()
}

#[test]
fn code_has_the_values_of_its_language() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut programs, mut split, mut points, mut refused) = (0, 0, 0, 0);
    for number in 0..1200u64 {
        let tree = random.tree(1 + number % 4);
        for language in [Language::Python, Language::C] {
            let mut text = tree.text(language);
            let is_bounded = random.below(2) == 0;
            if is_bounded {
                let used = NAMES.iter().zip(BOUNDS);
                let items = used.map(|(name, (lo, hi))| format!("{name} in [{lo}, {hi}]"));
                text += &format!(", domain: {}", items.collect::<Vec<_>>().join(", "));
            }
            let code = match read(&text, language == Language::C, &|_| None) {
                Ok(code) => code,
                Err(error) => {
                    // Only bit operations on unbounded values, and too many cases, may be refused.
                    let message = &error.message;
                    let is_known = message.contains("bits in common")
                        || message.contains("runs of ones")
                        || message.contains("cases")
                        || message.contains("exclude every point")
                        || message.contains("divisor");
                    assert!(is_known, "{text}: {error}");
                    refused += 1;
                    continue;
                }
            };
            let maps = &code.values.last().expect("a value").maps;
            programs += 1;
            split += usize::from(maps.len() > 1);
            for _ in 0..60 {
                let point: Vec<i64> =
                    BOUNDS.iter().map(|(lo, hi)| random.between(*lo, *hi)).collect();
                let expected = tree.value(language, &point);
                let mut found = Vec::new();
                for map in maps {
                    let own = point_of(map, &point);
                    if map.domain().contains(&own) == Ok(true) {
                        found.push(map.eval(&own).expect("a value").first().copied());
                    }
                }
                assert_eq!(found, [expected], "{text}\nat {point:?} in {maps:?}");
                points += 1;
            }
        }
    }
    // The test is not vacuous: most programs are read, and many have several maps.
    assert!(programs > 1800 && split > 150, "{programs} {split} {points} {refused}");
}
